#!/usr/bin/env python3
"""rbstats as a command of crash, next to the program on the same dump.

On its own, on any dump that crash can open:

    tests/integration/test_crash.py --dump DUMP --vmlinux VMLINUX [-v] [TEST ...]
"""

import argparse
import importlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common

EXTENSION = os.path.join(common.BUILD, "rbstats.so")
# Where the extension's libraries are.
LIBRARIES = "/usr/lib/x86_64-linux-gnu"

# Given by whoever runs this file itself; None: dumps of guests, made when they are needed.
given = None

# What crash offers its extensions, as far as ours uses it. Any other name that both crash and we
# have would be a mistake: the dynamic linker gives ours to crash's, or crash's to ours.
CRASH_API = {
    "__error", "argcnt", "args", "fp", "gdb_pass_through", "kernel_symbol_search", "kt", "kvtop",
    "machdep", "output_open", "pc", "readmem", "register_extension", "st", "tt", "value_search",
    "vt", "symbol_search", "xen_m2p",
}
# crash carries a zlib of its own, with the interface of the system's.
ZLIB = re.compile(r"(in|de)flate\w*|(un)?compress2?|crc32|adler32")


def crash_or_skip(suite=None):
    """
    The arguments that start crash; suite: that of another Debian suite, by its own loader and with
    what our extension, built here, needs. None: this machine's.
    """
    if not shutil.which("crash") or not os.path.exists(EXTENSION):
        common.skip_or_fail("crash is not installed, or was not when rbstats was built", False)
    if not suite:
        return ["crash"]
    foreign = importlib.import_module("toolkit.foreign")
    errors = importlib.import_module("toolkit.errors")
    try:
        loader, option, path, program = foreign.Root(suite, ["crash"]).argv("crash")
    except errors.Skip as error:
        return common.skip_or_fail(str(error), isinstance(error, errors.NotReachable))
    return [loader, option, path + ":" + LIBRARIES, program]


def vmlinux_of(kernel):
    """The kernel with DWARF that a guest's truth names."""
    kernels = importlib.import_module("toolkit.kernels")
    errors = importlib.import_module("toolkit.errors")
    try:
        debug = kernels.Debug(kernel["suite"], kernel["arch"], kernel["release"])
        return debug.files(vmlinux=True)["vmlinux"]
    except errors.Skip as error:
        return common.skip_or_fail(str(error), isinstance(error, errors.NotReachable))


def dump_and_vmlinux(recipe, form):
    if given:
        return given.dump, given.vmlinux
    guest = common.guest(recipe)
    return guest.dumps[form], vmlinux_of(guest.truth["kernel"])


def report_of(test, crash, symbols, dump, options):
    """What our command says, as JSON, in the crash that these arguments start."""
    with tempfile.TemporaryDirectory() as folder:
        out, script = os.path.join(folder, "out"), os.path.join(folder, "commands")
        with open(script, "w") as file:
            file.write("extend %s\nrbstats -F json -v %s -o %s\nquit\n"
                       % (EXTENSION, " ".join(options), out))
        ran = common.run(crash + ["-s", "-i", script, symbols, dump], timeout=900)
        test.assertTrue(os.path.exists(out), ran)
        with open(out) as file:
            return json.load(file)


def comparable(text):
    """A report without what says who made it: the tool, and how the dump was named and opened."""
    report = json.loads(text)
    del report["tool"], report["dump"]["path"], report["dump"]["format"]
    return report


class Symbols(common.Test):
    """What the dynamic linker would mix up."""

    def names(self, *options):
        ran = common.run(["nm", "-D", *options])
        self.assertEqual(ran.status, 0, ran)
        # Versioned names are libc's: crash's copy of its optarg, say, is everybody's.
        return {line.split()[-1] for line in ran.out.splitlines() if "@" not in line}

    def test_nothing_is_exported(self):
        crash_or_skip()
        self.assertEqual(self.names("--defined-only", EXTENSION), set())

    def test_only_the_interface_comes_from_crash(self):
        crash_or_skip()
        shared = self.names("-u", EXTENSION) & self.names("--defined-only", shutil.which("crash"))
        self.assertEqual({name for name in shared - CRASH_API if not ZLIB.fullmatch(name)}, set())


