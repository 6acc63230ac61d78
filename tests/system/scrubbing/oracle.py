# SPDX-License-Identifier: GPL-2.0-or-later
"""What a scrub has to say, from what is different on the devices: where things are is known from the good devices, by
ondisk.py, which things they are from the trees there.

A place is (devid, physical) of a sector. Expected findings are (devid, physical, logical, kind, outcome).
"""
from collections import defaultdict

from ondisk import STRIPE, SUPERS, times2, xor

STATES = ('fixed', 'kept', 'lost')  # the worst is the last
SUM, NOSUM, UNWRITTEN, TREE = 'sum', 'nosum', 'unwritten', 'tree'


class Layout:
    """Which sector is where, and what it is."""

    def __init__(self, fs):
        self.fs = fs
        self.what = {}  # logical of a sector: what
        self.block_of = {}  # logical of a sector of a tree block: that of the block
        self.users = defaultdict(list)  # logical of a data sector: [Ref]
        self.places = {}  # place: ('data', logical, copy) or ('parity', row, which)
        self.rows = {}  # first logical of a row: [place of each element]
        self.row_data = {}  # the same: [logical of each data element]
        self._data()
        for block in fs.blocks:
            for logical in range(block, block + fs.nodesize, fs.sectorsize):
                self.what[logical] = TREE
                self.block_of[logical] = block
        for logical in self.what:
            self._place(logical)

    def _data(self):
        size = self.fs.sectorsize
        by_extent = defaultdict(list)
        for ref in self.fs.refs:
            by_extent[ref.disk].append(ref)
        for start, length in self.fs.extents.items():
            for logical in range(start, start + length, size):
                refs = [r for r in by_extent[start] if r.sectors(logical, size) and not r.prealloc]
                self.users[logical] = refs
                self.what[logical] = SUM if logical in self.fs.sums else NOSUM if refs else UNWRITTEN

    def _place(self, logical):
        chunk = self.fs.chunk(logical)
        for number, place in enumerate(chunk.copies(logical)):
            self.places[place] = ('data', logical, number)
        if not chunk.parity or self.what[logical] == UNWRITTEN:
            return
        places, first, _ = chunk.row(logical)
        if first in self.rows:
            return
        data = len(places) - chunk.parity
        self.rows[first] = places
        self.row_data[first] = [first + k * STRIPE for k in range(data)]
        for k in range(data):
            self.places.setdefault(places[k], ('free', first + k * STRIPE, 0))
        for i in range(chunk.parity):
            self.places[places[data + i]] = ('parity', first, i)

    def files(self, logical):
        """{(subvolume, path, offset)} of what a data sector is part of."""
        out = set()
        for ref in self.users[logical]:
            for offset in ref.sectors(logical, self.fs.sectorsize):
                for path in self.fs.paths(ref.inode):
                    out.add((self.fs.subvolume(ref.inode[0]), path, offset))
        return out


