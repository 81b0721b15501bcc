"""CTF as FreeBSD's ctfconvert writes it (versions 2 and 3), out of the BTF that pahole makes.

BTF's kinds are CTF's in other numbers. Formats: FreeBSD's sys/sys/ctf.h; Linux's uapi/linux/btf.h.
"""

import os
import struct
import subprocess
import zlib

INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, PROTO, VAR, SEC, \
    FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = range(1, 20)
KINDS = {INT: 1, FLOAT: 2, PTR: 3, ARRAY: 4, PROTO: 5, STRUCT: 6, UNION: 7, ENUM: 8, FWD: 9,
         TYPEDEF: 10, VOLATILE: 11, CONST: 12, RESTRICT: 13}


def read_btf(kernel, folder):
    """[(name, kind, kind_flag, size_or_type, payload)] and the strings, from pahole."""
    copy = os.path.join(folder, os.path.basename(kernel) + ".btf")
    blob = copy + ".raw"
    subprocess.run(["cp", kernel, copy], check=True)
    subprocess.run(["pahole", "-J", copy], check=True, stderr=subprocess.PIPE)
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.BTF", "--set-section-flags",
                    ".BTF=alloc", copy, blob], check=True)
    with open(blob, "rb") as file:
        data = file.read()
    magic, _, _, header, type_off, type_len, str_off, str_len = struct.unpack_from("<HBBIIIII", data)
    assert magic == 0xeb9f
    strings = data[header + str_off:header + str_off + str_len]
    types, at, end = [], header + type_off, header + type_off + type_len
    while at < end:
        name, info, size = struct.unpack_from("<III", data, at)
        at += 12
        kind, vlen = info >> 24 & 0x1f, info & 0xffff
        form = {INT: "<I", ARRAY: "<III", VAR: "<I", DECL_TAG: "<I"}.get(kind)
        payload = []
        if form:
            payload.append(struct.unpack_from(form, data, at))
            at += struct.calcsize(form)
        each = {STRUCT: "<III", UNION: "<III", ENUM: "<Ii", PROTO: "<II", SEC: "<III",
                ENUM64: "<III"}.get(kind)
        for _ in range(vlen if each else 0):
            payload.append(struct.unpack_from(each, data, at))
            at += struct.calcsize(each)
        types.append((name, kind, info >> 31, size, payload))
    return types, strings


def encode(types, strings, version):
    """The whole section, not compressed."""
    wide = version == 3
    word = "<I" if wide else "<H"
    limit, threshold = (0xffffffff, 1 << 29) if wide else (0xffff, 1 << 13)
    fields = {}  # (type, bits): id of an integer that is a bit field

    def info(kind, count):
        return kind << 26 | 1 << 25 | count if wide else kind << 11 | 1 << 10 | count

    def head(name, kind, count, value, is_size):
        out = struct.pack("<I", name) + struct.pack(word, info(kind, count))
        if is_size and value >= limit:
            return out + struct.pack(word, limit) + struct.pack("<II", value >> 32, value & 0xffffffff)
        return out + struct.pack(word, value)

    def integer_of(number):
        """Of an alias the integer."""
        while types[number - 1][1] in (TYPEDEF, CONST, VOLATILE):
            number = types[number - 1][3]
        return types[number - 1]

    body, extra = b"", b""
    for name, kind, flag, size, payload in types:
        ctf = KINDS.get(kind)
        if ctf is None:
            body += head(0, 9, 0, 0, False)  # a place holder: ids must stay
            continue
        if kind == INT:
            encoding = payload[0][0]
            signed, bits = encoding >> 24 & 1, encoding & 0xff
            body += head(name, ctf, 0, size, True) + struct.pack("<I", signed << 24 | bits)
        elif kind == FLOAT:
            body += head(name, ctf, 0, size, True) + struct.pack("<I", 2 << 24 | size * 8)
        elif kind == ARRAY:
            element, index, count = payload[0]
            body += head(0, ctf, 0, 0, False)
            body += struct.pack("<III" if wide else "<HHI", element, index, count)
        elif kind == PROTO:
            arguments = [argument[1] for argument in payload]
            body += head(0, ctf, len(arguments), size, False)
            if not wide and len(arguments) % 2:
                arguments.append(0)
            body += b"".join(struct.pack(word, argument) for argument in arguments)
        elif kind in (STRUCT, UNION):
            body += head(name, ctf, len(payload), size, True)
            for member, target, offset in payload:
                bits = offset >> 24 if flag else 0
                offset &= 0xffffff if flag else 0xffffffff
                if bits:
                    key = (target, bits)
                    if key not in fields:
                        fields[key] = len(types) + 1 + len(fields)
                        basic = integer_of(target)
                        extra += head(basic[0], 1, 0, basic[3], True)
                        extra += struct.pack("<I", (basic[4][0][0] >> 24 & 1) << 24 | bits)
                    target = fields[key]
                if size < threshold:
                    body += struct.pack("<III" if wide else "<IHH", member, target, offset)
                elif wide:
                    body += struct.pack("<IIII", member, target, offset >> 32, offset & 0xffffffff)
                else:
                    body += struct.pack("<IHHII", member, target, 0, offset >> 32, offset & 0xffffffff)
        elif kind == ENUM:
            body += head(name, ctf, len(payload), size, True)
            body += b"".join(struct.pack("<Ii", *value) for value in payload)
        else:
            body += head(name, ctf, 0, size, False)
    body += extra
    header = struct.pack("<HBB8I", 0xcff1, version, 0, 0, 0, 0, 0, 0, 0, len(body), len(strings))
    return header, body + strings


def section(kernel, folder, version, compress=True):
    header, body = encode(*read_btf(kernel, folder), version)
    if compress:
        return header[:3] + b"\1" + header[4:] + zlib.compress(body)
    return header + body


def add(kernel, path, data):
    """A plain kernel: as kernel, without DWARF, with data as its CTF."""
    blob = path + ".ctf"
    with open(blob, "wb") as file:
        file.write(data)
    subprocess.run(["objcopy", "--strip-debug", "--add-section", ".SUNW_ctf=" + blob, kernel, path],
                   check=True)
    return path
