# SPDX-License-Identifier: GPL-2.0-or-later
"""One file system, good and damaged, and what xxscrub says of the damaged one."""
import json
import os
import re
import subprocess
from collections import Counter

from ondisk import KEY_SUM, SUPERS, Image
from oracle import NOSUM, SUM, UNWRITTEN, Expected, absent_bytes

SLICE = 1 << 18
TOLD = 20  # the log tells so many of one kind and outcome on a device

KINDS = {'data': 'data', 'tree': 'tree', 'super': 'super', 'parity': 'parity', 'unsummed': 'unsummed_mismatch',
         'missing': 'missing_sum'}
WORDS = ('corrected', 'repairable', 'lost')  # the worst is the last
OUTCOMES = {'corrected': 'corrected', 'can be repaired, nothing was written': 'repairable', 'cannot be repaired': 'lost'}
LINE = re.compile(r'(/\S+): physical (\d+)(?:, logical (\d+))?: (.*); ([^;\n]*)\.$', re.M)


class Nothing(Exception):
    """There is nothing of the sort to be damaged."""


class Bench:
    def __init__(self, layout, work, old, seeds=()):
        self.layout, self.fs, self.old, self.seeds = layout, layout.fs, old, seeds
        self.work = {devid: Image(os.path.join(work, os.path.basename(image.path)), True)
                     for devid, image in layout.fs.devices.items()}
        self.cache = {}
        self.begin()

    def close(self):
        for image in self.work.values():
            image.close()

    def begin(self):
        self.changed = set()
        self.undo = []
        self.known = None
        self.extra = []  # findings that no sector explains
        self.lost_files = set()
        self.absent, self.is_stale, self.unverified = None, False, 0
        self.doubtful = 0  # bytes without a sum: whether they may lack it, dead blocks hide or do not hide
        self.broken = False  # a device is gone that nothing stands in for
        self.refused = False  # nothing can be read without what is destroyed
        self.log_lost = False  # nothing but the destroyed superblock knew of the log

    # --- what the cases use ---

    def file(self, path, kind=SUM, subvolume=''):
        """Addresses of the sectors of a file, ascending in the file."""
        key = (path, kind, subvolume)
        if key not in self.cache:
            out = {}
            for logical, what in self.layout.what.items():
                if what == kind:
                    for entry in self.layout.files(logical):
                        if entry[:2] == (subvolume, path):
                            out.setdefault(entry[2], logical)
            self.cache[key] = list(dict.fromkeys(out[offset] for offset in sorted(out)))
        if not self.cache[key]:
            raise Nothing
        return self.cache[key]

    def destroy(self, place):
        device, physical = place
        size = 4096 if physical in SUPERS else self.fs.sectorsize
        self.work[device].map[physical:physical + size] = os.urandom(size)
        self.changed.add(place)

    def put(self, logical, number, data):
        """Other contents for one copy of a block."""
        size = self.fs.sectorsize
        for at in range(0, len(data), size):
            device, physical = self.fs.chunk(logical).copies(logical + at)[number]
            if self.work[device].map[physical:physical + size] != data[at:at + size]:
                self.work[device].map[physical:physical + size] = data[at:at + size]
                self.changed.add((device, physical))

    def commit(self, logical, data):
        """Other contents that are as good as the ones before, everywhere."""
        self.undo = self.fs.write(logical, data)
        for (device, physical), before in self.undo:
            end = physical + len(before)
            self.work[device].map[physical:end] = self.fs.devices[device].map[physical:end]

    def missing_sum(self, logical):
        place = self.fs.chunk(logical).copies(logical)[0]
        self.extra.append((*place, logical, 'missing', 'lost'))
        self.lost_files |= self.layout.files(logical)

    def dark_sums(self, block):
        """Nobody knows the sums that stood in that leaf."""
        _, _, low, high = self.fs.blocks[block]
        start = low[2] if low and low[1] == KEY_SUM else 0
        end = high[2] if high and high[1] == KEY_SUM else 1 << 64
        for logical in self.layout.users:
            if start <= logical < end and logical not in self.fs.log_sums:
                self.unverified += self.fs.sectorsize * len(self.fs.chunk(logical).copies(logical))

    def dark_extents(self, block):
        """Nobody knows what is allocated there."""
        _, _, low, high = self.fs.blocks[block]
        start, end = low[0] if low else 0, high[0] if high else 1 << 64
        for chunk in self.fs.chunks:
            first, last = max(start, chunk.logical), min(end, chunk.logical + chunk.length)
            for logical in range(first, last, self.fs.sectorsize):
                if logical not in self.fs.log_sectors and not block <= logical < block + self.fs.nodesize:
                    self.unverified += self.fs.sectorsize * len(chunk.copies(chunk.logical))
        for logical, what in self.layout.what.items():
            if what in (NOSUM, UNWRITTEN) and not start <= logical < end:
                self.doubtful += self.fs.sectorsize * len(self.fs.chunk(logical).copies(logical))

    def is_redundant(self):
        return all(chunk.parity or len(chunk.copies(chunk.logical)) > 1 for chunk in self.fs.chunks)

    def stale(self):
        if not self.old or 2 not in self.work:
            return False
        with open(self.old, 'rb') as old:
            self.work[2].map[:] = old.read()
        self.is_stale, self.broken = True, not self.is_redundant()
        for place in [*self.layout.places, *((2, at) for at in SUPERS if at < self.work[2].size)]:
            if place[0] == 2 and self.differs(place):
                self.changed.add(place)
        return True

    def remove(self):
        if len(self.work) < 2 or self.seeds:
            return False
        self.absent, self.broken = max(self.work), not self.is_redundant()
        self.unverified = absent_bytes(self.layout, self.absent)
        return True

    # --- comparing ---

    def read(self, place):
        return self.work[place[0]].map[place[1]:place[1] + self.fs.sectorsize]

    def differs(self, place):
        device, physical = place
        end = physical + self.fs.sectorsize
        return self.work[device].map[physical:end] != self.fs.devices[device].map[physical:end]

    def all_differences(self):
        out = set()
        for devid, image in self.work.items():
            good = self.fs.devices[devid].map
            for at in range(0, image.size, SLICE):
                if image.map[at:at + SLICE] != good[at:at + SLICE]:
                    out |= {(devid, p) for p in range(at, at + SLICE, self.fs.sectorsize) if self.differs((devid, p))}
        return out

    def end(self):
        """As it was in the beginning. What differs is known from the last comparison, when it was good."""
        for (device, physical), before in self.undo:
            self.fs.devices[device].map[physical:physical + len(before)] = before
            self.work[device].map[physical:physical + len(before)] = before
        for device, physical in self.known if self.known is not None else self.all_differences():
            end = physical + self.fs.sectorsize
            self.work[device].map[physical:end] = self.fs.devices[device].map[physical:end]

    # --- running ---

    def run(self, scrub, read_only):
        devices = [image.path for devid, image in self.work.items() if devid != self.absent]
        done = subprocess.run([scrub, 'start', '-B', *(['-r'] if read_only else []), '--json', *devices],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)
        return Answer(self, done)


