"""Packs of rules, their default actions, and the actions in the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from hookline.core.rule_exceptions import Allow, find_exception
from hookline.hooks._dangerous_command.cloud import CLOUD
from hookline.hooks._dangerous_command.containers import CONTAINERS, KUBERNETES
from hookline.hooks._dangerous_command.databases import DATABASES
from hookline.hooks._dangerous_command.disk import DISK
from hookline.hooks._dangerous_command.exfil import EXFIL
from hookline.hooks._dangerous_command.git_history import HISTORY
from hookline.hooks._dangerous_command.http_delete import HTTP
from hookline.hooks._dangerous_command.package_publish import PUBLISH
from hookline.hooks._dangerous_command.permissions import PERMISSIONS
from hookline.hooks._dangerous_command.remote_exec import REMOTE_EXEC
from hookline.hooks._dangerous_command.repo_host import REPO_HOST
from hookline.hooks._dangerous_command.rm import TREES
from hookline.hooks._dangerous_command.rule import CORE, INTERPRETERS, Action, Finding
from hookline.hooks._dangerous_command.saas import SAAS
from hookline.hooks._dangerous_command.windows import WINDOWS

PACKS: Mapping[str, Action] = {
    **dict.fromkeys(("core", "disk", "permissions", "git-history", "system-trees", "interpreters"), "block"),
    **dict.fromkeys(("remote-exec", "containers", "databases", "kubernetes", "cloud", "saas-cli"), "ask"),
    **dict.fromkeys(("repo-host", "package-publish", "http-delete", "exfil", "windows"), "ask"),
}
"""Default action of each pack, in the order of the documentation."""
Packs: TypeAlias = """Mapping[
    Literal[
        "core", "disk", "permissions", "git-history", "system-trees", "interpreters",
        "remote-exec", "containers", "databases", "kubernetes", "cloud", "saas-cli",
        "repo-host", "package-publish", "http-delete", "exfil", "windows",
    ],
    Literal["ask", "block", "off"],
]"""
"""Actions of the packs in the settings."""
ALL = (
    CORE,
    DISK,
    PERMISSIONS,
    HISTORY,
    TREES,
    INTERPRETERS,
    REMOTE_EXEC,
    CONTAINERS,
    DATABASES,
    KUBERNETES,
    CLOUD,
    SAAS,
    REPO_HOST,
    PUBLISH,
    HTTP,
    EXFIL,
    WINDOWS,
)
"""The packs with their rules, in the same order."""


class Decided(NamedTuple):
    """A finding and the action on it."""

    finding: Finding
    action: Action | None
    """None if the pack is off, or an exception covers the finding."""
    excepted: str | None = None
    """The reason of the exception."""


def decided(found: Iterable[Finding], allow: Allow, packs: Packs) -> tuple[Decided, ...]:
    return tuple(_decided(one, allow, packs) for one in found)


def _decided(finding: Finding, allow: Allow, packs: Packs) -> Decided:
    for subject in (finding.subject, finding.target) if allow else ():
        reason = find_exception(allow, "dangerous-command", finding.rule, subject)
        if reason is not None:
            return Decided(finding, None, reason)
    return Decided(finding, action(finding, packs))


def action(finding: Finding, packs: Packs) -> Action | None:
    """Return the action on *finding*, or None if its pack is off."""
    usual = finding.action or PACKS[finding.pack]
    wanted = next((word for name, word in packs.items() if name == finding.pack), None)
    if wanted == "off":
        return None
    if usual == "warn" or wanted not in ("block", "ask"):
        return usual
    return "block" if wanted == "block" else "ask"


class _Tighter(tuple["Any", ...]):
    """Values of the setting `packs` that need no trust, because they only block more."""

    __slots__ = ()

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(
            wanted == "block" and pack in PACKS for pack, wanted in value.items()
        )


TIGHTER = _Tighter(({"PACK": "block"},))


def rules() -> Mapping[str, tuple[str, str, str]]:
    """Return every rule by its id: the pack, the reason, and the safe alternative."""
    return {rule: (pack.name, *texts) for pack in ALL for rule, texts in pack.rules.items()}
