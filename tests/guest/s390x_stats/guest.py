# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on s390x: little-endian rings and replies in big-endian memory."""

import os

from crossed import emulators
from crossed.stats import CrossedStatsGuest
from toolkit import cross_build, host

HERE = os.path.dirname(os.path.abspath(__file__))


class S390xStatsGuest(CrossedStatsGuest):
    """As CrossedStatsGuest."""

    sources = ["virtio_stats", "crossed", "s390x_stats"]
    arch, console = "s390x", "console=ttysclp0"
    modules = ["virtio_net"]

    def _emulator(self):
        return emulators.s390x()

    def _build(self, kernel, folder):
        # The module was written for machines in whose byte order the rings are.
        host.run([host.tool("patch"), "-p1", "-d", folder, "-i", HERE + "/ring.patch"])
        cross_build.build(kernel, folder, "AWK=mawk")
