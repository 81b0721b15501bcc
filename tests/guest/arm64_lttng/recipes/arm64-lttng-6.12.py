# SPDX-License-Identifier: GPL-3.0-or-later
from arm64_lttng.guest import Arm64LttngGuest

RECIPE = Arm64LttngGuest("arm64, LTTng 2.13.18 and ftrace on 6.12, modules without types",
                         "trixie", "linux-image-6.12.*-arm64", types="none", cpu="cortex-a72")
