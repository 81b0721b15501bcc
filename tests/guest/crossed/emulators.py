# SPDX-License-Identifier: GPL-3.0-or-later
"""Which QEMU runs machines of another architecture, as argument lists."""

import subprocess

from toolkit import foreign, host
from toolkit.errors import NeedsTool


def arm64(machine=""):
    """machine: properties of QEMU's machine 'virt'."""
    return [host.tool("qemu-system-aarch64", "qemu-system-arm"),
            "-M", ",".join(filter(None, ("virt", machine)))]


def s390x():
    """A QEMU whose ccw devices have in_order (10.0), the host's or Debian 13's."""
    program = "qemu-system-s390x"
    try:
        argv = [host.tool(program)]
        said = subprocess.run(argv + ["-device", "virtio-net-ccw,help"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60)
        if b" in_order=" in said.stdout:
            return argv
    except NeedsTool:
        pass
    root = foreign.Root("trixie", [program])
    return root.argv(program) + ["-L", root.find("usr/share/qemu")]
