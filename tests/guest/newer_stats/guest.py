# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on the newest kernel: free memory lies in sheaves there (lib/slab.h)."""

import os

from toolkit import dumps, host, kbuild, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest
from virtio_stats.guest import HERE as STATS, STATES, TIMEOUT, StatsGuest

SUITE = "trixie-backports"


class NewerStatsGuest(StatsGuest):
    """As StatsGuest; the module may need the compiler of the kernel's suite."""

    sources = ["virtio_stats", "newer_stats"]

    def _module(self, job, kernel):
        folder = job.work + "/module"
        host.run(["cp", "-r", STATS + "/module", folder])
        kbuild.make(kernel, kernels.headers(kernel), folder)
        host.run(["strip", "--strip-debug", folder + "/statdev.ko"])
        return folder + "/statdev.ko"

    def make(self, job):
        kernel = kernels.kernel(SUITE, "linux-image-7.*-amd64")
        job.truth["kernel"] = {"suite": SUITE, "arch": kernel.arch, "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(job, kernel), job.out("console.log"),
                   "ipv6.disable=1 " + self.append, ["-device", "vmcoreinfo"],
                   cpu="max,la57=off", smp=2, memory=384) as guest:
            for state in STATES:
                end = guest.wait_for(r"^## \S+ (HOLD \S+|FAILED: .*)$", TIMEOUT).group(1)
                if end != "HOLD " + state:
                    raise GuestError("guest: %s, not %s" % (end, state))
                guest.stop()
                whole = dumps.take(guest, job.work + "/" + state)
                guest.cont()
                # From 6.12 on, makedumpfile's level 8 takes slab pages too.
                name, options = "vmcore." + state, ["-c", "-d", "23"]
                dumps.makedumpfile(whole, job.out(name), options)
                os.unlink(whole)
                job.dump(name, "kdump", origin="makedumpfile", options=" ".join(options))
                guest.send("on")
            text = guest.text()
        said = truth.block(text)
        self._check(said)
        said.pop("kernel")
        job.truth.update(said)
