"""What is wrong, on real dumps: findings, triage, report and diff."""

import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import common

FIXTURE = "linux-6.1-virtio.elf"


def above_info(report):
    return sorted((finding["code"], finding["subject"].split("/", 1)[1].replace(
        "1d00c0", "").replace("-4c1f-4b2a-9b53-a1b2c3d4e5", ":"))
        for finding in report["findings"] if finding["severity"] != "info")


class Shared(common.Test):
    """The dumps beside the project's own checkouts, whose states their makers put into words."""

    def test_vmbus(self):
        dump, _ = common.shared_dump("vmbus-6.1")
        report = self.show(dump)
        self.assertEqual(above_info(report), sorted(
            [("vmbus.host-not-draining", "df:f1/%d/out" % relid) for relid in (2, 12, 13, 14)] +
            [("vmbus.host-not-draining", "e0:f2/16/out"),
             ("vmbus.host-not-draining", "e1:f3/4/out"),
             ("vmbus.ring-full", "e6:f8/18/out"),
             ("vmbus.receive-starved", "e0:f2/17/in"),
             ("vmbus.rescinded-open", "e7:f9/19")]))
        infos = [finding for finding in report["findings"] if finding["severity"] == "info"]
        self.assertIn("vmbus.never-opened", [finding["code"] for finding in infos])
        for finding in report["findings"]:
            self.assertGreaterEqual(len(finding["evidence"]), 1)

    def test_lttng(self):
        dump, _ = common.shared_dump("linux-6.1-lttng-virtio")
        report = self.show(dump)
        self.assertNotIn("critical", [finding["severity"] for finding in report["findings"]])
        lost = {finding["subject"]: finding["evidence"] for finding in report["findings"]
                if finding["code"] == "lttng.records-lost"}
        self.assertEqual(sorted(lost), ["lttng/cnt/0/cpu0", "lttng/lossy/0/cpu0",
                                        "lttng/lossy/0/cpu1"])
        self.assertEqual(lost["lttng/cnt/0/cpu0"], {
            "records_lost_full": 4868, "records_lost_wrap": 0, "records_lost_big": 0})
        self.assertLessEqual({finding["code"] for finding in report["findings"]
                              if finding["severity"] == "warning"},
                             {"lttng.records-lost", "ftrace.dropped"})


class Working(common.Test):
    """Guests under load, with nothing worse than a port that the host does not read."""

    def test_fixtures(self):
        full = {"linux-6.1-virtio.elf": [],
                "linux-6.1-packed.elf": [("virtio.ring-full", "virtio3/5")],
                "linux-7.3-mix.elf": [("virtio.ring-full", "virtio7/5")]}
        for name, wanted in full.items():
            with self.subTest(name):
                report = self.show("-f", "virtio", common.fixture(name))
                self.assertEqual(above_info(report), wanted)


class Triage(common.Test):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.dump = common.fixture(FIXTURE)

    def triage(self, *arguments, **options):
        return self.rbstats("triage", *arguments, **options)

    def bad(self):
        path = os.path.join(self.folder, "bad.core")
        with open(path, "w") as file:
            file.write("no dump")
        return path

    def test_one_bad_dump_costs_its_row(self):
        ran = self.triage("-F", "jsonl", "-j", "2", self.dump, self.bad(), self.dump)
        rows = [json.loads(line) for line in ran.out.splitlines()]
        self.assertEqual(sorted(row["status"] for row in rows), ["failed", "ok", "ok"])
        self.assertEqual(ran.err, "")
        self.assertEqual(ran.status, 3, ran)
        failed, = [row for row in rows if row["status"] == "failed"]
        self.assertIn("bad.core", failed["reason"])

    def test_nothing_readable(self):
        self.assertEqual(self.triage(self.bad()).status, 1)

    def test_usage(self):
        for arguments in ((), ("-j", "0", "x"), ("-j", "many", "x"), ("-F", "xml", "x"),
                          ("--timeout", "-1", "x"), ("--no-such", "x")):
            ran = self.triage(*arguments)
            self.assertOneLine(ran, "triage: ")

    def test_time_limit(self):
        """One of many processes is stopped while it works: it costs its row, after the limit."""
        argv = [self.program, "triage", "--timeout", "2"] + [self.dump] * 30
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        stopped = None
        while not stopped and process.poll() is None:
            with open(children) as file:
                stopped = file.read().split()
        os.kill(int(stopped[0]), signal.SIGSTOP)
        out, err = process.communicate(timeout=120)
        lines = out.decode().splitlines()
        self.assertEqual(len(lines), 30)
        late = [line for line in lines if "not done within the time limit" in line]
        self.assertEqual(len(late), 1, out)
        self.assertEqual(len([line for line in lines if line.startswith("FAILED")]), 1)
        self.assertEqual((process.returncode, err), (3, b""))

    def test_two_hundred(self):
        ran = self.triage("-F", "jsonl", "-j", "2", *([self.dump] * 199 + [self.bad()]),
                          timeout=300)
        statuses = [json.loads(line)["status"] for line in ran.out.splitlines()]
        self.assertEqual((statuses.count("ok"), statuses.count("failed")), (199, 1))


