"""Tell the typed lines of a prompt from pasted code, logs, diffs, mails, chats and elements of hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hookline.lazy import re

_FENCES = ("```", "~~~", '"""', "'''")
_UNDERLINE = re.compile(r"[\s~]*\^[\s~^]*$|\s{4,}~+\s*$")
"""Marks of a compiler below a line of code."""
_FENCE_AT_END = re.compile(r"[\s:](```|~~~|\"\"\"|''')\w*\s*$")
_TAG = re.compile(r"<(/?)([a-z]+(?:[-_][a-z]+)+)(?![\w-])[^<>]*>")
"""Tag of an element that a host adds to a person's message, such as `<system-reminder>`."""
_LONG_QUOTATION = re.compile(
    r"(?:^|(?<=[\s:(]))(?:\"(?=\S)[^\"\n]*\n[^\"]{0,2000}\"|“[^”\n]*\n[^”]{0,2000}”|„[^„“”\n]*\n[^„“”]{0,2000}[“”])"
    r"(?=[\s.,;:!?)]|$)",
    re.MULTILINE,
)
"""Quotation of several lines."""
_QUOTATION = re.compile(
    r"```[^`\n]{1,400}```|`[^`\n]{1,400}`|\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]"
    r"|«[^»\n]{1,600}»|(?<![\w'])'[^'\n]{12,600}'(?!\w)|‘[^‘’\n]{12,600}’(?!\w)|https?://\S+"
)
_LEVEL = r"(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|FAIL|PASS|[EWID]\ \(\d+\))"
_PASTED_LINE = re.compile(
    rf"""\s*(?:
      # comments, marks of a quotation, markup and diffs
      >|//|\*/|/\*(?!.*\*/\s*\w)|<!--|\#!|\#include|</?[a-z][\w-]*[\s/>]|@@|diff\ --git|index\ [0-9a-f]{{7}}
    | [+-]{{3}}\ [ab/]|W?\ *\#\ (?:TODO|FIXME|XXX|NEVER)\b|commit\ [0-9a-f]{{7,40}}$
      # imports and definitions
    | import\ [\w.*]+(?:\ as\ \w+)?;?$|import\ .*\bfrom\ ["']|import\ \($|from\ [\w.]+\ import\ |package\ \w+$
    | def\ \w+\(|class\ \w+(?:\(.*\)|<.*>)?(?:\ (?:extends|implements)\ .+)?\ ?[:{{]$
    | func(?:tion)?\*?\ (?:\([^)]*\)\ )?\w*\(|@\w[\w.]*(?:\(.*\))?\ ?\{{?$
    | (?:const|let|var|int|void|static|public|private|export)\ (?:[\w<>\[\],*&:?]+\ ){{0,4}}[\w<>\[\]:]+
      (?:\ ?[=;{{]|\()
      # statements, shells and data
    | return\b.*;$|(?:elif\ .+|else|try|except\b.*):$|[\]}})]+[;,)]?$|[{{\[(]$|>>>\ |\$\ \w
    | [-+]\s*[\w.]+\s*=|[\w.-]+\s*=\s*\S+$|"[\w-]+"\s*:|\|.*\|$|\d*\s*\|(?:\s+[-^|\d]|$)
      # traces and compilers
    | Traceback\ |File\ "|at\ [\w.$<>/]+\ ?\((?:[^)]*[:./<]|Native|Unknown)|\#\d+\s+0x|Caused\ by:
    | Exception\ in\ thread|goroutine\ \d|\.\.\.\ \d+\ more|[\w.]+(?:Error|Exception)\b:|error(?:\[E|\ TS)\d
    | (?:error|warning|panic|fatal):\ |-->\ \S+:\d|=\ (?:note|help):|[\w./-]+(?::\d+:\d+|\(\d+,\d+\)):?\s
    | \d+:\d+\s+(?:error|warning)\s|E\ {{3,}}
      # logs and test runners
    | \[?\d{{4}}-\d\d-\d\d[T\ ]|\[\ *\d\d?:\d\d|\d\d?:\d\d:\d\d|\[\ *\d+\.\d+\]
    | [A-Z][a-z]{{2}}\ +\d+\ \d\d:\d\d:
    | {_LEVEL}(?:\s*[:|(\[-]|\s{{2}}|\s+\S*[./]\S*|\s+\w+:)|\[{_LEVEL}\]|\[\w+\]\s*$|\[vite\]|\#\#\[
    | [IWEF]\d{{4}}\ |(?:time|level)=\S|npm\ (?:ERR!|(?:error|warn)\ [\w@]+\ )
    | \S+\.\S+\ (?:FAILED|PASSED)$|FAILED\ \S+::|[✕✓×✗]
      # SQL
    | (?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\ .*\b(?:FROM|INTO|SET|TABLE|WHERE)\b|SELECT\ .*,
    | (?:LEFT\ |INNER\ )?JOIN\ \S+|(?:GROUP|ORDER)\ BY\ |WHERE\ .*[=<>]|FROM\ [\w.]+(?:\ \w+)?$
      # rules below text, and lists of requirements
    | ==.*==$|[-=*_]{{4,}}$|REQ-\d|R\d:\s
    )""",
    re.VERBOSE,
)
_CODE_END = re.compile(
    r"[)\]}'\"+-]\s?[;{}]\s*(?://.*)?$|\w\s?[{}]$|^\s*\w+(?:\s[\w.:]+)?;$|[=(.].*\w;\s*(?://.*)?$"
    r"|\)\s*=>\s*\{|^\s*\S+\(\)\s*$|->\s*\w+:$|\S\s+//\s"
)
_COMMENT = re.compile(r"\s*(?:#|;|--|\*)\s")
_MAIL = re.compile(
    r"(?i)^[>\s]*(?:from|to|cc|sent|date|subject):\s\S|^dear\s(?!claude|codex|agent|assistant)\w+.{0,30}[,:]?$"
    r"|^-+ ?(?:original|forwarded) message"
    r"|^(?-i:[A-Z*])[\w .*-]{1,40}(?:\s{2,}|\s\[)\d\d?:\d\d(?:\s?[ap]m)?\]?$"
)
_CHAT = re.compile(
    r"(?i)^\s*(?:\[?\d\d?:\d\d\]?\s*)?(?!(?:rules?|reminder|notes?|nb|ps|fyi|todo|tasks?|goal|context|scope|"
    r"block(?:ed|er)|deci(?:sion|ded)|convention|preference|style|important|update|background|question|bug|fix|"
    r"tests?|docs?|commits?|branch(?:es)?|branching|prs?|api|ui|db|database|front-?end|back-?end|stack|naming|"
    r"names?|indent(?:ation)?|quotes?|language|you|me|info|warning|edit|p\.s\.|code|output|format|port|web|"
    r"also|btw|constraints?):)<?@?[\w.]{1,20}>?:\s\S"
)
_ATTRIBUTION = re.compile(
    r"(?i)(?:\b(?:wrote|writes|says|said|sent|posted|pasted?|copied|e?mail(?:s|ed)?|messaged?|told|slack|wiki|"
    r"readme|docs?|spec|traceback|logs|errors|response|ticket|issue|jira|story|requirements?|client|customer|"
    r"reviewers?|comments?|policy|handbook|minutes|notes|contract|tender|checklist|forum|rfc|standard|linter|output|log|error|"
    r"stack ?trace)|\.md)\b"
    r"[^.?!]*:\s*(?:```\w*|~~~\w*)?\s*$"
)
_OWN = re.compile(
    r"(?i)\b(?:our|rules?|conventions?|remember)\b|^\W*(?:about|regarding|when|how)\b"
    r"|\b(?:i|we)\b(?!(?:['’]?m| am| have|['’]ve)? (?:get|got|getting|see|saw|received|found)\b)"
    r"|^\W*(?:[\w/]+ (?:and )?)?(?:docs?|comments?|notes|policy|readme|checklist)\W*$"
    r"|^\W*(?:error|log|output)s? \w+\W*$"
)
"""A line that introduces the person's own words, although it may name a source."""
_FILE_NAME = re.compile(r"[#*\s]*[\w./-]+\.(?:md|txt|rst|adoc)[:*\s]*")
ITEM = re.compile(r"\s*(?:[-*•+–—◦▪→☐☑✅❌🚫⛔]|->|\(?(?:\d{1,2}|[a-h])[.)]|\[[ x]\])\s+")
"""Mark of an item of a list."""
NEGATING_MARKS = ("❌", "🚫", "⛔")
_SYMBOLS = re.compile(r"[{}()\[\]<>=;$|\\&^%@~]+")
EDGE = 200
"""Characters at each end of a line that show whether it is pasted."""
_MIN_SYMBOLS, _SYMBOL_SHARE = 4, 8
"""Runs of symbols in a line of code, and its length divided by the number of its symbols."""


