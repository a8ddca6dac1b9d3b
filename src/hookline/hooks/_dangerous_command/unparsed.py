"""Ask about parts of a line that were not read: those beyond a limit, and those with a destructive word."""

import re
from collections.abc import Iterable, Iterator

from hookline.hooks._dangerous_command.rule import CORE, Finding
from hookline.shell import Problem
from hookline.shell.options import word_set

_WORD = re.compile(r"[A-Za-z]+")
_DESTRUCTIVE_PROGRAMS = frozenset({"rm", "mkfs", "shred", "wipefs", "rmtree", "dd", "unlink"})
_GIT_WORDS = frozenset(
    {"force", "f", "hard", "har", "clean", "D", "restore", "checkout", "mirror", "delete", "stash", "merge"}
)
_TOOLS = word_set("kubectl helm terraform tofu pulumi docker aws gcloud az psql mysql redis gh")
_VERBS = word_set("delete destroy prune drop truncate flushall flushdb terminate uninstall rb")
_PRINTERS = [["echo"], ["printf"], ["rg"], ["grep"]]
"""Programs whose arguments are text; a quote that is never closed after them hides no command."""
_UNCLOSED = "unclosed "
"""Start of the reason for not reading such a quote."""
_BOMB = re.compile(r"(?<![\w:])([\w:]{1,60})\(\)\s*\{\s*\1\s*\|")


def unread(problems: Iterable[Problem]) -> Iterator[Finding]:
    """Yield a finding for the first part that may hide a destructive command."""
    for problem in problems:
        rule = "too-long" if problem.is_whole_line else "unread"
        if not problem.by_words or _names_destructive_command(problem):
            reason, instead = CORE.rules[rule]
            yield Finding(
                pack=CORE.name,
                rule=rule,
                reason=f"{reason.removesuffix('.')} ({problem.reason}).",
                instead=instead,
                span=problem.span,
                text=problem.text,
                action="ask",
            )
            return


def _names_destructive_command(problem: Problem) -> bool:
    text = problem.text
    if problem.reason.startswith(_UNCLOSED) and text.split(maxsplit=1)[:1] in _PRINTERS:
        return False
    words = set(_WORD.findall(text))
    if words & _DESTRUCTIVE_PROGRAMS or ("find" in words and "delete" in words) or _BOMB.search(text):
        return True
    if (words & _TOOLS and words & _VERBS) or (words & {"curl", "wget"} and words & {"sh", "bash"}):
        return True
    return "git" in words and (bool(words & _GIT_WORDS) or " +" in text or " :" in text)
