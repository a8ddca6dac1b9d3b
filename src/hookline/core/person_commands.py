"""Subcommands of `hookline` that an agent must not run; the command line and self-protect read this table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PERSON_ONLY: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("allow", "approve", "off", "trust", "ui", "uninstall", "untrust"), ("",)),
    "approvals": ("allow", "deny"),
    "budget": ("set",),
    "config": ("edit", "set"),
    "daemon": ("stop",),
    "errors": ("resolve",),
    "mcp": ("serve --fire",),
    "memory": ("edit", "forget", "import", "pin"),
}
"""Commands that only a person may run: the command, and the words after it; "" stands for any words."""
HOST_ONLY: Mapping[str, tuple[str, ...]] = {"daemon": ("start", ""), "fire": ("",), "hook": ("",)}
"""Commands that act for a host. An agent could use them to answer in place of a person."""
HARMLESS: Mapping[str, tuple[str, ...]] = {
    "approve": ("--list",),
    "daemon": ("status", "logs"),
    "trust": ("--show",),
    "ui": ("--read-only",),
    "uninstall": ("--dry-run",),
}
"""Words with which such a command only prints."""


def is_listed(words: Sequence[str], table: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether *words*, the arguments of `hookline`, are a command of *table*."""
    phrases = table.get(words[0], ()) if words else ()
    return any(_has_phrase(words[1:], phrase.split()) for phrase in phrases)


def _has_phrase(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether *words* have the options of *phrase*, and begin with its subcommand."""
    subcommand = [word for word in phrase if not word.startswith("-")]
    return words[: len(subcommand)] == subcommand and all(word in words for word in phrase)
