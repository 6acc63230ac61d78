#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
command -v pkg-config >/dev/null || { echo "autogen.sh: pkg-config is missing: apt-get install pkgconf" >&2; exit 1; }
exec autoreconf --install --force "$@"
