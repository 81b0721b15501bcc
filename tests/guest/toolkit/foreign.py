# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of another Debian suite, unpacked into the cache, never installed.

A program is started through its own dynamic loader, or, when it starts others
of its suite (a compiler), in a chroot within a user namespace.
"""

import glob
import hashlib
import os

from . import apt, host, netns
from .errors import GuestError

# Folders that usr-merge makes links; packages alone do not carry them.
_MERGED = ("bin", "sbin", "lib", "lib64")


def _bend_links(root):
    """Absolute links made relative: a linker's --sysroot does not look for them in the root."""
    for folder, folders, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in folders + files):
            if os.path.islink(path) and os.path.isabs(os.readlink(path)):
                target = root + os.readlink(path)
                os.unlink(path)
                os.symlink(os.path.relpath(target, folder), path)


class Root:
    """A folder tree with packages of a suite and all their dependencies.

    No maintainer script runs. Once unpacked it is kept as it is, so that it
    works without a network; remove it from the cache to get newer versions.
    """

    def __init__(self, suite, packages, arch="amd64"):
        key = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:12]
        self.path = os.path.join(host.cache("roots"), "%s-%s-%s"
                                 % (suite, arch, key))
        if not os.path.isdir(self.path):
            archive = apt.Archive(suite, arch)
            debs = [archive.fetch(name) for name in archive.closure(packages)]
            host.replace_tree(lambda part: self._fill(part, debs), self.path)

    @staticmethod
    def _fill(part, debs):
        # Links first, so that files for /lib land in /usr/lib.
        for name in _MERGED:
            os.makedirs(os.path.join(part, "usr", name))
            os.symlink("usr/" + name, os.path.join(part, name))
        for deb in debs:
            # dpkg-deb -x would replace the links by folders.
            host.run(["bash", "-o", "pipefail", "-c",
                      'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" '
                      '--keep-directory-symlink --no-same-owner -f -',
                      "unpack", deb, part], 600)
        _bend_links(part)

    def find(self, pattern):
        """The one file that matches a glob below the root."""
        found = glob.glob(os.path.join(self.path, pattern))
        if not found:
            raise GuestError("%s has no %s" % (self.path, pattern))
        return found[0]

    def argv(self, program):
        """The arguments that start usr/bin/PROGRAM with its own libraries."""
        loader = self.find("usr/lib*/ld-linux-x86-64.so.2")
        folders = glob.glob(self.path + "/usr/lib/*-linux-gnu") + \
            [self.path + "/usr/lib"]
        return [loader, "--library-path", ":".join(folders),
                self.find("usr/bin/" + program)]

    def chroot(self, argv, binds=(), cwd="/", timeout=600):
        """Run a program in the root; binds: host folders seen at their path."""
        netns.check_namespace()
        script = ["mount --make-rprivate /"]
        for bind in tuple(binds) + ("/dev", "/proc"):
            inside = self.path + bind
            os.makedirs(inside, exist_ok=True)
            script.append('mount --rbind "%s" "%s"' % (bind, inside))
        script.append('exec chroot "%s" /usr/bin/env -i HOME=/root '
                      'PATH=/usr/sbin:/usr/bin sh -c \'cd "$0" && exec "$@"\' '
                      '"$@"' % self.path)
        return host.run(["unshare", "-r", "-m", "sh", "-ec", "; ".join(script),
                         "chroot", cwd] + list(argv), timeout)
