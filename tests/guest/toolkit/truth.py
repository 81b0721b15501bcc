# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground truth: what QEMU knows of its devices, and what the guest said."""

import json
import re

from .errors import GuestError
from .qmp import QMPError

BEGIN, END = "TRUTH-BEGIN", "TRUTH-END"


def virtio(guest):
    """Every virtio device of a stopped guest, keyed by its bus address.

    The PCI address ('03.0'), the channel device's number ('0.0.0003') or the
    transport's name ('a000000.virtio_mmio') is the link to the guest's own
    device names: sysfs shows it as the parent of virtioN.
    """
    addresses = _addresses(guest)
    found = {}
    for entry in guest.qmp.call("x-query-virtio"):
        path = entry["path"]
        status = guest.qmp.call("x-query-virtio-status", path=path)
        parent = path.rsplit("/virtio-backend", 1)[0]
        if parent not in addresses:
            addresses[parent] = _mmio_name(guest, parent)
        queues = []
        for number in range(status["num-vqs"]):
            try:
                queue = guest.qmp.call("x-query-virtio-queue-status",
                                       path=path, queue=number)
            except QMPError:
                continue
            if queue["vring-num"] == 0 or queue["vring-desc"] == 0:
                continue
            queues.append(queue)
        found[addresses[parent]] = {
            "qemu_name": entry["name"],
            "num_vqs": status["num-vqs"],
            "status": status["status"].get("statuses", []),
            "guest_features": status["guest-features"],
            "queues": queues,
        }
    return found


def _addresses(guest):
    """{QOM path: address} of the devices given with id= on PCI bus 0 and on s390x's channels."""
    found = {}
    for bus in guest.qmp.call("query-pci"):
        for device in bus["devices"]:
            if device.get("qdev_id"):
                found["/machine/peripheral/" + device["qdev_id"]] = \
                    "%02x.%x" % (device["slot"], device["function"])
    for entry in guest.qmp.call("qom-list", path="/machine/peripheral"):
        path = "/machine/peripheral/" + entry["name"]
        if re.match(r"child<virtio-.*-ccw>", entry["type"]):
            # QEMU's channel subsystem fe is the guest's 0.
            found[path] = re.sub("^fe", "0", guest.qmp.call(
                "qom-get", path=path, property="devno"))
    return found


def _mmio_name(guest, device):
    """The guest's name of a virtio-mmio transport: its address, from QEMU's memory region."""
    bus = guest.qmp.call("qom-get", path=device, property="parent_bus")
    transport, _, name = bus.rpartition("/")
    if not name.startswith("virtio-mmio-bus."):
        raise GuestError("no bus address for %s" % device)
    return "%x.virtio_mmio" % guest.qmp.call(
        "qom-get", path=transport + "/virtio-mmio[0]", property="addr")


def block(text):
    """The guest's truth block as nested dicts.

    Between TRUTH-BEGIN and TRUTH-END every line is either '[section name]',
    which opens a section (a name with '/' nests), or 'key=value' within it.
    Values stay text. Lines of other shapes are errors, so that a kernel
    message in the block can't silently eat a value.
    """
    found = re.search(r"^%s$(.*?)^%s$" % (BEGIN, END), text, re.M | re.S)
    if not found:
        raise GuestError("no %s ... %s on the console" % (BEGIN, END))
    root = {}
    section = root
    for line in found.group(1).splitlines():
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            section = root
            for part in line[1:-1].split("/"):
                section = section.setdefault(part, {})
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise GuestError("not a truth line: %r" % line)
        if key in section:
            raise GuestError("truth says %s twice" % key)
        section[key] = value
    return root


def join_virtio(said, asked):
    """Put QEMU's view of each device beside the guest's, under 'qemu'.

    said['virtio'][NAME]['bus_address'] is the guest's '0000:00:03.0' or '0.0.0003'.
    """
    for name, device in said.get("virtio", {}).items():
        short = device["bus_address"].split(":")[-1]
        if short not in asked:
            raise GuestError("QEMU has no device at %s (%s)" % (short, name))
        device["qemu"] = asked[short]


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")
