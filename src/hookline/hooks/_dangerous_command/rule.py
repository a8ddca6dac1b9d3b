"""Types of rules and findings, the place where a command line runs, and the packs about files and git."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from hookline.shell import NO_FACTS, Effect, Facts, SimpleCommand, Word
from hookline.shell.effects import trace_origins

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


_MAX_LOOKUPS = 100
"""Maximum number of searches for earlier commands of one line."""
_MAX_SOURCES = 200
"""Maximum number of commands that are visited to find the origin of a value."""


class Place(Struct, frozen=True, kw_only=True, eq=False):
    """The folders in which a command line runs, and the settings that protect branches."""

    cwd: str
    home: str = ""
    root: str = ""
    protected: tuple[str, ...] = ("main", "master")
    lease: Literal["warn", "block"] = "warn"
    commands: tuple[SimpleCommand, ...] = ()
    """All commands of the line; the origins of words are indexes into them."""
    facts: Facts = NO_FACTS
    """Scripts and git settings that exist before the line."""
    index: int = 0
    """Index of the command that is judged."""
    effects: Mapping[int, tuple[Effect, ...]] = msgspec.field(default_factory=dict)
    """The effects of each command on files, by its index."""
    has_changes: Callable[[str], bool | None] = lambda path: None
    """Function that returns whether a file has uncommitted changes; None if that is unknown."""
    in_environment: bool = False
    """True if a virtual environment of Python is active."""
    moved: Mapping[str, tuple[tuple[Word, str | None], ...]] = msgspec.field(default_factory=dict)
    """The original paths of the files that commands of the line move, by their new path."""
    made: frozenset[str] = frozenset()
    """The paths that commands of the line create or write."""
    lookups: list[int] = msgspec.field(default_factory=list)
    """The commands for which earlier ones were searched."""
    exposing: dict[int, bool] = msgspec.field(default_factory=dict)
    """Cache of whether the output of a command may contain a secret, by its index."""
    moving_away: dict[int, bool] = msgspec.field(default_factory=dict)
    """Results of `_moves_away` of deletions, by the index of the command."""

    def earlier(self) -> tuple[SimpleCommand, ...]:
        """Return the commands before the one that is judged; a trap runs after all others.

        After `_MAX_LOOKUPS` calls for a line it returns none, so that nothing counts as created by the line.
        """
        self.lookups.append(self.index)
        if len(self.lookups) > _MAX_LOOKUPS:
            return ()
        runs_last = self.index < len(self.commands) and "trap" in self.commands[self.index].via
        return self.commands if runs_last else self.commands[: self.index]

    def sources(self, origins: Iterable[int]) -> tuple[SimpleCommand, ...]:
        """Return the commands that *origins* refer to, directly or through others."""
        return tuple(self.commands[at] for at in trace_origins(self.commands, origins, _MAX_SOURCES))


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
        "rm-sources": (
            "This would delete the project's sources, with changes that are not committed.",
            "Commit or `git stash` first, or name the one folder inside that has to go.",
        ),
        "truncate-source": (
            "This empties a source file whose changes are not committed.",
            "Commit or `git stash` first, or write the new content with the edit tool.",
        ),
        "unread": (
            "Part of this was not understood, and may run a destructive command.",
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
            "This code deletes entries of a protected folder whose names are known only at run time.",
            "Delete with a plain command that names the folder: `rm -rf build`.",
        )
    },
)


TREES = Pack(
    "system-trees",
    {
        "rm-home-folder": (
            "This would delete a folder of the user's own: keys, settings or documents.",
            "Name the one thing inside it that has to go.",
        ),
        "rm-system-part": (
            "This would delete a part of the system's own folders.",
            "Let the package manager remove what it installed; delete only what you created.",
        ),
        "rm-remote": (
            "This would delete a whole folder on another machine, or from inside a database client.",
            "Look first with `ssh HOST ls DIR`, and ask the user to delete there.",
        ),
        "find-delete": (
            "This would delete everything that find finds in a protected folder.",
            "Look with `find . -name '*.tmp' -print` first, then delete under a folder of your own.",
        ),
        "mv-root": (
            "This would move system folders or a home away from where everything looks for them.",
            "Copy what you need with `cp -r DIR/NAME COPY`.",
        ),
        "rsync-delete": (
            "rsync with --delete removes everything at the target that the source does not have.",
            "Look with `rsync -an --delete SOURCE/ TARGET/` first, or leave --delete out.",
        ),
        "system-file": (
            "This would overwrite or delete a file that the system needs to start or to let people in.",
            "Copy it with `cp /etc/hosts hosts.bak` and show the person the change to make.",
        ),
        "system-upload": (
            "This would put a file into the system folders of another machine.",
            "Copy to your own folder there: `scp FILE HOST:FILE`.",
        ),
        "crontab-remove": (
            "This deletes all scheduled jobs of the user.",
            "Look with `crontab -l`, and edit the one line.",
        ),
    },
)
