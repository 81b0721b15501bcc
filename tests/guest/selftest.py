#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the toolkit's own code that need no guest: a few seconds."""

import gzip
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from toolkit import apt, dumps, initramfs, recipe, truth  # noqa: E402
from toolkit.errors import GuestError  # noqa: E402


class Block(unittest.TestCase):
    def test_sections_nest_and_values_stay_text(self):
        said = truth.block("boot\nTRUTH-BEGIN\n[a]\nx=1\n[a/cpu0]\ny=a=b\n"
                           "TRUTH-END\nREADY\n")
        self.assertEqual(said, {"a": {"x": "1", "cpu0": {"y": "a=b"}}})

    def test_foreign_lines_are_errors(self):
        for line in ("[  12.3] kernel message", "no sign", "x=1\nx=2"):
            with self.assertRaises(GuestError):
                truth.block("TRUTH-BEGIN\n%s\nTRUTH-END\n" % line)

    def test_a_block_cut_off_is_an_error(self):
        with self.assertRaises(GuestError):
            truth.block("TRUTH-BEGIN\nx=1\n")

    def test_devices_are_joined_by_their_address(self):
        said = {"virtio": {"virtio0": {"bus_address": "0000:00:05.0"}}}
        truth.join_virtio(said, {"05.0": {"qemu_name": "virtio-blk"}})
        self.assertEqual(said["virtio"]["virtio0"]["qemu"]["qemu_name"],
                         "virtio-blk")
        with self.assertRaises(GuestError):
            truth.join_virtio(said, {"06.0": {}})


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)


class ProgramHeaders(Folder):
    """A file as QEMU writes it: a section header before the program headers."""

    def write(self, data_offset):
        head = bytearray(64)
        head[:6] = b"\x7fELF\x02\x01"
        struct.pack_into("<QQ", head, 32, 192, 64)
        struct.pack_into("<HHHHHH", head, 52, 64, 56, 2, 64, 1, 0)
        table = b"".join(struct.pack("<IIQQQQQQ", kind, 0, data_offset,
                                     0, 0, 8, 8, 0) for kind in (4, 1))
        with open(self.path("elf"), "wb") as file:
            file.write(bytes(head) + bytes(128) + table)
            file.seek(data_offset)
            file.write(b"contents")
        return table

    def test_they_move_behind_the_elf_header(self):
        table = self.write(400)
        dumps.program_headers_first(self.path("elf"))
        with open(self.path("elf"), "rb") as file:
            data = file.read()
        self.assertEqual(struct.unpack_from("<QQ", data, 32), (64, 0))
        self.assertEqual(struct.unpack_from("<HHHHHH", data, 52),
                         (64, 56, 2, 0, 0, 0))
        self.assertEqual(data[64:64 + len(table)], table)
        self.assertEqual(data[400:], b"contents")

    def test_a_file_without_room_is_left_alone(self):
        self.write(320)
        with open(self.path("elf"), "r+b") as file:
            file.seek(192 + 8)
            file.write(struct.pack("<Q", 100))
        with open(self.path("elf"), "rb") as file:
            before = file.read()
        with self.assertRaises(GuestError):
            dumps.program_headers_first(self.path("elf"))
        with open(self.path("elf"), "rb") as file:
            self.assertEqual(file.read(), before)


class Archive(Folder):
    def unpack(self, image):
        """The archive as another program reads it."""
        image.write(self.path("image"))
        with gzip.open(self.path("image")) as file:
            subprocess.run(["busybox", "cpio", "-i", "-d"], input=file.read(),
                           cwd=self.folder, check=True,
                           stderr=subprocess.DEVNULL)

    def test_files_and_links_arrive(self):
        image = initramfs.Initramfs()
        image.data("usr/share/x/note", "text\n", 0o640)
        image.init("#!/bin/sh\n")
        # A device node can't be made without root.
        del image._entries["dev/console"]
        self.unpack(image)
        with open(self.path("usr/share/x/note")) as file:
            self.assertEqual(file.read(), "text\n")
        self.assertEqual(os.stat(self.path("usr/share/x/note")).st_mode & 0o777,
                         0o640)
        self.assertEqual(os.readlink(self.path("bin/sh")), "busybox")
        self.assertTrue(os.access(self.path("init"), os.X_OK))

    def test_the_same_input_gives_the_same_bytes(self):
        for name in ("one", "two"):
            image = initramfs.Initramfs()
            image.data("a", "a")
            image.write(self.path(name))
        with open(self.path("one"), "rb") as one, \
                open(self.path("two"), "rb") as two:
            self.assertEqual(one.read(), two.read())

    def test_a_module_comes_after_all_that_it_needs(self):
        # modprobe loads a line's modules from the right to the left.
        image = initramfs.Initramfs()
        image._modules = {"top": ("top.ko", ["left", "base"]),
                          "left": ("left.ko", ["base"]),
                          "base": ("base.ko", [])}
        self.assertIn("top.ko: left.ko base.ko\n", image._modules_dep())
        self.assertIn("base.ko: \n", image._modules_dep())


class Versions(unittest.TestCase):
    def test_numbers_count_not_letters(self):
        self.assertLess(apt.version_key("6.1.99-1"), apt.version_key("6.1.192-3"))
        self.assertLess(apt.version_key("7.2.12-1~bpo13+1"),
                        apt.version_key("7.3.4-1~bpo13+1"))


class Recipes(unittest.TestCase):
    def test_each_can_be_loaded_and_hashed(self):
        names = recipe.find()
        self.assertIn("v61-split", names)
        digests = set()
        for name in names:
            self.assertTrue(recipe.load(name).summary)
            digests.add(recipe.digest(name))
        self.assertEqual(len(digests), len(names))


if __name__ == "__main__":
    unittest.main()
