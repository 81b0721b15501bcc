"""Files that are not what they should be: one clear line, status 1; never a crash, never a hang."""

import functools
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import tempfile

import common
import dumpfiles
import elfcore

DUMP = "linux-6.1-virtio.elf"
PLACES = (1, 63, 64, 1000, 4096, 20000, "3%", "30%", "70%", "last")
TIMEOUT = 60
LEAKS = common.LIBRARY_LEAKS


@functools.lru_cache(maxsize=None)
def core():
    return elfcore.Core(common.fixture(DUMP))


class Inputs:
    """The tests, for the program as it is and as the sanitizers watch it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rbstats-bad-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.dump = common.fixture(DUMP)

    def file(self, name, data=b""):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def ran(self, *arguments, **options):
        options.setdefault("timeout", TIMEOUT)
        return self.rbstats("-F", "flat", "-f", "virtio", *arguments, **options)

    def refused(self, pattern, *arguments, **options):
        """It fails in one line that tells what the matter is; returns the line."""
        ran = self.ran(*arguments, **options)
        self.assertOneLine(ran, pattern)
        return ran.err

    def whole(self, dump=None):
        ran = self.ran(dump or self.dump)
        self.assertEqual(ran.status, 0, ran)
        lines = ran.out.splitlines()
        self.assertGreater(len(lines), 300)
        return dict(line.split("=", 1) for line in lines)

    def refused_or_partial(self, whole, *arguments, **options):
        """
        Refused in one line; or what it still prints is what it prints of the whole dump, or says
        why it is absent. Returns whether it was refused.
        """
        ran = self.ran(*arguments, **options)
        if ran.status != 0:
            self.assertOneLine(ran)
            return True
        for line in ran.out.splitlines():
            path, _, value = line.partition("=")
            if value != whole.get(path):
                self.assertRegex(value, r"\Anull \((excluded|unmapped|truncated|corrupt|"
                                 r"no-symbol|no-types|io-error)\)\Z", line)
        return False

    # -- files that are no dumps -----------------------------------------

    def test_no_file(self):
        self.refused("No such file", os.path.join(self.folder, "missing"))
        self.refused("Not a directory", self.file("plain") + "/dump")

    def test_no_argument(self):
        self.assertOneLine(self.rbstats(timeout=TIMEOUT), "no dump")
        self.assertOneLine(self.rbstats("show", timeout=TIMEOUT), "no dump")

    def test_empty(self):
        self.refused("empty", self.file("empty"))

    def test_text(self):
        self.refused("not a dump", self.file("text", b"To whom it may concern:\n" * 200))

    def test_zeros(self):
        self.refused("not a dump", self.file("zeros", bytes(1 << 20)))

    def test_noise(self):
        noise = random.Random(1)
        for size in (7, 4096, 1 << 20):
            with self.subTest(size):
                self.refused("not a dump", self.file("noise", noise.randbytes(size)))

    def test_folder(self):
        self.refused("directory", self.folder)

    def test_devices(self):
        for device in ("/dev/null", "/dev/zero"):
            with self.subTest(device):
                self.refused(device, device)

    def test_fifo(self):
        path = os.path.join(self.folder, "fifo")
        os.mkfifo(path)
        self.refused("fifo", path)

    def test_itself(self):
        self.refused("no core file", self.program)

    def test_name_with_escapes(self):
        ran = self.ran(os.path.join(self.folder, "\x1b[2Jmissing\nname"))
        self.assertOneLine(ran, "No such file")
        self.assertNotIn("\x1b", ran.err)

    # -- damaged dumps -----------------------------------------------------

    def cut(self, source):
        size = os.path.getsize(source)
        with open(source, "rb") as file:
            data = file.read()
        for place in PLACES:
            at = place if isinstance(place, int) else \
                size - 1 if place == "last" else size * int(place[:-1]) // 100
            yield place, self.file("cut", data[:at])

    def truncated(self, source):
        whole, refused = self.whole(source), 0
        for place, path in self.cut(source):
            with self.subTest(place):
                refused += self.refused_or_partial(whole, path)
        self.note("%d of %d places refused" % (refused, len(PLACES)))
        self.assertGreaterEqual(refused, len(PLACES) - 1)

    def test_truncated_elf(self):
        self.truncated(self.dump)

    def test_truncated_diskdump(self):
        path = os.path.join(self.folder, "diskdump")
        dumpfiles.write_diskdump(path, core().pages, dumpfiles.vmcoreinfo(core()))
        self.assertEqual(self.whole(path), self.whole())
        self.truncated(path)

    def test_truncated_flattened(self):
        path = os.path.join(self.folder, "flattened")
        dumpfiles.write_flattened(path, self.dump)
        self.assertEqual(self.whole(path), self.whole())
        self.truncated(path)

    def test_no_vmcoreinfo(self):
        path = os.path.join(self.folder, "novmcoreinfo")
        elfcore.write(path, core().pages, b"")
        self.refused("VMCOREINFO", path)
        # Another owner's note instead.
        with open(self.dump, "rb") as file:
            data = file.read()
        other = data.replace(b"VMCOREINFO\0", b"OTHER_INFO\0", 1)
        self.refused("VMCOREINFO", self.file("other", other))
        path = os.path.join(self.folder, "novmcoreinfo.kdump")
        dumpfiles.write_diskdump(path, core().pages, b"")
        self.refused("VMCOREINFO", path)

    def test_no_vmcoreinfo_advice(self):
        """What is to be done about it fits the architecture: s390x's QEMU has no such device."""
        for stem, advice in (("linux-6.1-packed", "vmcoreinfo device"),
                             ("linux-6.12-arm64", "vmcoreinfo device"),
                             ("linux-6.12-s390x", "the machine's first page")):
            with open(common.fixture(stem + ".elf"), "rb") as file:
                other = file.read().replace(b"VMCOREINFO\0", b"OTHER_INFO\0", 1)
            self.refused("no VMCOREINFO.*" + advice, self.file("other", other))

    def test_senseless_vmcoreinfo(self):
        info = dumpfiles.vmcoreinfo(core())
        path = os.path.join(self.folder, "vmcoreinfo")
        for name, changed in (
                ("one byte", b"x"), ("no lines", info.replace(b"\n", b" ")),
                ("no values", b"\n".join(line.split(b"=")[0] for line in info.splitlines())),
                ("endless value", b"OSRELEASE=" + b"9" * 60000 + b"\n" + info),
                ("page size 3", info.replace(b"PAGESIZE=4096", b"PAGESIZE=3")),
                ("page size 0", info.replace(b"PAGESIZE=4096", b"PAGESIZE=0")),
                ("symbols at 0", re.sub(rb"(SYMBOL\([a-z_]+\))=\w+", rb"\1=0", info)),
                ("symbols at the end", re.sub(
                    rb"(SYMBOL\([a-z_]+\))=\w+", rb"\1=fffffffffffffff0", info)),
                ("wrong phys_base", re.sub(
                    rb"(NUMBER\(phys_base\))=-?\d+", rb"\1=4398046511104", info))):
            with self.subTest(name):
                elfcore.write(path, core().pages, changed)
                self.refused_or_partial(self.whole(), path, env=LEAKS)

    def page_tables_without(self, level):
        tables = dumpfiles.page_tables(core())
        self.assertTrue(tables[level])
        return {pfn: data for pfn, data in core().pages.items() if pfn not in tables[level]}

    def test_page_tables_excluded(self):
        whole, info = self.whole(), dumpfiles.vmcoreinfo(core())
        path = os.path.join(self.folder, "notables")
        refused = 0
        for level in range(len(dumpfiles.page_tables(core()))):
            pages = self.page_tables_without(level)
            with self.subTest(level=level, format="elf"):
                elfcore.write(path, pages, info)
                refused += self.refused_or_partial(whole, path, env=LEAKS)
            with self.subTest(level=level, format="diskdump"):
                dumpfiles.write_diskdump(path, pages, info)
                refused += self.refused_or_partial(whole, path, env=LEAKS)
        self.note("%d refused" % refused)

    def test_root_page_table_excluded(self):
        path = os.path.join(self.folder, "noroot")
        for writer in (elfcore.write, dumpfiles.write_diskdump):
            with self.subTest(writer.__module__):
                writer(path, self.page_tables_without(0), dumpfiles.vmcoreinfo(core()))
                self.refused("page table|translation|mapped|not in the dump", path,
                             env=LEAKS)

    def test_no_pages(self):
        path = os.path.join(self.folder, "nopages")
        one = {min(core().pages): core().pages[min(core().pages)]}
        for writer in (elfcore.write, dumpfiles.write_diskdump):
            with self.subTest(writer.__module__):
                writer(path, one, dumpfiles.vmcoreinfo(core()))
                self.refused("", path, env=LEAKS)

    # -- other machines ----------------------------------------------------

    def test_other_machine_elf(self):
        with open(self.dump, "rb") as file:
            data = file.read()
        for number, name in ((21, "ppc64"), (3, "i686"),
                             (243, "riscv64"), (0xfffe, "number 65534")):
            with self.subTest(number):
                path = self.file("machine", data[:18] + struct.pack("<H", number) + data[20:])
                self.refused("architecture %s" % name, path)

    def test_other_machine_diskdump(self):
        whole = os.path.join(self.folder, "machine.kdump")
        dumpfiles.write_diskdump(whole, core().pages, dumpfiles.vmcoreinfo(core()))
        with open(whole, "rb") as file:
            data = file.read()
        for machine in (b"ppc64le", b"mips64", b"m68k", b"\x1b[2J", b""):
            with self.subTest(machine):
                at = data.index(b"x86_64")
                changed = data[:at] + machine.ljust(65, b"\0") + data[at + 65:]
                line = self.refused("architecture", self.file("machine", changed))
                self.assertNotIn("\x1b", line)

    # -- hostile headers -----------------------------------------------------

    def test_hostile_elf_header(self):
        with open(self.dump, "rb") as file:
            data = file.read()
        fields = {"e_phoff": (32, "<Q", (0, 1 << 63, len(data) - 8)),
                  "e_phentsize": (54, "<H", (0, 1, 65535)),
                  "e_phnum": (56, "<H", (0, 65535)),
                  "e_ehsize": (52, "<H", (0, 65535)),
                  "e_shnum": (60, "<H", (65535,)),
                  "class": (4, "<B", (0, 1, 3)), "order": (5, "<B", (0, 2, 3)),
                  "e_type": (16, "<H", (0, 1, 2, 3))}
        self.headers(data, fields)

    def test_hostile_segments(self):
        with open(self.dump, "rb") as file:
            data = file.read()
        fields = {}
        for segment in (0, 1, 5):
            at = 64 + 56 * segment
            for name, offset in (("p_offset", 8), ("p_paddr", 24), ("p_filesz", 32),
                                 ("p_memsz", 40)):
                fields["%s of %d" % (name, segment)] = (
                    at + offset, "<Q", (0, 1, 1 << 40, 1 << 63, (1 << 64) - 1))
        self.headers(data, fields)

    def test_hostile_diskdump_header(self):
        path = os.path.join(self.folder, "header.kdump")
        dumpfiles.write_diskdump(path, core().pages, dumpfiles.vmcoreinfo(core()))
        with open(path, "rb") as file:
            data = file.read()
        # From struct disk_dump_header: after utsname (12 to 402) and the timestamp.
        fields = {"version": (8, "<i", (0, 1, 7, -1)),
                  "block_size": (428, "<i", (0, 1, 3, 512, 65536, 1 << 30, -4096)),
                  "sub_hdr_size": (432, "<i", (0, 2, 1 << 30, -1)),
                  "bitmap_blocks": (436, "<i", (0, 1, 1 << 20, (1 << 31) - 1, -1)),
                  "max_mapnr": (440, "<I", (0, 1, (1 << 32) - 1)),
                  "nr_cpus": (464, "<i", (0, 1 << 30, -1)),
                  "offset_vmcoreinfo": (4096 + 32, "<q", (0, 1 << 40, -1)),
                  "size_vmcoreinfo": (4096 + 40, "<Q", (0, 1 << 40, (1 << 64) - 1)),
                  "offset_note": (4096 + 48, "<q", (1 << 40, -1)),
                  "size_note": (4096 + 56, "<Q", (1 << 40, (1 << 64) - 1)),
                  "max_mapnr_64": (4096 + 96, "<Q", (0, 1, 1 << 40, (1 << 64) - 1))}
        self.headers(data, fields)

    def headers(self, data, fields):
        whole, count = self.whole(), 0
        for name, (at, form, values) in fields.items():
            for value in values:
                with self.subTest(field=name, value=value):
                    changed = data[:at] + struct.pack(form, value) + \
                        data[at + struct.calcsize(form):]
                    self.refused_or_partial(whole, self.file("header", changed),
                                            env=LEAKS)
                    count += 1
        self.note("%d headers" % count)

    def test_hostile_stream(self):
        good = [(0, b"x" * 5000)]
        for name, data in (
                ("no records", dumpfiles.flattened([])),
                ("no end", dumpfiles.flattened(good, end=False)),
                ("no records, no end", dumpfiles.flattened([], end=False)),
                ("negative offset", dumpfiles.flattened([(-2, b"abcd")])),
                ("far offset", dumpfiles.flattened([(1 << 62, b"abcd")])),
                ("negative size", dumpfiles.flattened([], False) + struct.pack(">qq", 0, -5)),
                ("endless size", dumpfiles.flattened([], False) + struct.pack(">qq", 0, 1 << 62)),
                ("not a dump inside", dumpfiles.flattened(good)),
                ("a stream in a stream", dumpfiles.flattened([(0, dumpfiles.flattened(good))]))):
            with self.subTest(name):
                self.refused("", self.file("stream", data))

    def test_no_room_for_a_copy(self):
        path = os.path.join(self.folder, "flattened")
        dumpfiles.write_flattened(path, self.dump)
        ran = self.ran(path, env={"TMPDIR": os.path.join(self.folder, "missing")})
        # Another folder will do.
        self.assertEqual(ran.status, 0, ran)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        done = subprocess.run([self.program, path], preexec_fn=limit, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        ran = common.Ran([path], done.returncode, done.stdout.decode(), done.stderr.decode())
        self.assertOneLine(ran, "TMPDIR|makedumpfile -R")

    # -- hostile memory ------------------------------------------------------

    def test_damaged_memory(self):
        """Bytes of the kernel's memory changed at random: any figures, but an end, and no crash."""
        statuses = {0: 0, 1: 0}
        info = dumpfiles.vmcoreinfo(core())
        path = os.path.join(self.folder, "damaged")
        for seed in range(40):
            chance, pages = random.Random(seed), dict(core().pages)
            for pfn in chance.sample(sorted(pages), len(pages) // 10 if seed % 2 else 3):
                data = bytearray(pages[pfn])
                for _ in range(chance.choice((1, 8, 64))):
                    at = chance.randrange(512) * 8
                    data[at:at + 8] = chance.choice((
                        bytes(8), b"\xff" * 8, chance.randbytes(8), struct.pack("<Q", 1 << 63),
                        data[:8], bytes(data[at:at + 7]) + b"\x7f"))
                pages[pfn] = bytes(data)
            elfcore.write(path, pages, info)
            with self.subTest(seed):
                ran = self.rbstats("-v", "-F", "flat", path, timeout=TIMEOUT, env=LEAKS)
                self.assertIn(ran.status, statuses, ran)
                statuses[ran.status] += 1
                if ran.status == 1:
                    self.assertOneLine(ran)
        self.note("%d read, %d refused" % (statuses[0], statuses[1]))

    def test_missing_pages(self):
        """A few of the pages left out: what is still printed is right."""
        whole, info = self.whole(), dumpfiles.vmcoreinfo(core())
        path = os.path.join(self.folder, "missingpages")
        refused = 0
        for seed in range(40):
            pages = dict(core().pages)
            for pfn in random.Random(1000 + seed).sample(sorted(pages), 1 + seed % 4):
                del pages[pfn]
            elfcore.write(path, pages, info)
            with self.subTest(seed):
                refused += self.refused_or_partial(whole, path, env=LEAKS)
        self.note("%d of 40 refused" % refused)

    # -- files beside the dump -------------------------------------------------

    def test_wrong_vmlinux(self):
        path = os.path.join(self.folder, "vmlinux")
        dumpfiles.write_vmlinux(path, bytes(range(1, 21)))
        line = self.refused("0102030405060708090a0b0c0d0e0f1011121314", self.dump, path)
        # Both ids are named: the file's and the dump's.
        own = dict(text.split("=", 1) for text in
                   dumpfiles.vmcoreinfo(core()).decode().splitlines() if "=" in text)["BUILD-ID"]
        self.assertIn(own, line)

    def test_vmlinux_is_none(self):
        for name, path in (("missing", os.path.join(self.folder, "missing")),
                           ("empty", self.file("emptyvmlinux")),
                           ("text", self.file("textvmlinux", b"vmlinux\n" * 100)),
                           ("folder", self.folder), ("a dump", self.dump)):
            with self.subTest(name):
                self.refused(os.path.basename(path), self.dump, path)

    def test_symbols_are_none(self):
        for name, path in (("missing", os.path.join(self.folder, "missing")),
                           ("empty", self.file("emptymap")),
                           ("text", self.file("textmap", b"no symbols here\n" * 100)),
                           ("folder", self.folder)):
            with self.subTest(name):
                self.refused(os.path.basename(path), "--symbols", path, self.dump)


class BadInput(Inputs, common.Test):
    pass


class BadInputSanitized(Inputs, common.SanitizedTest):
    pass


class GuestDumps(Inputs, common.GuestTest):
    """The truncated dumps once more, as makedumpfile and QEMU wrote the whole ones."""

    def test_truncated_forms(self):
        guest = common.guest("v61-split")
        refused = count = 0
        for form in ("elf", "elf-d31", "kdump-zlib", "zlib-d31", "lzo-d31"):
            whole = self.whole(guest.dumps[form])
            size = os.path.getsize(guest.dumps[form])
            path = os.path.join(self.folder, "cut." + form)
            for tenth in range(9, -1, -1):
                at = max(1, size * tenth // 10) - (tenth == 9)
                if not os.path.exists(path):
                    shutil.copyfile(guest.dumps[form], path)
                os.truncate(path, at)
                with self.subTest(form=form, at=at):
                    refused += self.refused_or_partial(whole, path)
                    count += 1
            os.unlink(path)
        self.note("%d of %d refused" % (refused, count))


# The tests of the mixin itself run in the classes above; guests' dumps need only their own.
for _name in [name for name in dir(Inputs) if name.startswith("test_")]:
    setattr(GuestDumps, _name, None)
