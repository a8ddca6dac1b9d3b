"""Splitting of a PowerShell line into the commands it would run.

Pipelines, blocks and subexpressions are split, plain assignments are remembered, aliases are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hookline.shell.result import UNKNOWN, Word
from hookline.shell.syntax import Span

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r]|`\r?\n)+|<\#.*?(?:\#>|\Z)|\#[^\n]*)
      | (?P<single>'(?:[^']|'')*+(?:'|\Z))
      | (?P<double>"(?:[^"`]|`.|"")*+(?:"|\Z))
      | (?P<end>\|\||&&|[;\n|{}(),])
      | (?P<sign>&(?=[ \t"'$(])|\.(?=[ \t"'$]))
      | (?P<variable>\$(?:\{[^}]*\}|[\w:?]+))
      | (?P<bare>(?:`.|[^\s;|{}(),'"`$])+|\$|`|.)""",
    re.VERBOSE | re.DOTALL,
)
_STRING_EXPANSION = re.compile(r"\$(?:\{([^}]*)\}|([\w:]+))|\$\(|`(.)", re.DOTALL)
ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("ri", "rm", "rmdir", "rd", "del", "erase"), "remove-item"),
    **dict.fromkeys(("iwr", "curl", "wget", "irm"), "invoke-webrequest"),
    "iex": "invoke-expression",
    **dict.fromkeys(("saps", "start"), "start-process"),
    "clc": "clear-content",
    "cd": "set-location",
    "sl": "set-location",
}
_HOME_VARIABLES = frozenset({"home", "env:userprofile", "env:home", "env:homepath"})


class Token(NamedTuple):
    kind: str
    text: str
    span: Span


def split_commands(code: str, depth: int = 0) -> Iterator[tuple[Word, ...]]:
    """Yield the commands of *code* as argument lists; the spans are positions in *code*.

    The words of the command that is piped into another follow the words of that one, after a `|`; so do the
    words in parentheses after an `Invoke-Expression`.
    """
    variables: dict[str, str] = {}
    piped: tuple[str, ...] = ()
    invocation: tuple[Word, ...] = ()
    for words, end in _join_calls(list(_split_statements(code, variables))):
        argv = _normalize_command(words)
        if argv:
            command = (*argv, *(Word(text=text, span=argv[-1].span) for text in piped))
            yield command
            yield from _expand_invocation(command, depth)
            if invocation:
                yield (
                    *invocation,
                    *(Word(text=text, span=invocation[0].span) for text in _pipeline_words(words, argv)),
                )
        invocation = argv if end == "(" and argv and argv[0].text == "invoke-expression" else ()
        in_loop = end == "{" and argv and argv[0].text in ("foreach-object", "%", "foreach")
        piped = _pipeline_words(words, argv) if end == "|" else piped if in_loop else ()


_DELETE_METHOD = re.compile(
    r"(?:\[[\w.]*(directory|file|filesystem)\]::|.*(\.))delete(?:directory)?", re.IGNORECASE
)
"""A .NET method that deletes a file or folder, of a class or of an object."""


def _join_calls(statements: list[tuple[list[Word], str]]) -> Iterator[tuple[list[Word], str]]:
    """Yield the statements, with the arguments in parentheses of .NET methods and of `Remove-Item`."""
    rest = list(reversed(statements))
    before: list[Word] = []
    while rest:
        words, end = rest.pop()
        name = words[0].text.lower() if words and end == "(" else ""
        method = _DELETE_METHOD.fullmatch(name)
        if method is not None:
            arguments = rest.pop()[0] if rest else []
            target = arguments if method[1] else [*before, *arguments]
            kind = ".net delete-file" if method[1] == "file" else ".net delete"
            yield [Word(text=kind, span=words[0].span), *target], end
        elif ALIASES.get(name, name) == "remove-item" and rest:
            yield rest.pop()
            after, end = rest.pop() if rest else ([], "")
            yield [*words, Word(text=UNKNOWN, span=words[0].span), *after], end
        else:
            yield words, end
        before = words[1:] if words else before


def _pipeline_words(words: list[Word], argv: tuple[Word, ...]) -> tuple[str, ...]:
    """Return the words of a command for the next one in a pipe; a single text is passed as written."""
    if len(words) == 1 and any(blank in words[0].text for blank in " \n"):
        return "|", words[0].text
    return ("|", *(word.text for word in argv[:_MAX_PIPED]))


