"""Commands reserved for a person: loosening the guards, removing hookline, setting its switches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from hookline.hooks._self_protect.finding import Finding
from hookline.hooks._self_protect.guarded_paths import OURSELVES, Guard
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

PERSONAL = word_set("approve trust untrust allow off uninstall")
SPEAKING = word_set("hook fire daemon")
"""Subcommands that act for a host or a person. An agent could use them to approve its own calls."""
_IN_TWO = frozenset({("budget", "set"), ("daemon", "stop")})
SWITCH = re.compile(r"(?:AR_DISABLE_\w*|AUTORESEARCH_BUDGET_END)")
_SET = re.compile(rf"\b{SWITCH.pattern}\s*=")
_MOVED = re.compile(
    r"""(?<![$\w{-])(?:HOME|XDG_(?:CONFIG|STATE)_HOME)=(?!["']?(?:\$HOME|\$\{HOME\}|~)/\.(?:config|local/state)\b)
    | \bset\s+(?:-\w+\s+)+(?:HOME|XDG_(?:CONFIG|STATE)_HOME|AR_DISABLE_\w*)\s""",
    re.VERBOSE,
)
"""Assignments that change the home or XDG folders to unusual values; the second form is fish syntax."""
_PACKAGE = re.compile(r"hookline(?:[=<>~!@\[ ].*)?")
_MANAGERS = word_set(
    "pip pip3 uv pipx conda mamba poetry pdm brew rye hatch easy_install apt apt-get dnf pacman"
)
_REMOVING = word_set("uninstall remove purge rm -R autoremove")
_CHANGING = word_set("install add upgrade reinstall inject update sync")
_RUNNERS = word_set("uvx pipx npx bunx uv")
_SETTING = word_set("export declare typeset readonly local unset read mapfile readarray let getopts")
TEXT = word_set("echo printf grep egrep fgrep rg ag git cat sed awk test [ comm jq yq gh glab curl wget")
"""Programs for which a word such as `NAME=value` is only text."""
_PYTHONS = frozenset({"python", "pypy"})


def forbidden(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    """Yield a finding for each action of *command* that is reserved for a person."""
    if not command.words:
        return
    yield from _hookline(command, guard)
    yield from _removal(command)
    yield from _switches(command)


def _hookline(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    rest = _arguments(command, guard)
    if rest is None:
        return
    operands = [word.text for word in parse_options(rest, mixed=True).operands]
    if _harmless(operands, rest):
        return
    if any(UNKNOWN in text for text in operands[:2]):
        yield Finding(
            rule="hidden",
            what="`hookline` with arguments that are unknown before it runs",
            span=command.span,
            action="ask",
        )
    elif operands and (operands[0] in PERSONAL or tuple(operands[:2]) in _IN_TWO):
        yield Finding(rule="command", what=f"`hookline {' '.join(operands[:2])}`", span=command.span)
    elif operands and operands[0] in SPEAKING:
        what = f"`hookline {operands[0]}`, which acts for a host"
        yield Finding(rule="command", what=what, span=command.span, action="ask")


def _harmless(operands: Sequence[str], rest: Sequence[Word]) -> bool:
    given = {word.text for word in rest}
    looking = operands[:2] in (["daemon", "status"], ["daemon", "logs"])
    return looking or bool(given & {"--help", "-h"}) or (operands[:1] == ["trust"] and "--show" in given)


def _arguments(command: SimpleCommand, guard: Guard) -> Sequence[Word] | None:
    """Return the arguments of `hookline`, however it is started, or None if *command* does not start it."""
    first, rest = command.words[0], command.words[1:]
    if command.name in OURSELVES or _stands_for(first, guard, command.cwd):
        return rest
    if command.name in _PYTHONS:
        return _by_python(rest, guard, command.cwd)
    if command.name in _RUNNERS:
        place = next((i for i, word in enumerate(rest) if _PACKAGE.fullmatch(word.text)), None)
        return None if place is None else rest[place + 1 :]
    unknown = (
        (first.dynamic or _copied(first, guard, command.cwd)) and bool(rest) and rest[0].text in PERSONAL
    )
    return (Word(text=UNKNOWN, span=first.span),) if unknown else None


def _copied(first: Word, guard: Guard, cwd: str | None) -> bool:
    """Return whether *first* names a copy or link that this line made from an unknown source."""
    if not guard.copies and not guard.links:
        return False
    return any(
        UNKNOWN in (guard.copies.get(one) or guard.links.get(one, ""))
        for one in guard.places(first.text, cwd)
    )


def _by_python(rest: Sequence[Word], guard: Guard, cwd: str | None) -> Sequence[Word] | None:
    for place, word in enumerate(rest):
        module = (
            rest[place + 1].text
            if word.text == "-m" and place + 1 < len(rest)
            else word.text.removeprefix("-m")
        )
        if word.text.startswith("-m"):
            behind = rest[place + (2 if word.text == "-m" else 1) :]
            if module.startswith("hookline."):  # a module of hookline, such as the daemon
                return (Word(text="daemon", span=word.span), *behind)
            return behind if module == "hookline" else None
        if not word.text.startswith("-"):
            ours = word.text.endswith(
                ("hookline/__main__.py", "hookline/daemon/client.py", "/hookline")
            ) or _stands_for(word, guard, cwd, bare=True)
            return rest[place + 1 :] if ours else None
    return None


def _stands_for(word: Word, guard: Guard, cwd: str | None, *, bare: bool = False) -> bool:
    """Return whether *word* is a link to hookline, a copy of it, or a pattern that matches it."""
    text = word.text
    if UNKNOWN in text:
        return False
    if word.glob and any(fnmatchcase(name, text.rpartition("/")[2]) for name in OURSELVES):
        return True
    if "/" not in text and not bare:
        return False
    places = [*dict.fromkeys(guard.places(text, cwd))]
    places += [guard.copies[one] for one in places if one in guard.copies]
    return any(
        one.rpartition("/")[2] in OURSELVES or "from hookline.cli import" in guard.script(one)
        for one in places
    )


def _removal(command: SimpleCommand) -> Iterator[Finding]:
    texts = [word.text for word in command.words]
    if command.name in ("pkill", "killall", "pgrep", "pidof", "skill") and any(
        "hookline" in text for text in texts
    ):
        if command.name not in ("pgrep", "pidof"):
            yield Finding(
                rule="command", what=f"`{command.name}` of hookline's own processes", span=command.span
            )
        return
    managed = command.name in _MANAGERS or (command.name in _PYTHONS and {"-m", "pip"} <= set(texts))
    if not managed or not any(_PACKAGE.fullmatch(text) for text in texts[1:]):
        return
    if set(texts) & _REMOVING:
        yield Finding(rule="uninstall", what="the package hookline", span=command.span)
    elif set(texts) & _CHANGING:
        yield Finding(rule="uninstall", what="the package hookline", span=command.span, action="ask")


def _switches(command: SimpleCommand) -> Iterator[Finding]:
    name = next(_set_by(command), None)
    if name is not None:
        yield Finding(rule="switch", what=f"`{name}`", span=command.span)


def _set_by(command: SimpleCommand) -> Iterator[str]:
    yield from (name for name, _ in command.assignments if SWITCH.fullmatch(name))
    for place, word in enumerate(command.words[1:]):
        text = word.text
        if command.name in _SETTING and SWITCH.fullmatch(text.lstrip("-").partition("=")[0].rstrip("+")):
            yield text.partition("=")[0]
        elif command.name == "printf" and text.startswith("-v"):
            yield from filter(
                SWITCH.fullmatch, (text[2:], *(w.text for w in command.words[place + 2 : place + 3]))
            )
        elif command.name == "env" and SWITCH.fullmatch(text.removeprefix("--unset=").removeprefix("-u")):
            yield text
        elif "=" in text and command.name not in TEXT and _SET.match(text.lstrip("-")):
            yield text.partition("=")[0]
        elif command.name == "env" and _SET.search(text):
            yield "env -S"


def sets_switch(text: str) -> bool:
    """Return whether *text*, such as the content of a shell startup file, sets one of the switches."""
    return _SET.search(text) is not None


def moves_home(text: str) -> bool:
    """Return whether *text* changes the folders that hold the user's own files."""
    return _MOVED.search(text) is not None
