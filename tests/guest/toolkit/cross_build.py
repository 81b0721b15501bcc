# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds kernel modules for a machine of another architecture than the host's.

Compiler, make and kbuild's programs are those of the kernel's own suite, unpacked into the cache and
run in a namespace of their own (foreign.py); nothing is installed.
"""

import os

from . import apt, cross, foreign, host, kernels

TOOLS = ("make", "coreutils", "dash", "bash", "sed", "grep", "mawk", "findutils", "perl-base",
         "pahole", "diffutils")


class _Packages:
    """Headers of the machine's architecture with kbuild's programs of the host's."""

    def __init__(self, kern):
        self._kernel = apt.Archive(kern.suite, kern.arch)
        self._host = apt.Archive(kern.suite)

    def fetch(self, name):
        archive = self._host if name.startswith("linux-kbuild-") else self._kernel
        return archive.fetch(name)

    def packages(self):
        return self._kernel.packages()


def headers(kern):
    """Like kernels.headers(), for build()."""
    top = os.path.join(host.cache("headers"), kern.release)
    tree = "%s/usr/src/linux-headers-%s" % (top, kern.release)
    if not os.path.isdir(tree):
        host.replace_tree(lambda part: kernels.unpack_headers(_Packages(kern), kern, part, top),
                          top)
    return tree


def _run(kern, argv, binds):
    """Run a program of the kernel's suite; binds: host folders seen at their path."""
    triplet = cross.TRIPLETS[kern.arch]
    root = foreign.Root(kern.suite.partition("-")[0],
                        TOOLS + ("gcc-" + triplet, "binutils-" + triplet))
    # Debian's alternatives make this link, in a script that foreign.py does not run.
    awk = os.path.join(root.path, "usr/bin/awk")
    if not os.path.lexists(awk):
        os.symlink("mawk", awk)
    root.chroot(argv, binds=tuple(binds) + (host.cache("headers"),), timeout=1800)


def build(kern, folder, *arguments, binds=()):
    """Build the modules in a folder with `make modules`; arguments are make's."""
    triplet = cross.TRIPLETS[kern.arch]
    _run(kern, ["make", "-j2", "-C", headers(kern), "M=" + folder, "CROSS_COMPILE=%s-" % triplet,
                "CC=%s-gcc" % triplet] + list(arguments) + ["modules"], (folder,) + tuple(binds))


def strip(kern, folder):
    """Take DWARF and BTF from the modules in a folder."""
    _run(kern, ["sh", "-c", "exec %s-strip -g -R .BTF -R .BTF.base %s/*.ko"
                % (cross.TRIPLETS[kern.arch], folder)], (folder,))
