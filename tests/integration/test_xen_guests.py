"""Xen's vCPUs in real dumps of three hypervisors, and live in their dom0s, against hypercalls.

tests/guest/xen makes them, which takes long: only with RBSTATS_XEN=1, as 'make check-xen' sets it.
An excerpt of one of them is a fixture, tests/fixtures/xen-4.17-v1, that every run checks.
"""

import json
import os
import unittest

import common

MACHINE_FORMS = ("machine.elf", "vmcore.elf", "vmcore.zlib", "vmcore.zlib-x")
# From the second reading of the truth to the last dump of that boot.
DUMPED_WITHIN = 900 * 10**9
STATES = ("running", "runnable", "blocked", "offline")
TIMES = tuple("time_" + state for state in STATES)


class Checks:
    """What holds of a report of the whole machine, wherever it comes from; for truth."""

    def begin(self, truth):
        self.truth = truth
        self.asked = truth["xen"]["domains"]
        self.count = 0

    def same(self, found, expected, *where):
        self.assertEqual(found, expected, " ".join(map(str, where)))
        self.count += 1

    def domid(self, name):
        return str(self.truth["names"][name])

    def check_vcpus(self, domid, channels):
        asked = self.asked[domid]["vcpus"]
        self.same(sorted(channels), sorted("vcpu" + number for number in asked), domid)
        for number, vcpu in asked.items():
            metrics = channels["vcpu" + number]["metrics"]
            if domid == "0":
                self.assertGreaterEqual(metrics["time_running"], vcpu["cpu_time"])
                self.assertLess(metrics["time_running"], vcpu["cpu_time"] + DUMPED_WITHIN)
                self.count += 1
            else:
                self.same(metrics["time_running"], vcpu["cpu_time"], domid, number)

    def check_table(self, domid, domain, unwritten=("inactive", "never-written")):
        """The counters of a domain with a table, record by record; None is never a 0."""
        asked = self.asked[domid]["table"]
        vcpus = common.by_name(domain["channels"])
        for number, record in asked.get("vcpus", {}).items():
            metrics = vcpus["vcpu" + number]["metrics"]
            state = vcpus["vcpu" + number]["attributes"].get("table_state")
            # A first form without a record of its own state: 0 is what it was made with.
            if record.get("inactive") or not record["running_time"]:
                self.same(metrics["table_running_time"], None, domid, number)
                self.assertIn(state, unwritten)
            else:
                self.same(metrics["table_running_time"], record["running_time"], domid, number)
            if "seq" in record:
                self.same(metrics["table_seq"], record["seq"], domid, number)

    def check_copies(self, devices):
        """A guest's own copy of the runstates, as dom0 read it in its memory."""
        copies = common.by_name(devices[0]["channels"])
        for number, asked in self.asked[self.domid("worker")]["guest"]["vcpus"].items():
            copy = copies["vcpu" + number]
            self.same(copy["attributes"]["state"], STATES[asked["state"]], number)
            for key in TIMES + ("state_entry_time",):
                self.same(copy["metrics"][key], asked[key], number, key)


class Guest(common.GuestTest, Checks):
    """What a recipe made."""

    recipe = None
    of_kernels = False  # part of 'make check-kernels', too

    @classmethod
    def setUpClass(cls):
        if os.environ.get("RBSTATS_XEN") != "1" and not (cls.of_kernels and common.all_kernels()):
            raise unittest.SkipTest("takes long: make check-xen")

    def setUp(self):
        super().setUp()
        self.made = common.guest(self.recipe)
        self.begin(self.made.truth)


class MachineChecks:
    """Of the hypervisor, in each of the forms; domains(form) gives what is shown."""

    forms = MACHINE_FORMS

    def domains(self, form):
        report = self.show("-f", "xen", os.path.join(self.made.folder, form),
                           os.path.join(self.made.folder, "xen-syms"))
        return common.by_name(common.section(report, "xen")["devices"])

    def check_domain(self, domid, domain):
        asked, attributes = self.asked[domid], domain["attributes"]
        self.same(attributes["dying"] != "no", bool(asked["dying"]), domid, "dying")
        if domid != "0":
            self.same(attributes["paused"], bool(asked["paused"]), domid, "paused")
        expected = "crash" if asked.get("shutdown_reason") == 3 else \
            "poweroff" if asked["shutdown"] else "no"
        self.same(attributes["shutdown"], expected, domid, "shutdown")
        self.same(attributes["max_vcpus"], asked["max_vcpu_id"] + 1, domid, "max_vcpus")
        channels = common.by_name(domain["channels"])
        self.check_vcpus(domid, channels)
        for name, vcpu in channels.items():
            metrics = vcpu["metrics"]
            self.same(metrics["state_entry_time"] - sum(metrics[key] for key in TIMES),
                      metrics["creation_time"], domid, name)
            self.assertGreaterEqual(metrics["creation_time"], 0)

    def test_machine(self):
        for form in self.forms:
            with self.subTest(form):
                domains = self.domains(form)
                self.same(sorted(domains), sorted("d" + domid for domid in self.asked))
                for domid in self.asked:
                    self.check_domain(domid, domains["d" + domid])
        self.note("%d figures" % self.count)

    def test_stats_table(self):
        table = self.truth["build"]["table"]
        for form in self.forms:
            with self.subTest(form):
                domains = self.domains(form)
                worker = domains["d" + self.domid("worker")]
                if table != "none" and form.endswith("-x"):
                    # A domain's pages are left out, and its table is one of them.
                    for vcpu in worker["channels"]:
                        self.same(vcpu["metrics"]["table_running_time"], None, vcpu["name"])
                        self.same(vcpu["absent"]["table_running_time"], "excluded", vcpu["name"])
                    continue
                self.same(worker["attributes"]["stats_table"], table)
                if table != "none":
                    for domid in ("worker", "crashed"):
                        self.check_table(self.domid(domid), domains["d" + self.domid(domid)])
        self.note("%d figures" % self.count)


