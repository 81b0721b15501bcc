"""The real excerpts that the repository carries, against what their machines said: no guest is booted."""

import json
import os
import unittest

import common
import test_ftrace
import test_lttng
import test_virtio
import test_vmbus
import test_xen_guests


class Truth(common.Test, test_xen_guests.Checks):
    """
    One test for each excerpt with a truth.json beside it. The dumps that they were cut from are
    whole, so that no value may be missing.
    """

    def compare(self, name):
        with open(os.path.join(common.FIXTURES, name + ".truth.json")) as file:
            truth = json.load(file)
        options = common.fixture_options(name)
        dump = common.fixture(name + ".elf")
        report = self.show("-v", *options, dump)
        self.assertEqual(report["dump"]["kernel_release"], truth["kernel"]["release"])
        compared = 0
        for family, check in (("virtio", self.virtio), ("ftrace", self.ftrace),
                              ("lttng", self.lttng), ("host", self.vmbus),
                              ("xen", self.xen_guest)):
            if family in truth:
                count = check(report, truth, options, dump)
                self.note("%s: %d values" % ("vmbus" if family == "host" else family, count))
                compared += count
        # Six values each of three vCPUs are all that a guest of Xen has.
        self.assertGreater(compared, 17 if "xen" in truth else 50)

    def virtio(self, report, truth, *_):
        # It came with 5.13; nothing else may be absent.
        old = truth["kernel"]["release"].startswith("5.10.")
        absent = {"event_triggered": "no-such-member"} if old else {}
        comparison = test_virtio.Comparison(self, report, truth, absent)
        self.assertEqual(comparison.section["status"], "ok")
        comparison.all()
        comparison.held_disk()
        return comparison.count

    def ftrace(self, report, truth, *_):
        comparison = test_ftrace.Comparison(self, report, truth, False)
        self.assertEqual(comparison.section["status"], "ok")
        comparison.all()
        return comparison.count

    def lttng(self, report, truth, *_):
        comparison = test_lttng.Comparison(self, report, truth)
        self.assertEqual(comparison.section["status"], "ok")
        comparison.all()
        comparison.streams()
        comparison.faults()
        return comparison.count

    def vmbus(self, report, truth, options, dump):
        comparison = test_vmbus.Comparison(self, report, truth)
        tree = self.rbstats("-f", "vmbus", "-F", "sysfs", *options, dump)
        self.assertEqual(tree.status, 0, tree)
        comparison.all(tree.out, report["problems"])
        return comparison.count

    def xen_guest(self, report, truth, *_):
        """The guest's core, in which the kernel's copy is as dom0 read it."""
        self.begin(truth)
        self.check_copies(common.section(report, "xen-guest")["devices"])
        return self.count


class Lacking(common.Test):
    """What a kernel lacks is said in one line, with what to give; with that, it is read."""

    def test_modules_without_btf(self):
        """Debian's 5.10: the kernel has BTF, its modules do not."""
        for name, family, wanted in (("linux-5.10-virtio", "virtio", "virtio_ring's vring_virtqueue"),
                                     ("linux-5.10-vmbus", "vmbus", "hv_vmbus's vmbus_connection")):
            with self.subTest(family):
                dump = common.fixture(name + ".elf")
                self.assertOneLine(self.rbstats("-f", family, dump),
                                   "no types for %s.*BTF.* by --debuginfo" % wanted)
                # The other families do not suffer from it.
                report = self.show(dump)
                self.assertEqual(common.section(report, "ftrace")["status"], "ok")
                self.assertEqual(common.section(report, family)["status"], "failed")
                report = self.show("-f", family, *common.fixture_options(name), dump)
                self.assertEqual(common.section(report, family)["types"], "dwarf")

    def test_modules_without_any_types(self):
        """LTTng as DKMS leaves it: the built-in layout does, and is said to be one."""
        dump = common.fixture("linux-6.1-lttng.elf")
        self.assertEqual(common.section(self.show(dump), "lttng")["types"], "assumed")
        self.assertOneLine(self.rbstats("-f", "lttng", "--types", "btf", dump),
                           "no types for LTTng 2.13.*lttng_tracer.ko.* by --debuginfo")

    def test_built_in_vmbus(self):
        """7.x has VMBus in the kernel: all that is needed of it is described, and it is idle here."""
        report = self.show("-f", "vmbus", common.fixture("linux-7.3-mix.elf"))
        section = common.section(report, "vmbus")
        self.assertEqual(section["status"], "absent", section)
        self.assertRegex(section["reason"], "its driver is there, but was never connected")


def _add(name):
    def test(self):
        self.compare(name)
    test.__name__ = "test_" + name.replace("-", "_").replace(".", "_")
    setattr(Truth, test.__name__, test)


for _name in common.fixtures():
    _name = _name.rpartition(".")[0]
    if os.path.exists(os.path.join(common.FIXTURES, _name + ".truth.json")):
        _add(_name)


if __name__ == "__main__":
    unittest.main()
