# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds Xen with debug information from Debian's source, plain or patched.

Everything is done in a folder tree of packages of the same suite (gcc, make,
flex, Xen's own tools), so that the machine's compiler and tools don't matter.
"""

import glob
import hashlib
import os
import shutil

from toolkit import apt, foreign, host
from toolkit.errors import GuestError, NotReachable

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = "bookworm"

# What builds a hypervisor, then what dom0 runs.
PACKAGES = ["gcc", "libc6-dev", "make", "flex", "bison", "m4", "python3",
            "mawk", "binutils", "dash", "bash", "coreutils", "sed", "grep",
            "findutils", "diffutils", "gzip", "perl-base", "libxen-dev",
            "xen-hypervisor-4.17-amd64", "xen-utils-4.17", "kexec-tools",
            "makedumpfile"]

# Raise it when this file builds another hypervisor of the same source.
BUILD = 1

# Name: which form of stats_table the hypervisor has.
VARIANTS = {
    "stock": None,
    "stats-v1": "v1",
    "stats-v3": "v3",
}


def root():
    """The tree with compilers and with dom0's programs and libraries."""
    return foreign.Root(SUITE, PACKAGES)


class Hypervisor:
    """A built hypervisor.

    image    multiboot image, as QEMU's -kernel takes it
    syms     ELF file with symbols and DWARF
    version  of Debian's source package
    variant  a key of VARIANTS
    """

    def __init__(self, folder, version, variant):
        self.image, self.syms = folder + "/xen", folder + "/xen-syms"
        self.version, self.variant = version, variant


def _mark(variant):
    """What a build was made from beside Debian's source: ends its name."""
    total = hashlib.sha256(b"build %d\n" % BUILD)
    form = VARIANTS[variant]
    for name in ("hooks.patch", "vcpu_stats.h", "vcpu_stats_%s.c" % form):
        if form:
            with open(HERE + "/hypervisor/" + name, "rb") as file:
                total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()[:12]


def _built(store, variant, mark):
    """(folder, version) of a build of the newest version, or None."""
    suffix = "-%s-%s" % (variant, mark)
    names = [name for name in os.listdir(store)
             if name.endswith(suffix) and ".part." not in name]
    if not names:
        return None
    best = max(names, key=apt.version_key)
    return os.path.join(store, best), best.removesuffix(suffix)


def _source(folder):
    """Unpack the newest source that the mirror really has: (tree, version)."""
    sources = apt.Sources(SUITE)
    missing = None
    for version in sources.versions("xen"):
        try:
            sources.unpack("xen", version, folder)
        except NotReachable as error:
            missing = error
            continue
        tree, = [path for path in glob.glob(folder + "/xen-*")
                 if os.path.isdir(path)]
        return tree, version
    raise missing


def _change(tree, form):
    """Put the project's stats_table of a form ('v1', 'v3') into a Xen tree."""
    with open(HERE + "/hypervisor/hooks.patch", "rb") as patch:
        host.run([host.tool("patch"), "-p1", "-d", tree, "--forward",
                  "--fuzz=3", "--no-backup-if-mismatch"], stdin=patch)
    shutil.copy(HERE + "/hypervisor/vcpu_stats.h", tree + "/xen/include/xen/")
    shutil.copy("%s/hypervisor/vcpu_stats_%s.c" % (HERE, form),
                tree + "/xen/common/vcpu_stats.c")


def _compile(tree):
    place, xen = root(), tree + "/xen"
    # Debian's choices, plus what a reader of dumps needs.
    with open(place.find("boot/xen-*.config")) as file:
        config = file.read()
    with open(xen + "/.config", "w") as file:
        file.write(config + "CONFIG_EXPERT=y\nCONFIG_DEBUG_INFO=y\n")
    # Without the maintainer scripts nothing is called awk.
    os.makedirs(tree + "/awk")
    os.symlink("/usr/bin/mawk", tree + "/awk/awk")
    command = ["env", "PATH=%s/awk:/usr/sbin:/usr/bin" % tree, "make",
               "XEN_CONFIG_EXPERT=y", "PYTHON=python3", "XEN_DOMAIN=rbstats",
               "XEN_WHOAMI=rbstats"]
    for target in (["olddefconfig"], ["-j2", "xen"]):
        place.chroot(command + target, [tree], xen, 1500)
    with open(xen + "/.config") as file:
        if "CONFIG_DEBUG_INFO=y" not in file.read():
            raise GuestError("Xen's configuration refuses debug information")


def _build(folder, variant):
    """Source to hypervisor in folder; returns the version."""
    work = folder + "/work"
    os.makedirs(work)
    tree, version = _source(work)
    if VARIANTS[variant]:
        _change(tree, VARIANTS[variant])
    _compile(tree)
    for name in ("xen", "xen-syms", ".config"):
        shutil.copy(os.path.join(tree, "xen", name),
                    os.path.join(folder, name.lstrip(".")))
    shutil.rmtree(work)
    return version


def hypervisor(variant):
    """A hypervisor of VARIANTS, from the cache or built (2 to 5 minutes)."""
    store, mark = host.cache("xen"), _mark(variant)
    with host.locked("%s/%s.lock" % (store, variant)):
        found = _built(store, variant, mark)
        if not found:
            part = "%s/%s.part.%d" % (store, variant, os.getpid())
            shutil.rmtree(part, ignore_errors=True)
            os.makedirs(part)
            try:
                version = _build(part, variant)
                os.rename(part, "%s/%s-%s-%s" % (store, version, variant, mark))
            finally:
                shutil.rmtree(part, ignore_errors=True)
            found = _built(store, variant, mark)
    return Hypervisor(found[0], found[1], variant)


def build_id(path):
    """The GNU build-id of an ELF file, in hexadecimal."""
    text = host.run([host.tool("readelf", "binutils"), "-n", path])
    for line in text.splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    raise GuestError("%s has no build-id" % path)
