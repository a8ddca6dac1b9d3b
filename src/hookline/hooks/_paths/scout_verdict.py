"""Verdict of scout-block on every path of a call, also of a command line, and its explanation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.hooks._explain import mask_unknown
from hookline.hooks._paths import approvals, ignore_rules
from hookline.hooks._paths.ignore_rules import KEPT, Found, find_exclusion, find_inclusion
from hookline.hooks._paths.secret import secret
from hookline.hooks._paths.spelling import LONGEST, Place, absolute, find_place
from hookline.hooks._paths.tool_fields import Field, fields, opened_files
from hookline.lazy import re
from hookline.shell import Effect, SimpleCommand, Word, read
from hookline.shell.options import word_set

_MAX_LINES = 500
"""Maximum number of lines that a tool may read of a log."""
RULES = ("ignored-operand", "ignored-path")


class Scouted(NamedTuple):
    path: str
    rule: str
    found: Found | None = None
    spared: str = ""
    """The reason why it is not compared with the patterns."""
    excepted: str | None = None
    """The reason of the exception that covers the match."""


def find_scout_place(event: PreToolUse, state: State, patterns: tuple[str, ...]) -> Place:
    """Return the place of *event*, with the project's `.ckignore`."""
    own = str(state.facts.get("ckignore", ""))
    trusted = "!" in own and bool(state.facts.get("ckignore_trusted", False))
    return find_place(event, state, patterns)._replace(own=own, trusted=trusted)


def claims(given: Sequence[Field]) -> list[Field]:
    """Return the paths that the agent claims are approved."""
    return [one for one in given if one.claimed and one.where]


def scouted(event: PreToolUse, state: State, place: Place, allow: Allow) -> Iterator[Scouted]:
    """Yield every path of the call, in order, with its verdict."""
    given = fields(event)
    granted = approvals.approvals((one.path for one in claims(given)), event, state) if given else {}
    for one in given:
        if granted.get(one.path) is not None or _approved(one, event, state):
            yield Scouted(one.path, "ignored-path", spared="a person said yes to it")
        else:
            found = find_exclusion(one.path, place)
            if found is not None and not found.kept and _reads_part(event):
                yield Scouted(one.path, "ignored-path", spared="only a part of it is read")
            elif found is not None and found.pattern == _LOGS and not _is_inside(one.path, None, place):
                yield Scouted(one.path, "ignored-path", spared="the log is not in the project")
            else:
                yield _weighed(one.path, "ignored-path", found, allow)
    if event.kind in ("shell", "powershell", "cmd") and event.command:
        for seen in looked(event.command, event.kind, place):
            one_path = seen.word.text
            yield _weighed(one_path, "ignored-operand", seen.found, allow)._replace(spared=seen.spared)


def _reads_part(event: PreToolUse) -> bool:
    """Return whether a tool reads a limited number of lines, or starts after the first."""
    limit, offset = event.input.get("limit"), event.input.get("offset")
    is_short = isinstance(limit, int) and 0 < limit <= _MAX_LINES
    return event.kind == "read" and (is_short or (limit is None and isinstance(offset, int) and offset > 1))


def _approved(field: Field, event: PreToolUse, state: State) -> bool:
    """Return whether privacy-block, which runs first and removes the prefix, lets an approved secret pass."""
    sensitive = secret(field.path) is not None
    return sensitive and approvals.approval(field.path, event, state) is not None


def _weighed(path: str, rule: str, found: Found | None, allow: Allow) -> Scouted:
    spared = find_exception(allow, "scout-block", rule, found.path) if found is not None and allow else None
    return Scouted(path, rule, found, excepted=spared)


def tree(event: PreToolUse, state: State, *, allow: Allow, patterns: tuple[str, ...]) -> Iterator[Branch]:
    place = find_scout_place(event, state, patterns)
    seen = list(scouted(event, state, place, allow))
    yield from (_path(one, place) for one in seen)
    if not seen:
        yield branch("no opened file was found")
    own = ignore_rules.rules(place.own, place.patterns) if place.own.strip() else None
    yield from (branch(problem, judgement="warn") for problem in (own.problems[:10] if own else ()))


def _path(one: Scouted, place: Place) -> Branch:
    path = mask_unknown(one.path)
    if one.spared:
        return branch(f"{path}: {one.spared}")
    if one.found is None:
        line = find_inclusion(one.path, place)
        return branch(f"{path}: {f'let in by {_line(line, place)}' if line else 'no pattern matches it'}")
    text = f"{path}: {_line(one.found.pattern, place)} matches it"
    if one.excepted is not None:
        return branch(text, judgement="excepted", rule=one.rule, because=one.excepted)
    trust = " once a person trusted it" if one.found.kept else ""
    way = branch(f"{one.found.line} in .ckignore lets it in{trust}")
    return branch(text, way, judgement="block", rule=one.rule)


