"""What the integration tests share: running the program, and finding dumps to run it on."""

import functools
import importlib
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

INTEGRATION = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(INTEGRATION)
TOP = os.path.dirname(TESTS)
BUILD = os.path.join(TOP, "build")
FIXTURES = os.path.join(TESTS, "fixtures")
# Beside a checkout of the project in its workplace; a clone has no such folder.
SHARED = os.path.join(os.path.dirname(TOP), "shared")

sys.path.insert(0, os.path.join(TESTS, "guest"))

# 'make coverage' has a program of its own.
PROGRAM = os.path.join(TOP, os.environ.get("RBSTATS_BUILD", BUILD), "rbstats")
SANITIZED = os.path.join(BUILD, "san", "rbstats")
IN_CI = os.environ.get("CI") == "true"

# What a sanitizer exits with: none of the program's own statuses.
SANITIZER_STATUS = 99
# For the environment of runs on dumps that lack pages: see the file.
LIBRARY_LEAKS = {"LSAN_OPTIONS": "print_suppressions=0:suppressions=" +
                 os.path.join(INTEGRATION, "lsan.supp")}


class Ran:
    """One run: status (negative: the signal that ended it), out and err as text."""

    def __init__(self, argv, status, out, err):
        self.argv, self.status, self.out, self.err = argv, status, out, err

    def __str__(self):
        return "%s\nexit status %s\n--- standard error\n%s\n--- standard output\n%s" % (
            " ".join(self.argv), self.status, self.err[-3000:], self.out[-1000:])


def run(argv, timeout=120, env=None, stdin=subprocess.DEVNULL, cwd=TOP):
    """Run a program to its end; a timeout is a failure of the test."""
    environment = dict(os.environ)
    # What a user has set must not change what is printed.
    for name in ("DEBUGINFOD_URLS", "LC_ALL", "LANG"):
        environment.pop(name, None)
    # Memory that cannot be had is an error that the program handles, not a finding.
    environment["ASAN_OPTIONS"] = "exitcode=%d:detect_leaks=1:allocator_may_return_null=1:" \
        "max_allocation_size_mb=4096" % SANITIZER_STATUS
    environment["UBSAN_OPTIONS"] = "print_stacktrace=1:exitcode=%d" % SANITIZER_STATUS
    # Nor must what earlier runs left in the user's cache; test_cache.py has one of its own.
    environment["RBSTATS_NO_CACHE"] = "1"
    environment.update(env or {})
    try:
        done = subprocess.run(argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=timeout, env=environment, cwd=cwd)
    except subprocess.TimeoutExpired as late:
        raise AssertionError("%s: no end after %d s\n%s" % (
            " ".join(argv), timeout, (late.stderr or b"").decode(errors="replace")[-2000:]))
    return Ran(argv, done.returncode, done.stdout.decode(errors="replace"),
               done.stderr.decode(errors="replace"))


class Test(unittest.TestCase):
    """part: of which part of tests/run the test is; notes: what its line of output adds."""

    part = "integration"
    program = PROGRAM
    maxDiff = 4000

    def setUp(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)

    def rbstats(self, *arguments, **options):
        return run([self.program] + [str(argument) for argument in arguments], **options)

    def show(self, *arguments, **options):
        """The JSON of a 'show' that must succeed and print nothing on standard error."""
        ran = self.rbstats("show", "-F", "json", *arguments, **options)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(ran.err, "", ran)
        return json.loads(ran.out)

    def assertOneLine(self, ran, pattern=None):
        """It failed as a program should: status 1, nothing printed but one line that says why."""
        self.assertEqual(ran.status, 1, ran)
        self.assertEqual(ran.out, "", ran)
        self.assertRegex(ran.err, r"\Arbstats: [^\n]+\n\Z", ran)
        if pattern:
            self.assertRegex(ran.err, pattern, ran)


class GuestTest(Test):
    """A test on dumps of guests; they are booted and dumped when they are first asked for."""

    part = "guest"


class SanitizedTest(Test):
    """The program built with AddressSanitizer and UndefinedBehaviorSanitizer."""

    part = "san"
    program = SANITIZED


def skip_or_fail(reason, excused):
    """A test that cannot be run: in CI that is a failure, unless it is excused."""
    if IN_CI and not excused:
        raise AssertionError("cannot be run, and CI must run it: " + reason)
    raise unittest.SkipTest(reason)


# -- dumps of guests --------------------------------------------------------


