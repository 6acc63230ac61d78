# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of btrfs for the tests of xxscrub: independent of the library, small, slow, and trusting: only for good images.

Formats and chunk formulae are those of the kernel's uapi/btrfs_tree.h and of the btrfs developers' documentation.
"""
import hashlib
import mmap
import os
import struct

STRIPE = 65536
SUPERS = (65536, 64 << 20, 256 << 30)
DATA, RAID0, RAID1, DUP, RAID10, RAID5, RAID6, C3, C4 = 1, 8, 16, 32, 64, 128, 256, 512, 1024
EXTENT, CHUNK_TREE, CSUM, LOG = 2, 3, 7, (1 << 64) - 6
KEY_INODE, KEY_REF, KEY_FILE, KEY_SUM = 1, 12, 108, 128
KEY_ROOT, KEY_BACKREF, KEY_EXTENT, KEY_CHUNK = 132, 144, 168, 228
HEADER, ITEM, POINTER = 101, 25, 33


def le(data, at, size):
    return int.from_bytes(data[at:at + size], 'little')


# --- checksums ---

def _table():
    out = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
        out.append(i)
    return out


CRC = _table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return (crc ^ 0xffffffff).to_bytes(4, 'little')


MASK = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _rol(x, n):
    return (x << n | x >> 64 - n) & MASK


def _round(acc, word):
    return _rol(acc + word * P2 & MASK, 31) * P1 & MASK


def xxh64(data):
    """Of 32 bytes or more."""
    lanes = [P1 + P2 & MASK, P2, 0, -P1 & MASK]
    whole = len(data) // 32 * 32
    for words in struct.iter_unpack('<4Q', data[:whole]):
        lanes = [_round(lane, word) for lane, word in zip(lanes, words)]
    h = sum(_rol(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & MASK
    for lane in lanes:
        h = ((h ^ _round(0, lane)) * P1 + P4) & MASK
    h = h + len(data) & MASK
    for at in range(whole, len(data) // 8 * 8, 8):
        h = (_rol(h ^ _round(0, le(data, at, 8)), 27) * P1 + P4) & MASK
    at = len(data) // 8 * 8
    if len(data) - at >= 4:
        h = (_rol(h ^ le(data, at, 4) * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = _rol(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return (h ^ h >> 32).to_bytes(8, 'little')


SUMS = (
    (4, crc32c),
    (8, xxh64),
    (32, lambda data: hashlib.sha256(data).digest()),
    (32, lambda data: hashlib.blake2b(data, digest_size=32).digest()),
)


# --- RAID ---

def times2(data, times):
    """Each byte times 2^times in GF(2^8), polynomial 0x11d."""
    table = bytearray(range(256))
    for _ in range(times):
        for i, value in enumerate(table):
            table[i] = (value << 1 ^ (0x1d if value & 128 else 0)) & 255
    return data.translate(bytes(table))


def xor(a, b):
    return (int.from_bytes(a, 'little') ^ int.from_bytes(b, 'little')).to_bytes(len(a), 'little')


class Chunk:
    def __init__(self, logical, item):
        self.logical, self.length, self.type = logical, le(item, 0, 8), le(item, 24, 8)
        self.stripes = [(le(item, 48 + 32 * i, 8), le(item, 56 + 32 * i, 8)) for i in range(le(item, 44, 2))]
        self.parity = 1 if self.type & RAID5 else 2 if self.type & RAID6 else 0

    def _place(self, stripe, offset):
        device, physical = self.stripes[stripe]
        return device, physical + offset

    def copies(self, logical):
        """All places of a byte: (devid, physical)."""
        offset = logical - self.logical
        number, inside = divmod(offset, STRIPE)
        n = len(self.stripes)
        if self.type & RAID0:
            return [self._place(number % n, number // n * STRIPE + inside)]
        if self.type & RAID10:
            half = n // 2
            return [self._place(number % half * 2 + m, number // half * STRIPE + inside) for m in (0, 1)]
        if self.parity:
            return [self.row(logical)[0][number % (n - self.parity)]]
        return [self._place(m, offset) for m in range(n)]

    def row(self, logical):
        """RAID5, RAID6: places of the sector in each element of its row, data, P, Q; the first logical; which it is."""
        number, inside = divmod(logical - self.logical, STRIPE)
        n = len(self.stripes)
        data = n - self.parity
        row, element = divmod(number, data)
        places = [self._place((k + row) % n, row * STRIPE + inside) for k in range(n)]
        return places, self.logical + row * data * STRIPE + inside, element


# --- the file system ---

class Image:
    def __init__(self, path, writable):
        self.path = path
        self.fd = os.open(path, os.O_RDWR if writable else os.O_RDONLY)
        self.size = os.fstat(self.fd).st_size
        access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
        self.map = mmap.mmap(self.fd, self.size, access=access)

    def close(self):
        self.map.close()
        os.close(self.fd)


class Super:
    def __init__(self, block):
        self.raw = block
        self.generation, self.root, self.chunk_root, self.log_root = (le(block, at, 8) for at in (72, 80, 88, 96))
        self.sectorsize, self.nodesize = le(block, 144, 4), le(block, 148, 4)
        self.csum_size, self.csum = SUMS[le(block, 196, 2)]
        self.devid = le(block, 201, 8)


class Fs:
    """What a file system consists of. devices: by devid, Image."""

    def __init__(self, paths, writable=False):
        images = [Image(path, writable) for path in paths]
        supers = [Super(image.map[SUPERS[0]:SUPERS[0] + 4096]) for image in images]
        self.devices = {s.devid: image for s, image in zip(supers, images)}
        self.super = max(supers, key=lambda s: s.generation)
        self.sectorsize, self.nodesize = self.super.sectorsize, self.super.nodesize
        self.chunks = []
        self._bootstrap()
        self.read_trees()

    def close(self):
        for image in self.devices.values():
            image.close()

    def _bootstrap(self):
        raw, at = self.super.raw, 811
        while at < 811 + le(self.super.raw, 160, 4):
            chunk = Chunk(le(raw, at + 9, 8), raw[at + 17:])
            self.chunks.append(chunk)
            at += 17 + 48 + 32 * len(chunk.stripes)
        self.blocks = {}
        found = [Chunk(key[2], data) for key, data in self.items(self.super.chunk_root, CHUNK_TREE)
                 if key[1] == KEY_CHUNK]
        self.chunks = sorted(found, key=lambda c: c.logical)

    def chunk(self, logical):
        for chunk in self.chunks:
            if chunk.logical <= logical < chunk.logical + chunk.length:
                return chunk
        raise KeyError(logical)

    def read(self, logical, length):
        device, physical = self.chunk(logical).copies(logical)[0]
        return self.devices[device].map[physical:physical + length]

    def write(self, logical, data):
        """In all copies, with parity, as the kernel would; within one element. What was there: [(place, bytes)]."""
        size = len(data)
        chunk = self.chunk(logical)
        before = []
        if chunk.parity:
            delta = xor(self.read(logical, size), data)
            places, _, element = chunk.row(logical)
            for i in range(chunk.parity):
                device, physical = places[len(places) - chunk.parity + i]
                old = self.devices[device].map[physical:physical + size]
                before.append(((device, physical), old))
                self.devices[device].map[physical:physical + size] = xor(old, times2(delta, element * i))
        for device, physical in chunk.copies(logical):
            before.append(((device, physical), self.devices[device].map[physical:physical + size]))
            self.devices[device].map[physical:physical + size] = data
        return before

    def seal(self, block):
        """A tree block with its checksum."""
        digest = self.super.csum(bytes(block[32:]))
        return digest + bytes(32 - len(digest)) + bytes(block[32:])

    def items(self, logical, tree, low=None, high=None):
        """All items under a block, as (key, data); remembers the blocks."""
        block = self.read(logical, self.nodesize)
        count, level = le(block, 96, 4), block[100]
        self.blocks[logical] = (tree, level, low, high)
        if level:
            keys = [struct.unpack_from('<QBQ', block, HEADER + POINTER * i) for i in range(count)] + [high]
            for i in range(count):
                yield from self.items(le(block, HEADER + POINTER * i + 17, 8), tree, keys[i], keys[i + 1])
            return
        for i in range(count):
            key = struct.unpack_from('<QBQ', block, HEADER + ITEM * i)
            offset, size = struct.unpack_from('<II', block, HEADER + ITEM * i + 17)
            yield key, block[HEADER + offset:HEADER + offset + size]

    def read_trees(self):
        self.extents = {}  # logical: length, of data
        self.sums = {}  # logical of a sector: its sum
        self.refs = []  # Ref
        self.names = {}  # (tree, inode): [(parent, name)]
        self.flags = {}  # (tree, inode): of the inode
        self.subvolumes = {}  # tree: (parent tree, directory, name)
        roots = list(self.items(self.super.root, 1))
        for key, data in roots:
            if key[1] == KEY_ROOT and le(data, 176, 8):
                self._tree(key[0], le(data, 176, 8))
            elif key[1] == KEY_BACKREF:
                self.subvolumes[key[0]] = (key[2], le(data, 0, 8), data[18:18 + le(data, 16, 2)])
        self.log_sectors, self.log_sums = set(), set()  # what the log tells
        if self.super.log_root:
            before = set(self.blocks)
            for key, data in self.items(self.super.log_root, LOG):
                if key[1] == KEY_ROOT:
                    self._log(key[2], le(data, 176, 8))
            for block in set(self.blocks) - before:
                self.log_sectors.update(range(block, block + self.nodesize, self.sectorsize))

    def _tree(self, tree, root):
        for key, data in self.items(root, tree):
            if tree == EXTENT and key[1] == KEY_EXTENT and le(data, 16, 8) & 1:
                self.extents[key[0]] = key[2]
            elif key[1] == KEY_SUM and tree == CSUM:
                self._sums(key, data)
            elif tree == 5 or tree >= 256:
                self._file_item(tree, key, data, False)

    def _log(self, tree, root):
        before, size = len(self.refs), self.sectorsize
        for key, data in self.items(root, LOG):
            if key[1] == KEY_SUM:
                self._sums(key, data)
                self.log_sums.update(range(key[2], key[2] + len(data) // self.super.csum_size * size, size))
            else:
                self._file_item(tree, key, data, True)
        for ref in self.refs[before:]:
            if ref.disk not in self.extents:
                self.extents[ref.disk] = ref.disk_length
                self.log_sectors.update(range(ref.disk, ref.disk + ref.disk_length, size))

    def _sums(self, key, data):
        size = self.super.csum_size
        for i in range(len(data) // size):
            self.sums[key[2] + i * self.sectorsize] = data[i * size:i * size + size]

    def _file_item(self, tree, key, data, log):
        inode = (tree, key[0])
        if key[1] == KEY_INODE:
            self.flags[inode] = le(data, 64, 8)
        elif key[1] == KEY_REF:
            at = 0
            while at < len(data):
                size = le(data, at + 8, 2)
                entry = (key[2], data[at + 10:at + 10 + size])
                if entry not in self.names.setdefault(inode, []):
                    self.names[inode].append(entry)
                at += 10 + size
        elif key[1] == KEY_FILE and data[20] and le(data, 21, 8):
            ref = Ref(inode, key[2], data)
            if not (log and any(r.same(ref) for r in self.refs)):
                self.refs.append(ref)

    def paths(self, inode):
        tree, number = inode
        if number == 256:
            return ['']
        out = []
        for parent, name in self.names.get(inode, []):
            out += [os.path.join(above, name.decode()) for above in self.paths((tree, parent))]
        return out

    def subvolume(self, tree):
        if tree == 5:
            return ''
        parent, directory, name = self.subvolumes[tree]
        return os.path.join(self.subvolume(parent), self.paths((parent, directory))[0], name.decode())


class Ref:
    """A file extent: bytes of an inode that are bytes of a data extent."""

    def __init__(self, inode, offset, data):
        self.inode, self.offset = inode, offset
        self.compressed, self.prealloc = data[16] != 0, data[20] == 2
        self.disk, self.disk_length, self.skip, self.length = (le(data, at, 8) for at in (21, 29, 37, 45))

    def same(self, other):
        return (self.inode, self.offset, self.disk, self.skip) == (other.inode, other.offset, other.disk, other.skip)

    def sectors(self, logical, size):
        """The offsets in the file of the sectors that need the one at this address."""
        if self.compressed:
            if not self.disk <= logical < self.disk + self.disk_length:
                return []
            return range(self.offset, self.offset + self.length, size)
        start = self.disk + self.skip
        if not start <= logical < start + self.length:
            return []
        return [self.offset + logical - start]
