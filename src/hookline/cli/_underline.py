"""A text with one part of it underlined, line by line."""

from rich.cells import cell_len
from rich.text import Text

from hookline.cli._show import visible

INDENT = "  "


def underlined(text: str, span: tuple[int, int] | None) -> "Text":
    """*text*, indented, with carets under the characters of *span*; in colour where there is any."""
    start, end = _within(text, span)
    shown, at = Text(), 0
    for line in text.split("\n"):
        low, high = max(start - at, 0), min(end - at, len(line))
        shown.append(INDENT).append(_marked(line, low, high)).append("\n")
        if low < high:
            room = " " * _width(line[:low])
            shown.append(f"{INDENT}{room}{'^' * _width(line[low:high])}\n", "bold red")
        at += len(line) + 1
    return shown


def _within(text: str, span: tuple[int, int] | None) -> tuple[int, int]:
    start, end = span or (0, 0)
    return max(start, 0), min(end, len(text))


def _marked(line: str, low: int, high: int) -> "Text":
    marked = Text(visible(line))
    if low < high:
        marked.stylize("bold red", low, high)
    return marked


def _width(text: str) -> int:
    """Columns on a terminal: some characters take two, some none."""
    return cell_len(visible(text))
