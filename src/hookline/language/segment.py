"""Split a text into sentences, and set code, logs, diffs, mail and quotations in a prompt apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hookline.lazy import re

MAX_TYPED, END = 4_000, 1_000
"""Length in characters from which a prompt counts as pasted, and of each end that counts as typed."""
MAX_SENTENCE = 1_200
"""Characters of a sentence that are read."""


class Sentence(NamedTuple):
    """A sentence of the person's own words."""

    text: str
    start: int
    """Position of the text in the prompt."""
    heading: str
    """The line that introduces the list of which this sentence is an item, or an empty string."""
    pasted: bool
    """True if pasted text precedes it in the prompt."""


_FENCE = re.compile(r"^[ \t]*(```|~~~|\"\"\").*?(?:^[ \t]*\1|\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
HOST_ELEMENT = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)(?![\w-])[^<>]*>.*?(?:</\1>|\Z)", re.DOTALL)
"""Element that a host adds to a person's message, such as `<system-reminder>`."""
_FOREIGN_LINE = re.compile(
    r"""\s*(?:
      >|//|\*/|/\*(?!.*\*/\s*\w)|<!--|\#!|\#include|</?[a-z][\w-]*[\s/>]|@@|diff\ --git|index\ [0-9a-f]{7}
      |[+-]{3}\ [ab/]
    | import\ [\w.*]+(?:\ as\ \w+)?;?$|import\ .*\bfrom\ ["']|from\ [\w.]+\ import\ |def\ \w+\(
      |class\ \w+.*[:{]$|func(?:tion)?\ .*\(
    | (?:const|let|var|int|void|static|public|private|export)\ [^.]*[=({;]|return\b.*;$|@\w+\(?.*\)?\ ?\{?$
    | [\]})]+[;,)]?$|\$\ \w|>>>\ |Traceback\ |File\ "|at\ [\w.$<>/]+\ ?\(|\#\d+\s+0x|[\w.]+(?:Error
      |Exception)\b:
    | \[?\d{4}-\d\d-\d\d[T\ ]|\[?\ *\d\d?:\d\d|\[\ *\d+\.\d+\]|\[\w+\]\s*$|W?\ *\#\ (?:TODO|FIXME|XXX
      |NEVER)\b|\[vite\]|\S+\.\S+\ (?:FAILED|PASSED)$|[✕✓×✗]
    | (?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|FAIL|PASS|TRACE|[EWID]\ \(\d+\))\b[:\ \[(]|npm\ ERR!
      |error(?:\[E|\ TS)\d
    | (?:error|warning|panic|fatal):\ |(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\ .*\b(?:FROM|INTO|SET
      |TABLE|WHERE)\b
    | [-+]\s*[\w.]+\s*=|[\w.-]+\s*=\s*\S+$|"[\w-]+"\s*:|==.*==$|[-=*_]{4,}$|\|.*\|$|REQ-\d|R\d:\s
    )""",
    re.VERBOSE,
)
_CODE_END = re.compile(r"[\w)\]}'\"][;{}]\s*(?://.*)?$|\)\s*=>\s*\{|^\s*\S+\(\)\s*$|->\s*\w+:$|\S\s+//\s")
_COMMENT = re.compile(r"\s*(?:#|;|--|\*)\s")
_MAIL = re.compile(
    r"(?i)^[>\s]*(?:from|to|cc|sent|date|subject):\s\S|^dear\s(?!claude|codex|agent|assistant)\w+.{0,30}[,:]?$"
    r"|^-+ ?(?:original|forwarded) message"
)
_CHAT = re.compile(r"^\s*(?:\[?\d\d?:\d\d\]?\s*)?<?@?[A-Z]?[\w.]{1,20}>?:\s\S")
_ATTRIBUTION = re.compile(
    r"(?i)(?:\b(?:wrote|writes|says|said|sent|posted|pasted?|copied|e?mail(?:s|ed)?|messaged?|told|slack|wiki|"
    r"readme|docs?|spec|ticket|issue|jira|story|requirements?|client|customer|reviewers?|comments?|policy|"
    r"handbook|minutes|notes|contract|tender|checklist|forum|rfc|standard|linter|output|log|error|"
    r"stack ?trace)|\.md)\b"
    r"[^.?!]*:\s*$"
)
_OWN = re.compile(r"(?i)\b(?:our|we|i|rules?|conventions?|remember)\b")
_FILE_NAME = re.compile(r"[#*\s]*[\w./-]+\.(?:md|txt|rst|adoc)[:*\s]*")
_HEADING = re.compile(r"#.+|\*\*[^*]+\*\*|.+(?::|:\*\*|\uff1a)")
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)]|\[[ x]\])\s+")
_QUOTE = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|(?<![\w'])'[^'\n]{12,600}'(?!\w)"
    r"|https?://\S+"
)
_STOP = re.compile(r"(?:(?<![.!?…])[.!?…]+[\"')\]]*|;|:[)(DPp]|\x04)(?=\s|$)|(?<![!?])[!?]+(?=[A-Za-z])")
_STOP_OR_DASH = re.compile(rf"{_STOP.pattern}|\s[–—]\s|\s--?\s")
_CUT = re.compile(
    r"(?<=[,:)])\s+|\s+(?=\()|\s+(?=(?i:and|so|but|because|cause|cuz|then|also|plus|please|pls|plz|meanwhile|"
    r"anyway|thanks|thx|btw|(?:um|uh|ok|okay|now) (?:can|could|please|i|the|we|you)|(?:can|could|would|will) "
    r"(?:you|u|we)|i want|i need|just [a-z]+|i will|i'll|ill|i know)\b)"
)
_JOINT = re.compile(r"(?i)(?:and|so|but|then|also|plus|ok|okay|um|uh|now|yes|no|well|please|pls|[,:]|\s)*")
"""Words that are not a clause of their own."""
_NO_STOP = re.compile(
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|approx|resp|incl|dr|mr|mrs|nr|fig|sec|ca|cf|al|inc|v)|\.)$"
)


