"""Messages of the path guards to the agent: what was stopped, the safe alternative, when to ask a person."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.hooks._paths.approvals import Approval
from hookline.hooks._paths.guarded import Exposure
from hookline.hooks._paths.ignore_rules import Found
from hookline.hooks._paths.tool_fields import PREFIX

_LONGEST = 200


def _shown(path: str) -> str:
    plain = "".join(char if char.isprintable() else "\ufffd" for char in path)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"


def sensitive(path: str) -> str:
    shown = _shown(path)
    return (
        f"{shown} may hold secrets, and what a tool reads of it becomes part of the conversation. "
        "Work with a template such as .env.example, or with the names of the settings, where that is enough. "
        "If the file itself is needed, ask the user, and name the path. "
        f"Once they have approved it, retry with the path written as {PREFIX}{shown}; that counts once. "
        f"(The user can also approve it in their own terminal: hookline approve {shown})"
    )


def self_approved(path: str) -> str:
    shown = _shown(path)
    return (
        f"An agent cannot approve itself: no approval of {shown} by the user was seen in this session, "
        f"or it was used already, so {PREFIX} does not count. "
        "Ask the user, name the path, and retry after they approve. "
        f"(The user can also approve it in their own terminal: hookline approve {shown})"
    )


def approved(approvals: Sequence[Approval]) -> str:
    by = {"prompt": "in a prompt", "answer": "by an answer", "terminal": "in a terminal"}
    return f"a person said yes {by.get(approvals[0].how, '')}, once" if approvals else ""


def exposed(one: Exposure) -> str:
    return f"{EXPOSED[one.rule].format(_shown(one.what))} {_INSTEAD[one.rule]}"


EXPOSED = {
    "sensitive-operand": "This command opens {}, which may hold secrets; its output stays in this chat.",
    "secret-variable": "This command prints {}, which is named like a secret.",
    "environment": "`{}` prints the whole environment, with whatever secrets are in it.",
    "secret-search": "A search of the whole tree for {!r} also reads files such as .env.",
    "keychain": "`{}` prints what a keychain keeps.",
    "unread": "A part of this line could not be read, and it names {}, which may hold secrets.",
    "too-long": "This command is too long to be checked for files that may hold secrets.",
}
_FILE = (
    "Let the program that needs the file read it by itself, or use a template such as .env.example; do not"
    " print, copy or send its content unless the user has approved that."
)
_INSTEAD = {
    "sensitive-operand": _FILE,
    "secret-variable": 'To see whether it is set, use `[ -n "$NAME" ] && echo set` with its name.',
    "environment": "Ask for the one variable you need, such as `printenv NODE_ENV`.",
    "secret-search": "Name the folders to search, such as `grep -rn password src`.",
    "keychain": "Ask the user, if you need one of those secrets.",
    "unread": "Write it as plain, separate commands. " + _FILE,
    "too-long": "Write it as several shorter commands.",
}


def scouted(found: Found) -> str:
    where = _shown(found.path)
    trust = " (for this folder only once a person has trusted that line)" if found.kept else ""
    return (
        f"{where} is kept out of your context: the pattern `{found.pattern}` matches it. "
        "Its content is generated, fetched or private, and reading it wastes your context. "
        "Look at the sources instead, or run the tool that knows it (npm ls, git log, the build). "
        "If you need exactly this, ask the user; "
        f"the line that allows it in .ckignore is {found.line}{trust}"
    )
