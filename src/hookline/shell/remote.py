"""Programs that connect to other machines or containers, and the commands they run there or locally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, InnerCommand, Result, ShellState
from hookline.shell.shells import run_joined
from hookline.shell.wrappers import run_wrapped

Program: TypeAlias = Callable[[ShellState, Call], Result]

SSH_VALUES = word_set("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
SCP_VALUES = word_set("-c -D -F -i -J -l -o -P -S -X")
_NO_STDIN_OPTIONS = word_set("-n -f -N -W -O -G -Q -V -s")
"""Options of ssh with which the remote side does not read the standard input."""
_REMOTE_SETTINGS = (("PWD", UNKNOWN),)
"""Variables of a remote command; its working directory is unknown."""
_COMMAND_SETTINGS = word_set("proxycommand knownhostscommand localcommand remotecommand")
"""Settings of ssh whose value is a command."""


def _ssh(state: ShellState, call: Call) -> Result:
    """Run `ssh host command…`, the commands among its options, and the standard input without a command."""
    options = parse_options(call.argv[1:], SSH_VALUES)
    rest = parse_options(options.operands[1:], SSH_VALUES)
    stdin = "" if options.has(*_NO_STDIN_OPTIONS) or rest.has(*_NO_STDIN_OPTIONS) else call.stdin
    remote = run_joined("ssh", rest.operands, settings=_REMOTE_SETTINGS, stdin=stdin).inner
    if options.operands and not rest.operands and stdin:
        remote = (InnerCommand("ssh", call.span, code=stdin, settings=_REMOTE_SETTINGS),)
    return Result(inner=(*_find_option_commands(options), *_find_option_commands(rest), *remote))


def _scp(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], SCP_VALUES, mixed=True)
    program = options.value("-S")
    commands = () if program is None else (InnerCommand("scp -S", program.span, code=program.text),)
    return Result(inner=(*_find_option_commands(options), *commands))


def _find_option_commands(options: Options) -> tuple[InnerCommand, ...]:
    values = [value for name, value in options.options if name == "-o" and value is not None]
    pairs = [(value, *value.text.replace("=", " ", 1).partition(" ")) for value in values]
    return tuple(
        InnerCommand(f"ssh -o {key}", value.span, code=code)
        for value, key, _, code in pairs
        if key.lower() in _COMMAND_SETTINGS and code.lower() != "none"
    )


def _socat(state: ShellState, call: Call) -> Result:
    """Run addresses such as `EXEC:'command',option`."""
    commands: list[InnerCommand] = []
    for word in parse_options(call.argv[1:], word_set("-b -t -T -l -L -W -x"), mixed=True).operands:
        kind, _, rest = word.text.partition(":")
        if kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            commands.append(InnerCommand("socat " + kind, word.span, code=rest, stdin=call.stdin))
    return Result(inner=tuple(commands))


def _netcat(state: ShellState, call: Call) -> Result:
    options = parse_options(
        call.argv[1:], word_set("-e -c -i -p -q -s -w -x -X --exec --sh-exec --lua-exec"), mixed=True
    )
    command = options.value("-e", "--exec", "-c", "--sh-exec")
    name = call.argv[0].text
    return Result(
        inner=() if command is None else (InnerCommand(f"{name} --exec", command.span, code=command.text),)
    )


_EXEC_VALUES = word_set(
    """-e -u -w -c -n -f -p -H --env --env-file --user --workdir --container --namespace --context --cluster
    --kubeconfig --index --file --project-name --profile --host --detach-keys --project-directory"""
)


def _container(state: ShellState, call: Call) -> Result:
    """Run `docker exec box command…`, `docker compose exec`, `kubectl exec pod -- command…`."""
    name = call.argv[0].text.rpartition("/")[2]
    operands = parse_options(call.argv[1:], _EXEC_VALUES).operands
    if operands and operands[0].text in ("compose", "container"):
        operands = parse_options(operands[1:], _EXEC_VALUES).operands
    if not operands or operands[0].text != "exec":
        return Result()
    words = parse_options(operands[1:], _EXEC_VALUES).operands
    return run_wrapped(f"{name} exec", call, _skip_to_dashes(words[1:]), _REMOTE_SETTINGS)


def _skip_to_dashes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words after the first `--`, or all of them without one."""
    dashes = next((index for index, word in enumerate(words) if word.text == "--"), None)
    return words if dashes is None else words[dashes + 1 :]


PROGRAMS: Mapping[str, Program] = {
    "ssh": _ssh,
    "mosh": _ssh,
    "autossh": _ssh,
    "scp": _scp,
    "sftp": _scp,
    "socat": _socat,
    **dict.fromkeys(("nc", "ncat", "netcat"), _netcat),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "k3s"), _container),
}
