#!/usr/bin/env python3
"""rbstats excerpt: what it writes reads like the dump, holds nothing else, or isn't there."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

import common
import elfcore

FORMS = [["-F", form] + more for form in ("text", "flat", "json") for more in ([], ["-v"])]


class ExcerptTest(common.Test):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="rbstats-excerpt-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def excerpt(self, dump, name="excerpt.elf", options=()):
        """The path of an excerpt, which must succeed."""
        path = self.path(name)
        ran = self.rbstats("excerpt", *options, dump, "-o", path)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        return path

    def printed(self, dump, options):
        """What show prints, without the dump's path and format."""
        ran = self.rbstats("show", *options, dump)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertNotEqual(ran.out, "", ran)
        if "json" in options:
            report = json.loads(ran.out)
            del report["dump"]["path"], report["dump"]["format"]
            return report
        if "text" in options:
            head, _, rest = ran.out.partition("\n")
            self.assertTrue(head.startswith(str(dump)), head)
            return head[len(str(dump)):].rsplit(None, 1)[0], rest
        return ran.out

    def assertSame(self, one, other, more=()):
        for options in FORMS:
            options = list(more) + options
            if self.printed(one, options) != self.printed(other, options):
                self.assertMultiLineEqual(self.rbstats("show", *options, one).out,
                                          self.rbstats("show", *options, other).out)

    def assertBytesEqual(self, one, other):
        with open(one, "rb") as left, open(other, "rb") as right:
            self.assertTrue(left.read() == right.read(), "%s and %s differ" % (one, other))

    def assertNothingLeft(self, *names):
        """The folder holds these files and no half-written one beside them."""
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))


class Fixtures(ExcerptTest):
    """The excerpts of real dumps that the repository carries."""

    def names(self):
        names = [name[:-len(".elf")] for name in common.fixtures() if name.endswith(".elf")]
        self.assertTrue(names, "the repository carries no fixture")
        self.note("%d fixtures" % len(names))
        return names

    def test_golden(self):
        for name in self.names():
            with self.subTest(fixture=name):
                got = self.printed(common.fixture(name + ".elf"),
                                   common.fixture_options(name) + ["-F", "flat", "-v"])
                self.assertEqual(got.splitlines(), common.fixture_golden(name).splitlines())

    def test_complete(self):
        """No family misses pages: else tests/fixtures/make.py has to make the fixture again."""
        for name in self.names():
            with self.subTest(fixture=name):
                report = self.show("-v", *common.fixture_options(name),
                                   common.fixture(name + ".elf"))
                # The VMBus guests have two rings that are corrupt and two that are very full.
                vmbus = name.endswith("-vmbus")
                for section in report["sections"]:
                    wanted = ("partial",) if vmbus and section["family"] == "vmbus" \
                        else ("ok", "absent")
                    self.assertIn(section["status"], wanted, section.get("reason"))
                self.assertEqual(sorted(problem["code"] for problem in report["problems"]),
                                 ["corrupt", "corrupt", "limit", "limit"] if vmbus else [])

    def test_excerpt_of_an_excerpt(self):
        for name in self.names():
            with self.subTest(fixture=name):
                options = common.fixture_options(name)
                once = self.excerpt(common.fixture(name + ".elf"), "once.elf", options)
                self.assertSame(common.fixture(name + ".elf"), once, options)
                self.assertBytesEqual(once, self.excerpt(once, "twice.elf", options))

    def test_holds_pages_and_one_note(self):
        for name in self.names():
            with self.subTest(fixture=name):
                core = elfcore.Core(self.excerpt(common.fixture(name + ".elf"),
                                                 options=common.fixture_options(name)))
                self.assertEqual([note for note, _ in core.notes], ["VMCOREINFO"])
                self.assertEqual(core.sections, 0)
                whole = elfcore.Core(common.fixture(name + ".elf"))
                self.assertEqual(core.notes, whole.notes)
                self.assertLessEqual(set(core.pages), set(whole.pages))
                for pfn, page in core.pages.items():
                    self.assertEqual(page, whole.pages[pfn])
                before = None
                for _, offset, virtual, physical, filed, size in core.loads():
                    self.assertEqual((offset % 4096, virtual, physical % 4096, filed), (0, 0, 0, size))
                    if before:
                        self.assertEqual(offset, before[0])
                        self.assertGreater(physical, before[1], "runs are as long as can be")
                    before = offset + filed, physical + size
                self.assertEqual(core.size, before[0], "nothing follows the last page")


