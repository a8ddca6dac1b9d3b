"""What a rule says about a part of a command line, and what it may know of where the line runs."""

from dataclasses import dataclass
from typing import Literal

Action = Literal["block", "ask", "warn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    rule: str
    reason: str
    instead: str
    span: tuple[int, int]
    action: Action = "block"

    @property
    def message(self) -> str:
        """To the agent: what was stopped, and what is safe instead."""
        return f"{self.reason} {self.instead}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a command line runs, and what is dear there."""

    cwd: str
    home: str = ""
    root: str = ""
    protected: tuple[str, ...] = ("main", "master")
    lease: Literal["warn", "block"] = "warn"
