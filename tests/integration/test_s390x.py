"""Dumps of s390x in forms that QEMU doesn't write, and what kernels of that architecture lack."""

import importlib
import os
import shutil
import struct
import subprocess
import tempfile

import common
import test_ftrace
import test_virtio

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4
ELF_HEADER = struct.Struct(">16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct(">IIQQQQQQ")

# s390-tools' zipl/include/stage2dump.h, struct df_s390_hdr, in a page of its own; its array of
# CPUs' lowcores is left empty, as it is not read.
DUMP_HEADER = struct.Struct(">QIIIIQQQI4xQQIIIQBHH")
MAGIC, SIXTY_FOUR_BITS = 0xa8190173618f23fd, 2


NOTE = struct.Struct(">III")
VMCOREINFO_POINTER = 0xe0c  # in the machine's first page (arch/s390/include/asm/lowcore.h)


class Qemu:
    """The parts of QEMU's ELF dump: one segment of notes, one of memory from address 0 on."""

    def __init__(self, file):
        self.file = file
        self.head = list(ELF_HEADER.unpack(file.read(ELF_HEADER.size)))
        file.seek(self.head[5])
        parts = [SEGMENT.unpack(file.read(SEGMENT.size)) for _ in range(self.head[10])]
        (_, _, offset, _, _, size, _, _), = [part for part in parts if part[0] == PT_NOTE]
        file.seek(offset)
        self.notes = file.read(size)
        (_, _, self.offset, _, start, self.size, _, _), = \
            [part for part in parts if part[0] == PT_LOAD]
        assert start == 0

    def read(self, address, size):
        self.file.seek(self.offset + address)
        return self.file.read(size)

    def copy(self, file):
        """All of memory, at the place where file is; zeros become holes."""
        self.file.seek(self.offset)
        for _ in range(0, self.size, 1 << 16):
            data = self.file.read(1 << 16)
            if data.strip(b"\0"):
                file.write(data)
            else:
                file.seek(len(data), os.SEEK_CUR)


def write_noted(source, path):
    """A copy of QEMU's dump with the note that makedumpfile asks for, as /proc/vmcore has it."""
    with open(source, "rb") as elf, open(path, "wb") as file:
        dump = Qemu(elf)
        note = struct.unpack(">Q", dump.read(VMCOREINFO_POINTER, 8))[0]
        name, text, _ = NOTE.unpack(dump.read(note, NOTE.size))
        notes = dump.notes + dump.read(note, NOTE.size + -(-name // 4) * 4 + -(-text // 4) * 4)
        at = ELF_HEADER.size + 2 * SEGMENT.size
        memory = -(-(at + len(notes)) // PAGE) * PAGE
        head = dump.head
        head[5], head[6], head[8], head[11:] = ELF_HEADER.size, 0, ELF_HEADER.size, [0, 0, 0]
        file.write(ELF_HEADER.pack(*head))
        file.write(SEGMENT.pack(PT_NOTE, 0, at, 0, 0, len(notes), len(notes), 4))
        file.write(SEGMENT.pack(PT_LOAD, 7, memory, 0, 0, dump.size, dump.size, PAGE))
        file.write(notes)
        file.seek(memory)
        dump.copy(file)
        file.truncate()


def write_s390dump(source, path):
    """A stand-alone dump, as s390x's own dump tools write them, of the memory of an ELF dump."""
    with open(source, "rb") as elf, open(path, "wb") as file:
        dump = Qemu(elf)
        size = dump.size
        file.write(DUMP_HEADER.pack(MAGIC, 5, PAGE, 4, PAGE, size, 0, size, size // PAGE, 1000, 0,
                                    SIXTY_FOUR_BITS, 0, SIXTY_FOUR_BITS, size, 0, 2, 2))
        file.seek(PAGE)
        dump.copy(file)
        file.write(b"DUMP_END" + struct.pack(">Q", 1001))


class Forms(common.GuestTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def flat(self, path):
        ran = self.rbstats("show", "-v", "-F", "flat", path)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        return ran.out

    def test_s390dump(self):
        dump = common.guest("s612").dumps["elf"]
        path = os.path.join(self.folder, "s390dump")
        write_s390dump(dump, path)
        told = self.flat(path)
        self.assertEqual(told, self.flat(dump))
        self.note("%d lines as from ELF" % len(told.splitlines()))
        # The excerpt of it is an ELF file again.
        excerpt = os.path.join(self.folder, "excerpt")
        ran = self.rbstats("excerpt", path, "-o", excerpt)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(self.flat(excerpt), told)

    def test_makedumpfile(self):
        """s390x's own makedumpfile, under QEMU's user emulation."""
        dump = common.guest("s612").dumps["elf"]
        told = self.flat(dump)
        noted = os.path.join(self.folder, "noted")
        write_noted(dump, noted)
        self.assertEqual(self.flat(noted), told)
        program = self.makedumpfile()
        for options in (["-c", "-d", "0"], ["-c", "-d", "31"], ["-l", "-d", "31"],
                        ["-z", "-d", "31"], ["-E", "-d", "31"]):
            with self.subTest(options):
                path = os.path.join(self.folder, "made")
                subprocess.run(program + options + [noted, path], check=True, timeout=300,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.assertEqual(self.flat(path), told)
                os.unlink(path)
        self.note("%d lines each" % len(told.splitlines()))

    def makedumpfile(self):
        emulated = importlib.import_module("toolkit.emulated")
        errors = importlib.import_module("toolkit.errors")
        try:
            # One that knows kernels which are not mapped one to one.
            return emulated.argv("makedumpfile", "sid", ["makedumpfile"], "s390x")
        except errors.Skip as error:
            return common.skip_or_fail("makedumpfile of s390x: %s" % error,
                                       isinstance(error, errors.NotReachable))

    def test_s390dump_cut_off(self):
        path = os.path.join(self.folder, "s390dump")
        write_s390dump(common.guest("s612").dumps["elf"], path)
        os.truncate(path, os.path.getsize(path) - 4 * PAGE)
        self.assertOneLine(self.rbstats("show", path), "s390dump")


class Poor(common.GuestTest):
    """Debian's 6.1: functions are all that kallsyms names, and there is no BTF."""

    def test_one_line_says_what_to_give(self):
        dump = common.guest("s61").dumps["elf"]
        for command in (["show"], ["show", "-f", "ftrace"], ["excerpt", "-o", "/dev/null"]):
            self.assertOneLine(self.rbstats(*command, dump),
                               "6.1.*KALLSYMS_ALL.*BTF.*vmlinux with debug information")

    def test_with_its_vmlinux(self):
        guest = common.guest("s61")
        files = common.debug_files("bookworm", "linux-image-6.1.*-s390x",
                                   ["virtio_net", "virtio_blk", "virtio_console", "virtio_rng",
                                    "virtio_balloon"], "s390x")
        vmlinux, = [file for file in files if "vmlinux" in file]
        options = [word for file in files for word in ("--debuginfo", file) if file != vmlinux]
        report = self.show("-v", *options, guest.dumps["elf"], vmlinux)
        self.assertEqual(report["problems"], [])
        rings = test_virtio.Comparison(self, report, guest.truth)
        self.assertEqual(rings.section["types"], "dwarf")
        rings.all()
        rings.held_disk()
        ftrace = test_ftrace.Comparison(self, report, guest.truth, False)
        ftrace.all()
        self.note("%d and %d values" % (rings.count, ftrace.count))


class Sanitized(common.SanitizedTest):
    """Big-endian dumps leave other marks of a wrong read than little-endian ones."""

    def test_fixtures(self):
        names = [name for name in common.fixtures() if "s390x" in name]
        self.assertGreater(len(names), 2)
        for name in names:
            with self.subTest(name):
                dump = common.fixture(name)
                stem = name.rpartition(".")[0]
                shown = self.rbstats("show", "-v", "-F", "flat", *common.fixture_options(stem),
                                     dump, env=common.LIBRARY_LEAKS)
                self.assertEqual((shown.status, shown.err), (0, ""), shown)
                self.assertEqual(shown.out, common.fixture_golden(stem))


class PoorFixture(common.Test):
    def test_one_line_says_what_to_give(self):
        dump = common.fixture("linux-6.1-s390x.elf")
        self.assertOneLine(self.rbstats(dump),
                           "6.1.*KALLSYMS_ALL.*BTF.*vmlinux with debug information")
        # Names alone are not enough where there is no BTF.
        names = common.fixture("linux-6.1-s390x.map")
        self.assertOneLine(self.rbstats("--symbols", names, dump),
                           "structures.*6.1.*no BTF in the dump.*vmlinux with debug information")
