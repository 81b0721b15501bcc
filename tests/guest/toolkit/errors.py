# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which taking a dump can fail, told apart for the caller."""


class GuestError(Exception):
    """Something that should have worked did not: a defect, or a broken guest."""


class Skip(GuestError):
    """This machine cannot do it; the message is the one-line reason."""


class NotReachable(Skip):
    """A package is neither cached nor downloadable now."""


class NeedsTool(Skip):
    """A host program is missing."""


class NeedsRoot(Skip):
    """User namespaces or /dev/net/tun are closed to this user."""
