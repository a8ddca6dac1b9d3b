"""Rank the lines of a long output by how much they decide.

A line counts by its words, or because it differs from the other lines. Lines of the same shape, which differ
only in numbers, paths and names, count less with every repetition.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from hookline.lazy import re

ERROR_WEIGHT = 3.0
"""Smallest weight of a line that looks like an error."""
_FIRST_OR_LAST, _TAIL, _HEAD, _OUTLIER, _RARE, _CHANGED, _NEIGHBOUR_SHARE = 9.0, 1.9, 1.1, 1.8, 1.5, 1.6, 0.45
_FIRST_LINES, _LAST_LINES = 3, 6
_MAX_REACH, _REACH_SHARE = 20, 0.1
"""Lines from a line that decides within which the others fill the room that is left, and their weight."""
_MAX_SEARCHED = 400
"""Characters of a line that are searched."""
_MAX_COMPARED = 1_000
"""Lines of each end that are compared with each other; those between count only if they look like errors."""
_MAX_RARE_SHARE, _MIN_GROUP, _FEW_VALUES = 0.05, 12, 6
_FEW_WORDS, _MIN_WORD_GROUP = 4, 30
_VARIABLE = re.compile(
    r"(?<![\w.:@%+-])[\w.:@%+-]*[\d/][\w./:@%+-]*(?:, ?[\d.:@%+-]+)*|'[^'\s]+'|\"[^\"\s]+\"|`[^`\s]+`"
)
_NUMBER = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)[A-Za-zµ%]{0,3}")
_SPACES = re.compile(r"\s+")
_DIFF = re.compile(r"(?:diff --git |@@ -\d)")
_ALARM = (
    "error|fail|abort|denied|refused|cannot|can't|could not|couldn't|unable to|undefined|unresolved"
    "|unexpected|not found|no such|assert|core dumped|killed|timed out|timeout|conflict|invalid|illegal"
    "|missing|mismatch|violat|reject|forbidden|unauthori|unreachable|unhealthy|backoff|evicted|deadlock"
    "|exhausted|corrupt|overflow|broken|expired|unrecoverable|out of memory|data race|leak|not equal"
    "|not allowed|not permitted|does not|doesn't|halted|no space left|panic|traceback|seg(?:fault"
    "|mentation)"
    "|exception|err!|✗|✘|✕|✖|●|❌"
)
_ALARM_PATTERN = re.compile(_ALARM)
_SUCCESS = r"\b(?:passed|ok)\s*(?:\[\s*\d+%\]|\(?[\d.,]+ ?m?s(?:ec)?\)?)?$|^\s*(?:✓|✔|√|ok \d|pass\b)"
_FAILURE = (
    r"^e  |\berror(?:\[\w+\])?\b(?! ?=? ?(?:0|none|null|nil|\"\")\b)\]?(?:[:\s]|$)|err!|✗|✘|✕|✖|×|●|❌"
    r"|level\W{1,3}(?:error|fatal|crit)|^\W*(?:\w+ )?fail(?:ed|ure)?\b|^not ok|panic|fatal|traceback"
    r"|segfault|segmentation|exception\b|exit(?:ed)?(?: with)?(?: code| status)?[ :=]+[1-9]"
)
_WARNING = r"\bwarn(?:ing)?\b[\]:=\s|]"
_QUIET = r"\b(?:info|debug|trace|notice|note|hint)\b[\]:=\s|]"
_COMPARISON = (
    r"^\W*(?:expected(?: \w+)?|received(?: \w+)?|actual|got|want(?:ed)?|left|right|diff)\b\s*[:=]"
    r"|^\s+(?:expected|actual|got|want|but was)\b|\bgot\b.{1,80}\bwant|\bwant(?:ed)?\b.{1,80}\bgot\b"
    r"|^\s*\d+\) \S|^\s*(?:❯|-->|╭─|┌─)\W*\S+:\d"
)
_CONSEQUENCE = (
    r"must be replaced|forces replacement|will be (?:destroyed|replaced|removed|deleted|dropped)|destroy"
    r"|drift|vulnerab|critical|deprecat|slow\b|exceed|roll(?:ed )?back|breaking|out of date|degraded"
    r"|rows removed|regress|skipped|dropp|stale|insecure|high severity|seq scan|retry|restart"
)
_SUMMARY = (
    r"\b\d+ (?:\w+ )?(?:passed|failed"
    r"|errors?|warnings?|problems?|tests?|examples?|failures?|issues?|changed"
    r"|to (?:add|change|destroy)|vulnerabilit|upgraded|rows?|files?)\b"
    r"|^\W*(?:total|summary|status|plan|results?|tests?|found|build|finished)\b(?![/\\.-]\S)|^diff --git|^@@ "
)
_WEIGHTS = tuple(
    (weight, re.compile(pattern))
    for weight, pattern in (
        (0.0, _SUCCESS),
        (4.0, _FAILURE),
        (1.0, _WARNING),
        (0.03, _QUIET),
        (ERROR_WEIGHT, _ALARM),
        (ERROR_WEIGHT, _COMPARISON),
        (2.5, _CONSEQUENCE),
        (2.0, _SUMMARY),
    )
)
"""Weights of lines in lower case; the first pattern that matches counts."""
_NO_ERRORS = re.compile(
    r"\b(?:0|no) (?:errors?|fail(?:ures?|ed)|conflicts?|vulnerabilities|issues?|problems?)\b"
)


def weigh_words(line: str) -> float:
    """Return the weight of a line by its words."""
    text = _NO_ERRORS.sub("", line[:_MAX_SEARCHED].lower())
    return next((weight for weight, pattern in _WEIGHTS if pattern.search(text)), 0.0)


def rank_lines(lines: Sequence[str], head: int, tail: int, around: int) -> list[int]:
    """Return the indexes of the lines worth showing, the most important first."""
    last = len(lines)
    weights: defaultdict[int, float] = defaultdict(float)
    for number in range(last):
        if number >= last - tail:
            weights[number] = _FIRST_OR_LAST if number >= last - min(_LAST_LINES, tail) else _TAIL
        elif number < head:
            weights[number] = _FIRST_OR_LAST if number < _FIRST_LINES else _HEAD
    for number, weight in _weigh_lines(lines):
        reach = max(around, _MAX_REACH) if weight > _OUTLIER else 0
        for index in range(max(number - reach, 0), min(number + reach + 1, last)):
            distance = abs(index - number)
            share = _NEIGHBOUR_SHARE if distance <= around else _REACH_SHARE / distance
            weights[index] = max(weights[index], weight * share if distance else weight)
    return sorted(weights, key=lambda number: -weights[number])


def _weigh_lines(lines: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Yield the lines with a weight of their own, less for every repetition of their shape."""
    shapes = {
        number: _SPACES.sub(" ", _VARIABLE.sub("#", lines[number][:_MAX_SEARCHED].rstrip()))
        for number in _list_compared(lines)
    }
    counts, seen, by_shape = Counter(shapes.values()), Counter[str](), dict[str, float]()
    is_rare = sum(count == 1 for count in counts.values()) <= max(3, _MAX_RARE_SHARE * len(shapes))
    is_diff = any(_DIFF.match(lines[number]) for number in shapes)
    outliers = _find_outliers(lines, shapes) | _find_odd_words(lines, shapes)
    for number, shape in shapes.items():
        if shape not in by_shape:
            by_shape[shape] = weigh_words(lines[number])
        seen[shape] += 1
        weight = max(
            by_shape[shape] / seen[shape],
            _OUTLIER * (number in outliers),
            _RARE * (is_rare and counts[shape] == 1 and bool(shape.strip())),
            _CHANGED * (is_diff and shape[:1] in ("+", "-")) / seen[shape],
        )
        if weight > 0:
            yield number, weight


