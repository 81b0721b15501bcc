"""
The figures of rbstats, read by drgn: the measure of tests/bench/run.

    drgn -q -c DUMP -s VMLINUX -s MODULE.ko ... drgn_script.py FAMILY...

Prints the lines of 'rbstats show -F flat' that it knows how to read, for the kernels of the
benchmark's dumps.
"""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

print("\n".join(sorted("%s=%s" % pair for family in sys.argv[1:]
                       for pair in importlib.import_module("drgn_" + family).lines(prog))))
