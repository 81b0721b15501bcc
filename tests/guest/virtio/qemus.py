# SPDX-License-Identifier: GPL-3.0-or-later
"""QEMU builds that know virtio properties which the host's may not."""

import subprocess

from toolkit import foreign, host


def with_in_order():
    """Arguments of a QEMU whose virtio devices have in_order (10.0 has it).

    The host's own if it will do, else that of Debian 13 from the cache.
    """
    program = host.tool("qemu-system-x86_64", "qemu-system-x86")
    told = subprocess.run([program, "-device", "virtio-net-pci,help"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, timeout=60)
    if b" in_order=" in told.stdout:
        return [program]
    root = foreign.Root("trixie", ["qemu-system-x86"])
    return root.argv("qemu-system-x86_64") + \
        ["-L", root.find("usr/share/qemu"), "-L", root.find("usr/share/seabios")]