def _line(pattern: str, place: Place) -> str:
    """Return a pattern with its source: a line of `.ckignore`, the settings, or the defaults."""
    numbers = [number for number, line in enumerate(place.own.split("\n"), 1) if line.strip() == pattern]
    if numbers:
        return f"`{pattern}` (.ckignore:{numbers[-1]})"
    return f"`{pattern}` ({'settings' if pattern in place.patterns else 'default'})"


_BUILD_TOOLS = word_set(
    """npm yarn pnpm bun pip pip3 cargo go rustc make gmake cmake mvn gradle docker kubectl terraform helm
    python node npx uv uvx poetry tox nox pytest git"""
)
"""Programs that are exempt, each for its own simple command."""
_READERS = word_set("ruby php")
"""Interpreters whose code computes something from a file that it reads."""
_PROGRAM_FOLDERS = ("node_modules/.bin/", ".venv/bin/", "venv/bin/")
_BUILD_OUTPUT = word_set("dist/ build/ out/ coverage/ .next/ .nuxt/")
"""Patterns of folders whose listing is short."""
_PATCH_TOOLS = ("apply_patch", "applypatch")
"""Tools of an agent that edit files, and are called like programs."""
_LOGS = "*.log"
_LINE_PRINTERS = word_set("sed gsed")
"""Programs that print ranges of lines, which are long in bundled code."""
_GIT_LOG = re.compile(r"(?:^|/)\.git/logs/[^*?]+$")


class Looked(NamedTuple):
    """A file of a command line, and the pattern that excludes it, if any."""

    word: Word
    found: Found | None
    spared: str = ""
    """The reason why it is not compared with the patterns."""


def looked(code: str, shell: str, place: Place) -> Iterator[Looked]:
    """Yield every file that a command line of any *shell* names, in order."""
    if shell != "shell":
        words = opened_files(code, shell, known=True)
        yield from (Looked(word, _at(find_exclusion(word.text, place), word)) for word in words)
        return
    reading = read(code, cwd=place.cwd, home=place.home, facts=place.facts)
    written: set[str] = set()
    for effect in reading.effects:
        if len(effect.path.text) > LONGEST:
            continue
        whole = absolute(effect.path.text, effect.cwd or place.cwd, place.home)
        if effect.action in ("write", "truncate"):
            written.add(whole)
        if not effect.derived:
            yield _judge(effect, reading.commands[effect.command], place, is_new=whole in written)


def _judge(effect: Effect, command: SimpleCommand, place: Place, *, is_new: bool) -> Looked:
    word = effect.path
    if command.in_script:
        return Looked(word, None, "an existing script opens it")
    patches = command.name in _PATCH_TOOLS
    if effect.action not in ("read", "list") and not patches and not _uses_key(effect, place):
        return Looked(word, None, "the command does not print its content")
    if _is_exempt(command):
        return Looked(word, None, "a build tool opens it")
    if is_new and effect.action == "read":
        return Looked(word, None, "the line itself writes it")
    found = find_exclusion(word.text, place, cwd=effect.cwd)
    spared = _small_output(found.pattern, effect, command.name, place) if found is not None else ""
    return Looked(word, None if spared else _at(found, word), spared)


def _uses_key(effect: Effect, place: Place) -> bool:
    """Return whether a program uses a file in a folder of keys that belongs to the project."""
    if effect.action != "use" or not effect.certain:
        return False
    found = find_exclusion(effect.path.text, place, cwd=effect.cwd)
    return found is not None and found.kept and _is_inside(effect.path.text, effect.cwd, place)


def _is_inside(path: str, cwd: str | None, place: Place) -> bool:
    return absolute(path, cwd or place.cwd, place.home).startswith(place.root.rstrip("/") + "/")


def _small_output(pattern: str, effect: Effect, program: str, place: Place) -> str:
    """Return the reason why little of an ignored path reaches the agent, or an empty string."""
    if effect.action == "list" and (effect.bounded or pattern in _BUILD_OUTPUT or _lists_git(effect)):
        return "only a few names are printed"
    few = effect.bounded and not effect.recursive
    bundled = pattern in _BUILD_OUTPUT and program in _LINE_PRINTERS
    if few and not bundled and (pattern not in KEPT or _GIT_LOG.search(effect.path.text)):
        return "only a part of it is printed"
    if pattern in _BUILD_OUTPUT and program in _READERS:
        return "code computes something from it"
    if pattern == ".ssh/" and effect.path.text.endswith(".pub"):
        return "a public key is short"
    generated = pattern == _LOGS or pattern in _BUILD_OUTPUT
    other = generated and not _is_inside(effect.path.text, effect.cwd, place)
    return "the output is not of this project" if other else ""


def _lists_git(effect: Effect) -> bool:
    """Return whether only the names directly in a git folder are printed."""
    return not effect.recursive and effect.path.text.rstrip("/").endswith(".git")


def _at(found: Found | None, word: Word) -> Found | None:
    return None if found is None else found._replace(span=word.span)


def _is_exempt(command: SimpleCommand) -> bool:
    """Return whether the command is a build tool, or a program that the project has installed."""
    return command.name in _BUILD_TOOLS or any(folder in command.words[0].text for folder in _PROGRAM_FOLDERS)
