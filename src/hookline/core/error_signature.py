"""A failure becomes a signature: what is the same about it each time, and what sort of failure it is.

Secrets go first. Then paths, numbers, hashes, times and addresses give way to what they are, while codes of
errors (ENOENT, E0308, TS2345, HTTP 404) stay. No text takes more than linear time.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from re import Match

from msgspec import Struct

from hookline.redact import redact

LONGEST_TEXT, LONGEST_LINE = 200_000, 400
_COLOUR = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,999}(?:\x07|\x1b\\\\)?)")
_SAYS = re.compile(
    r"error|fatal|fail|exception|panic|denied|not found|cannot|can't|could not|unable|refused|timed out|"
    r"timeout|no such|missing|unresolved|invalid|killed|undefined|unknown|not recognized|unauthorized|"
    r"forbidden|too many|conflict|\bE[A-Z]{3,}\b|\b[45]\d\d [A-Z]",
    re.IGNORECASE,
)
_EMPTY_WORDS = re.compile(
    r"\W*(?:error:? *)?(?:(?:command )?exit(?:ed)?(?: with)?(?: code| status)?:? *-?\d+)\W*|(?:it )?failed|"
    r"[\W_]*(?:failures?|errors?|"
    r"test session starts|short test summary info)?[\W_]*"
    r"|.{0,200}?\b(?:0|no) (?:errors?|failures?|failed)\b.{0,200}",
    re.IGNORECASE,
)
"""Lines that say that something failed, and nothing of what."""
_TRACE = "Traceback (most recent call last)"
_VARYING = re.compile(
    r"(?P<kept><[a-z]{1,4}>"
    r"|(?<![\w.])(?:exit (?:code|status):? \d{1,3}"
    r"|(?:HTTP|status|code|error)(?:/\d(?:\.\d)?)?(?: code)?[ :=]{1,2}[1-5]\d\d"
    r"|[45]\d\d(?= [A-Z])|[A-Z]{1,6}-?\d{3,5}|E[A-Z0-9]{3,20})(?![\w.]))"
    r"|(?P<url>(?<!\w)[a-z][a-z0-9+]{1,9}://[^\s\"'<>)\]]{1,400})"
    r"|(?P<time>(?<![\w.])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?<![\w.:])\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?![\w:])"
    r"|(?<![\w.])\d+(?:\.\d+)?(?: ?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?))(?!\w))"
    r"|(?P<addr>(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.])|(?<!\w)0x[0-9a-fA-F]+(?!\w)"
    r"|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:]))"
    r"|(?P<hash>(?<![\w-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])"
    r"|(?<![\w-])(?:sha\d{1,3}[:-])?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,128}(?![\w-]))"
    r"|(?P<path>(?<![\w.~@+%\\/-])(?:[A-Za-z]:)?[\w.~@+%-]*(?:[\\/]+[\w.~@+%-]*)+)"
    r"|(?P<n>\d+(?:[.,]\d+)*)",
    re.ASCII,
)
_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"[\w.+@-]{1,40}", re.ASCII)
_ASIDE = re.compile(
    r"(?i)interrupted by (?:the )?user|(?:rejected|cancell?ed) by (?:the )?user|doesn't want to proceed"
)
"""A person's doing is no failure to learn from."""


class Failure(Struct, frozen=True, kw_only=True):
    """What is the same about a failure each time."""

    key: str
    """What was run and a hash of the rest: short enough to be typed."""
    line: str
    """The first line that tells of the error, normalised."""


def failure(base: str, text: str) -> Failure | None:
    """The failure of *base*, which said *text*; None where that tells nothing, or was a person's doing."""
    line = normal(error_line(text))
    if not line or _ASIDE.search(text[:2000]):
        return None
    digest = blake2b(f"{base}\0{line}".encode(errors="replace"), digest_size=5).hexdigest()
    return Failure(key=f"{base.replace(' ', '-')}#{digest}", line=line)


def error_line(text: str) -> str:
    """The first line of *text* that tells of an error, else the first that tells anything; redacted."""
    whole = text if len(text) <= LONGEST_TEXT else text[: text.rfind("\n", 0, LONGEST_TEXT) + 1]
    lines = [line.strip() for line in _COLOUR.sub("", redact(whole)).splitlines()]
    told = [line[:LONGEST_LINE] for line in lines if line and not _EMPTY_WORDS.fullmatch(line[:LONGEST_LINE])]
    for line in told:
        if line.startswith(_TRACE):
            return _raised(lines) or line
        if _SAYS.search(line):
            return line
    return told[0] if told else ""


