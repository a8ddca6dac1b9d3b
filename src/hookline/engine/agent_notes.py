"""Extraction of an agent's notes on its experiment: a description, a reason, and an idea to try next."""

import re

_NOTES = re.compile(
    r"^[^\w\n]{0,4}(reason|next)[^\w\n]{0,3}:[^\w\n]{0,3}[ \t]+(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_ANSI_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
MAX_LENGTH = 200


def last_line(text: str) -> str:
    """Return the last line with a letter or digit that is not a `reason:` or `next:` line."""
    lines = [line.strip() for line in _ANSI_ESCAPES.sub("", text).splitlines()]
    candidates = [line for line in lines if any(map(str.isalnum, line)) and not _NOTES.match(line)]
    return candidates[-1][:MAX_LENGTH] if candidates else ""


def extract_notes(*texts: str) -> dict[str, str]:
    """Return the last `reason:` and the last `next:` line."""
    return {
        match[1].lower(): match[2].strip()[:MAX_LENGTH] for text in texts for match in _NOTES.finditer(text)
    }


def subject(message: str) -> str:
    """Return the first line of a commit message."""
    return message.partition("\n")[0].strip()[:MAX_LENGTH]
