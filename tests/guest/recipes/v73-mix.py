# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe
from virtio.qemus import with_in_order

PACKED, IN_ORDER, BOTH = "packed=on", "in_order=on", "packed=on,in_order=on"

RECIPE = VirtioRecipe(
    "7.x, every ring layout: split, packed, and both in order",
    "trixie-backports", "linux-image-7.*-amd64", forms=("elf", "zlib-d23"),
    memory=320, nets=(IN_ORDER, BOTH, PACKED), disks=(PACKED, IN_ORDER, BOTH),
    others={"last": BOTH, "rng": IN_ORDER, "serial": BOTH}, qemu=with_in_order)
