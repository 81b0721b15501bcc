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
        self._file = self._socket.makefile("rw")
        self.events = []
        self._read()
        self.call("qmp_capabilities")

    def _read(self):
        try:
            line = self._file.readline()
        except OSError as error:
            raise GuestError("QMP: %s" % error)
        if not line:
            raise GuestError("QMP: QEMU has gone")
        return json.loads(line)

    def call(self, command, timeout=30, **arguments):
        """Run a command; '_' in an argument's name stands for '-'."""
        message = {"execute": command}
        if arguments:
            message["arguments"] = {key.replace("_", "-"): value
                                    for key, value in arguments.items()}
        self._socket.settimeout(timeout)
        try:
            self._file.write(json.dumps(message) + "\n")
            self._file.flush()
        except OSError as error:
            raise GuestError("QMP %s: %s" % (command, error))
        while True:
            answer = self._read()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise QMPError("%s: %s" % (command, answer["error"].get("desc")))
            self.events.append(answer)

    def close(self):
        self._file.close()
        self._socket.close()
