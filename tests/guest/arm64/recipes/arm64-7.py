# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe

RECIPE = Arm64Recipe(
    "arm64, 7.x, place-relative kallsyms",
    "trixie-backports", "linux-image-7.*-arm64")
