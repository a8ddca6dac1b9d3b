"""What could not be read is asked about, if it holds a word that could destroy something."""

import re
from collections.abc import Iterable, Iterator

from hookline.bash import Problem
from hookline.hooks._dangerous.finding import Finding

_WORD = re.compile(r"[A-Za-z]+")
_ALONE = frozenset({"rm", "mkfs", "shred", "wipefs", "rmtree"})
_WITH_GIT = frozenset({"force", "f", "hard", "clean", "D", "restore", "checkout", "mirror", "delete"})


def unread(problems: Iterable[Problem]) -> Iterator[Finding]:
    for problem in problems:
        if _dangerous(problem.text):
            yield Finding(
                rule="unread",
                reason=f"Part of this was not understood ({problem.reason}) and names a destructive command.",
                instead="Write it as plain, separate commands; if it must stay so, a person has to agree.",
                span=problem.span,
                action="ask",
            )
            return


def _dangerous(text: str) -> bool:
    words = set(_WORD.findall(text))
    return bool(words & _ALONE) or ("git" in words and bool(words & _WITH_GIT))
