"""What a rule says about a part of a command line, and what it may know of where the line runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from hookline.shell import SimpleCommand, Word

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
    commands: tuple[SimpleCommand, ...] = ()
    """All that the line would run, which the origins of words point into."""
    secretive: dict[int, bool] = field(default_factory=dict, compare=False, repr=False)
    """Which of them were already looked at for secrets that come out of them, and whether any do."""


Judge: TypeAlias = Callable[[SimpleCommand, tuple[Word, ...], Place], Iterator[Finding]]
"""A rule: from a command, its arguments and the place to what is wrong with it."""


class Pack(NamedTuple):
    """Rules that are switched together, each with its reason and what is safe instead."""

    name: str
    rules: Mapping[str, tuple[str, str]]

    def find(
        self, rule: str, command: SimpleCommand, at: Word | None = None, action: Action | None = None
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


CORE = Pack(
    "core",
    {
        "git-push-force": (
            "This push overwrites what others have on the remote.",
            "Pull or rebase, then push without force or to a new branch; or use --force-with-lease.",
        ),
        "git-push-lease": (
            "This push rewrites the remote branch, if nobody has pushed to it in the meantime.",
            "Make sure that the branch is yours alone.",
        ),
        "git-push-delete": (
            "This push deletes a protected branch on the remote.",
            "Delete only branches that you created.",
        ),
        "git-branch-delete-force": (
            "This deletes a branch even if its commits are nowhere else.",
            "Use `git branch -d`, which refuses while something would be lost.",
        ),
        "git-reset-hard": (
            "`git reset --hard` throws away all uncommitted work.",
            "Commit or `git stash` first, or use `git reset --keep`; `git restore FILE` for single files.",
        ),
        "git-clean-force": (
            "`git clean` with force deletes untracked files for good.",
            "Look with `git clean -n`, then delete the files you made by name, or `git stash -u`.",
        ),
        "git-checkout-dot": (
            "This checkout overwrites every changed file with the committed one.",
            "Name the files to go back, or `git stash` to keep the changes.",
        ),
        "git-restore-dot": (
            "This restore overwrites every changed file with the committed one.",
            "Name the files to go back; `git restore --staged .` only unstages, `git stash` keeps all.",
        ),
        "rm-root": (
            "This would delete the root of the file system, or a system folder.",
            "Delete only folders you created, by name.",
        ),
        "rm-home": (
            "This would delete a user's home folder, or all that is in it.",
            "Name the one folder inside it that has to go.",
        ),
        "rm-cwd": (
            "This would delete the project's folder, or all that is in it.",
            "Name the folders that have to go: `rm -rf build`; `git clean -n` shows what is not tracked.",
        ),
        "rm-unknown": (
            "If the variable in it is not set, this deletes from the root of the file system.",
            'Write the path out, or `rm -rf "${DIR:?}"/*`, which stops when it is not set.',
        ),
        "unread": (
            "Part of this was not understood and names a destructive command.",
            "Write it as plain, separate commands.",
        ),
    },
)


INTERPRETERS = Pack(
    "interpreters",
    {
        "code-delete": (
            "This code deletes a folder outside of the project, past what is checked for plain commands.",
            "Say it plainly, so that it can be judged: `rm -rf /tmp/demo`.",
        ),
    },
)
