# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds kernel modules against a header tree, with programs that can do it.

Debian's kbuild programs (fixdep, modpost, objtool) are of the kernel's suite: where the machine's C
library is too old for them, make runs in a root of that suite, with the suite's compiler.
"""

import os
import subprocess

from . import foreign, host

PACKAGES = ("gcc-14", "make", "dash", "bash", "coreutils", "sed", "grep", "mawk", "findutils",
            "binutils", "libelf1t64", "perl-base", "dpkg", "diffutils", "xz-utils", "kmod",
            "pahole", "libssl3t64")


def _runs_here(headers):
    """Whether the tree's own programs start on this machine."""
    for name in ("scripts/basic/fixdep", "scripts/mod/modpost", "tools/objtool/objtool"):
        program = os.path.join(headers, name)
        # Without arguments they print their usage; a loader that fails names a library's version.
        told = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=dict(os.environ, SRCARCH="x86")) \
            if os.path.exists(program) else None
        if told and b"not found" in told.stderr:
            return False
    return True


def make(kern, headers, folder, arguments=(), binds=(), timeout=1500):
    """make modules in a folder. binds: other folders that the build reads."""
    words = ["make", "-j2", "-C", headers, "M=" + folder]
    if _runs_here(headers):
        # Headers name the compiler of their own suite; the machine's will do.
        host.run([host.tool("make")] + words[1:] + ["CC=gcc", "HOSTCC=gcc"] + list(arguments) +
                 ["modules"], timeout)
        return
    root = foreign.Root(kern.suite.partition("-")[0], PACKAGES)
    # awk is a link that no package carries.
    root.chroot(words + ["AWK=mawk"] + list(arguments) + ["modules"],
                [host.cache("headers"), folder] + list(binds), timeout=timeout)
