"""Programs that insert words from their input into a command: xargs, parallel, find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    OPAQUE,
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    find_file,
    find_written_files,
    spend,
    unknown_output,
)
from hookline.shell.syntax import Span

_MAX_ITEMS = 64
"""Maximum items of the input that are inserted one by one."""
XARGS_VALUES = word_set(
    """-a -d -E -I -J -L -l -n -P -R -S -s --arg-file --delimiter --max-args --max-chars --max-lines
    --max-procs --process-slot-var"""
)
_PARALLEL_VALUES = word_set(
    """-j -N -n -L -a -S -I --jobs --results --joblog --colsep --delay --timeout --retries --tagstring
    --workdir --wd --env --sshlogin --arg-file --max-args --halt --load --memfree --tmpdir --id --shuf"""
)
_SEPARATORS = frozenset({":::", ":::+", "::::", "::::+"})
_PLACEHOLDER = re.compile(r"\{(?:\d*[.%/]*|#)\}")


def _xargs(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], XARGS_VALUES)
    command = options.operands
    if not command:
        command = (Word(text="echo", span=call.span),)
    delimiter = options.value("-d", "--delimiter")
    separator = "\0" if options.has("-0", "--null") else delimiter.text if delimiter is not None else None
    placeholder = options.value("-I", "-J")
    if placeholder is None and options.has("--replace", "-i"):
        placeholder = options.value("--replace") or Word(text="{}", span=call.span)
    file = options.value("-a", "--arg-file")
    text = call.stdin if file is None else find_file(state, file.text)[0] or UNKNOWN
    items = (
        _split_items(text, separator)
        if separator is not None
        else _split_quoted(text, lines=placeholder is not None)
    )
    whole = [text] if separator == "\0" and "\n" in text.rstrip("\n") else []
    if placeholder is not None:
        singles = [(item,) for item in (*items, *whole)]
        return _run_for_rows(state, "xargs", command, singles, placeholder.text or "{}")
    rows = [*_group_items(items, options, text if separator is None else None), *((item,) for item in whole)]
    span = _words_span(command)
    argvs = ((*command, *_to_words(row, call.span)) for row in rows if spend(state, 1))
    return Result("", tuple(InnerCommand("xargs", span, argv) for argv in argvs))


def _to_words(texts: tuple[str, ...], span: Span) -> tuple[Word, ...]:
    return tuple(Word(text=text, span=span, glob="*" in text) for text in texts)


def _group_items(items: list[str], options: Options, text: str | None) -> list[tuple[str, ...]]:
    """Return the arguments of each run: those of some lines of *text* with `-L`, otherwise some items."""
    limit = options.value("-n", "-L", "--max-args", "--max-lines")
    count = int(limit.text[:4]) if limit is not None and limit.text.isdecimal() else 0
    if count and text is not None and options.has("-L", "--max-lines"):
        lines = _limit_items(text.split("\n"), text)
        groups = ["\n".join(lines[start : start + count]) for start in range(0, len(lines), count)]
        return [tuple(_split_quoted(group, lines=False)) for group in groups]
    size = count or len(items) or 1
    return [tuple(items[start : start + size]) for start in range(0, len(items), size)] or [()]


_QUOTED_WORDS = re.compile(r"""(?:[^\s'"\\]|'[^'\n]*'|"[^"\n]*"|\\.|['"])++""", re.DOTALL)
_QUOTED_LINES = re.compile(r"""(?:[^\n'"\\]|'[^'\n]*'|"[^"\n]*"|\\.|['"])++""", re.DOTALL)
_QUOTES = re.compile(r"""'([^'\n]*)'|"([^"\n]*)"|\\(.)""", re.DOTALL)


def _split_quoted(text: str, *, lines: bool) -> list[str]:
    """Return the words, or *lines*, of *text* without their quotes, by the rules of xargs."""
    items = (_QUOTED_LINES if lines else _QUOTED_WORDS).findall(text)
    plain = [
        _QUOTES.sub(lambda match: "".join(filter(None, match.groups())), item.lstrip()) for item in items
    ]
    return _limit_items(plain, text)


def _split_items(text: str, separator: str) -> list[str]:
    """Split at *separator*; a NUL may be a newline here, because known text has none."""
    end = {"\0": "\n", "\\0": "\n", "\\n": "\n", "\\t": "\t"}.get(separator, separator[:1] or "\n")
    return _limit_items([item.removesuffix("\n") if end != "\n" else item for item in text.split(end)], text)


def _limit_items(items: list[str], text: str) -> list[str]:
    """Return at most `_MAX_ITEMS` items, the last of which is opaque if there are more."""
    known = [item for item in items if item]
    if len(known) > _MAX_ITEMS:
        known[_MAX_ITEMS - 1 :] = [OPAQUE]
    return known or ([UNKNOWN] if text else [])


def _words_span(words: tuple[Word, ...]) -> Span:
    return words[0].span[0], max(words[0].span[1], words[-1].span[1])


