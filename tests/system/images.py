#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""images.py - look at images of file systems of which most are holes, without reading the holes.

images.py compare THEIRS OURS     the same bytes? An XFS may differ in the time stamps, generation numbers and checksums
                                  of the inodes of its root chunk, and nowhere else. Prints where and in what structure
                                  the images differ, and exits with 1.
images.py same A B                the same bytes, all of them
images.py digest FILE             a digest of the length and of what is not zero
"""
import hashlib
import os
import stat
import struct
import sys

CHUNK = 1 << 20
SECTOR = 512
ZEROS = bytes(CHUNK)
SHOWN = 4

# Fields of an inode (include/xx/xfs_format_inode.h). Only the first three inodes are in use, and have time stamps: the
# root (of which mkfs.xfs 6.1 leaves the time of access 0), realtime bitmap and summary. Generation numbers are random,
# and 0 in what mkfs.xfs 6.1 makes.
TIMES = (slice(32, 40), slice(40, 48), slice(48, 56), slice(144, 152))
GENERATION = slice(92, 96)
IN_USE = 3
INODE_CRC = 100

HEADERS = ("superblock", "AGF", "AGI", "AGFL")
MAGICS = {b"XFSB": "superblock", b"XAGF": "AGF", b"XAGI": "AGI", b"XAFL": "AGFL", b"AB3B": "bnobt", b"AB3C": "cntbt",
          b"IAB3": "inobt", b"FIB3": "finobt", b"RMB3": "rmapbt", b"R3FC": "refcountbt"}


def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


class Image:
    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY)
        self.length = os.lseek(self.fd, 0, os.SEEK_END)
        self.holes = stat.S_ISREG(os.fstat(self.fd).st_mode)

    def read(self, offset, length):
        data = os.pread(self.fd, length, offset)
        return data + bytes(length - len(data))

    def data_from(self, offset):
        """The next range that is not a hole, or None."""
        if offset >= self.length:
            return None
        if not self.holes:
            return offset, self.length
        try:
            start = os.lseek(self.fd, offset, os.SEEK_DATA)
        except OSError:
            return None
        return start, os.lseek(self.fd, start, os.SEEK_HOLE)


def chunks(*images):
    """Offset and length of each aligned chunk of which an image has data."""
    offset = 0
    while True:
        found = [found for image in images if (found := image.data_from(offset))]
        if not found:
            return
        start = min(start for start, _ in found) // SECTOR * SECTOR
        end = min(end for begin, end in found if begin // SECTOR * SECTOR <= start)
        offset = max(start, offset)
        while offset < end:
            length = min(CHUNK, -(-(end - offset) // SECTOR) * SECTOR)
            yield offset, length
            offset += length


class Xfs:
    """What the superblock says of where things are."""

    def __init__(self, image):
        sb = image.read(0, SECTOR)
        self.valid = sb[:4] == b"XFSB"
        if not self.valid:
            return
        (self.block,) = struct.unpack(">I", sb[4:8])
        self.log_start, self.root = struct.unpack(">QQ", sb[48:64])
        self.ag_blocks, _, _, self.log_blocks = struct.unpack(">4I", sb[84:100])
        _, self.sector, self.inode = struct.unpack(">3H", sb[100:106])
        self.inopblog, self.agblklog = sb[123:125]
        # The chunk is aligned, and the root is its first inode.
        self.chunk = (self.root >> self.inopblog) * self.block
        self.chunk_end = self.chunk + max(64 * self.inode, self.block)

    def in_log(self, offset):
        group, block = divmod(offset // self.block, self.ag_blocks)
        first = self.log_start & (1 << self.agblklog) - 1
        return group == self.log_start >> self.agblklog and self.log_start and 0 <= block - first < self.log_blocks

    def where(self, image, offset):
        """The name of the structure that holds the byte."""
        if not self.valid:
            return "sector %d" % (offset // SECTOR)
        group, inside = divmod(offset, self.ag_blocks * self.block)
        if inside < 4 * self.sector:
            what = "%s, byte %d" % (HEADERS[inside // self.sector], inside % self.sector)
        elif self.chunk <= offset < self.chunk_end:
            number, byte = divmod(offset - self.chunk, self.inode)
            what = "inode %d of the root chunk, byte %d" % (number, byte)
        elif self.in_log(offset):
            what = "log"
        else:
            magic = image.read(offset // self.block * self.block, 4)
            what = "%s, byte %d" % (MAGICS.get(magic, "block with magic %r" % magic), inside % self.block)
        return "AG %d, sector %d, block %d: %s" % (group, inside // SECTOR, inside // self.block, what)


def masked(fs, images, offset, sectors):
    """The two sectors without what may differ of an inode."""
    byte = offset - fs.chunk
    if not (fs.valid and fs.chunk <= offset < fs.chunk_end) or byte % fs.inode:
        return sectors
    theirs, ours = (bytearray(sector) for sector in sectors)
    theirs[GENERATION] = ours[GENERATION]
    if byte // fs.inode < IN_USE:
        for field in TIMES:
            theirs[field] = ours[field]
    field = slice(INODE_CRC, INODE_CRC + 4)
    inode = images[1].read(offset, fs.inode)
    if crc32c(inode[:INODE_CRC] + bytes(4) + inode[INODE_CRC + 4:]) == struct.unpack("<I", ours[field])[0]:
        theirs[field] = ours[field] = bytes(4)
    return theirs, ours


def differences(fs, images):
    """Offset and bytes of the first difference of each sector."""
    for offset, length in chunks(*images):
        data = [image.read(offset, length) for image in images]
        if data[0] == data[1]:
            continue
        for at in range(0, length, SECTOR):
            pair = [chunk[at:at + SECTOR] for chunk in data]
            if pair[0] == pair[1]:
                continue
            theirs, ours = masked(fs, images, offset + at, pair) if fs else pair
            if theirs != ours:
                byte = next(i for i in range(SECTOR) if theirs[i] != ours[i])
                yield offset + at + byte, theirs[byte:byte + 16].hex(), ours[byte:byte + 16].hex()


def compare(paths, mask):
    images = [Image(path) for path in paths]
    if images[0].length != images[1].length:
        print("%d bytes long, %d wanted" % (images[1].length, images[0].length))
        return 1
    fs = Xfs(images[0]) if mask else None
    names = Xfs(images[0])
    count = 0
    for offset, theirs, ours in differences(fs, images):
        count += 1
        if count <= SHOWN:
            print("byte %d: %s, wanted %s: %s" % (offset, ours, theirs, names.where(images[0], offset)))
    if count > SHOWN:
        print("... %d sectors differ in all" % count)
    return 1 if count else 0


def digest(path):
    image = Image(path)
    summary = hashlib.sha256(b"%d" % image.length)
    for offset, length in chunks(image):
        data = image.read(offset, length)
        if data == ZEROS[:length]:
            continue
        for at in range(0, length, SECTOR):
            sector = data[at:at + SECTOR]
            if sector != ZEROS[:SECTOR]:
                summary.update(b"%d" % (offset + at) + sector)
    print(summary.hexdigest())
    return 0


def main(args):
    if len(args) == 4 and args[1] in ("compare", "same"):
        return compare(args[2:], args[1] == "compare")
    if len(args) == 3 and args[1] == "digest":
        return digest(args[2])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
