# SPDX-License-Identifier: GPL-3.0-or-later
from virtio.guest import ALL_FORMS, VirtioRecipe

RECIPE = VirtioRecipe(
    "6.1, split rings, 5-level paging, every dump form",
    "bookworm", "linux-image-6.1.*-amd64", forms=ALL_FORMS, quick=True)
