"""Splitting of a line for the Windows `cmd` shell into the commands it would run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.result import UNKNOWN, Word

_TOKEN = re.compile(
    r'(?P<blank>[ \t]+)|(?P<end>&&|\|\||[&|\n()])|(?P<word>(?:"[^"\n]*"?|\^.|[^\s&|()"^])+|.)', re.DOTALL
)
_VARIABLE = re.compile(r"%([^%\n]*)%|!(\w+)!")
_SWITCH = re.compile(r"(?<=.)(?=/[A-Za-z])")
_SYNONYMS = {"rmdir": "rd", "erase": "del"}
_CMD_COMMANDS = frozenset({"rd", "del", "format", "move", "rename", "ren", "copy", "xcopy", "robocopy"})
"""Commands of cmd that differ from a Unix command of that name; they are recorded as `cmd rd` and so on."""
_MAX_WORDS = 1_000
"""Maximum words of one command."""


def split_commands(code: str) -> Iterator[tuple[Word, ...]]:
    """Yield the commands of *code* as argument lists; the spans are positions in *code*."""
    words: list[Word] = []
    for match in _TOKEN.finditer(code):
        if match.lastgroup == "end":
            yield from _normalize_command(words)
            words = []
        elif match.lastgroup == "word" and len(words) < _MAX_WORDS:
            words.append(Word(text=_unquote(match.group()), span=match.span()))
    yield from _normalize_command(words)


def _unquote(text: str) -> str:
    plain = re.sub(r"\^(.)", r"\1", text, flags=re.DOTALL) if '"' not in text else text.replace('"', "")
    return _VARIABLE.sub(_expand_variable, plain)


def _expand_variable(match: re.Match[str]) -> str:
    name = (match.group(1) or match.group(2) or "").lower()
    return {"userprofile": "~", "homepath": "~", "cd": ".", "systemroot": "C:/Windows"}.get(name, UNKNOWN)


def _normalize_command(words: list[Word]) -> Iterator[tuple[Word, ...]]:
    rest = _skip_keywords(words)
    if not rest:
        return
    head, *switches = _SWITCH.split(rest[0].text.lstrip("@"))
    name = head.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".com")
    name = _SYNONYMS.get(name, name)
    first = Word(text=f"cmd {name}" if name in _CMD_COMMANDS else name, span=rest[0].span)
    yield (first, *(Word(text=switch, span=rest[0].span) for switch in switches), *rest[1:])


def _skip_keywords(words: list[Word]) -> list[Word]:
    """Return the command after `if exist x`, `for … do`, `call` and `start`."""
    texts = [word.text.lower().lstrip("@") for word in words]
    if "do" in texts and texts[0] == "for":
        return _skip_keywords(words[texts.index("do") + 1 :])
    if texts[:1] == ["if"]:
        skipped = 1 + (texts[1:2] == ["/i"]) + ("not" in texts[1:3])
        return _skip_keywords(words[skipped + (2 if texts[skipped : skipped + 1] == ["exist"] else 1) :])
    return _skip_keywords(words[1:]) if texts[:1] in (["call"], ["start"], ["do"]) else words
