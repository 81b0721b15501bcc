"""Writes FreeBSD dumps: the memory of the kernel that tests/freebsd/kernel.c makes, in every form.

Formats: FreeBSD's sys/ARCH/include/minidump.h, minidump_machdep.c, sys/sys/kerneldump.h, libkvm.
"""

import collections
import functools
import os
import random
import struct
import subprocess

import common

SOURCES = os.path.join(common.TESTS, "freebsd")
VERSION = "FreeBSD 12.1-RELEASE-p10 r354233 GENERIC"
KERNBASE = 0xffffffff80000000  # of amd64
RANGES = ((0x1000, 0x9f000), (0x100000, 0x8000000))

Place = collections.namedtuple("Place", "image heap kva")
Machine = collections.namedtuple("Machine", "name elf word places kernbase dmap dmapphys")

# Where a kernel's parts are linked; heap is in the direct map where there is one.
AMD64 = Machine("amd64", 62, 8, Place(KERNBASE + 0x200000, 0xfffff80001000000, 0xfffffe0040000000),
                0xfffffe0000000000, (0xfffff80000000000, 0xfffffc0000000000), 0)
AMD64_V1 = AMD64._replace(places=AMD64.places._replace(kva=KERNBASE + 0x20000000), kernbase=KERNBASE)
ARM64 = Machine("arm64", 183, 8,
                Place(0xffff000000200000, 0xffffa00001000000, 0xffff000010000000),
                0xffff000000000000, (0xffffa00000000000, 0xffffff0000000000), 0x40000000)
I386 = Machine("i386", 3, 4, Place(0x1000000, 0x2000000, 0x3000000), 0x800000, None, 0)


def compile_kernel(path, machine, generation, defines=(), version=VERSION, build_id=True,
                   linuxkpi=False):
    """kernel.c, linked as a kernel of that machine, with DWARF and symbols.

    linuxkpi: before it a unit with Linux's own struct device."""
    places = machine.places
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-g", "-O0", "-ffreestanding", "-fno-pic",
               "-fno-pie", "-no-pie", "-nostdlib", "-static", "-fno-stack-protector",
               "-fno-asynchronous-unwind-tables", "-DGENERATION=%d" % generation,
               '-DVERSION="%s"' % version, "-Wl,-Ttext-segment=0x%x" % places.image,
               "-Wl,--section-start=.heap=0x%x" % places.heap,
               "-Wl,--section-start=.kva=0x%x" % places.kva, "-Wl,-e,0", "-Wl,-z,noexecstack",
               "-Wl,-z,max-page-size=4096", "-Wl,--defsym=kernbase=0x%x" % (
                   KERNBASE if machine.name == "amd64" else machine.kernbase),
               "-Wl,--build-id=%s" % ("sha1" if build_id else "none"),
               "-mcmodel=large" if machine.word == 8 else "-m32"]
    command += ["-D" + define for define in defines]
    units = ["linuxkpi.c", "subr_bus.c"] if linuxkpi else ["kernel.c"]
    command += [os.path.join(SOURCES, unit) for unit in units] + ["-o", path]
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if machine.name == "arm64":
        # Only data: x86's code generator lays it out as arm64's does.
        with open(path, "r+b") as file:
            file.seek(18)
            file.write(struct.pack("<H", machine.elf))
    return path


@functools.lru_cache(maxsize=None)
def truth(folder, generation):
    """What the kernel's own sysctl would print: {"own": lines, "seed": lines}, each a set."""
    program = os.path.join(folder, "truth-%d" % generation)
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-DTRUTH",
                    "-DGENERATION=%d" % generation, '-DVERSION="%s"' % VERSION,
                    os.path.join(SOURCES, "kernel.c"), "-o", program], check=True)
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode()
    said = {"own": set(), "seed": set()}
    for line in lines.splitlines():
        kind, _, text = line.partition(" ")
        said[kind].add(text)
    return said


