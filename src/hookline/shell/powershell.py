"""Splitting of a PowerShell line into the commands it would run.

Pipelines, blocks and subexpressions are split, constant expressions computed, aliases and splatting replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.lazy import re
from hookline.shell.powershell_values import VARIABLE_MARK, Token, Tokens, Value, fold, read_token
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import OPAQUE

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r]|`\r?\n)+|<\#.*?(?:\#>|\Z)|\#[^\n]*)
      | (?P<single>'(?:[^']|'')*+(?:'|\Z))
      | (?P<double>"(?:[^"`]|`.|"")*+(?:"|\Z))
      | (?P<end>\|\||&&|[;\n|{}(),])
      | (?P<sign>&(?=[ \t"'$(])|\.(?=[ \t"'$]))
      | (?P<variable>\$(?:\{[^}]*\}|[\w:?]+))
      | (?P<equals>\+?=)
      | (?P<bare>(?:`.|[^\s;|{}(),'"`$])+|\$|`|.)""",
    re.VERBOSE | re.DOTALL,
)
ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("ri", "rm", "rmdir", "rd", "del", "erase"), "remove-item"),
    **dict.fromkeys(("iwr", "curl", "wget", "irm"), "invoke-webrequest"),
    **dict.fromkeys(("gc", "cat", "type"), "get-content"),
    **dict.fromkeys(("cp", "copy", "cpi"), "copy-item"),
    **dict.fromkeys(("mv", "move", "mi"), "move-item"),
    **dict.fromkeys(("ren", "rni"), "rename-item"),
    **dict.fromkeys(("gci", "ls", "dir"), "get-childitem"),
    **dict.fromkeys(("saps", "start"), "start-process"),
    **dict.fromkeys(("cd", "sl"), "set-location"),
    **dict.fromkeys(("sal", "nal", "new-alias"), "set-alias"),
    **dict.fromkeys(("?", "where"), "where-object"),
    "iex": "invoke-expression",
    "icm": "invoke-command",
    "clc": "clear-content",
    "sc": "set-content",
    "ac": "add-content",
    "ni": "new-item",
    "sls": "select-string",
    "ipcsv": "import-csv",
    "epcsv": "export-csv",
    "gps": "get-process",
    "spps": "stop-process",
    "%": "foreach-object",
}
_BLOCKS = frozenset({"foreach-object", "where-object", "foreach"})
"""Commands whose block runs for each item of the pipeline."""


def split_powershell(code: str, depth: int = 0) -> Iterator[tuple[Word, ...]]:
    """Yield the commands of *code* as argument lists; the spans are positions in *code*.

    The words of the command that is piped into another follow the words of that one, after a `|`; so do the
    words in parentheses after an `Invoke-Expression`.
    """
    aliases: dict[str, str] = {}
    piped: tuple[str, ...] = ()
    invocation: tuple[Word, ...] = ()
    blocks: list[tuple[str, ...]] = []
    for words, end in _join_calls(list(_split_statements(code))):
        argv = _normalize_command(words, aliases, is_piped=bool(piped))
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
        piped = _find_piped(words, argv, end, piped, blocks)


