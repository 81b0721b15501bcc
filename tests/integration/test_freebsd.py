"""FreeBSD's dumps: written by freebsd_image with VMBus in all its shapes, compared with what that
kernel's own sysctl would print; and files that are not what they should be."""

import gzip
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
import time

import common
import freebsd_ctf
import freebsd_image as image

AMD64 = image.AMD64
GENERATIONS = (1, 2, 3, 4)


class Dumps:
    """A folder with kernels and dumps, for the program as it is and as the sanitizers watch it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rbstats-freebsd-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.kernels = {}

    @classmethod
    def kernel(cls, generation=2, machine=AMD64, **options):
        key = (generation, machine, repr(sorted(options.items())))
        if key not in cls.kernels:
            path = os.path.join(cls.folder, "image-%d.debug" % len(cls.kernels))
            cls.kernels[key] = image.compile_kernel(path, machine, generation, **options)
        return cls.kernels[key]

    def path(self, name):
        return os.path.join(self.folder, name)

    def empty_folder(self):
        return tempfile.mkdtemp(dir=self.folder)

    def small(self, generation=2, version=3, name="small", **options):
        kernel = self.kernel(generation)
        return image.minidump(self.path(name), image.Memory(kernel, AMD64), version,
                              **options), kernel

    def sysctl(self, *arguments):
        ran = self.rbstats("show", "-F", "sysctl", *arguments)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        lines = ran.out.splitlines()
        self.assertEqual(len(lines), len(set(lines)))
        return set(lines)

    def assertTruth(self, generation, *arguments):
        """Every ring, in the dump's own text and in the seed's."""
        truth = image.truth(self.folder, generation)
        self.assertEqual(len(truth["own"]), 12)
        self.assertEqual(self.sysctl(*arguments), truth["own"])
        self.assertEqual(self.sysctl("--sysctl=seed", *arguments), truth["seed"])


class Freebsd(Dumps, common.Test):
    # -- forms -----------------------------------------------------------

    def test_generations(self):
        """Three texts of three releases and the hybrid, from each form that amd64 has."""
        for generation in GENERATIONS:
            kernel = self.kernel(generation)
            for version in (2, 3):
                with self.subTest(generation=generation, version=version):
                    dump = image.minidump(self.path("v"), image.Memory(kernel, AMD64), version)
                    self.assertTruth(generation, dump, kernel)
            with self.subTest(generation=generation, form="full"):
                dump = image.full_dump(self.path("full"), image.Memory(kernel, AMD64))
                self.assertTruth(generation, dump, kernel)
        self.note("%d rings of %d dumps as the kernels' own sysctl prints them" % (12, 12))

    def test_first_version(self):
        kernel = self.kernel(2, image.AMD64_V1)
        dump = image.minidump(self.path("v1"), image.Memory(kernel, image.AMD64_V1), 1)
        self.assertTruth(2, dump, kernel)

    def test_arm64(self):
        kernel = self.kernel(2, image.ARM64)
        for version, page in ((1, 4096), (2, 4096), (3, 4096), (3, 16384)):
            with self.subTest(version=version, page=page):
                memory = image.Memory(kernel, image.ARM64, page=page)
                dump = image.minidump(self.path("arm64"), memory, version)
                self.assertTruth(2, dump, kernel)
                info = self.show(dump, kernel)["dump"]
                self.assertEqual((info["arch"], info["page_size"], info["format"]),
                                 ("arm64", page, "FreeBSD minidump v%d" % version))

    def test_i386(self):
        kernel = self.kernel(2, image.I386)
        for version in (1, 2):
            for pae in (False, True):
                with self.subTest(version=version, pae=pae):
                    dump = image.minidump(self.path("i386"), image.Memory(kernel, image.I386),
                                          version, pae=pae)
                    self.assertTruth(2, dump, kernel)
                    self.assertEqual(self.show(dump, kernel)["dump"]["word_size"], 4)

    def test_moved_kernel(self):
        """UEFI loads a kernel elsewhere: a full dump's page tables are found all the same."""
        kernel = self.kernel(3)
        for move, osabi in ((0x200000, 9), (0x1600000, 0)):
            dump = image.full_dump(self.path("moved"),
                                   image.Memory(kernel, AMD64, image_move=move), osabi)
            self.assertTruth(3, dump, kernel)

    def test_dump_device(self):
        """A raw device: the dump behind a header, at its end or at the start of an image of it."""
        dump, kernel = self.small()
        for before in (b"", os.urandom(512 * 77)):
            for version in (1, 2, 4):
                raw = image.device(self.path("device"), dump, before, version=version)
                self.assertTruth(2, raw, kernel)
        full = image.full_dump(self.path("full"), image.Memory(kernel, AMD64))
        self.assertTruth(2, image.device(self.path("device"), full), kernel)

    # -- kernels, symbols, types -----------------------------------------

    def test_ctf(self):
        """A plain kernel has CTF: both versions, compressed and not."""
        for generation in GENERATIONS:
            dump, kernel = self.small(generation)
            for version in (2, 3):
                for compress in (True, False):
                    with self.subTest(generation=generation, version=version, compress=compress):
                        section = freebsd_ctf.section(kernel, self.folder, version, compress)
                        plain = freebsd_ctf.add(kernel, self.path("plain"), section)
                        self.assertTruth(generation, dump, plain)
                        shown = self.show(dump, plain)
                        self.assertEqual(shown["sections"][0]["types"], "ctf")
                        self.assertEqual(shown["dump"]["boot_time"], "2023-11-14T22:13:20Z")

    def test_two_devices(self):
        """LinuxKPI's struct device beside FreeBSD's own: the one that has the members is taken."""
        for generation in (1, 2):
            kernel = self.kernel(generation, linuxkpi=True)
            dump = image.minidump(self.path("two"), image.Memory(kernel, AMD64), 3)
            self.assertTruth(generation, dump, kernel)
            for version in (2, 3):
                section = freebsd_ctf.section(kernel, self.folder, version)
                self.assertTruth(generation, dump,
                                 freebsd_ctf.add(kernel, self.path("plain"), section))

    def test_choice_of_types(self):
        dump, kernel = self.small()
        both = self.path("both")
        shutil.copy(freebsd_ctf.add(kernel, self.path("plain"),
                                    freebsd_ctf.section(kernel, self.folder, 3)), both)
        shutil.copy(kernel, both + ".debug")
        for types, wanted in (("ctf", "ctf"), ("dwarf", "dwarf"), ("ctf,dwarf", "ctf"), (None, "dwarf")):
            arguments = ["--types", types] if types else []
            shown = self.show(*arguments, dump, both)
            self.assertEqual(shown["sections"][0]["types"], wanted)
        self.assertOneLine(self.rbstats("--types", "btf", dump, both), "dwarf, ctf")

    def test_kernel_beside(self):
        """Found without being named: beside the core, and where --debuginfo says."""
        kernel = self.kernel(2)
        other = self.kernel(2, version="FreeBSD 13.0-RELEASE #0 GENERIC")
        for place in ("kernel.debug", "kernel", "boot/kernel/kernel"):
            folder = self.empty_folder()
            dump = image.minidump(os.path.join(folder, "vmcore.0"), image.Memory(kernel, AMD64), 3)
            os.makedirs(os.path.dirname(os.path.join(folder, place)), exist_ok=True)
            shutil.copy(kernel, os.path.join(folder, place))
            self.assertTruth(2, dump)
            # One of another system does not fit, and is passed over.
            shutil.copy(other, os.path.join(folder, "kernel.full"))
            self.assertTruth(2, dump)
        apart = self.empty_folder()
        dump = image.minidump(os.path.join(apart, "vmcore.0"), image.Memory(kernel, AMD64), 3)
        self.assertTruth(2, "--debuginfo", folder, dump)
        self.assertTruth(2, "--debuginfo", kernel, dump)

    def test_wrong_kernel(self):
        dump, _ = self.small()
        for build_id in (True, False):
            other = self.kernel(2, version="FreeBSD 13.0-RELEASE #0 GENERIC", build_id=build_id)
            ran = self.rbstats(dump, other)
            self.assertOneLine(ran, "13.0-RELEASE.*12.1-RELEASE")
        # The same version, another build.
        rebuilt = self.kernel(2, defines=("BAD",))
        self.assertOneLine(self.rbstats(dump, rebuilt), "build-id")
        self.assertOneLine(self.rbstats(dump, self.kernel(2, image.I386)), "word size")
        full = image.full_dump(self.path("full"), image.Memory(self.kernel(2), AMD64))
        self.assertOneLine(self.rbstats(full, self.kernel(2, image.ARM64)), "not of|page tables")

    def test_symbols_in_memory(self):
        """Without any kernel: the loader's table gives names, and says that types are missing."""
        kernel = self.kernel(2)
        for form in ("mini", "full"):
            folder = self.empty_folder()
            memory = image.Memory(kernel, AMD64)
            path = os.path.join(folder, "core")
            dump = image.full_dump(path, memory) if form == "full" else \
                image.minidump(path, memory, 3, messages=b"")
            ran = self.rbstats("-f", "virtio", "-F", "json", dump)
            self.assertEqual(ran.status, 0, ran)
            # Only the symbols panicstr and version lead to these.
            self.assertIn('"panic":"page fault', ran.out)
            self.assertIn(image.VERSION, ran.out)
            self.assertOneLine(self.rbstats(dump), "no types for VMBus: give .* of FreeBSD 12.1")
        bare = image.minidump(os.path.join(folder, "bare"),
                              image.Memory(kernel, AMD64, loader=False), 3)
        self.assertOneLine(self.rbstats(bare), "no symbols.*give the kernel of FreeBSD 12.1")

    def test_symbol_list(self):
        """--symbols takes what nm prints; types come from a kernel."""
        dump, kernel = self.small()
        listing = self.path("nm")
        with open(listing, "wb") as file:
            subprocess.run(["nm", kernel], check=True, stdout=file)
        self.assertTruth(2, "--symbols", listing, "--debuginfo", kernel, dump)

    # -- what is printed -------------------------------------------------

    def test_json(self):
        dump, kernel = self.small(3)
        shown = self.show(dump, kernel)
        self.assertEqual(shown["dump"]["system"], "FreeBSD")
        self.assertEqual(shown["dump"]["version"], image.VERSION)
        self.assertEqual(shown["dump"]["kernel_release"], "12.1-RELEASE-p10")
        self.assertEqual(shown["dump"]["panic"], "page fault \\x1b[31mred")
        self.assertEqual(shown["dump"]["boot_time"], "2023-11-14T22:13:20Z")
        (section,) = shown["sections"]
        devices = {device["name"]: device for device in section["devices"]}
        self.assertEqual(list(devices), ["hn0", "storvsc0", "storvsc1", "hvheartbeat0", "channel9",
                                         "hn1"])
        hn0 = devices["hn0"]
        self.assertEqual(hn0["attributes"]["driver"], "hn")
        self.assertEqual(hn0["attributes"]["class"], "network")
        self.assertEqual([channel["name"] for channel in hn0["channels"]], ["14", "20", "21"])
        self.assertEqual([channel["attributes"]["sub_channel"] for channel in hn0["channels"]],
                         [0, 1, 2])
        self.assertEqual(hn0["metrics"], {"sub_channels_offered": 2, "sub_channels_opened": 1})
        # Closed: its stale rings are not shown.
        self.assertNotIn("rings", hn0["channels"][2])
        self.assertEqual(hn0["channels"][2]["attributes"]["state"], "closed")
        self.assertNotIn("driver", devices["channel9"]["attributes"])
        ring = hn0["channels"][0]["rings"][1]
        self.assertEqual(ring["metrics"]["guest_signals"], 77)
        self.assertEqual(ring["metrics"]["pending_send_size"], 4096)
        codes = {finding["code"]: finding["subject"] for finding in shown["findings"]}
        self.assertEqual(codes["vmbus.ring-full"], "vmbus/hn0/20/out")
        # Stored results are shown as fresh ones are, without -v.
        stored = self.path("stored.json")
        self.rbstats("-F", "json", "-o", stored, dump, kernel)
        self.assertIn("page fault", self.rbstats("report", "-F", "md", "-o", "/dev/stdout",
                                                 stored).out)

    def test_absent_members(self):
        """What older rings do not have is absent for that reason."""
        dump, kernel = self.small(2)
        ring = self.show(dump, kernel)["sections"][0]["devices"][0]["channels"][0]["rings"][0]
        self.assertEqual(ring["absent"]["pending_send_size"], "no-such-member")

    def test_text(self):
        dump, kernel = self.small(3)
        ran = self.rbstats(dump, kernel)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("  panic    page fault \\x1b[31mred\n", ran.out)
        self.assertNotIn("\x1b", ran.out)
        self.assertNotIn("sysctl_form", ran.out)
        self.assertLessEqual(max(map(len, ran.out.splitlines()[1:])), 100)
        packets = self.rbstats("-v", "-d", "storvsc0", dump, kernel)
        self.assertRegex(packets.out, r"\n +100 inband +8 +16 ")

    def test_panic_without_symbols(self):
        """The first that knows: memory, the device's header, info.N, the message buffer."""
        kernel = self.kernel(2)
        memory = image.Memory(kernel, AMD64, loader=False)
        pointer = memory.elf.symbols["panicstr"]
        memory.poke(pointer, struct.pack("<Q", 64))  # leads nowhere
        folder = self.empty_folder()
        dump = image.minidump(os.path.join(folder, "vmcore.7"), memory, 3)
        self.assertEqual(self.show(dump, kernel)["dump"]["panic"], "from the buffer")
        with open(os.path.join(folder, "info.7"), "w") as file:
            file.write("Dump header from device: /dev/da0p3\n  Architecture: amd64\n"
                       "  Version String: FreeBSD 9.9-TEST\n  Panic String: from info\n")
        self.assertEqual(self.show(dump, kernel)["dump"]["panic"], "from info")
        raw = image.device(os.path.join(folder, "device"), dump)
        self.assertEqual(self.show(raw, kernel)["dump"]["panic"], "from the header")
        # One of the boot before, which the buffer kept.
        older = b"panic: long ago\nFreeBSD 12.1-RELEASE GENERIC\nall is well\n"
        dump = image.minidump(os.path.join(folder, "core"), memory, 3, messages=older)
        self.assertNotIn("panic", self.show(dump, kernel)["dump"])
        # The kernel knows that it did not panic.
        memory.poke(pointer, bytes(8))
        dump = image.minidump(os.path.join(folder, "core"), memory, 3)
        self.assertNotIn("panic", self.show(dump, kernel)["dump"])

    def test_other_families(self):
        dump, kernel = self.small()
        shown = self.show("-f", "virtio,lttng,ftrace", dump, kernel)
        for section in shown["sections"]:
            self.assertEqual(section["status"], "absent")
            self.assertIn("FreeBSD", section["reason"])

    def test_never_attached(self):
        kernel = self.kernel(2, defines=("NEVER",))
        dump = image.minidump(self.path("never"), image.Memory(kernel, AMD64), 3)
        (section,) = self.show(dump, kernel)["sections"]
        self.assertEqual(section["status"], "absent")
        self.assertIn("never attached", section["reason"])

    def test_not_for_freebsd(self):
        dump, kernel = self.small()
        self.assertOneLine(self.rbstats("excerpt", "-o", self.path("small.elf"), dump, kernel),
                           "no excerpt")
        self.assertFalse(os.path.exists(self.path("small.elf")))
        self.assertOneLine(self.rbstats("extract", "-o", self.path("traces"), dump, kernel),
                           "no LTTng")
        self.assertOneLine(self.rbstats("-F", "sysfs", dump, kernel), "no sysfs")
        self.assertOneLine(self.rbstats("--xen-guest", "1", dump, kernel), "Xen's options")
        self.assertOneLine(self.rbstats("--sysctl", "new", dump, kernel), "own .* or seed")

    # -- pages that are not there ----------------------------------------

    def test_excluded(self):
        """A ring's page that the minidump left out costs that ring its figures: null, never 0."""
        kernel = self.kernel(2)
        for version in (2, 3):
            memory = image.Memory(kernel, AMD64)
            dump = image.minidump(self.path("without"), memory, version,
                                  without=(memory.page_of("hn_out"),))
            flat = self.rbstats("-F", "flat", dump, kernel)
            self.assertEqual(flat.status, 0, flat)
            for name in ("read_index", "write_index", "read_avail", "write_avail"):
                self.assertIn("vmbus/hn0/14/out/%s=null (excluded)\n" % name, flat.out)
            self.assertIn("vmbus/hn0/14/in/read_avail=72\n", flat.out)
            lines = self.sysctl(dump, kernel)
            self.assertIn("dev.hn.0.channel.14.br.tx.state: rindex:- windex:- imask:- ravail:- "
                          "wavail:-", lines)
            self.assertEqual(len(lines - image.truth(self.folder, 2)["own"]), 1)

    def test_huge(self):
        """A minidump of 64 GB, all of whose pages are there, opens as fast as a small one."""
        small, kernel = self.small()
        huge = self.path("huge")
        image.minidump(huge, image.Memory(kernel, AMD64), 3, full=True,
                       ranges=((0x1000, 0x9f000), (0x100000, 64 << 30)))
        self.addCleanup(os.unlink, huge)
        self.assertGreater(os.path.getsize(huge), 63 << 30)
        self.assertTruth(2, huge, kernel)
        took = {}
        for name in (small, huge):
            took[name] = min(self.timed(name, kernel) for _ in range(5))
        self.note("small %.0f ms, 64 GB %.0f ms" % (took[small] * 1000, took[huge] * 1000))
        self.assertLess(took[huge], took[small] * 2 + 0.1)

    def timed(self, *arguments):
        started = time.monotonic()
        self.rbstats("-F", "sysctl", *arguments)
        return time.monotonic() - started


