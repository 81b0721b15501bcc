"""Boots real kernels under QEMU and takes real dumps with ground truth."""