class CopyChecks:
    """Of the copy that a guest keeps itself."""

    def test_guest_in_the_machine(self):
        for form in ("machine.elf", "vmcore.elf"):
            with self.subTest(form):
                report = self.show("-f", "xen-guest", "--xen-syms",
                                   os.path.join(self.made.folder, "xen-syms"), "--xen-guest",
                                   self.domid("worker"), os.path.join(self.made.folder, form))
                self.check_copies(common.section(report, "xen-guest")["devices"])
        self.note("%d figures" % self.count)

    def test_guest_alone(self):
        """What xl dump-core wrote of the guest, with nothing of the hypervisor."""
        report = self.show("-f", "xen-guest", os.path.join(self.made.folder, "worker.core"))
        self.check_copies(common.section(report, "xen-guest")["devices"])
        self.note("%d figures" % self.count)


class Fixture(MachineChecks, common.Test, Checks):
    """The recipe xen-stats-v1 once more, as small as an excerpt."""

    forms = ("xen-4.17-v1.machine",)

    def setUp(self):
        super().setUp()
        with open(os.path.join(common.FIXTURES, "xen-4.17-v1.truth.json")) as file:
            self.begin(json.load(file))

    def domains(self, form):
        report = self.show("-f", "xen", common.fixture(form), common.fixture("xen-4.17-v1.syms"))
        self.assertEqual(report["dump"]["kernel_release"], "Xen 4.17")
        self.assertEqual(report["problems"], [])
        return common.by_name(common.section(report, "xen")["devices"])


class StatsV1(MachineChecks, CopyChecks, Guest):
    recipe = "xen-stats-v1"


class StatsV3(MachineChecks, CopyChecks, Guest):
    recipe = "xen-stats-v3"


class LiveChecks:
    """What the program said in dom0 between two readings of the truth."""

    def said(self, name, family="xen"):
        said = self.truth["live"][name]
        self.assertEqual(said["status"], 0, said["err"])
        return common.section(json.loads(said["out"]), family)["devices"]

    def test_all_domains(self):
        domains = common.by_name(self.said("all"))
        self.same(sorted(domains), sorted("d" + domid for domid in self.asked))
        for domid in self.asked:
            channels = common.by_name(domains["d" + domid]["channels"])
            asked = self.asked[domid]["vcpus"]
            self.same(sorted(channels), sorted("vcpu" + number for number in asked), domid)
            for number, vcpu in asked.items():
                running = channels["vcpu" + number]["metrics"]["time_running"]
                if domid == "0":
                    # The truth is of a moment later.
                    self.assertLessEqual(running, vcpu["cpu_time"])
                else:
                    self.same(running, vcpu["cpu_time"], domid, number)
        for name in ("worker", "crashed"):
            # A table of the first form that nothing was written to cannot be told from zeros.
            self.check_table(self.domid(name), domains["d" + self.domid(name)],
                             ("inactive", "never-written", None))
        self.note("%d figures" % self.count)

    def test_one_domain(self):
        domid = self.domid("worker")
        domains = common.by_name(self.said("worker"))
        self.same(list(domains), ["d" + domid])
        self.check_vcpus(domid, common.by_name(domains["d" + domid]["channels"]))
        self.check_table(domid, domains["d" + domid])
        self.check_copies(self.said("worker", "xen-guest"))
        self.note("%d figures" % self.count)

    def test_text(self):
        said = self.truth["live"]["text"]
        self.assertEqual((said["status"], said["err"]), (0, ""))
        self.assertIn(str(self.asked[self.domid("worker")]["vcpus"]["0"]["cpu_time"]), said["out"])

    def test_no_such_domain(self):
        said = self.truth["live"]["nobody"]
        self.assertNotEqual(said["status"], 0)
        self.assertRegex(said["err"], r"\Arbstats: [^\n]*77[^\n]*\n\Z")


class LiveStock(LiveChecks, Guest):
    recipe = "xen-live-stock"


class LiveV1(LiveChecks, Guest):
    recipe = "xen-live-stats-v1"


class LiveV3(LiveChecks, Guest):
    recipe = "xen-live-stats-v3"
