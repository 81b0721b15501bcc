# SPDX-License-Identifier: GPL-3.0-or-later
from s390x.guest import S390xRecipe

PACKED, IN_ORDER, BOTH = "packed=on", "in_order=on", "packed=on,in_order=on"

RECIPE = S390xRecipe(
    "s390x, 7.x: every ring layout on ccw",
    "sid", "linux-image-7.*-s390x", nets=(IN_ORDER, BOTH, PACKED),
    disks=(PACKED, IN_ORDER, BOTH),
    others={"last": BOTH, "rng": IN_ORDER, "serial": BOTH})
