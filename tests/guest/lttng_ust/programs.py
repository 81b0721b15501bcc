# SPDX-License-Identifier: GPL-3.0-or-later
"""The traced program in both word sizes, and LTTng's own, out of a suite's packages."""

import glob
import os
import re

from toolkit import foreign, host
from toolkit.errors import GuestError

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ["lttng-tools", "liblttng-ust-dev", "libc6-dev"]

# What is loaded by name at run time: nothing names it as needed.
LOADED = ("liblttng-ust*.so.*",)
DATA = ("usr/share/xml/lttng/session.xsd",)


class Programs:
    """A suite's LTTng for one architecture, unpacked; the traced program is built against it."""

    def __init__(self, suite, arch):
        self.arch = arch
        self.triplet = {"amd64": "x86_64-linux-gnu", "i386": "i386-linux-gnu"}[arch]
        self.loader = {"amd64": "lib64/ld-linux-x86-64.so.2", "i386": "lib/ld-linux.so.2"}[arch]
        self.libraries = "usr/lib/" + self.triplet
        self.consumer = self.libraries + "/lttng/libexec/lttng-consumerd"
        self.root = foreign.Root(suite, PACKAGES, arch).path
        if not glob.glob(self._at(self.libraries, "liblttng-ust.so.*")):
            raise GuestError("no liblttng-ust of %s in %s" % (arch, suite))

    def _at(self, *parts):
        return os.path.join(self.root, *parts)

    def version(self, package):
        """The upstream version that a shared file of the package is documented with."""
        path = glob.glob(self._at("usr/share/doc", package, "changelog.Debian.gz"))
        if not path:
            raise GuestError("%s is not unpacked" % package)
        text = host.run(["gzip", "-dc", path[0]])
        return re.match(r"\S+ \(([^)]+)\)", text).group(1)

    def build(self, folder):
        """
        The traced program's path. Start files and libraries are the suite's: those of the
        compiler may be of another word size, and newer.
        """
        out = os.path.join(folder, "traced-" + self.arch)
        options = ["-m64" if self.arch == "amd64" else "-m32", "-O1", "-w", "-no-pie", "-fno-pie",
                   "--sysroot=" + self.root, "-I", os.path.join(HERE, "program"), "-isystem",
                   self._at("usr/include", self.triplet), "-isystem", self._at("usr/include")]
        libraries = self._at(self.libraries)
        start = [os.path.join(libraries, name) for name in ("crt1.o", "crti.o")]
        host.run([host.tool("cc", "gcc")] + options + ["-nostdlib", "-o", out] + start +
                 [os.path.join(HERE, "program", name) for name in ("traced.c", "tp.c")] +
                 ["-L" + libraries, "-Wl,-rpath-link," + libraries,
                  "-Wl,--dynamic-linker=/" + self.loader, "-llttng-ust", "-ldl", "-lc",
                  os.path.join(libraries, "crtn.o")])
        return out

    def install(self, image, traced, daemons):
        """Into an Initramfs: the traced program, the consumer, with daemons LTTng's others."""
        programs = [self.consumer]
        if daemons:
            programs += ["usr/bin/lttng", "usr/bin/lttng-sessiond"]
            for path in DATA:
                image.file(self._at(path), path)
        todo = [traced] + [self._at(program) for program in programs]
        for pattern in LOADED:
            todo += [path for path in glob.glob(self._at(self.libraries, pattern))
                     if not os.path.islink(path)]
        image.file(traced, "bin/" + os.path.basename(traced), 0o755)
        for program in programs:
            image.file(self._at(program), program, 0o755)
        for path in glob.glob(self._at(self.libraries, LOADED[0])):
            image.file(os.path.realpath(path), self.libraries + "/" + os.path.basename(path),
                       0o755)
        done = set()
        while todo:
            text = host.run([host.tool("readelf", "binutils"), "-d", todo.pop()])
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
                path = self._at(self.libraries, name)
                if name in done or not os.path.exists(path):
                    continue
                done.add(name)
                image.file(os.path.realpath(path), self.libraries + "/" + name, 0o755)
                todo.append(path)
        image.file(os.path.realpath(self._at("usr", self.loader)), self.loader, 0o755)
