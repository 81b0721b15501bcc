"""Nothing of a dump is trusted: lengths are not allocated, names reach a terminal only as text, and no
shell or guessable file is used. docs/robustness.md says the same in words, and its limits are checked."""

import json
import os
import re
import resource
import shutil
import struct
import subprocess
import tempfile

import common
import dumpfiles
import elfcore
import freebsd_image as image

DUMP = "linux-6.1-virtio.elf"
MEMORY = 256 << 20  # address space; of the whole dump the program takes some 50 MB
FORMATS = ("text", "json", "flat", "sysctl", "sysfs", "teardown", "html", "md")

# Names in the dump's memory, and what an attacker would call them: of the same length, as bytes.
# U+202E turns the direction of what follows, 0x9b and U+009B start a sequence as ESC [ does.
NAMES = {
    b"virtio0\0": b"\x1b[2J\nv0\0",   # a device
    b"virtio1\0": b"\x1b]0;xy\x07\0",  # a device
    b"eth0\0": b"\x9b2J\r\0",         # a network interface
    b"vda\0": b"\xe2\x80\xae\0",      # a disk
    b"input.0\0": b"\xc2\x9b31mx\t\0",  # a queue
    b"req.0\0": b"\xd8\x9c\x7f\x08\x0c\0",
    b"lossy\0": b"\x1b[8m\n\0",       # a session of LTTng
    b"relay-discard\0": b"relay\x1b[8m\x0a\x08\x9b1\0",  # what LTTng's module prints at teardown
    b"inst0\0": b"\x1bcab\n\0",       # an instance of ftrace
    b"livei\0": b"a\xe2\x81\xa6\x0b\0",
}
VMBUS_NAMES = {b"eth0\0": b"\x1b[J\n\0", b"sda\0": b"\xe2\x80\xae\0",
               b"hv_balloon\0": b"\x1b[2J\n\r\x9b123\0"}
DRIVER_SHOWN = "\\x1b[2J\\x0a\\x0d\\x9b123"
VMBUS_SHOWN = (DRIVER_SHOWN, "\\x1b[J\\x0a", "\\xe2\\x80\\xae")
FREEBSD_NAMES = {b"hn\0": b"\x1b\n\0", b"hn0\0": b"\x1b\n0\0"}
# What they are shown as, in each format that shows names.
SHOWN = ("\\x1b[2J\\x0av0", "\\x1b]0;xy\\x07", "\\x1b[8m\\x0a", "\\x1bcab\\x0a", "a\\xe2\\x81\\xa6\\x0b")

# The same, as HTML and Markdown have them; Markdown escapes the backslash.
SHOWN_IN = {"text": SHOWN, "flat": SHOWN, "html": SHOWN, "teardown": ("relay\\x1b[8m\\x0a\\x08\\x9b1",),
            "json": tuple(name.replace("\\", "\\\\") for name in SHOWN),
            "md": (r"\\x1b\[2J\\x0av0",)}
POISON = "\x1b[2J\u202e\n\x9b"
TRIAGE = (0, 1, 2, 3)

# Control characters but the newline, C1, direction and invisible characters.
RAW = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\udc80-\udcff]")

UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def raw_run(program, *arguments, **options):
    """(status, standard output, standard error) as text with each odd byte kept."""
    environment = dict(os.environ, RBSTATS_NO_CACHE="1", LC_ALL="C.UTF-8")
    done = subprocess.run([program] + [os.fsencode(str(argument)) for argument in arguments],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment, timeout=120, **options)
    return done.returncode, *(text.decode("utf-8", "surrogateescape")
                              for text in (done.stdout, done.stderr))


def renamed(data, names):
    """Memory with the names changed; as whole strings, not the ends of others."""
    for name, hostile in names.items():
        assert len(name) == len(hostile), name
        data, count = re.subn(rb"(?<![0-9A-Za-z_.:-])" + re.escape(name), lambda _: hostile, data)
        assert count, name
    return data


