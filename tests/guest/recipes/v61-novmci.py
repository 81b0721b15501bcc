# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

RECIPE = VirtioRecipe(
    "6.1, dumps without a VMCOREINFO note",
    "bookworm", "linux-image-6.1.*-amd64", forms=("elf", "kdump-zlib"),
    vmcoreinfo=False)
