"""The recipe that all LTTng guests share."""

import os
import re
import shutil

from toolkit import apt, dumps, host, kernels, truth
from toolkit.errors import GuestError
from toolkit.initramfs import Initramfs
from toolkit.qemu import Guest

from . import build, tools

SCRIPTS = ("init.sh", "sessions.sh", "ftrace.sh", "finish.sh")

OPTIONS = ["-c", "-d", "31"]

# Client modules that the tracer asks for by name only when a channel is made.
CLIENTS = ("lttng-ring-buffer-client-discard",
           "lttng-ring-buffer-client-overwrite",
           "lttng-ring-buffer-client-mmap-discard",
           "lttng-ring-buffer-client-mmap-overwrite",
           "lttng-ring-buffer-metadata-client",
           "lttng-ring-buffer-metadata-mmap-client",
           "lttng-ring-buffer-event-notifier-client",
           "lttng-counter-client-percpu-64-modular",
           "lttng-counter-client-percpu-32-modular")


class LttngGuest:
    """A guest of one kernel and one build of lttng-modules.

    types    what the loaded modules carry: "dkms" (stripped of DWARF, with BTF
             only if the kernel's headers have what it is made on), "btf"
             (split BTF made by pahole in any case) or "none"
    defines  macros to build lttng-modules with
    modules  suite that lttng-modules comes from, if not the kernel's
    The unstripped files of the very build that runs are kept in debug/.
    """

    # All but the README.
    sources = ["lttng/" + name for name in SCRIPTS + (
        "module", "probe.c", "build.py", "fit.py", "guest.py", "tools.py")]

    def __init__(self, summary, suite, kernel, types="dkms", defines=(),
                 modules=None, cpu="max", quick=False):
        self.summary, self.suite, self.pattern = summary, suite, kernel
        self.types, self.defines = types, tuple(defines)
        self.modules_suite = modules or suite
        self.cpu, self.quick = cpu, quick

    def _modules(self, job, kern):
        """Build all, keep debug/: {name: path of the file to load}."""
        archive = apt.Archive(self.modules_suite)
        headers = kernels.headers(kern)
        lttng = build.modules(kern, headers, archive, self.defines)
        job.truth["lttng_modules"] = lttng.version
        files = lttng.files() + [build.own_module(lttng, job.work + "/module",
                                                  self.defines)]
        os.makedirs(job.out("debug"))
        os.makedirs(job.work + "/ko")
        if self.types == "btf":
            base = build.vmlinux(kern, job.work + "/vmlinux")
        loaded = {}
        for source in files:
            name = os.path.basename(source)
            shutil.copy(source, job.out("debug/" + name))
            path = job.work + "/ko/" + name
            if self.types == "btf":
                build.add_btf(source, path, base)
            else:
                build.strip(source, path, btf=self.types != "none")
            loaded[name[:-3]] = path
        return loaded

    @staticmethod
    def _module_index(job, kern, image, files):
        """The binary indexes that lttng-sessiond's libkmod can't do without."""
        root = job.work + "/index"
        base = "lib/modules/%s/" % kern.release
        os.makedirs(os.path.join(root, base, "extra"))
        for path in files:
            shutil.copy(path, os.path.join(root, base, "extra"))
        for name in ("modules.builtin", "modules.builtin.modinfo",
                     "modules.order"):
            shutil.copy(os.path.join(kern.modules, name),
                        os.path.join(root, base))
        host.run([host.tool("depmod", "kmod"), "-b", root, kern.release])
        for name in os.listdir(os.path.join(root, base)):
            if name.endswith(".bin"):
                image.file(os.path.join(root, base, name), base + name, 0o644)

    def _initramfs(self, job, kern):
        """The initramfs' path and the names of the modules to load."""
        loaded = self._modules(job, kern)
        image = Initramfs()
        image.modules(kern, ["qemu_fw_cfg"], extra=loaded.values())
        self._module_index(job, kern, image, loaded.values())
        suite_tools = tools.Tools(apt.Archive(self.suite))
        suite_tools.install(image)
        job.truth["lttng_tools"] = suite_tools.version
        image.file(build.probe(job.work), "probe", 0o755)
        script = ""
        for name in SCRIPTS:
            with open(os.path.join(build.HERE, name)) as file:
                script += file.read() + "\n"
        image.init(script)
        names = ["lttng-tracer"] + [name for name in CLIENTS if name in loaded]
        names += sorted(name for name in loaded
                        if re.match("lttng-probe-|lttng-test$", name))
        return image.write(job.work + "/initramfs"), names + ["rbstats-lttng"]

    def _dumps(self, job, guest):
        path = dumps.take(guest, job.out("vmcore.elf"))
        dumps.makedumpfile(path, job.out("vmcore"), OPTIONS)
        dumps.make_sparse(path)
        job.dump("vmcore.elf", "elf", origin="qemu", paging=False)
        job.dump("vmcore", "kdump", origin="makedumpfile",
                 options=" ".join(OPTIONS))

    def make(self, job):
        kern = kernels.kernel(self.suite, self.pattern)
        job.truth["kernel"] = {"suite": self.suite, "arch": kern.arch,
                               "release": kern.release}
        job.truth["defines"] = list(self.defines)
        initramfs, names = self._initramfs(job, kern)
        append = "log_buf_len=4M rb.modules=" + ",".join(names)
        with Guest(kern.vmlinuz, initramfs, job.out("console.log"), append,
                   ["-device", "vmcoreinfo"], cpu=self.cpu, smp=2,
                   memory=640) as guest:
            said = guest.wait_for(r"^HELD\n|^## \S+ FAILED: .*\n", 400)
            said = said.group(0).strip()
            if said != "HELD":
                raise GuestError("guest: " + said)
            guest.stop()
            version = guest.qmp.call("query-version")["qemu"]
            job.truth["qemu"] = "%(major)d.%(minor)d.%(micro)d" % version
            self._dumps(job, guest)
            first = guest.text()
            guest.cont()
            guest.send("")
            guest.wait_for(r"^TRUTH-END$", 120)
            after = guest.text()[len(first):]
        job.truth.update(truth.block(first))
        job.truth.update(truth.block(after))
        if not job.truth.get("lttng"):
            raise GuestError("no session in the truth")
        btf = int(job.truth["modules"]["lttng_tracer"]["btf_bytes"]) > 0
        if self.types == ("none" if btf else "btf"):
            raise GuestError("BTF is %s" % ("there" if btf else "missing"))
        job.truth["types"] = "btf" if btf else "none"
