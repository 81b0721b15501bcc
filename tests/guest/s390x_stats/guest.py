# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on s390x: little-endian rings and replies in big-endian memory."""

import os

from s390x.guest import ARCH, emulator
from toolkit import cross, cross_build, dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest
from virtio_stats.guest import HERE as STATS, STATES, TIMEOUT, StatsGuest

HERE = os.path.dirname(os.path.abspath(__file__))


class S390xStatsGuest(StatsGuest):
    """As StatsGuest; the dumps are QEMU's own, as makedumpfile reads none of s390x here."""

    sources = ["virtio_stats", "s390x_stats"]

    def _module(self, job, kernel):
        folder = job.work + "/module"
        host.run(["cp", "-r", STATS + "/module", folder])
        # The module was written for machines in whose byte order the rings are.
        host.run([host.tool("patch"), "-p1", "-d", folder, "-i", HERE + "/ring.patch"])
        cross_build.build(kernel, folder, "AWK=mawk")
        return folder + "/statdev.ko"

    def _initramfs(self, job, kernel):
        image = cross.Initramfs(ARCH)
        image.modules(kernel, ["virtio_net"], extra=[self._module(job, kernel)])
        image.program("ethtool")
        with open(STATS + "/init.sh") as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    def make(self, job):
        kernel = kernels.kernel("trixie", "linux-image-6.12.*-s390x", ARCH)
        job.truth["kernel"] = {"suite": "trixie", "arch": ARCH, "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(job, kernel), job.out("console.log"),
                   "console=ttysclp0 ipv6.disable=1 " + self.append, memory=256,
                   qemu=emulator()) as guest:
            for state in STATES:
                end = guest.wait_for(r"^## \S+ (HOLD \S+|FAILED: .*)$", TIMEOUT).group(1)
                if end != "HOLD " + state:
                    raise GuestError("guest: %s, not %s" % (end, state))
                guest.stop()
                name = "vmcore." + state
                dumps.take(guest, job.out(name))
                guest.cont()
                dumps.make_sparse(job.out(name))
                job.dump(name, "elf", origin="qemu")
                guest.send("on")
            text = guest.text()
        said = truth.block(text)
        self._check(said)
        said.pop("kernel")
        job.truth.update(said)
