# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of QEMU's machine protocol (QMP)."""

import json
import socket
import time

from .errors import GuestError


class QMPError(GuestError):
    """QEMU refused a command."""


class QMP:
    """One connection. Every call is bounded by its timeout in seconds."""

    def __init__(self, path, timeout=30):
        deadline = time.monotonic() + timeout
        while True:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(timeout)
            try:
                self._socket.connect(path)
                break
            except OSError:
                self._socket.close()
                if time.monotonic() > deadline:
                    raise GuestError("no QMP socket after %d s" % timeout)
                time.sleep(0.1)
        self._buffer = b""
        self.events = []
        self._read()
        self.call("qmp_capabilities")

    def _read(self):
        # Not a file object: a timeout within a line would lose its start.
        while b"\n" not in self._buffer:
            try:
                data = self._socket.recv(65536)
            except socket.timeout:
                raise GuestError("QMP: no answer in %s s"
                                 % self._socket.gettimeout())
            except OSError as error:
                raise GuestError("QMP: %s" % error)
            if not data:
                raise GuestError("QMP: QEMU has gone")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)

    def call(self, command, timeout=30, **arguments):
        """Run a command; '_' in an argument's name stands for '-'."""
        message = {"execute": command}
        if arguments:
            message["arguments"] = {key.replace("_", "-"): value
                                    for key, value in arguments.items()}
        self._socket.settimeout(timeout)
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise GuestError("QMP %s: %s" % (command, error))
        while True:
            answer = self._read()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise QMPError("%s: %s" % (command, answer["error"].get("desc")))
            self.events.append(answer)

    def wait_event(self, name, timeout=30):
        """Wait for an event, or find it among those that came meanwhile."""
        deadline = time.monotonic() + timeout
        while True:
            for event in self.events:
                if event["event"] == name:
                    self.events.remove(event)
                    return event
            left = deadline - time.monotonic()
            if left <= 0:
                raise GuestError("no QMP event %s in %d s" % (name, timeout))
            self._socket.settimeout(left)
            self.events.append(self._read())

    def close(self):
        self._socket.close()
