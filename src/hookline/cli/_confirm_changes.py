"""Show what wiring changes, and ask before it does."""

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from hookline.cli._output import lines, visible
from hookline.cli._require_person import agrees
from hookline.core.host import Host
from hookline.install.install_hooks import Plan
from hookline.redact import redact
from hookline.system.paths import Places

WIDEST = 2_000
"""Characters of a line that are shown: some have all of a file in one."""


def shown(plan: Plan, places: Places) -> str:
    """The change as a person reads it; nothing of what else the file holds is a secret's way out."""
    if plan.problem:
        return f"{plan.host}: {visible(plan.problem)}"
    name = visible(short(plan.path, places))
    told = "".join(f"\n  {visible(one)}" for one in plan.said)
    if not plan.changes:
        state = "" if plan.said else " is as it should be"
        return f"{plan.host}: {name}{state}{told}"
    # A secret is recognised as a whole, so it is cut only when it is none any more.
    diff = redact("\n".join(line[: 2 * WIDEST] for line in _diff(plan, name)))
    cut = os.linesep.join(line[:WIDEST] for line in diff.split("\n"))
    return f"{plan.host}:\n{lines(cut)}{told}"


def _diff(plan: Plan, name: str) -> Iterator[str]:
    """Only what lies between the first and the last change is compared: files may be huge."""
    before, after = (
        (data or b"").decode(errors="replace").splitlines() for data in (plan.before, plan.after)
    )
    head = _common(zip(before, after, strict=False))
    rest = min(len(before), len(after)) - head
    tail = min(rest, _common(zip(reversed(before), reversed(after), strict=False)))
    first = max(head - 1, 0)
    yield f"--- {'/dev/null' if plan.before is None else name}"
    yield f"+++ {'/dev/null' if plan.after is None else name}"
    found = difflib.unified_diff(
        before[first : len(before) - tail + 1], after[first : len(after) - tail + 1], lineterm="", n=1
    )
    for number, line in enumerate(found):
        if number >= len(("---", "+++")):
            yield _placed(line, first) if line.startswith("@@") else line


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _placed(line: str, first: int) -> str:
    """The line numbers as they are in the whole file."""
    return re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + first}", line)


def short(path: str, places: Places) -> str:
    """As a person would write it."""
    if path.startswith(places.root + os.sep):
        return os.path.relpath(path, places.root)
    return path.replace(places.home, "~", 1) if path.startswith(places.home + os.sep) else path


def agreed(question: str, *, yes: bool) -> bool:
    """Whether a person agreed, beforehand or now; where nobody can be asked, that is said."""
    if yes:
        return True
    if not os.isatty(0):
        raise PermissionError("nobody can be asked here; say --yes, or --dry-run to only look")
    return agrees(question)


def said(host: Host, *, changed: bool, dry: bool) -> str:
    """What became of it, and what a person still has to do."""
    state = ("would be wired" if dry else "is wired now") if changed else "was wired already"
    needs = host.wiring.needs if host.wiring else ()
    return "\n".join((f"{host.name} {state}", *(f"  still needed: {need}" for need in needs)))
