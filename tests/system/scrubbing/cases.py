# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of damage. Each is a function of a Bench; it changes devices, and returns False where a file system has
nothing to be damaged in this way."""
import random

from ondisk import CHUNK_TREE, CSUM, EXTENT, LOG, STRIPE, SUPERS, le
from oracle import NOSUM, SUM, UNWRITTEN, leaf


def copies(bench, logical):
    return bench.fs.chunk(logical).copies(logical)


def hit(bench, logical, number):
    found = copies(bench, logical)
    if number >= len(found):
        return False
    bench.destroy(found[number])
    return True


def hit_all(bench, logical):
    """In all copies, and so much of the row that nothing can be rebuilt."""
    chunk = bench.fs.chunk(logical)
    for place in chunk.copies(logical):
        bench.destroy(place)
    places = chunk.row(logical)[0] if chunk.parity else []
    for place in places[len(places) - chunk.parity:]:
        bench.destroy(place)


def data_copy(number):
    return lambda bench: hit(bench, bench.file('big')[17], number)


def data_each(bench):
    """A bad sector in each copy, but never the same one."""
    sectors = bench.file('big')
    count = len(copies(bench, sectors[0]))
    for number in range(count):
        hit(bench, sectors[40 + 3 * number], number)
    return count > 1


def data_all(bench):
    hit_all(bench, bench.file('big')[23])


def data_many(bench):
    """1,000 sectors, scattered, each in one copy."""
    chooser = random.Random(1)
    summed = sorted(logical for logical, what in bench.layout.what.items() if what == SUM)
    rows = set()
    for logical in chooser.sample(summed, len(summed)):
        chunk = bench.fs.chunk(logical)
        if chunk.parity:
            row = chunk.row(logical)[1]
            if row in rows:
                continue
            rows.add(row)
        bench.destroy(chooser.choice(chunk.copies(logical)))
        if len(bench.changed) == 1000:
            break


def row_of(bench):
    """A row of a file that has a sum for each of its data: the places, or None."""
    for logical in bench.file('big')[64:]:
        chunk = bench.fs.chunk(logical)
        if not chunk.parity:
            return None
        places, first, _ = chunk.row(logical)
        if all(bench.layout.what.get(l) == SUM for l in bench.layout.row_data[first]):
            return places, len(places) - chunk.parity
    return None


def elements(choose):
    """Some elements of a row; choose(data, all) returns their numbers."""
    def damage(bench):
        row = row_of(bench)
        numbers = choose(row[1], len(row[0])) if row else None
        if not numbers:
            return False
        for number in numbers:
            bench.destroy(row[0][number])
        return True
    return damage


def parity_p(data, count):
    return [data]


def parity_q(data, count):
    return [data + 1] if count - data == 2 else None


def parity_both(data, count):
    return [data, data + 1] if count - data == 2 else None


def row_two_data(data, count):
    return [0, 1] if data > 1 else None


def row_data_p(data, count):
    return [0, data]


def row_data_q(data, count):
    return [0, data + 1] if count - data == 2 else None


def row_three_data(data, count):
    return [0, 1, 2] if data > 2 else None


def row_two_p(data, count):
    return [0, 1, data] if data > 1 else None


def row_data_pq(data, count):
    return [0, data, data + 1] if count - data == 2 else None


def tree_leaf(bench):
    """A leaf of the subvolume tree at the top."""
    return leaf(bench.fs, 5, lambda logical, low, high: low)


def tree_copy(number, sector):
    def damage(bench):
        block = tree_leaf(bench) or leaf(bench.fs, 5, lambda *_: True)
        if bench.fs.nodesize == bench.fs.sectorsize and sector:
            return False
        return hit(bench, block + sector * bench.fs.sectorsize, number)
    return damage


def tree_all(bench):
    hit_all(bench, tree_leaf(bench) or leaf(bench.fs, 5, lambda *_: True))


def tree_parts(bench):
    """All copies are bad, each in another part."""
    block = tree_leaf(bench)
    count = len(copies(bench, block)) if block else 0
    if count < 2 or bench.fs.nodesize // bench.fs.sectorsize < count:
        return False
    for number in range(count):
        hit(bench, block + number * bench.fs.sectorsize, number)
    return True


def tree_nodes(bench):
    """The chunk tree, and the tree of trees, in one copy."""
    for tree in (CHUNK_TREE, 1):
        block = leaf(bench.fs, tree, lambda *_: True)
        hit(bench, block, 0)
        bench.refused |= len(copies(bench, block)) == 1 and not bench.fs.chunk(block).parity


def tree_misplaced(bench):
    """A block with a right checksum in the place of another one."""
    block = tree_leaf(bench)
    other = leaf(bench.fs, EXTENT, lambda *_: True)
    if block is None:
        return False
    bench.put(block, 0, bench.fs.read(other, bench.fs.nodesize))
    return True


def tree_stale(bench):
    """An older generation of a block, with a right checksum."""
    block = tree_leaf(bench)
    if block is None:
        return False
    raw = bytearray(bench.fs.read(block, bench.fs.nodesize))
    raw[80:88] = (le(raw, 80, 8) - 1).to_bytes(8, 'little')
    bench.put(block, 0, bench.fs.seal(raw))
    return True


def stale_device(bench):
    return bench.stale()


def missing_device(bench):
    return bench.remove()


def super_copy(number):
    def damage(bench):
        device = max(bench.fs.devices)
        if SUPERS[number] >= bench.fs.devices[device].size:
            return False
        bench.destroy((device, SUPERS[number]))
        bench.log_lost = len(bench.fs.devices) == 1 and number == 0 and bench.fs.super.log_root != 0
        return True
    return damage


def nosum_copy(number):
    return lambda bench: hit(bench, bench.file('nosum', NOSUM, 'sub')[9], number)


def nosum_two(bench):
    """Two copies, in two ways."""
    return hit(bench, bench.file('nosum', NOSUM, 'sub')[9], 0) and hit(bench, bench.file('nosum', NOSUM, 'sub')[9], 1)


def nosum_parity(which):
    def damage(bench):
        logical = bench.file('nosum', NOSUM, 'sub')[9]
        chunk = bench.fs.chunk(logical)
        if chunk.parity <= which:
            return False
        places = chunk.row(logical)[0]
        bench.destroy(places[len(places) - chunk.parity + which])
        return True
    return damage


def compressed(bench):
    hit(bench, bench.file('compressed')[0], 0)


def prealloc_written(bench):
    hit(bench, bench.file('prealloc')[3], 0)


def is_idle(bench, logical):
    """Nothing is written in the row of this sector."""
    chunk = bench.fs.chunk(logical)
    return not chunk.parity or chunk.row(logical)[1] not in bench.layout.rows


def prealloc_unwritten(bench):
    count = 0
    for logical, what in bench.layout.what.items():
        if what == UNWRITTEN and is_idle(bench, logical):
            hit_all(bench, logical)
            count += 1
    return count > 0


def free_space(bench):
    """Garbage in all that is free, in each copy, of chunks that hold data."""
    size, before = bench.fs.sectorsize, len(bench.changed)
    for chunk in bench.fs.chunks:
        for logical in range(chunk.logical, chunk.logical + chunk.length, size * 61):
            if logical not in bench.layout.what and is_idle(bench, logical):
                hit_all(bench, logical)
    return len(bench.changed) > before


def snapshot_only(bench):
    """Sectors that only a snapshot still has."""
    for logical in bench.file('gone', SUM, 'snap')[5:8]:
        hit(bench, logical, 0)


def small_files(bench):
    """16 files that lie in one stripe of 64 KiB."""
    stripes = {}
    for logical, refs in bench.layout.users.items():
        names = {e for e in bench.layout.files(logical) if e[1].startswith('small/')}
        if names and bench.layout.what[logical] == SUM:
            stripes.setdefault((logical - bench.fs.chunk(logical).logical) // STRIPE, []).append(logical)
    full = [found for found in stripes.values() if len(found) == 16]
    for logical in full[0] if full else ():
        hit(bench, logical, 0)
    return bool(full)


def csum_leaf(bench):
    return leaf(bench.fs, CSUM, lambda logical, low, high: low) or leaf(bench.fs, CSUM, lambda *_: True)


def missing_sum(bench):
    """The last sum of a leaf is gone."""
    block = csum_leaf(bench)
    raw = bytearray(bench.fs.read(block, bench.fs.nodesize))
    size, header = bench.fs.super.csum_size, 101 + 25 * (le(raw, 96, 4) - 1)
    offset, length = le(raw, header + 17, 4), le(raw, header + 21, 4)
    data = bytes(raw[101 + offset:101 + offset + length - size])
    raw[101 + offset + size:101 + offset + length] = data
    raw[header + 17:header + 21] = (offset + size).to_bytes(4, 'little')
    raw[header + 21:header + 25] = (length - size).to_bytes(4, 'little')
    bench.commit(block, bench.fs.seal(raw))
    bench.missing_sum(le(raw, header + 9, 8) + (length // size - 1) * bench.fs.sectorsize)


def dead_csum_leaf(bench):
    block = csum_leaf(bench)
    hit_all(bench, block)
    bench.dark_sums(block)


def dead_extent_leaf(bench):
    block = leaf(bench.fs, EXTENT, lambda logical, low, high: low)
    if block is None:
        return False
    hit_all(bench, block)
    bench.dark_extents(block)
    return True


def log_data(bench):
    """What only the log tree knows."""
    hit(bench, bench.file('dir/logged')[2], 0)


def log_tree(bench):
    for logical, (owner, level, _, _) in bench.fs.blocks.items():
        if owner == LOG:
            return hit(bench, logical, 0)
    return False


# name: (damage, is it in the sample)
CASES = {
    'data, copy 1': (data_copy(0), True),
    'data, copy 2': (data_copy(1), True),
    'data, copy 3': (data_copy(2), False),
    'data, copy 4': (data_copy(3), False),
    'data, each copy once': (data_each, False),
    'data, all copies': (data_all, True),
    'data, 1000 scattered': (data_many, True),
    'P': (elements(parity_p), True),
    'Q': (elements(parity_q), True),
    'P and Q': (elements(parity_both), False),
    'row: two data': (elements(row_two_data), True),
    'row: data and P': (elements(row_data_p), True),
    'row: data and Q': (elements(row_data_q), False),
    'row: three data': (elements(row_three_data), False),
    'row: two data and P': (elements(row_two_p), False),
    'row: data, P and Q': (elements(row_data_pq), False),
    'tree, copy 1': (tree_copy(0, 0), True),
    'tree, copy 2': (tree_copy(1, 0), False),
    'tree, copy 1, its third sector': (tree_copy(0, 2), False),
    'tree, all copies': (tree_all, True),
    'tree, all copies, in other parts': (tree_parts, True),
    'tree, chunks and roots': (tree_nodes, True),
    'tree, misplaced block': (tree_misplaced, True),
    'tree, stale block': (tree_stale, True),
    'device, stale': (stale_device, True),
    'device, missing': (missing_device, True),
    'super, copy 1': (super_copy(0), True),
    'super, copy 2': (super_copy(1), True),
    'nodatasum, copy 1': (nosum_copy(0), True),
    'nodatasum, copy 2': (nosum_copy(1), False),
    'nodatasum, two copies': (nosum_two, False),
    'nodatasum, P': (nosum_parity(0), False),
    'nodatasum, Q': (nosum_parity(1), False),
    'compressed': (compressed, True),
    'prealloc, written part': (prealloc_written, False),
    'prealloc, unwritten part': (prealloc_unwritten, True),
    'free space': (free_space, True),
    'only a snapshot has it': (snapshot_only, True),
    '16 files in a stripe': (small_files, True),
    'missing sum': (missing_sum, True),
    'dead leaf of checksums': (dead_csum_leaf, True),
    'dead leaf of extents': (dead_extent_leaf, True),
    'log, data': (log_data, True),
    'log, tree block': (log_tree, False),
}