class MissingPages(ExcerptTest):
    """A dump without some of the pages: what lay there is excluded, here and in the excerpt."""

    def setUp(self):
        super().setUp()
        self.whole = common.fixture("linux-6.1-virtio.elf")
        self.core = elfcore.Core(self.whole)

    def without(self, *pfns, bias=0):
        pages = {pfn: page for pfn, page in self.core.pages.items() if pfn not in pfns}
        self.assertEqual(len(pages) + len(pfns), len(self.core.pages))
        elfcore.write(self.path("less.elf"), pages, self.core.notes[0][1], bias)
        return self.path("less.elf")

    def queues(self, report):
        return {(device["name"], queue["name"]): queue
                for device in common.section(report, "virtio")["devices"]
                for queue in device["channels"]}

    def test_unchanged(self):
        self.assertSame(self.whole, self.without())
        self.assertBytesEqual(self.excerpt(self.whole, "one.elf"),
                              self.excerpt(self.path("less.elf"), "two.elf"))

    def test_also_readable_by_virtual_address(self):
        """As in /proc/vmcore, where the direct map's addresses stand in the segments."""
        self.assertSame(self.whole, self.without(bias=0xffff800000000000))
        self.assertBytesEqual(self.excerpt(self.whole, "one.elf"),
                              self.excerpt(self.path("less.elf"), "two.elf"))

    def test_excluded(self):
        """A ring's page, right before one that is there: libkdumpfile alone would read zeros."""
        found = 0
        for name, queue in self.queues(self.show(self.whole)).items():
            ring = int(queue["attributes"]["device_address"], 16) // elfcore.PAGE
            if ring + 1 not in self.core.pages:
                continue
            less = self.without(ring)
            queue = self.queues(self.show(less))[name]
            self.assertEqual((queue["metrics"]["used_idx"], queue["absent"]["used_idx"]),
                             (None, "excluded"))
            excerpt = self.excerpt(less)
            self.assertSame(less, excerpt)
            self.assertNotIn(ring, elfcore.Core(excerpt).pages)
            found += 1
            if found == 3:
                return
        self.fail("no ring's page has one after it")

    def test_many(self):
        """Every seventh page that only the rings and drivers need."""
        kept = set(elfcore.Core(self.excerpt(self.whole, options=["-f", "ftrace"])).pages)
        pfns = sorted(set(self.core.pages) - kept)[::7]
        self.assertGreater(len(pfns), 10)
        less = self.without(*pfns)
        self.assertSame(less, self.excerpt(less))
        self.note("%d pages left out" % len(pfns))


