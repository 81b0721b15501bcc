# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

RECIPE = VirtioRecipe(
    "7.x, split rings, an ftrace instance in reserved memory",
    "trixie-backports", "linux-image-7.*-amd64", forms=("elf", "zlib-d23", "zlib-d31"),
    memory=320, append="reserve_mem=2M:4096:trace trace_instance=bootmap@trace")
