# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds an initramfs: busybox, kernel modules, programs, files, an init.

The archive is written here, not by cpio, so that it needs no root for owner
and device nodes, and the same input gives the same bytes.
"""

import gzip
import lzma
import os
import re
import stat
import subprocess
import tempfile

from . import host
from .errors import GuestError

# busybox applets that guest scripts call by name.
_FOLDERS = ("bin", "sbin", "usr/bin", "usr/sbin", "proc", "sys", "dev", "tmp",
            "root", "run", "var/run", "etc", "lib", "lib64", "mnt")


def module_bytes(path):
    """A module's ELF file, decompressed."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".xz"):
        return lzma.decompress(data)
    if path.endswith(".gz"):
        return gzip.decompress(data)
    if path.endswith(".zst"):
        return subprocess.run([host.tool("zstd"), "-dc", path], check=True,
                              stdout=subprocess.PIPE, timeout=60).stdout
    return data


def _depends(elf):
    """Names of the modules that a module says it needs (.modinfo)."""
    found = re.search(rb"\0depends=([^\0]*)\0", elf)
    names = found.group(1).decode().split(",") if found else []
    return [name for name in names if name]


class Initramfs:
    """Collects what goes in; write() makes the compressed archive."""

    def __init__(self):
        self._entries = {}
        self._modules = {}
        for folder in _FOLDERS:
            self.folder(folder)
        # /dev/console must exist before devtmpfs is mounted.
        self._entries["dev/console"] = (stat.S_IFCHR | 0o600, b"", (5, 1))
        self.program(_busybox(), "bin/busybox")
        self._entries["bin/sh"] = (stat.S_IFLNK | 0o777, b"busybox", None)

    def folder(self, path):
        path = path.strip("/")
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            self._entries.setdefault("/".join(parts[:count]),
                                     (stat.S_IFDIR | 0o755, b"", None))

    def data(self, path, content, mode=0o644):
        """A file with this content (bytes or text)."""
        path = path.strip("/")
        if isinstance(content, str):
            content = content.encode()
        if "/" in path:
            self.folder(os.path.dirname(path))
        self._entries[path] = (stat.S_IFREG | mode, content, None)

    def file(self, source, path=None, mode=None):
        """A host file, by default at the same place in the guest."""
        with open(source, "rb") as stream:
            content = stream.read()
        if mode is None:
            mode = os.stat(source).st_mode & 0o777
        self.data(path or os.path.realpath(source), content, mode)

    def program(self, source, path=None):
        """A host program with the shared libraries that ldd lists."""
        if not os.path.isabs(source):
            source = host.tool(source)
        self.file(source, path or "bin/" + os.path.basename(source), 0o755)
        done = subprocess.run(["ldd", source], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=60)
        for line in done.stdout.decode().splitlines():
            found = re.search(r"(?:=> )?(/\S+) \(0x", line)
            if found:
                self.library(found.group(1))

    def compiled(self, source, path=None):
        """A C program of one file, built statically with the host's compiler."""
        name = os.path.basename(source)[:-2]
        with tempfile.TemporaryDirectory() as work:
            host.run([host.tool("cc", "gcc"), "-O2", "-static", "-o",
                      os.path.join(work, name), source])
            self.file(os.path.join(work, name), path or "bin/" + name, 0o755)

    def library(self, path):
        """A shared library under the name by which it is looked up."""
        # /lib is no link to usr/lib in the guest: keep ldd's spelling.
        self.file(os.path.realpath(path), path, 0o755)

    def init(self, text):
        self.data("init", text, 0o755)

    def modules(self, kernel, names, extra=()):
        """Modules by name with all they depend on; built-in ones are skipped.

        extra: paths of .ko files that aren't Debian's; modprobe finds them too.
        """
        extras = {os.path.basename(path)[:-3].replace("-", "_"): path
                  for path in extra}
        base = "lib/modules/%s/" % kernel.release
        todo = list(names) + list(extras)
        while todo:
            name = todo.pop().replace("-", "_")
            if name in self._modules:
                continue
            if name in extras:
                source, folder = extras[name], "extra/"
            elif kernel.builtin(name):
                continue
            else:
                source, folder = kernel.module_file(name), "kernel/"
            elf = module_bytes(source)
            needs = [need.replace("-", "_") for need in _depends(elf)]
            place = folder + os.path.basename(source).partition(".ko")[0] + ".ko"
            self._modules[name] = (place, needs)
            self.data(base + place, elf)
            todo += needs
        self.data(base + "modules.dep", self._modules_dep())

    def _modules_dep(self):
        lines = []
        for name, (place, _) in sorted(self._modules.items()):
            order, todo = [], list(self._modules[name][1])
            while todo:
                need = todo.pop(0)
                if need in self._modules:
                    if need in order:
                        order.remove(need)
                    order.append(need)
                    todo += self._modules[need][1]
            lines.append("%s: %s\n" % (place, " ".join(
                self._modules[need][0] for need in order)))
        return "".join(lines)

    def _cpio(self):
        out = bytearray()
        for number, (path, (mode, content, device)) in enumerate(
                sorted(self._entries.items()), 1):
            name = path.encode() + b"\0"
            major, minor = device or (0, 0)
            out += b"070701" + b"".join(b"%08X" % field for field in (
                number, mode, 0, 0, 1, 0, len(content), 0, 0, major, minor,
                len(name), 0)) + name
            out += bytes(-len(out) % 4)
            out += content
            out += bytes(-len(out) % 4)
        name = b"TRAILER!!!\0"
        out += b"070701" + b"".join(b"%08X" % field for field in (
            0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, len(name), 0)) + name
        out += bytes(-len(out) % 512)
        return bytes(out)

    def write(self, path):
        """Write the archive, gzip-compressed: every kernel can read that."""
        with open(path, "wb") as file:
            file.write(gzip.compress(self._cpio(), 1, mtime=0))
        return path


def _busybox():
    path = host.tool("busybox", "busybox-static")
    with open(path, "rb") as file:
        if b"/ld-linux" in file.read(4096):
            raise GuestError("busybox is not static: install busybox-static")
    return path
