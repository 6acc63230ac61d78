#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py: from the lines of matrix.py a table, a row a kind of damage, a column a profile and its number of devices."""
import sys

from cases import CASES

SUMS = {'crc32c': 'c', 'xxhash': 'x', 'sha256': 's', 'blake2': 'b'}

columns, rows, cells = [], list(CASES), {}
for line in sys.stdin:
    for word in ('not ok ', 'ok ', 'none '):
        if line.startswith(word):
            title, row = line[len(word):].rstrip('\n').split(': ', 1)
            column, csum = title.split(' ')
            break
    else:
        continue
    if column not in columns:
        columns.append(column)
    if row not in rows:
        rows.append(row)
    text = {'ok ': SUMS[csum], 'not ok ': 'F' + SUMS[csum], 'none ': ''}[word]
    cells[row, column] = cells.get((row, column), '') + text

wide = max(map(len, rows), default=0)
print(f'''What tests/system/scrub.sh found when it ran all that it has: kinds of damage, and profiles with their number of devices.
A letter for each type of checksum with which all was as the place of the damage implies: crc32c, xxhash, sha256, blake2.
F before it: it was not. A dash: such a file system has nothing that can be damaged like that.
''')
print(' ' * wide, *(f'{c:>10}' for c in columns))
for row in rows:
    print(f'{row:{wide}}', *(f'{cells.get((row, c)) or "-":>10}' for c in columns))
