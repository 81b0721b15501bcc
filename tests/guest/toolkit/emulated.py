# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of another architecture than the host's, under QEMU's user emulation.

Both are unpacked into the cache (foreign.py), nothing is installed.
"""

from . import foreign

# QEMU's names of Debian's architectures.
MACHINES = {"arm64": "aarch64", "s390x": "s390x"}


def argv(program, suite, packages, arch):
    """The arguments that start a suite's program for arch on this machine."""
    # Debian links the emulators statically.
    emulator = foreign.Root("trixie", ["qemu-user"]).find("usr/bin/qemu-" + MACHINES[arch])
    root = foreign.Root(suite, packages, arch=arch)
    return [emulator, "-L", root.path, root.find("usr/*bin/" + program)]