class Bad:
    """Files that are not what they should be."""

    def refused(self, pattern, *arguments):
        self.assertOneLine(self.rbstats(*arguments, timeout=60), pattern)

    def ends(self, *arguments):
        """It comes to an end as it should, whatever it found."""
        ran = self.rbstats("-v", "-F", "flat", *arguments, timeout=60)
        if ran.status:
            self.assertOneLine(ran)
        return ran

    def file(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def test_compressed(self):
        dump, _ = self.small()
        with open(dump, "rb") as file:
            data = file.read(1 << 16)
        self.refused("gunzip", self.file("vmcore.0.gz", gzip.compress(data)))
        self.refused("unzstd", self.file("vmcore.0.zst", b"\x28\xb5\x2f\xfd" + data[:100]))
        self.refused("decryptcore", self.file("vmcore_encrypted.0", os.urandom(8192)))

    def test_devices(self):
        dump, _ = self.small()
        refusals = ((dict(key=512), "decryptcore"), (dict(compression=1), "savecore.*gunzip"),
                    (dict(compression=2), "savecore.*unzstd"), (dict(good_parity=False), "parity"),
                    (dict(magic=b"Cleared Kernel Dump"), "saved already"),
                    (dict(magic=b"FreeBSD Text Dump"), "textdump"), (dict(block=0), "damaged"))
        for options, pattern in refusals:
            for before in (b"", bytes(4096)):
                with self.subTest(pattern, before=len(before)):
                    self.refused(pattern, image.device(self.path("device"), dump, before, **options))
        head = image.dump_header(1 << 40)
        self.refused("overwritten", self.file("device", bytes(8192) + head))
        self.refused("ends before", self.file("device", head))
        self.refused("leads to no dump", self.file("device", head + bytes(8192)))

    def test_other_minidumps(self):
        dump, _ = self.small()
        with open(dump, "rb") as file:
            head = file.read(1 << 20)
        for offset, value, pattern in (
                (17, b"riscv\0", "minidump of riscv; amd64, arm64 and i386"),
                (17, b"arm64\0", "."), (17, b"\x1b[2J\0", "amd64, arm64 and i386"),
                (24, b"\x09", "version 9; versions 1 to 3"), (24, b"\0", "version 0"),
                (32, b"\0\0\0\0", "bitmap of 0"), (32, b"\xff\xff\xff\xff", "bitmap of|cut off"),
                (28, b"\xff\xff\xff\xff", "cut off"), (36, b"\xff\xff\xff\xff", "cut off"),
                (64, b"\xff\xff\xff\xff", "dump_avail of|cut off")):
            with self.subTest(offset=offset, value=value):
                data = head[:offset] + value + head[offset + len(value):]
                self.refused(pattern, self.file("other", data))

    def test_truncated(self):
        """Cut off anywhere: refused in its head, and what is not there is 'truncated' behind it."""
        dump, kernel = self.small()
        size = os.path.getsize(dump)
        good = dict(line.split("=", 1) for line in
                    self.rbstats("-v", "-F", "flat", dump, kernel).out.splitlines())
        cuts = [24, 63, 4095, 4096, 9000, 12288, 16384, 20000, 25000, 100000, size - 4096, size - 1]
        cuts += [size * part // 100 for part in (10, 50, 90, 98, 99)]
        for cut in cuts:
            with self.subTest(cut):
                shutil.copy(dump, self.path("cut"))
                os.truncate(self.path("cut"), cut)
                ran = self.ends(self.path("cut"), kernel)
                if not ran.status:
                    shown = self.rbstats("-F", "json", self.path("cut"), kernel)
                    self.assertIn("its last %d bytes are missing" % (size - cut), shown.out)
                for line in ran.out.splitlines():
                    name, _, value = line.partition("=")
                    if good.get(name) != value:
                        self.assertRegex(value, r"\Anull \((truncated|unmapped|excluded|corrupt|"
                                                r"no-types)\)\Z|\A[0-9]+\Z|\Achannel|@", line)
        full = image.full_dump(self.path("full"), image.Memory(kernel, AMD64))
        for cut in (63, 64, 100, 175, 4096, 5000, 0x300000):
            shutil.copy(full, self.path("cut"))
            os.truncate(self.path("cut"), cut)
            self.ends(self.path("cut"), kernel)

    def test_noise(self):
        """Bytes overwritten in the head, the bitmap, the tables and the pages."""
        dump, kernel = self.small(3)
        with open(dump, "rb") as file:
            whole = file.read()
        noise = random.Random(5)
        for turn in range(60):
            data = bytearray(whole)
            where = ((0, 80), (0x3000, 0x3400), (0x4000, 0x5000), (0x6000, len(data)))[turn % 4]
            for _ in range(noise.choice((1, 8, 200))):
                data[noise.randrange(*where)] = noise.randrange(256)
            with self.subTest(turn):
                self.ends(self.file("noise", data), kernel)

    def test_full_noise(self):
        kernel = self.kernel(2)
        full = image.full_dump(self.path("full"), image.Memory(kernel, AMD64))
        with open(full, "rb") as file:
            head = bytearray(file.read(0x200))
        noise = random.Random(6)
        for _ in range(40):
            data = bytearray(head)
            for _ in range(noise.choice((1, 4, 40))):
                data[noise.randrange(len(data))] = noise.choice((0, 1, 255, noise.randrange(256)))
            with open(full, "r+b") as file:
                file.write(data)
            self.ends(full, kernel)
        # Two segments over each other, and one beyond the end of all memory.
        for field, value in ((64 + 56 + 24, 0x1000), (64 + 24, 2 ** 64 - 4096)):
            data = bytearray(head)
            for at in (field - 8, field):
                struct.pack_into("<Q", data, at, value)
            with open(full, "r+b") as file:
                file.write(data)
            self.refused("segment", full, kernel)

    def test_memory(self):
        """Lists that run in a circle, wild pointers, indexes outside their ring."""
        circle = self.kernel(2, defines=("CIRCLE",))
        dump = image.minidump(self.path("circle"), image.Memory(circle, AMD64), 3)
        ran = self.rbstats("-F", "json", dump, circle)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("runs in a circle", ran.out)
        bad = self.kernel(3, defines=("BAD",))
        dump = image.minidump(self.path("bad"), image.Memory(bad, AMD64), 3)
        ran = self.rbstats("-v", "-F", "flat", dump, bad)
        self.assertIn("vmbus/hn1/40/out/read_avail=null (corrupt)\n", ran.out)
        self.assertIn("vmbus/hn1/40/out/read_index=9000\n", ran.out)
        self.assertIn("vmbus/hn0/14/in/read_avail=72\n", ran.out)
        noise = random.Random(9)
        for turn in range(40):
            memory = image.Memory(bad, AMD64)
            for _ in range(noise.choice((1, 5, 40))):
                address = AMD64.places.heap + noise.randrange(4096) // 8 * 8
                memory.poke(address, struct.pack("<Q", noise.choice((
                    0, 1, 2 ** 64 - 1, address, address + 64, AMD64.places.kva + 4090,
                    noise.getrandbits(64)))))
            with self.subTest(turn):
                self.ends(image.minidump(self.path("wild"), memory, 3), bad)

    def test_loader_metadata(self):
        """Tables of absurd sizes, and metadata that points anywhere."""
        kernel = self.kernel(2)
        memory = image.Memory(kernel, AMD64)
        start = memory.elf.symbols["version"] // 4096 * 4096
        data = b"".join(memory.pages[memory.virtual[number]]
                        for number in sorted(memory.virtual) if number * 4096 >= start)
        record = start + data.index(b"\3\x80\0\0\x08\0\0\0") + 8
        table = struct.unpack_from("<Q", data, record - start)[0]
        cases = [(record, value) for value in (0, 1, 2 ** 64 - 1, start, table + 1)]
        cases += [(table, value) for value in (0, 1, 23, 2 ** 20, 2 ** 40, 2 ** 64 - 8)]
        for address, value in cases:
            memory = image.Memory(kernel, AMD64)
            memory.poke(address, struct.pack("<Q", value))
            ran = self.ends(image.minidump(os.path.join(self.empty_folder(), "core"), memory, 3))
            self.assertEqual(ran.status, 1, ran)

    def test_ctf(self):
        """Damaged CTF: cut off, unpacked to another size, ids and lengths that lead nowhere."""
        dump, kernel = self.small()
        noise = random.Random(11)
        for version in (2, 3):
            good = freebsd_ctf.section(kernel, self.folder, version, compress=False)
            packed = freebsd_ctf.section(kernel, self.folder, version)
            cases = [good[:size] for size in (0, 3, 35, 36, 60, len(good) // 2, len(good) - 1)]
            cases += [packed[:size] for size in (40, len(packed) // 2)]
            cases.append(good[:2] + b"\7" + good[3:])
            cases.append(good[:28] + b"\xff\xff\xff\xff" + good[32:])
            cases.append(good[:24] + b"\xff\xff\xff\x7f" + good[28:])
            for _ in range(15):
                data = bytearray(good)
                for _ in range(noise.choice((1, 20))):
                    data[noise.randrange(24, len(data))] = noise.randrange(256)
                cases.append(bytes(data))
            for case in cases:
                plain = freebsd_ctf.add(kernel, self.path("plain"), case or b"\0")
                self.ends(dump, plain)


class BadFreebsd(Bad, Dumps, common.Test):
    pass


class SanitizedFreebsd(Bad, Dumps, common.SanitizedTest):
    pass
