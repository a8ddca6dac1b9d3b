"""Files that code of other languages opens: `python -c`, `node -e`, a script on standard input.

The code is split into strings and names. Only literal arguments are found; computed paths stay unknown.
"""

import re
from collections.abc import Iterator

from hookline.hooks._paths.file_operands import LANGUAGES, Access
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import Options, parse_options, word_set

_HANDING = LANGUAGES - word_set("perl ruby awk gawk mawk nawk")
_TAKES = word_set(
    "-c -e -E -r -p -pe -ne --eval --print -m -W -X -M -I -F --env-file --require --import --loader"
)
_CODE = word_set("-c -e -E -r -p --eval --print -pe -ne")
_TOKEN = re.compile(
    r"""'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)|'(?:[^'\\\n]|\\.)*+'?|"(?:[^"\\\n]|\\.)*+"?|`(?:[^`\\]|\\.)*+`?"""
    r"""|[A-Za-z_]\w*|[^\s\w]""",
    re.DOTALL,
)
_OPENING = word_set(
    """open read read_text read_bytes readlines readFile readFileSync createReadStream File IO
    Path slurp load_dotenv dotenv dotenv_values config require import load copy copyfile copy2 move fopen
    file file_get_contents readfile include getline cat spurt openSync readTextFile readTextFileSync
    fromfile genfromtxt read_csv loadtxt foreach binread"""
)
_WRITING = word_set(
    "writeFile writeFileSync write_text write_bytes file_put_contents appendFileSync unlink remove"
)
_REACH = 12
"""Tokens after the name of a function in which its literal arguments are looked for."""


def opened(command: SimpleCommand) -> Iterator[Access]:
    """Yield the files named by literal arguments of opening calls, and the arguments of scripts."""
    split = parse_options(command.words[1:], _TAKES)
    pieces = _pieces(command, split)
    for word in pieces:
        for text in dict.fromkeys(_literals(word.text)):
            yield Access(Word(text=text, span=word.span, origins=word.origins), "read")
    if command.name in _HANDING:
        for word in split.operands[0 if pieces or split.has("-m") else 1 :]:
            yield Access(word, "use")
        for word in command.words[1:]:
            if word.text.startswith("--") and "=" in word.text:
                yield Access(Word(text=word.text.partition("=")[2], span=word.span), "use")


def _pieces(command: SimpleCommand, split: Options) -> list[Word]:
    given = [value for name, value in split.options if name in _CODE and value is not None]
    if command.name.endswith("awk"):
        return list(split.operands[:1])
    if not given and split.operands[:1] and split.operands[0].text == "eval":
        given = list(split.operands[1:2])
    if not given and command.stdin and (not split.operands or split.operands[0].text == "-"):
        given = [Word(text=command.stdin, span=command.span)]
    return given


def _literals(code: str) -> Iterator[str]:
    """Yield the strings shortly after the name of a function that opens files."""
    left = 0
    for found in _TOKEN.finditer(code):
        token = found.group()
        if token[0] in "'\"`":
            if left > 0:
                yield _unquoted(token)
        elif token in _OPENING or token in _WRITING:
            left = _REACH
            continue
        left -= 1


def _unquoted(token: str) -> str:
    quote = token[:3] if token[:3] in ("'''", '"""') else token[0]
    return token[len(quote) :].removesuffix(quote)
