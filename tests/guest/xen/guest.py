# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes of Xen: one machine with dom0 and guests, in several dumps.

What they make is in README.md.
"""

import json
import os
import re
import shutil
import tarfile

from toolkit import dumps, host, kernels, truth
from toolkit.errors import GuestError, NeedsTool
from toolkit.qemu import Guest

from . import build, image

# Emulated, and other jobs may run: some five times what a quiet machine takes.
TIMEOUT = 600

# QEMU's qemu64 has what a PV dom0 of 6.1 can live with; "max" ends it early.
MACHINE = {"cpu": "qemu64", "smp": 2, "memory": 1280}
# Nothing may write between the lines of the truth.
XEN_OPTIONS = ("console=com1 com1=115200,8n1 loglvl=error guest_loglvl=error "
               "dom0_mem=416M,max:416M dom0_max_vcpus=2 crashkernel=192M")
DOM0_OPTIONS = ("console=hvc0 rdinit=/init panic=-1 quiet cryptomgr.notests "
                "ipv6.disable=1")

# Not this folder's README: the outputs stay fresh when it changes.
SOURCES = ["xen/build.py", "xen/hypervisor", "xen/image.py", "xen/init",
           "xen/programs", "xen/guest.py"]

PROGRAM = os.path.join(host.TOP_DIR, "build", "rbstats")

# Names of dom0's guests.
GUESTS = ("worker", "crashed", "gone")

# Suite and pattern of the kernel that dom0 and its guests run, unless a recipe says otherwise.
KERNEL = (build.SUITE, "linux-image-6.1.*-amd64")


def _number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _typed(tree):
    if isinstance(tree, dict):
        return {key: _typed(value) for key, value in tree.items()}
    return _number(tree)


def _blocks(text):
    """Both truth blocks; what the hypervisor says of guests must be equal."""
    first = truth.block(text)
    second = truth.block(text[text.index("\n" + truth.END):])
    for domid in first["names"].values():
        if first["xen"]["domains"][domid] != second["xen"]["domains"][domid]:
            raise GuestError("domain %s is not at rest" % domid)
    # The later one: dom0 has run on, and the dump comes after it.
    return _typed(second)


def _check(said, table):
    """The guests must be in the states that the recipe is for."""
    worker, crashed, gone = (said["xen"]["domains"][str(said["names"][name])]
                             for name in GUESTS)
    if not worker["paused"] or not crashed["shutdown"] or not gone["dying"]:
        raise GuestError("a guest is not in its state")
    # SHUTDOWN_crash of Xen's public/sched.h
    if crashed["shutdown_reason"] != 3:
        raise GuestError("the crashed guest did not crash")
    for vcpu in ("0", "1", "2"):
        if worker["vcpus"][vcpu]["cpu_time"] == 0:
            raise GuestError("vCPU %s has not run" % vcpu)
        if "error" in worker["guest"]["vcpus"][vcpu]:
            raise GuestError("xen_runstate of CPU %s is not readable" % vcpu)
    made = worker["table"].get("vcpus")
    if bool(made) != (table != "none"):
        raise GuestError("stats_table: %s" % worker["table"])
    if made and not made["0"]["running_time"]:
        raise GuestError("the table does not count")


class _Machine:
    """What the recipes of dumps and of the live check have in common.

    variant  a key of build.VARIANTS
    dom0     suite and pattern of dom0's kernel
    guests   the same of the kernel of its guests; None: dom0's
    """

    sources = SOURCES

    def __init__(self, summary, variant, dom0=KERNEL, guests=None):
        self.summary, self.variant = summary, variant
        self.dom0, self.guests = dom0, guests or dom0
        self.table = build.VARIANTS[variant] or "none"

    def _disk(self, job, name, size):
        path = os.path.join(job.work, name)
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    def _start(self, job, rbstats=None):
        """The started machine; also its disks' paths as job.disks."""
        kernel, guests = kernels.kernel(*self.dom0), kernels.kernel(*self.guests)
        hypervisor = build.hypervisor(self.variant)
        initrd = image.dom0(kernel, guests, job.work, rbstats)
        job.disks = [self._disk(job, "files", 1 << 30),
                     self._disk(job, "vmcore", 2 << 30)]
        for key, each in (("kernel", kernel), ("guest_kernel", guests)):
            job.truth[key] = {"suite": each.suite, "arch": each.arch,
                              "release": each.release}
        job.truth["build"] = {"version": hypervisor.version,
                              "variant": self.variant, "table": self.table,
                              "build_id": build.build_id(hypervisor.syms)}
        shutil.copy(hypervisor.syms, job.out("xen-syms"))
        args = []
        for number, path in enumerate(job.disks):
            args += ["-drive", "if=none,id=d%d,format=raw,cache=unsafe,file=%s"
                     % (number, path), "-device", "virtio-blk-pci,drive=d%d,"
                     "addr=%d" % (number, number + 3)]
        modules = "%s %s rb.table=%s%s,%s" % (
            kernel.vmlinuz, DOM0_OPTIONS, self.table,
            " rb.live=1" if rbstats else "", initrd)
        # Xen is a multiboot image: QEMU loads the kernel and its initramfs
        # as modules, the kernel's options behind its name.
        return Guest(hypervisor.image, modules, job.out("console.log"),
                     XEN_OPTIONS, args, **MACHINE)

    def _await(self, guest):
        end = guest.wait_for(r"^## \S+ (HELD|FAILED: .*)$", TIMEOUT).group(1)
        if end != "HELD":
            raise GuestError("dom0: " + end)
        said = _blocks(guest.text())
        _check(said, self.table)
        return said