class CrashTest(common.GuestTest):
    """A class runs crash once, with a list of commands; its tests look at what came of it."""

    recipe, form = "v61-split", "lzo-d31"
    on_a_copy = False
    environment = {}

    @classmethod
    def commands(cls):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        crash_or_skip()
        cls.dump, cls.vmlinux = dump_and_vmlinux(cls.recipe, cls.form)
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        if cls.on_a_copy:
            cls.dump = shutil.copy(cls.dump, os.path.join(cls.folder, "vmcore"))
        script = os.path.join(cls.folder, "commands")
        with open(script, "w") as file:
            file.write("\n".join(cls.commands() + ["quit", ""]))
        cls.session = common.run(["crash", "-s", "-i", script, cls.vmlinux, cls.dump],
                                 timeout=500, env=cls.environment)
        cls.printed = cls.session.out + cls.session.err

    def read(self, name):
        path = os.path.join(self.folder, name)
        self.assertTrue(os.path.exists(path), self.session)
        with open(path) as file:
            return file.read()

    def alone(self, *options):
        ran = self.rbstats("show", *options, self.dump)
        self.assertEqual(ran.status, 0, ran)
        return ran.out

    def assertSame(self, name, *options):
        here, alone = self.read(name), self.alone(*options)
        self.assertGreater(len(alone), 1000)
        self.assertEqual(comparable(here), comparable(alone))
        return here


class Reports(CrashTest):
    PIPES = 5

    @classmethod
    def commands(cls):
        to = cls.folder
        return [
            "extend " + EXTENSION,
            "rbstats > %s/text" % to,
            "rbstats -v > %s/verbose" % to,
            "rbstats -F json > %s/json" % to,
            "rbstats -v -F json > %s/json-verbose" % to,
            "rbstats -F json -o %s/json-o" % to,
            "rbstats -F flat > %s/flat" % to,
            "rbstats -f ftrace -F json > %s/ftrace" % to,
            "rbstats -f ftrace --types crash -F json > %s/ftrace-crash" % to,
            "rbstats -e in_flight > %s/explained" % to,
        ] + ["rbstats -F flat | %s > %s/%s%d" % (program, to, name, number)
             for program, name in (("cat", "all"), ("head -1", "first"))
             for number in range(cls.PIPES)] + [
            "extend -u " + EXTENSION,
            "extend " + EXTENSION,
            "rbstats -F json > %s/json-again" % to,
        ]

    def test_json_is_the_programs(self):
        report = json.loads(self.assertSame("json", "-F", "json"))
        self.assertEqual(report["dump"]["format"], "crash session")
        self.assertEqual(report["dump"]["path"], self.dump)

    def test_verbose_json_is_the_programs(self):
        self.assertSame("json-verbose", "-v", "-F", "json")

    def test_text_is_the_programs(self):
        for name, options in (("text", ()), ("verbose", ("-v",))):
            here, alone = self.read(name).splitlines(), self.alone(*options).splitlines()
            self.assertEqual(here[1:], alone[1:])
            self.assertIn("crash session", here[0])

    def test_flat_is_the_programs(self):
        self.assertEqual(self.read("flat"), self.alone("-F", "flat"))

    def test_output_option_writes_the_same(self):
        self.assertEqual(self.read("json-o"), self.read("json"))

    def test_pipes(self):
        flat = self.read("flat")
        # head goes away before all is written: nothing must be said about that.
        for name, wanted in (("all", flat), ("first", flat.splitlines(keepends=True)[0])):
            # On a busy machine crash may look for the other end's process too early, and give up.
            told = [self.read("%s%d" % (name, number)) for number in range(self.PIPES)]
            kept = [text for text in told if text != "crash: pipe operation failed\n"]
            self.assertEqual(set(kept), {wanted})
        self.assertNotIn("rbstats: ", self.printed)

    def test_loaded_again_it_works_as_before(self):
        self.assertEqual(self.read("json-again"), self.read("json"))
        self.assertEqual(self.printed.count("shared object loaded"), 2, self.session)
        self.assertEqual(self.printed.count("shared object unloaded"), 1, self.session)

    def test_types_of_crash(self):
        """gdb's types lead to the same figures as BTF."""
        dump, crash = comparable(self.read("ftrace")), comparable(self.read("ftrace-crash"))
        self.assertEqual(common.section(crash, "ftrace")["types"], "crash")
        self.assertEqual(common.section(dump, "ftrace").pop("types"), "btf")
        del common.section(crash, "ftrace")["types"]
        self.assertTrue(common.section(dump, "ftrace")["devices"])
        self.assertEqual(crash, dump)

    def test_explanations(self):
        ran = self.rbstats("explain", "in_flight")
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(self.read("explained"), ran.out)


