# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 6.12, pages of 16 KiB; modern virtio-mmio",
    "trixie", "linux-image-6.12.*-arm64-16k", cpu="max,pauth-impdef=on",
    machine="gic-version=3", mmio="force-legacy=false")
