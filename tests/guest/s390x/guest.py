# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtio recipes' guest on s390x: channel devices (ccw), big endian."""

import os
import re

from crossed import emulators
from crossed.virtio import CrossedVirtioRecipe
from toolkit import cross, host

# virtio_ccw is built in.
MODULES = ["virtio_net", "virtio_blk", "virtio_console", "virtio-rng", "virtio_balloon"]


class S390xRecipe(CrossedVirtioRecipe):
    """As CrossedVirtioRecipe, with the same devices on the channel subsystem.

    QEMU has no vmcoreinfo device here, and makedumpfile needs a machine of the dump's own
    architecture: only QEMU's forms can be made.
    """

    sources = ["virtio", "crossed", "s390x"]
    arch = "s390x"
    boot = "console=ttysclp0 virtio_ccw.no_auto=0.0.0000-0.0.ffff"

    def __init__(self, summary, suite, kernel, **options):
        options.setdefault("memory", 384)
        super().__init__(summary, suite, kernel, vmcoreinfo=False, **options)

    def _emulator(self):
        return emulators.s390x()

    def _initramfs(self, kernel, job):
        image = cross.Initramfs(self.arch)
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