class XenDumps(_Machine):
    """Dumps of the machine (QEMU, kexec, makedumpfile) and of a guest (xl)."""

    def make(self, job):
        with self._start(job) as guest:
            said = self._await(guest)
            guest.stop()
            path = dumps.take(guest, job.out("machine.elf"))
            said["qemu_registers"] = guest.qmp.call(
                "human-monitor-command", command_line="info registers -a")
            guest.cont()
            guest.send("go")
            size = int(guest.wait_for(r"^CAPTURED vmcore=(\d+)$|^FAILED.*$",
                                      TIMEOUT).group(1) or 0)
            guest.wait_exit(60)
        if not size:
            raise GuestError("the capture kernel could not read /proc/vmcore")
        job.truth.update(said)
        job.dump("machine.elf", "elf", origin="qemu", paging=False)
        self._captured(job, size)
        with tarfile.open(job.disks[0]) as files:
            files.extract("worker.core", job.dir, filter="data")
        job.dump("worker.core", "xc_core", origin="xl dump-core",
                 domid=said["names"]["worker"])
        for name in ("machine.elf", "vmcore.elf", "worker.core"):
            dumps.make_sparse(job.out(name))
            os.chmod(job.out(name), 0o644)

    def _captured(self, job, size):
        os.truncate(job.disks[1], size)
        shutil.move(job.disks[1], job.out("vmcore.elf"))
        job.dump("vmcore.elf", "elf", origin="/proc/vmcore")
        for name, options in (("vmcore.zlib", ["-c", "-d", "0"]),
                              ("vmcore.zlib-x", ["-c", "-X"])):
            host.run([host.tool("makedumpfile"), "--message-level", "4"] +
                     options + [job.out("vmcore.elf"), job.out(name)])
            job.dump(name, "kdump", origin="makedumpfile",
                     options=" ".join(options))


class XenLive(_Machine):
    """rbstats --xen-live within dom0, between two readings of the truth."""

    def __init__(self, summary, variant):
        super().__init__(summary, variant)
        # Made again when the program changes.
        if os.path.exists(PROGRAM):
            self.sources = SOURCES + [os.path.relpath(PROGRAM, host.GUEST_DIR)]

    def make(self, job):
        if not os.path.exists(PROGRAM):
            raise NeedsTool("build/rbstats is not built")
        with self._start(job, PROGRAM) as guest:
            said = self._await(guest)
            guest.wait_exit(60)
        job.truth.update(said)
        live = job.truth["live"] = {}
        with tarfile.open(job.disks[0]) as files:
            for member in files.getmembers():
                name, kind = member.name.rsplit(".", 1)
                content = files.extractfile(member).read().decode()
                live.setdefault(name, {})[kind] = \
                    int(content) if kind == "status" else content
        with open(job.out("live.json"), "w") as file:
            json.dump(live, file, indent=1, sort_keys=True)
