"""ftrace's figures of every guest that took them, against tracefs' own files."""

import re
import unittest

import common

RECIPES = ("v510-split", "v61-split", "v61-packed", "v61-kexec", "v61-novmci", "v612-split",
           "v73-split", "v73-mix", "lttng-5.10", "lttng-6.1", "lttng-6.1-btf", "lttng-6.1-counting",
           "lttng-6.12", "lttng-6.12-newest", "s612", "s612-legacy", "s7-mix", "arm64-6.12",
           "arm64-6.12-va52", "arm64-6.12-16k", "arm64-7", "lttng-7",
           "arm64-lttng-6.12")

# Bytes of a page's header: struct buffer_data_page up to its data, with a long of 8 bytes.
PAGE_HEADER = 16
STATS = ("entries", "overrun", "commit_overrun", "bytes", "dropped_events", "read_events")


class Comparison:
    """
    One dump's report against the truth of its moment; counts what it compared. excluded: pages may
    be missing from the dump, and cost what was on them and nothing else.
    """

    def __init__(self, test, report, truth, excluded):
        self.test, self.truth, self.excluded = test, truth["ftrace"], excluded
        self.count = self.missing = 0
        self.section = common.section(report, "ftrace")
        self.page = report["dump"]["page_size"] // 1024
        self.instances = common.by_name(self.section["devices"])
        self.cut = any(problem["subject"] == "ftrace" and problem["code"] == "excluded"
                       for problem in report["problems"])

    def equal(self, got, wanted, what):
        self.count += 1
        self.test.assertEqual(got, wanted, what)

    def metric(self, node, name, wanted, what):
        if self.excluded and node.get("absent", {}).get(name) == "excluded":
            self.missing += 1
            return
        got = {**node.get("attributes", {}), **node.get("metrics", {})}.get(name)
        self.equal(got, wanted, "%s %s" % (what, name))

    def rings(self, channel):
        """The CPUs' buffers; with the page that lists them left out of the dump there are none."""
        if self.excluded and "rings" not in channel:
            self.missing += 1
            return {}
        return common.by_name(channel["rings"])

    def all(self):
        wanted = set(self.truth)
        if self.excluded and self.cut:
            # The list of instances ends at a page that is not in the dump.
            self.missing += len(wanted - set(self.instances))
            wanted &= set(self.instances)
        self.equal(sorted(self.instances), sorted(wanted), "instances")
        for name in sorted(wanted):
            told = self.truth[name]
            instance = self.instances[name]
            channels = common.by_name(instance["channels"])
            self.instance(name, instance, channels["events"], told)
            # An instance has a second buffer once a snapshot was taken.
            if any(int(value.get("snapshot_entries", 0)) for key, value in told.items()
                   if key.startswith("cpu")):
                self.snapshot(name, channels["snapshot"], told)

    def instance(self, name, instance, channel, told):
        self.metric(channel, "tracing_on", told["tracing_on"] == "1", name)
        if "overwrite" in told:
            self.metric(channel, "overwrite", told["overwrite"] == "1", name)
        kib = int(told.get("buffer_subbuf_size_kb", told.get("subbuf_size_kb", self.page)))
        if "buffer_subbuf_size_kb" in told or "subbuf_size_kb" in told:
            self.metric(channel, "subbuf_order", (kib // self.page).bit_length() - 1, name)
        self.metric(channel, "subbuf_size", kib * 1024 - PAGE_HEADER, name)
        if "trace_clock" in told:
            clocks = told["trace_clock"].split()
            wanted, = [number for number, clock in enumerate(clocks) if clock[0] == "["]
            self.metric(instance, "trace_clock", wanted, name)
        rings = self.rings(channel)
        cpus = {cpu: stats for cpu, stats in told.items() if re.match(r"cpu\d+$", cpu)}
        if cpus and not (self.excluded and len(rings) < len(cpus)):
            self.equal(sorted(rings), sorted(cpus), name)
        for cpu, stats in cpus.items():
            if cpu not in rings:
                self.test.assertTrue(self.excluded, name)
                continue
            self.cpu("%s/%s" % (name, cpu), rings[cpu], stats)
            if re.match(r"\d+$", told["buffer_size_kb"]):
                pages = rings[cpu]["metrics"].get("nr_pages")
                if pages is None:
                    self.metric(rings[cpu], "nr_pages", "a number", name)
                else:
                    self.equal(pages * (kib * 1024 - PAGE_HEADER) >> 10,
                               int(told["buffer_size_kb"]), name + " buffer_size_kb")

    def cpu(self, what, ring, stats):
        for name in STATS:
            self.metric(ring, name, int(stats[name]), what)
        # tracefs prints microseconds, rounded (ns2usecs()).
        seconds, micros = stats["oldest_event_ts"].strip().split(".")
        wanted = int(seconds) * 1000000 + int(micros)
        if ring["metrics"].get("oldest_event_ts") is not None:
            self.equal((ring["metrics"]["oldest_event_ts"] + 500) // 1000, wanted,
                       what + " oldest_event_ts")
        else:
            self.metric(ring, "oldest_event_ts", wanted, what)
        # Each event that was ever written is somewhere.
        self.metric(ring, "written_events", sum(int(stats[name]) for name in
                                                ("entries", "overrun", "read_events")), what)
        if "mapped" in {**ring["metrics"], **ring.get("absent", {})}:
            self.metric(ring, "mapped", int(what == "mapped/cpu0"), what)

    def snapshot(self, name, channel, told):
        rings = self.rings(channel)
        for cpu, stats in told.items():
            if cpu in rings:
                self.metric(rings[cpu], "entries", int(stats["snapshot_entries"]),
                            "%s/snapshot/%s" % (name, cpu))


class Dumps(common.GuestTest):
    """One test for each guest, on all of its dumps."""

    def compare(self, recipe):
        guest = common.guest(recipe)
        count = missing = 0
        for form, dump in guest.dumps.items():
            with self.subTest(form):
                whole = form in ("elf", "flat")
                report = self.show("-v", "-f", "ftrace", dump)
                comparison = Comparison(self, report, guest.truth, not whole)
                if whole:
                    self.assertEqual(comparison.section["status"], "ok", report["problems"])
                comparison.all()
                count, missing = count + comparison.count, missing + comparison.missing
        self.note("%d values in %d dumps%s" % (
            count, len(guest.dumps), ", %d not in them" % missing if missing else ""))


def _add(recipe):
    def test(self):
        self.compare(recipe)
    test.__name__ = "test_" + re.sub(r"\W", "_", recipe)
    setattr(Dumps, test.__name__, test)


for _recipe in RECIPES:
    _add(_recipe)


if __name__ == "__main__":
    unittest.main()