class Warnings(common.GuestTest):
    def test_exit_status(self):
        guest = common.guest("vmbus-6.1")
        ran = self.rbstats("triage", guest.dumps["elf"])
        self.assertEqual(ran.status, 4, ran)
        guest = common.guest("lttng-6.1-btf")
        dump = sorted(guest.dumps.values())[0]
        ran = self.rbstats("triage", dump)
        self.assertEqual(ran.status, 3, ran)


class Page(html.parser.HTMLParser):
    """Collects elements; refuses what a page of ours must not have."""

    FORBIDDEN = {"script", "iframe", "img", "link", "object", "embed", "form", "base"}

    def __init__(self):
        super().__init__()
        self.tags, self.text = {}, []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            if name.startswith("on") or "javascript:" in (value or ""):
                raise AssertionError("%s has %s=%s" % (tag, name, value))
            if name in ("src", "href", "action"):
                raise AssertionError("%s refers to %s" % (tag, value))

    def handle_data(self, data):
        self.text.append(data)


class Report(common.Test):
    HOSTILE = "<script>alert(1)</script>'\"><img src=x onerror=alert(2)>\x1b[31m"

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def stored(self, report):
        path = os.path.join(self.folder, "result.json")
        with open(path, "w") as file:
            json.dump(report, file)
        return path

    def hostile(self):
        report = self.show("-v", common.fixture(FIXTURE))
        device = common.section(report, "virtio")["devices"][0]
        device["name"] = self.HOSTILE
        device["attributes"]["driver"] = self.HOSTILE
        device["channels"][0]["attributes"]["name"] = self.HOSTILE
        device["channels"][1]["attributes"]["broken"] = True
        return self.stored(report)

    def test_page(self):
        out = os.path.join(self.folder, "report.html")
        ran = self.rbstats("report", common.fixture(FIXTURE), "-o", out)
        self.assertEqual((ran.status, ran.out, ran.err), (0, "", ""), ran)
        page = Page()
        with open(out) as file:
            page.feed(file.read())
        self.assertEqual(set(page.tags) & Page.FORBIDDEN, set())
        self.assertGreater(page.tags["svg"], 4)
        self.assertGreater(page.tags["table"], 4)

    def test_hostile_names_inject_nothing(self):
        ran = self.rbstats("report", self.hostile())
        self.assertEqual(ran.status, 0, ran)
        page = Page()
        page.feed(ran.out)
        self.assertEqual(set(page.tags) & Page.FORBIDDEN, set())
        self.assertIn("<script>alert(1)</script>", "".join(page.text))
        self.assertNotIn("\x1b", ran.out)
        self.assertNotIn("http", ran.out)

    def test_markdown(self):
        ran = self.rbstats("report", "-F", "md", self.hostile())
        self.assertEqual(ran.status, 0, ran)
        self.assertNotIn("<script", ran.out)
        self.assertIn("virtio.broken", ran.out)
        tables = [line for line in ran.out.splitlines() if line.startswith("|")]
        self.assertGreater(len(tables), 10)

    def test_stored_equals_fresh(self):
        dump = common.fixture(FIXTURE)
        fresh = self.rbstats("report", dump)
        stored = self.rbstats("report", self.stored(self.show("-v", dump)))
        self.assertEqual(fresh.out, stored.out)


