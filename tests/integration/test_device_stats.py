# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics that a virtio-net device counted, against what ethtool -S said of the same reply.

The guests' device (tests/guest/virtio_stats) gives each field another value, and holds its control
queue in one state after the other: what may be called live, and what not, is the point.
"""

import collections
import json
import os
import re

import common
import test_crash

# Values of the device that ethtool does not print: module/statistics.c gives them literally so.
UNTOLD = {
    "rx0_hw_drops": 1000000004007, "rx0_hw_drop_overruns": 1000000005007,
    "rx0_hw_csum_valid": 1000001000007, "rx0_hw_csum_bad": 1000001003007,
    "rx1_hw_ratelimit_packets": 3000003000007, "tx0_hw_drop_malformed": 2000016005007,
    "tx1_hw_gso_packets": 4000018000007, "tx1_hw_gso_segments_bytes": 4000018003007,
    "tx1_hw_ratelimit_packets": 4000019000007,
}
DRAFT = {
    "draft_key_rx0_packets": 5000000000, "draft_key_rx0_bytes": 5000000001,
    "draft_key_tx0_packets": 5000000002, "draft_key_tx0_bytes": 5000000003,
    "draft_key_a_key_of_exactly_32_bytes_no_nul": 5000000004,
}


def hardware(values):
    """What of ethtool's or of our figures is the device's."""
    return {name: int(value) for name, value in values.items()
            if re.match(r"(cq|rx\d*|tx\d*)_hw_", name)}


class Device:
    """The net device of a dump, and what was found about it."""

    def __init__(self, test, dump, *options):
        report = test.show("-f", "virtio", dump, *options)
        device, = [device for device in common.section(report, "virtio")["devices"]
                   if device["attributes"]["type"] == "net"]
        self.attributes, self.metrics = device["attributes"], device["metrics"]
        self.values = hardware({name: value for name, value in self.metrics.items()
                                if value is not None})
        self.findings = {finding["code"]: finding for finding in report["findings"]}


class States:
    """What may be said of a guest (truth, dumps) in each state of its control queue."""

    def held(self, guest):
        told = hardware(guest.truth["ethtool"]["held"])
        self.assertGreater(len(told), 30)
        device = Device(self, guest.dumps["held"])
        self.assertEqual(device.attributes["device_stats"], "live")
        self.assertEqual({name: device.values.get(name) for name in told}, told)
        self.assertEqual({name: device.values.get(name) for name in UNTOLD}, UNTOLD)
        self.assertEqual(device.attributes["control_waiter"], "ethtool")
        self.assertEqual(device.attributes["control_waiter_pid"],
                         int(guest.truth["asker"]["held"]))
        return len(told) + len(UNTOLD)

    def unanswered(self, guest, state):
        for options in ((), ("-v",)):
            device = Device(self, guest.dumps[state], *options)
            self.assertEqual(device.attributes["device_stats"], "pending", state)
            self.assertEqual(device.values, {}, state)
            self.assertEqual(device.attributes["control_ack"], 255)
            pid = int(guest.truth["asker"][state])
            self.assertEqual(device.attributes["control_waiter_pid"], pid)
            self.assertIn("4:cvq", device.attributes["device_stats_request"])
            self.assertRegex(device.findings["virtio.control-unanswered"]["summary"],
                             r"ethtool \(pid %d\)" % pid)

    def completed(self, guest, table_may_be_gone=False):
        """
        table_may_be_gone: the command's own indirect table is free too. From a sheaf or a CPU's free
        list, last in first out, the next one that asks for as much memory gets it.
        """
        device = Device(self, guest.dumps["completed"])
        self.assertIn(device.attributes["device_stats"], ("stale", "gone"))
        self.assertEqual(device.values, {})
        if table_may_be_gone and "control_state" not in device.attributes:
            self.assertEqual(device.attributes["device_stats"], "gone")
        else:
            self.assertEqual(device.attributes["control_state"], "completed")
        self.assertNotIn("control_waiter", device.attributes)
        # Where the reply is still there it is the one that ethtool printed.
        device = Device(self, guest.dumps["completed"], "-v")
        told = hardware(guest.truth["ethtool"]["completed"])
        for name, value in device.values.items():
            self.assertEqual(value, told.get(name, value), name)
        if device.attributes["device_stats"] == "gone":
            self.assertEqual(device.values, {})

    def draft(self, guest):
        for state in ("draft", "draft-ack-first"):
            device = Device(self, guest.dumps[state])
            self.assertEqual(device.attributes["draft_stats"], "answered", state)
            self.assertEqual(device.metrics["draft_num"], 5)
            self.assertEqual({name: value for name, value in device.metrics.items()
                              if name.startswith("draft_key_")}, DRAFT)
            self.assertEqual(device.values, {})

    def endless(self, guest):
        device = Device(self, guest.dumps["short"])
        self.assertNotIn(device.attributes["device_stats"], ("live", "answered"))
        self.assertEqual(device.values, {})
        # Two queues: 56 + 40 + 24 and 56 + 56 + 24 bytes.
        self.assertEqual(device.attributes["device_stats_endless_at"], 256)
        finding = device.findings["virtio.stats-endless"]
        self.assertEqual(finding["severity"], "critical")
        self.assertRegex(finding["summary"], r"ethtool \(pid \d+\) spins on CPU \d")


class Guests(States, common.GuestTest):
    """Each kind of ring."""

    def states(self, recipe, table_may_be_gone=False):
        guest = common.guest(recipe)
        count = self.held(guest)
        self.unanswered(guest, "no-ack")
        self.unanswered(guest, "ignored")
        self.completed(guest, table_may_be_gone)
        self.draft(guest)
        self.endless(guest)
        self.note("%s: %d values" % (recipe, count))

    def test_split(self):
        self.states("stats-split")

    def test_split_indirect(self):
        self.states("stats-split-indirect")

    def test_packed(self):
        self.states("stats-packed")

    def test_packed_indirect(self):
        self.states("stats-packed-indirect")

    def test_swiotlb(self):
        self.states("stats-swiotlb")

    def test_newer_split(self):
        self.states("stats7-split")

    def test_newer_packed(self):
        self.states("stats7-packed", table_may_be_gone=True)

    def test_s390x_split(self):
        self.states("s390x-stats-split")

    def test_s390x_packed_indirect(self):
        self.states("s390x-stats-packed", table_may_be_gone=True)

    def test_arm64_split(self):
        self.states("arm64-stats-split")

    def test_arm64_packed(self):
        self.states("arm64-stats-packed")


class Crash(common.GuestTest):
    """The same in crash. Debian 12's opens no 6.12, Debian 13's does (docs/support.md)."""

    def test_same_as_the_program(self):
        guest = common.guest("stats-split")
        vmlinux, = common.debug_files("bookworm", "linux-image-6.12.*-amd64", [])
        crash = test_crash.crash_or_skip("trixie")
        for state, word in (("held", "live"), ("completed", None)):
            got = test_crash.report_of(self, crash, vmlinux, guest.dumps[state], ["-f", "virtio"])
            wanted = self.show("-f", "virtio", "-v", guest.dumps[state])
            self.assertEqual(got["sections"], wanted["sections"])
            device, = common.section(got, "virtio")["devices"]
            if word:
                self.assertEqual(device["attributes"]["device_stats"], word)


class Fixtures(States, common.Test):
    """The excerpts that the repository carries: NAME-STATE.elf, NAME.truth.json."""

    Guest = collections.namedtuple("Guest", "truth dumps")

    def guest(self, name, *states):
        with open(os.path.join(common.FIXTURES, name + ".truth.json")) as file:
            truth = json.load(file)
        return self.Guest(truth, {state: common.fixture("%s-%s.elf" % (name, state))
                                  for state in states})

    def test_split(self):
        guest = self.guest("linux-6.12-stats-split", "held")
        self.note("%d values" % self.held(guest))

    def test_packed(self):
        guest = self.guest("linux-6.12-stats-packed", "held")
        self.note("%d values" % self.held(guest))

    def test_sheaves_split(self):
        guest = self.guest("linux-7.3-stats-split", "held", "completed")
        self.note("%d values" % self.held(guest))
        self.completed(guest)
        # The allocator's word, not a guess: the free reply lies in a sheaf, the held one in none.
        for state, word in (("held", "allocated"), ("completed", "free")):
            evidence = Device(self, guest.dumps[state], "-v").attributes["device_stats_evidence"]
            self.assertRegex(evidence, "the reply's memory: %s, kmalloc-1k$" % word)

    def test_sheaves_packed(self):
        guest = self.guest("linux-7.3-stats-packed", "held")
        self.note("%d values" % self.held(guest))


class Shared(common.Test):
    """A dump whose bus list has a page missing: the device is found by its interface."""

    def test_device_stats(self):
        dump, folder = common.shared_dump("virtio-6.12-device-stats")
        with open(folder + "/console.log", errors="replace") as file:
            text = file.read().replace("\r", "")
        told = re.search(r"^ES-BEGIN 2$(.*?)^ES-END 2$", text, re.S | re.M).group(1)
        told = hardware(dict(re.findall(r"^ *(\w+): (\d+)$", told, re.M)))
        self.assertEqual(len(told), 41)
        device = Device(self, dump)
        self.assertEqual(device.attributes["device_stats"], "live")
        self.assertEqual({name: device.values.get(name) for name in told}, told)
        self.assertEqual((device.attributes["control_waiter"],
                          device.attributes["control_waiter_pid"]), ("ethtool", 181))
        self.note("%d values" % len(told))
