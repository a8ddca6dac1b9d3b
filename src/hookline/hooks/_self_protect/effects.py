"""Effects of a command line on guarded paths: the files that its commands change, link or read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct, field

from hookline.hooks._self_protect.commands import judge_content
from hookline.hooks._self_protect.finding import Action, Finding, Span, quote
from hookline.hooks._self_protect.guarded_paths import (
    NAMES,
    OURSELVES,
    SOCKETS,
    Guard,
    find_matches,
    is_suspicious,
)
from hookline.hooks._self_protect.secret import list_masks, opens_secret
from hookline.lazy import re
from hookline.shell import UNKNOWN, Effect, Reading, SimpleCommand, Word
from hookline.shell.effect_programs import find_roots
from hookline.shell.effects import group_effects, trace_origins
from hookline.shell.options import word_set

_CHANGES = word_set("create write append truncate edit mode move delete link")
_REMOVES = word_set("move delete")
_WRITES = word_set("write append edit")
_OPENS = word_set("read copy send use")
_FINDERS = word_set("find gfind")
_SCHEDULERS = word_set("crontab at batch")
_PACKAGE_MANAGERS = word_set("npm pnpm yarn")
_DECODERS = word_set("rev base64 base32 xxd openssl uudecode gunzip")
_LOCATORS = word_set("which command type whereis whence hash readlink realpath python pypy pipx")
"""Programs that print the path of another program or module."""
_OWN_MODULE = re.compile(r"(?<![\w./-])hookline(?:-client)?(?![\w/-])")
"""Our program or one of our modules, in a word or in code."""
_WHOLESALE = word_set("rm chmod chown chgrp ln link")
"""Programs whose use on the whole home dangerous-command judges."""
_WILD = frozenset("*?[")
_CHECKS = word_set(
    """--check --dry-run --diff --list-different --lint --validate --read-only --readonly --verify check lint
    validate verify diff show status view cat get list inspect"""
)
"""Arguments with which programs only read."""
_MAX_ORIGINS = 64
_MAX_WORDS = 32


class Line(Struct, frozen=True, kw_only=True, dict=True):
    """A command line, and facts about all of it that the checks of its commands share."""

    text: str
    reading: Reading
    printed: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """Cache of whether a command's output may name a guarded file, by its position and the links so far."""

    @property
    def commands(self) -> Sequence[SimpleCommand]:
        return self.reading.commands

    @cached_property
    def effects(self) -> dict[int, list[Effect]]:
        """The effects by the position of their command."""
        return group_effects(self.reading.effects)

    @cached_property
    def has_escapes(self) -> bool:
        return "$'" in self.text

    @cached_property
    def wrappers(self) -> frozenset[str]:
        """Programs that run another command of the line."""
        return frozenset(via.split()[0] for one in self.commands for via in one.via[-1:] if via.strip())

    @cached_property
    def texts(self) -> Sequence[str]:
        """Arguments and inputs of the commands, which may be the content of a file that the line writes."""
        words = (word.text for one in self.commands for word in one.words[1:])
        return [*dict.fromkeys((*words, *(one.stdin for one in self.commands if one.stdin)))]

    @cached_property
    def searches(self) -> frozenset[int]:
        """Positions of `find` commands that delete, or whose results the line changes."""
        changed = [one for one in self.reading.effects if one.certain and one.action in _CHANGES]
        used = {origin for one in changed for origin in self.trace(one.path.origins)}
        used |= {one.command for one in changed if one.action == "delete"}
        return frozenset(at for at in used if self.commands[at].name in _FINDERS)

    def trace(self, origins: Sequence[int]) -> set[int]:
        """Return the positions of the commands that a value comes from, directly or through others."""
        return {*trace_origins(self.commands, origins, _MAX_ORIGINS)}


