"""Debian's own LTTng programs, with their libraries, for an initramfs."""

import os
import re

from toolkit import apt, host
from toolkit.errors import GuestError

LIBRARIES = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
LOADER = "lib64/ld-linux-x86-64.so.2"
CONSUMER = "usr/lib/x86_64-linux-gnu/lttng/libexec/lttng-consumerd"
PROGRAMS = ("usr/bin/lttng", "usr/bin/lttng-sessiond", CONSUMER)
# sessiond validates its configuration against this.
DATA = ("usr/share/xml/lttng/session.xsd",)


class Tools:
    """lttng-tools of a suite, unpacked with all that it needs."""

    def __init__(self, archive):
        deb = archive.fetch("lttng-tools")
        self.version = os.path.basename(deb).split("_")[1]
        self.root = os.path.join(host.cache("lttng"), "tools-" + self.version)
        if not os.path.isdir(self.root):
            host.replace_tree(lambda part: self._unpack(archive, part),
                              self.root)

    @staticmethod
    def _unpack(archive, folder):
        for name in archive.closure(["lttng-tools"]):
            apt.unpack(archive.fetch(name), folder)

    def _find(self, name):
        for folder in LIBRARIES:
            path = os.path.join(self.root, folder, name)
            if os.path.exists(path):
                return path
        raise GuestError("no library %s for lttng-tools" % name)

    def install(self, image):
        """Put programs and libraries into an Initramfs."""
        todo = [os.path.join(self.root, program) for program in PROGRAMS]
        done = set()
        for program in PROGRAMS:
            image.file(os.path.join(self.root, program), program, 0o755)
        while todo:
            text = host.run([host.tool("readelf", "binutils"), "-d", todo.pop()])
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
                if name in done:
                    continue
                done.add(name)
                path = self._find(name)
                image.file(path, LIBRARIES[1] + "/" + name, 0o755)
                todo.append(path)
        image.file(self._find(os.path.basename(LOADER)), LOADER, 0o755)
        for path in DATA:
            image.file(os.path.join(self.root, path), path)
