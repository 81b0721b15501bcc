"""Xen machines whose dom0 and guests run Debian's kernels from 5.10 to 7.x, against hypercalls.

tests/guest/xen makes them: 'make check-xen' and 'make check-kernels' boot them. Of each of these
kernels a guest's core is a fixture, linux-*-xen, that every run compares (test_fixtures); here it is
also read in the form that 'xl dump-core' gives it.
"""

import os
import re
import tempfile
import unittest

import common
import elfcore
import test_xen_guests as xen

# What a vCPU may run on after its kernel's copy was last written.
SLICE = 10**9
TICK = 10**7


class Dom0Checks:
    """Of dom0's own kernel below it: its copies against the hypervisor's in the same dump."""

    def test_dom0(self):
        syms = os.path.join(self.made.folder, "xen-syms")
        for form in ("machine.elf", "vmcore.elf", "vmcore.zlib"):
            with self.subTest(form):
                report = self.show("-f", "xen,xen-guest", "--xen-syms", syms, "--xen-guest", "0",
                                   os.path.join(self.made.folder, form))
                self.same(report["dump"]["kernel_release"], self.truth["dom0"]["release"], form)
                self.same(report["problems"], [], form)
                guest = common.section(report, "xen-guest")["devices"][0]
                for key, value in (("type", "pv"), ("initial_domain", True),
                                   ("shared_info", "mapped"), ("event_channels", "fifo")):
                    self.same(guest["attributes"][key], value, form, key)
                domain = common.by_name(common.section(report, "xen")["devices"])["d0"]
                # A kernel that crashed has taken its other CPUs down.
                self.check_dom0(form == "machine.elf", common.by_name(guest["channels"]),
                                common.by_name(domain["channels"]))
        self.note("%d figures" % self.count)

    def check_dom0(self, alive, copies, vcpus):
        self.same(sorted(copies), sorted(vcpus))
        for name, copy in copies.items():
            mine, its = copy["metrics"], vcpus[name]["metrics"]
            self.same(copy["attributes"]["vcpu_info"], "registered", name)
            if alive:
                self.same(copy["attributes"]["online"], True, name)
            self.same(mine["creation_time"], its["creation_time"], name)
            for key in xen.TIMES + ("state_entry_time",):
                if mine["state_entry_time"] == its["state_entry_time"]:
                    self.same(mine[key], its[key], name, key)
                else:
                    self.assertLessEqual(mine[key], its[key], key)
                    self.count += 1
            self.assertLess(its["time_running"] - mine["time_running"], SLICE, name)
            # What the scheduler had accounted when dom0 told it; it has gone on since then.
            told = self.truth["dom0"]["steal"][name.removeprefix("vcpu")] * TICK
            self.assertLessEqual(told, mine["steal_counted"], name)
            self.assertLessEqual(mine["steal_counted"],
                                 its["time_runnable"] + its["time_offline"], name)
            self.count += 2


class KernelChecks(xen.MachineChecks, xen.CopyChecks, Dom0Checks):
    """All that is compared; it is repeated in crash in test_xen_crash."""

    of_kernels = True

    def test_without_xen_syms(self):
        """dom0's kernel by the page tables of a CPU: all of it, as by its domain's."""
        for form in ("machine.elf", "vmcore.elf", "vmcore.zlib"):
            with self.subTest(form):
                dump = os.path.join(self.made.folder, form)
                report = self.show("-v", dump)
                below = self.show("-v", "--xen-syms", os.path.join(self.made.folder, "xen-syms"),
                                  "--xen-guest", "0", dump)
                self.same(report["dump"]["kernel_release"], self.truth["dom0"]["release"], form)
                self.same(report["sections"],
                          [section for section in below["sections"] if section["family"] != "xen"],
                          form)
                self.same(common.section(report, "xen-guest")["status"], "ok", form)

    def test_releases(self):
        for key, form in (("kernel", "vmcore.elf"), ("guest_kernel", "worker.core")):
            options = ["--xen-syms", os.path.join(self.made.folder, "xen-syms"),
                       "--xen-guest", "0"] if key == "kernel" else []
            report = self.show("-f", "xen-guest", *options, os.path.join(self.made.folder, form))
            self.same(report["dump"]["kernel_release"], self.truth[key]["release"], key)
        self.same(self.truth["kernel"]["release"], self.truth["dom0"]["release"])


class Kernel510(KernelChecks, xen.Guest):
    recipe = "xen-5.10"


class Kernel61(KernelChecks, xen.Guest):
    recipe = "xen-stock"


class Kernel612(KernelChecks, xen.Guest):
    recipe = "xen-6.12"


class Kernel7(KernelChecks, xen.Guest):
    recipe = "xen-7"


class Mixed(KernelChecks, xen.Guest):
    """A guest's kernel is another than dom0's."""

    recipe = "xen-mixed"

    def test_releases(self):
        super().test_releases()
        self.assertNotEqual(self.truth["kernel"]["release"],
                            self.truth["guest_kernel"]["release"])


class Core(common.Test):
    """The fixtures of guests once more, in the form of 'xl dump-core'."""

    def check(self, name):
        excerpt = elfcore.Core(common.fixture(name + ".elf"))
        (_, note), = excerpt.notes
        root = int(re.search(rb"^RBSTATS_ROOT=([0-9a-f]+)$", note, re.M).group(1), 16)
        with tempfile.TemporaryDirectory(prefix="rbstats-xen-") as folder:
            path = os.path.join(folder, "guest.core")
            elfcore.write_xc_core(path, excerpt.pages, root)
            ran = self.rbstats("show", "-F", "flat", "-v", path)
            self.assertEqual((ran.status, ran.err), (0, ""), ran)
            self.assertEqual(ran.out, common.fixture_golden(name))
            self.assertEqual(self.show(path)["dump"]["format"], "xc_core_elf")

    def test_forms(self):
        names = [name for name in map(lambda name: name.rpartition(".")[0], common.fixtures())
                 if name.endswith("-xen")]
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(name):
                self.check(name)
        self.note("%d cores" % len(names))


if __name__ == "__main__":
    unittest.main()
