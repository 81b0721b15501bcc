"""Xen in crash: beside a dom0's kernel, and in a session on the hypervisor itself.

Debian 12's crash opens neither 6.12 nor this hypervisor (docs/xen.md): where a newer one is needed,
that of Debian 13 is started through its own loader, with our extension.
"""

import os
import unittest

import common
import test_crash
import test_xen_guests as xen


class Session(xen.Guest):
    """suite: whose crash; None: this machine's."""

    suite, of_kernels = None, True

    def report(self, symbols, form, options):
        """What our command says in crash, as JSON."""
        return test_crash.report_of(self, test_crash.crash_or_skip(self.suite), symbols,
                                    os.path.join(self.made.folder, form), options)


class Dom0Checks:
    """With dom0's kernel open: the hypervisor below it, by machine addresses."""

    def test_dom0(self):
        syms = os.path.join(self.made.folder, "xen-syms")
        options = ["-f", "xen,xen-guest", "--xen-syms", syms]
        vmlinux = test_crash.vmlinux_of(self.truth["kernel"])
        for form in ("vmcore.elf", "vmcore.zlib"):
            with self.subTest(form):
                report = self.report(vmlinux, form, options)
                dump = os.path.join(self.made.folder, form)
                alone = self.show("-v", "--xen-guest", "0", *options, dump)
                # Both, with the kernel's file in the place of a domain's number.
                self.same(self.show("-v", *options, dump, vmlinux)["sections"],
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