def _find_piped(
    words: list[Word], argv: tuple[Word, ...], end: str, piped: tuple[str, ...], blocks: list[tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the words that the next command gets through the pipe; *blocks* has those of open blocks."""
    name = argv[0].text if argv else ""
    if end == "|":
        return _pipeline_words(words, argv) if argv else piped
    if end == "{":
        items = piped if name in _BLOCKS or not name else ()
        narrows = name == "where-object" and items and len(argv) == 1
        blocks.append((*items, "-filter") if narrows else items)
        return items
    if end == "}":
        items = blocks.pop() if blocks else ()
        if items[-1:] != ("-filter",):
            return items
        selects = not any(".psiscontainer" in word.text.lower() for word in words)
        return (
            (*items, *(_strip_variable_mark(word).text for word in words[:_MAX_PIPED]))
            if selects
            else items[:-1]
        )
    if end == ")" and words[1:2] and words[1].text == "in":  # foreach ($x in COMMAND)
        return _pipeline_words(words[2:], argv)
    return (piped if not argv and end in ("\n", "(") else blocks[-1]) if blocks else ()


_DELETE_METHOD = re.compile(
    r"(?:\[[\w.]*(directory|file|filesystem)\]::|.*(\.))(?:delete(?:directory)?|kill)", re.IGNORECASE
)
"""A .NET method that deletes a file or folder, of a class or of an object, or ends a process."""


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
            kind = "stop-process" if name.endswith(".kill") else kind
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
    if argv[0].text in ("invoke-expression", "invoke-command"):
        text = " ".join(word.text for word in words if word.text.lower() not in _INVOKE_OPTIONS)
        if OPAQUE in text:
            yield (Word(text=OPAQUE, span=words[0].span),)
        can_parse = UNKNOWN not in text and (not depth or len(text) <= _MAX_NESTED)
        for command in split_powershell(text, depth + 1) if can_parse else ():
            yield tuple(Word(text=word.text, span=words[0].span, glob=word.glob) for word in command)
    elif argv[0].text == "start-process":
        kept = [word for word in words if word.text.lower() not in _START_PROCESS_OPTIONS]
        pieces = ((word, text) for word in kept[1:] for text in word.text.split())
        yield (*kept[:1], *(Word(text=text, span=word.span) for word, text in pieces))


_MAX_DEPTH = 4
_MAX_NESTED = 10_000
"""Maximum nesting of evaluated texts, and maximum characters of a nested one."""
_INVOKE_OPTIONS = frozenset({"-command", "-scriptblock", "invoke-expression"})
_START_PROCESS_OPTIONS = frozenset(
    {"-filepath", "-argumentlist", "-args", "-wait", "-nonewwindow", "-passthru", "-verb", "runas"}
)
_MAX_PIPED = 50
"""Maximum words of one command that are passed to the next one in a pipe."""


def _split_statements(code: str) -> Iterator[tuple[list[Word], str]]:
    words: list[Word] = []
    joined = False
    tokens = Tokens(list(_tokenize(code)), {})
    while tokens.pos < len(tokens.items):
        token = tokens.items[tokens.pos]
        if not words and _assign(tokens):
            continue
        texts = None if joined else _compute(tokens, words)
        if texts is not None:
            span = token.span[0], tokens.items[tokens.pos - 1].span[1]
            words += [Word(text=text, span=span) for text in texts]
            joined = len(texts) == 1
            continue
        tokens.pos += 1
        if token.kind == "end" and token.text != ",":
            yield _drop_assignment(words), token.text
            words, joined = [], False
        elif token.kind in ("blank", "end", "sign"):
            joined = False
        else:
            _add_word(words, token, tokens.variables, joined=joined)
            joined = True
    yield _drop_assignment(words), ""


def _add_word(words: list[Word], token: Token, variables: Mapping[str, Value], *, joined: bool) -> None:
    splatted = variables.get(token.text[1:].lower()) if token.text.startswith("@") else None
    texts = splatted or read_token(token, variables)
    if joined:
        words[-1] = Word(text=words[-1].text + texts[0], span=(words[-1].span[0], token.span[1]))
        return
    globs = token.kind == "bare" and "*" in token.text
    words += [Word(text=text, span=token.span, glob=globs) for text in texts]


def _tokenize(code: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(code):
        yield Token(match.lastgroup or "", match.group(), match.span())


def _assign(tokens: Tokens) -> bool:
    """Remember `$name = value` if the value is constant, and pass it."""
    start, name = tokens.pos, tokens.items[tokens.pos]
    tokens.pos += 1
    tokens.skip_blanks()
    if name.kind == "variable" and tokens.at("=", "+="):
        appends = tokens.take().text == "+="
        value = fold(tokens, operators=True)
        tokens.skip_blanks()
        if value is not None and (tokens.pos >= len(tokens.items) or tokens.at(";", "\n", "}", ")")):
            key = name.text.strip("${}").lower()
            old = "".join(tokens.variables.get(key, ())) if appends else ""
            tokens.variables[key] = (old + value[0], *value[1:]) if value else ()
            return True
    tokens.pos = start
    return False


def _compute(tokens: Tokens, words: list[Word]) -> Value | None:
    """Return the texts of a constant expression of several tokens, or an opaque one that is executed."""
    token, start = tokens.items[tokens.pos], tokens.pos
    begins = token.kind in ("single", "double", "variable") or token.text[:1] in ("(", "[", "@", "$")
    if not begins and token.text.lower() != "-join":
        return None
    value = fold(tokens, operators=not words or words[-1].text == "=")
    if value is not None and tokens.pos - start > 1:
        return value
    tokens.pos = start
    executes = words and ALIASES.get(words[0].text.lower(), words[0].text.lower()) == "invoke-expression"
    if value is None and executes and token.text == "(" and (end := _find_computed(tokens.items, start)):
        tokens.pos = end
        return (OPAQUE,)
    return None


_COMPUTING = frozenset({"+", "-f", "-join", "-replace", "-bxor"})


def _find_computed(items: list[Token], start: int) -> int:
    """Return the end of a group in parentheses that computes a text from other texts, or 0."""
    depth, computes = 0, False
    for position in range(start, min(len(items), start + _MAX_GROUP)):
        text = items[position].text.lower()
        depth += (text == "(") - (text == ")")
        computes = computes or text in _COMPUTING or text.startswith(("[char", "[convert", ".replace"))
        if not depth:
            return position + 1 if computes else 0
    return 0


_MAX_GROUP = 1_000
"""Maximum tokens of a group that is searched."""


def _drop_assignment(words: list[Word]) -> list[Word]:
    """Return the command of `$name = command`."""
    assigns = len(words) > 1 and words[1].text == "=" and words[0].text.startswith(VARIABLE_MARK)
    return words[2:] if assigns else words


def _normalize_command(words: list[Word], aliases: dict[str, str], *, is_piped: bool) -> tuple[Word, ...]:
    """Return *words* with the plain name of the program, and without the marks of unknown variables."""
    words = [word for word in words if word.text != "--%"]
    if len(words) > 2 and words[1].text == "in":  # noqa: PLR2004 -- `$x in COMMAND`
        words = words[2:]
    while words and words[0].text.lower() in _KEYWORDS:
        words = words[1:]
    if not words:
        return ()
    first = words[0].text.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    first = "stop-process" if is_piped and first == "kill" else first
    name = Word(text=ALIASES.get(aliases.get(first, first), aliases.get(first, first)), span=words[0].span)
    if name.text == "set-alias":
        pair = [word.text.lower() for word in words[1:] if not word.text.startswith("-")]
        aliases.update([(pair[0], pair[1])] if len(pair) > 1 else [])
    return (name, *(_strip_variable_mark(word) for word in words[1:]))


def _strip_variable_mark(word: Word) -> Word:
    if VARIABLE_MARK not in word.text:
        return word
    return Word(text=re.sub(re.escape(VARIABLE_MARK) + r"[\w:?]*", UNKNOWN, word.text), span=word.span)


_KEYWORDS = frozenset(
    {"if", "else", "elseif", "foreach", "for", "while", "do", "try", "catch", "finally", "return"}
)
