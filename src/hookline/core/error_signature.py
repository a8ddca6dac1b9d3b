"""Signatures of failures: the part of an error message that is the same each time, and its class.

Secrets are redacted first. Then placeholders replace folders, numbers, hashes, times and addresses. Names of
files, quoted names, hosts, ports, major versions, packages and error codes (ENOENT, E0308, TS2345, HTTP 404)
stay. Every function takes linear time.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import takewhile
from re import Match

from msgspec import Struct

from hookline.lazy import re
from hookline.redact import redact

MAX_TEXT_CHARS, MAX_LINE_CHARS = 200_000, 400
_ANSI_ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,999}(?:\x07|\x1b\\\\)?)")
_ERROR_WORDS = re.compile(
    r"error|fatal|fail|exception|panic|denied|not found|cannot|can't|could not|unable|refused|timed out|"
    r"timeout|no such|missing|unresolved|invalid|killed|undefined|unknown|not recognized|unauthorized|"
    r"forbidden|too many|conflict|\bE[A-Z]{3,}\b|\b[45]\d\d [A-Z]",
    re.IGNORECASE,
)
_UNINFORMATIVE = re.compile(
    r"\W*(?:error:? *)?(?:(?:command )?exit(?:ed)?(?: with)?(?: code| status)?:? *-?\d+)\W*|(?:it )?failed|"
    r"[\W_]*(?:failures?|errors?|test session starts|short test summary info)?[\W_]*"
    r"|.{0,200}?\b(?:0|no) (?:errors?|failures?|failed)\b.{0,200}",
    re.IGNORECASE,
)
"""Lines that report a failure without saying what failed."""
_SUMMARY = re.compile(
    r"^\W*(?:FAIL(?:ED)?|ERROR|ERRORS?)\W*[\w./\\:\[\]()-]*\W*$|collected \d+ items?"
    r"|^\W*(?:Tests?|Test Suites|Test Files|Snapshots):? "
    r"|\b\d+ (?:failed|failing|passed|errors?|problems?|failures?)\b|build (?:failed|failure)"
    r"|failed to compile\.?$|compilation failed|aborting due to|could not compile|command failed"
    r"|script .{0,60}failed|ELIFECYCLE|lifecycle script|complete log of this run|make(?:\[\d+\])?: \*\*\*"
    r"|ninja: build stopped|exited (?:with|code)|exit (?:code|status)|returned non-zero"
    r"|see .{0,40}(?:log|above|below)|failed with \d+|task .{0,80} failed|stopping at first"
    r"|^error: (?:process|recipe|script|test run|failed to push some)|at .{0,200}:\d+:\d+\)?$",
    re.IGNORECASE,
)
"""Lines that count failures, or name the file or step that failed, but not the cause."""
_ANNOUNCES = re.compile(
    r":$|\b\d+\]? (?:\w+ )?(?:checks?|tests?|jobs?|steps?|tasks?|targets?) failed$", re.IGNORECASE
)
"""Lines that announce a cause, or count causes, which the lines below name."""
_HEADING = re.compile(r"\W*error: [a-z ]+", re.IGNORECASE)
"""Headings that name nothing of the occasion; a line below names it in quotes, as Terraform prints."""
_MINOR = re.compile(r"\bwarn(?:ing)?s?\b|deprecat|\bnotice\b|\bhint:|\binfo\b|\bdebug\b", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"(?:^|[\s:>|])(?:E\s+)?(?:Caused by:\s*)?(?:[\w$]+[.:]){0,12}[A-Z]\w{0,60}"
    r"(?:Error|Exception|Failure|Panic|NotFound|Timeout|Exit)\b:? *\S"
)
_CODE = re.compile(
    r"\b(?:E[A-Z]{4,20}|TS\d{3,5}|E\d{3,4}|[A-Z]{1,5}\d{3,5}|[A-Z]{2,6}-\d{2,5}|HTTP \d{3}"
    r"|[45]\d\d [A-Z][a-z])\b"
)
_CAUSE = re.compile(
    r"no such|not found|cannot find|can't find|could not (?:find|resolve|connect|open|load|read)"
    r"|does not exist|doesn't exist|refused|denied|already in use|already exists"
    r"|is not (?:defined|a function|installed|running|recognized|set|assignable)|undefined|unexpected"
    r"|expected|missing|mismatch|unresolved|unknown|invalid|unsupported|incompatible|out of memory|no space"
    r"|timed out|required|must be|conflict|locked|expired|unauthorized|forbidden|unable to|failed to|cannot"
    r"|fatal:|panicked|assert",
    re.IGNORECASE,
)
_QUOTED_NAME = re.compile(r"""["'`‘“][^"'`’”]{2,80}["'`’”]""")
_ROOT_CAUSE = re.compile(
    r"^\s*(?:Caused by|Root cause|Reason|Cause)\b|^\s*(?:E  |>? ?\d* ?\|)", re.IGNORECASE
)
_VARYING = re.compile(
    r"(?P<klog>(?<!\w)[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+(?: +\d+)?)"
    r"|(?P<kept><[a-z]{1,4}>"
    r"|(?<![\w.])(?:exit (?:code|status):? \d{1,3}"
    r"|(?:HTTP|status|code|error)(?:/\d(?:\.\d)?)?(?: code)?[ :=]{1,2}[1-5]\d\d"
    r"|[45]\d\d(?= [A-Z])|[A-Z]{1,6}-?\d{3,5}|E[A-Z0-9]{3,20})(?![\w.]))"
    r"|(?P<id>(?<![\w-])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6,40}(?![\w-])"
    r"|(?<![\w-])(?:req|request|trace|evt|msg|run|job|txn?|op|call|resp|chatcmpl|sess)[_-]"
    r"(?=[A-Za-z]*\d)[A-Za-z0-9]{8,40}(?![\w-]))"
    r"|(?P<url>(?<!\w)[a-z][a-z0-9+]{1,9}://(?:[^\s\"'/@]{0,200}@)?(?P<host>[^\s\"'<>)\]/?#]{0,200})"
    r"[^\s\"'<>)\]]{0,400})"
    r"|(?P<time>(?<![\w.])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?<![\w.:])\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?![\w:])"
    r"|(?<![\w.])\d+(?:\.\d+)?(?: ?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?))(?!\w))"
    r"|(?P<port>(?<=:)\d{2,5}(?![\w:]|\.\w)|(?<=\bport )\d{2,5}(?!\w|\.\w))"
    r"|(?P<version>(?<![\w.])(?i:version|java|jdk|node(?:\.js)?|python|ruby|php|sdk|glibc|go)[ =_v]{1,2}"
    r"\d{1,4}(?:\.\d{1,4})?(?![\w-]))"
    r"|(?P<addr>(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<!\w)0x[0-9a-fA-F]+(?!\w)"
    r"|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:]))"
    r"|(?P<hash>(?<![\w-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])"
    r"|(?<![\w-])(?:sha\d{1,3}[:-])?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,128}(?![\w-]))"
    r"|(?P<path>(?<![\w.~@+%\\/-])(?:[A-Za-z]:)?[\w.~@+%-]*(?:[\\/]+[\w.~@+%-]*)+)"
    r"|(?P<n>\d+(?:[.,]\d+)*)",
    re.ASCII,
)
_WHITESPACE = re.compile(r"\s+")
_LINE_NUMBER = re.compile(
    r"(\.(?:txt|c|cc|cpp|cxx|h|hpp|py|jsx?|tsx?|mjs|rs|go|java|kts?|rb|php|cs|swift|exs?|sql|sh|ya?ml|toml|json"
    r"|xml|tf|lua|scala|dart|vue|s?css|html|mk|cmake|gradle):)\d+(?![\w.])"
)
"""Line numbers after the name of a source file, which are not ports."""
_NAME = re.compile(r"[\w.+@-]{1,40}", re.ASCII)
_USER_INTERRUPT = re.compile(
    r"(?i)interrupted by (?:the )?user|(?:rejected|cancell?ed) by (?:the )?user|doesn't want to proceed"
)
"""Interruptions by a person, which are not failures to learn from."""


class Failure(Struct, frozen=True, kw_only=True):
    """The signature of a failure."""

    key: str
    """Name of the call and a hash of the line; short enough to type."""
    line: str
    """The line that names the cause, normalised."""


def find_failure(base: str, text: str) -> Failure | None:
    """Return the failure of the call *base* with the output *text*; None without an error line.

    A call that a person interrupted did not fail either.
    """
    line = normalize(find_error_line(text))
    if not line or _USER_INTERRUPT.search(text[:2000]):
        return None
    line_hash = blake2b(f"{base}\0{line}".encode(errors="replace"), digest_size=5).hexdigest()
    return Failure(key=f"{base.replace(' ', '-')}#{line_hash}", line=line)


def find_error_line(text: str) -> str:
    """Return the line of *text* that names the cause of a failure most specifically; redacted."""
    complete = text if len(text) <= MAX_TEXT_CHARS else text[: text.rfind("\n", 0, MAX_TEXT_CHARS) + 1]
    lines = [line.rstrip()[:MAX_LINE_CHARS] for line in _ANSI_ESCAPE.sub("", redact(complete)).splitlines()]
    informative = [line for line in lines if line and not _UNINFORMATIVE.fullmatch(line.strip())]
    scores = [score_line(line.strip()) for line in informative]
    best = max(scores, default=0)
    if best <= 0:
        return informative[0].strip() if informative else ""
    found = [number for number, score in enumerate(scores) if score == best]
    # The last exception of a chain is the one that ended the program.
    number = found[-1] if _EXCEPTION.search(informative[found[0]]) else found[0]
    return _join_message(informative[number:])


def _join_message(lines: list[str]) -> str:
    """Return the first of *lines*, with the lines that name the cause if it only announces them.

    A message that is indented below its heading continues as far as it is indented.
    """
    if not _ANNOUNCES.search(lines[0]):
        named = next(filter(_QUOTED_NAME.search, lines[1:_MAX_MESSAGE_LINES]), "")
        return f"{lines[0].strip()} {named.strip() if _HEADING.fullmatch(lines[0]) else ''}".strip()[
            :MAX_LINE_CHARS
        ]
    first, below = map(_measure_indent, (lines[0], lines[min(1, len(lines) - 1)]))
    rest = takewhile(lambda line: _measure_indent(line) >= below > first, lines[2:_MAX_MESSAGE_LINES])
    return " ".join(line.strip() for line in (*lines[:2], *rest))[:MAX_LINE_CHARS]


_MAX_MESSAGE_LINES = 4


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def score_line(line: str) -> int:
    """Return how specifically *line* names the cause of a failure; 0 or less if it does not."""
    if not _ERROR_WORDS.search(line) and not _EXCEPTION.search(line) and not _ROOT_CAUSE.search(line):
        return 0
    score = 1 + 2 * bool(_CAUSE.search(line)) + 2 * bool(_CODE.search(line)) + bool(_QUOTED_NAME.search(line))
    score += 3 * bool(_EXCEPTION.search(line)) + 2 * bool(_ROOT_CAUSE.search(line))
    return score - 6 * bool(_SUMMARY.search(line)) - 4 * bool(_MINOR.search(line))


def normalize(line: str) -> str:
    """Replace the varying parts of *line* by placeholders; the function is idempotent."""
    normalized = _LINE_NUMBER.sub(r"\1<n>", _WHITESPACE.sub(" ", line[:MAX_LINE_CHARS]).strip())
    for _ in range(_MAX_PASSES):
        before, normalized = normalized, _VARYING.sub(_replace_match, normalized)[:MAX_LINE_CHARS]
        if normalized == before:
            break
    return normalized


_MAX_PASSES = 4
"""Maximum passes: a replacement can make its neighbours match. More than two were never needed."""


def _replace_match(match: Match[str]) -> str:
    if match.lastgroup in ("kept", "port", "version"):
        return match[0]
    if match.lastgroup == "path":
        return _shorten_path(match[0])
    if match["host"]:
        return match["host"]
    return f"<{match.lastgroup}>"


def _shorten_path(path: str) -> str:
    """Return the name of the file at *path*, or a placeholder if the name varies."""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if len(path) < _MIN_PATH_CHARS or path.startswith("@"):
        return path
    return "<path>" if not name or sum(map(str.isdigit, name)) > _MAX_DIGITS else name


_MIN_PATH_CHARS = 2
_MAX_DIGITS = 3
"""Digits in the name of a file, above which it belongs to one occasion."""
_VOLATILE = re.compile(
    r"(?<![\w.])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?<![\w.:])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?![\w:])"
    r"|(?<![\w.])\d+(?:\.\d+)?(?: ?(?:ns|µs|us|ms|s|secs?|seconds?))(?!\w)|(?<!\w)0x[0-9a-fA-F]+(?!\w)"
    r"|(?<![\w-])(?:pids?|PIDs?|pgid|PGID)[ =:]{1,2}\d+(?:, ?\d+)*|/tmp/[\w./-]*",
    re.ASCII,
)


def hash_result(text: str) -> str:
    """Return a hash of a call's output that ignores clocks, durations, addresses and process ids.

    Other numbers count, because they may be all that changes in the output of a polled command.
    """
    ends = (
        text
        if len(text) <= 2 * _HASHED_END_CHARS
        else f"{text[:_HASHED_END_CHARS]}\0{len(text)}\0{text[-_HASHED_END_CHARS:]}"
    )
    return hash_parts(_WHITESPACE.sub(" ", _VOLATILE.sub("", _ANSI_ESCAPE.sub("", ends))))


_HASHED_END_CHARS = 16_000


def hash_parts(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=5).hexdigest()


def normalize_command(command: str) -> str:
    """Return *command* redacted and with single spaces, so that two runs of it compare equal."""
    return _WHITESPACE.sub(" ", redact(command[:_MAX_COMMAND_CHARS])).strip()[:MAX_LINE_CHARS]


_MAX_COMMAND_CHARS = 8000


def sanitize_name(text: str) -> str:
    """Return *text* if it is a name that may be part of a key, else ""; it must not look like a secret."""
    return (
        text
        if _NAME.fullmatch(text) and redact(f"{text} ") == f"{text} " and len(text) <= _MAX_NAME_CHARS
        else ""
    )


_MAX_NAME_CHARS = 32


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
_ENVIRONMENTAL = re.compile(
    r"command not found|not recognized as|: not found$|ENOSPC|no space left|EACCES|EPERM|permission denied|"
    r"operation not permitted|ENOMEM|out of memory|\bkilled\b|\b40[13]\b|unauthorized|forbidden|"
    r"authentication failed|could not resolve host|ENOTFOUND|ECONNREFUSED|connection refused|EADDRINUSE|"
    r"address already in use|no module named|cannot find module|docker daemon|GLIBC|EROFS|"
    r"read-only file system|credentials|not installed",
    re.IGNORECASE,
)


def classify(line: str) -> str:
    """Return the class of the failure that *line* reports: wait, retry, environmental or novel.

    `wait` and `retry` go away by themselves, `environmental` never does.
    """
    start = line[:MAX_LINE_CHARS]
    for kind, pattern in (("wait", _WAIT), ("retry", _RETRY), ("environmental", _ENVIRONMENTAL)):
        if pattern.search(start):
            return kind
    return "novel"