def strings(value):
    """Every string in a piece of JSON, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from strings(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from strings(key)
            yield from strings(entry)


def poisoned(value):
    """The same JSON with a sequence before each name and each text that the dump vouches for."""
    if isinstance(value, list):
        return [poisoned(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: POISON + entry if isinstance(entry, str) and key in
            ("name", "summary", "subject", "message", "netdev", "release", "file", "driver")
            else poisoned(entry) for key, entry in value.items()}


class Folder(common.Test):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rbstats-no-trust-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.dump = common.fixture(DUMP)
        with open(cls.dump, "rb") as file:
            cls.data = file.read()

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path


class Names(Folder):
    """Every renderer, on a dump whose names are terminal sequences."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hostile = os.path.join(cls.folder, "hostile.elf")
        with open(cls.hostile, "wb") as file:
            file.write(renamed(cls.data, NAMES))

    def clean(self, *arguments, statuses=(0,), shown=()):
        """The output: no byte that a terminal would act upon; the hostile names as text."""
        status, out, err = raw_run(self.program, *arguments)
        self.assertIn(status, statuses, (arguments, err))
        for text in (out, err):
            found = RAW.search(text)
            self.assertIsNone(found, found and (
                arguments, text[max(0, found.start() - 60):found.end() + 9]))
        for name in shown:
            self.assertIn(name, out + err, arguments)
        return out, err

    def test_formats(self):
        """Every renderer; a newline in a name makes no line."""
        self.assertEqual(set(FORMATS), set(re.search(r"--format FORMAT +(.*)",
                                                     self.rbstats("--help").out).group(1).split(", ")))
        for options in ([], ["-v"]):
            for form in FORMATS:
                with self.subTest(form=form, options=options):
                    out, _ = self.clean("show", "-F", form, *options, self.hostile,
                                        shown=SHOWN_IN.get(form, ()))
                    if form == "flat":
                        whole = self.rbstats("show", "-F", form, *options, self.dump).out
                        self.assertEqual(len(out.splitlines()), len(whole.splitlines()))
                        self.assertTrue(all("=" in line for line in out.splitlines()))

    def test_vmbus(self):
        """The formats of VMBus: sysfs of Linux, sysctl of FreeBSD."""
        with open(common.fixture("linux-6.12-vmbus.elf"), "rb") as file:
            path = self.file("vmbus.elf", renamed(file.read(), VMBUS_NAMES))
        for form in FORMATS:
            with self.subTest(form=form):
                self.clean("show", "-f", "vmbus", "-F", form, path,
                           shown=VMBUS_SHOWN if form in ("text", "flat") else
                           (DRIVER_SHOWN,) if form == "sysfs" else ())
        kernel = image.compile_kernel(os.path.join(self.folder, "kernel"), image.AMD64, 2)
        dump = image.minidump(os.path.join(self.folder, "minidump"), image.Memory(kernel, image.AMD64), 3)
        with open(dump, "rb") as file:
            data = file.read()
        hostile = self.file("hostile.minidump", renamed(data, FREEBSD_NAMES))
        for form in set(FORMATS) - {"sysfs"}:
            with self.subTest(form=form, of="FreeBSD"):
                out, _ = self.clean("show", "-F", form, hostile, kernel)
                if form == "sysctl":
                    self.assertEqual(len(out.splitlines()),
                                     len(self.rbstats("show", "-F", form, dump, kernel).out.splitlines()))
                    self.assertIn("\\x1b", out)

    def test_json(self):
        """The names are the same text as elsewhere, so that a program that prints them is safe too."""
        out, _ = self.clean("show", "-F", "json", self.hostile)
        names = {text for text in strings(json.loads(out))}
        for name in SHOWN:
            self.assertIn(name, names)
        for name in names:
            self.assertIsNone(RAW.search(name), name)

    def test_commands(self):
        report = self.file("hostile.json", raw_run(self.program, "show", "-F", "json", self.hostile)[1]
                           .encode("utf-8", "surrogateescape"))
        self.clean("triage", self.hostile, self.dump, statuses=TRIAGE)
        self.clean("triage", "-F", "jsonl", self.hostile, statuses=TRIAGE)
        for pair in ((self.dump, self.hostile), (self.hostile, self.dump), (report, self.dump)):
            out, _ = self.clean("diff", *pair, shown=SHOWN)
            self.assertNotIn("\\\\x", out)
        # What was stored is what was read.
        out, _ = self.clean("diff", report, self.hostile)
        self.assertRegex(out, r"\A0 changed, appeared or gone; \d{4} values are the same\n\Z")
        for form in ("html", "md"):
            path = os.path.join(self.folder, "report")
            self.clean("report", "-F", form, self.hostile, "-o", path)
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                self.assertIsNone(RAW.search(file.read()), form)

    def test_report_of_another(self):
        """JSON is input too: what it escapes must not come out raw."""
        report = poisoned(json.loads(self.rbstats("show", "-F", "json", self.dump).out))
        path = self.file("other.json", json.dumps(report).encode())
        for pair in ((self.dump, path), (path, self.dump), (path, path)):
            with self.subTest(pair):
                self.clean("diff", *pair)
        self.clean("diff", self.dump, path, shown=("\\x1b[2J\\xe2\\x80\\xae\\x0a\\xc2\\x9bvirtio0",))

    def test_extract(self):
        """Names of sessions are names of folders: none escapes, none leaves the folder."""
        data = self.data.replace(b"lossy\0", b"../\x1bc\0")
        self.assertNotEqual(data, self.data)
        for name, image in (("hostile", self.hostile), ("parents", self.file("parents.elf", data))):
            folder = os.path.join(self.folder, "out-" + name, "within")
            os.makedirs(os.path.dirname(folder))
            self.clean("extract", "--partial", image, "-o", folder, statuses=(0, 1))
            self.assertLessEqual(set(os.listdir(os.path.dirname(folder))), {"within"})
            names = [name for _, folders, files in os.walk(folder) for name in folders + files]
            for name in names:
                self.assertIsNone(RAW.search(name + "\n"), names)
                self.assertNotIn("\n", name)

    def test_arguments(self):
        """What a script hands on may come from a dump, too."""
        odd = b"\x1b[2J\x9b\xe2\x80\xae\n"
        odd = os.fsdecode(odd)
        for arguments in (["explain", odd], ["show", odd], [odd], ["show", "-F", odd, self.dump],
                          ["show", "-f", odd, self.dump], ["show", "-d", odd, self.dump],
                          ["show", "--debuginfo", odd, self.dump], ["show", "--symbols", odd, self.dump],
                          ["show", self.dump, odd], ["diff", odd, self.dump], ["triage", odd],
                          ["--" + odd], ["extract", self.dump, "-o", "/dev/null/" + odd],
                          ["show", "--types", odd, self.dump], ["show", "--xen-syms", odd, self.dump]):
            with self.subTest(arguments):
                self.clean(*arguments, statuses=(0, 1, 2))

    def test_header(self):
        """Release and build-id come from notes, the architecture from a header."""
        hostile = re.sub(rb"(OSRELEASE=6\.1\.0)-\d\d-amd64",
                         lambda found: found.group(1) + b"\x1b[2J\x9b\xe2\x80\xae\x07", self.data)
        self.assertNotEqual(hostile, self.data)
        path = self.file("release.elf", hostile)
        for form in FORMATS:
            with self.subTest(form=form):
                self.clean("show", "-F", form, path)
        self.clean("triage", path, statuses=TRIAGE)


