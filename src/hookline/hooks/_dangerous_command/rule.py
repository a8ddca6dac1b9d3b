"""Types of rules and findings, the place where a command line runs, and the core packs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from hookline.shell import SimpleCommand, Word

Action: TypeAlias = 'Literal["block", "ask", "warn"]'
_ENDS: Mapping[Action, str] = {
    "block": " If it is necessary, ask the user.",
    "ask": " The user must approve it.",
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
    """The text, if it could not be parsed into words."""
    target: str = ""
    """The path or name that the rule applies to, if any."""
    action: Action | None = None
    """The rule's own action; None for that of its pack."""

    @property
    def subject(self) -> str:
        """The command as plain text, for the patterns of exceptions."""
        return self.text or " ".join(word.text for word in self.words)

    def message(self, action: Action) -> str:
        """Return the message to the agent: what was stopped, the safe alternative, and who may decide."""
        return f"{self.reason} {self.instead}{_ENDS[action]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The folders in which a command line runs, and the settings that protect branches."""

    cwd: str
    home: str = ""
    root: str = ""
    protected: tuple[str, ...] = ("main", "master")
    lease: Literal["warn", "block"] = "warn"
    commands: tuple[SimpleCommand, ...] = ()
    """All commands of the line; the origins of words are indexes into them."""
    secretive: dict[int, bool] = field(default_factory=dict, compare=False, repr=False)
    """Cache of whether the output of a command may contain a secret, by its index."""


Judge: TypeAlias = Callable[[SimpleCommand, tuple[Word, ...], Place], Iterator[Finding]]
"""A rule: a function from a command, its arguments and the place to the findings."""


class Pack(NamedTuple):
    """Rules that are switched on or off together, each with its reason and the safe alternative."""

    name: str
    rules: Mapping[str, tuple[str, str]]

    def find(
        self, rule: str, command: SimpleCommand, at: Word | None = None, action: Action | None = None
    ) -> Finding:
        """Return the finding of *rule* about *command*, or about its word *at*."""
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
            "This push can overwrite commits of others on the remote.",
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
        "too-long": (
            "This command is too long to be checked.",
            "Write it as several shorter commands, or as a script file.",
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