def find_sentences(prompt: str) -> list[Sentence]:
    """Return the sentences of the person's own words, in their order; of a long prompt, only at both ends."""
    if len(prompt) <= MAX_TYPED:
        return _split_text(prompt, 0)
    beginning, end = prompt[:END], len(prompt) - END
    end = prompt.find("\n", end, len(prompt.rstrip())) + 1 or end
    return [*_split_text(beginning.rpartition("\n")[0] or beginning, 0), *_split_text(prompt[end:], end)]


def _split_text(prompt: str, position: int) -> list[Sentence]:
    sentences: list[Sentence] = []
    pasted, heading = False, ""
    for start, line, own in _own_lines(prompt):
        if not own:
            pasted, heading = True, ""
            continue
        item = _ITEM.match(line)
        heading = heading if item else ""
        for begin, end in _split_line(line, _STOP, item.end() if item else 0):
            text = line[begin:end][:MAX_SENTENCE]
            sentences.append(Sentence(text, position + start + begin, heading, pasted))
        heading = line.strip() if line.rstrip().endswith(":") else heading
    return sentences


def split_sentences(text: str) -> list[str]:
    """Return all sentences of a text of any author, without code blocks, tables and the marks of lines."""
    lines = [strip_marks(line) for line in _FENCE.sub("", text).split("\n") if not line.startswith("|")]
    return [line[begin:end] for line in lines for begin, end in _split_line(line, _STOP_OR_DASH)]


def read_message(text: str) -> list[tuple[str, int | None]]:
    """Return the sentences and headings of an agent's message, each with the number of its heading."""
    sentences, heading = list[tuple[str, int | None]](), None
    for line in _FENCE.sub("", text).split("\n"):
        plain = strip_marks(line)
        if plain and is_heading(line):
            heading = len(sentences)
            sentences.append((plain, None))
        elif plain and not line.startswith("|"):
            heading = heading if is_item(line) or heading == len(sentences) - 1 else None
            sentences += [
                (plain[begin:end][:MAX_SENTENCE], heading) for begin, end in _split_line(plain, _STOP_OR_DASH)
            ]
    return sentences


def is_heading(line: str) -> bool:
    """Return whether a line only introduces the lines below it."""
    return _HEADING.fullmatch(line.strip()) is not None


def strip_marks(line: str) -> str:
    """Return a line without the marks of a list, heading or emphasis."""
    plain = line.replace("**", "").strip().lstrip("# ")
    item = _ITEM.match(plain)
    return plain[item.end() :] if item else plain


def is_item(line: str) -> bool:
    """Return whether a line is an item of a list."""
    return _ITEM.match(line) is not None


def split_clauses(text: str) -> list[str]:
    """Return the clauses of all sentences of a text; each begins with its conjunction."""
    return [
        sentence[begin:end].strip()
        for sentence in split_sentences(text)
        for begin, end in pairwise([0, *find_cuts(sentence), len(sentence)])
    ]


