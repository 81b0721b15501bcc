"""Xen in crash: beside a dom0's kernel, and in a session on the hypervisor itself.

Debian 12's crash opens neither 6.12 nor this hypervisor (docs/xen.md): where a newer one is needed,
that of Debian 13 is started through its own loader, with our extension.
"""

import importlib
import json
import os
import shutil
import tempfile
import unittest

import common
import test_xen_guests as xen

EXTENSION = os.path.join(common.BUILD, "rbstats.so")
# Where the extension's libraries are.
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def crash_or_skip(suite):
    """The arguments that start crash; suite: None for this machine's."""
    if not shutil.which("crash") or not os.path.exists(EXTENSION):
        common.skip_or_fail("crash is not installed, or was not when rbstats was built", False)
    if not suite:
        return ["crash"]
    foreign, errors = (importlib.import_module("toolkit." + name)
                       for name in ("foreign", "errors"))
    try:
        loader, option, path, program = foreign.Root(suite, ["crash"]).argv("crash")
    except errors.Skip as error:
        return common.skip_or_fail(str(error), isinstance(error, errors.NotReachable))
    return [loader, option, path + ":" + LIBRARIES, program]


class Session(xen.Guest):
    """suite: whose crash; None: this machine's."""

    suite, of_kernels = None, True

    def report(self, symbols, form, options):
        """What our command says in crash, as JSON."""
        with tempfile.TemporaryDirectory() as folder:
            out, script = os.path.join(folder, "out"), os.path.join(folder, "commands")
            with open(script, "w") as file:
                file.write("extend %s\nrbstats -F json -v %s -o %s\nquit\n"
                           % (EXTENSION, " ".join(options), out))
            ran = common.run(crash_or_skip(self.suite) +
                             ["-s", "-i", script, symbols, os.path.join(self.made.folder, form)],
                             timeout=900)
            self.assertTrue(os.path.exists(out), ran)
            with open(out) as file:
                return json.load(file)


class Dom0Checks:
    """With dom0's kernel open: the hypervisor below it, by machine addresses."""

    def vmlinux(self):
        kernels, errors = (importlib.import_module("toolkit." + name)
                           for name in ("kernels", "errors"))
        kernel = self.truth["kernel"]
        try:
            debug = kernels.Debug(kernel["suite"], kernel["arch"], kernel["release"])
            return debug.files(vmlinux=True)["vmlinux"]
        except errors.Skip as error:
            return common.skip_or_fail(str(error), isinstance(error, errors.NotReachable))

    def test_dom0(self):
        syms = os.path.join(self.made.folder, "xen-syms")
        options = ["-f", "xen,xen-guest", "--xen-syms", syms]
        for form in ("vmcore.elf", "vmcore.zlib"):
            with self.subTest(form):
                report = self.report(self.vmlinux(), form, options)
                dump = os.path.join(self.made.folder, form)
                alone = self.show("-v", "--xen-guest", "0", *options, dump)
                # Both, with the kernel's file in the place of a domain's number.
                self.same(self.show("-v", *options, dump, self.vmlinux())["sections"],
                          alone["sections"], form)
                self.same(common.section(report, "xen")["devices"],
                          common.section(alone, "xen")["devices"])
                found, expected = (common.by_name(
                    common.section(each, "xen-guest")["devices"][0]["channels"])
                                   for each in (report, alone))
                self.same(sorted(found), sorted(expected))
                for name, vcpu in found.items():
                    self.same(vcpu["metrics"], expected[name]["metrics"], name)
                    self.same(vcpu["attributes"]["state"], expected[name]["attributes"]["state"],
                              name)
        self.note("%d figures" % self.count)


class HypervisorChecks:
    """crash xen-syms DUMP."""

    suite = "trixie"

    def test_hypervisor(self):
        syms = os.path.join(self.made.folder, "xen-syms")
        for form in ("vmcore.elf", "vmcore.zlib"):
            with self.subTest(form):
                report = self.report(syms, form, ["-f", "xen"])
                alone = self.show("-v", "-f", "xen", os.path.join(self.made.folder, form), syms)
                self.same(common.section(report, "xen")["devices"],
                          common.section(alone, "xen")["devices"])
                self.assertEqual(len(common.section(report, "xen")["devices"]), 4)
        self.note("%d figures" % self.count)


class Kernel510(Dom0Checks, Session):
    recipe = "xen-5.10"


class Kernel61(Dom0Checks, Session):
    recipe = "xen-stock"


class Kernel612(Dom0Checks, Session):
    recipe, suite = "xen-6.12", "trixie"


class Hypervisor(HypervisorChecks, Session):
    recipe = "xen-stock"


if __name__ == "__main__":
    unittest.main()
