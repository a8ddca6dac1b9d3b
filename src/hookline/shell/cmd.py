"""A line for Windows' cmd becomes the commands it would run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.result import UNKNOWN, Word

_TOKEN = re.compile(
    r'(?P<blank>[ \t]+)|(?P<end>&&|\|\||[&|\n()])|(?P<word>(?:"[^"\n]*"?|\^.|[^\s&|()"^])+|.)', re.DOTALL
)
_VARIABLE = re.compile(r"%([^%\n]*)%|!(\w+)!")
_SWITCH = re.compile(r"(?<=.)(?=/[A-Za-z])")
_NAMES = {"rmdir": "rd", "erase": "del"}
_OWN = frozenset({"rd", "del", "format", "move", "rename", "ren", "copy", "xcopy", "robocopy"})
"""Commands of cmd that are called like something else elsewhere; they are noted as `cmd rd` and so on."""
_MAX_WORDS = 1_000


def commands(code: str) -> Iterator[tuple[Word, ...]]:
    """The commands of *code* as argument lists; the spans are places in *code*."""
    words: list[Word] = []
    for found in _TOKEN.finditer(code):
        if found.lastgroup == "end":
            yield from _command(words)
            words = []
        elif found.lastgroup == "word" and len(words) < _MAX_WORDS:
            words.append(Word(text=_value(found.group()), span=found.span()))
    yield from _command(words)


def _value(text: str) -> str:
    plain = re.sub(r"\^(.)", r"\1", text, flags=re.DOTALL) if '"' not in text else text.replace('"', "")
    return _VARIABLE.sub(_variable, plain)


def _variable(found: re.Match[str]) -> str:
    name = (found.group(1) or found.group(2) or "").lower()
    return {"userprofile": "~", "homepath": "~", "cd": ".", "systemroot": "C:/Windows"}.get(name, UNKNOWN)


def _command(words: list[Word]) -> Iterator[tuple[Word, ...]]:
    rest = _after_keywords(words)
    if not rest:
        return
    head, *switches = _SWITCH.split(rest[0].text.lstrip("@"))
    name = head.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".com")
    name = _NAMES.get(name, name)
    first = Word(text=f"cmd {name}" if name in _OWN else name, span=rest[0].span)
    yield (first, *(Word(text=switch, span=rest[0].span) for switch in switches), *rest[1:])


def _after_keywords(words: list[Word]) -> list[Word]:
    """What `if exist x`, `for … do`, `call` and `start` lead to."""
    texts = [word.text.lower().lstrip("@") for word in words]
    if "do" in texts and texts[0] == "for":
        return _after_keywords(words[texts.index("do") + 1 :])
    if texts[:1] == ["if"]:
        skipped = 1 + (texts[1:2] == ["/i"]) + ("not" in texts[1:3])
        return _after_keywords(words[skipped + (2 if texts[skipped : skipped + 1] == ["exist"] else 1) :])
    return _after_keywords(words[1:]) if texts[:1] in (["call"], ["start"], ["do"]) else words
