# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on a machine of another architecture, its module cross-built."""

from toolkit import cross, cross_build, dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest
from virtio_stats.guest import HERE as STATS, STATES, TIMEOUT, StatsGuest


class CrossedStatsGuest(StatsGuest):
    """StatsGuest on 6.12; the dumps are QEMU's own, as makedumpfile reads none of these here.

    arch      Debian's name of the architecture
    console   the kernel argument for its console
    modules   that the guest loads
    args      QEMU's arguments for devices
    cpu       QEMU's name of it
    """

    arch = console = None
    modules, args, cpu = [], [], "max"

    def _emulator(self):
        """QEMU as an argument list."""
        raise NotImplementedError

    def _build(self, kernel, folder):
        """Build the module in folder, a copy of its sources."""
        cross_build.build(kernel, folder)

    def _module(self, job, kernel):
        folder = job.work + "/module"
        host.run(["cp", "-r", STATS + "/module", folder])
        self._build(kernel, folder)
        return folder + "/statdev.ko"

    def _initramfs(self, job, kernel):
        image = cross.Initramfs(self.arch)
        image.modules(kernel, self.modules, extra=[self._module(job, kernel)])
        image.program("ethtool")
        with open(STATS + "/init.sh") as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    def _take(self, job, guest, state):
        """Wait until the device is in that state, and dump it so."""
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

    def make(self, job):
        kernel = kernels.kernel("trixie", "linux-image-6.12.*-" + self.arch, self.arch)
        job.truth["kernel"] = {"suite": "trixie", "arch": self.arch, "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(job, kernel), job.out("console.log"),
                   "%s ipv6.disable=1 %s" % (self.console, self.append), self.args, cpu=self.cpu,
                   memory=256, qemu=self._emulator()) as guest:
            for state in STATES:
                self._take(job, guest, state)
            text = guest.text()
        said = truth.block(text)
        self._check(said)
        said.pop("kernel")
        job.truth.update(said)
