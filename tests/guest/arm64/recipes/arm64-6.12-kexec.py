# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 6.12, /proc/vmcore of a real kexec",
    "trixie", "linux-image-6.12.*-arm64", memory=640, kexec=True)