def judge_effects(position: int, line: Line, guard: Guard) -> Iterator[Finding]:
    """Yield a finding for each effect of the command at *position* on a guarded path."""
    command = line.commands[position]
    for effect in line.effects.get(position, ()):
        origins = line.trace(effect.path.origins) if effect.path.dynamic else ()
        if effect.action in _OPENS and opens_secret(effect, [line.commands[one] for one in origins], guard):
            yield _make_finding("secret", effect, command, "block")
        if effect.action in _CHANGES or not (effect.certain or _only_reads(command, line)):
            yield from _judge_change(effect, command, line, guard)
            # Plain sh takes $'...' literally, and writes a file of that name in the working folder.
            if line.has_escapes and effect.cwd and guard.rule(effect.cwd):
                yield _make_finding("hidden", effect, command, "ask")
    if command.name in _SCHEDULERS:
        yield from judge_content("/cron/x", line.texts)
    if command.name in _PACKAGE_MANAGERS and [word.text for word in command.words[1:3]] == ["pkg", "set"]:
        yield from judge_content("package.json", [word.text.replace("=", " ", 1) for word in command.words])
    if position in line.searches:
        yield from _judge_search(command, guard)


def _only_reads(command: SimpleCommand, line: Line) -> bool:
    """Return whether a program that no table knows does not change its arguments."""
    words = {word.text for word in command.words[1:]}
    return command.name in line.wrappers or not words.isdisjoint(_CHECKS)


def _judge_change(effect: Effect, command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Finding]:
    path = effect.path
    rule, whole = _find_rule(effect, command, guard)
    if command.name in _FINDERS and effect.action == "delete":
        return  # its tests restrict it; see _judge_search
    if rule is not None:
        sure = whole and (effect.certain or effect.action == "write")
        yield _make_finding(rule, effect, command, "block" if sure else "ask")
    elif path.dynamic or (effect.cwd is None and not path.text.startswith("/")):
        yield from _judge_unknown(effect, command, line, guard)
    elif effect.certain and effect.action in _WRITES:
        yield from judge_content(path.text, line.texts)
        if _is_shim(path.text, line.text, guard):
            yield _make_finding("uninstall", effect, command, "block")


def _is_shim(path: str, line: str, guard: Guard) -> bool:
    """Return whether *path* is a program named like hookline in a folder that the line adds to `PATH`."""
    folder, _, name = path.rpartition("/")
    folders = [folder, folder.replace(guard.home, "~"), folder.replace(guard.home, "$HOME")]
    return name in OURSELVES and "PATH" in line and any(f"{one}:" in line for one in folders if one)


def _find_rule(effect: Effect, command: SimpleCommand, guard: Guard) -> tuple[str | None, bool]:
    """Return the rule that *effect* breaks, and whether the guarded path itself is named."""
    text = effect.path.text
    if UNKNOWN in text:
        return None, False
    merged = effect.derived and effect.path.glob and text.endswith("/*")
    text = (text[:-2] or "/") if merged else text
    links = command.name in ("ln", "link") and not text.endswith("/")
    tree = merged or links or effect.recursive or effect.action == "move"
    partial = merged or effect.action not in _REMOVES
    held = None
    for place in dict.fromkeys(guard.places(text, effect.cwd)):
        rule = guard.rule(place, named=not effect.derived)
        deep = tree and not (command.name in _WHOLESALE and guard.all_of_home(place))
        if rule is None and effect.path.glob and not _WILD.isdisjoint(place):
            rule = guard.matched(place, tree=deep)
        if rule is not None:
            return rule, True
        held = held or (guard.held(place, merges=partial, named=not effect.derived) if deep else None)
    return held, not partial


