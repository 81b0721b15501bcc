"""The program's command line: what it prints where, its formats, filters and exit status."""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

import common

DUMP = "linux-6.1-virtio.elf"


class CommandLine(common.Test):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rbstats-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.dump = common.fixture(DUMP)

    def path(self, name):
        return os.path.join(self.folder, name)

    def devices(self, *arguments):
        report = self.show("-f", "virtio", *arguments, self.dump)
        return [device["name"] for device in common.section(report, "virtio")["devices"]]

    # -- what is printed where ---------------------------------------------

    def test_help(self):
        for option in ("--help", "-h"):
            ran = self.rbstats(option)
            self.assertEqual((ran.status, ran.err), (0, ""), ran)
            self.assertTrue(ran.out.startswith("usage: rbstats "), ran)
            for word in ("--family", "--device", "--verbose", "--format", "--output",
                         "--debuginfo", "--symbols", "virtio", "show", "excerpt"):
                self.assertIn(word, ran.out)
            self.assertLessEqual(max(map(len, ran.out.splitlines())), 80)

    def test_help_of_a_command(self):
        commands = re.findall(r"^  ([a-z]+) +", self.rbstats("--help").out.split("commands:")[1], re.M)
        self.assertIn("extract", commands)
        for command in commands:
            for option in ("--help", "-h"):
                ran = self.rbstats(command, option)
                self.assertEqual((ran.status, ran.err), (0, ""), ran)
                self.assertTrue(ran.out.startswith("usage: rbstats %s " % command), ran)

    def test_version(self):
        ran = self.rbstats("--version")
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertRegex(ran.out, r"\Arbstats \d+\.\d+\.\d+\n")

    def test_show_is_the_default(self):
        for arguments in ([], ["-v"], ["-F", "flat"], ["-f", "virtio"]):
            plain = self.rbstats(*arguments, self.dump)
            named = self.rbstats("show", *arguments, self.dump)
            self.assertEqual(plain.status, 0, plain)
            self.assertEqual(plain.err, "")
            self.assertEqual(plain.out, named.out)

    def test_output_file(self):
        printed = self.rbstats("-F", "json", self.dump)
        ran = self.rbstats("-F", "json", "-o", self.path("out.json"), self.dump)
        self.assertEqual((ran.status, ran.out, ran.err), (0, "", ""), ran)
        with open(self.path("out.json")) as file:
            self.assertEqual(file.read(), printed.out)

    def test_output_that_cannot_be_written(self):
        self.assertOneLine(self.rbstats("-o", self.path("missing/out"), self.dump),
                           "No such file")
        self.assertOneLine(self.rbstats("-o", self.folder, self.dump), "directory")
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.program, self.dump], stdout=full, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"\Arbstats: [^\n]*No space left[^\n]*\n\Z")

    def test_dump_is_never_overwritten(self):
        """An output file that is the dump itself, by its name or another."""
        copy, link = self.path("dump"), self.path("link")
        shutil.copyfile(self.dump, copy)
        os.symlink("dump", link)
        for output in (copy, link, self.path("./dump")):
            self.assertOneLine(self.rbstats("-o", output, copy), "never overwritten")
            self.assertEqual(os.stat(copy).st_size, os.stat(self.dump).st_size)

    def test_wrong_usage(self):
        for arguments, pattern in (
                ([], "no dump"), (["show"], "no dump"),
                (["show", self.dump, "b", "c"], "too many files"),
                (["--frobnicate", self.dump], "no option --frobnicate"),
                (["-f", "nothing", self.dump], "no family 'nothing'; there are: virtio"),
                (["-F", "xml", self.dump], "no format 'xml'; there are: text, json, flat"),
                ([self.dump, "-d"], "-d needs an argument")):
            with self.subTest(arguments):
                self.assertOneLine(self.rbstats(*arguments), pattern)

    # -- formats -------------------------------------------------------------

    def test_json(self):
        report = self.show(self.dump)
        self.assertEqual(report["schema"], "rbstats/1")
        self.assertEqual(report["tool"]["name"], "rbstats")
        self.assertEqual(report["dump"]["path"], self.dump)
        self.assertEqual(report["dump"]["format"], "elf")
        self.assertEqual(report["dump"]["arch"], "x86_64")
        self.assertEqual(report["dump"]["byte_order"], "little")
        self.assertEqual(report["dump"]["word_size"], 8)
        self.assertEqual(report["dump"]["page_size"], 4096)
        self.assertRegex(report["dump"]["kernel_release"], r"\A6\.1\.")
        # null and the reason for it come together.
        def check(node):
            for group in ("attributes", "metrics"):
                for name, value in node.get(group, {}).items():
                    self.assertEqual(value is None, name in node.get("absent", {}), name)
            for group in ("devices", "channels", "rings", "slots"):
                for child in node.get(group, []):
                    check(child)
        for section in report["sections"]:
            self.assertIn(section["status"], ("ok", "partial", "absent", "failed"))
            check(section)

    def test_flat_is_sorted(self):
        lines = self.rbstats("-F", "flat", self.dump).out.splitlines()
        self.assertGreater(len(lines), 300)
        self.assertEqual(lines, sorted(lines))
        self.assertTrue(all("=" in line for line in lines))

    def test_formats_agree(self):
        """Each value of the JSON stands in the flat lines, and there are no others."""
        flat = dict(line.split("=", 1) for line in
                    self.rbstats("-v", "-f", "virtio", "-F", "flat", self.dump).out.splitlines())

        def word(value, node, name):
            if value is None:
                return "null (%s)" % node["absent"][name]
            if isinstance(value, bool):
                return "yes" if value else "no"
            if isinstance(value, str) and value.startswith("0x"):
                return value[2:]
            return str(value)

        def walk(node, path):
            for group in ("attributes", "metrics"):
                for name, value in node.get(group, {}).items():
                    expected["%s/%s" % (path, name)] = word(value, node, name)
            for group in ("devices", "channels", "rings", "slots"):
                for child in node.get(group, []):
                    walk(child, "%s/%s" % (path, child["name"]))

        expected = {}
        walk(common.section(self.show("-v", "-f", "virtio", self.dump), "virtio"), "virtio")
        self.assertEqual(flat, expected)
        self.note("%d values" % len(flat))

    def test_text_width(self):
        for arguments in ([], ["-v"]):
            out = self.rbstats("-f", "virtio", *arguments, self.dump).out
            longest = max(out.splitlines()[1:], key=len)
            self.assertLessEqual(len(longest), 120, longest)
            self.assertFalse([line for line in out.splitlines() if line != line.rstrip()])

    def test_same_every_time(self):
        first = self.rbstats("-v", "-F", "json", self.dump)
        self.assertEqual(first.out, self.rbstats("-v", "-F", "json", self.dump).out)

    # -- filters -------------------------------------------------------------

    def test_device(self):
        everything = self.devices()
        self.assertEqual(everything, ["virtio%d" % number for number in range(len(everything))])
        self.assertGreaterEqual(len(everything), 5)
        self.assertEqual(self.devices("-d", "virtio1"), ["virtio1"])
        self.assertEqual(self.devices("-d", "virtio*"), everything)
        self.assertEqual(self.devices("-d", "eth0"), ["virtio0"])
        self.assertEqual(self.devices("-d", "vd?"), ["virtio1"])
        self.assertEqual(self.devices("-d", "virtio_blk"), ["virtio1"])
        self.assertEqual(self.devices("-d", "*:00:03.0"), ["virtio0"])

    def test_family(self):
        report = self.show("-f", "virtio", self.dump)
        self.assertEqual([section["family"] for section in report["sections"]], ["virtio"])
        report = self.show(self.dump)
        families = [section["family"] for section in report["sections"]]
        self.assertEqual(families[0], "virtio")
        self.assertEqual(len(set(families)), len(families))

    def test_verbose_has_idle_rings_and_chains(self):
        brief = self.rbstats("-f", "virtio", "-d", "virtio3", self.dump).out
        full = self.rbstats("-f", "virtio", "-v", "-d", "virtio3", self.dump).out
        self.assertRegex(brief, r"58 of 64 queues never used: not shown \(-v shows them\)")
        self.assertNotIn("not shown", full)
        self.assertNotIn("HEAD", brief)
        self.assertIn("HEAD", full)