class Answer:
    def __init__(self, bench, done):
        self.exit, self.log = done.returncode, done.stderr.decode(errors='replace')
        try:
            self.report = json.loads(done.stdout)
        except ValueError:
            self.report = None
            return
        paths = {image.path: devid for devid, image in bench.work.items()}
        self.told = set()
        for path, physical, logical, what, outcome in LINE.findall(self.log):
            if path in paths and outcome in OUTCOMES:
                self.told.add((paths[path], int(physical), int(logical or 0), what.split(',')[0].split(':')[0].split()[0],
                               OUTCOMES[outcome]))
        size = bench.fs.sectorsize
        self.files = {}
        for file in self.report['files']:
            for offset in range(file['offset'], file['offset'] + file['length'], size):
                entry = (file['subvolume'], file['path'], offset)
                self.files[entry] = max(self.files.get(entry, 'corrected'), file['state'], key=WORDS.index)


class Verdict:
    """What was wanted, compared with an answer."""

    def __init__(self, bench):
        self.bench = bench
        self.before = {place: bench.read(place) for place in bench.changed}
        self.expected = Expected(bench.layout, bench.changed, bench.read, bench.absent, bench.seeds,
                                 2 if bench.is_stale else None)
        self.findings = self.expected.findings + bench.extra
        self.files = {**self.expected.files, **{entry: 'lost' for entry in bench.lost_files}}
        self.faults = []

    def want(self, what, got, wanted):
        if got != wanted:
            self.faults.append(f'{what}: got {got!r}, wanted {wanted!r}')

    def exit_code(self, read_only):
        if self.bench.refused:
            return 1
        if any(read_only or f[4] != 'fixed' for f in self.findings):
            return 3
        return 1 if self.bench.unverified or self.bench.absent else 0

    def counts(self, name, got, findings, fixed):
        kinds, states = Counter(f[3] for f in findings), Counter(f[4] for f in findings)
        for kind, key in KINDS.items():
            self.want(f'{name} {key}', got['found'][key], kinds[kind])
        for key in ('read', 'protection', 'extra_sum'):
            self.want(f'{name} {key}', got['found'][key], 0)
        wanted = Counter({fixed: states['fixed']}) + Counter(repairable=states['kept'], uncorrectable=states['lost'])
        for key in ('corrected', 'repairable', 'uncorrectable'):
            self.want(f'{name} {key}', got[key], wanted[key])

    def judge(self, answer, read_only):
        if self.bench.broken:
            self.want('exit is 1 or 3', answer.exit in (1, 3), True)
            return
        fixed = 'repairable' if read_only else 'corrected'
        self.want('exit', answer.exit, self.exit_code(read_only))
        if self.bench.refused:
            return
        if answer.report is None:
            self.faults.append(f'no JSON: {answer.log}')
            return
        report = answer.report
        self.want('state', report['state'], 'finished')
        self.counts('all', report, self.findings, fixed)
        most = self.bench.unverified + self.bench.doubtful
        if not self.bench.unverified <= report['unverified_bytes'] <= most:
            self.want('unverified', report['unverified_bytes'], self.bench.unverified)
        self.want('bytes', report['bytes_done'], report['bytes_total'])
        for device in report['devices']:
            here = [f for f in self.findings if f[0] == device['devid']]
            self.counts(f'device {device["devid"]}', device, here, fixed)
        words = {'fixed': fixed, 'kept': 'repairable', 'lost': 'lost'}
        self.want_same('file', answer.files, {e: words[s] for e, s in self.files.items()})
        self.judge_log(answer, fixed)

    def want_same(self, name, got, wanted):
        for entry in sorted(set(got.items()) ^ set(wanted.items()), key=str)[:6]:
            self.faults.append(f'{name} {"is" if entry in got.items() else "is not"} named: {entry}')

    def judge_log(self, answer, fixed):
        words = {'super': 'superblock', 'unsummed': 'data', 'missing': 'data'}
        wanted = Counter()
        kept = set()
        for device, physical, logical, kind, state in self.findings:
            state = {'fixed': fixed, 'kept': 'repairable', 'lost': 'lost'}[state]
            word = words.get(kind, kind)
            if kind == 'unsummed' and self.bench.layout.places[(device, physical)][0] == 'parity':
                word = 'data'
            wanted[(device, word, state)] += 1
            kept.add((device, physical, logical, word, state))
        for entry in sorted(answer.told - kept)[:6]:
            self.faults.append(f'told, but not so: {entry}')
        for entry in sorted(kept - answer.told)[:6] if max(wanted.values(), default=0) <= TOLD else ():
            self.faults.append(f'not told: {entry}')

    def unchanged(self):
        bench = self.bench
        if not bench.is_stale:
            self.want('-r changed', bench.all_differences() ^ bench.changed, set())
        self.want('-r changed', {p for p, data in self.before.items() if bench.read(p) != data}, set())

    def without_log(self):
        """The first superblock is good again, but for the log."""
        device, physical = next(iter(self.bench.changed))
        raw, good = (i[device].map[physical:physical + 4096] for i in (self.bench.work, self.bench.fs.devices))
        digest = self.bench.fs.super.csum(raw[32:])
        self.want('sum of the superblock', raw[:len(digest)], digest)
        self.want('superblock', raw[32:96] + bytes(8) + raw[104:], good[32:96] + bytes(8) + good[104:])
        self.bench.work[device].map[physical:physical + 4096] = good

    def repaired(self):
        """What was found and can be repaired is as it was; all else is untouched."""
        bench, good = self.bench, set()
        if bench.broken:
            return
        for device, physical, logical, kind, state in self.expected.findings:
            if state == 'fixed' and kind == 'tree':
                number = bench.fs.chunk(logical).copies(logical).index((device, physical))
                for at in range(logical, logical + bench.fs.nodesize, bench.fs.sectorsize):
                    good.add(bench.fs.chunk(at).copies(at)[number])
            elif state == 'fixed':
                good.add((device, physical))
        left = bench.changed - (set() if bench.refused else good)
        if bench.log_lost:
            self.without_log()
        if bench.is_stale:
            self.want('repaired', {p for p in bench.changed if bench.differs(p)}, left)
        else:
            bench.known = bench.all_differences()
            self.want('repaired', bench.known, left)
