from .guest import UstGuest

__all__ = ["UstGuest"]
