#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""matrix.py [--full] [--case NAME] [--seed DEVID] SCRUB DIRECTORY WORK TITLE: all kinds of damage of one file system, as lines `ok NAME`,
`not ok NAME` or `none NAME`, and `# DETAIL`. DIRECTORY has the good devices, WORK gets copies, which are good in the end.
"""
import argparse
import os
import shutil
import sys
import traceback

from bench import Bench, Nothing, Verdict
from cases import CASES
from ondisk import Fs
from oracle import Layout


def run_case(bench, name, scrub):
    """None: there is nothing of that kind. Else the faults."""
    bench.begin()
    try:
        if CASES[name][0](bench) is False:
            return None
        verdict = Verdict(bench)
        verdict.judge(bench.run(scrub, True), True)
        verdict.unchanged()
        verdict.judge(bench.run(scrub, False), False)
        verdict.repaired()
        return verdict.faults
    except Nothing:
        return None
    except Exception:  # pylint: disable=broad-except
        return traceback.format_exc().splitlines()
    finally:
        bench.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--case')
    parser.add_argument('--seed', type=int, action='append', default=[], metavar='DEVID')
    parser.add_argument('scrub')
    parser.add_argument('directory')
    parser.add_argument('work')
    parser.add_argument('title')
    args = parser.parse_args()
    names = sorted((n for n in os.listdir(args.directory) if n.isdigit()), key=int)
    good = [os.path.join(args.directory, n) for n in names]
    for path in good:
        shutil.copyfile(path, os.path.join(args.work, os.path.basename(path)))
    old = os.path.join(args.directory, 'old')
    fs = Fs(good, writable=True)
    bench = Bench(Layout(fs), args.work, old if os.path.exists(old) else None, args.seed)
    for name, (_, sample) in CASES.items():
        if args.case and args.case != name or not (args.case or args.full or sample):
            continue
        faults = run_case(bench, name, args.scrub)
        print('none' if faults is None else 'not ok' if faults else 'ok', f'{args.title}: {name}')
        for fault in (faults or [])[:12]:
            print('#', fault[:600])
        sys.stdout.flush()
    bench.close()
    fs.close()


main()