def find_typed_lines(prompt: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the position and text of each line, and whether the person typed it."""
    start, paragraph = 0, list[tuple[int, str]]()
    announced = False
    for line in [*_blank_pasted(prompt).split("\n"), ""]:
        if line.strip():
            paragraph.append((start, line))
        elif paragraph:
            marks = _mark_pasted([text for _, text in paragraph], announced=announced)
            yield from ((at, text, not mark) for (at, text), mark in zip(paragraph, marks, strict=True))
            announced = (_announces(paragraph[-1][1]) and not marks[-1]) or _only_headers(paragraph)
            paragraph = []
        start += len(line) + 1


def join_typed_lines(prompt: str) -> str:
    """Return the lines of a prompt that the person typed."""
    return "\n".join(line for _, line, typed in find_typed_lines(prompt) if typed)


def find_fenced(lines: Sequence[str]) -> list[bool]:
    """Return whether each line belongs to a fenced block; a fence without an end must begin its line."""
    last = {fence: number for number, line in enumerate(lines) for fence in _FENCES if _ends(line, fence)}
    fenced, inside = list[bool](), ""
    for number, line in enumerate(lines):
        opening = "" if inside else _find_opening(line)
        begins = line.lstrip().startswith(opening)
        fenced.append(bool(inside or (opening and begins)))
        if inside and _ends(line, inside):
            inside = ""
        elif opening and (begins or last.get(opening, 0) > number):
            inside = opening
    return fenced


def _find_opening(line: str) -> str:
    """Return the fence that begins in a line and does not end in it; empty if there is none."""
    if _UNDERLINE.match(line):
        return ""
    found = _FENCE_AT_END.search(line[-EDGE:])
    fence = next((mark for mark in _FENCES if line.lstrip().startswith(mark)), found[1] if found else "")
    return fence if fence and line.count(fence) == 1 else ""


def _ends(line: str, fence: str) -> bool:
    return line.lstrip().startswith(fence) or line.rstrip().endswith(fence)


def find_elements(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of host elements; one without an end begins with a tag alone in its line."""
    tags = [*_TAG.finditer(text)]
    ends = {tag[2]: tag.start() for tag in tags if tag[1]}
    begin, name = -1, ""
    for tag in tags:
        alone = text[tag.start() - 1 : tag.start()] in ("", "\n") and text[tag.end() : tag.end() + 1] in (
            "",
            "\n",
        )
        if begin < 0 and not tag[1] and (alone or ends.get(tag[2], -1) > tag.start()):
            begin, name = tag.start(), tag[2]
        elif begin >= 0 and tag[1] and tag[2] == name:
            yield begin, tag.end()
            begin = -1
    if begin >= 0:
        yield begin, len(text)


def replace_elements(text: str, replace: Callable[[str], str]) -> str:
    """Return a message with the elements that its host added replaced."""
    parts, last = list[str](), 0
    for begin, end in find_elements(text):
        parts += (text[last:begin], replace(text[begin:end]))
        last = end
    return "".join([*parts, text[last:]])


def mask_quotations(text: str) -> str:
    """Return *text* of the same length, with placeholders for quoted words and inline code."""
    return _QUOTATION.sub(lambda match: _mask(match[0]), text)


def _mask(quoted: str) -> str:
    words = len(quoted.split())
    letter = "\x01" if quoted[0] == "`" else "\x03" if quoted[0] == "h" else "\x02"
    if words == 1 and letter == "\x02":
        return f" {quoted[1:-1]} "
    return letter * (len(quoted) - 1) + ("\x04" if quoted[-2:-1] in tuple(".!?") else letter)


def _blank_pasted(prompt: str) -> str:
    """Return a prompt of the same length, with `>` for host elements, blocks and quotations of several lines.

    A line of this mark counts as pasted.
    """
    lines = replace_elements(prompt.replace("\r\n", " \n"), _blank).split("\n")
    fenced = find_fenced(lines)
    marked = (">" * len(line) if inside else line for line, inside in zip(lines, fenced, strict=True))
    return _LONG_QUOTATION.sub(lambda match: _blank(match[0]), "\n".join(marked))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", ">", text)


def _announces(line: str) -> bool:
    """Return whether a line introduces pasted text, such as `Anna wrote:` or a file name."""
    is_attribution = _ATTRIBUTION.search(line[-EDGE:]) and not _OWN.search(line)
    return bool(is_attribution or _FILE_NAME.fullmatch(line))


def _only_headers(paragraph: Sequence[tuple[int, str]]) -> bool:
    return all(_MAIL.search(line) for _, line in paragraph)


def _mark_pasted(lines: Sequence[str], *, announced: bool) -> list[bool]:
    """Return whether each line of a paragraph is pasted; of an *announced* one, all or the first block."""
    blocks = [set(line.strip()) == {">"} for line in lines]
    if announced:
        end = next((number for number, block in enumerate(blocks) if not block), 0) or len(lines)
        return [True] * end + _mark_pasted(lines[end:], announced=False)
    marks = [_is_pasted(line) for line in lines]
    chat = [bool(_CHAT.match(line)) for line in lines]
    is_chat, is_diff = (
        sum(chat) > 1,
        {"+", "-"} <= {line[0] for line in lines if not re.match(r"[-+](?: \S|\d)", line)},
    )
    for number, (line, follows) in enumerate(zip(lines, _find_announced(lines, blocks), strict=True)):
        near = marks[max(number - 1, 0)] or any(marks[number + 1 : number + 2])
        marks[number] |= near and bool(_COMMENT.match(line) or line.startswith(("    ", "\t")))
        marks[number] |= (chat[number] and is_chat) or (is_diff and line[0] in "+-")
        marks[number] |= follows or bool(_MAIL.search(line))
    return marks


def _find_announced(lines: Iterable[str], blocks: Iterable[bool]) -> Iterator[bool]:
    """Yield whether an earlier line announces each line, up to a question or the end of a list or block."""
    announced = in_list = in_block = first = False
    for line, block in zip(lines, blocks, strict=True):
        item = bool(ITEM.match(line))
        ends = line.rstrip().endswith("?") or (in_list and not item) or (in_block and not block)
        announced = announced and not ends
        yield announced
        in_list, in_block, first = announced and item, announced and block and (first or in_block), False
        if not announced:
            announced = first = bool(_MAIL.search(line)) or _announces(line)


def _is_pasted(line: str) -> bool:
    plain = line.strip()
    edge = plain if len(plain) <= 2 * EDGE else f"{plain[:EDGE]} {plain[-EDGE:]}"
    if (
        _UNDERLINE.match(line)
        or _PASTED_LINE.match(edge)
        or (_CODE_END.search(edge) and not line.rstrip().endswith(" ;"))
    ):
        return True
    symbols = _SYMBOLS.findall(mask_quotations(line))
    return len(symbols) >= _MIN_SYMBOLS and sum(map(len, symbols)) * _SYMBOL_SHARE > len(line)