def _raised(lines: list[str]) -> str:
    """What a Python traceback ends with: the first line behind it that names an exception."""
    at = next(number for number, line in enumerate(lines) if line.startswith(_TRACE))
    return next((line[:LONGEST_LINE] for line in lines[at + 1 :] if _RAISED.match(line)), "")


_RAISED = re.compile(
    r"[A-Za-z_][\w.]{0,100}(?:Error|Exception|Exit|Interrupt|Warning|NotFound|Timeout)\b(?::|$)"
)


def normal(line: str) -> str:
    """*line* without what differs from one time to the next; again, it stays as it is."""
    short = _SPACE.sub(" ", line[:LONGEST_LINE]).strip()
    for _ in range(_ROUNDS):
        before, short = short, _VARYING.sub(_named, short)[:LONGEST_LINE]
        if short == before:
            break
    return short


_ROUNDS = 4
"""Where one thing gave way, its neighbours may look different; more than twice was never seen."""


def _named(found: Match[str]) -> str:
    if found.lastgroup == "kept":
        return found[0]
    if found.lastgroup == "path" and len(found[0]) < _SHORTEST_PATH:
        return found[0]
    return f"<{found.lastgroup}>"


_SHORTEST_PATH = 2
_LASTING = re.compile(
    r"(?<![\w.])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?<![\w.:])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?![\w:])"
    r"|(?<![\w.])\d+(?:\.\d+)?(?: ?(?:ns|µs|us|ms|s|secs?|seconds?))(?!\w)|(?<!\w)0x[0-9a-fA-F]+(?!\w)"
    r"|(?<![\w-])(?:pids?|PIDs?|pgid|PGID)[ =:]{1,2}\d+(?:, ?\d+)*|/tmp/[\w./-]*",
    re.ASCII,
)


def result(text: str) -> str:
    """A hash of what a call gave: the same where only clocks, durations, addresses and pids differ.

    Other numbers count, for what is polled may move by nothing else.
    """
    ends = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\0{len(text)}\0{text[-_LOOKED_AT:]}"
    return digest(_SPACE.sub(" ", _LASTING.sub("", _COLOUR.sub("", ends))))


_LOOKED_AT = 16_000


def digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=5).hexdigest()


def squeezed(command: str) -> str:
    """A command line without secrets, and with single spaces: what two runs of the same have in common."""
    return _SPACE.sub(" ", redact(command[:_LONGEST_COMMAND])).strip()[:LONGEST_LINE]


_LONGEST_COMMAND = 8000


def name(text: str) -> str:
    """A name that may stand in a key; what is none, or could be a secret, does not."""
    return (
        text
        if _NAME.fullmatch(text) and redact(f"{text} ") == f"{text} " and len(text) <= _LONGEST_NAME
        else ""
    )


_LONGEST_NAME = 32


_WAIT = re.compile(
    r"\b429\b|too many requests|rate.?limit|\b50[234]\b|overloaded|throttl|service unavailable|EAGAIN|"
    r"temporarily unavailable|try again later|bad gateway|gateway time",
    re.IGNORECASE,
)
_RETRY = re.compile(
    r"ETIMEDOUT|ESOCKETTIMEDOUT|timed? ?out|ECONNRESET|connection reset|socket hang up|EAI_AGAIN|EBUSY|"
    r"could not get lock|index\.lock|database is locked|temporary failure|network is unreachable|early eof|"
    r"unexpected eof|rpc failed|remote end hung up|broken pipe|connection aborted",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"command not found|not recognized as|: not found$|ENOSPC|no space left|EACCES|EPERM|permission denied|"
    r"operation not permitted|ENOMEM|out of memory|\bkilled\b|\b40[13]\b|unauthorized|forbidden|"
    r"authentication failed|could not resolve host|ENOTFOUND|ECONNREFUSED|connection refused|EADDRINUSE|"
    r"address already in use|no module named|cannot find module|docker daemon|GLIBC|EROFS|"
    r"read-only file system|credentials|not installed",
    re.IGNORECASE,
)


def sort(line: str) -> str:
    """What sort of failure *line* tells of: `wait` and `retry` pass by themselves, `environmental` never."""
    short = line[:LONGEST_LINE]
    for kind, signs in (("wait", _WAIT), ("retry", _RETRY), ("environmental", _AROUND)):
        if signs.search(short):
            return kind
    return "novel"
