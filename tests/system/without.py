#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""without.py - run a program for which some system calls fail, by a seccomp filter as containers have it.

without.py CALL=ERROR[,CALL=ERROR]... COMMAND [ARGUMENT]...    without.py io_uring_setup=EPERM,io_setup=EAGAIN mkfs.xx x
"""
import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2
RETURN_ERRNO, RETURN_ALLOW = 0x50000, 0x7FFF0000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06

# io_setup has a number of its own on x86_64 and on what shares the generic table.
NUMBERS = {"io_uring_setup": 425, "io_setup": {"x86_64": 206}.get(platform.machine(), 0)}


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def instruction(code, yes, no, value):
    return struct.pack("=HBBI", code, yes, no, value)


def forbid(faults):
    """Byte 0 of the data that a filter sees is the number of the call."""
    code = instruction(LOAD_WORD, 0, 0, 0)
    for name, error in faults:
        code += instruction(JUMP_IF_EQUAL, 0, 1, NUMBERS[name])
        code += instruction(RETURN, 0, 0, RETURN_ERRNO | getattr(errno, error))
    code += instruction(RETURN, 0, 0, RETURN_ALLOW)
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(code) // 8, code)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), "prctl")


def main(args):
    if len(args) < 3:
        sys.stderr.write(__doc__)
        return 2
    forbid([fault.split("=") for fault in args[1].split(",")])
    os.execvp(args[2], args[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
