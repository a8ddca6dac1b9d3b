"""Programs that put words from elsewhere into a command: xargs, parallel, find."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

from hookline.shell.options import options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, mark, resolve, spend, written
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[World, Call], Result]

_MAX_ITEMS = 64
"""Items of input that are put into a command one by one."""
_XARGS_VALUES = spelled(
    """-a -d -E -I -J -L -l -n -P -R -S -s --arg-file --delimiter --max-args --max-chars --max-lines
    --max-procs --process-slot-var"""
)
_PARALLEL_VALUES = spelled(
    """-j -N -n -L -a -S -I --jobs --results --joblog --colsep --delay --timeout --retries --tagstring
    --workdir --wd --env --sshlogin --arg-file --max-args --halt --load --memfree --tmpdir --id --shuf"""
)
_SEPARATORS = frozenset({":::", ":::+", "::::", "::::+"})
_PLACEHOLDER = re.compile(r"\{(?:\d*[.%/]*|#)\}")


def _xargs(world: World, call: Call) -> Result:
    split = options(call.argv[1:], _XARGS_VALUES)
    command = split.operands
    if not command:
        return Result(call.stdin)
    delimiter = split.value("-d", "--delimiter")
    lines = "\0" if split.has("-0", "--null") else delimiter.text if delimiter is not None else None
    mark = split.value("-I", "-J")
    if mark is None and split.has("--replace", "-i"):
        mark = split.value("--replace") or Word(text="{}", span=call.span)
    file = split.value("-a", "--arg-file")
    text = call.stdin if file is None else world.files.get(resolve(world, file.text), UNKNOWN)
    items = _lines(text) if lines is not None else _quoted(text, lines=mark is not None)
    if mark is not None:
        return _each(world, "xargs", command, [(item,) for item in items], mark.text or "{}")
    added = tuple(Word(text=item, span=call.span, glob="*" in item) for item in items)
    most = split.value("-n", "-L", "--max-args", "--max-lines")
    count = int(most.text[:4]) if most is not None and most.text.isdecimal() else 0
    size = count or len(added) or 1
    rows = [added[start : start + size] for start in range(0, len(added), size)] or [()]
    return Result(
        "", tuple(Inner("xargs", _span(command), (*command, *row)) for row in rows if spend(world, 1))
    )


_WORDS = re.compile(r"""(?:[^\s'"\\]|'[^'\n]*'|"[^"\n]*"|\\.|['"])++""", re.DOTALL)
_LINES = re.compile(r"""(?:[^\n'"\\]|'[^'\n]*'|"[^"\n]*"|\\.|['"])++""", re.DOTALL)
_QUOTES = re.compile(r"""'([^'\n]*)'|"([^"\n]*)"|\\(.)""", re.DOTALL)


def _quoted(text: str, *, lines: bool) -> list[str]:
    """Words, or *lines*, as xargs takes them: it has quotes of its own, which it takes away."""
    found = (_LINES if lines else _WORDS).findall(text)
    plain = [_QUOTES.sub(lambda one: "".join(filter(None, one.groups())), item.lstrip()) for item in found]
    return [item for item in plain if item][:_MAX_ITEMS] or ([UNKNOWN] if text else [])


def _lines(text: str) -> list[str]:
    return [item for item in text.split("\n") if item][:_MAX_ITEMS] or ([UNKNOWN] if text else [])


def _span(words: tuple[Word, ...]) -> Span:
    return words[0].span[0], max(words[0].span[1], words[-1].span[1])


def _each(
    world: World, via: str, command: tuple[Word, ...], rows: list[tuple[str, ...]], mark: str
) -> Result:
    """One run for each row, with *mark* in the words of the command replaced."""
    return Result(
        "",
        tuple(
            Inner(via, _span(command), tuple(_filled(word, row, mark) for word in command))
            for row in rows or [(UNKNOWN,)]
            if spend(world, 1 + len(command))
        ),
    )


def _filled(word: Word, row: tuple[str, ...], mark: str) -> Word:
    if mark not in word.text:
        return word
    text = word.text.replace(mark, " ".join(row))
    return Word(text=text, span=word.span, glob=word.glob or "*" in text)


