"""Estimate how much of a command line's output reaches the context."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hookline.lazy import re
from hookline.shell import UNKNOWN, Effect, Reading, Redirect, SimpleCommand
from hookline.shell.options import Options, parse_options, word_set


class Amount(NamedTuple):
    lines: int = 0
    size: int = 0
    """Number of bytes."""


class Output(NamedTuple):
    """Output that the agent will see: the command that prints it, and its estimated amount."""

    command: SimpleCommand
    path: str
    """The first file that it prints; empty if it prints none."""
    amount: Amount


Measure = Callable[[str, int, int | None], tuple[int, int]]
"""Returns lines and bytes of a file by its full path, the lines skipped and the lines read."""
_UNLIMITED = Amount(10_000, 1_000_000)
"""Amount assumed for output that has no limit of its own."""
_MATCHING_SHARE = 50
"""A search prints about one of so many lines."""
_UNPACKED_FACTOR, _BYTES_PER_ENTRY = 8, 4_000
"""Size of a compressed file when printed, and bytes of an archive for each name in it."""
_COUNTERS = word_set(
    "wc cksum md5sum sha1sum sha256sum sha512sum b2sum file stat true xargs read test [ sponge"
)
_MATCHERS = word_set("grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq fzf")
_COUNT_OPTIONS = word_set(
    "-c -l -L -q -m --count --files-with-matches --files-without-match --quiet --silent --max-count"
)
_UNPACKERS = word_set("zcat gzcat bzcat xzcat zstdcat lz4cat")
_LANGUAGES = word_set("python python3 node ruby perl php")
_PRINTS_FILE = re.compile(
    r"print\w*\(?\s*(?:open\(.*\)\.read\(|.*read_text\()|readFileSync|File\.read|puts IO\.read"
)
_PRINTS_ALL = re.compile(r"^$|^\s*\{\s*print\b|^1$|^s[/|#,]|^\d*,?\$?d$|^\.(?:[\w.]*\[\])?$")
"""Programs of awk, sed and jq that print every line."""
_BULKY_FILE = re.compile(
    r"(?:^|/)var/log/|\.(?:log|sql|csv|tsv|ndjson|jsonl|dump|har|trace)(?:\.\d+)?(?:\.gz)?$"
)
_BULKY_FOLDER = re.compile(r"(?:^|/)(?:\.{1,2}|node_modules|vendor|\.venv|target|site-packages)?/?$|^~/?$|^/")
_NARROW_FIND = re.compile(
    r" -(?:i?name|i?path|i?regex|maxdepth|newer\w*|[mac](?:time|min)|size|empty|perm|user|quit|delete|exec)\b"
)
_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p|(\d+)q")
_LAST_LINE = re.compile(r"\$p|\$!d")
_LINE_NUMBER = re.compile(r"^[^|]*\bF?NR\s*(?:(==)|<=?)\s*(\d+)\s*(?:\{[^{}]*\}\s*)?$")
"""Programs of awk that print the lines up to a number, or the line with it."""
_SIZE, _UNITS = re.compile(r"(\d+)([kKmM]?)[bB]?"), {"": 1, "k": 1_024, "m": 1_048_576}
_BYTES_PER_LINE = 80
_AWK_TOTAL = re.compile(
    r"(?:BEGIN\s*\{[^{}]*\})?(?:[^{}]*\{(?:(?!print)[^{}])*\})*\s*END\s*\{(?:(?!\b(?:for|while)\b)[^{}])*\}"
)
"""Programs of awk that print only after the last line."""
_JQ_TOTAL = re.compile(r".*\b(?:length|keys|add|any|all)|(?:\.\w+|\[-?\d+\])*\.?\[-?\d+\](?:\.\w+)*")
_JQ_FIELD = re.compile(r"(?:\.\w+|\[-?\d+\]|\.\[\"[^\"]*\"\])+(?:\s*//.*)?")
"""Programs of jq that print a number, names or one item; and one value, which is a text in raw output."""
_ROOTS = word_set("/ ~ ~/ /usr /home /var")
_NARROW_IN_ROOT = re.compile(
    r" -(?:maxdepth|newer\w*|[mac](?:time|min)|quit|delete|exec)\b| -i?name [^\s*?\[]+(?:\s|$)"
)
_NEVER = "$^"
_GIT = r"git(?: -C \S+| -[^C\s]\S*)*"
_SOURCES = tuple(
    (re.compile(source), re.compile(limit))
    for source, limit in (
        (
            rf"{_GIT} (?:log|reflog|rev-list)\b",
            r" (?:-\d+|-n ?\d+|--(?:max-count|since|after)\S*)|\.\.",
        ),
        (rf"{_GIT} (?:log|show|diff)\b.* (?:-p|--patch)\b", r" (?:-\d+|-n ?\d+|--stat)\b|\.\.| -- "),
        (rf"{_GIT} show \S*\w\.\.+\w", r"--stat|--oneline|--name-| -s\b| -- "),
        (
            rf"{_GIT} diff(?: -\S+)* (?:[^\s.-](?:\.?[^\s.])*\.\.\.?[^\s.]\S*|[^\s-]\S* [^\s-]\S*)$",
            r"--(?:\w*stat|name-|summary|check|quiet)|HEAD|@|/$|\w\.[a-z]\w{0,4}$",
        ),
        (rf"{_GIT} ls-files\b", r"ls-files \S"),
        (r"unzip -p\b|tar -?\w*O", _NEVER),
        (r"journalctl\b", r" -n|--lines|--since|-S |--list-boots|--disk-usage"),
        (r"dmesg\b", r" --since| -l "),
        (r"(?:docker|podman|nerdctl)(?: compose| container|-compose)? logs\b", r"--tail|--since| -n "),
        (r"docker-compose logs\b", "--tail"),
        (r"(?:kubectl|oc)\b.* logs\b", r"--tail|--since"),
        (r"(?:kubectl|oc)\b.* get\b.* -o ?=?(?:yaml|json)\b", r" get \S+/\S+| get [\w.]+ (?!-)\S+"),
        (r"(?:kubectl|oc)\b.* describe (?!\S+/)[\w.]+(?: -\S+(?: \S+)?)*$", _NEVER),
        (r"stern\b|gcloud logging read\b", r"--tail|--since|--limit|--freshness"),
        (r"helm get (?:manifest|all)\b|(?:terraform|tofu) show\b.* -json\b", _NEVER),
        (rf"(?:docker|podman)(?: container)? inspect\b.*{UNKNOWN}", r"--format| -f "),
        (r"strings\b|(?:rails|rake) routes\b", r" -n ?\d\d| -[gc]\b|--(?:grep|controller)"),
        (r"(?:heroku|fly|pm2|flyctl) logs\b", r" -n|--num|--lines|--nostream"),
        (r"gh run view\b.* --log\b|gh api\b.* --paginate", "--jq|-q "),
        (
            r"(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client)\b.*(?i:select\s.*\bfrom\b)",
            r"(?i)\blimit\b|\bwhere\b|\bcount\(|\bgroup by\b|\b(?:sum|avg|min|max)\(|\btop \d",
        ),
        (r"sqlite3\b.* \.dump", r"\.dump \w"),
        (r"(?:mysqldump|pg_dump|pg_dumpall|mongoexport)\b", r" -f| --file| -s\b|--schema-only"),
        (r"(?:npm|pnpm|yarn) (?:ls|list)\b.* (?:--all|-a\b|--depth[= ]?(?:[2-9]|Infinity))", _NEVER),
        (r"(?:cargo (?:tree|metadata)|mvn dependency:tree|\S*gradlew? dependencies)\b", r"--depth|-i "),
        (r"aws \S+ (?:describe|list|get-log)\S*", r"--query|--max-items|--limit|--filters?\b"),
        (r"(?:tar (?:-?\w*t\w*|--list)|unzip -l|rpm -qa|dpkg -l|apt list|lsof|tcpdump)\b", r" -[cip]\b|\*"),
        (r"yes\b", _NEVER),
    )
)
"""Commands that print without limit, and the arguments that limit them."""
_ANY_SOURCE = re.compile("|".join(source.pattern for source, _ in _SOURCES))
"""All of these commands in one pattern, because most commands are none of them."""


def find_outputs(line: Reading, cwd: str, home: str, measure: Measure) -> Iterator[Output]:
    """Yield what the agent will see of each command: not what is piped into another, or written to a file."""
    piped = {number for command in line.commands for number in command.stdin_origins}
    amounts: list[Amount] = []
    for number, command in enumerate(line.commands):
        files = _list_files(line.effects, number)
        start, count = _find_range(command)
        sizes = [_measure(path, command, cwd, home, measure, start, count) for path in files]
        received = [amounts[origin] for origin in command.stdin_origins if origin < number]
        amounts.append(_estimate(command, sizes or received, _find_listed(line.effects, number)))
        if number not in piped and not _is_captured(command):
            yield Output(command, files[0] if files else "", amounts[-1])


def _list_files(effects: Sequence[Effect], number: int) -> list[str]:
    return [e.path.text for e in effects if e.command == number and e.action == "read" and not e.recursive]


def _find_listed(effects: Sequence[Effect], number: int) -> str:
    """Return the folder that a command lists or searches with everything below; empty if none."""
    return next((e.path.text for e in effects if e.command == number and e.recursive), "")


def _is_captured(command: SimpleCommand) -> bool:
    return "$(…)" in command.via or any(map(_redirects_stdout, command.redirects))


def _redirects_stdout(redirect: Redirect) -> bool:
    """Return whether a redirect takes standard output; descriptors other than 1 do not."""
    return redirect.op in ("&>", "&>>") or (redirect.op in (">", ">>", ">|") and redirect.fd in ("", "1"))


def _measure(
    path: str, command: SimpleCommand, cwd: str, home: str, measure: Measure, start: int, count: int | None
) -> Amount:
    full_path = posixpath.join(command.cwd or cwd, path.replace("~", home, path.startswith("~/")))
    amount = Amount() if UNKNOWN in path else Amount(*measure(full_path, start, count))
    if amount == Amount() and (UNKNOWN in path or _BULKY_FILE.search(path)) and path != "/dev/null":
        return _UNLIMITED
    factor = _UNPACKED_FACTOR if command.name in _UNPACKERS else 1
    return Amount(amount.lines * factor, amount.size * factor)


def _estimate(command: SimpleCommand, inputs: Sequence[Amount], listed: str) -> Amount:
    """Return the amount that a command prints of its *inputs*, or from a source without limit."""
    text = " ".join(word.text for word in command.words)
    options = parse_options(command.words[1:], _VALUED.get(command.name, ()), mixed=True)
    if _only_counts(command, options):
        return Amount()
    if _prints_unlimited(command, text, listed):
        return _UNLIMITED
    total = Amount(sum(amount.lines for amount in inputs), sum(amount.size for amount in inputs))
    return _limit(total, command, options, text)


def _only_counts(command: SimpleCommand, options: Options) -> bool:
    if command.name in ("diff", "cmp"):
        return options.has("-q", "-s", "--brief", "--quiet")
    program = options.operands[0].text.strip() if options.operands else ""
    if command.name in ("jq", "yq"):
        is_raw = options.has("-r", "--raw-output")
        return bool(_JQ_TOTAL.fullmatch(program) or (is_raw and _JQ_FIELD.fullmatch(program)))
    if command.name in ("awk", "gawk", "mawk") and _AWK_TOTAL.fullmatch(program):
        return True
    return command.name in _COUNTERS or (command.name in _MATCHERS and options.has(*_COUNT_OPTIONS))


def _prints_unlimited(command: SimpleCommand, text: str, listed: str) -> bool:
    source = " ".join((command.name, *(word.text for word in command.words[1:])))
    sources = _SOURCES if _ANY_SOURCE.match(source) else ()
    if any(pattern.match(source) and not limit.search(source) for pattern, limit in sources):
        return True
    if command.via and command.via[-1] in _ELSEWHERE and command.name in _PRINTERS:
        return any(_BULKY_FILE.search(word.text) for word in command.words[1:])
    narrow = _NARROWING.get(command.name)
    if command.name == "find" and listed in _ROOTS:
        return not _NARROW_IN_ROOT.search(text)
    return narrow is not None and bool(_BULKY_FOLDER.search(listed or "?")) and not narrow.search(text)


def _limit(total: Amount, command: SimpleCommand, options: Options, text: str) -> Amount:
    """Return the part of its input that a command prints."""
    if command.name in _LANGUAGES:
        return total if _PRINTS_FILE.search(text) else Amount()
    _, count = _find_range(command)
    max_size = options.value(*_SIZE_OPTIONS.get(command.name, ()))
    size = _SIZE.fullmatch(max_size.text) if max_size is not None else None
    if size is not None:
        return Amount(total.lines, min(total.size, int(size[1]) * _UNITS[size[2].lower()]))
    if count is not None:
        lines = min(count, total.lines)
        return Amount(lines, total.size * lines // max(total.lines, 1)) if total.lines else total
    prints_all = any(_PRINTS_ALL.search(word.text) for word in options.operands[:1])
    if command.name == "jq" and prints_all:
        return Amount(max(total.lines, total.size // _BYTES_PER_LINE), total.size)
    if command.name in _MATCHERS and not prints_all:
        return Amount(total.lines // _MATCHING_SHARE, total.size // _MATCHING_SHARE)
    return total


def _find_range(command: SimpleCommand) -> tuple[int, int | None]:
    """Return the number of lines skipped and printed by `head`, `tail` and `sed`; None if all are."""
    if command.name in ("head", "tail"):
        options = parse_options(command.words[1:], _VALUED[command.name], mixed=True)
        value = options.value("-n", "--lines")
        number = (
            value.text if value is not None else "".join(n[1] for n, _ in options.options if n[1].isdigit())
        )
        if options.value("-c", "--bytes") is not None:
            return 0, None
        if number.lstrip("+").isdigit() and number.startswith("+"):
            return int(number), None
        return 0, None if number.startswith("-") else int(number) if number.isdigit() else _DEFAULT_LINES
    words = [word.text for word in command.words[1:]]
    if command.name in ("awk", "gawk", "mawk"):
        bound = next(filter(None, map(_LINE_NUMBER.search, words)), None)
        return 0, None if bound is None else 1 if bound[1] else int(bound[2])
    if command.name == "sed" and any(map(_LAST_LINE.fullmatch, words)):
        return 0, 1
    match = next(filter(None, map(_RANGE.fullmatch, words)), None)
    if command.name != "sed" or match is None:
        return 0, None
    first, last = int(match[1] or match[3]), match[2] or match[1]
    if match[3]:
        return 0, first
    return first - 1, None if last == "$" else max(int(last) - first + 1, 0)


_DEFAULT_LINES = 10
_ELSEWHERE = word_set("ssh docker kubectl podman")
_PRINTERS = word_set("cat less more nl tac zcat sort")
_VALUED = {
    "head": ("-n", "-c", "--lines", "--bytes"),
    "tail": ("-n", "-c", "-s", "--lines", "--bytes", "--pid"),
    "cut": ("-c", "-b", "-d", "-f"),
    "xxd": ("-l", "-s", "-c", "-g"),
    "od": ("-N", "-A", "-t", "-j"),
    "hexdump": ("-n", "-s", "-e"),
    **dict.fromkeys(_MATCHERS, ("-e", "-f", "-F", "-v", "-A", "-B", "-C", "--arg")),
}
_SIZE_OPTIONS = {
    "head": ("-c", "--bytes"),
    "tail": ("-c", "--bytes"),
    "xxd": ("-l",),
    "od": ("-N",),
    "hexdump": ("-n",),
}
_NARROWING = {
    "find": _NARROW_FIND,
    "fd": re.compile(r"\bfd \w"),
    "ls": re.compile(r"$^"),
    "tree": re.compile(r" -(?:L|I|P|-filelimit)"),
    **dict.fromkeys(("grep", "egrep", "fgrep"), re.compile(r"--include|--exclude-dir")),
}
"""Programs that list or search folders, and the arguments that narrow them."""