def _run_for_rows(
    state: ShellState, via: str, command: tuple[Word, ...], rows: Sequence[tuple[str, ...]], placeholder: str
) -> Result:
    """Run the command once for each row, which replaces *placeholder* in its words."""
    inner: list[InnerCommand] = []
    for row in rows or [(UNKNOWN,)]:
        if spend(state, 1 + len(command)):
            argv = tuple(_replace_placeholder(word, row, placeholder) for word in command)
            inner.append(InnerCommand(via, _words_span(command), argv))
    return Result("", tuple(inner))


def _replace_placeholder(word: Word, row: tuple[str, ...], placeholder: str) -> Word:
    if placeholder not in word.text:
        return word
    text = word.text.replace(placeholder, " ".join(row))
    return Word(text=text, span=word.span, glob=word.glob or "*" in text)


def _parallel(state: ShellState, call: Call) -> Result:
    words = parse_options(call.argv[1:], _PARALLEL_VALUES).operands
    separators = [index for index, word in enumerate(words) if word.text in _SEPARATORS]
    command = words[: separators[0]] if separators else words
    values = (
        [word.text for word in words[separators[0] :] if word.text not in _SEPARATORS] if separators else []
    )
    values = values[:_MAX_ITEMS] if separators else _limit_items(call.stdin.split("\n"), call.stdin)
    if not command:
        return Result("", tuple(InnerCommand("parallel", call.span, code=value) for value in values))
    jobs = [job for value in values or [UNKNOWN] if spend(state, 1) for job in _make_jobs(command, value)]
    return Result("", tuple(jobs))


def _make_jobs(command: tuple[Word, ...], value: str) -> list[InnerCommand]:
    """Return a job as an argument list, and also as the command line of its joined words."""
    if any(_PLACEHOLDER.search(word.text) for word in command):
        argv = tuple(
            Word(text=_PLACEHOLDER.sub(lambda _: value, word.text), span=word.span) for word in command
        )
    else:
        argv = (*command, Word(text=value, span=command[-1].span))
    jobs = [InnerCommand("parallel", _words_span(command), argv)]
    if " " in command[0].text:
        jobs.append(InnerCommand("parallel", _words_span(command), code=" ".join(word.text for word in argv)))
    return jobs


_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_NEUTRAL = frozenset(
    {"-print", "-print0", "-depth", "-mount", "-xdev", "-follow", "-delete", "-prune", "-true"}
)
_FIND_OPTION = re.compile(r"-[HLPEXdsx]+|-O\d*|-D")
_FIND_GLOBAL = frozenset({"-maxdepth", "-mindepth"})


def _find(state: ShellState, call: Call) -> Result:
    words = list(skip_find_options(call.argv[1:]))
    first = next((index for index, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    roots = words[:first] or [Word(text=".", span=call.span)]
    commands, filtered = _find_exec_commands(words[first:])
    targets = [
        root if not filtered else Word(text=f"{root.text}/{unknown_output(state)}", span=root.span)
        for root in roots
    ]
    if state.files:
        targets += _find_written_below(state, roots, words[first:])
    inner = [
        InnerCommand(f"find {name}", _words_span(argv), tuple(_replace_braces(word, root) for word in argv))
        for name, argv in commands
        for root in targets[:_MAX_ITEMS]
        if spend(state, 1 + len(argv))
    ]
    return Result("".join(root.text + "\n" for root in targets), tuple(inner))


def _find_written_below(state: ShellState, roots: list[Word], tests: list[Word]) -> list[Word]:
    """Return files that this line has written, and that the search would find."""
    names = [value.text for test, value in pairwise(tests) if test.text in ("-name", "-iname")] or ["*"]
    return [
        Word(text=path, span=root.span)
        for root in roots
        for path in find_written_files(state, root.text + "/*", names)
    ]


def skip_find_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the roots and tests of a find command, without the options before them."""
    index = 0
    while index < len(words) and _FIND_OPTION.fullmatch(words[index].text):
        index += 2 if words[index].text in ("-D", "-f") else 1
    return words[index:]


def _find_exec_commands(words: list[Word]) -> tuple[list[tuple[str, tuple[Word, ...]]], bool]:
    """Return the commands of an expression, and whether a test restricts the files they run on."""
    commands: list[tuple[str, tuple[Word, ...]]] = []
    filtered = False
    rest = words[::-1]
    while rest:
        word = rest.pop()
        if word.text in _FIND_EXEC:
            argv: list[Word] = []
            while (
                rest
                and rest[-1].text != ";"
                and not (rest[-1].text == "+" and argv and argv[-1].text == "{}")
            ):
                argv.append(rest.pop())
            commands += [(word.text, tuple(argv))] if argv else []
        elif word.text in _FIND_GLOBAL and rest:
            rest.pop()
        else:
            filtered = filtered or word.text not in _FIND_NEUTRAL | {";", "+"}
    return commands, filtered


def _replace_braces(word: Word, root: Word) -> Word:
    if "{}" not in word.text:
        return word
    return Word(text=word.text.replace("{}", root.text), span=word.span, glob=root.glob)


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    "parallel": _parallel,
    **dict.fromkeys(("find", "gfind"), _find),
}
