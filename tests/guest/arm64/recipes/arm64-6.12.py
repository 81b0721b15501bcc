# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 6.12, 48-bit addresses of a 52-bit kernel; PCI and legacy virtio-mmio",
    "trixie", "linux-image-6.12.*-arm64")
