"""rbstats as a command of newer crashes than this machine's, on kernels that it cannot open.

Debian 12's crash opens neither 6.12 nor 7.x. The extension is built as its users build it: with the
compiler, the libraries and crash's header of the suite that crash comes from (toolkit/foreign.py).
"""

import importlib
import json
import os
import shutil
import tempfile
import unittest

import common
import test_crash

PACKAGES = ("crash", "gcc", "make", "pkg-config", "libc6-dev", "libkdumpfile-dev", "libdwarf-dev",
            "libbpf-dev", "libelf-dev", "libjson-c-dev", "liblzma-dev", "zlib1g-dev", "libxen-dev",
            "libzstd-dev", "binutils", "bash", "coreutils", "dash", "findutils", "grep", "mawk", "sed")


class Suite:
    """crash of a Debian suite, in a root of that suite, with our extension built there."""

    def __init__(self, name):
        foreign, host = (importlib.import_module("toolkit." + name) for name in ("foreign", "host"))
        self.root = foreign.Root(name, PACKAGES)
        build = os.path.join("build", "crash-" + name)
        self.extension = os.path.join(common.TOP, build, "rbstats.so")
        self.debug = host.cache("debug")
        self.run(["make", "-s", "CC=gcc", "BUILD=" + build, build + "/rbstats.so"])

    def run(self, argv, *folders):
        return self.root.chroot(argv, (common.TOP,) + folders, cwd=common.TOP, timeout=1200)

    def crash(self, options, commands, vmlinux, dump):
        """Run these commands of crash; what it printed."""
        with tempfile.TemporaryDirectory(dir=common.BUILD) as folder:
            script = os.path.join(folder, "commands")
            with open(script, "w") as file:
                file.write("\n".join(["extend " + self.extension] + commands + ["quit", ""]))
            return self.run(["crash", "-s", "-i", script] + options + [vmlinux, dump],
                            self.debug, os.path.dirname(os.path.realpath(dump)))


class Newer(common.GuestTest):
    def compare(self, suite, recipe, form, options=(), family=None):
        """Every figure, and every channel of each family, as the program has them."""
        errors = importlib.import_module("toolkit.errors")
        if not common.all_kernels():
            common.skip_or_fail("crash of %s on %s: 'make check-kernels' does that"
                                % (suite, recipe), True)
        dump, vmlinux = test_crash.dump_and_vmlinux(recipe, form)
        try:
            crash = Suite(suite)
        except errors.Skip as error:
            common.skip_or_fail(str(error), isinstance(error, errors.NotReachable))
        show = ["-v"] + (["-f", family] if family else [])
        folder = tempfile.mkdtemp(dir=common.BUILD)
        self.addCleanup(shutil.rmtree, folder)
        names = {"json": "json", "flat": "flat"}
        printed = crash.crash(list(options), [
            "rbstats %s -F %s -o %s/%s" % (" ".join(show), form, folder, name)
            for name, form in names.items()], vmlinux, os.path.realpath(dump))
        told = {}
        for name in names:
            path = os.path.join(folder, name)
            self.assertTrue(os.path.exists(path), printed)
            with open(path) as file:
                told[name] = file.read()
        alone = self.rbstats("show", *show, "-F", "json", dump)
        self.assertEqual(alone.status, 0, alone)
        self.assertEqual(test_crash.comparable(told["json"]), test_crash.comparable(alone.out))
        self.assertEqual(told["flat"], self.rbstats("show", *show, "-F", "flat", dump).out)
        sections = json.loads(told["json"])["sections"]
        self.note("; ".join("%s: %d devices" % (section["family"], len(section["devices"]))
                            for section in sections if section["devices"]))
        self.note("%d lines" % told["flat"].count("\n"))
        return {section["family"]: section for section in sections}

    def test_trixie_on_6_12(self):
        sections = self.compare("trixie", "v612-split", "zlib-d23")
        self.assertGreater(len(sections["virtio"]["devices"]), 5)

    def test_trixie_on_7(self):
        """crash 8.0.6 opens it only so."""
        sections = self.compare("trixie", "v73-mix", "zlib-d23", ["--no_modules", "--no_kmem_cache"])
        self.assertGreater(len(sections["virtio"]["devices"]), 5)

    def test_sid_on_7(self):
        """crash 9 needs one word less."""
        sections = self.compare("sid", "v73-mix", "zlib-d23", ["--no_modules"])
        self.assertGreater(len(sections["virtio"]["devices"]), 5)

    def test_sid_on_vmbus_of_7(self):
        sections = self.compare("sid", "vmbus-7", "zlib-d23", ["--no_modules"], "vmbus")
        self.assertEqual(len(sections["vmbus"]["devices"]), 15)


if __name__ == "__main__":
    unittest.main()
