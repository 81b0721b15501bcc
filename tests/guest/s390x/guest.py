# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtio recipes' guest on s390x: channel devices (ccw), big endian."""

import os
import re
import socket
import subprocess

from toolkit import cross, foreign, host, kernels, truth
from toolkit.errors import NeedsTool
from toolkit.qemu import Guest
from virtio.guest import BOOT_TIMEOUT, VirtioRecipe

ARCH = "s390x"
# virtio_ccw is built in.
MODULES = ["virtio_net", "virtio_blk", "virtio_console", "virtio-rng", "virtio_balloon"]


def emulator():
    """Arguments of a QEMU whose ccw devices have in_order (10.0), the host's or Debian 13's."""
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


class S390xRecipe(VirtioRecipe):
    """As VirtioRecipe, with the same devices on the channel subsystem.

    QEMU has no vmcoreinfo device here, and makedumpfile needs a machine of the dump's own
    architecture: only QEMU's forms can be made.
    """

    sources = ["virtio", "s390x"]

    def __init__(self, summary, suite, kernel, **options):
        options.setdefault("memory", 384)
        super().__init__(summary, suite, kernel, vmcoreinfo=False, qemu=emulator, **options)

    def _initramfs(self, kernel, job):
        image = cross.Initramfs(ARCH)
        image.modules(kernel, MODULES)
        image.program("ethtool")
        image.compiled(os.path.join(host.GUEST_DIR, "virtio", "qstats.c"))
        image.file(os.path.join(host.GUEST_DIR, "virtio", "init.sh"), "virtio.sh")
        image.file(os.path.join(host.GUEST_DIR, "s390x", "init.sh"), "init", 0o755)
        return image.write(job.work + "/initrd.gz")

    def _devices(self, job):
        """Device numbers in place of PCI's slots: fe.0.0003 is the guest's 0.0.0003."""
        def ccw(arg):
            arg = re.sub(r"^(virtio-\w+)-pci,id=(\w+),addr=0x(\w+)", lambda found: "%s-ccw,id=%s,"
                         "devno=fe.0.%04x" % (found[1], found[2], int(found[3], 16)), arg)
            return arg.replace(",vectors=8", "")
        return [ccw(arg) for arg in super()._devices(job)]

    def make(self, job):
        kernel = kernels.kernel(self.suite, self.pattern, ARCH)
        job.truth["kernel"] = {"suite": self.suite, "arch": ARCH, "release": kernel.release}
        append = "console=ttysclp0 virtio_ccw.no_auto=0.0.0000-0.0.ffff init_on_free=1 " \
            "ipv6.disable=1 rb.last=%s %s" % (self._last(), self.append)
        with Guest(kernel.vmlinuz, self._initramfs(kernel, job), job.out("console.log"),
                   append=append, cpu=self.cpu, memory=self.memory, args=self._devices(job),
                   taps=[2] + [1] * (len(self.nets) - 1), qemu=self.qemu()) as guest, \
                socket.socket(socket.AF_UNIX) as port:
            version = guest.qmp.call("query-version")["qemu"]
            job.truth["qemu"] = "%(major)d.%(minor)d.%(micro)d" % version
            port.connect(job.work + "/port")
            guest.wait_for("^READY$", BOOT_TIMEOUT)
            said = truth.block(guest.text())
            self._check(said)
            self._dump(job, guest, said)
        job.truth.update(said)
        self._make_forms(job)