class Output(ExcerptTest):
    """Where it writes: a whole file or none, never over its input, one line of error."""

    def setUp(self):
        super().setUp()
        self.dump = common.fixture("linux-6.1-virtio.elf")

    def fails(self, output, pattern, dump=None):
        self.assertOneLine(self.rbstats("excerpt", dump or self.dump, "-o", output), pattern)

    def test_full_device(self):
        self.fails("/dev/full", "/dev/full: No space left on device")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_full_disk(self):
        """A limit on the size of files breaks off the writing as a full disk does."""
        output = self.path("excerpt.elf")
        command = "ulimit -f 1000 && exec \"$0\" excerpt \"$1\" -o \"$2\""
        ran = common.run(["sh", "-c", command, self.program, self.dump, output])
        self.assertOneLine(ran, "excerpt.elf: File too large")
        self.assertNothingLeft()
        with open(output, "w") as file:
            file.write("older")
        ran = common.run(["sh", "-c", command, self.program, self.dump, output])
        self.assertOneLine(ran)
        self.assertNothingLeft("excerpt.elf")
        with open(output) as file:
            self.assertEqual(file.read(), "older")

    def test_no_folder(self):
        self.fails(self.path("no/excerpt.elf"), "no/excerpt.elf: No such file or directory")
        self.fails(self.dump + "/excerpt.elf", "Not a directory")
        self.fails(self.folder, "is a directory")
        # Not even root makes files there.
        self.fails("/proc/excerpt.elf", "/proc/excerpt.elf: No such file or directory")
        self.fails("/sys/excerpt.elf", "/sys/excerpt.elf: (Permission denied|Read-only)")
        self.assertNothingLeft()

    def test_never_the_dump(self):
        dump = self.path("dump.elf")
        shutil.copy(self.dump, dump)
        os.symlink("dump.elf", self.path("symbolic"))
        os.link(dump, self.path("hard"))
        for name in ("dump.elf", "symbolic", "hard", "./dump.elf"):
            self.fails(self.path(name), "is .* itself", dump)
        self.assertBytesEqual(self.dump, dump)
        self.assertNothingLeft("dump.elf", "symbolic", "hard")

    def test_replaces(self):
        """An older file gives way, behind a link too; only the owner may read the new one."""
        with open(self.path("older.elf"), "w") as file:
            file.write("older")
        os.chmod(self.path("older.elf"), 0o644)
        os.symlink("older.elf", self.path("link"))
        self.excerpt(self.dump, "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("older.elf")).st_mode), 0o600)
        self.assertSame(self.dump, self.path("older.elf"))
        self.assertNothingLeft("older.elf", "link")

    def test_pipe(self):
        """What is no file is written straight, and nothing else is printed."""
        done = subprocess.run([self.program, "excerpt", self.dump, "-o", "/dev/stdout"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(self.excerpt(self.dump), "rb") as file:
            self.assertTrue(file.read() == done.stdout)

    def test_summary(self):
        output = self.path("excerpt.elf")
        ran = self.rbstats("excerpt", self.dump, "-o", output)
        pages = len(elfcore.Core(output).pages)
        self.assertEqual(ran.out, "%s: %d pages, %.1f MiB; reads like %s\n" % (
            output, pages, os.path.getsize(output) / 2 ** 20, self.dump))

    def test_usage(self):
        output = self.path("excerpt.elf")
        for arguments, pattern in (
                ([self.dump], "-o FILE"), ([], "no dump"), (["-o", output], "no dump"),
                ([self.dump, "a", "b", "-o", output], "too many files"),
                ([self.dump, "-d", "virtio0", "-o", output], "-d "),
                ([self.dump, "-f", "nosuch", "-o", output], "no family 'nosuch'"),
                ([self.path("none"), "-o", output], "No such file or directory")):
            self.assertOneLine(self.rbstats("excerpt", *arguments), pattern)
        self.assertNothingLeft()

    def test_bad_dumps(self):
        """No excerpt comes of what show does not read either."""
        bad = self.path("bad")
        with open(self.dump, "rb") as file:
            data = file.read(3 * 4096)
        for content in (b"", b"text\n" * 1000, data[:100], data):
            with open(bad, "wb") as file:
                file.write(content)
            with self.subTest(size=len(content)):
                self.fails(self.path("excerpt.elf"), None, bad)
                self.assertNothingLeft("bad")

    def test_families(self):
        """Only what those families read is in it; the others find their pages excluded."""
        some = self.excerpt(self.dump, options=["-f", "virtio"])
        self.assertSame(self.dump, some, ["-f", "virtio"])
        whole = set(elfcore.Core(self.excerpt(self.dump, "whole.elf")).pages)
        self.assertLess(set(elfcore.Core(some).pages), whole)


class SanitizedOutput(Output):
    part, program = "san", common.SANITIZED


class Guests(ExcerptTest):
    """Dumps of every format, with paging of 4 and 5 levels."""

    part = "guest"

    def check(self, recipe):
        guest = common.guest(recipe)
        for form, dump in sorted(guest.dumps.items()):
            with self.subTest(recipe=recipe, form=form):
                ran = self.rbstats("show", "-F", "flat", dump)
                if ran.status:
                    self.assertOneLine(self.rbstats("excerpt", dump, "-o", self.path("no.elf")))
                    continue
                excerpt = self.excerpt(dump)
                self.assertSame(dump, excerpt)
                self.assertLess(os.path.getsize(excerpt), 32 << 20)
                self.note("%s %.1f MiB" % (form, os.path.getsize(excerpt) / 2 ** 20))

    def test_five_levels(self):
        self.check("v61-split")

    def test_four_levels_kexec(self):
        self.check("v61-kexec")

    def test_packed(self):
        self.check("v61-packed")

    def test_newest(self):
        self.check("v73-mix")

    def test_older(self):
        self.check("v510-split")

    def test_s390x(self):
        self.check("s612")


if __name__ == "__main__":
    sys.exit(subprocess.call([os.path.join(common.TESTS, "run"), "-k", "test_excerpt"] + sys.argv[1:]))
