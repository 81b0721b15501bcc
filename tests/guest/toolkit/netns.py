# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program in a user and network namespace of its own, with taps.

As a module: wrap(argv, taps) gives the argument list to start. As a program,
inside the namespace: makes the taps, answers TCP on each, execs the program.
Nothing of the machine's own network is seen or changed.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys

if __name__ != "__main__":
    from . import host
    from .errors import NeedsRoot

BLOB_PORT = 18080
BLOB_SIZE = 1 << 20
# Tap N is called rbtapN and has the address 10.77.N.1; the guest takes .2.
TAP_NAME = "rbtap%d"
TAP_ADDRESS = "10.77.%d.1"
TAP_MAC = "02:00:00:00:01:%02x"
GUEST_ADDRESS = "10.77.%d.2"
GUEST_MAC = "52:54:00:00:01:%02x"


def wrap(argv, taps):
    """The arguments that run argv with taps; [2, 1]: tap 0 has 2 queues."""
    check()
    return [host.tool("unshare", "util-linux"), "-r", "-n", sys.executable,
            os.path.abspath(__file__), ",".join(map(str, taps)), "--"] + list(argv)


def _refused(script):
    """What goes wrong with a shell command in a fresh namespace, or None."""
    probe = subprocess.run(
        [host.tool("unshare", "util-linux"), "-r", "-n", "-m", "sh", "-c",
         "PATH=$PATH:/sbin:/usr/sbin; " + script],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, timeout=30)
    if probe.returncode == 0:
        return None
    return probe.stderr.decode(errors="replace").strip()[-150:]


def check_namespace():
    """Raise NeedsRoot if user namespaces are closed to this user."""
    reason = _refused("true")
    if reason:
        raise NeedsRoot("no user namespace: " + reason)


def check():
    """Raise NeedsRoot if namespaces or taps can't be had here."""
    host.tool("ip", "iproute2")
    if not os.path.exists("/dev/net/tun"):
        raise NeedsRoot("no /dev/net/tun on this machine")
    check_namespace()
    reason = _refused("ip tuntap add dev probe0 mode tap multi_queue")
    if reason:
        raise NeedsRoot("no tap in a user namespace: " + reason)


def _serve():
    """Answer each connection with BLOB_SIZE bytes; dies with its parent."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", BLOB_PORT))
    listener.listen(16)
    if os.fork():
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    body = bytes(range(256)) * (BLOB_SIZE // 256)
    head = b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    while True:
        peer, _ = listener.accept()
        try:
            peer.settimeout(60)
            peer.recv(4096)
            peer.sendall(head + body)
        except OSError:
            pass
        peer.close()


def _main(taps, argv):
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    try:
        with open("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w") as file:
            file.write("1")
    except FileNotFoundError:
        pass  # a host without IPv6
    for number, queues in enumerate(int(tap) for tap in taps.split(",")):
        name = TAP_NAME % number
        commands = [["tuntap", "add", "dev", name, "mode", "tap"] +
                    (["multi_queue"] if queues > 1 else []),
                    ["link", "set", name, "address", TAP_MAC % number],
                    ["addr", "add", (TAP_ADDRESS % number) + "/24", "dev", name],
                    ["link", "set", name, "up"],
                    # No probe of a neighbour may reach a guest at rest.
                    ["neigh", "replace", GUEST_ADDRESS % number, "lladdr",
                     GUEST_MAC % number, "nud", "permanent", "dev", name]]
        for command in commands:
            subprocess.run(["ip"] + command, check=True, timeout=30)
    _serve()
    os.execvp(argv[0], argv)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[3:])
