"""Every form of dump file that is said to be read gives the same figures: docs/support.md lists them."""

import os
import struct
import shutil
import tempfile
import unittest

import common
import dumpfiles
import elfcore

NAME = "linux-6.1-packed"


class Formats(common.Test):
    """The pages of a real dump, written in each form; makedumpfile's own are the guests' test."""

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.core = elfcore.Core(common.fixture(NAME + ".elf"))
        self.info = dumpfiles.vmcoreinfo(self.core)
        self.path = os.path.join(self.folder, "dump")

    def same(self, path, form):
        ran = self.rbstats("show", "-F", "flat", "-v", path)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertEqual(ran.out.splitlines(), common.fixture_golden(NAME).splitlines())
        self.assertEqual(self.show(path)["dump"]["format"], form)

    def write(self, compression):
        dumpfiles.write_diskdump(self.path, self.core.pages, self.info, compression)

    def test_elf(self):
        elfcore.write(self.path, self.core.pages, self.info)
        self.same(self.path, "elf")

    def test_kdump(self):
        sizes = set()
        for compression in (None, *dumpfiles.COMPRESSIONS):
            with self.subTest(compression):
                self.write(compression)
                self.same(self.path, "diskdump")
                sizes.add(os.path.getsize(self.path))
        self.assertEqual(len(sizes), 1 + len(dumpfiles.COMPRESSIONS), "they are not one and the same")

    def damaged(self, compression, replace):
        """What is printed when one descriptor is replaced, for descriptors all over the file."""
        self.write(compression)
        with open(self.path, "r+b") as file:
            header = file.read(dumpfiles.DISK_HEADER.size)
            sub_blocks, bitmap_blocks = struct.unpack_from("<II", header, 432)
            table = dumpfiles.PAGE * (1 + sub_blocks + bitmap_blocks)
            count = len(self.core.pages)
            for index in range(1, count, count // 24):
                file.seek(table + index * dumpfiles.PAGE_DESC.size)
                told = file.read(dumpfiles.PAGE_DESC.size)
                for there in (dumpfiles.PAGE_DESC.pack(*replace(*dumpfiles.PAGE_DESC.unpack(told))), told):
                    file.seek(table + index * dumpfiles.PAGE_DESC.size)
                    file.write(there)
                    file.flush()
                    if there != told:
                        yield self.rbstats("show", "-F", "flat", "-v", self.path)

    def test_damaged_descriptors(self):
        """A page that would be larger than a page, or outside the file: what lies in it is absent."""
        golden = dict(line.split("=", 1) for line in common.fixture_golden(NAME).splitlines())
        absent = refused = 0
        for compression, replace in (
                ("lzo", lambda offset, length, flags, page: (offset, 60000, 2, page)),
                ("zstd", lambda offset, length, flags, page: (offset, 4097, 0x20, page)),
                ("zlib", lambda offset, length, flags, page: (1 << 40, length, flags, page)),
                (None, lambda offset, length, flags, page: (offset, 1 << 31, 0, page))):
            for ran in self.damaged(compression, replace):
                if ran.status:
                    self.assertOneLine(ran, "is damaged|the file ends at byte")
                    refused += 1
                    continue
                for line in ran.out.splitlines():
                    path, value = line.split("=", 1)
                    if value.startswith("null ("):
                        absent += golden.get(path) != value
                    elif path in golden:
                        self.assertEqual(value, golden[path], path)
        self.assertGreater(absent, 0)
        self.note("%d values absent, %d dumps refused" % (absent, refused))

    def test_flattened(self):
        for compression in (None, "zlib", "lzo"):
            with self.subTest(compression):
                self.write(compression)
                dumpfiles.write_flattened(self.path + ".flat", self.path)
                self.same(self.path + ".flat", "diskdump")
        elfcore.write(self.path, self.core.pages, self.info)
        dumpfiles.write_flattened(self.path + ".flat", self.path)
        self.same(self.path + ".flat", "elf")

    def test_split(self):
        """A part alone would show what is in the other parts as excluded."""
        middle = sorted(self.core.pages)[len(self.core.pages) // 2]
        for part in ((0, middle), (middle, max(self.core.pages) + 1)):
            with self.subTest(part):
                dumpfiles.write_diskdump(self.path, self.core.pages, self.info, part=part)
                self.assertOneLine(self.rbstats(self.path), "one part of a split dump: .*"
                                   "makedumpfile --reassemble")


if __name__ == "__main__":
    unittest.main()
