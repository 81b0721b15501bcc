# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 6.1, whose kallsyms has functions only",
    "bookworm", "linux-image-6.1.*-arm64", forms=("elf", "kdump-zlib"))
