# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

RECIPE = VirtioRecipe(
    "6.12, split rings",
    "trixie", "linux-image-6.12.*-amd64", forms=("elf", "zlib-d23", "zlib-d31"))
