"""Guests of kernels whose modules the machine's own compiler can't build."""

import glob
import os
import shutil

from toolkit import apt, host, kbuild, kernels

from . import build, fit
from .guest import LttngGuest


class NewerLttngGuest(LttngGuest):
    """lttng-modules and our module are built by the kernel's suite's compiler (toolkit/kbuild.py)."""

    sources = LttngGuest.sources + ["lttng/newer.py", "toolkit/kbuild.py"]

    def _tree(self, kern, headers):
        """lttng-modules' built tree, from the cache or anew."""
        deb = apt.Archive(self.modules_suite).fetch("lttng-modules-dkms")
        final = os.path.join(host.cache("lttng"), "-".join(
            [os.path.basename(deb).split("_")[1], kern.release, "foreign"]))

        def make(folder):
            apt.unpack(deb, folder + "/deb")
            source, = glob.glob(folder + "/deb/usr/src/lttng-modules-*")
            os.rename(source, folder + "/tree")
            shutil.rmtree(folder + "/deb")
            fit.fit(folder + "/tree", headers)
            kbuild.make(kern, headers, folder + "/tree",
                        ["CONFIG_LTTNG=m", "CONFIG_LTTNG_CLOCK_PLUGIN_TEST=m"])

        if not os.path.isdir(final):
            host.replace_tree(make, final)
        return build.Modules(final + "/tree", headers)

    def _modules(self, job, kern):
        headers = kernels.headers(kern)
        lttng = self._tree(kern, headers)
        job.truth["lttng_modules"] = lttng.version
        own = job.work + "/module"
        shutil.copytree(build.HERE + "/module", own)
        kbuild.make(kern, headers, own,
                    ["LTTNG=" + lttng.tree,
                     "KBUILD_EXTRA_SYMBOLS=%s/Module.symvers" % lttng.tree],
                    [lttng.tree])
        os.makedirs(job.out("debug"))
        os.makedirs(job.work + "/ko")
        loaded = {}
        for source in lttng.files() + [own + "/rbstats-lttng.ko"]:
            name = os.path.basename(source)
            shutil.copy(source, job.out("debug/" + name))
            path = job.work + "/ko/" + name
            build.strip(source, path, btf=self.types != "none")
            loaded[name[:-3]] = path
        return loaded