class Install(common.Test):
    """make install and uninstall, into a folder that is thrown away."""

    def make(self, *arguments):
        ran = common.run(["make", "--no-print-directory"] + list(arguments), timeout=600)
        self.assertEqual(ran.status, 0, ran)
        return ran

    def files(self, folder):
        return sorted(os.path.relpath(os.path.join(root, name), folder)
                      for root, _, names in os.walk(folder) for name in names)

    def test_install_and_uninstall(self):
        with tempfile.TemporaryDirectory(prefix="rbstats-install-") as folder:
            self.make("install", "DESTDIR=" + folder, "PREFIX=/opt/rb")
            files = self.files(folder)
            self.assertIn("opt/rb/bin/rbstats", files)
            self.assertIn("opt/rb/lib/crash/extensions/rbstats.so", files)
            self.assertTrue(all(name.startswith("opt/rb/") for name in files), files)
            program = os.path.join(folder, "opt/rb/bin/rbstats")
            self.assertEqual(stat.S_IMODE(os.stat(program).st_mode), 0o755)
            ran = common.run([program, "--version"])
            self.assertEqual(ran.status, 0, ran)
            self.make("uninstall", "DESTDIR=" + folder, "PREFIX=/opt/rb")
            self.assertEqual(self.files(folder), [])
            self.note("%d files" % len(files))

    def test_demo(self):
        ran = self.make("demo")
        self.assertIn("VIRTIO", ran.out)
        self.assertIn("eth0", ran.out)


if __name__ == "__main__":
    unittest.main()
