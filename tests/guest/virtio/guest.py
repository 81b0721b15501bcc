# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtio recipes: one guest with every virtio device, in several forms."""

import hashlib
import os
import socket

from toolkit import dumps, host, initramfs, kernels, truth
from toolkit.errors import GuestError
from toolkit.qemu import Guest

MODULES = ["qemu_fw_cfg", "virtio_pci", "virtio_net", "virtio_blk",
           "virtio_console", "virtio-rng", "virtio_balloon"]
# Emulated, and other jobs may run: some ten times what a quiet machine takes.
BOOT_TIMEOUT = 400

# Form: how it is made of the guest or of another form, and its options.
QEMU_FORMS = {
    "elf": {},
    "elf-paging": {"paging": True},
    "kdump-zlib": {"fmt": "kdump-zlib"},
}
MAKEDUMPFILE_FORMS = {
    "zlib-d31": ["-c", "-d", "31"],
    "lzo-d31": ["-l", "-d", "31"],
    "elf-d31": ["-E", "-d", "31"],
    # From 6.12 on, makedumpfile 1.7.2's level 8 (user pages) takes slab pages
    # that a reader needs: 31 is then a dump with holes, 23 is whole.
    "zlib-d23": ["-c", "-d", "23"],
}
ALL_FORMS = ("elf", "elf-paging", "kdump-zlib", "unflattened", "zlib-d31",
             "lzo-d31", "elf-d31")


