"""Pack remote-exec: downloaded or decoded code that is run without review."""

from collections.abc import Iterator

from hookline.hooks._dangerous_command.exfil import fetched, sources
from hookline.hooks._dangerous_command.rule import Finding, Pack, Place
from hookline.shell import UNKNOWN, SimpleCommand
from hookline.shell.options import word_set

REMOTE_EXEC = Pack(
    "remote-exec",
    {
        "run-download": (
            "This runs code that was just fetched from elsewhere, or decoded, and that nobody has read.",
            "Save it with `curl -fsSLo install.sh URL`, read it, then run the file in its own command.",
        ),
        "reverse-shell": (
            "This hands a shell on this machine to someone on the network.",
            "Work on the other machine with `ssh HOST` instead.",
        ),
        "git-ssh-command": (
            "This has git run a program of the line's choice to reach the remote.",
            "Use the ssh configuration; a key is chosen with `GIT_SSH_COMMAND='ssh -i KEY' git fetch`.",
        ),
    },
)
_SHELLS = word_set("sh bash zsh dash ksh ash fish mksh")
_INTERPRETERS = _SHELLS | word_set("python perl ruby node nodejs php lua pwsh powershell source . eval")
_SSH = word_set("ssh autossh plink.exe tortoiseplink")


def remote(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge the origin of the code of *command*, and its connections."""
    first = command.words[0]
    via = command.via[-1] if command.via else ""
    if first.text.startswith(UNKNOWN) and any(map(fetched, sources(first.origins, place))):
        yield REMOTE_EXEC.find("run-download", command)
    if via == "git smuggled ssh" or (via == "git ssh" and command.name not in _SSH):
        yield REMOTE_EXEC.find("git-ssh-command", command)
    if via.endswith(" --exec") and command.name in _SHELLS:
        yield REMOTE_EXEC.find("reverse-shell", command)
    if command.name in _INTERPRETERS:
        yield from _connected(command)


def _connected(command: SimpleCommand) -> Iterator[Finding]:
    for redirect in command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            rule = "run-download" if redirect.op == "<" else "reverse-shell"
            yield REMOTE_EXEC.find(rule, command)
            return
