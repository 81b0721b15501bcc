#!/usr/bin/env python3
"""What README.md and docs/ show is what the commands print.

A block below the line '<!-- of FIXTURE -->' begins with a command on vmcore, which stands for that
fixture. '...' stands for lines that are left out.
"""

import glob
import os
import re
import unittest

import common

SHOWN = re.compile(r"^<!-- of (\S+) -->\n\n    \$ rbstats (.*)\n((?:    .*\n|\n(?=    ))+)", re.M)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def documents():
    return [os.path.join(common.TOP, name) for name in ("README.md", "CONTRIBUTING.md")] + \
        sorted(glob.glob(os.path.join(common.TOP, "docs", "*.md"))) + \
        sorted(glob.glob(os.path.join(common.TOP, "tests", "**", "README.md"), recursive=True))


def strip(lines):
    """Without empty lines at both ends."""
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")


class Docs(common.Test):
    def compare(self, block, out):
        """Each run of lines between '...' stands in the output, in that order."""
        lines = [line[4:].rstrip() for line in block.split("\n")]
        parts, part = [], []
        for line in lines:
            if line.strip() == "...":
                parts.append(strip(part))
                part = []
            else:
                part.append(line)
        out = [line.rstrip() for line in out.split("\n")]
        ends_early = not any(part)
        if not ends_early:
            parts.append(strip(part))
        at = 0
        for number, part in enumerate(parts):
            places = [i for i in range(at, len(out)) if out[i:i + len(part)] == part]
            self.assertTrue(places, "is not printed: " + "\n".join(part))
            if number == 0:
                self.assertEqual(places[0], 0)
            at = places[0] + len(part)
        if not ends_early:
            self.assertEqual(strip(out[at:]), [""])

    def test_shown(self):
        count = 0
        for path in documents():
            with open(path) as file:
                text = file.read()
            for name, command, block in SHOWN.findall(text):
                with self.subTest(file=os.path.basename(path), command=command):
                    dump = common.fixture(name + ".elf")
                    words = command.split()
                    self.assertEqual(words.pop(), "vmcore")
                    ran = self.rbstats(*words, *common.fixture_options(name), dump)
                    self.assertEqual((ran.status, ran.err), (0, ""), ran)
                    self.compare(block, ran.out.replace(dump, "vmcore"))
                    count += 1
        self.assertGreater(count, 9)
        self.note("%d commands print what is shown" % count)

    def test_links(self):
        """They lead to files of the repository."""
        count = 0
        for path in documents():
            with open(path) as file:
                for link in LINK.findall(file.read()):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), link)),
                                    "%s: %s" % (path, link))
                    count += 1
        self.note("%d links" % count)


if __name__ == "__main__":
    unittest.main()