class Elf:
    """Segments, symbols and the raw symbol table of a kernel."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        wide = self.bytes[4] == 2
        header = struct.unpack_from("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", self.bytes, 16)
        phoff, shoff, phsize, phnum, shsize, shnum = (header[4], header[5], header[8], header[9],
                                                      header[10], header[11])
        self.segments = []
        for i in range(phnum):
            at = phoff + i * phsize
            if wide:
                kind, _, off, va, _, filesz, memsz, _ = struct.unpack_from("<IIQQQQQQ", self.bytes, at)
            else:
                kind, off, va, _, filesz, memsz, _, _ = struct.unpack_from("<8I", self.bytes, at)
            if kind == 1 and memsz:
                self.segments.append((va, self.bytes[off:off + filesz].ljust(memsz, b"\0")))
        sections = []
        for i in range(shnum):
            at = shoff + i * shsize
            if wide:
                part = struct.unpack_from("<IIQQQQIIQQ", self.bytes, at)
            else:
                part = struct.unpack_from("<10I", self.bytes, at)
            sections.append(part)
        table = next(part for part in sections if part[1] == 2)
        strings = sections[table[6]]
        self.symtab = self.bytes[table[4]:table[4] + table[5]]
        self.strtab = self.bytes[strings[4]:strings[4] + strings[5]]
        self.symbols = {}
        for at in range(0, len(self.symtab), 24 if wide else 16):
            if wide:
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.symtab, at)
            else:
                name, value, _, _, _, _ = struct.unpack_from("<IIIBBH", self.symtab, at)
            self.symbols[self.strtab[name:self.strtab.index(b"\0", name)].decode()] = value


def metadata(elf, address, word):
    """What the loader leaves behind the kernel: records, then the symbol tables, from address on."""
    def record(kind, data):
        return struct.pack("<II", kind, len(data)) + data.ljust(-(-len(data) // word) * word, b"\0")

    number = (lambda value: struct.pack("<Q", value)) if word == 8 else \
        (lambda value: struct.pack("<I", value))
    tables = b""
    for table in (elf.symtab, elf.strtab):
        tables += number(len(table)) + table.ljust(-(-len(table) // word) * word, b"\0")
    start = address + 4096
    records = record(1, b"/boot/kernel/kernel\0") + record(2, b"elf kernel\0")
    records += record(3, number(address)) + record(0x8003, number(start))
    records += record(0x8004, number(start + len(tables)))
    records += record(1, b"/boot/entropy\0") + struct.pack("<II", 0, 0)
    return records.ljust(4096, b"\0") + tables


class Memory:
    """Physical pages of a machine and where its kernel maps them.

    image_move: how far from where it was linked for the kernel was loaded.
    """

    def __init__(self, kernel, machine, page=4096, loader=True, image_move=0):
        self.machine, self.page = machine, page
        self.elf = Elf(kernel)
        self.pages = {}    # physical page number: bytes
        self.virtual = {}  # virtual page number: physical page number
        places = machine.places
        regions = collections.OrderedDict((place, bytearray()) for place in places)
        for va, data in self.elf.segments:
            # The linker may put the ELF header before a section.
            place = max(place for place in places if place <= va + 4096)
            region = regions[place]
            data, va = data[max(place - va, 0):], max(place, va)
            if len(region) < va - place + len(data):
                region.extend(bytes(va - place + len(data) - len(region)))
            region[va - place:va - place + len(data)] = data
        if loader:
            region = regions[places.image]
            region.extend(bytes(-len(region) % 4096))
            # One that is not the kernel's, and a stale one that leads nowhere.
            region.extend(struct.pack("<II", 2, 11) + b"elf module\0".ljust(16, b"\0"))
            region.extend(bytes(-len(region) % 4096))
            region.extend(struct.pack("<II", 2, 11) + b"elf kernel\0".ljust(16, b"\0"))
            region.extend(bytes(-len(region) % 4096))
            region.extend(metadata(self.elf, places.image + len(region), machine.word))
        frames = iter(random.Random(7).sample(range(0x3000000 // page, 0x5000000 // page), 200))
        for place, region in regions.items():
            region.extend(bytes(-len(region) % page))
            for at in range(0, len(region), page):
                if place == places.image:
                    physical = (machine.dmapphys + 0x200000 + image_move + at) // page
                elif place == places.heap and machine.dmap:
                    physical = (place + at - machine.dmap[0] + machine.dmapphys) // page
                else:
                    physical = machine.dmapphys // page + next(frames)
                self.pages[physical] = bytes(region[at:at + page])
                self.virtual[(place + at) // page] = physical
        self.frames = frames

    def poke(self, address, data):
        """Overwrite bytes at a virtual address, within a page."""
        number = self.virtual[address // self.page]
        at = address % self.page
        page = bytearray(self.pages[number])
        page[at:at + len(data)] = data
        self.pages[number] = bytes(page)

    def page_of(self, symbol):
        return self.virtual[self.elf.symbols[symbol] // self.page]

    def ranges(self):
        return tuple((self.machine.dmapphys + start if start >= 0x100000 or not self.machine.dmapphys
                      else self.machine.dmapphys + start, self.machine.dmapphys + end)
                     for start, end in RANGES)


def _is_direct(machine, va):
    return machine.dmap and machine.dmap[0] <= va < machine.dmap[1]


def _pmap_amd64(memory, version):
    """{offset in pmap: entry}, its size; tables become pages of the dump."""
    machine, entries = memory.machine, {}
    if version == 1:
        for number, physical in memory.virtual.items():
            va = number * 4096
            if not _is_direct(machine, va):
                entries[(va - machine.kernbase) // 4096 * 8] = physical * 4096 | 3
        return entries, 0x40000000 // 4096 * 8
    tables = {}
    for number, physical in memory.virtual.items():
        va = number * 4096
        if _is_direct(machine, va):
            continue
        slot = (va - machine.kernbase) >> 21
        if va >= KERNBASE and not physical * 4096 - (va & 0x1fffff) & 0x1fffff:
            # A large page; its other parts are excluded where nothing is.
            entries[slot * 8] = physical * 4096 - (va & 0x1fffff) | 0x83
        else:
            tables.setdefault(slot, bytearray(4096))[number % 512 * 8:number % 512 * 8 + 8] = \
                struct.pack("<Q", physical * 4096 | 1 << 63 | 3)
    for slot, table in tables.items():
        frame = next(memory.frames)
        memory.pages[frame] = bytes(table)
        entries[slot * 8] = frame * 4096 | 3
    return entries, (KERNBASE + 0x40000000 - machine.kernbase >> 21) * 8


def _pmap_arm64(memory):
    machine, page = memory.machine, memory.page
    entries = {}
    for number, physical in memory.virtual.items():
        if not _is_direct(machine, number * page):
            entries[(number - machine.kernbase // page) * 8] = \
                physical * page | 3 << 53 | 3 << 50 | 0x703
    return entries, -(-0x12000000 // page * 8 // page) * page


def _pmap_i386(memory, pae):
    size = 8 if pae else 4
    entries = {(number - memory.machine.kernbase // 4096) * size: physical * 4096 | 3
               for number, physical in memory.virtual.items()}
    return entries, 0x4000000 // 4096 * size


def _header(memory, version, sizes, pae, flags):
    machine = memory.machine
    messages, avail, bitmap, pmap = sizes
    head = ("minidump FreeBSD/" + machine.name).encode().ljust(24, b"\0")
    head += struct.pack("<4I", version, messages, bitmap, pmap)
    if machine.name == "amd64":
        head += struct.pack("<QQQI", machine.kernbase, *machine.dmap, avail)
    elif machine.name == "arm64":
        head += struct.pack("<QQQQII", machine.kernbase, machine.dmapphys, *machine.dmap, avail, flags)
    else:
        head += struct.pack("<III", machine.kernbase, pae, avail)
    return head.ljust(memory.page, b"\0")


def minidump(path, memory, version, pae=False, without=(), ranges=None, full=False,
             messages=None):
    """Write a minidump. without: physical pages to leave out; full: say that all pages are there."""
    page, machine = memory.page, memory.machine
    if machine.name == "amd64":
        entries, pmap_size = _pmap_amd64(memory, version)
        has_avail = version >= 3
    elif machine.name == "arm64":
        entries, pmap_size = _pmap_arm64(memory)
        has_avail = version >= 2
    else:
        entries, pmap_size = _pmap_i386(memory, pae)
        has_avail = version >= 2
    width = 4 if machine.name == "i386" and not pae else 8
    ranges = ranges or memory.ranges()
    avail, bit_of = b"", {}
    if has_avail:
        bit = 0
        for start, end in ranges:
            avail += struct.pack("<QQ", start, end)
            for number in memory.pages:
                if start // page <= number < -(-end // page):
                    bit_of[number] = bit + number - start // page
            bit += -(-end // page) - start // page
        avail = avail.ljust(4096, b"\0")
    else:
        bit = -(-max(end for _, end in ranges) // page)
        bit_of = {number: number for number in memory.pages}
    bits = {bit_of[number]: data for number, data in memory.pages.items() if number not in without}
    bitmap = bytearray(-(-bit // 64) * 8)
    if full:
        bitmap[:bit // 8] = b"\xff" * (bit // 8)
    for number in bits:
        bitmap[number // 8] |= 1 << number % 8
    if messages is None:
        messages = b"\0" * 50 + (VERSION + "\nsome device\npanic: from the buffer\ncpuid = 0\n").encode()
    messages = messages.ljust(8192, b"\0")
    head = _header(memory, version, (len(messages), len(avail), len(bitmap), pmap_size), pae,
                   1 if page == 16384 and version >= 3 else 0)
    with open(path, "wb") as file:
        at = 0
        for part in (head, messages, avail, bytes(bitmap)):
            file.seek(at)
            file.write(part)
            at += -(-len(part) // page) * page
        for offset, entry in entries.items():
            file.seek(at + offset)
            file.write(struct.pack("<Q" if width == 8 else "<I", entry))
        at += -(-pmap_size // page) * page
        for position, number in enumerate(sorted(bits)):
            file.seek(at + (number if full else position) * page)
            file.write(bits[number])
        file.truncate(at + (bit // 8 * 8 if full else len(bits)) * page)
    return path


def full_dump(path, memory, osabi=0):
    """Write all memory as FreeBSD's ELF core, with page tables that map what memory.virtual says."""
    tables = {}

    def table(frame):
        return tables.setdefault(frame, bytearray(4096))

    def put(frame, index, value):
        table(frame)[index * 8:index * 8 + 8] = struct.pack("<Q", value)

    def below(frame, index):
        entry = struct.unpack_from("<Q", table(frame), index * 8)[0]
        if not entry:
            entry = next(memory.frames) * 4096 | 3
            put(frame, index, entry)
        return entry >> 12 & 0xffffffffff

    root = next(memory.frames)
    put(root, 256, root * 4096 | 3)
    for number, physical in memory.virtual.items():
        va = number * 4096
        directory = below(below(root, va >> 39 & 511), va >> 30 & 511)
        if _is_direct(memory.machine, va) or va >= KERNBASE and \
                not physical * 4096 - (va & 0x1fffff) & 0x1fffff:
            put(directory, va >> 21 & 511, physical * 4096 - (va & 0x1fffff) | 0x83)
        else:
            put(below(directory, va >> 21 & 511), number % 512, physical * 4096 | 3)
    memory.poke(memory.elf.symbols["KPML4phys"], struct.pack("<Q", root * 4096))
    pages = dict(memory.pages)
    pages.update((frame, bytes(data)) for frame, data in tables.items())
    ranges = memory.ranges()
    head = b"\x7fELF\x02\x01\x01" + bytes([osabi]) + bytes(8)
    head += struct.pack("<HHIQQQIHHHHHH", 4, memory.machine.elf, 1, 0, 64, 0, 0, 64, 56, len(ranges),
                        0, 0, 0)
    at, where = 4096, []
    for start, end in ranges:
        head += struct.pack("<IIQQQQQQ", 1, 7, at, start, start, end - start, end - start, 4096)
        where.append((start, end, at))
        at += end - start
    with open(path, "wb") as file:
        file.write(head)
        for number, data in pages.items():
            for start, end, offset in where:
                if start <= number * 4096 < end:
                    file.seek(offset + number * 4096 - start)
                    file.write(data)
        file.truncate(at)
    return path


