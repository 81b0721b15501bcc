#!/usr/bin/env python3
"""Filtered, recompressed and cut dumps of a guest: every figure is the whole dump's, or absent.

makedumpfile writes the dump anew at each of its 32 levels and in each of its compressions; files are
cut at each tenth of their length.
"""

import os
import re
import shutil
import subprocess
import tempfile

import common

GUEST = "v61-kexec"
NULL = re.compile(r"null \((.*)\)")


class Filtered(common.GuestTest):
    def setUp(self):
        super().setUp()
        self.guest = common.guest(GUEST)
        self.whole = self.guest.dumps["elf"]
        self.folder = tempfile.mkdtemp(prefix="rbstats-filtered-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.expected = self.values(self.whole)
        self.compared = self.absent = 0

    def values(self, dump):
        """{path: value} of a dump, or None when it cannot be opened, for a reason in one line."""
        ran = self.rbstats("show", "-F", "flat", "-v", dump)
        if ran.status == 1 and not ran.out:
            self.assertRegex(ran.err, r"\Arbstats: [^\n]+\n\Z", ran)
            return None
        self.assertEqual(ran.status, 0, ran)
        return dict(line.split("=", 1) for line in ran.out.splitlines())

    def holds(self, dump):
        """Every value equals the whole dump's, or is absent. True when the dump was opened."""
        values = self.values(dump)
        if values is None:
            return False
        for path, value in values.items():
            if NULL.match(value):
                continue
            self.assertEqual(value, self.expected.get(path), "%s: %s" % (dump, path))
            self.compared += 1
        self.absent += sum(1 for path, value in self.expected.items() if not NULL.match(value) and
                           NULL.match(values.get(path, "null (gone)")))
        return True

    def makedumpfile(self, *options):
        path = os.path.join(self.folder, "dump")
        if os.path.exists(path):
            os.unlink(path)
        ran = common.run(["makedumpfile"] + list(options) + [self.whole, path], timeout=300)
        self.assertEqual(ran.status, 0, ran)
        return path

    def tell(self, what):
        self.assertGreater(self.compared, 0)
        self.note("%s: %d values equal, %d absent" % (what, self.compared, self.absent))

    def test_levels(self):
        """All 32: what a level drops is absent, and nothing else is said of it."""
        for level in range(32):
            with self.subTest(level=level):
                self.assertTrue(self.holds(self.makedumpfile("-l", "-d", str(level))))
        self.tell("32 levels")

    def test_compressions(self):
        forms = {"zlib": "-c", "lzo": "-l", "snappy": "-p", "zstd": "-z"}
        known = common.run(["makedumpfile", "-h"]).out
        done = []
        for name, option in forms.items():
            if not re.search(r"\[%s\b|\|%s\b|%s\|" % (option, option, option), known):
                continue
            with self.subTest(compression=name):
                self.assertTrue(self.holds(self.makedumpfile(option, "-d", "31")))
                done.append(name)
        self.assertIn("zlib", done)
        self.tell(", ".join(done))

    def test_cut(self):
        """At any tenth of its length; what is behind the cut is not there."""
        opened = 0
        for form in ("elf", "lzo-d31"):
            dump = self.guest.dumps[form]
            size = os.path.getsize(dump)
            path = os.path.join(self.folder, "cut")
            for tenth in range(1, 10):
                with self.subTest(form=form, tenth=tenth):
                    common.run(["cp", "--sparse=always", dump, path])
                    os.truncate(path, size * tenth // 10)
                    opened += self.holds(path)
        self.note("18 cuts, %d of them opened, %d values equal, %d absent" % (
            opened, self.compared, self.absent))

    def test_split(self):
        """One part of a split dump says what to do."""
        parts = [os.path.join(self.folder, "part%d" % number) for number in (1, 2)]
        ran = common.run(["makedumpfile", "--split", "-l", "-d", "31", self.whole] + parts, timeout=300)
        self.assertEqual(ran.status, 0, ran)
        self.assertOneLine(self.rbstats("show", parts[0]), r"makedumpfile --reassemble")
        whole = os.path.join(self.folder, "whole")
        ran = common.run(["makedumpfile", "--reassemble"] + parts + [whole], timeout=300)
        self.assertEqual(ran.status, 0, ran)
        self.assertTrue(self.holds(whole))
        self.tell("reassembled")
