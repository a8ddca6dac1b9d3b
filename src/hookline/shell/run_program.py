"""Run a program in thought: note it, and follow what it would run in turn."""

from __future__ import annotations

import re

from hookline.shell.git_settings import variables
from hookline.shell.grammar import parse
from hookline.shell.program_table import program, program_name
from hookline.shell.result import UNKNOWN, Redirect, Simple, Word
from hookline.shell.shell_state import (
    MAX_COMMANDS,
    UNSET,
    Call,
    Inner,
    Result,
    World,
    cwd,
    look,
    mark,
    marked,
    place,
    resolve,
    rollback,
    spend,
    too_deep,
    trouble,
    unmarked,
)
from hookline.shell.syntax import Command, Node, Pipe, Span, Step, Steps, Term

_FILE_SIGN = re.compile("[@=<]")
"""What stands before a file in a word: `@file`, `--from=file`, `name=<file`."""
_SEARCHED = 4_000
"""Characters of a line that is searched as a whole for where a piece of code was written."""


def invoke(
    world: World,
    argv: tuple[Word, ...],
    stdin: str,
    span: Span,
    *,
    redirects: tuple[Redirect, ...] = (),
    settings: tuple[tuple[str, str], ...] = (),
) -> str:
    """Note the command *argv* and follow whatever it runs; what it prints, as far as it is known."""
    if len(world.commands) >= MAX_COMMANDS:
        spend(world, 1)  # which says so, once
        return UNKNOWN
    name = program_name(argv[0].text)
    by = note(world, name, argv, stdin, span, redirects=redirects, settings=settings)
    outer = [(key, world.known.get(key)) for key, _ in settings]
    for key, value in settings:
        place(world, key, (value,))
    if settings:
        by_variables(world, settings, span)
    printed = marked(_run(world, name, argv, stdin, span), by)
    for key, old in outer:
        if old is None:
            world.known.pop(key, None)
        else:
            place(world, key, old)
    return printed


def note(
    world: World,
    name: str,
    argv: tuple[Word, ...],
    stdin: str,
    span: Span,
    *,
    redirects: tuple[Redirect, ...] = (),
    settings: tuple[tuple[str, str], ...] = (),
) -> str:
    """Add a command to those that would run; the mark of what it prints."""
    here = cwd(world)
    read, fed = unmarked(world, stdin)
    world.commands.append(
        Simple(
            name=name,
            words=_traced(world, argv),
            redirects=redirects and tuple(_opened(world, one) for one in redirects),
            assignments=settings,
            span=span,
            via=world.via,
            cwd=None if UNKNOWN in here else here,
            stdin=read,
            fed=fed,
        )
    )
    return mark(world)