def dump_header(length, version=4, magic=b"FreeBSD Kernel Dump", key=0, compression=0, block=512,
                panic=b"from the header", good_parity=True):
    """struct kerneldumpheader."""
    head = magic.ljust(20, b"\0") + b"amd64".ljust(12, b"\0")
    head += struct.pack(">IIQQ", version, 2, length, 1700000001)
    head += (b"" if version == 1 else struct.pack(">I", key)) + struct.pack(">I", block)
    head += b"host".ljust(64, b"\0") + (VERSION + "\n").encode().ljust(192, b"\0")
    head += panic.ljust(175, b"\0") + (bytes([compression]) if version >= 4 else b"\0")
    head = head.ljust(496 - (4 if version == 1 else 0), b"\0")
    head += struct.pack(">Q", length if version >= 4 else 0)
    head = head.ljust(508, b"\0")
    parity = 0
    for at in range(0, 508, 4):
        parity ^= struct.unpack_from(">I", head, at)[0]
    return head + struct.pack(">I", parity ^ (0 if good_parity else 1))


def device(path, dump, before=b"", **options):
    """A dump device: what lay there before, header, dump, header."""
    with open(dump, "rb") as file:
        data = file.read()
    head = dump_header(len(data), **options)
    with open(path, "wb") as file:
        file.write(before + head + data + head)
    return path
