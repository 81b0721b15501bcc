# SPDX-License-Identifier: GPL-3.0-or-later
"""The host side: where cached things live, and running host programs."""

import contextlib
import fcntl
import os
import shutil
import subprocess

from .errors import GuestError, NeedsTool

GUEST_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP_DIR = os.path.dirname(os.path.dirname(GUEST_DIR))
BUILD_DIR = os.environ.get("RBSTATS_GUEST_DIR") or \
    os.path.join(TOP_DIR, "build", "guest")
CACHE_DIR = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                         os.path.expanduser("~/.cache"), "rbstats")

# Tools that Debian keeps in sbin are not in an ordinary user's PATH.
_PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


def cache(*parts):
    """The path of a folder below the cache, made if it is not there."""
    path = os.path.join(CACHE_DIR, *parts)
    os.makedirs(path, exist_ok=True)
    return path


def tool(name, package=None):
    """The full path of a host program, or NeedsTool naming the package."""
    path = shutil.which(name, path=_PATH)
    if path is None:
        raise NeedsTool("%s is not installed (Debian package %s)"
                        % (name, package or name))
    return path


def run(argv, timeout=600, **kwargs):
    """Run a program and return its standard output; GuestError on failure."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    try:
        done = subprocess.run(argv, timeout=timeout, **kwargs)
    except subprocess.TimeoutExpired:
        raise GuestError("%s: no end after %d s" % (argv[0], timeout))
    if done.returncode != 0:
        said = (done.stderr or b"").decode(errors="replace").strip()
        raise GuestError("%s: exit %d: %s" % (" ".join(argv[:4]),
                                              done.returncode, said[-800:]))
    return (done.stdout or b"").decode(errors="replace")


@contextlib.contextmanager
def locked(path):
    """Hold a lock file: one process at a time, waiting for the others."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def replace_tree(build, final):
    """Fill a fresh folder with build(folder), then move it to final at once.

    A tree that was only half unpacked never appears under its final name.
    """
    part = "%s.part.%d" % (final, os.getpid())
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    try:
        build(part)
        shutil.rmtree(final, ignore_errors=True)
        os.rename(part, final)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return final
