"""What a call runs, in a word or two: the program that an error is known by, whatever is around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hookline.core.error_signature import name
from hookline.shell import Simple, read
from hookline.shell.options import spelled

SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}
_ASIDE = spelled(
    """cd export set source . true : echo printf pushd popd umask ulimit sleep test [ mkdir env"""
)
_LOOKING = spelled(
    """cat ls head tail grep rg egrep fgrep find fd wc which type file stat tree pwd less more diff du df ps
    whoami date jq awk sort uniq cut tr basename dirname realpath readlink sleep echo printf cd true :"""
)
"""Programs that change nothing, and so mend nothing."""
_LOOKING_AT = frozenset(
    (
        "git status",
        "git log",
        "git diff",
        "git show",
        "git branch",
        "git remote",
        "npm ls",
        "pip list",
        "docker ps",
    )
)
_SUBBED = spelled(
    """git npm pnpm yarn npx bun cargo go docker podman kubectl helm pip pip3 uv poetry conda terraform aws
    gcloud az gh brew apt apt-get dotnet mvn gradle bundle rails composer systemctl make just tox nox deno"""
)
_RUN = frozenset(("run", "exec", "compose", "tool"))
_PYTHONS = ("python", "python3", "py")


def command_of(given: Mapping[str, Any]) -> str:
    """The command line in what a shell tool was given: what is called so, else its first text."""
    found = given.get("command")
    return (
        found if isinstance(found, str) else next((one for one in given.values() if isinstance(one, str)), "")
    )


def base_of(kind: str, tool: str, command: str, cwd: str = "", home: str = "") -> str:
    """By what a call is known: its program and what that is told to do, else its tool."""
    if kind not in SHELLS:
        return name(tool) or name(kind) or "tool"
    commands = read(command, cwd=cwd, home=home, shell=SHELLS[kind]).commands
    wrappers = {via.split()[0] for one in commands for via in one.via if via}
    chosen = [one for one in commands if one.name and one.name not in _ASIDE | wrappers] or commands
    return _base(chosen[0]) if chosen else "shell"


def _base(command: Simple) -> str:
    words = [word.text for word in command.words[1:]]
    if command.name in _PYTHONS and words[:1] == ["-m"]:
        return name(words[1]) if len(words) > 1 and name(words[1]) else "python"
    told = [word for word in words if not word.startswith("-")]
    depth = (2 if told[:1] and told[0] in _RUN else 1) if command.name in _SUBBED else 0
    return " ".join(filter(None, map(name, (command.name, *told[:depth])))) or "shell"


def only_looks(command: str) -> bool:
    """Whether a command line changes nothing, as far as its programs tell."""
    reading = read(command)
    if any(
        one.op in (">", ">>", "&>", ">|") and one.target.text != "/dev/null"
        for c in reading.commands
        for one in c.redirects
    ):
        return False
    return all(one.name in _LOOKING or _base(one) in _LOOKING_AT for one in reading.commands)