class Vmbus(CrashTest):
    recipe, form = "vmbus-6.1", "zlib-d31"

    @classmethod
    def options(cls):
        """What both are given: nothing, where the dump has the modules' types."""
        return []

    @classmethod
    def commands(cls):
        options = " ".join(["-f vmbus"] + cls.options())
        return ["extend " + EXTENSION] + ["rbstats %s %s > %s/%s" % (options, extra, cls.folder, name)
                                          for name, extra in (("json", "-v -F json"),
                                                              ("sysctl", "-F sysctl"),
                                                              ("sysfs", "-F sysfs"))]

    def test_as_the_program(self):
        report = json.loads(self.assertSame("json", "-f", "vmbus", *self.options(), "-v",
                                            "-F", "json"))
        channels = sum(len(device["channels"])
                       for device in common.section(report, "vmbus")["devices"])
        self.assertGreater(channels, 9)
        self.note("%d channels" % channels)
        for name in ("sysctl", "sysfs"):
            self.assertEqual(self.read(name),
                             self.alone("-f", "vmbus", *self.options(), "-F", name))


class OlderVmbus(Vmbus):
    """5.10's modules have no BTF."""

    recipe, form = "vmbus-5.10", "zlib-d31"

    @classmethod
    def options(cls):
        files = common.debug_files("bullseye", "linux-image-5.10.*-amd64",
                                   ["hv_vmbus", "hv_netvsc", "hv_storvsc"])
        return [word for path in files for word in ("--debuginfo", path)]


