# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import VirtioRecipe

RECIPE = VirtioRecipe(
    "6.1, /proc/vmcore of a real kexec: raw, flattened, unflattened",
    "bookworm", "linux-image-6.1.*-amd64", cpu="max,la57=off", memory=512,
    kexec=True)