def _parallel(world: World, call: Call) -> Result:
    words = options(call.argv[1:], _PARALLEL_VALUES).operands
    places = [place for place, word in enumerate(words) if word.text in _SEPARATORS]
    command = words[: places[0]] if places else words
    values = [word.text for word in words[places[0] :] if word.text not in _SEPARATORS] if places else []
    values = values[:_MAX_ITEMS] if places else _lines(call.stdin)
    if not command:
        return Result("", tuple(Inner("parallel", call.span, code=value) for value in values))
    runs = [run for value in values or [UNKNOWN] if spend(world, 1) for run in _jobs(command, value)]
    return Result("", tuple(runs))


def _jobs(command: tuple[Word, ...], value: str) -> list[Inner]:
    """A job as an argument list, and as the command line the words make when they are joined."""
    if any(_PLACEHOLDER.search(word.text) for word in command):
        argv = tuple(
            Word(text=_PLACEHOLDER.sub(lambda _: value, word.text), span=word.span) for word in command
        )
    else:
        argv = (*command, Word(text=value, span=command[-1].span))
    jobs = [Inner("parallel", _span(command), argv)]
    if " " in command[0].text:
        jobs.append(Inner("parallel", _span(command), code=" ".join(word.text for word in argv)))
    return jobs


_FIND_RUN = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_SAFE = frozenset(
    {"-print", "-print0", "-depth", "-mount", "-xdev", "-follow", "-delete", "-prune", "-true"}
)
_FIND_OPTION = re.compile(r"-[HLPEXdsx]+|-O\d*|-D")
_FIND_GLOBAL = frozenset({"-maxdepth", "-mindepth"})


def _find(world: World, call: Call) -> Result:
    words = list(expression(call.argv[1:]))
    first = next((place for place, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    roots = words[:first] or [Word(text=".", span=call.span)]
    runs, filtered = _find_runs(words[first:])
    found = [
        root if not filtered else Word(text=f"{root.text}/{mark(world)}", span=root.span) for root in roots
    ]
    if world.files:
        found += _written_below(world, roots, words[first:])
    inner = [
        Inner(f"find {name}", _span(argv), tuple(_replaced(word, root) for word in argv))
        for name, argv in runs
        for root in found[:_MAX_ITEMS]
        if spend(world, 1 + len(argv))
    ]
    return Result("".join(root.text + "\n" for root in found), tuple(inner))


def _written_below(world: World, roots: list[Word], tests: list[Word]) -> list[Word]:
    """Files that this very line has written, where the search would come by them."""
    named = [two.text for one, two in pairwise(tests) if one.text in ("-name", "-iname")] or ["*"]
    return [
        Word(text=path, span=root.span) for root in roots for path in written(world, root.text + "/*", named)
    ]


def expression(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The roots and tests of a find, without the options that come before them."""
    place = 0
    while place < len(words) and _FIND_OPTION.fullmatch(words[place].text):
        place += 2 if words[place].text in ("-D", "-f") else 1
    return words[place:]


def _find_runs(words: list[Word]) -> tuple[list[tuple[str, tuple[Word, ...]]], bool]:
    """The commands of an expression, and whether a test narrows what they are run on."""
    runs: list[tuple[str, tuple[Word, ...]]] = []
    filtered = False
    rest = words[::-1]
    while rest:
        word = rest.pop()
        if word.text in _FIND_RUN:
            argv: list[Word] = []
            while (
                rest
                and rest[-1].text != ";"
                and not (rest[-1].text == "+" and argv and argv[-1].text == "{}")
            ):
                argv.append(rest.pop())
            runs += [(word.text, tuple(argv))] if argv else []
        elif word.text in _FIND_GLOBAL and rest:
            rest.pop()
        else:
            filtered = filtered or word.text not in _FIND_SAFE | {";", "+"}
    return runs, filtered


def _replaced(word: Word, root: Word) -> Word:
    return (
        Word(text=word.text.replace("{}", root.text), span=word.span, glob=root.glob)
        if "{}" in word.text
        else word
    )


PROGRAMS: Mapping[str, Program] = {
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "gfind": _find,
}
