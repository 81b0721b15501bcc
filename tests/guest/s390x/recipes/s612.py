# SPDX-License-Identifier: GPL-3.0-or-later
from s390x.guest import S390xRecipe

RECIPE = S390xRecipe(
    "s390x, 6.12: modern ccw devices, little-endian rings in big-endian memory",
    "trixie", "linux-image-6.12.*-s390x", forms=("elf", "kdump-zlib"), quick=True)
