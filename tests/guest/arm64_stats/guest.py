# SPDX-License-Identifier: GPL-3.0-or-later
"""The device of virtio_stats on arm64: the direct map and struct page lie where VMCOREINFO says."""

from crossed import emulators
from crossed.stats import CrossedStatsGuest


class Arm64StatsGuest(CrossedStatsGuest):
    """As CrossedStatsGuest."""

    sources = ["virtio_stats", "crossed", "arm64_stats"]
    arch, console, cpu = "arm64", "console=ttyAMA0", "cortex-a72"
    modules = ["qemu_fw_cfg", "virtio_net"]
    args = ["-device", "vmcoreinfo"]

    def _emulator(self):
        return emulators.arm64()
