#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""garbage.py DEVICE...: random bytes in all that holds nothing, of the devices of one file system. What is free in a row of
RAID5 or RAID6 in which something is written belongs to its parity, and is left alone."""
import os
import sys

from ondisk import SUPERS, Fs
from oracle import Layout

fs = Fs(sys.argv[1:], writable=True)
layout = Layout(fs)
size = fs.sectorsize
junk = os.urandom(1 << 20)
done = 0
for devid, image in fs.devices.items():
    keep = {at // size for at in SUPERS} | {0}
    for place in range(1 << 20, image.size // size * size, size):
        if (devid, place) not in layout.places and place // size not in keep:
            start = place * 7919 % (len(junk) - size)
            image.map[place:place + size] = junk[start:start + size]
            done += 1
fs.close()
print(done)
sys.exit(not done)
