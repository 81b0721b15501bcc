"""What dumps of arm64 lack: 6.1's kernel has no names of variables, QEMU's kdump form no page size."""

import os
import shutil
import tempfile

import common
import dumpfiles
import elfcore
import test_ftrace
import test_virtio


class GuestTest(common.GuestTest):
    def compare(self, guest, *options):
        report = self.show("-v", *options)
        virtio = test_virtio.Comparison(self, report, guest.truth)
        ftrace = test_ftrace.Comparison(self, report, guest.truth, False)
        for comparison in (virtio, ftrace):
            self.assertEqual((comparison.section["status"], comparison.section["types"]),
                             ("ok", "btf"))
            comparison.all()
        if virtio.frozen:
            virtio.held_disk()
        self.note("%d values" % (virtio.count + ftrace.count))


class FunctionsOnly(GuestTest):
    """Debian's 6.1 for arm64 is built without KALLSYMS_ALL."""

    def test_what_is_missing(self):
        dump = common.guest("arm64-6.1").dumps["elf"]
        for options in ([], ["-f", "ftrace"], ["-f", "lttng"], ["-f", "xen-guest"]):
            self.assertOneLine(self.rbstats(*options, dump),
                               r"CONFIG_KALLSYMS_ALL.* vmlinux .*System\.map with --symbols")

    def vmlinux(self):
        path, = common.debug_files("bookworm", "linux-image-6.1.*-arm64", [], "arm64")
        return path

    def test_with_vmlinux(self):
        guest = common.guest("arm64-6.1")
        self.compare(guest, guest.dumps["elf"], self.vmlinux())
        self.compare(guest, "--symbols", self.vmlinux(), guest.dumps["elf"])


class Forms(GuestTest):
    def test_kexec(self):
        """/proc/vmcore of a capture kernel."""
        guest = common.guest("arm64-6.12-kexec")
        self.compare(guest, guest.dumps["elf"])

    def test_qemu_kdump(self):
        """Blocks of 64 KiB, and no name of the machine: refused, with what to take instead."""
        dump = common.guest("arm64-6.1").dumps["kdump-zlib"]
        self.assertOneLine(self.rbstats(dump), "QEMU's kdump format .* as ELF")


class Compressed(common.Test):
    """The pages of a real dump in makedumpfile's form, as it writes it on the machine."""

    def test_kdump(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        name, path = "linux-6.12-arm64", os.path.join(folder, "dump")
        core = elfcore.Core(common.fixture(name + ".elf"))
        for compression in (None, "zlib", "lzo"):
            dumpfiles.write_diskdump(path, core.pages, dumpfiles.vmcoreinfo(core), compression,
                                     machine=b"aarch64")
            ran = self.rbstats("show", "-F", "flat", "-v", path)
            self.assertEqual((ran.status, ran.err), (0, ""), ran)
            self.assertEqual(ran.out.splitlines(), common.fixture_golden(name).splitlines())
            dump = self.show(path)["dump"]
            self.assertEqual((dump["format"], dump["arch"]), ("diskdump", "aarch64"))
