# SPDX-License-Identifier: GPL-3.0-or-later
"""What dom0, its guests and the kernel after a crash boot from."""

import os
import re
import shutil

from toolkit import host
from toolkit.initramfs import Initramfs

from . import build

HERE = os.path.dirname(os.path.abspath(__file__))

# Of the packages in build.PACKAGES: where a program is, by its name in dom0.
XEN_BIN = "usr/lib/xen-4.17/bin/"
PROGRAMS = [XEN_BIN + "xl", XEN_BIN + "xenstored", XEN_BIN + "xenconsoled",
            XEN_BIN + "xen-init-dom0", "usr/bin/xenstore-exists", "sbin/kexec"]
DOM0_MODULES = ["xen-privcmd", "xenfs", "xen-evtchn", "xen-gntdev",
                "xen-gntalloc", "virtio_pci", "virtio_blk"]


def _loader(root):
    return root.find("usr/lib64/ld-linux-x86-64.so.2")


def _libraries(root, program):
    """[(name, path)] of the shared libraries that a program of root needs."""
    listed = host.run([_loader(root), "--library-path",
                       root.path + "/usr/lib/x86_64-linux-gnu", "--list", program])
    return re.findall(r"(\S+) => (/\S+) \(0x", listed)


def _add(image, root, program):
    """A program of root with its libraries, which are not the host's."""
    image.file(program, "bin/" + os.path.basename(program), 0o755)
    image.file(_loader(root), "lib64/ld-linux-x86-64.so.2", 0o755)
    for name, path in _libraries(root, program):
        if not name.startswith("/"):
            image.file(os.path.realpath(path), "lib/x86_64-linux-gnu/" + name, 0o755)


def _add_rbstats(image, program):
    """The host's rbstats in a folder of its own with all that it loads."""
    image.file(program, "opt/rbstats/rbstats", 0o755)
    for line in host.run(["ldd", program]).splitlines():
        found = re.search(r"(?:(\S+) => )?(/\S+) \(0x", line)
        if found:
            name = os.path.basename(found.group(1) or found.group(2))
            image.file(os.path.realpath(found.group(2)),
                       "opt/rbstats/lib/" + name, 0o755)


def _add_modules(image, kernel, names):
    """Modules of a kernel; modprobe is content with those that are built in."""
    image.modules(kernel, names)
    image.file(kernel.modules + "/modules.builtin",
               "lib/modules/%s/modules.builtin" % kernel.release)


def _script(name):
    with open("%s/init/%s.sh" % (HERE, name)) as file:
        return file.read()


def _facts(root, work):
    """xenfacts, built against the suite's libxenctrl: its path."""
    shutil.copy(HERE + "/programs/xenfacts.c", work)
    root.chroot(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
                 "-o", "xenfacts", "xenfacts.c", "-lxenctrl",
                 "-lxenforeignmemory"], [work], work)
    return work + "/xenfacts"


def dom0(kernel, guests, work, rbstats=None):
    """The initramfs of dom0, which holds those of all others: its path.

    guests: the kernel that its guests boot.
    rbstats: path of the program to carry for the live check.
    """
    root = build.root()
    guest = Initramfs()
    guest.init(_script("domu"))
    capture = Initramfs()
    _add_modules(capture, kernel, ["virtio_pci", "virtio_blk"])
    capture.init(_script("capture"))
    image = Initramfs()
    _add_modules(image, kernel, DOM0_MODULES)
    for program in PROGRAMS:
        _add(image, root, root.find(program))
    _add(image, root, _facts(root, work))
    # libc opens it when a thread of xl is cancelled.
    image.file(os.path.realpath(root.find("usr/lib/x86_64-linux-gnu/libgcc_s.so.1")),
               "lib/x86_64-linux-gnu/libgcc_s.so.1", 0o755)
    if rbstats:
        _add_rbstats(image, rbstats)
    image.file(kernel.vmlinuz, "boot/vmlinuz")
    image.file(guests.vmlinuz, "boot/guest")
    image.file(guest.write(work + "/domu.gz"), "boot/domu.gz")
    image.file(capture.write(work + "/capture.gz"), "boot/capture.gz")
    # xl wants to know who it is.
    image.data("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    image.init(_script("dom0"))
    return image.write(work + "/dom0.gz")