class Refusals(CrashTest):
    """Bad usage: one line that says what, and the session goes on."""

    on_a_copy = True  # one of them would overwrite the dump

    wrong = (
        ("-x", r"no option -x; see \"help rbstats\""),
        ("--no-such-option", r"no option --no-such-option; see \"help rbstats\""),
        ("-F", r"-F needs an argument; see \"help rbstats\""),
        ("-F yaml", r"no format 'yaml'; there are: .*; see \"help rbstats\""),
        ("-f nosuch", r"no family 'nosuch'; there are: virtio, .*; see \"help rbstats\""),
        ("--types nosuch", r"no source of types 'nosuch'; there are: .*"),
        ("/tmp/other.vmcore", r"'/tmp/other\.vmcore' is one argument too many: .*"),
        ("-o /nonexistent/file", r"/nonexistent.*: No such file or directory"),
        ("-o %(dump)s", r".*%(dump)s.*"),
        ("--symbols /nonexistent/System.map", r".*/nonexistent/System\.map.*: .*"),
        ("> /dev/full", r"output: No space left on device"),
    )

    @classmethod
    def commands(cls):
        with open(cls.dump, "rb") as file:
            cls.head = file.read(1 << 20)
        lines = ["extend " + EXTENSION]
        for number, (arguments, _) in enumerate(cls.wrong):
            lines += ["!echo case %d" % number, "rbstats " + arguments % {"dump": cls.dump}]
        return lines + ["!echo end",
                        "sys -Y",
                        "rbstats -F flat > %s/flat" % cls.folder,
                        "help rbstats > %s/help" % cls.folder,
                        "extend -u " + EXTENSION,
                        "rbstats",
                        "help rbstats"]

    def test_one_line_each(self):
        for number, (arguments, pattern) in enumerate(self.wrong):
            with self.subTest(arguments=arguments):
                told = re.search(r"^case %d\n(.*?)^(?:case|end)\b" % number, self.printed,
                                 re.MULTILINE | re.DOTALL)
                self.assertTrue(told, self.session)
                pattern = pattern % {"dump": re.escape(self.dump)}
                self.assertRegex(told.group(1), r"\Arbstats: %s\n\Z" % pattern)

    def test_crash_still_names_wrong_options(self):
        # getopt's own switch is shared with crash; its message is the only one that is not ours.
        self.assertRegex(self.session.err, r"\A\S*: invalid option -- 'Y'\n\Z")

    def test_the_dump_is_not_overwritten(self):
        with open(self.dump, "rb") as file:
            self.assertEqual(file.read(1 << 20), self.head)

    def test_the_session_goes_on(self):
        self.assertEqual(self.read("flat"), self.alone("-F", "flat"))

    def test_help(self):
        text = self.read("help")
        for part in ("NAME\n  rbstats - ", "SYNOPSIS\n  rbstats ", "DESCRIPTION\n", "EXAMPLES\n",
                     "crash> rbstats"):
            self.assertIn(part, text)
        # Transcripts are indented by 4.
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 90)
        self.assertNotIn("%", text)

    def test_help_knows_every_option_family_and_format(self):
        text, usage = self.read("help"), self.rbstats("--help").out
        for option in re.findall(r"^ +(-\w), --\w+", usage, re.MULTILINE):
            if option != "-h":
                self.assertIn("    %s " % option, text)
        for names in re.search(r"only these families:\n +(.*)", usage).groups():
            for family in names.split(", "):
                self.assertRegex(text, r"\b%s[,.]" % re.escape(family))

    def test_unloaded_it_is_gone(self):
        after = self.printed[self.printed.index("shared object unloaded"):]
        self.assertIn("command not found: rbstats", after)


class Memory(CrashTest):
    """Nothing is left behind by a command, nor by loading and unloading."""

    ROUNDS = 20

    @classmethod
    def commands(cls):
        show = "rbstats -v -F json > %s/json" % cls.folder
        measure = "!grep RssAnon /proc/$PPID/status"
        load, unload = "extend " + EXTENSION, "extend -u " + EXTENSION
        return [load] + [show] * 3 + [measure] + [show] * cls.ROUNDS + [measure] + \
            [unload, load, show] * cls.ROUNDS + [measure]

    def test_memory_does_not_grow(self):
        sizes = [int(size) for size in re.findall(r"RssAnon:\s+(\d+) kB", self.printed)]
        self.assertEqual(len(sizes), 3, self.session)
        self.note("RssAnon %s kB" % ", ".join(map(str, sizes)))
        # A single symbol table or BTF that stays behind is some MB a round.
        for size in sizes[1:]:
            self.assertLess(size - sizes[0], 4096)


