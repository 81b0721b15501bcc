#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes real kernel dumps with ground truth: see README.md beside this file.

    guest.py list                  recipes, and whether their output is fresh
    guest.py make NAME...          make what is missing or stale
    guest.py make --all [--quick]  all of them; --quick: only the short list
    guest.py path NAME             the output folder; fails if it isn't made
    guest.py debug NAME MODULE...  paths of its kernel's debug files: vmlinux
                                   and these modules (a 900 MB download, once)

make ends with 0 when all are made, 1 when one failed, 77 when nothing failed
but something can't be made on this machine (the reason is printed).
"""

import argparse
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from toolkit import kernels, recipe  # noqa: E402
from toolkit.errors import GuestError, Skip  # noqa: E402

SKIPPED = 77


def _size(folder):
    """MiB that a folder's files occupy on disk (dumps are sparse)."""
    return sum(os.stat(os.path.join(folder, file)).st_blocks
               for file in os.listdir(folder)) * 512 / (1 << 20)


def _list(_):
    for name in recipe.find():
        state = "made" if recipe.is_made(name) else \
            "stale" if os.path.isdir(recipe.folder(name)) else "-"
        print("%-16s %-6s %s" % (name, state, recipe.load(name).summary))
    return 0


def _make(options):
    names = options.names
    if options.all:
        names = [name for name in recipe.find() if not options.quick or
                 getattr(recipe.load(name), "quick", False)]
    if not names:
        raise GuestError("name a recipe, or say --all")
    failed = skipped = 0
    for name in names:
        started = time.time()
        fresh = recipe.is_made(name) and not options.force
        try:
            folder = recipe.make(name, options.force)
        except Skip as reason:
            skipped += 1
            print("%-16s skipped  %s" % (name, reason), flush=True)
            continue
        except GuestError as error:
            failed += 1
            print("%-16s FAILED   %s" % (name, error), flush=True)
            continue
        print("%-16s %-8s %6.1f s  %6.0f MiB" % (
            name, "fresh" if fresh else "made", time.time() - started,
            _size(folder)), flush=True)
    return 1 if failed else SKIPPED if skipped else 0


def _path(options):
    folder = recipe.folder(options.name)
    if not recipe.is_made(options.name):
        print("%s is not made" % options.name, file=sys.stderr)
        return 1
    print(folder)
    return 0


def _debug(options):
    with open(os.path.join(recipe.folder(options.name), "truth.json")) as file:
        kernel = json.load(file)["kernel"]
    debug = kernels.Debug(kernel["suite"], kernel["arch"], kernel["release"])
    for path in debug.files(modules=options.modules).values():
        print(path)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("list")
    command.set_defaults(run=_list)
    command = commands.add_parser("make")
    command.add_argument("names", nargs="*")
    command.add_argument("--all", action="store_true")
    command.add_argument("--quick", action="store_true")
    command.add_argument("--force", action="store_true",
                         help="make again even if fresh")
    command.set_defaults(run=_make)
    command = commands.add_parser("path")
    command.add_argument("name")
    command.set_defaults(run=_path)
    command = commands.add_parser("debug")
    command.add_argument("name")
    command.add_argument("modules", nargs="*")
    command.set_defaults(run=_debug)
    options = parser.parse_args()
    # So that with-blocks end QEMU when a job is terminated.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return options.run(options)
    except Skip as reason:
        print("guest.py: %s" % reason, file=sys.stderr)
        return SKIPPED
    except (GuestError, OSError) as error:
        print("guest.py: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
