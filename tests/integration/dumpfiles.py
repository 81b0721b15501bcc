"""Writers of dump formats and of small files that are not what they should be."""

import struct
import zlib

import elfcore

PAGE = elfcore.PAGE

# makedumpfile's diskdump_mod.h, 64-bit little endian: struct disk_dump_header with its struct
# new_utsname (six fields of 65 bytes), and struct kdump_sub_header.
DISK_HEADER = struct.Struct("<8si65s65s65s65s65s65s6xqqIiiIIIIIIi")
SUB_HEADER = struct.Struct("<QiiQQqQqQqQQQQ")
PAGE_DESC = struct.Struct("<qIIQ")


def _tail(content):
    """What a simple compressor needs: (bytes to be kept, how often the last of them follows)."""
    kept = content.rstrip(content[-1:]) + content[-1:]
    return kept, len(content) - len(kept)


def _lzo_length(number):
    return b"\0" * ((number - 1) // 255) + bytes([(number - 1) % 255 + 1])


def _lzo(content):
    """LZO1X: a run of literals, a match of distance 1 (M3), the end mark."""
    kept, again = _tail(content)
    if len(kept) <= 238 or again < 34:
        return content
    return b"\0" + _lzo_length(len(kept) - 18) + kept + \
        b"\x20" + _lzo_length(again - 33) + b"\0\0" + b"\x11\0\0"


def _snappy(content):
    """The length, 7 bits a byte; a literal with a length of two bytes; copies of offset 1."""
    kept, again = _tail(content)
    out = bytes([len(content) & 0x7f | 0x80, len(content) >> 7]) + \
        b"\xf4" + struct.pack("<H", len(kept) - 1) + kept
    while again:
        step = min(again, 64)
        out += struct.pack("<BH", step - 1 << 2 | 2, 1)
        again -= step
    return out


def _zstd(content):
    """RFC 8878: a frame's header with the size, a block of raw bytes, a block of one byte repeated."""
    kept, again = _tail(content)
    if not again:
        return content
    blocks = struct.pack("<I", len(kept) << 3)[:3] + kept + \
        struct.pack("<I", again << 3 | 1 << 1 | 1)[:3] + kept[-1:]
    return struct.pack("<IBI", 0xfd2fb528, 0xa0, len(content)) + blocks


# diskdump_mod.h: DUMP_DH_COMPRESSED_*.
COMPRESSIONS = {"zlib": (1, zlib.compress), "lzo": (2, _lzo), "snappy": (4, _snappy),
                "zstd": (0x20, _zstd)}
COMPRESSED_ZLIB = 1


def vmcoreinfo(core):
    return next(text for name, text in core.notes if name == "VMCOREINFO")


def disk_header(machine=b"x86_64", block_size=PAGE, sub_blocks=1, bitmap_blocks=2, max_pfn=0,
                release=b"6.1.0"):
    return DISK_HEADER.pack(b"KDUMP   ", 6, b"Linux" if release else b"", b"host", release,
                            b"#1 SMP" if release else b"", machine, b"", 0, 0, COMPRESSED_ZLIB,
                            block_size, sub_blocks, bitmap_blocks, max_pfn, 0, 0, 0, 0, 1)


def write_diskdump(path, pages, info, compression="zlib", part=None, machine=b"x86_64"):
    """
    A kdump-compressed dump; every third page and what does not get smaller is stored as it is. The
    notes hold VMCOREINFO again, as makedumpfile writes them. Without info there are none.
    compression: one of COMPRESSIONS, or None. part: (first, end) frame number of a part that
    'makedumpfile --split' writes.
    """
    notes = elfcore.NOTE.pack(11, len(info), 0) + b"VMCOREINFO\0\0" + info if info else b""
    notes = notes.ljust(-(-len(notes) // 4) * 4, b"\0")
    top = max(pages) + 1
    blocks = -(-top // (8 * PAGE))
    sub_size = SUB_HEADER.size
    sub_blocks = -(-(sub_size + len(notes)) // PAGE)
    at = PAGE + sub_size
    first, end = part or (0, top)
    sub = SUB_HEADER.pack(0, 31, 1 if part else 0, first, end, at + 24 if info else 0, len(info),
                          at if info else 0, len(notes), 0, 0, first, end, top)
    bitmap = bytearray(blocks * PAGE)
    for pfn in pages:
        bitmap[pfn // 8] |= 1 << pfn % 8
    pages = {pfn: page for pfn, page in pages.items() if not part or first <= pfn < end}
    offset = PAGE * (1 + sub_blocks + 2 * blocks) + PAGE_DESC.size * len(pages)
    descs, data = [], []
    for number, pfn in enumerate(sorted(pages)):
        content, flags = pages[pfn], 0
        if compression and number % 3:
            flag, method = COMPRESSIONS[compression]
            packed = method(content)
            if len(packed) < len(content):
                content, flags = packed, flag
        descs.append(PAGE_DESC.pack(offset, len(content), flags, 0))
        data.append(content)
        offset += len(content)
    with open(path, "wb") as file:
        file.write(disk_header(machine, sub_blocks=sub_blocks, bitmap_blocks=2 * blocks,
                               max_pfn=top).ljust(PAGE, b"\0"))
        file.write((sub + notes).ljust(sub_blocks * PAGE, b"\0"))
        file.write(bytes(bitmap) * 2)
        file.write(b"".join(descs) + b"".join(data))


def flattened(records, end=True):
    """makedumpfile's stream format: records are (offset, bytes)."""
    out = [b"makedumpfile\0\0\0\0" + struct.pack(">qq", 1, 1)]
    out[0] = out[0].ljust(4096, b"\0")
    for offset, data in records:
        out.append(struct.pack(">qq", offset, len(data)) + data)
    if end:
        out.append(struct.pack(">qq", -1, -1))
    return b"".join(out)


def write_flattened(path, source):
    """The same dump as a stream whose pieces come out of order, as they may."""
    with open(source, "rb") as file:
        data = file.read()
    step = 65536
    pieces = [(at, data[at:at + step]) for at in range(0, len(data), step)]
    with open(path, "wb") as file:
        file.write(flattened(pieces[1::2] + pieces[0::2]))


def write_vmlinux(path, build_id=None, symbols=(("_stext", 0xffffffff81000000),)):
    """An executable with a build-id note and symbols, and nothing else."""
    names = b"\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab\0"
    note = struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + build_id if build_id else b""
    strings, table = b"\0", bytes(24)
    for name, value in symbols:
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 0xfff1, value, 0)
        strings += name.encode() + b"\0"
    parts, sections = [], [bytes(64)]
    at = 64
    for name, kind, data, link, size in ((b".note.gnu.build-id", 7, note, 0, 0),
                                         (b".symtab", 2, table, 3, 24),
                                         (b".strtab", 3, strings, 0, 0),
                                         (b".shstrtab", 3, names, 0, 0)):
        sections.append(struct.pack("<IIQQQQIIQQ", names.index(name + b"\0"), kind, 0, 0, at,
                                    len(data), link, 1 if kind == 2 else 0, 8, size))
        parts.append(data.ljust(-(-len(data) // 8) * 8, b"\0"))
        at += len(parts[-1])
    with open(path, "wb") as file:
        file.write(elfcore.HEADER.pack(b"\x7fELF\x02\x01\x01", 2, 62, 1, 0, 0, at, 0, 64, 56, 0,
                                       64, len(sections), 4))
        file.write(b"".join(parts) + b"".join(sections))


def page_tables(core):
    """Frame numbers of the kernel's page tables that a core holds, a set for each level."""
    lines = dict(line.split("=", 1) for line in vmcoreinfo(core).decode().splitlines()
                 if "=" in line)
    root = next(int(lines[key], 16) for key in ("SYMBOL(init_top_pgt)", "SYMBOL(swapper_pg_dir)")
                if key in lines)
    physical = root - 0xffffffff80000000 + int(lines["NUMBER(phys_base)"])
    levels = 5 if int(lines.get("NUMBER(pgtable_l5_enabled)", "0")) else 4
    tables = [{physical // PAGE}]
    for level in range(levels - 1):
        below = set()
        for pfn in tables[-1]:
            entries = struct.unpack("<512Q", core.pages[pfn]) if pfn in core.pages else ()
            # Of the root's entries the upper half are the kernel's; bit 7: a large page.
            for entry in entries[256:] if level == 0 else entries:
                if entry & 1 and not (level and entry & 0x80):
                    below.add((entry & 0x000ffffffffff000) // PAGE)
        tables.append({pfn for pfn in below if pfn in core.pages})
    return tables
