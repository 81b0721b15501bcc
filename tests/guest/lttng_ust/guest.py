# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe that all LTTng-UST guests share."""

import base64
import os
import re

from toolkit import dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.initramfs import Initramfs
from toolkit.qemu import Guest

from . import programs

# Level 17 keeps the buffers (zero and free pages go), 31 drops them with the page cache.
FORMS = {"vmcore.d17": ["-l", "-d", "17"], "vmcore.d31": ["-c", "-d", "31"]}


class UstGuest:
    """
    A guest of one kernel and one suite's LTTng, with programs of both word sizes. Beside the
    dumps it leaves traces.tar.gz: what the consumers wrote once the machine went on.
    """

    sources = ["lttng_ust"]

    def __init__(self, summary, suite, kernel, lttng=None, quick=False):
        self.summary, self.suite, self.pattern = summary, suite, kernel
        self.lttng, self.quick = lttng or suite, quick

    def _initramfs(self, job, kern):
        image = Initramfs()
        image.modules(kern, ["qemu_fw_cfg"])
        for arch in ("amd64", "i386"):
            suite = programs.Programs(self.lttng, arch)
            suite.install(image, suite.build(job.work), arch == "amd64")
            job.truth["lttng_%s" % arch] = {
                name: suite.version(name) for name in ("lttng-tools", "liblttng-ust-dev")}
        with open(os.path.join(programs.HERE, "init.sh")) as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    @staticmethod
    def _dumps(job, guest):
        path = dumps.take(guest, job.out("vmcore.elf"))
        for name, options in FORMS.items():
            dumps.makedumpfile(path, job.out(name), options)
        dumps.make_sparse(path)
        job.dump("vmcore.elf", "elf", origin="qemu", paging=False)
        for name, options in FORMS.items():
            job.dump(name, "kdump", origin="makedumpfile", options=" ".join(options))

    def make(self, job):
        kern = kernels.kernel(self.suite, self.pattern)
        job.truth["kernel"] = {"suite": self.suite, "arch": kern.arch, "release": kern.release}
        with Guest(kern.vmlinuz, self._initramfs(job, kern), job.out("console.log"), "",
                   ["-device", "vmcoreinfo"], smp=2, memory=640) as guest:
            said = guest.wait_for(r"^HELD\n|^## \S+ FAILED: .*\n", 400).group(0).strip()
            if said != "HELD":
                raise GuestError("guest: " + said)
            guest.stop()
            self._dumps(job, guest)
            first = guest.text()
            guest.cont()
            guest.send("")
            guest.wait_for(r"^TRACES-END$|^## \S+ FAILED: .*$", 200)
            after = guest.text()[len(first):]
        job.truth.update(truth.block(first))
        job.truth.update(truth.block(after))
        found = re.search(r"^TRACES-BEGIN\n(.*)^TRACES-END$", after, re.M | re.S)
        if not found:
            raise GuestError("the guest gave no traces")
        with open(job.out("traces.tar.gz"), "wb") as file:
            file.write(base64.b64decode(found.group(1)))
        host.run([host.tool("tar"), "-tzf", job.out("traces.tar.gz")])
