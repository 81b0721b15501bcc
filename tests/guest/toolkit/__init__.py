# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots real kernels under QEMU and takes real dumps with ground truth."""
