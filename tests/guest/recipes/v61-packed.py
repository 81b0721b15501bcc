# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

PACKED = "packed=on"

RECIPE = VirtioRecipe(
    "6.1, packed rings, 4-level paging",
    "bookworm", "linux-image-6.1.*-amd64", cpu="max,la57=off",
    forms=("elf", "kdump-zlib", "lzo-d31"), nets=(PACKED,), disks=(PACKED,),
    others={name: PACKED for name in ("last", "serial", "rng", "balloon")})