def _traced(world: World, argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """*argv* with the marks in it turned into origins, also those of files that words name."""
    if not world.files and all(word.text.isascii() for word in argv):
        return argv
    return tuple(_origins(world, word) for word in argv)


def _origins(world: World, word: Word) -> Word:
    text, origins = unmarked(world, word.text)
    for path in {word.text, _FILE_SIGN.split(word.text)[-1]} if world.files else ():
        known = path.rpartition("/")[2] in world.names
        content = world.files.get(resolve(world, path), "") if known else ""
        if UNKNOWN in content and spend(world, len(content) >> 4):
            origins += unmarked(world, content)[1]
    if not origins and text == word.text:
        return word
    return Word(text=text, span=word.span, glob=word.glob, origins=origins, unset=UNSET in word.text)


def _opened(world: World, one: Redirect) -> Redirect:
    """*one* without marks, and with what a number stands for: `exec 3> file; … >&3`."""
    if one.op == ">&" and "fd " + one.target.text in world.known:
        file = look(world, "fd " + one.target.text) or ""
        return Redirect(op=">", fd=one.fd, target=one.target.with_text(file, one.target.origins))
    text, origins = unmarked(world, one.target.text)
    if text == one.target.text:
        return one
    return Redirect(op=one.op, fd=one.fd, target=one.target.with_text(text, origins))


def _run(world: World, name: str, argv: tuple[Word, ...], stdin: str, span: Span) -> str:
    body = world.functions.get(argv[0].text)
    if body is not None and not any(body is one for one in world.calls):
        return _function(world, body, argv, stdin)
    if body is not None and world.behind > world.entered.get(argv[0].text, world.behind):
        world.bombs.append(span)
    call = Call(argv, stdin, span)
    runs = program(name) or world.runners.get(name)
    written = world.files and "/" in argv[0].text and resolve(world, argv[0].text) in world.files
    result = _script(world, call) if runs is None or written else runs(world, call)
    if result.inner:
        return "".join([inner(world, one) for one in result.inner])
    return result.out


def _script(world: World, call: Call) -> Result:
    """A file that this very line wrote, run by its path."""
    path = call.argv[0].text
    content = world.files.get(resolve(world, path)) if "/" in path and UNKNOWN not in path else None
    if content is None:
        return Result()
    args = tuple(word.text for word in call.argv)
    return Result(inner=(Inner(path, call.span, code=content, stdin=call.stdin, args=args),))


def inner(world: World, one: Inner) -> str:
    """Follow what a program runs, one wrapper deeper."""
    if too_deep(world):
        trouble(world, "wrapped too deep", one.code or " ".join(word.text for word in one.argv), one.span)
        return UNKNOWN
    before = len(world.log)
    saved = world.via, world.depth, world.wrapped, world.choice, world.widest
    world.via, world.depth, world.wrapped = (*world.via, one.via), world.depth + 1, world.wrapped + 1
    if one.args is not None:
        place(world, "0", one.args[:1])
        place(world, "@[]", one.args[1:])
    for name, value in one.settings:
        place(world, name, (value,))
    if one.settings:
        by_variables(world, one.settings, one.span)
    printed = _contents(world, one)
    if one.subshell:
        rollback(world, before)
    world.via, world.depth, world.wrapped, world.choice, world.widest = saved
    return printed


def by_variables(world: World, settings: tuple[tuple[str, str], ...], span: Span) -> None:
    """Follow the commands that variables hold for other programs to run: pagers, editors, prompts."""
    for one in variables(world, settings, span):
        inner(world, one)


def _contents(world: World, one: Inner) -> str:
    if one.code is not None:
        return _code(world, one.code, one.stdin, one.span)
    return invoke(world, one.argv, one.stdin, one.span) if one.argv else ""


def _code(world: World, code: str, stdin: str, span: Span) -> str:
    if not spend(world, len(code) + span[1] - span[0]):
        return UNKNOWN
    return world.follow(world, _parsed(world, code, span), stdin)


def _parsed(world: World, code: str, span: Span) -> Steps:
    """*code* read, with its own place in the line where it stands there as it is."""
    needle = code.rstrip("\n")
    found = world.line.find(needle, *span)
    if found < 0 and len(world.line) <= _SEARCHED:
        found = world.line.find(needle)
    offset, fixed = (0, span) if found < 0 else (found, None)
    steps, failures = parse(code, offset=offset, fixed=fixed, depth=world.depth, left=world.left)
    for failure in failures:
        trouble(world, failure.reason, failure.text, failure.span)
    return steps


def _function(world: World, body: Node, argv: tuple[Word, ...], stdin: str) -> str:
    if too_deep(world):
        trouble(world, "functions go too deep", argv[0].text, argv[0].span)
        return UNKNOWN
    name = argv[0].text
    saved = world.via, world.calls, world.depth, world.wrapped, world.choice, world.widest
    outer = world.known.get("@[]", (UNKNOWN,))
    world.via, world.calls, world.depth = (*world.via, name + "()"), (*world.calls, body), world.depth + 1
    world.wrapped += 1
    world.entered[name] = world.behind
    place(world, "@[]", tuple(word.text for word in argv[1:]))
    world.scopes.append({})
    printed = world.follow(world, Steps((Step(";", body),)), stdin)
    for local, old in world.scopes.pop().items():
        place(world, local, old)
    place(world, "@[]", outer)
    world.via, world.calls, world.depth, world.wrapped, world.choice, world.widest = saved
    return printed


def apply(world: World, alias: str, rest: tuple[Term, ...], stdin: str, name: Term) -> str:
    """Follow what an alias stands for, with the words that came after it."""
    label = "alias " + str(name.parts[0])
    known = label + "=" + alias
    saved = world.via, world.calls, world.depth, world.choice, world.widest
    world.via, world.calls, world.depth = (*world.via, label), (*world.calls, known), world.depth + 1
    steps = (
        _parsed(world, alias, name.span) if spend(world, len(alias)) and not too_deep(world) else Steps(())
    )
    printed = world.follow(world, _extended(steps, rest), stdin)
    world.via, world.calls, world.depth, world.choice, world.widest = saved
    return printed


def _extended(steps: Steps, rest: tuple[Term, ...]) -> Steps:
    """*steps* with the words *rest* at the end of their last command."""
    if not steps.items or not rest:
        return steps
    last = steps.items[-1].node
    end = last.stages[-1] if isinstance(last, Pipe) else last
    if not isinstance(end, Command):
        return steps
    longer: Node = end._replace(words=end.words + rest)
    if isinstance(last, Pipe):
        longer = Pipe((*last.stages[:-1], longer))
    return Steps((*steps.items[:-1], steps.items[-1]._replace(node=longer)))
