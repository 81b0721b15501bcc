"""Changes without which an lttng-modules release doesn't build any more.

Stable kernels took interface changes after the release that a suite carries.
Each change looks at the headers, never at a version number.
"""

import glob
import os
import re

from toolkit.errors import GuestError


def _header(headers, name):
    """Text of a header, which Debian splits over two packages."""
    path = os.path.join(headers, "include", name)
    if not os.path.exists(path):
        with open(headers + "/Makefile") as file:
            common = re.search(r"^include (\S+)/Makefile$", file.read(), re.M)
        path = os.path.join(common.group(1), "include", name)
    with open(path) as file:
        return file.read()


def _replace(source, names, pattern, replacement):
    """Change the one place in the one file that exists of several names."""
    path, = [path for name in names for path in glob.glob(source + "/" + name)]
    with open(path) as file:
        text = file.read()
    text, count = re.subn(pattern, replacement, text)
    if count != 1:
        raise GuestError("%s: %d places to change" % (path, count))
    with open(path, "w") as file:
        file.write(text)


def _hrtimer_start(source, headers):
    """A third argument, from "hrtimers: Add was_armed to hrtimer_start"."""
    event = re.search(r"TRACE_EVENT\(hrtimer_start,.*?TP_ARGS",
                      _header(headers, "trace/events/timer.h"), re.S)
    if not event or "bool was_armed" not in event.group(0):
        return
    names = ["include/instrumentation/events/timer.h",
             "instrumentation/events/lttng-module/timer.h"]
    for name in names:
        for path in glob.glob(source + "/" + name):
            with open(path) as file:
                if "was_armed" in file.read():
                    return
    _replace(source, names,
             r"TP_PROTO\(struct hrtimer \*hrtimer, enum hrtimer_mode mode\),"
             r"(\s+)TP_ARGS\(hrtimer, mode\),",
             r"TP_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode, "
             r"bool was_armed),\1TP_ARGS(hrtimer, mode, was_armed),")


def _fcheck(source, headers):
    """fcheck() became lookup_fd_rcu(): "file: Rename fcheck lookup_fd_rcu"."""
    if "fcheck" in _header(headers, "linux/fdtable.h") or \
            "lookup_fd_rcu" not in _header(headers, "linux/fdtable.h"):
        return
    if glob.glob(source + "/wrapper/fdtable.h"):
        _replace(source, ["wrapper/fdtable.h"], r"\bfcheck\(", "lookup_fd_rcu(")


def fit(source, headers):
    """Change an unpacked source tree so that it builds on these headers."""
    _hrtimer_start(source, headers)
    _fcheck(source, headers)
