"""Guests that trace themselves with LTTng and ftrace."""

from .guest import LttngGuest  # noqa: F401
