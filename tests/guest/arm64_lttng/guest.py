# SPDX-License-Identifier: GPL-3.0-or-later
"""The LTTng guest on arm64: the same scripts and module, cross-built."""

import glob
import os
import shutil

from lttng import build, fit
from lttng.guest import CLIENTS, SCRIPTS, LttngGuest
from toolkit import apt, cross, cross_build, dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest

HERE = os.path.dirname(os.path.abspath(__file__))
ARCH = "arm64"
CONSUMER = "usr/lib/aarch64-linux-gnu/lttng/libexec/lttng-consumerd"


def modules(kern, archive):
    """lttng-modules of a suite built for a kernel, from the cache or anew."""
    deb = archive.fetch("lttng-modules-dkms")
    name = "%s-%s" % (os.path.basename(deb).split("_")[1], kern.release)
    final = os.path.join(host.cache("lttng"), name)
    headers = cross_build.headers(kern)

    def fill(folder):
        apt.unpack(deb, folder + "/deb")
        source, = glob.glob(folder + "/deb/usr/src/lttng-modules-*")
        os.rename(source, folder + "/tree")
        shutil.rmtree(folder + "/deb")
        fit.fit(folder + "/tree", headers)
        cross_build.build(kern, folder + "/tree", "CONFIG_LTTNG=m",
                          "CONFIG_LTTNG_CLOCK_PLUGIN_TEST=m")

    if not os.path.isdir(final):
        host.replace_tree(fill, final)
    return build.Modules(final + "/tree", headers)


class Arm64LttngGuest(LttngGuest):
    """As LttngGuest; the modules are as DKMS leaves them where a kernel's headers have no BTF."""

    sources = LttngGuest.sources + ["arm64_lttng"]

    def _modules(self, job, kern):
        lttng = modules(kern, apt.Archive(self.modules_suite))
        job.truth["lttng_modules"] = lttng.version
        own = job.work + "/module"
        shutil.copytree(build.HERE + "/module", own)
        # It speaks to the console itself, while nothing else runs.
        host.run([host.tool("patch"), "-p1", "-d", own, "-i", HERE + "/serial.patch"])
        cross_build.build(kern, own, "LTTNG=" + lttng.tree,
                          "KBUILD_EXTRA_SYMBOLS=%s/Module.symvers" % lttng.tree,
                          binds=(lttng.tree,))
        os.makedirs(job.out("debug"))
        os.makedirs(job.work + "/ko")
        loaded = {}
        for source in lttng.files() + [own + "/rbstats-lttng.ko"]:
            name = os.path.basename(source)
            shutil.copy(source, job.out("debug/" + name))
            shutil.copy(source, job.work + "/ko")
            loaded[name[:-3]] = job.work + "/ko/" + name
        cross_build.strip(kern, job.work + "/ko")
        return loaded

    def _initramfs(self, job, kern):
        loaded = self._modules(job, kern)
        image = cross.Initramfs(ARCH, ["lttng-tools"])
        image.modules(kern, ["qemu_fw_cfg"], extra=loaded.values())
        self._module_index(job, kern, image, loaded.values())
        for program in ("lttng", "lttng-sessiond"):
            image.program(program, "usr/bin/" + program)
        image.tree_program(CONSUMER)
        image.tree_file("usr/share/xml/lttng/session.xsd")
        image.compiled(build.HERE + "/probe.c", "probe")
        script = ""
        for name in SCRIPTS:
            with open(os.path.join(build.HERE, name)) as file:
                script += file.read() + "\n"
        image.init(script)
        names = ["lttng-tracer"] + [name for name in CLIENTS if name in loaded]
        names += sorted(name for name in loaded
                        if name.startswith("lttng-probe-") or name == "lttng-test")
        return image.write(job.work + "/initramfs"), names + ["rbstats-lttng"]

    def make(self, job):
        kern = kernels.kernel(self.suite, self.pattern, ARCH)
        job.truth["kernel"] = {"suite": self.suite, "arch": ARCH, "release": kern.release}
        job.truth["defines"] = []
        initramfs, names = self._initramfs(job, kern)
        with Guest(kern.vmlinuz, initramfs, job.out("console.log"),
                   "console=ttyAMA0 log_buf_len=4M rb.modules=" + ",".join(names),
                   ["-device", "vmcoreinfo"], cpu=self.cpu, smp=2, memory=640,
                   qemu=[host.tool("qemu-system-aarch64", "qemu-system-arm"),
                         "-M", "virt"]) as guest:
            said = guest.wait_for(r"^HELD\n|^## \S+ FAILED: .*\n", 400).group(0).strip()
            if said != "HELD":
                raise GuestError("guest: " + said)
            guest.stop()
            dumps.take(guest, job.out("vmcore.elf"))
            dumps.make_sparse(job.out("vmcore.elf"))
            job.dump("vmcore.elf", "elf", origin="qemu", paging=False)
            first = guest.text()
            guest.cont()
            guest.send("")
            guest.wait_for(r"^TRUTH-END$", 120)
            after = guest.text()[len(first):]
        job.truth.update(truth.block(first))
        job.truth.update(truth.block(after))
        if not job.truth.get("lttng"):
            raise GuestError("no session in the truth")
        if int(job.truth["modules"]["lttng_tracer"]["btf_bytes"]) > 0:
            raise GuestError("the modules have BTF")
        job.truth["types"] = "none"
