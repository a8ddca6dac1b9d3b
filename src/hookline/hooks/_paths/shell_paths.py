"""Ignored files in a command line, which waste an agent's context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hookline.hooks._paths import windows
from hookline.hooks._paths.scout_rules import Found, Ground, path
from hookline.hooks._paths.spelling import LONGEST, absolute
from hookline.shell import Effect, SimpleCommand, Word, read
from hookline.shell.options import word_set

_BUILD_TOOLS = word_set(
    """npm yarn pnpm bun pip pip3 cargo go rustc make gmake cmake mvn gradle docker kubectl terraform helm
    python node npx uv uvx poetry tox nox pytest git"""
)
"""Programs that are exempt, each for its own simple command."""
_PROGRAM_FOLDERS = ("node_modules/.bin/", ".venv/bin/", "venv/bin/")
_BUILD_OUTPUT = word_set("dist/ build/ out/ coverage/ .next/ .nuxt/")
"""Patterns of folders whose listing is short."""
_PATCH_TOOLS = ("apply_patch", "applypatch")
"""Tools of an agent that edit files, and are called like programs."""
_LOGS = "*.log"


class Looked(NamedTuple):
    """A file of a command line, and the pattern that excludes it, if any."""

    word: Word
    found: Found | None
    spared: str = ""
    """The reason why it is not compared with the patterns."""


def looked(code: str, shell: str, ground: Ground) -> Iterator[Looked]:
    """Yield every file that a command line of any *shell* names, in order."""
    if shell != "shell":
        words = windows.opened(code, shell, known=True)
        yield from (Looked(word, _at(path(word.text, ground), word)) for word in words)
        return
    reading = read(code, cwd=ground.cwd, home=ground.home, facts=ground.facts)
    written: set[str] = set()
    for effect in reading.effects:
        if len(effect.path.text) > LONGEST:
            continue
        whole = absolute(effect.path.text, effect.cwd or ground.cwd, ground.home)
        if effect.action == "write":
            written.add(whole)
        if not effect.derived:
            yield _judge(effect, reading.commands[effect.command], ground, is_new=whole in written)


def _judge(effect: Effect, command: SimpleCommand, ground: Ground, *, is_new: bool) -> Looked:
    word = effect.path
    if command.in_script:
        return Looked(word, None, "an existing script opens it")
    patches = command.name in _PATCH_TOOLS
    if effect.action not in ("read", "list") and not patches and not _uses_key(effect, ground):
        return Looked(word, None, "the command does not print its content")
    if _is_exempt(command):
        return Looked(word, None, "a build tool opens it")
    if is_new and effect.action == "read":
        return Looked(word, None, "the line itself writes it")
    found = path(word.text, ground, cwd=effect.cwd)
    spared = _small_output(found.pattern, effect, ground) if found is not None else ""
    return Looked(word, None if spared else _at(found, word), spared)


def _uses_key(effect: Effect, ground: Ground) -> bool:
    """Return whether a program uses a file in a folder of keys that belongs to the project."""
    if effect.action != "use" or not effect.certain:
        return False
    found = path(effect.path.text, ground, cwd=effect.cwd)
    return found is not None and found.kept and _is_inside(effect, ground)


def _is_inside(effect: Effect, ground: Ground) -> bool:
    whole = absolute(effect.path.text, effect.cwd or ground.cwd, ground.home)
    return whole.startswith(ground.root.rstrip("/") + "/")


def _small_output(pattern: str, effect: Effect, ground: Ground) -> str:
    """Return the reason why little of an ignored path reaches the agent, or an empty string."""
    if effect.action == "list" and (effect.bounded or pattern in _BUILD_OUTPUT):
        return "only a few names are printed"
    if effect.bounded and not effect.recursive and (pattern == _LOGS or pattern in _BUILD_OUTPUT):
        return "only a part of it is printed"
    if pattern == _LOGS and not _is_inside(effect, ground):
        return "the log is not in the project"
    return ""


def _at(found: Found | None, word: Word) -> Found | None:
    return None if found is None else found._replace(span=word.span)


def _is_exempt(command: SimpleCommand) -> bool:
    """Return whether the command is a build tool, or a program that the project has installed."""
    return command.name in _BUILD_TOOLS or any(folder in command.words[0].text for folder in _PROGRAM_FOLDERS)
