# SPDX-License-Identifier: GPL-3.0-or-later
"""Xen under QEMU with a PV dom0 and PV guests; see README.md."""
