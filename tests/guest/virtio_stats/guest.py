# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe that all guests with a statdev share; what it makes is in README.md."""

import os

from toolkit import dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.initramfs import Initramfs
from toolkit.qemu import Guest

HERE = os.path.dirname(os.path.abspath(__file__))
STATES = ("completed", "held", "no-ack", "ignored", "draft", "draft-ack-first",
          "short")
# Emulated, and other jobs may run.
TIMEOUT = 300


class StatsGuest:
    """A guest of Debian's 6.12; append tells the device's rings (init.sh)."""

    sources = ["virtio_stats"]

    def __init__(self, summary, append="", quick=False):
        self.summary, self.append, self.quick = summary, append, quick

    def _module(self, job, kernel):
        folder = job.work + "/module"
        host.run(["cp", "-r", HERE + "/module", folder])
        host.run([host.tool("make"), "-C", kernels.headers(kernel),
                  "M=" + folder, "CC=gcc", "HOSTCC=gcc", "modules"])
        host.run(["strip", "--strip-debug", folder + "/statdev.ko"])
        return folder + "/statdev.ko"

    def _initramfs(self, job, kernel):
        image = Initramfs()
        image.modules(kernel, ["qemu_fw_cfg", "virtio_net"],
                      extra=[self._module(job, kernel)])
        image.program("ethtool")
        with open(HERE + "/init.sh") as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    def _check(self, said):
        """The device must have answered what was held, and nothing twice."""
        for state in ("completed", "held", "no-ack", "ignored"):
            values = said["ethtool"][state]
            if int(values["rx1_hw_packets"]) < 1 << 32:
                raise GuestError("%s: %s" % (state, values))

    def make(self, job):
        # Of the suite whose compiler the machine has.
        kernel = kernels.kernel("bookworm", "linux-image-6.12.*-amd64")
        job.truth["kernel"] = {"suite": "bookworm", "arch": kernel.arch,
                               "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(job, kernel),
                   job.out("console.log"), "ipv6.disable=1 " + self.append,
                   ["-device", "vmcoreinfo"], cpu="max,la57=off", smp=2,
                   memory=256) as guest:
            for state in STATES:
                end = guest.wait_for(r"^## \S+ (HOLD \S+|FAILED: .*)$",
                                     TIMEOUT).group(1)
                if end != "HOLD " + state:
                    raise GuestError("guest: %s, not %s" % (end, state))
                guest.stop()
                whole = dumps.take(guest, job.work + "/" + state)
                guest.cont()
                # From 6.12 on, makedumpfile's level 8 takes slab pages too.
                name, options = "vmcore." + state, ["-c", "-d", "23"]
                dumps.makedumpfile(whole, job.out(name), options)
                os.unlink(whole)
                job.dump(name, "kdump", origin="makedumpfile",
                         options=" ".join(options))
                guest.send("on")
            text = guest.text()
        said = truth.block(text)
        self._check(said)
        said.pop("kernel")
        job.truth.update(said)
