# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtio recipes' run on a machine of another architecture."""

import socket

from toolkit import kernels, truth
from toolkit.qemu import Guest
from virtio.guest import BOOT_TIMEOUT, VirtioRecipe


class CrossedVirtioRecipe(VirtioRecipe):
    """VirtioRecipe; a subclass says

    arch   Debian's name of the architecture
    boot   kernel arguments that every machine of it gets, its console's first
    """

    arch = boot = None

    def _emulator(self):
        """QEMU as an argument list."""
        raise NotImplementedError

    def _taps(self):
        """Queue counts of the net devices."""
        return [2] + [1] * (len(self.nets) - 1)

    def make(self, job):
        kernel = kernels.kernel(self.suite, self.pattern, self.arch)
        job.truth["kernel"] = {"suite": self.suite, "arch": self.arch, "release": kernel.release}
        append = "%s init_on_free=1 ipv6.disable=1 rb.last=%s %s%s" % (
            self.boot, self._last(), self.append,
            " rb.dump=kexec crashkernel=192M" if self.kexec else "")
        with Guest(kernel.vmlinuz, self._initramfs(kernel, job), job.out("console.log"),
                   append=append, cpu=self.cpu, memory=self.memory, args=self._devices(job),
                   taps=self._taps(), qemu=self._emulator()) as guest, \
                socket.socket(socket.AF_UNIX) as port:
            version = guest.qmp.call("query-version")["qemu"]
            job.truth["qemu"] = "%(major)d.%(minor)d.%(micro)d" % version
            # Connected but never read: the guest's port stays full.
            port.connect(job.work + "/port")
            guest.wait_for("^READY$", BOOT_TIMEOUT)
            said = truth.block(guest.text())
            self._check(said)
            if self.kexec:
                self._crash(job, guest, said)
            else:
                self._dump(job, guest, said)
        job.truth.update(said)
        self._make_forms(job)
