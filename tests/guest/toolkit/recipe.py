# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: where they are, when they must be made again, making one.

A recipe file defines RECIPE, an object with
    summary         one line
    sources         files or folders, relative to tests/guest, whose change
                    makes the recipe's output stale (its own file counts too)
    make(job)       takes the dumps into job.dir; see Job
"""

import glob
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import time

from . import host, truth
from .errors import GuestError

# Raise it when truth.json or the dump files change their form: everything is
# made again then. The toolkit itself is not part of a recipe's hash.
FORMAT = 1


class Job:
    """What a recipe works with while it is made.

    name    the recipe's name
    dir     folder that becomes build/guest/NAME when make() succeeds
    work    folder for intermediate files, removed afterwards
    truth   dict that ends up in truth.json
    """

    def __init__(self, name, folder):
        self.name = name
        self.dir = folder
        self.work = os.path.join(folder, "work")
        os.makedirs(self.work)
        self.truth = {"recipe": name, "format": FORMAT, "dumps": {}}

    def out(self, name):
        """Path of an output file."""
        return os.path.join(self.dir, name)

    def dump(self, name, form, **attributes):
        """Enter a dump file, already written, in truth.json.

        form: elf, elf-paging, kdump-flattened, kdump, vmcore ...
        """
        path = self.out(name)
        # QEMU and makedumpfile leave them unreadable for others.
        os.chmod(path, 0o644)
        self.truth["dumps"][name] = dict(attributes, form=form,
                                         size=os.path.getsize(path))

    def say(self, text):
        print("%s: %s" % (self.name, text), flush=True)


def find():
    """{name: path} of all recipe files."""
    found = {}
    for path in sorted(glob.glob(host.GUEST_DIR + "/recipes/*.py") +
                       glob.glob(host.GUEST_DIR + "/*/recipes/*.py")):
        name = os.path.basename(path)[:-3]
        if name in found:
            raise GuestError("two recipes are called %s" % name)
        found[name] = path
    return found


def load(name):
    """The RECIPE object of a recipe file."""
    paths = find()
    if name not in paths:
        raise GuestError("no recipe %s" % name)
    spec = importlib.util.spec_from_file_location(
        "recipe_" + name.replace("-", "_"), paths[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RECIPE


def _files(path):
    if os.path.isfile(path):
        return [path]
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(set(folders) - {"__pycache__", "recipes"})
        found += [os.path.join(folder, file) for file in sorted(files)]
    if not found:
        raise GuestError("recipe source %s does not exist" % path)
    return found


def digest(name):
    """A hash of everything that the recipe says it is made from."""
    total = hashlib.sha256(b"format %d\n" % FORMAT)
    paths = [find()[name]]
    for source in load(name).sources:
        paths += _files(os.path.join(host.GUEST_DIR, source))
    for path in paths:
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
        total.update(("%s %s\n" % (os.path.relpath(path, host.GUEST_DIR),
                                   content)).encode())
    return total.hexdigest()


def folder(name):
    return os.path.join(host.BUILD_DIR, name)


def is_made(name):
    """True if the output is there and made from the present sources."""
    try:
        with open(os.path.join(folder(name), "stamp")) as file:
            return json.load(file)["digest"] == digest(name)
    except (OSError, ValueError, KeyError):
        return False


def is_at_hand(name):
    """True if make() has nothing to boot: the output is there, or kept in the cache."""
    return is_made(name) or os.path.isdir(_kept(name))


def make(name, force=False):
    """Make a recipe if it is stale: its folder."""
    os.makedirs(host.BUILD_DIR, exist_ok=True)
    with host.locked(folder(name) + ".lock"):
        if force or not (is_made(name) or _take_kept(name)):
            _make(name)
            _keep(name)
    return folder(name)


def _kept(name):
    """Where another checkout finds what was made from the same sources."""
    return os.path.join(host.CACHE_DIR, "guests", "%s-%s" % (name, digest(name)[:16]))


def _copy(source, target):
    """A folder under its final name at once; hard links where the file system allows."""
    part = "%s.part.%d" % (target, os.getpid())
    os.makedirs(os.path.dirname(target), exist_ok=True)
    for options in (["-al"], ["-a", "--sparse=always"]):
        shutil.rmtree(part, ignore_errors=True)
        if subprocess.run(["cp"] + options + [source, part],
                          stderr=subprocess.DEVNULL).returncode == 0:
            shutil.rmtree(target, ignore_errors=True)
            os.rename(part, target)
            return True
    shutil.rmtree(part, ignore_errors=True)
    return False


def _take_kept(name):
    return os.path.isdir(_kept(name)) and _copy(_kept(name), folder(name)) and is_made(name)


def _keep(name):
    """Of each recipe the latest output stays in the cache."""
    kept = _kept(name)
    if _copy(folder(name), kept):
        for old in glob.glob("%s-%s" % (kept.rpartition("-")[0], "[0-9a-f]" * 16)):
            if old != kept:
                shutil.rmtree(old, ignore_errors=True)


def _make(name):
    final = folder(name)
    recipe, mark, started = load(name), digest(name), time.time()
    part = final + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    job = Job(name, part)
    try:
        recipe.make(job)
    except BaseException:
        # What the console said is the best clue: keep it beside the outputs.
        if os.path.exists(job.out("console.log")):
            shutil.copy(job.out("console.log"), final + ".failed.log")
        shutil.rmtree(part, ignore_errors=True)
        raise
    shutil.rmtree(job.work)
    truth.write(job.out("truth.json"), job.truth)
    with open(job.out("stamp"), "w") as file:
        json.dump({"digest": mark, "seconds": round(time.time() - started, 1)},
                  file)
    shutil.rmtree(final, ignore_errors=True)
    os.rename(part, final)
    if os.path.exists(final + ".failed.log"):
        os.unlink(final + ".failed.log")
