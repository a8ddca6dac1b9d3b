"""Preview of changes to settings files, and the confirmation before they are written."""

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from hookline.cli._output import colour_diff, sanitize, sanitize_lines
from hookline.cli._require_person import ask_user
from hookline.core.host import Host
from hookline.install.install_hooks import Plan
from hookline.redact import redact
from hookline.system.paths import Places

MAX_LINE_LENGTH = 2_000
"""Characters shown of a line; some files consist of one long line."""


def format_plan(plan: Plan, places: Places) -> str:
    """Return the planned change as a redacted diff, followed by the plan's messages."""
    if plan.problem:
        return f"{plan.host}: {sanitize(plan.problem)}"
    name = sanitize(shorten_path(plan.path, places))
    messages = "".join(f"\n  {sanitize(text)}" for text in plan.messages)
    if not plan.changes:
        state = "" if plan.messages else " is up to date"
        return f"{plan.host}: {name}{state}{messages}"
    # Redaction needs whole secrets, so lines are cut to their final length only afterwards.
    diff = redact("\n".join(line[: 2 * MAX_LINE_LENGTH] for line in _diff(plan, name)))
    cut = os.linesep.join(line[:MAX_LINE_LENGTH] for line in diff.split("\n"))
    return f"{plan.host}:\n{colour_diff(sanitize_lines(cut))}{messages}"


def _diff(plan: Plan, name: str) -> Iterator[str]:
    """Yield a unified diff of the changed region only, because files may be huge."""
    before, after = (
        (data or b"").decode(errors="replace").splitlines() for data in (plan.before, plan.after)
    )
    head = _count_equal(zip(before, after, strict=False))
    rest = min(len(before), len(after)) - head
    tail = min(rest, _count_equal(zip(reversed(before), reversed(after), strict=False)))
    first = max(head - 1, 0)
    yield f"--- {'/dev/null' if plan.before is None else name}"
    yield f"+++ {'/dev/null' if plan.after is None else name}"
    diff = difflib.unified_diff(
        before[first : len(before) - tail + 1], after[first : len(after) - tail + 1], lineterm="", n=1
    )
    for number, line in enumerate(diff):
        if number >= len(("---", "+++")):
            yield _shift_line_numbers(line, first) if line.startswith("@@") else line


def _count_equal(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shift_line_numbers(line: str, first: int) -> str:
    """Return the hunk header with the line numbers of the whole file."""
    return re.sub(r"([-+])(\d+)", lambda match: f"{match[1]}{int(match[2]) + first}", line)


def shorten_path(path: str, places: Places) -> str:
    """Return *path* relative to the project, or with `~` for the home folder."""
    if path.startswith(places.root + os.sep):
        return os.path.relpath(path, places.root)
    return path.replace(places.home, "~", 1) if path.startswith(places.home + os.sep) else path


def confirm(question: str, *, yes: bool) -> bool:
    """Return whether the user agreed, by *yes* or at the terminal; raise `PermissionError` without one."""
    if yes:
        return True
    if not os.isatty(0):
        raise PermissionError("confirmation requires an interactive terminal; use --yes to skip it")
    return ask_user(question)


def describe_result(host: Host, *, changed: bool, dry: bool) -> str:
    """Return the state of the host's hooks, and the remaining manual steps."""
    state = (
        ("hooks would be installed" if dry else "hooks installed") if changed else "hooks already installed"
    )
    needs = host.install.manual_steps if host.install else ()
    return "\n".join((f"{host.name}: {state}", *(f"  still needed: {need}" for need in needs)))
