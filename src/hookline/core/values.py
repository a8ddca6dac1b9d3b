"""Copies of frozen values."""

import dataclasses
from typing import TYPE_CHECKING, TypeVar

import msgspec

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import replace  # mypy checks its arguments, also for structs
else:

    def replace(value: T, /, **changes: object) -> T:
        """Return a copy of *value*, a struct or a dataclass, with some fields changed."""
        if isinstance(value, msgspec.Struct):
            return msgspec.structs.replace(value, **changes)
        return dataclasses.replace(value, **changes)


__all__ = ["replace"]