class Guest:
    """A made recipe: folder, truth (truth.json) and dumps {form: path}."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        with open(os.path.join(folder, "truth.json")) as file:
            self.truth = json.load(file)
        self.dumps = {dump.partition(".")[2]: os.path.join(folder, dump)
                      for dump in self.truth["dumps"]}


def recipe_forms(name):
    """The dump forms that a virtio recipe says it makes, without making it."""
    recipe = importlib.import_module("toolkit.recipe").load(name)
    if getattr(recipe, "kexec", False):
        return ["elf", "flat", "lzo-d31"]
    return list(dict.fromkeys(("elf",) + tuple(recipe.forms)))


def all_kernels():
    """'make check-kernels': guests of every kernel are booted, and their debug files downloaded."""
    return os.environ.get("RBSTATS_KERNELS") == "1"


@functools.lru_cache(maxsize=None)
def _make(name):
    recipe = importlib.import_module("toolkit.recipe")
    errors = importlib.import_module("toolkit.errors")
    # For work on the recipes themselves: what is there will do, whatever it was made from.
    if os.environ.get("RBSTATS_GUESTS") == "as-is" and os.path.isdir(recipe.folder(name)):
        return recipe.folder(name), None, False
    try:
        if not (all_kernels() or getattr(recipe.load(name), "quick", False) or
                recipe.is_at_hand(name)):
            return None, "%s is not booted: 'make check-kernels' does that" % name, True
        return recipe.make(name), None, False
    except errors.NotReachable as error:
        return None, "%s: cannot be downloaded now: %s" % (name, error), True
    except errors.NeedsRoot as error:
        return None, "%s needs root, or /dev/net/tun open to you: %s" % (name, error), False
    except errors.Skip as error:
        return None, "%s: %s" % (name, error), False
    except errors.GuestError as error:
        return None, error, False


def guest(name):
    """
    The Guest of a recipe. One that is missing or stale is booted now if its recipe is a quick one
    or every kernel is to be checked; of the others the fixtures have to do.
    """
    folder, reason, excused = _make(name)
    if folder:
        return Guest(name, folder)
    if isinstance(reason, Exception):
        raise AssertionError("recipe %s failed: %s" % (name, reason))
    return skip_or_fail(reason, excused)


def debug_files(suite, pattern, modules, arch="amd64"):
    """Paths of a kernel's vmlinux and modules with DWARF, from Debian's package (900 MB, cached)."""
    kernels = importlib.import_module("toolkit.kernels")
    errors = importlib.import_module("toolkit.errors")
    try:
        kernel = kernels.kernel(suite, pattern, arch)
        debug = kernels.debug(kernel)
        if not (all_kernels() or os.path.isdir(debug.top)):
            return skip_or_fail("debug files of %s are not downloaded: 'make check-kernels' does "
                                "that" % kernel.release, True)
        return list(debug.files(vmlinux=True, modules=modules).values())
    except errors.Skip as error:
        return skip_or_fail("debug files of %s: %s" % (pattern, error),
                            isinstance(error, errors.NotReachable))


# -- dumps that the repository carries --------------------------------------


def fixture(name):
    """The path of a file of tests/fixtures, unpacked into build/fixtures."""
    packed = os.path.join(FIXTURES, name + ".xz")
    unpacked = os.path.join(BUILD, "fixtures", name)
    if os.path.exists(packed):
        _unpack(packed, unpacked)
        return unpacked
    packed = os.path.join(FIXTURES, name + ".zst")
    if not os.path.exists(packed):
        raise AssertionError("the repository has no %s" % os.path.relpath(packed, TOP))
    stem, extension = name.rsplit(".", 1)
    _unpack_over(packed, unpacked, fixture("%s.%s" % (_needs()[stem]["base"], extension)))
    return unpacked


def fixtures():
    """The names of all of them."""
    return sorted(name.rpartition(".")[0] for name in os.listdir(FIXTURES)
                  if re.search(r"\.(elf|kdump)\.(xz|zst)$", name))


def fixture_options(name):
    """What show must be told beside the fixture NAME: where its debug files and symbols are."""
    needs = _needs().get(name, {})
    symbols = ["--symbols", fixture(needs["symbols"])] if "symbols" in needs else []
    archive = needs.get("debuginfo")
    if not archive:
        return symbols
    packed = os.path.join(FIXTURES, archive + ".tar.xz")
    folder = os.path.join(BUILD, "fixtures", archive)
    if not _newer(folder, packed):
        part = "%s.part.%d" % (folder, os.getpid())
        with tarfile.open(packed) as tar:
            tar.extractall(part)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(part, folder)
        os.utime(folder)
    return symbols + ["--debuginfo", folder]


def fixture_golden(name):
    """The golden output of the fixture NAME; a large one is packed."""
    path = os.path.join(FIXTURES, name + ".flat")
    if os.path.exists(path):
        with open(path) as file:
            return file.read()
    with lzma.open(path + ".xz", "rt") as file:
        return file.read()


def _needs():
    with open(os.path.join(FIXTURES, "needs.json")) as file:
        return json.load(file)


def shared_dump(name):
    """(dump, folder) of ../shared/dumps/NAME, for checkouts that have it; else the test skips."""
    folder = os.path.join(SHARED, "dumps", name)
    packed = os.path.join(folder, "vmcore.xz")
    if not os.path.exists(packed):
        raise unittest.SkipTest("there is no ../shared/dumps/%s beside this checkout" % name)
    unpacked = os.path.join(BUILD, "fixtures", name + ".vmcore")
    _unpack(packed, unpacked)
    return unpacked, folder


def _newer(path, than):
    return os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(than)


def _unpack(packed, unpacked):
    if _newer(unpacked, packed):
        return
    os.makedirs(os.path.dirname(unpacked), exist_ok=True)
    part = "%s.part.%d" % (unpacked, os.getpid())
    with lzma.open(packed) as source, open(part, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    os.rename(part, unpacked)


def _unpack_over(packed, unpacked, base):
    """What zstd packed as the difference from another file."""
    if _newer(unpacked, packed) and _newer(unpacked, base):
        return
    part = "%s.part.%d" % (unpacked, os.getpid())
    subprocess.run(["zstd", "-q", "-d", "--long=27", "--patch-from=" + base, packed, "-o", part],
                   check=True)
    # zstd gives it the packed file's date, which may be before the base's.
    os.utime(part)
    os.rename(part, unpacked)


# -- the JSON of a report ---------------------------------------------------


def section(report, family):
    """The one section of a family."""
    found = [entry for entry in report["sections"] if entry["family"] == family]
    if len(found) != 1:
        raise AssertionError("%d sections of %s" % (len(found), family))
    return found[0]


def by_name(nodes):
    """{name: node}; two of one name are an error."""
    names = [node["name"] for node in nodes]
    if len(set(names)) != len(names):
        raise AssertionError("a name occurs twice in %s" % names)
    return dict(zip(names, nodes))
