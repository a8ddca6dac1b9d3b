"""What a rule says about a part of a command line, and what it may know of where the line runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from hookline.bash import Simple, Word

Action: TypeAlias = 'Literal["block", "ask", "warn"]'
_ENDS: Mapping[Action, str] = {
    "block": " If it really has to be, ask the person you work for.",
    "ask": " It goes on only if a person agrees.",
    "warn": "",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    pack: str
    rule: str
    reason: str
    instead: str
    span: tuple[int, int]
    words: tuple[Word, ...] = field(default=(), compare=False, repr=False)
    text: str = ""
    """What could not be read as words."""
    target: str = ""
    """The path or name that it is about, likewise."""
    action: Action | None = None
    """What the rule wants by itself; without one, what its pack does."""

    @property
    def subject(self) -> str:
        """The command in plain words, for exceptions by pattern."""
        return self.text or " ".join(word.text for word in self.words)

    def message(self, action: Action) -> str:
        """To the agent: what was stopped, what is safe instead, and who may decide otherwise."""
        return f"{self.reason} {self.instead}{_ENDS[action]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a command line runs, and what is dear there."""

    cwd: str
    home: str = ""
    root: str = ""
    protected: tuple[str, ...] = ("main", "master")
    lease: Literal["warn", "block"] = "warn"
    commands: tuple[Simple, ...] = ()
    """All that the line would run, which the origins of words point into."""
    secretive: dict[int, bool] = field(default_factory=dict, compare=False, repr=False)
    """Which of them were already looked at for secrets that come out of them, and whether any do."""


Judge: TypeAlias = Callable[[Simple, tuple[Word, ...], Place], Iterator[Finding]]
"""A rule: from a command, its arguments and the place to what is wrong with it."""


class Pack(NamedTuple):
    """Rules that are switched together, each with its reason and what is safe instead."""

    name: str
    rules: Mapping[str, tuple[str, str]]

    def find(
        self, rule: str, command: Simple, at: Word | None = None, action: Action | None = None
    ) -> Finding:
        """What *rule* says about *command*, or about the word *at* of it."""
        reason, instead = self.rules[rule]
        inside = at is not None and command.span[0] <= at.span[0] and at.span[1] <= command.span[1]
        return Finding(
            pack=self.name,
            rule=rule,
            reason=reason,
            instead=instead,
            span=at.span if at is not None and inside else command.span,
            words=command.words,
            target=at.text if at is not None else "",
            action=action,
        )
