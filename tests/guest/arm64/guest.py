# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtio recipes on arm64: the same guest, with devices on virtio-mmio beside those on PCI."""

import os

from crossed import emulators
from crossed.virtio import CrossedVirtioRecipe
from toolkit import cross, host
from toolkit.errors import GuestError
from virtio.guest import MODULES

DRIVERS = "qemu_fw_cfg virtio_pci "


class Arm64Recipe(CrossedVirtioRecipe):
    """CrossedVirtioRecipe, and:

    machine   properties of QEMU's machine 'virt'
    mmio      properties of QEMU's virtio-mmio transports
    """

    sources = ["virtio", "crossed", "arm64"]
    arch, boot = "arm64", "console=ttyAMA0"

    def __init__(self, summary, suite, kernel, machine="", mmio="", cpu="cortex-a72",
                 memory=384, **options):
        super().__init__(summary, suite, kernel, cpu=cpu, memory=memory, **options)
        self.machine, self.mmio = machine, mmio

    def _emulator(self):
        return emulators.arm64(self.machine)

    def _taps(self):
        return super()._taps() + [1]

    def _initramfs(self, kernel, job):
        with open(os.path.join(host.GUEST_DIR, "virtio", "init.sh")) as file:
            init = file.read()
        for was, now in ((DRIVERS, DRIVERS + "virtio_mmio "),
                         ("console=ttyS0", "console=ttyAMA0")):
            if init.count(was) != 1:
                raise GuestError("init.sh: not one '%s'" % was)
            init = init.replace(was, now)
        image = cross.Initramfs("arm64", ["kexec-tools", "makedumpfile"] if self.kexec else [])
        image.modules(kernel, MODULES + ["virtio_mmio"])
        image.program("ethtool")
        image.compiled(os.path.join(host.GUEST_DIR, "virtio", "qstats.c"))
        image.init(init)
        if self.kexec:
            capture = cross.Initramfs("arm64", ["kexec-tools", "makedumpfile"])
            capture.modules(kernel, ["virtio_pci", "virtio_blk"])
            capture.program("makedumpfile")
            capture.init(init)
            image.program("kexec")
            image.file(kernel.vmlinuz, "boot/vmlinuz")
            image.file(capture.write(job.work + "/capture.gz"), "boot/initrd")
        return image.write(job.work + "/initrd.gz")

    def _devices(self, job):
        """The devices on PCI, and a second one of most kinds on virtio-mmio."""
        args = super()._devices(job)
        # This guest is slower: the disk must be so too, that all writes wait in it at the end.
        args = [arg.replace("x-iops-total=2", "x-bps-total=512") for arg in args]
        net = len(self.nets)
        args += ["-netdev", "tap,id=n%d,ifname=rbtap%d,script=no,downscript=no,vhost=off"
                 % (net, net),
                 "-drive", "if=none,id=dm,format=raw,file=" + self._disk(job, "diskm", 16 << 20),
                 "-object", "rng-random,id=rm,filename=/dev/urandom",
                 "-chardev", "null,id=cm"]
        for device in ("virtio-net-device,id=netm,netdev=n%d,mac=52:54:00:00:01:%02x" % (net, net),
                       "virtio-blk-device,id=blkm,drive=dm,num-queues=2",
                       "virtio-rng-device,id=rngm,rng=rm",
                       "virtio-serial-device,id=serialm,max_ports=4"):
            args += ["-device", device]
        args += ["-device", "virtconsole,bus=serialm.0,chardev=cm"]
        if self.mmio:
            args += ["-global", "virtio-mmio." + self.mmio]
        return args

    def _check(self, said):
        found = sum(device["bus_address"].endswith(".virtio_mmio")
                    for device in said["virtio"].values())
        if found != 4:
            raise GuestError("the guest has %d devices on virtio-mmio" % found)
        pci = {name: device for name, device in said["virtio"].items()
               if not device["bus_address"].endswith(".virtio_mmio")}
        super()._check(dict(said, virtio=pci))

    def _dump(self, job, guest, said):
        super()._dump(job, guest, said)
        held = [queue["inuse"] for device in said["virtio"].values()
                if device.get("block") == self._last() for queue in device["qemu"]["queues"]]
        if held != [16]:
            raise GuestError("%s of 16 writes are in flight" % held)

    def _make_forms(self, job):
        if not self.kexec:
            super()._make_forms(job)
            return
        # No makedumpfile up to 1.7.8 knows pages of 4 KiB with 52-bit addresses: it wrote nothing.
        os.unlink(job.out("vmcore.flat"))
        job.dump("vmcore.elf", "elf", origin="/proc/vmcore")
