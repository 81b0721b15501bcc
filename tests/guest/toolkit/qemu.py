# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots a guest under QEMU's emulator (TCG) and drives its console."""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from . import host, netns
from .errors import GuestError
from .qmp import QMP


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Guest:
    """A running guest; use it in a with statement, which ends QEMU.

    kernel     path of the image
    initrd     path of the initramfs
    append     kernel arguments beside console=ttyS0
    args       more QEMU arguments (devices, drives)
    log        file that gets the console's output
    taps       queue counts of tap devices (see netns.py); None: no network
    qemu       the program as an argument list: another build than the host's
    """

    def __init__(self, kernel, initrd, log, append="", args=(), cpu="max",
                 smp=2, memory=256, taps=None, qemu=None, reboot=False):
        self._sockets = tempfile.mkdtemp(prefix="rbguest")
        self._console_path = self._sockets + "/console"
        self._qmp_path = self._sockets + "/qmp"
        self._lock = threading.Condition()
        self._text = ""
        self._ended = False
        self._scanned = 0
        self._process = self._console = self.qmp = None
        argv = list(qemu or [host.tool("qemu-system-x86_64", "qemu-system-x86")])
        argv += ["-accel", "tcg,thread=multi", "-cpu", cpu, "-smp", str(smp),
                 "-m", str(memory), "-nodefaults", "-display", "none",
                 "-chardev", "socket,id=con,server=on,wait=on,path=" +
                 self._console_path, "-serial", "chardev:con",
                 "-qmp", "unix:%s,server=on,wait=off" % self._qmp_path,
                 "-kernel", kernel, "-initrd", initrd,
                 "-append", "console=ttyS0 rdinit=/init panic=-1 " + append]
        if not reboot:
            argv.append("-no-reboot")
        argv += args
        if taps:
            argv = netns.wrap(argv, taps)
        try:
            # QEMU's own messages; kept open for the error report in _alive().
            self._stderr = open(self._sockets + "/stderr", "w+b")
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=self._stderr,
                stderr=self._stderr, preexec_fn=_die_with_parent)
            self._connect(log)
            self.qmp = QMP(self._qmp_path)
        except BaseException:
            self.close()
            raise

    def _connect(self, log):
        """Attach to the console; QEMU waits for it, so nothing is lost.

        The log is written here: QEMU's own logfile= repeats characters when
        the socket is full (seen with 7.2).
        """
        deadline = time.monotonic() + 60
        while True:
            self._console = socket.socket(socket.AF_UNIX)
            try:
                self._console.connect(self._console_path)
                break
            except OSError:
                self._console.close()
                self._alive()
                if time.monotonic() > deadline:
                    raise GuestError("QEMU opened no console in 60 s")
                time.sleep(0.05)
        self._log = open(log, "wb")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                data = self._console.recv(65536)
            except OSError:
                data = b""
            if not data:
                break
            data = data.replace(b"\r", b"")
            self._log.write(data)
            self._log.flush()
            with self._lock:
                self._text += data.decode(errors="replace")
                self._lock.notify_all()
        with self._lock:
            self._ended = True
            self._lock.notify_all()

    def _alive(self):
        if self._process.poll() is not None:
            self._stderr.seek(0)
            said = self._stderr.read().decode(errors="replace").strip()
            raise GuestError("QEMU ended (%d): %s"
                             % (self._process.returncode, said[-600:]))

    def text(self):
        """All console output so far."""
        with self._lock:
            return self._text

    def wait_for(self, pattern, timeout):
        """Wait for a regex in output not yet matched; the match object.

        A pattern that ends with $ sees whole lines only: at the end of what
        has come so far, $ would match within a line that is still coming.
        """
        compiled = re.compile(pattern, re.M)
        whole = pattern.endswith("$")
        deadline = time.monotonic() + timeout
        with self._lock:
            while True:
                end = self._text.rfind("\n") + 1 if whole else len(self._text)
                found = compiled.search(self._text, self._scanned, end)
                if found:
                    self._scanned = found.end()
                    return found
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    break
                self._lock.wait(min(left, 1.0))
            tail = self._text[-600:]
        self._alive() if self._ended else None
        raise GuestError("%s: %r did not appear; the console ends with:\n%s"
                         % ("QEMU closed the console" if self._ended
                            else "%d s passed" % timeout, pattern, tail))

    def send(self, line):
        """Type a line at the console."""
        self._console.sendall(line.encode() + b"\n")

    def stop(self):
        """Halt the CPUs."""
        self.qmp.call("stop")

    def cont(self):
        self.qmp.call("cont")

    def wait_exit(self, timeout):
        """Wait until the guest has powered itself off."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise GuestError("the guest did not power off in %d s" % timeout)

    def close(self):
        """End QEMU and drop its sockets."""
        if self.qmp is not None:
            self.qmp.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._console is not None:
            self._console.close()
        if self._process is not None:
            self._stderr.close()
        shutil.rmtree(self._sockets, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
