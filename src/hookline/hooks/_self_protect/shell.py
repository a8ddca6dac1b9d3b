"""Judge a command line: everything it would run, write or set, including the scripts that it starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from hookline.core.values import replace
from hookline.hooks._self_protect import code
from hookline.hooks._self_protect.commands import forbidden
from hookline.hooks._self_protect.find import found
from hookline.hooks._self_protect.finding import Action, Finding, Span
from hookline.hooks._self_protect.guarded_paths import NAMES, OURSELVES, Guard, suspicious
from hookline.hooks._self_protect.line_facts import Line
from hookline.hooks._self_protect.runs import origins_of, sources, texts, traced
from hookline.hooks._self_protect.scripts import INTERPRETERS
from hookline.hooks._self_protect.stray_redirects import loose
from hookline.hooks._self_protect.target import Target
from hookline.hooks._self_protect.writes import LOOKERS, targets
from hookline.shell import UNKNOWN, Problem, Reading, SimpleCommand, Word, read
from hookline.shell.options import parse_options, word_set

_DEEPEST = 3
"""Maximum nesting of scripts that run scripts, and of code in strings of code."""
_MOST_FOLDERS = 32
FINDERS = frozenset({"find", "gfind"})
_DECODERS = word_set("rev base64 base32 xxd openssl uudecode gunzip")
_MORE = frozenset("<>=(){}$`;&\n'\"\\")
"""Characters without which a line is only a pipeline of programs with plain words."""
_WHOLESALE = word_set("rm chmod chown chgrp ln link")
_TELLING = re.compile(r"hookline|AR_DISABLE|AUTORESEARCH|settings|trust\.json|\brev\b|base64")
"""Marks that lead to a question in code that is nested too deep to follow."""
_STARTUP = word_set(
    """.bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin config.fish environment
    .envrc .env .pam_environment .xprofile .cshrc .tcshrc .kshrc bash.bashrc"""
)
"""Files that set the environment of programs started later."""


def typed(line: str, guard: Guard) -> Iterator[Finding]:
    """Judge the line of a shell tool like `judged`, but skip the full analysis for lines that only read."""
    if not _MORE.isdisjoint(line) or not _looks(read(line, cwd=guard.cwd, home=guard.home)):
        yield from judged(line, guard)


def judged(text: str, guard: Guard, depth: int = 0) -> Iterator[Finding]:
    """Yield a finding for everything that the line *text* does to the guards."""
    guard = replace(guard, links={}, copies={}, folders=[])
    reading = read(text, cwd=guard.cwd, home=guard.home)
    whole = Line(text=text, commands=(*reading.commands, *loose(text, reading, guard)))
    for command in whole.commands:
        yield from forbidden(command, guard)
        yield from _targets(command, whole, guard)
        yield from _found(command, whole, guard)
        yield from _code(command, guard, depth)
        yield from _run(command, whole, guard, depth)
        _follow(command, whole, guard)
    yield from _killed(whole.commands)
    yield from _unread(reading.problems)


def _looks(reading: Reading) -> bool:
    """Return whether every command of the line only reads."""
    for one in reading.commands:
        if one.name not in LOOKERS or one.words[0].text != one.name or one.via:
            return False
    return not reading.problems


def _found(command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Finding]:
    if command.name in FINDERS:
        yield from found(command, line, guard)


def _targets(command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Finding]:
    written = tuple(targets(command, line.wrappers))
    unknown = any(_unknown(one.word, command.cwd) for one in written)
    hidden = _hidden(command, line, guard) if unknown else bool
    # Plain sh takes $'...' literally, and writes a file of that name in the working folder.
    named = bool(written and line.escapes and command.cwd and guard.rule(command.cwd))
    for target in written:
        yield from _target(target, command, line, guard, hidden)
        if named:
            yield _finding("hidden", target.word, command.span, "ask")


def _target(
    target: Target, command: SimpleCommand, line: Line, guard: Guard, hidden: Callable[[Word], bool]
) -> Iterator[Finding]:
    word, span = target.word, _place(target.word.span, command.span)
    rule = _rule(target, command, guard)
    if rule is not None:
        sure = target.sure and not (
            target.merges and _rule(target._replace(tree=False), command, guard) is None
        )
        yield _finding(rule, word, span, "block" if sure else "ask")
    elif _unknown(word, command.cwd) and (suspicious(word.text) or hidden(word)):
        yield _finding("hidden", word, span, "ask")
    elif target.sure and starts(word.text) and (line.sets or (line.moves and not own(word.text))):
        yield _finding("switch", word, span, "block")
    elif target.sure and shadows(word.text, command.cwd, guard):
        yield _finding("uninstall", word, span, "block")


def _finding(rule: str, word: Word, span: Span, action: Action) -> Finding:
    return Finding(rule=rule, what=f"`{word.text.replace(UNKNOWN, '…')[:200]}`", span=span, action=action)


def _place(inner: Span, outer: Span) -> Span:
    return inner if outer[0] <= inner[0] and inner[1] <= outer[1] else outer


def _rule(target: Target, command: SimpleCommand, guard: Guard) -> str | None:
    # A remaining tilde was quoted; editors and other programs expand it themselves.
    text = f"{guard.home}{target.word.text[1:]}" if target.word.text.startswith("~/") else target.word.text
    if UNKNOWN in text:
        return _folder_rule(text, command.cwd, guard)
    for one in dict.fromkeys(guard.places(text, command.cwd)):
        deep = target.tree and not (command.name in _WHOLESALE and guard.all_of_home(one))
        rule = guard.rule(one, named=target.named) or (guard.held(one) if deep else None)
        if rule is None and target.word.glob:
            rule = guard.matched(one, tree=deep)
        if rule is not None:
            return rule
    return None


def _folder_rule(text: str, cwd: str | None, guard: Guard) -> str | None:
    """Return the rule of the folder of a path whose end is unknown."""
    known = text.partition(UNKNOWN)[0].rpartition("/")
    folder = known[0] + known[1] or "."
    return next(
        filter(None, (guard.rule(one) or guard.among(one) for one in guard.places(folder, cwd))), None
    )


def _unknown(word: Word, cwd: str | None) -> bool:
    return word.dynamic or (cwd is None and not word.text.startswith("/"))


def _hidden(command: SimpleCommand, line: Line, guard: Guard) -> Callable[[Word], bool]:
    """Return a cached predicate: whether the origin of a word may print a guarded path."""
    cut_from = cache(lambda: traced(command))
    comes = cache(lambda origins: any(_told(one, line, guard) for one in sources(origins, line)))

    @cache
    def origins(word: Word) -> tuple[int, ...]:
        return origins_of(word, cut_from())

    return lambda word: comes(origins(word))


def _told(number: int, line: Line, guard: Guard) -> bool:
    """Do the same as `_tells`, cached until the line makes another link or enters another folder."""
    key = (number, len(guard.links), len(guard.folders))
    if key not in line.told:
        line.told[key] = _tells(line.commands[number], guard)
    return line.told[key]


def _tells(command: SimpleCommand, guard: Guard) -> bool:
    """Return whether the output of *command* may name a guarded file."""
    if command.name in _DECODERS:
        return True
    return any(_names_guarded(text, command.cwd, guard) for text in _given(command) if "/" in text)


def _given(command: SimpleCommand) -> Sequence[str]:
    return [*(word.text for word in command.words[1:]), *command.stdin.split(None, _MOST_FOLDERS)]


def _names_guarded(text: str, cwd: str | None, guard: Guard) -> bool:
    return suspicious(text) or any(guard.rule(place) for place in guard.places(text, cwd))


def starts(path: str) -> bool:
    """Return whether shells or sessions read the file at *path* when they start."""
    return path.rpartition("/")[2] in _STARTUP or (path.endswith(".conf") and "environment.d/" in path)


def own(path: str) -> bool:
    """Return whether only an application reads the file; a home set there does not affect hookline."""
    return path.rpartition("/")[2] == ".env"


def shadows(path: str, cwd: str | None, guard: Guard) -> bool:
    """Return whether *path* is a program named like hookline in a folder of `PATH`."""
    whole = posixpath.normpath(posixpath.join(cwd or "/", path))
    return whole.rpartition("/")[2] in OURSELVES and whole.rpartition("/")[0] in guard.programs


def _run(command: SimpleCommand, line: Line, guard: Guard, depth: int) -> Iterator[Finding]:
    """Judge the texts that are run besides the commands of the line."""
    for text in texts(command, line, guard):
        inside = replace(guard, cwd=command.cwd or guard.cwd)
        if depth >= _DEEPEST:
            yield from (
                [Finding(rule="hidden", what="code in code", action="ask")]
                if _TELLING.search(text.text)
                else []
            )
            continue
        for one in judged(text.text, inside, depth + 1) if text.by_shell else coded(text.text, inside, depth):
            action: Action = one.action if text.sure else "ask"
            yield replace(one, what=f"{one.what} {text.what}", span=command.span, action=action)


def _code(command: SimpleCommand, guard: Guard, depth: int) -> Iterator[Finding]:
    if command.name not in INTERPRETERS:
        return
    inside = replace(guard, cwd=command.cwd or guard.cwd)
    texts = [word.text for word in command.words[1:] if " " in word.text or "(" in word.text]
    texts += [command.stdin] if command.stdin and UNKNOWN not in command.stdin else []
    for text in texts:
        for one in coded(text, inside, depth):
            yield replace(one, what=f"{one.what} that `{command.name}` runs", span=command.span)


def coded(text: str, guard: Guard, depth: int) -> Iterator[Finding]:
    """Judge code of another language: the files it writes, and the commands in its strings."""
    for rule, sure in code.rules(text, guard, guard.cwd):
        yield Finding(rule=rule, what="code", action="block" if sure else "ask")
    for inner in code.commands(text):
        if depth >= _DEEPEST:
            yield from (
                [Finding(rule="hidden", what="code in code", action="ask")] if _TELLING.search(inner) else []
            )
            continue
        for one in judged(inner, guard, depth + 1):
            yield replace(one, what=f"{one.what} in code", action="ask")


def _follow(command: SimpleCommand, line: Line, guard: Guard) -> None:
    """Record the links and copies that the line makes, and the folders that it enters."""
    if command.name in ("cd", "chdir", "pushd"):
        operands = parse_options(command.words[1:]).operands
        if operands and command.cwd is not None and not operands[0].dynamic:
            _gone(posixpath.join(command.cwd, operands[0].text), guard)
            guard.folders.extend(
                guard.stand_ins(posixpath.join(command.cwd, operands[0].text)) if operands[0].glob else ()
            )
    elif command.name in ("cp", "install") and command.cwd is not None:
        operands = parse_options(command.words[1:], ("-m", "-S"), mixed=True).operands
        if len(operands) > 1:
            old, new = (posixpath.normpath(posixpath.join(command.cwd, operands[i].text)) for i in (0, -1))
            if UNKNOWN not in old or "hookline" in line.text:
                guard.copies[new] = old
    elif command.name in ("ln", "link", "mount") and command.cwd is not None:
        split = parse_options(command.words[1:], ("-t", "--target-directory", "-S", "-o"), mixed=True)
        if len(split.operands) > 1:
            _linked(split.operands, command.cwd, guard)


def _gone(path: str, guard: Guard) -> None:
    """Record the real folder that `cd` enters, if links make it differ from the given path."""
    real = guard.real(path)
    if real not in (posixpath.normpath(path), *guard.folders) and len(guard.folders) < _MOST_FOLDERS:
        guard.folders.append(real)


def _linked(operands: Sequence[Word], cwd: str, guard: Guard) -> None:
    name = posixpath.normpath(posixpath.join(cwd, operands[-1].text))
    for source in operands[:-1]:
        for base in (posixpath.dirname(name), cwd):
            leads = posixpath.normpath(posixpath.join(base, source.text))
            guard.links[posixpath.join(name, posixpath.basename(leads))] = leads
        guard.links[name] = leads


def _killed(commands: Sequence[SimpleCommand]) -> Iterator[Finding]:
    """Yield a finding for lines such as `kill $(pgrep hookline)`."""
    sought = any(
        one.name in ("pgrep", "pidof") and any("hookline" in word.text for word in one.words)
        for one in commands
    )
    kill = next((one for one in commands if one.name == "kill"), None)
    if sought and kill is not None:
        yield Finding(rule="command", what="`kill` of hookline's own processes", span=kill.span)


def _unread(problems: Sequence[Problem]) -> Iterator[Finding]:
    for problem in problems:
        if any(name in problem.text for name in (*NAMES[:4], "AR_DISABLE_", "AUTORESEARCH_BUDGET_END")):
            yield Finding(rule="hidden", what=problem.reason, span=problem.span, action="ask")
            return
