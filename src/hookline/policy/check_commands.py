"""Commands that the user lists in a setting of a built-in hook → declarations of hooks of their own.

So that each has its own limit, process group and name in the trail, and a project's wait for trust.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.frozen import Frozen
from hookline.core.hook import Hook, named
from hookline.core.kind import Declaration
from hookline.core.values import replace
from hookline.policy.entries import Kinds, entry
from hookline.policy.line_numbers import Path
from hookline.policy.strict_reader import Reader

PART_OF = "part_of"


def checks(
    reader: Reader, tables: Mapping[str, Any], hooks: Sequence[Hook], kinds: Kinds
) -> Iterator[Declaration]:
    """The commands that the *tables* of settings list for those of the *hooks* that run some."""
    for name, table in tables.items():
        hook = named(hooks, name)
        if hook is not None and isinstance(table, Mapping):
            listed = table.get(hook.runs)
            for number, given in enumerate(listed if isinstance(listed, list) else ()):
                yield from _check(reader, given, ("hooks", name, hook.runs, str(number)), hook, kinds)


def _check(reader: Reader, given: Any, path: Path, hook: Hook, kinds: Kinds) -> Iterator[Declaration]:
    whole = {"command": given} if isinstance(given, str) else given
    if not isinstance(whole, Mapping) or "command" not in whole:
        what = f"item {int(path[-1]) + 1} of {hook.runs!r} of hook {hook.name!r}"
        reader.wrong(path, f"{what} must be a command, or a table with a `command`")
        return
    usual = f"{hook.name}.{reader.file.source}-{int(path[-1]) + 1}"
    failing = {"priority": hook.priority, "on_failure": "block", "on_timeout": "warn"}
    told = {**failing, **({"on_timeout": whole["on_failure"]} if "on_failure" in whole else {}), **whole}
    for one in entry(reader, told, path, kinds, hook.on[0].__name__, usual):
        yield replace(one, spec=Frozen({**one.spec, PART_OF: hook.name}))
