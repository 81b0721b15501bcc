# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on arm64: the direct map and struct page lie where VMCOREINFO says."""

from toolkit import cross, cross_build, dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest
from virtio_stats.guest import HERE as STATS, STATES, TIMEOUT, StatsGuest


class Arm64StatsGuest(StatsGuest):
    """As StatsGuest; the dumps are QEMU's own, as makedumpfile reads none of arm64 here."""

    sources = ["virtio_stats", "arm64_stats"]

    def _module(self, job, kernel):
        folder = job.work + "/module"
        host.run(["cp", "-r", STATS + "/module", folder])
        cross_build.build(kernel, folder)
        return folder + "/statdev.ko"

    def _initramfs(self, job, kernel):
        image = cross.Initramfs("arm64")
        image.modules(kernel, ["qemu_fw_cfg", "virtio_net"], extra=[self._module(job, kernel)])
        image.program("ethtool")
        with open(STATS + "/init.sh") as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    def make(self, job):
        kernel = kernels.kernel("trixie", "linux-image-6.12.*-arm64", "arm64")
        job.truth["kernel"] = {"suite": "trixie", "arch": "arm64", "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(job, kernel), job.out("console.log"),
                   "console=ttyAMA0 ipv6.disable=1 " + self.append, ["-device", "vmcoreinfo"],
                   cpu="cortex-a72", memory=256,
                   qemu=[host.tool("qemu-system-aarch64", "qemu-system-arm"),
                         "-M", "virt"]) as guest:
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