class Leaks(CrashTest):
    """With LeakSanitizer below crash, whose malloc() is ours too."""

    @classmethod
    def setUpClass(cls):
        library = common.run(["gcc", "-print-file-name=liblsan.so"]).out.strip()
        if not os.path.isabs(library):
            common.skip_or_fail("gcc has no liblsan.so", True)
        cls.environment = {"LD_PRELOAD": library}
        super().setUpClass()

    @classmethod
    def commands(cls):
        return ["extend " + EXTENSION,
                "rbstats -v -F json > %s/json" % cls.folder,
                "rbstats -v",
                "rbstats -f ftrace --types crash -F flat",
                "rbstats -f ftrace --types btf -F flat",
                "rbstats -e",
                "rbstats -x",
                "rbstats one-too-many",
                "rbstats --types nosuch",
                "rbstats --symbols /nonexistent/System.map",
                "rbstats -o /nonexistent/file",
                "rbstats > /dev/full"]

    def test_nothing_leaks(self):
        if "LeakSanitizer has encountered a fatal error" in self.session.err:
            common.skip_or_fail("LeakSanitizer may not look at the process", True)
        self.assertSame("json", "-v", "-F", "json")
        found = re.search(r"SUMMARY: LeakSanitizer: (\d+) byte", self.session.err)
        leaked = int(found.group(1)) if found else 0
        self.note("%d bytes, crash's own" % leaked)
        # gdb's user interface is one object of 24 bytes; a session of ours is tens of MB.
        self.assertLess(leaked, 200, self.session)


class Terminal:
    """crash on a terminal of its own."""

    def __init__(self, argv):
        self.output = ""
        self.pid, self.master = pty.fork()
        if not self.pid:
            os.environ["TERM"] = "dumb"
            os.execvp(argv[0], argv)

    def wait_for(self, pattern, timeout):
        """Read until the pattern shows up; returns what came up to its end."""
        end = time.monotonic() + timeout
        while True:
            found = re.search(pattern, self.output)
            if found:
                text, self.output = self.output[:found.end()], self.output[found.end():]
                return text
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError("no %r within %d s after: %s" % (
                    pattern, timeout, self.output[-2000:]))
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError("crash ended: " + self.output[-2000:])
            self.output += data.decode(errors="replace").replace("\r", "")

    def send(self, text):
        os.write(self.master, text.encode())

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.master)


class Interrupt(common.GuestTest):
    """^C ends the command with one line; what crash has open stays as it was."""

    def test_interrupt(self):
        crash_or_skip()
        dump, vmlinux = dump_and_vmlinux(CrashTest.recipe, CrashTest.form)
        terminal = Terminal(["crash", "-s", vmlinux, dump])
        self.addCleanup(terminal.close)
        terminal.wait_for(r"crash> $", 300)
        for command, answer in (("set scroll off", "scroll: off"),
                                ("extend " + EXTENSION, "shared object loaded")):
            terminal.send(command + "\n")
            terminal.wait_for(answer + r"[^>]*\ncrash> $", 60)
        # gdb's types make the command last some seconds.
        for wait in (0.2, 0.5):
            terminal.send("rbstats --types crash\n")
            terminal.wait_for(r"rbstats --types crash\n", 60)
            time.sleep(wait)
            terminal.send("\x03")
            told = terminal.wait_for(r"\ncrash> $", 60)
            self.assertRegex(told, r"\A(\^C)?\n*rbstats: interrupted\n+crash> \Z")
        with tempfile.TemporaryDirectory() as folder:
            # A file of commands ends there too, as with crash's own.
            with open(folder + "/commands", "w") as file:
                file.write("rbstats --types crash\n!echo the second\n")
            terminal.send("< %s/commands\n" % folder)
            terminal.wait_for(r"rbstats --types crash\n|commands\n", 60)
            time.sleep(0.3)
            terminal.send("\x03")
            told = terminal.wait_for(r"\ncrash> $", 60)
            self.assertIn("rbstats: interrupted\n", told)
            self.assertNotIn("the second", told)
            terminal.send("rbstats -F flat > %s/flat\n" % folder)
            terminal.wait_for(r"flat\n+crash> $", 60)
            with open(folder + "/flat") as file:
                here = file.read()
        self.assertEqual(here, self.rbstats("show", "-F", "flat", dump).out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--vmlinux", required=True)
    given, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
