"""Builds lttng-modules against a kernel's headers, and what goes beside it."""

import glob
import lzma
import os
import re
import shutil
import struct

from toolkit import apt, host
from toolkit.errors import GuestError

from . import fit

HERE = os.path.dirname(os.path.abspath(__file__))

# Probes of whole subsystems that no session of ours traces are not carried.
PROBES = {"sched", "timer", "irq"}


def _make(headers, folder, *arguments):
    # Headers name the compiler of their own suite; the machine's will do.
    host.run([host.tool("make"), "-j2", "-C", headers, "M=" + folder,
              "CC=gcc"] + list(arguments) + ["modules"], timeout=1500)


class Modules:
    """A built lttng-modules tree.

    version   such as 2.13.9
    tree      the source tree, with Module.symvers and unstripped .ko files
    headers   the kernel headers that it was built against
    """

    def __init__(self, tree, headers):
        self.tree, self.headers = tree, headers
        with open(tree + "/dkms.conf") as file:
            self.version = re.search(r'^PACKAGE_VERSION="(.*)"', file.read(),
                                     re.M).group(1)

    def files(self):
        """The .ko files that a guest gets: all but unused probes."""
        found = []
        for path in sorted(glob.glob(self.tree + "/**/*.ko",
                                     recursive=True)):
            probe = re.match(r"lttng-probe-(.*)\.ko", os.path.basename(path))
            if not probe or probe.group(1) in PROBES:
                found.append(path)
        return found


def modules(kern, headers, archive, defines=()):
    """lttng-modules of a suite built for a kernel, from the cache or anew.

    defines: preprocessor macros, such as LTTNG_RING_BUFFER_COUNT_EVENTS.
    """
    deb = archive.fetch("lttng-modules-dkms")
    name = "-".join([os.path.basename(deb).split("_")[1], kern.release] +
                    [define.lower() for define in defines])
    final = os.path.join(host.cache("lttng"), name)

    def build(folder):
        apt.unpack(deb, folder + "/deb")
        source, = glob.glob(folder + "/deb/usr/src/lttng-modules-*")
        tree = folder + "/tree"
        os.rename(source, tree)
        shutil.rmtree(folder + "/deb")
        fit.fit(tree, headers)
        flags = " ".join("-D" + define for define in defines)
        _make(headers, tree, "CONFIG_LTTNG=m",
              "CONFIG_LTTNG_CLOCK_PLUGIN_TEST=m", "KCPPFLAGS=" + flags)

    if not os.path.isdir(final):
        host.replace_tree(build, final)
    return Modules(final + "/tree", headers)


def own_module(lttng, folder, defines=()):
    """Our module for the guest, built in folder: its path."""
    shutil.copytree(HERE + "/module", folder)
    _make(lttng.headers, folder, "LTTNG=" + lttng.tree,
          "KBUILD_EXTRA_SYMBOLS=%s/Module.symvers" % lttng.tree,
          "KCPPFLAGS=" + " ".join("-D" + define for define in defines))
    return folder + "/rbstats-lttng.ko"


def probe(folder):
    """The guest's helper program, statically linked: its path."""
    path = folder + "/probe"
    host.run([host.tool("gcc"), "-std=gnu11", "-O2", "-Wall", "-Wextra",
              "-static", "-o", path, HERE + "/probe.c"])
    return path


def strip(source, path, btf=True):
    """A copy without DWARF, as DKMS installs modules; BTF stays on demand."""
    options = ["-g"] if btf else ["-g", "-R", ".BTF", "-R", ".BTF.base"]
    host.run([host.tool("strip", "binutils")] + options + ["-o", path, source])
    return path


def add_btf(source, path, base):
    """A stripped copy with split BTF on the BTF of a vmlinux file."""
    copy = path + ".dwarf"
    host.run([host.tool("objcopy", "binutils"), "-R", ".BTF", source, copy])
    host.run([host.tool("pahole"), "-J", "--btf_base", base, copy])
    strip(copy, path)
    os.unlink(copy)
    return path


def vmlinux(kern, path):
    """The ELF file that is packed in a kernel image; it has the BTF.

    Documentation/arch/x86/boot.rst: setup_sects, payload_offset and
    payload_length of the real-mode header.
    """
    with open(kern.vmlinuz, "rb") as file:
        image = file.read()
    sectors = image[0x1f1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (sectors + 1) * 512 + offset
    packed = image[start:start + length]
    if packed[:6] == b"\xfd7zXZ\0":
        data = lzma.LZMADecompressor().decompress(packed)
        with open(path, "wb") as file:
            file.write(data)
    elif packed[:4] == b"\x28\xb5\x2f\xfd":
        with open(path + ".zst", "wb") as file:
            # The last 4 bytes are the unpacked size.
            file.write(packed[:-4])
        host.run([host.tool("zstd"), "-q", "-d", "-f", path + ".zst",
                  "-o", path])
        os.unlink(path + ".zst")
    else:
        raise GuestError("%s: unknown compression" % kern.vmlinuz)
    return path