class Memory(Folder):
    """With little memory: a run ends by itself, and in a line where it fails."""

    def limited(self, path, memory=MEMORY):
        """(status, output) of a run that may have so many bytes of address space."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        status, out, err = raw_run(self.program, "show", "-F", "flat", path, preexec_fn=limit)
        if status == 1:
            self.assertEqual(out, "")
            self.assertRegex(err, r"\Arbstats: [^\n]+\n\Z")
        else:
            self.assertEqual(status, 0, err)
        return status, out

    def each(self, images):
        """images: (what, bytes or path). The counts of the two ways to end."""
        counts = {0: 0, 1: 0}
        for what, data in images:
            with self.subTest(what):
                counts[self.limited(self.file("image", data))[0]] += 1
        self.note("%d read, %d refused" % (counts[0], counts[1]))
        return counts

    def test_too_little(self):
        """Below what the dump needs, in small steps: a line, or the values that could still be read."""
        _, whole = self.limited(self.dump)
        needed = 12 << 20
        while self.limited(self.dump, needed) != (0, whole):
            needed += 1 << 20
            self.assertLess(needed, MEMORY // 2)
        whole, refused = dict(line.split("=", 1) for line in whole.splitlines()), 0
        for step in range(1, 40):
            status, out = self.limited(self.dump, needed - step * (64 << 10))
            refused += status
            for path, value in (line.split("=", 1) for line in out.splitlines()):
                self.assertTrue(value == whole[path] or value.startswith("null ("), (path, value))
        self.note("%d MB are enough; below, %d of 39 refused" % (needed >> 20, refused))

    def test_headers(self):
        """Lengths and counts of the file's own headers."""
        kdump = os.path.join(self.folder, "kdump")
        core = elfcore.Core(self.dump)
        dumpfiles.write_diskdump(kdump, core.pages, dumpfiles.vmcoreinfo(core))
        with open(kdump, "rb") as file:
            kdump = file.read()
        self.assertEqual(self.limited(self.file("whole", kdump))[0], 0)
        # Elf64_Ehdr and Elf64_Phdr; struct disk_dump_header and kdump_sub_header.
        elf = [(56, "<H"), (60, "<H"), (54, "<H"), (32, "<Q")] + [
            (64 + 56 * segment + field, "<Q") for segment in range(3) for field in (8, 24, 32, 40)]
        disk = [(428, "<I"), (432, "<I"), (436, "<I"), (440, "<I"), (464, "<I")] + [
            (4096 + field, "<Q") for field in (32, 40, 48, 56, 64, 72, 80, 88, 96)]
        images = []
        for data, fields in ((self.data, elf), (kdump, disk)):
            for at, form in fields:
                size = struct.calcsize(form)
                for bits in (30, 32, 40, 64):
                    if bits <= 8 * size:
                        value = struct.pack(form, (1 << bits) - (bits == 8 * size))
                        images.append(((at, bits), data[:at] + value + data[at + size:]))
        # The note with VMCOREINFO, and what flattened records say.
        note = self.data.index(b"VMCOREINFO\0") - 12
        for field in (0, 4):
            for value in (1 << 28, 1 << 30, (1 << 31) - 1, (1 << 32) - 1):
                at = note + field
                images.append((("note", field, value), self.data[:at] + struct.pack("<I", value) +
                               self.data[at + 4:]))
        for size in (1 << 28, 1 << 33, 1 << 62):
            images.append((("record", size), dumpfiles.flattened([], False) +
                           struct.pack(">qq", 0, size)))
        self.assertGreater(self.each(images)[1], 10)

    def test_counts(self):
        """Every small number of a page of the kernel's data, replaced by an absurd one."""
        core, info = elfcore.Core(self.dump), dumpfiles.vmcoreinfo(elfcore.Core(self.dump))
        absurd = (1 << 16, 1 << 24, 0x7fffffff, 0xffffffff)

        def images():
            for number, pfn in enumerate(sorted(core.pages)):
                if number % 16:
                    continue
                words = list(struct.unpack("<1024I", core.pages[pfn]))
                value = absurd[number // 16 % len(absurd)]
                # Between zeros of a pointer's upper half and the pointers themselves.
                changed = [value if 1 <= word <= 65536 else word for word in words]
                if changed == words:
                    continue
                pages = dict(core.pages)
                pages[pfn] = struct.pack("<1024I", *changed)
                path = os.path.join(self.folder, "counts")
                elfcore.write(path, pages, info)
                with open(path, "rb") as file:
                    yield (pfn, value), file.read()
        counts = self.each(images())
        self.assertGreater(counts[0], 30)


class Sources(common.Test):
    # What runs a shell, and what makes a name that another may take first.
    FORBIDDEN = ("system", "popen", "tmpnam", "tmpnam_r", "tempnam", "mktemp", "execl", "execlp",
                 "execle", "execv", "execvp", "execve", "execvpe", "posix_spawn", "posix_spawnp", "wordexp", "gets")

    def undefined(self, path):
        ran = common.run(["nm", "-D", "-u", path])
        self.assertEqual(ran.status, 0, ran)
        return {line.split()[-1].partition("@")[0] for line in ran.out.splitlines()}

    def test_no_shell_no_guessable_files(self):
        """Of the program and the extension, as the linker sees them."""
        for name in ("rbstats", "rbstats.so"):
            path = os.path.join(os.path.dirname(self.program), name)
            if name.endswith(".so") and not os.path.exists(path):
                continue
            used = self.undefined(path)
            self.assertIn("malloc", used)
            self.assertEqual(used & set(self.FORBIDDEN), set(), name)

    def constants(self):
        """{macro: value} of every ..._LIMIT in the sources; of one name twice, both."""
        found = {}
        for part in ("lib", "dwarf"):
            for folder, _, names in os.walk(os.path.join(common.TOP, part)):
                for name in names:
                    if not name.endswith((".c", ".h")):
                        continue
                    path = os.path.join(folder, name)
                    with open(path) as file:
                        for macro, value in re.findall(
                                r"^#define (\w+_LIMIT) +([^\n/]*)", file.read(), re.M):
                            key = macro if macro.startswith(("RBS_", "VIRTIO_", "LTTNG_", "VMBUS_",
                                                             "XEN_", "CONTROL_", "FREEBSD_")) else \
                                "%s:%s" % (os.path.relpath(path, common.TOP), macro)
                            found[key] = self.value(value)
        return found

    @staticmethod
    def value(text):
        """An integer of C: (4u << 20), UINT64_C(1) << 30."""
        text = re.sub(r"UINT64_C\((\w+)\)", r"\1", text.strip())
        match = re.fullmatch(r"\(?(\d+)u?(?: << (\d+))?\)?", text)
        return match and int(match.group(1)) << int(match.group(2) or 0)

    def test_documented_limits(self):
        """docs/robustness.md names the constant of each limit, and its value."""
        with open(os.path.join(common.TOP, "docs", "robustness.md")) as file:
            table = re.search(r"^## Limits\n(.*?)^## ", file.read(), re.M | re.S).group(1)
        rows = re.findall(r"^\| ([^|]+) \| ([\d,]+)(?: ([KMG]iB?))? \| `([^`|]+)` \|$", table, re.M)
        lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
        self.assertEqual(len(rows), len(lines), "a row that is not: of | limit | `constant`")
        constants, documented = self.constants(), {}
        for what, number, unit, macro in rows:
            self.assertIn(macro, constants, what)
            documented[macro] = int(number.replace(",", "")) * UNITS[unit or ""]
            self.assertEqual(documented[macro], constants[macro], what)
        # A header's limit is one that others rely on: each is told.
        shared = {macro for macro in constants if ":" not in macro}
        self.assertEqual(shared - set(documented), set())
        self.note("%d limits" % len(documented))