def _judge_unknown(effect: Effect, command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Finding]:
    """Judge a path that is partly unknown by its known parts, and by the commands that print it."""
    text, origins = effect.path.text, line.trace(_find_origins(effect.path, command))
    if origins & line.searches:
        return
    known = text.partition(UNKNOWN)[0].rpartition("/")
    folders = [*guard.places(known[0] + known[1] or ".", effect.cwd)] if effect.path.dynamic else []
    for folder in folders:
        pattern = f"{folder}/{text[len(known[0] + known[1]) :].replace(UNKNOWN, '*')}"
        rule = guard.rule(folder) or guard.matched(pattern, unknown=True) or guard.rule(pattern, named=False)
        removed = guard.matched(pattern) if effect.recursive and effect.action in _REMOVES else None
        if rule is not None or removed is not None:
            action: Action = "block" if rule is not None and effect.certain else "ask"
            yield _make_finding(rule or removed or "", effect, command, action)
            return
    holds = any(guard.held(folder, merges=True) for folder in folders)
    if effect.derived and folders and not holds:  # a copy of one of our files, in another folder
        return
    if is_suspicious(text, by_extension=holds) or any(_prints_guarded(one, line, guard) for one in origins):
        yield _make_finding("hidden", effect, command, "ask")


def _find_origins(word: Word, command: SimpleCommand) -> Sequence[int]:
    """Return the origins of *word*, or of the word of *command* that it was cut from."""
    if word.origins or not word.dynamic:
        return word.origins
    words = (*command.words, *(redirect.target for redirect in command.redirects))
    return [origin for one in words if one.text.endswith(word.text) for origin in one.origins]


def _prints_guarded(position: int, line: Line, guard: Guard) -> bool:
    """Return whether the output of a command may name a guarded file."""
    key = (position, len(guard.links), len(guard.folders))
    if key not in line.printed:
        command = line.commands[position]
        words = [*(word.text for word in command.words[1:]), *command.stdin.split(None, _MAX_WORDS)]
        located = command.name in _LOCATORS and any(map(_OWN_MODULE.search, words))
        line.printed[key] = (
            (command.name in _DECODERS and "rand" not in words)
            or located
            or any(
                is_suspicious(text)
                or any(guard.rule(one) or guard.matched(one) for one in guard.places(text, command.cwd))
                for text in words
                if "/" in text
            )
        )
    return line.printed[key]


def _judge_search(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    """Judge a `find` whose results are changed, by its folders and the names that it tests."""
    pairs = [(word.text, after.text) for word, after in pairwise(command.words)]
    masks = list_masks(command)
    for root in find_roots(command):
        places = [] if UNKNOWN in root.text else [*dict.fromkeys(guard.places(root.text, command.cwd))]
        for place in places:
            for folder in (place, *(guard.stand_ins(place) if root.glob else ())):
                yield from _judge_searched(folder, masks, command.span, guard)
                sockets = ("-type", "s") in pairs or any(find_matches(mask, SOCKETS) for mask in masks)
                if sockets and (rule := guard.held(folder)):
                    what = f"the sockets that `find` finds in {quote(folder)}"
                    yield Finding(rule=rule, what=what, span=command.span, action="ask")


def _judge_searched(folder: str, masks: Sequence[str], span: Span, guard: Guard) -> Iterator[Finding]:
    held = guard.held(folder, merges=True)
    rule = guard.rule(folder) or (None if masks or guard.all_of_home(folder) else held)
    if rule is not None:
        yield Finding(rule=rule, what=f"the results of `find` in {quote(folder)}", span=span)
        return
    for mask in masks:
        names, literal = find_matches(mask, (*NAMES, *guard.names)), not {*mask} & _WILD
        if names and (held or (literal and folder in (guard.cwd, guard.root))):
            what = f"{quote(names[0])}, which `find` may find"
            action: Action = "block" if literal else "ask"
            yield Finding(rule=held or "write-project", what=what, span=span, action=action)


def _make_finding(rule: str, effect: Effect, command: SimpleCommand, action: Action) -> Finding:
    inner, outer = effect.path.span, command.span
    span = inner if outer[0] <= inner[0] and inner[1] <= outer[1] else outer
    return Finding(rule=rule, what=quote(effect.path.text), span=span, action=action)
