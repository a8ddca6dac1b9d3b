"""Hook declarations for the commands that a user lists in a setting of a built-in hook.

So each command has its own timeout, process group and name in the audit trail, and a project's commands
require trust.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.frozen import Frozen
from hookline.core.hook import Hook, find_hook
from hookline.core.kind import Declaration
from hookline.core.values import replace
from hookline.policy.entries import Kinds, declare_entry
from hookline.policy.line_numbers import Path
from hookline.policy.strict_reader import Reader

PART_OF = "part_of"


def declare_checks(
    reader: Reader, tables: Mapping[str, Any], hooks: Sequence[Hook], kinds: Kinds
) -> Iterator[Declaration]:
    """Yield declarations of the commands that the *tables* of settings list for the *hooks* that run some."""
    for name, table in tables.items():
        hook = find_hook(hooks, name)
        if hook is not None and isinstance(table, Mapping):
            commands = table.get(hook.commands_setting)
            for number, command in enumerate(commands if isinstance(commands, list) else ()):
                yield from _declare_check(
                    reader, command, ("hooks", name, hook.commands_setting, str(number)), hook, kinds
                )


def _declare_check(
    reader: Reader, command: Any, path: Path, hook: Hook, kinds: Kinds
) -> Iterator[Declaration]:
    table = {"command": command} if isinstance(command, str) else command
    if not isinstance(table, Mapping) or "command" not in table:
        subject = f"item {int(path[-1]) + 1} of {hook.commands_setting!r} of hook {hook.name!r}"
        reader.report(path, f"{subject} must be a command, or a table with a `command`")
        return
    default_name = f"{hook.name}.{reader.file.source}-{int(path[-1]) + 1}"
    defaults = {"priority": hook.priority, "on_failure": "block", "on_timeout": "warn"}
    entry_table = {
        **defaults,
        **({"on_timeout": table["on_failure"]} if "on_failure" in table else {}),
        **table,
    }
    for declaration in declare_entry(reader, entry_table, path, kinds, hook.on[0].__name__, default_name):
        yield replace(declaration, spec=Frozen({**declaration.spec, PART_OF: hook.name}))
