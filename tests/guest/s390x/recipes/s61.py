# SPDX-License-Identifier: GPL-3.0-or-later
from s390x.guest import S390xRecipe

RECIPE = S390xRecipe(
    "s390x, 6.1: a kernel without BTF and with nothing but functions in kallsyms",
    "bookworm", "linux-image-6.1.*-s390x")
