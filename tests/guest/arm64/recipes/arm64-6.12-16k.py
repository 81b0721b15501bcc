# SPDX-License-Identifier: GPL-3.0-or-later
from arm64.guest import Arm64Recipe


class LargePages(Arm64Recipe):
    def _devices(self, job):
        # The writes that wait are of a page each, and QEMU lets them end before it stops the machine.
        return [arg.replace("x-bps-total=512", "x-bps-total=2048")
                for arg in super()._devices(job)]


RECIPE = LargePages(
    "arm64, 6.12, pages of 16 KiB; modern virtio-mmio",
    "trixie", "linux-image-6.12.*-arm64-16k", cpu="max,pauth-impdef=on",
    machine="gic-version=3", mmio="force-legacy=false")