def mask_quotations(text: str) -> str:
    """Return *text* of the same length, with placeholders for quoted words and inline code."""
    return _QUOTE.sub(lambda match: _mask(match[0]), text)


def _mask(quoted: str) -> str:
    words = len(quoted.split())
    letter = "\x01" if quoted[0] == "`" else "\x03" if quoted[0] == "h" else "\x02"
    if words == 1 and letter == "\x02":
        return f" {quoted[1:-1]} "
    return letter * (len(quoted) - 1) + ("\x04" if quoted[-2:-1] in tuple(".!?") else letter)


def find_cuts(text: str) -> list[int]:
    """Return the positions in a sentence at which a new clause may begin, outside quotations."""
    masked = mask_quotations(text)
    cuts, last = [], 0
    for match in _CUT.finditer(masked):
        if _JOINT.fullmatch(masked[last : match.start()]):
            last = match.start()
        else:
            last = match.end()
            cuts.append(last)
    return cuts


def _own_lines(prompt: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the position and text of each line, and whether the person typed it."""
    blank = HOST_ELEMENT.sub(_blank, _FENCE.sub(_blank, prompt))
    start, paragraph = 0, list[tuple[int, str]]()
    foreign_next = False
    for line in [*blank.split("\n"), ""]:
        if line.strip():
            paragraph.append((start, line))
        elif paragraph:
            marks = _mark_foreign([text for _, text in paragraph], whole=foreign_next)
            yield from ((at, text, not mark) for (at, text), mark in zip(paragraph, marks, strict=True))
            foreign_next = (_announces(paragraph[-1][1]) and not marks[-1]) or _only_headers(paragraph)
            paragraph = []
        start += len(line) + 1


def _blank(match: re.Match[str]) -> str:
    """Replace each character by `>`, which keeps positions and marks the line as pasted."""
    return re.sub(r"[^\n]", ">", match[0])


def _announces(line: str) -> bool:
    """Return whether a line introduces pasted text, such as `Anna wrote:` or a file name."""
    is_attribution = _ATTRIBUTION.search(line) and not _OWN.search(line)
    return bool(is_attribution or _FILE_NAME.fullmatch(line))


def _only_headers(paragraph: Sequence[tuple[int, str]]) -> bool:
    return all(_MAIL.search(line) for _, line in paragraph)


def _mark_foreign(lines: Sequence[str], *, whole: bool) -> list[bool]:
    """Return for each line of a paragraph whether it is pasted."""
    if whole:
        return [True] * len(lines)
    marks = [_is_foreign(line) for line in lines]
    chat = [bool(_CHAT.match(line)) for line in lines]
    is_diff = {"+", "-"} <= {line[0] for line in lines}
    rest = False
    for number, line in enumerate(lines):
        listed = number > 0 and bool(_ITEM.match(lines[number - 1]))
        rest = rest and not line.rstrip().endswith("?") and (not listed or bool(_ITEM.match(line)))
        near = marks[max(number - 1, 0)] or any(marks[number + 1 : number + 2])
        marks[number] |= rest or (near and bool(_COMMENT.match(line) or line.startswith(("    ", "\t"))))
        marks[number] |= (chat[number] and sum(chat) > 1) or (is_diff and line[0] in "+-")
        rest = rest or bool(_MAIL.search(line)) or _announces(line)
        marks[number] |= bool(_MAIL.search(line))
    return marks


def _is_foreign(line: str) -> bool:
    if _FOREIGN_LINE.match(line) or (_CODE_END.search(line) and not line.rstrip().endswith(" ;")):
        return True
    symbols = sum(character in "{}()[]<>=;$|\\&^%@~" for character in line)
    return symbols * 8 > len(line) and symbols > 3  # noqa: PLR2004 -- code has many symbols


def _split_line(line: str, stops: re.Pattern[str], start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences of a line, which end at *stops* outside quotations."""
    masked = mask_quotations(line)
    begin = start
    for stop in stops.finditer(masked, start):
        if _NO_STOP.search(masked[begin : stop.start()][-8:]) and stop[0].startswith("."):
            continue
        yield from _trimmed(line, begin, stop.end() if stop[0].strip(" -–—") else stop.start())
        begin = stop.end()
    yield from _trimmed(line, begin, len(line))


def _trimmed(line: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    text = line[begin:end]
    begin += len(text) - len(text.lstrip())
    end = begin + len(text.strip())
    if re.search(r"\w", line[begin:end]):
        yield begin, end
