"""What dumps of arm64 lack: 6.1's kernel has no names of variables, QEMU's kdump form no page size."""

import common
import test_ftrace
import test_virtio


class FunctionsOnly(common.GuestTest):
    """Debian's 6.1 for arm64 is built without KALLSYMS_ALL."""

    def test_what_is_missing(self):
        dump = common.guest("arm64-6.1").dumps["elf"]
        for options in ([], ["-f", "ftrace"], ["-f", "lttng"], ["-f", "xen-guest"]):
            self.assertOneLine(self.rbstats(*options, dump),
                               r"CONFIG_KALLSYMS_ALL.* vmlinux .*System\.map with --symbols")

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

    def vmlinux(self):
        path, = common.debug_files("bookworm", "linux-image-6.1.*-arm64", [], "arm64")
        return path

    def test_with_vmlinux(self):
        guest = common.guest("arm64-6.1")
        self.compare(guest, guest.dumps["elf"], self.vmlinux())
        self.compare(guest, "--symbols", self.vmlinux(), guest.dumps["elf"])

    def test_kexec(self):
        """/proc/vmcore, and what makedumpfile made of it in the guest: flattened, rearranged."""
        guest = common.guest("arm64-6.1-kexec")
        self.assertEqual(sorted(guest.dumps), ["elf", "flat", "lzo-d31"])
        for dump in guest.dumps.values():
            self.compare(guest, dump, self.vmlinux())


class Forms(common.GuestTest):
    def test_qemu_kdump(self):
        """Blocks of 64 KiB, and no name of the machine: refused, with what to take instead."""
        dump = common.guest("arm64-6.1").dumps["kdump-zlib"]
        self.assertOneLine(self.rbstats(dump), "QEMU's kdump format .* as ELF")
