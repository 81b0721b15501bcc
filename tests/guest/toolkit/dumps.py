# SPDX-License-Identifier: GPL-3.0-or-later
"""Dump files: what QEMU writes of a stopped guest, and forms made of it."""

import os
import shutil
import struct

from . import host
from .errors import GuestError


def take(guest, path, paging=False, fmt=None, timeout=300):
    """QEMU's dump-guest-memory to path; fmt 'kdump-zlib' is flattened."""
    arguments = {"paging": paging, "protocol": "file:" + path}
    if fmt:
        arguments["format"] = fmt
    guest.qmp.call("dump-guest-memory", timeout=timeout, **arguments)
    if os.path.getsize(path) == 0:
        raise GuestError("QEMU wrote an empty dump")
    return path


def rearrange(source, path):
    """Flattened to a plain diskdump file, as makedumpfile -R does."""
    with open(source, "rb") as flat:
        flat.seek(-16, os.SEEK_END)
        if flat.read() != b"\xff" * 16:
            # makedumpfile -R would wait for the rest for ever.
            raise GuestError("%s has no end mark: it was cut off" % source)
        os.lseek(flat.fileno(), 0, os.SEEK_SET)
        _makedumpfile(["-R", path], path, stdin=flat)
    return path


def program_headers_first(path):
    """Move an ELF dump's program headers to offset 64, dropping sections.

    QEMU >= 7.2 puts a section header first; makedumpfile 1.7.2 expects the
    program headers right behind the ELF header. Changes the file: use a copy.
    """
    with open(path, "r+b") as file:
        head = bytearray(file.read(64))
        if head[:5] != b"\x7fELF\x02":
            raise GuestError("%s is no 64-bit ELF file" % path)
        order = ">" if head[5] == 2 else "<"
        offset, = struct.unpack_from(order + "Q", head, 32)
        size, count = struct.unpack_from(order + "HH", head, 54)
        file.seek(offset)
        table = file.read(size * count)
        first_data = min(struct.unpack_from(order + "Q", table, at * size + 8)[0]
                         for at in range(count))
        if 64 + len(table) > first_data:
            raise GuestError("%s: no room for %d program headers" % (path, count))
        struct.pack_into(order + "QQ", head, 32, 64, 0)
        struct.pack_into(order + "HHH", head, 58, 0, 0, 0)
        file.seek(0)
        file.write(head + table)


def makedumpfile(source, path, options, vmlinux=None):
    """A smaller dump of QEMU's ELF dump: options such as ['-l', '-d', '31']."""
    copy = path + ".headers"
    # A reflink or sparse copy where the file system has them.
    host.run(["cp", "--reflink=auto", "--sparse=always", source, copy])
    try:
        os.chmod(copy, 0o600)
        program_headers_first(copy)
        extra = ["-x", vmlinux] if vmlinux else []
        _makedumpfile(list(options) + extra + [copy, path], path)
    finally:
        os.unlink(copy)
    return path


def _makedumpfile(arguments, path, **kwargs):
    if os.path.exists(path):
        os.unlink(path)
    try:
        host.run([host.tool("makedumpfile"), "--message-level", "4"] + arguments,
                 **kwargs)
    except GuestError:
        if os.path.exists(path):
            os.unlink(path)
        raise


def make_sparse(path):
    """Give back the disk blocks of a file's zero pages."""
    part = path + ".sparse"
    host.run(["cp", "--sparse=always", path, part])
    shutil.move(part, path)
