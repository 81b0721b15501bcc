# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

RECIPE = VirtioRecipe(
    "5.10, split rings; its VMCOREINFO does not tell where kallsyms is",
    "bullseye", "linux-image-5.10.*-amd64", forms=("elf", "lzo-d31"))