def _list_compared(lines: Sequence[str]) -> list[int]:
    first = min(_MAX_COMPARED, len(lines))
    last = max(len(lines) - _MAX_COMPARED, first)
    between = (n for n in range(first, last) if _ALARM_PATTERN.search(lines[n][:_MAX_SEARCHED].lower()))
    return [*range(first), *islice(between, _MAX_COMPARED), *range(last, len(lines))]


def _find_outliers(lines: Sequence[str], shapes: Mapping[int, str]) -> set[int]:
    """Return the lines with a number far above, or other than, those in the same place of similar lines."""
    columns: defaultdict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    for number, shape in shapes.items():
        for index, word in enumerate(_VARIABLE.findall(lines[number][:_MAX_SEARCHED])):
            value = _NUMBER.fullmatch(word)
            if value:
                columns[shape, index].append((number, float(value[1].replace(",", ""))))
    return {
        column[index][0]
        for column in columns.values()
        if len(column) >= _MIN_GROUP
        for index in _find_unusual([value for _, value in column])
    }


def _find_odd_words(lines: Sequence[str], numbers: Iterable[int]) -> set[int]:
    """Return the lines with a rare word in a column that has few different words, such as a status."""
    rows = [(number, lines[number][:_MAX_SEARCHED].split()) for number in numbers]
    columns: defaultdict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    for number, words in rows:
        for index, word in enumerate(words):
            columns[len(words) * (index > 0), index].append((number, word))
    return {number for column in columns.values() for number in _find_rare(column)}


def _find_rare(column: Sequence[tuple[int, str]]) -> Iterator[int]:
    counts = Counter(word for _, word in column)
    is_status = len(column) >= _MIN_WORD_GROUP and 1 < len(counts) <= _FEW_WORDS
    limit = max(1, len(column) // 50) if is_status and max(counts.values()) > len(column) // 2 else 0
    yield from (number for number, word in column if counts[word] <= limit)


def _find_unusual(values: Sequence[float]) -> Iterator[int]:
    counts, usual = Counter(values), sorted(values)[int(len(values) * 0.9)]
    largest, rarest = max(5 * usual, 10), max(1, len(values) // 50) * (len(counts) <= _FEW_VALUES)
    yield from (n for n, value in enumerate(values) if value > largest or counts[value] <= rarest)
