"""ELF core files as the tests need them: read and written apart from the program's own code."""

import struct

PAGE = 4096
LAYOUTS = {"header": "16sHHIQQQIHHHHHH", "segment": "IIQQQQQQ", "note": "III"}
HEADER, SEGMENT, NOTE = (struct.Struct("<" + layout) for layout in LAYOUTS.values())
PT_LOAD, PT_NOTE = 1, 4


class Core:
    """segments: (p_type, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz); notes: (name, text);
    pages: {frame number: bytes}."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        order = {b"\x7fELF\x02\x01": "<", b"\x7fELF\x02\x02": ">"}[data[:6]]
        header, segment, self.note = (struct.Struct(order + layout)
                                      for layout in LAYOUTS.values())
        head = header.unpack_from(data)
        assert head[1] == 4, "an ELF-64 core"
        self.sections, self.size = head[12], len(data)
        self.segments, self.notes, self.pages = [], [], {}
        for i in range(head[10]):
            kind, _, offset, virtual, physical, filed, size, _ = segment.unpack_from(
                data, head[5] + i * segment.size)
            self.segments.append((kind, offset, virtual, physical, filed, size))
            if kind == PT_NOTE:
                self._notes(data[offset:offset + filed])
            elif kind == PT_LOAD:
                for at in range(0, filed, PAGE):
                    self.pages[(physical + at) // PAGE] = data[offset + at:offset + at + PAGE]

    def _notes(self, data):
        while data:
            name, text, _ = self.note.unpack_from(data)
            end = self.note.size + -(-name // 4) * 4
            self.notes.append((data[self.note.size:self.note.size + name].rstrip(b"\0").decode(),
                               data[end:end + text]))
            data = data[end + -(-text // 4) * 4:]

    def loads(self):
        return [segment for segment in self.segments if segment[0] == PT_LOAD]


def write(path, pages, vmcoreinfo, bias=0):
    """A core with these pages, one segment each; bias: p_vaddr - p_paddr."""
    note = NOTE.pack(11, len(vmcoreinfo), 0) + b"VMCOREINFO\0\0" + vmcoreinfo
    note += b"\0" * (-len(note) % 4)
    count = 1 + len(pages)
    start = HEADER.size + count * SEGMENT.size
    offset = start + len(note)
    with open(path, "wb") as file:
        file.write(HEADER.pack(b"\x7fELF\x02\x01\x01", 4, 62, 1, 0, HEADER.size, 0, 0,
                               HEADER.size, SEGMENT.size, count, 0, 0, 0))
        file.write(SEGMENT.pack(PT_NOTE, 0, start, 0, 0, len(note), len(note), 4))
        for pfn in sorted(pages):
            file.write(SEGMENT.pack(PT_LOAD, 7, offset, pfn * PAGE + bias & (1 << 64) - 1,
                                    pfn * PAGE, PAGE, PAGE, 0))
            offset += PAGE
        file.write(note)
        for pfn in sorted(pages):
            file.write(pages[pfn])


# struct vcpu_guest_context of Xen's public/arch-x86/xen.h, as 'xl dump-core' keeps it: its size on
# x86-64, and where ctrlreg[3] is.
CONTEXT, CONTEXT_CR3 = 5168, 5008


def write_xc_core(path, pages, root):
    """
    The same pages as 'xl dump-core' writes a PV domain (docs/misc/dump-core-format.txt of Xen):
    no segments, but sections; the frame numbers are machine frames. root: CR3 of its one vCPU.
    """
    frames = sorted(pages)
    context = bytearray(CONTEXT)
    struct.pack_into("<Q", context, CONTEXT_CR3, root)
    parts = [(".xen_prstatus", bytes(context)),
             (".xen_p2m", b"".join(struct.pack("<QQ", number, frame)
                                   for number, frame in enumerate(frames))),
             (".xen_pages", b"".join(pages[frame] for frame in frames))]
    names = b"\0.shstrtab\0" + b"".join(name.encode() + b"\0" for name, _ in parts)
    section = struct.Struct("<IIQQQQIIQQ")
    table = [section.pack(*[0] * 10)]
    offset = HEADER.size + (len(parts) + 2) * section.size
    body = b""
    for name, data in [(".shstrtab", names)] + parts:
        body += b"\0" * (-(offset + len(body)) % PAGE)
        table.append(section.pack(names.index(name.encode() + b"\0"),
                                  3 if name == ".shstrtab" else 1, 0, 0, offset + len(body),
                                  len(data), 0, 0, 8, 16 if name == ".xen_p2m" else PAGE))
        body += data
    with open(path, "wb") as file:
        file.write(HEADER.pack(b"\x7fELF\x02\x01\x01", 4, 62, 1, 0, 0, HEADER.size, 0,
                               HEADER.size, 0, 0, section.size, len(table), 1))
        file.write(b"".join(table) + body)