class VirtioRecipe:
    """A table of what differs; the guest is the same (init.sh).

    suite, kernel   which kernel, as kernels.kernel() takes them
    forms           dump forms to write, as vmcore.FORM; 'elf' is always made
    cpu, memory     of the guest; memory in MiB
    append          more kernel arguments
    nets, disks     per device: its virtio properties beyond the defaults.
                    The first net has 2 queue pairs, every disk 2 queues
    others          properties of the serial, rng and balloon devices, by name
    vmcoreinfo      False: QEMU's dumps get no VMCOREINFO note
    kexec           True: /proc/vmcore of a capture kernel, not QEMU's dump
    qemu            function that gives another QEMU than the host's
    """

    sources = ["virtio"]

    def __init__(self, summary, suite, kernel, forms=("elf",), cpu="max",
                 memory=256, append="", nets=("",), disks=("",), others=None,
                 vmcoreinfo=True, kexec=False, qemu=None, quick=False):
        self.summary, self.suite, self.pattern = summary, suite, kernel
        self.forms, self.cpu, self.memory = forms, cpu, memory
        self.append, self.nets, self.disks = append, nets, disks
        self.others = others or {}
        self.vmcoreinfo, self.kexec = vmcoreinfo, kexec
        self.qemu, self.quick = qemu, quick

    # -- what goes in ------------------------------------------------------

    def _initramfs(self, kernel, job):
        with open(os.path.join(host.GUEST_DIR, "virtio", "init.sh")) as file:
            init = file.read()
        image = initramfs.Initramfs()
        image.modules(kernel, MODULES)
        image.program("ethtool")
        image.compiled(os.path.join(host.GUEST_DIR, "virtio", "qstats.c"))
        image.init(init)
        if self.kexec:
            capture = initramfs.Initramfs()
            capture.modules(kernel, ["virtio_pci", "virtio_blk"])
            capture.program("makedumpfile")
            capture.init(init)
            image.program(host.tool("kexec", "kexec-tools"))
            image.file(kernel.vmlinuz, "boot/vmlinuz")
            image.file(capture.write(job.work + "/capture.gz"), "boot/initrd")
        return image.write(job.work + "/initrd.gz")

    def _disk(self, job, name, size):
        path = os.path.join(job.work, name)
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    def _devices(self, job):
        """QEMU's arguments. Fixed slots: the truth is joined by address."""
        args, slot = [], 3

        def device(kind, name, properties):
            nonlocal slot
            args.extend(["-device", "%s,id=%s,addr=%#x%s" % (
                kind, name, slot, "," + properties if properties else "")])
            slot += 1

        for number, properties in enumerate(self.nets):
            pairs = 2 if number == 0 else 1
            args.extend(["-netdev", "tap,id=n%d,ifname=rbtap%d,%sscript=no,"
                         "downscript=no,vhost=off" % (
                             number, number, "queues=2," if pairs > 1 else "")])
            device("virtio-net-pci", "net%d" % number, _join(
                "netdev=n%d,mac=52:54:00:00:01:%02x" % (number, number),
                "mq=on,vectors=8" if pairs > 1 else "", properties))
        for number, properties in enumerate(self.disks):
            path = self._disk(job, "disk%d" % number, 16 << 20)
            args.extend(["-drive", "if=none,id=d%d,format=raw,file=%s"
                         % (number, path)])
            device("virtio-blk-pci", "blk%d" % number, _join(
                "drive=d%d,num-queues=2" % number, properties))
        last = self._disk(job, "last", 4 << 30 if self.kexec else 16 << 20)
        args.extend(["-blockdev", "driver=file,node-name=file,filename=" + last])
        if self.kexec:
            device("virtio-blk-pci", "last", "drive=file")
        else:
            # Each write fails, and QEMU stops the machine with the requests
            # still in its hands: real requests in flight at the dump.
            args.extend(["-blockdev", "driver=blkdebug,node-name=fails,"
                         "image=file,inject-error.0.event=none,"
                         "inject-error.0.iotype=write,inject-error.0.errno=5",
                         "-object", "throttle-group,id=slow,x-iops-total=2",
                         "-blockdev", "driver=throttle,node-name=late,"
                         "throttle-group=slow,file=fails"])
            device("virtio-blk-pci", "last", _join(
                "drive=late,num-queues=1,queue-size=64,request-merging=off,"
                "werror=stop,rerror=stop", self.others.get("last", "")))
        args.extend(["-chardev", "null,id=c0", "-chardev",
                     "socket,id=c1,server=on,wait=off,path=" + job.work + "/port"])
        device("virtio-serial-pci", "serial0", self.others.get("serial", ""))
        args.extend(["-device", "virtconsole,chardev=c0", "-device",
                     "virtserialport,chardev=c1,name=org.rbstats.port"])
        args.extend(["-object", "rng-random,id=r0,filename=/dev/urandom"])
        device("virtio-rng-pci", "rng0", _join("rng=r0",
                                               self.others.get("rng", "")))
        device("virtio-balloon-pci", "balloon0", self.others.get("balloon", ""))
        if self.vmcoreinfo:
            args.extend(["-device", "vmcoreinfo"])
        return args

    def _last(self):
        """The guest's name of the disk that fails or takes the vmcore."""
        return "vd" + chr(ord("a") + len(self.disks))

    # -- the run -----------------------------------------------------------

    def make(self, job):
        kernel = kernels.kernel(self.suite, self.pattern)
        append = "init_on_free=1 ipv6.disable=1 rb.last=%s %s%s" % (
            self._last(), self.append, " rb.dump=kexec crashkernel=192M"
            if self.kexec else "")
        job.truth["kernel"] = {"suite": self.suite, "arch": kernel.arch,
                               "release": kernel.release}
        with Guest(kernel.vmlinuz, self._initramfs(kernel, job),
                   job.out("console.log"), append=append, cpu=self.cpu,
                   memory=self.memory, args=self._devices(job),
                   taps=[2] + [1] * (len(self.nets) - 1),
                   qemu=self.qemu() if self.qemu else None) as guest, \
                socket.socket(socket.AF_UNIX) as port:
            version = guest.qmp.call("query-version")["qemu"]
            job.truth["qemu"] = "%(major)d.%(minor)d.%(micro)d" % version
            # Connected but never read: the guest's port stays full.
            port.connect(job.work + "/port")
            guest.wait_for("^READY$", BOOT_TIMEOUT)
            said = truth.block(guest.text())
            self._check(said)
            if self.kexec:
                self._crash(job, guest, said)
            else:
                self._dump(job, guest, said)
        job.truth.update(said)
        self._make_forms(job)

    def _check(self, said):
        """The guest must have done what the recipe is for."""
        for name, counters in said["netdev"].items():
            if int(counters["rx_packets"]) == 0 or not said["ethtool"][name]:
                raise GuestError("no packet reached %s" % name)
        if len(said["virtio"]) != len(self.nets) + len(self.disks) + 4:
            raise GuestError("the guest has %d virtio devices"
                             % len(said["virtio"]))

    def _dump(self, job, guest, said):
        guest.send("go")
        guest.qmp.wait_event("BLOCK_IO_ERROR", 60)
        guest.qmp.wait_event("STOP", 30)
        truth.join_virtio(said, truth.virtio(guest))
        job.truth["qemu_truth"] = "at the dump"
        held = [queue["inuse"] for device in said["virtio"].values()
                if device.get("block") == self._last()
                for queue in device["qemu"]["queues"]]
        if sum(held) < 2:
            raise GuestError("%d requests are in flight" % sum(held))
        for form in ("elf",) + tuple(self.forms):
            if form in QEMU_FORMS and not os.path.exists(job.out("vmcore." + form)):
                dumps.take(guest, job.out("vmcore." + form), **QEMU_FORMS[form])

    def _crash(self, job, guest, said):
        guest.stop()
        truth.join_virtio(said, truth.virtio(guest))
        job.truth["qemu_truth"] = "before the crash"
        guest.cont()
        guest.send("go")
        vmcore, flat, md5 = guest.wait_for(
            r"^CAPTURED vmcore=(\d+) flat=(\d+) md5=(\S+)$",
            BOOT_TIMEOUT).groups()
        guest.wait_exit(60)
        for name, offset, size in (("vmcore.elf", 0, int(vmcore)),
                                   ("vmcore.flat", 2 << 30, int(flat))):
            _cut(job.work + "/last", offset, size, job.out(name))
        with open(job.out("vmcore.flat"), "rb") as file:
            if hashlib.md5(file.read()).hexdigest() != md5:
                raise GuestError("the flattened dump isn't what was written")

    def _make_forms(self, job):
        if self.kexec:
            job.dump("vmcore.elf", "elf", origin="/proc/vmcore")
            job.dump("vmcore.flat", "kdump-flattened", origin="makedumpfile",
                     options="-F -l -d 31")
            dumps.rearrange(job.out("vmcore.flat"), job.out("vmcore.lzo-d31"))
            job.dump("vmcore.lzo-d31", "kdump", origin="makedumpfile",
                     options="-l -d 31")
            return
        for form in dict.fromkeys(("elf",) + tuple(self.forms)):
            path = job.out("vmcore." + form)
            if form == "kdump-zlib":
                job.dump("vmcore." + form, "kdump-flattened", origin="qemu")
            elif form in QEMU_FORMS:
                dumps.make_sparse(path)
                job.dump("vmcore." + form, "elf", origin="qemu",
                         paging=form == "elf-paging")
            elif form == "unflattened":
                dumps.rearrange(job.out("vmcore.kdump-zlib"), path)
                job.dump("vmcore." + form, "kdump", origin="qemu")
            else:
                options = MAKEDUMPFILE_FORMS[form]
                dumps.makedumpfile(job.out("vmcore.elf"), path, options)
                job.dump("vmcore." + form,
                         "elf" if form.startswith("elf") else "kdump",
                         origin="makedumpfile", options=" ".join(options))


def _join(*properties):
    return ",".join(filter(None, properties))


def _cut(source, offset, size, path):
    """Copy a part of a disk image, leaving zero blocks out."""
    with open(source, "rb") as image, open(path, "wb") as file:
        image.seek(offset)
        left = size
        while left:
            data = image.read(min(left, 1 << 16))
            if not data:
                raise GuestError("the disk ends %d bytes early" % left)
            if data.strip(b"\0"):
                file.write(data)
            else:
                file.seek(len(data), os.SEEK_CUR)
            left -= len(data)
        file.truncate(size)