def _expand_invocation(argv: tuple[Word, ...], depth: int) -> Iterator[tuple[Word, ...]]:
    """Yield the commands in the text of an `Invoke-Expression`, and the program of a `Start-Process`."""
    words = [word for word in argv[1:] if word.text not in ("|", ",")]
    if depth >= _MAX_DEPTH or not words:
        return
    if argv[0].text == "invoke-expression":
        text = " ".join(word.text for word in words if word.text.lower() != "-command")
        can_parse = UNKNOWN not in text and (not depth or len(text) <= _MAX_NESTED)
        for command in split_commands(text, depth + 1) if can_parse else ():
            yield tuple(Word(text=word.text, span=words[0].span, glob=word.glob) for word in command)
    elif argv[0].text == "start-process":
        yield tuple(word for word in words if word.text.lower() not in _START_PROCESS_OPTIONS)


_MAX_DEPTH = 4
_MAX_NESTED = 10_000
"""Maximum nesting of evaluated texts, and maximum characters of a nested one."""
_START_PROCESS_OPTIONS = frozenset(
    {"-filepath", "-argumentlist", "-args", "-wait", "-nonewwindow", "-passthru", "-verb", "runas"}
)
_MAX_PIPED = 50
"""Maximum words of one command that are passed to the next one in a pipe."""


def _split_statements(code: str, variables: dict[str, str]) -> Iterator[tuple[list[Word], str]]:
    words: list[Word] = []
    joined = False
    for token in _tokenize(code):
        if token.kind == "end" and token.text != ",":
            yield _remember_assignment(words, variables), token.text
            words, joined = [], False
        elif token.kind in ("blank", "end", "sign"):
            joined = False
        else:
            text = _token_value(token, variables)
            if joined:
                words[-1] = Word(text=words[-1].text + text, span=(words[-1].span[0], token.span[1]))
            else:
                words.append(Word(text=text, span=token.span, glob=token.kind == "bare" and "*" in text))
            joined = True
    yield _remember_assignment(words, variables), ""


def _tokenize(code: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(code):
        yield Token(match.lastgroup or "", match.group(), match.span())


def _remember_assignment(words: list[Word], variables: dict[str, str]) -> list[Word]:
    """Remember `$name = value`, and return the words of the statement that are left to run."""
    if len(words) > 1 and words[1].text == "=" and words[0].text.startswith(_VARIABLE_MARK):
        if len(words) == 3:  # noqa: PLR2004 -- name, sign, value
            variables[words[0].text[1:]] = words[2].text
        return words[2:]
    return words


_VARIABLE_MARK = UNKNOWN + "$"
"""Prefix of an unknown variable; its name follows, so that it can be assigned."""


def _token_value(token: Token, variables: dict[str, str]) -> str:
    if token.kind == "single":
        return token.text[1:].removesuffix("'").replace("''", "'")
    if token.kind == "variable":
        return _lookup_variable(token.text.strip("${}"), variables)
    if token.kind == "double":
        return _STRING_EXPANSION.sub(
            lambda match: _expand_in_string(match, variables), token.text[1:].removesuffix('"')
        )
    return token.text.replace("`", "")


def _expand_in_string(match: re.Match[str], variables: dict[str, str]) -> str:
    if match.group(3) is not None:
        return match.group(3)
    return _lookup_variable(match.group(1) or match.group(2) or "", variables)


def _lookup_variable(name: str, variables: dict[str, str]) -> str:
    low = name.lower()
    if low in _HOME_VARIABLES:
        return "~"
    if low in ("pwd", "psscriptroot"):
        return "."
    return variables.get("$" + name, {"true": "$true", "false": "$false"}.get(low, _VARIABLE_MARK + name))


def _normalize_command(words: list[Word]) -> tuple[Word, ...]:
    """Return *words* with the plain name of the program, and without the marks of unknown variables."""
    while words and words[0].text.lower() in _KEYWORDS:
        words = words[1:]
    if not words:
        return ()
    first = words[0].text.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    name = Word(text=ALIASES.get(first, first), span=words[0].span)
    return (name, *(_strip_variable_mark(word) for word in words[1:]))


def _strip_variable_mark(word: Word) -> Word:
    if _VARIABLE_MARK not in word.text:
        return word
    return Word(text=re.sub(re.escape(_VARIABLE_MARK) + r"[\w:?]*", UNKNOWN, word.text), span=word.span)


_KEYWORDS = frozenset(
    {"if", "else", "elseif", "foreach", "for", "while", "do", "try", "catch", "finally", "return"}
)
