"""What an agent said of its experiment: a line that describes it, why it may not help, what to try next."""

import re

_NOTES = re.compile(
    r"^[^\w\n]{0,4}(reason|next)[^\w\n]{0,3}:[^\w\n]{0,3}[ \t]+(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_MARKS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
LONGEST = 200


def last_line(text: str) -> str:
    """The last line that says something, and is no note."""
    lines = [line.strip() for line in _MARKS.sub("", text).splitlines()]
    told = [line for line in lines if any(map(str.isalnum, line)) and not _NOTES.match(line)]
    return told[-1][:LONGEST] if told else ""


def notes(*texts: str) -> dict[str, str]:
    """The last reason and the last hint that were given."""
    return {found[1].lower(): found[2].strip()[:LONGEST] for text in texts for found in _NOTES.finditer(text)}


def subject(message: str) -> str:
    """Of a commit."""
    return message.partition("\n")[0].strip()[:LONGEST]
