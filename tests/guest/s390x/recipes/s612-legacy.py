# SPDX-License-Identifier: GPL-3.0-or-later
from s390x.guest import S390xRecipe

LEGACY = "max_revision=0"

RECIPE = S390xRecipe(
    "s390x, 6.12: legacy ccw devices, rings in the guest's byte order, and one modern disk",
    "trixie", "linux-image-6.12.*-s390x", nets=(LEGACY,), disks=(LEGACY, ""),
    others={name: LEGACY for name in ("last", "serial", "rng", "balloon")})
