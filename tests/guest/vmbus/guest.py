# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe that all VMBus guests share; what it makes is in README.md."""

import os
import re

from toolkit import dumps, host, kbuild, kernels, truth
from toolkit.errors import GuestError
from toolkit.initramfs import Initramfs
from toolkit.qemu import Guest

HERE = os.path.dirname(os.path.abspath(__file__))

MODULES = ["qemu_fw_cfg", "hv_vmbus", "sd_mod", "hv_storvsc", "hv_utils",
           "hv_netvsc", "hv_balloon", "hv_sock", "e1000"]

# The second network device's address, so that netvsc takes this NIC for its
# virtual function: module/rndis.c, address().
VF = ["-netdev", "hubport,id=vf,hubid=0",
      "-device", "e1000,netdev=vf,mac=00:15:5d:77:00:03,addr=5"]

# What may differ between two readings of a guest at rest.
RESTLESS = {"proc", "totals"}

# What must hold for the recipe to be worth something: (the host's name of a
# device, sub-channel, ring, value, condition)
WANTED = [
    ("disk1", 0, "out", "read_avail", lambda value: value > 0),
    ("disk1", 3, "out", "read_avail", lambda value: value > 0),
    ("net0", 0, "out", "read_avail", lambda value: value > 0),
    ("net0", 2, "out", "interrupt_mask", lambda value: value == 1),
    ("net0", 2, "out", "write_avail", lambda value: value < 64),
    ("net0", 3, "in", "interrupt_mask", lambda value: value == 1),
    ("net0", 3, "in", "write_avail", lambda value: value < 128),
    ("net0", 3, "in", "pending_send_size", lambda value: value > 0),
    ("sock0", 0, "out", "pending_send_size", lambda value: value > 0),
    ("sock0", 0, "out", "write_avail", lambda value: value < 128),
]


def _number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _typed(tree):
    """Text to integers where it is one; an unreadable attribute to None."""
    if isinstance(tree, dict):
        return {key: _typed(value) for key, value in tree.items()}
    return None if tree.startswith("!") else _number(tree)


def _differences(first, second, path=""):
    for key in sorted(first.keys() | second.keys()):
        if not path and key in RESTLESS:
            continue
        old, new = first.get(key), second.get(key)
        where = path + "/" + key
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, where)
        elif old != new:
            yield "%s: %s then %s" % (where, old, new)


class VmbusGuest:
    """A guest of one Debian kernel.

    levels  dump levels of makedumpfile to write beside QEMU's own dump
    """

    sources = ["vmbus", "toolkit/kbuild.py"]

    def __init__(self, summary, suite, kernel, levels=(31,), quick=False):
        self.summary, self.suite, self.pattern = summary, suite, kernel
        self.levels, self.quick = levels, quick

    def _module(self, job, kernel):
        """Build vmhost against the kernel's headers: the .ko's path."""
        folder = job.work + "/module"
        host.run(["cp", "-r", HERE + "/module", folder])
        kbuild.make(kernel, kernels.headers(kernel), folder)
        host.run(["strip", "--strip-debug", folder + "/vmhost.ko"])
        return folder + "/vmhost.ko"

    def _initramfs(self, job, kernel):
        image = Initramfs()
        image.modules(kernel, MODULES, extra=[self._module(job, kernel)])
        image.program("ethtool")
        image.compiled(HERE + "/programs/tell.c", "bin/tell-sysfs")
        image.compiled(HERE + "/programs/load.c")
        with open(HERE + "/init.sh") as file:
            image.init(file.read())
        return image.write(job.work + "/initramfs")

    def _table(self, job):
        prefix = job.work + "/vmbus"
        host.run([host.tool("iasl", "acpica-tools"), "-f", "-p", prefix,
                  HERE + "/vmbus.asl"])
        return prefix + ".aml"

    def _read(self, text):
        """Both truth blocks; they must say the same."""
        first = truth.block(text)
        second = truth.block(text[text.index("\n" + truth.END):])
        changed = list(_differences(first, second))
        if changed:
            raise GuestError("the guest is not at rest:\n" + "\n".join(changed))
        return _typed(first)

    def _check(self, said):
        """The guest must have reached the states that the recipe is for."""
        found = {(entry["device"], entry["sub_channel"]): entry
                 for entry in said["host"].values()}
        for device, sub, ring, name, condition in WANTED:
            value = found[device, sub][ring][name]
            if not condition(value):
                raise GuestError("%s.%d %s: %s is %d"
                                 % (device, sub, ring, name, value))
        if not found["sock2", 0]["rescinded"]:
            raise GuestError("no channel is rescinded")
        channels = {relid: values for device in said["sysfs"].values()
                    for relid, values in device["channels"].items()}
        for name in ("intr_in_full", "intr_out_empty", "out_full_first",
                     "out_full_total", "events", "interrupts", "pending"):
            if not any(values.get(name) for values in channels.values()):
                raise GuestError("%s is 0 on every channel" % name)
        counters = [value for values in said["ethtool"].values()
                    for value in values.items()]
        for name in ("stop_queue", "wake_queue", "tx_send_full",
                     "rx_comp_busy", "vf_tx_packets"):
            if not any(key == name and value for key, value in counters):
                raise GuestError("%s is 0 on every network device" % name)

    def make(self, job):
        kernel = kernels.kernel(self.suite, self.pattern)
        job.truth["kernel"] = {"suite": self.suite, "arch": kernel.arch,
                               "release": kernel.release}
        initramfs = self._initramfs(job, kernel)
        args = ["-acpitable", "file=" + self._table(job),
                "-device", "vmcoreinfo"] + VF
        append = ("ipv6.disable=1 nowatchdog rcupdate.rcu_cpu_stall_suppress=1 "
                  "workqueue.watchdog_thresh=0")
        with Guest(kernel.vmlinuz, initramfs, job.out("console.log"), append,
                   args, cpu="max,la57=off", smp=4, memory=384) as guest:
            end = guest.wait_for(r"^## \S+ (HELD|FAILED: .*)$", 420).group(1)
            if end != "HELD":
                raise GuestError("guest: " + end)
            guest.stop()
            path = dumps.take(guest, job.out("vmcore.elf"))
            text = guest.text()
        said = self._read(text)
        self._check(said)
        job.truth.update(said)
        job.dump("vmcore.elf", "elf", origin="qemu", paging=False)
        for level in self.levels:
            name, options = "vmcore.zlib-d%d" % level, ["-c", "-d", str(level)]
            dumps.makedumpfile(path, job.out(name), options)
            job.dump(name, "kdump", origin="makedumpfile",
                     options=" ".join(options))
        dumps.make_sparse(path)