class Expected:
    """changed: places whose sector is different now; read(place) reads the sector that is there now. Findings are fixed,
    kept (right contents are known, but a seed is never written) or lost."""

    def __init__(self, layout, changed, read, absent=None, seeds=(), stale=None):
        self.layout, self.fs, self.read = layout, layout.fs, read
        self.absent, self.seeds, self.stale = absent, seeds, stale  # devids
        self.changed = {p for p in changed if p in layout.places}
        self.findings = []  # (devid, physical, logical, kind, state)
        self.files = {}  # (subvolume, path, offset): state
        self.lost_rows = set()
        self._blocks()
        self._data()
        self._parity()
        self._supers(changed)

    def is_bad(self, place):
        return place in self.changed or place[0] == self.absent

    def _row_ok(self, logical):
        chunk = self.fs.chunk(logical)
        places, first, _ = chunk.row(logical)
        return first not in self.lost_rows and sum(self.is_bad(p) for p in places) <= chunk.parity

    def _sector_ok(self, logical):
        """Can the right contents be had from somewhere?"""
        chunk = self.fs.chunk(logical)
        copies = chunk.copies(logical)
        if chunk.parity:
            return not self.is_bad(copies[0]) or self._row_ok(logical)
        return not all(self.is_bad(p) for p in copies)

    def _add(self, place, logical, kind, ok):
        if place[0] != self.absent:
            self.findings.append((*place, logical, kind, self._state(place, ok)))

    def _state(self, place, ok):
        return 'lost' if not ok else 'kept' if place[0] in self.seeds else 'fixed'

    def _blocks(self):
        hit = {self.layout.block_of[self.layout.places[p][1]] for p in self.changed
               if self.layout.places[p][0] == 'data' and self.layout.places[p][1] in self.layout.block_of}
        size = self.fs.sectorsize
        for block in sorted(hit):
            sectors = range(block, block + self.fs.nodesize, size)
            ok = all(self._sector_ok(s) for s in sectors)
            if not ok and self.fs.chunk(block).parity:
                self.lost_rows |= {self.fs.chunk(s).row(s)[1] for s in sectors}
            for number, place in enumerate(self.fs.chunk(block).copies(block)):
                if any(self.is_bad(self.fs.chunk(s).copies(s)[number]) for s in sectors):
                    self._add(place, block, 'tree', ok)

    def _data(self):
        hit = {self.layout.places[p][1] for p in self.changed if self.layout.places[p][0] == 'data'}
        for logical in sorted(hit):
            what = self.layout.what[logical]
            if what == SUM:
                self._summed(logical)
            elif what == NOSUM and not self.fs.chunk(logical).parity:
                self._unsummed(logical)

    def _file(self, logical, ok):
        places = self.fs.chunk(logical).copies(logical)
        state = max((self._state(p, ok) for p in places if p in self.changed), key=STATES.index, default='fixed')
        for entry in self.layout.files(logical):
            self.files[entry] = max(self.files.get(entry, 'fixed'), state, key=STATES.index)

    def _summed(self, logical):
        ok = self._sector_ok(logical)
        for place in self.fs.chunk(logical).copies(logical):
            if self.is_bad(place):
                self._add(place, logical, 'data', ok)
        self._file(logical, ok)

    def _unsummed(self, logical):
        """The majority is right, if there is one; else all but the first of the largest class are told. A stale device
        has no vote."""
        copies = [p for p in self.fs.chunk(logical).copies(logical) if p[0] != self.absent]
        content = {p: self.read(p) for p in copies}
        voters = [content[p] for p in copies if p[0] != self.stale] or list(content.values())
        winner = max(voters, key=voters.count)
        if all(c == winner for c in content.values()):
            return
        ok = voters.count(winner) * 2 > len(voters)
        for place, c in content.items():
            if c != winner:
                self._add(place, logical, 'unsummed', ok)
        self._file(logical, ok)

    def _parity(self):
        touched = {self.fs.chunk(self.layout.places[p][1]).row(self.layout.places[p][1])[1]
                   for p in self.changed if self.fs.chunk(self.layout.places[p][1]).parity}
        for first in sorted(touched & set(self.layout.rows)):
            self._row(first)

    def _row(self, first):
        places, logicals = self.layout.rows[first], self.layout.row_data[first]
        what = [self.layout.what.get(l, UNWRITTEN) for l in logicals]
        data = len(logicals)
        parity = len(places) - data
        verified = [w in (SUM, TREE) for w in what]
        if any(v and self.is_bad(p) and not self._sector_ok(l) for v, p, l in zip(verified, places, logicals)):
            return
        if first in self.lost_rows:
            return
        differs = [self._differs(places, verified, data, i) for i in range(parity)]
        if not any(d for d in differs):
            return
        unsure = [k for k in range(data) if what[k] == NOSUM]
        if not unsure or (parity == 2 and None not in differs and differs[0] != differs[1]):
            for i in range(parity):
                if differs[i]:
                    self._add(places[data + i], first, 'parity', True)
            return
        late = [k for k in range(len(places)) if places[k][0] == self.stale]
        if late and late[0] >= data:
            self._add(places[late[0]], first, 'parity', True)
            return
        hit = [k for k in unsure if self.is_bad(places[k])]
        if late and late == hit:
            self._add(places[hit[0]], logicals[hit[0]], 'unsummed', True)
            self._file(logicals[hit[0]], True)
        elif parity == 2 and len(hit) == 1 and not any(self.is_bad(p) for p in places[data:]):
            self._add(places[hit[0]], logicals[hit[0]], 'unsummed', True)
            self._file(logicals[hit[0]], True)
        else:
            self._add(places[data + (0 if differs[0] else 1)], first, 'unsummed', False)

    def _differs(self, places, verified, data, which):
        """Is the parity not what the data, as they are known in the end, give? None: it is not there."""
        if places[data + which][0] == self.absent:
            return None
        out = bytes(self.fs.sectorsize)
        for k in range(data):
            device, physical = places[k]
            good = self.fs.devices[device].map[physical:physical + self.fs.sectorsize]
            now = good if verified[k] else self.read(places[k])
            out = xor(out, times2(now, k if which else 0))
        return out != self.read(places[data + which])

    def _supers(self, changed):
        for device, physical in changed:
            if physical in SUPERS:
                self._add((device, physical), 0, 'super', True)


def absent_bytes(layout, device):
    """What is to be read on a device: all that is allocated, and whole rows."""
    fs, places = layout.fs, set()
    for logical in layout.what:
        chunk = fs.chunk(logical)
        places |= set(chunk.row(logical)[0] if chunk.parity else chunk.copies(logical))
    return sum(fs.sectorsize for place in places if place[0] == device)


def leaf(fs, tree, find):
    """The first leaf of a tree for which find(logical, low, high) is true."""
    for logical, (owner, level, low, high) in fs.blocks.items():
        if owner == tree and level == 0 and find(logical, low, high):
            return logical
    return None