class Diff(common.Test):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.report = self.show("-v", common.fixture(FIXTURE))

    def stored(self, name, report):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            json.dump(report, file)
        return path

    def diff(self, *arguments):
        ran = self.rbstats("diff", "-F", "json", *arguments)
        self.assertEqual(ran.status, 0, ran)
        return json.loads(ran.out)

    def changed(self):
        """A copy in which a 16-bit index wrapped, a counter grew, and a queue went."""
        other = json.loads(json.dumps(self.report))
        channels = common.section(other, "virtio")["devices"][0]["channels"]
        channels[1]["metrics"]["used_idx"] = 3
        channels[0]["metrics"]["packets"] += 5
        del channels[4]
        return other

    def test_nothing_moved(self):
        result = self.diff(self.stored("a", self.report), common.fixture(FIXTURE), "-v")
        self.assertEqual(result["changes"], [])
        self.assertGreater(result["same"], 500)

    def test_moved(self):
        channels = common.section(self.report, "virtio")["devices"][0]["channels"]
        channels[1]["metrics"]["used_idx"] = 65533
        result = self.diff(self.stored("a", self.report), self.stored("b", self.changed()))
        changes = {change["path"]: change for change in result["changes"]}
        self.assertEqual(changes["virtio/virtio0/1/used_idx"]["delta"], 6)
        self.assertEqual(changes["virtio/virtio0/0/packets"]["delta"], 5)
        self.assertEqual(changes["virtio/virtio0/4"]["kind"], "gone")
        self.assertEqual(len(changes), 3)

    def test_appeared(self):
        result = self.diff(self.stored("b", self.changed()), self.stored("a", self.report))
        kinds = {change["path"]: change["kind"] for change in result["changes"]}
        self.assertEqual(kinds["virtio/virtio0/4"], "appeared")

    def test_figures_and_families_of_one_side(self):
        """A figure comes with its value; a family that is not there goes as a whole."""
        other = self.changed()
        del common.section(other, "virtio")["devices"][0]["channels"][0]["metrics"]["kicks"]
        other["sections"] = [section for section in other["sections"]
                             if section["family"] == "virtio"]
        result = self.diff(self.stored("a", self.report), self.stored("b", other))
        changes = {change["path"]: change for change in result["changes"]}
        self.assertEqual(changes["virtio/virtio0/0/kicks"],
                         {"kind": "gone", "path": "virtio/virtio0/0/kicks", "from": "2"})
        self.assertEqual(changes["ftrace"], {"kind": "gone", "path": "ftrace"})
        back = self.diff(self.stored("b", other), self.stored("a", self.report))
        changes = {change["path"]: change for change in back["changes"]}
        self.assertEqual(changes["virtio/virtio0/0/kicks"],
                         {"kind": "appeared", "path": "virtio/virtio0/0/kicks", "to": "2"})

    def test_usage(self):
        self.assertOneLine(self.rbstats("diff", common.fixture(FIXTURE)), "diff: two dumps")
        path = self.stored("c", {"schema": "other/1"})
        self.assertOneLine(self.rbstats("diff", path, path), "not of schema")


class Explain(common.Test):
    def test_all_and_one(self):
        every = self.rbstats("explain")
        self.assertEqual(every.status, 0)
        for word in ("in_flight", "vmbus.ring-full", "records_lost_full", "commit_overrun"):
            self.assertIn(word, every.out)
            one = self.rbstats("explain", word)
            self.assertEqual(one.status, 0, one)
            self.assertIn(word, one.out)
        self.assertOneLine(self.rbstats("explain", "no_such_thing"), "explain: nothing is called")

    def test_severity_is_not_above_what_explain_says(self):
        order = ["info", "warning", "critical"]
        codes = set()
        for name in common.fixtures():
            options = common.fixture_options(name.rsplit(".", 1)[0])
            for finding in self.show(*options, common.fixture(name))["findings"]:
                said = self.rbstats("explain", finding["code"]).out
                highest = re.search(r"at most (\w+)\)", said).group(1)
                self.assertLessEqual(order.index(finding["severity"]), order.index(highest), finding)
                codes.add(finding["code"])
        self.note("%d kinds of findings" % len(codes))


if __name__ == "__main__":
    unittest.main()
