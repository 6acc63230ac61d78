#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fill.py BYTES FILE...: files full of random bytes, no two alike."""
import os
import sys


def fill(path, size):
    block = os.urandom((4 << 20) + 4096 * 7)
    with open(path, 'wb') as out:
        while size > 0:
            size -= out.write(block[:size])


for name in sys.argv[2:]:
    fill(name, int(sys.argv[1]))
