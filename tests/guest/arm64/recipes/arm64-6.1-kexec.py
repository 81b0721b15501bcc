# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 6.1, /proc/vmcore of a real kexec: raw, flattened, unflattened",
    "bookworm", "linux-image-6.1.*-arm64", memory=640, kexec=True)
