# SPDX-License-Identifier: GPL-3.0-or-later
"""An initramfs for a machine of another architecture than the host's.

Programs are Debian's of that architecture, C files are built with Debian's cross compiler; both are
unpacked into the cache (foreign.py), nothing is installed.
"""

import os
import re
import shutil
import tempfile

from . import foreign, host, initramfs

# Debian's architecture: GNU's name of the machine.
TRIPLETS = {"arm64": "aarch64-linux-gnu", "s390x": "s390x-linux-gnu"}
SUITE = "bookworm"
PACKAGES = ("busybox-static", "ethtool")


class Initramfs(initramfs.Initramfs):
    """arch: Debian's name. packages: more than PACKAGES, for program()."""

    def __init__(self, arch, packages=()):
        self.arch, self.triplet = arch, TRIPLETS[arch]
        self._root = foreign.Root(SUITE, PACKAGES + tuple(packages), arch=arch)
        super().__init__()

    def program(self, source, path=None):
        """A program of the packages, by its name, with the libraries that it needs."""
        name = os.path.basename(source)
        self._object(self._root.find("usr/*bin/" + name), path or "bin/" + name)

    def tree_program(self, path):
        """A program of the packages that is no command, at its own place."""
        self._object(self._root.find(path), path)

    def tree_file(self, path):
        """A data file of the packages, at its own place."""
        self.file(self._root.find(path), path)

    def _object(self, source, path):
        self.file(source, path, 0o755)
        said = host.run([host.tool("readelf", "binutils"), "-W", "-d", "-l", source])
        wanted = re.findall(r"\(NEEDED\).*\[(\S+)\]", said)
        loader = re.search(r"program interpreter: (\S+)\]", said)
        if loader:
            # A link to the file that some library needs under its own name.
            self.file(self._root.find("usr/lib/%s/%s" % (
                self.triplet, os.path.basename(loader.group(1)))), loader.group(1), 0o755)
        for name in wanted:
            place = "lib/%s/%s" % (self.triplet, name)
            if place not in self._entries:
                self._object(self._root.find("usr/lib/%s/%s" % (self.triplet, name)), place)

    def compiled(self, source, path=None):
        """A C program of one file, built statically."""
        name = os.path.basename(source)[:-2]
        compilers = foreign.Root(SUITE, ["gcc-" + self.triplet, "coreutils", "dash",
                                         "libc6-dev-%s-cross" % self.arch])
        with tempfile.TemporaryDirectory() as work:
            shutil.copy(source, work)
            compilers.chroot([self.triplet + "-gcc", "-O2", "-static", "-o", name, name + ".c"],
                             binds=(work,), cwd=work)
            self.file(os.path.join(work, name), path or "bin/" + name, 0o755)
