"""Make long output short without losing what an agent acts on: its beginning, its end, and its errors."""

from hookline.hooks._compress.shorten import Limits, shortened
from hookline.hooks._compress.texts import fine, mapped

__all__ = ["Limits", "fine", "mapped", "shortened"]
