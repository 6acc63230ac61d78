#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fill.py - use a mounted XFS the way fsstress does, and look later whether everything is still as it was.

fill.py fill DIRECTORY RECORD SEED    a few thousand calls in a random order which SEED fixes, then a full disk; what
                                      must be there afterwards goes to the file RECORD
fill.py verify DIRECTORY RECORD       compare: names, types, modes, links, sizes, contents, targets and attributes
"""
import errno
import fcntl
import hashlib
import json
import os
import random
import stat
import sys

FICLONE = 0x40049409
CALLS = 2500
CHUNK = 1 << 20


def data_of(fd):
    """Offset and bytes of what is neither hole nor zero."""
    offset = 0
    while True:
        try:
            offset = os.lseek(fd, offset, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(fd, offset, os.SEEK_HOLE)
        while offset < end:
            data = os.pread(fd, min(CHUNK, end - offset), offset)
            if any(data):
                yield offset, data
            offset += len(data)


def hash_of(path):
    digest = hashlib.sha256()
    fd = os.open(path, os.O_RDONLY)
    for start, data in data_of(fd):
        for at in range(0, len(data), 512):
            sector = data[at:at + 512].rstrip(b"\0")
            if sector:
                digest.update(b"%d:" % (start + at) + sector)
    os.close(fd)
    return digest.hexdigest()


def state_of(path):
    """All of a file that has to last, but for its times."""
    info = os.lstat(path)
    state = [oct(info.st_mode), info.st_uid, info.st_gid]
    if not stat.S_ISDIR(info.st_mode):
        state += [info.st_nlink, info.st_size]
    if stat.S_ISREG(info.st_mode):
        state.append(hash_of(path))
    if stat.S_ISLNK(info.st_mode):
        state.append(os.readlink(path))
    if stat.S_ISBLK(info.st_mode) or stat.S_ISCHR(info.st_mode):
        state.append(info.st_rdev)
    for name in sorted(os.listxattr(path, follow_symlinks=False)):
        state += [name, hashlib.sha256(os.getxattr(path, name, follow_symlinks=False)).hexdigest()]
    return state


def record_of(top):
    record = {}
    for where, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(where, name)
            record[os.path.relpath(path, top)] = state_of(path)
    record["."] = state_of(top)
    return record


class Work:
    """One random call after the other. Names are kept in lists, so that most calls find what they need."""

    def __init__(self, top, seed):
        self.random = random.Random(seed)
        self.dirs = [top]
        self.files = []
        self.others = []
        self.count = 0

    def name(self):
        self.count += 1
        long = "x" * self.random.choice((0, 0, 0, 30, 200))
        return os.path.join(self.random.choice(self.dirs), "%d%s" % (self.count, long))

    def file(self):
        return self.random.choice(self.files) if self.files else self.create()

    def create(self):
        path = self.name()
        with open(path, "wb") as file:
            file.write(self.random.randbytes(self.random.choice((0, 1, 100, 4096, 5000, 70000))))
        self.files.append(path)
        return path

    def mkdir(self):
        path = self.name()
        if path.count("/") < 40 and len(path) < 2000:
            os.mkdir(path)
            self.dirs.append(path)

    def write(self):
        with open(self.file(), "r+b") as file:
            file.seek(self.random.randrange(1 << self.random.choice((12, 17, 24, 36))))
            file.write(self.random.randbytes(self.random.choice((1, 512, 4096, 10000))))

    def truncate(self):
        path = self.file()
        os.truncate(path, self.random.randrange(1 << self.random.choice((10, 16, 20))))

    def allocate(self):
        with open(self.file(), "r+b") as file:
            os.posix_fallocate(file.fileno(), self.random.randrange(1 << 20), 1 + self.random.randrange(1 << 18))

    def link(self):
        target, path = self.file(), self.name()
        os.link(target, path)
        self.files.append(path)

    def symlink(self):
        path = self.name()
        os.symlink("t" * self.random.choice((1, 50, 400, 1000)), path)
        self.others.append(path)

    def node(self):
        path = self.name()
        os.mknod(path, self.random.choice((stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK)) | 0o600, os.makedev(1, 3))
        self.others.append(path)

    def rename(self):
        names = self.random.choice((self.files, self.others or self.files))
        if not names:
            return
        old, new = self.random.choice(names), self.name()
        if self.files and self.random.random() < 0.2:
            new = self.random.choice(self.files)
        if os.path.lexists(new) and os.path.samestat(os.lstat(old), os.lstat(new)):
            return
        os.rename(old, new)
        names.remove(old)
        for known in (self.files, self.others):
            if new in known:
                known.remove(new)
        names.append(new)

    def unlink(self):
        names = self.random.choice((self.files, self.others))
        if names:
            path = self.random.choice(names)
            os.unlink(path)
            names.remove(path)

    def rmdir(self):
        path = self.random.choice(self.dirs)
        if path != self.dirs[0] and not os.listdir(path):
            os.rmdir(path)
            self.dirs.remove(path)

    def attribute(self):
        path = self.random.choice((self.file(), self.random.choice(self.dirs)))
        name = "user.%d%s" % (self.random.randrange(20), "n" * self.random.choice((0, 100)))
        if name in os.listxattr(path) and self.random.random() < 0.4:
            os.removexattr(path, name)
        else:
            os.setxattr(path, name, self.random.randbytes(self.random.choice((0, 10, 300, 3000, 20000))))

    def mode(self):
        os.chmod(self.file(), self.random.choice((0o600, 0o644, 0o4755)))
        os.chown(self.file(), self.random.randrange(70000), self.random.randrange(70000))

    def clone(self):
        source, path = self.file(), self.name()
        with open(source, "rb") as old, open(path, "wb") as new:
            self.files.append(path)
            try:
                fcntl.ioctl(new.fileno(), FICLONE, old.fileno())
            except OSError as error:
                if error.errno != errno.EOPNOTSUPP:
                    raise

    def run(self):
        calls = ((self.create, 20), (self.mkdir, 5), (self.write, 15), (self.truncate, 5), (self.allocate, 4),
                 (self.link, 6), (self.symlink, 5), (self.node, 2), (self.rename, 10), (self.unlink, 9), (self.rmdir, 2),
                 (self.attribute, 12), (self.mode, 3), (self.clone, 8))
        names = [call for call, _ in calls]
        weights = [weight for _, weight in calls]
        for call in self.random.choices(names, weights, k=CALLS):
            call()


def crowd(top, count):
    """A directory with so many names that it becomes a tree, and loses every third."""
    os.mkdir(top)
    for number in range(count):
        os.close(os.open(os.path.join(top, "entry-%06d" % number), os.O_CREAT | os.O_WRONLY, 0o644))
    for number in range(0, count, 3):
        os.unlink(os.path.join(top, "entry-%06d" % number))


def until_full(call):
    number = 0
    try:
        while True:
            call(number)
            number += 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    return number


def full_disk(top):
    """Take all of the space: in large pieces, then what is left in small ones, then by names. Then give half back."""
    os.mkdir(top)

    def allocate(number, size):
        with open(os.path.join(top, "large-%d" % size), "ab") as file:
            os.posix_fallocate(file.fileno(), number * size, size)

    for size in (CHUNK * 32, CHUNK * 4, CHUNK // 2, CHUNK // 16, CHUNK // 128):
        until_full(lambda number, size=size: allocate(number, size))
    until_full(lambda number: open(os.path.join(top, "small-%d" % number), "wb", buffering=0).write(b"x" * 1000))
    until_full(lambda number: os.mkdir(os.path.join(top, "d-%d" % number)))
    os.sync()
    for name in sorted(os.listdir(top))[::2]:
        path = os.path.join(top, name)
        (os.rmdir if os.path.isdir(path) else os.unlink)(path)


def fill(top, record, seed):
    work = Work(os.path.join(top, "work"), seed)
    os.mkdir(work.dirs[0])
    work.run()
    crowd(os.path.join(top, "crowd"), 3000)
    full_disk(os.path.join(top, "full"))
    # Room was given back: there is some for more.
    Work(os.path.join(top, "crowd"), seed + 1).create()
    with open(record, "w", encoding="utf-8") as file:
        json.dump(record_of(top), file)
    return 0


def verify(top, record):
    with open(record, encoding="utf-8") as file:
        wanted = json.load(file)
    found = record_of(top)
    wrong = [path for path in sorted(wanted.keys() | found.keys()) if wanted.get(path) != found.get(path)]
    for path in wrong[:10]:
        print("%s: %s, wanted %s" % (path, found.get(path, "not there"), wanted.get(path, "not there")))
    return 1 if wrong else 0


def main(args):
    if len(args) == 5 and args[1] == "fill":
        return fill(args[2], args[3], int(args[4]))
    if len(args) == 4 and args[1] == "verify":
        return verify(args[2], args[3])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
