"""Programs that reach other machines or containers, and what they run there or here on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World
from hookline.shell.shells import joined
from hookline.shell.wrappers import run

Program: TypeAlias = Callable[[World, Call], Result]

SSH_VALUES = spelled("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
SCP_VALUES = spelled("-c -D -F -i -J -l -o -P -S -X")
_DEAF = spelled("-n -f -N -W -O -G -Q -V -s")
"""Options of ssh with which nobody over there reads what it is given."""
_ELSEWHERE = (("PWD", UNKNOWN),)
"""The folder over there is not ours to know."""
_RUNNING = spelled("proxycommand knownhostscommand localcommand remotecommand")
"""Options of ssh whose value is a command."""


def _ssh(world: World, call: Call) -> Result:
    """`ssh host command…`, the commands among its options, and what a shell over there reads without one."""
    split = options(call.argv[1:], SSH_VALUES)
    rest = options(split.operands[1:], SSH_VALUES)
    stdin = "" if split.has(*_DEAF) or rest.has(*_DEAF) else call.stdin
    there = joined("ssh", rest.operands, settings=_ELSEWHERE, stdin=stdin).inner
    if split.operands and not rest.operands and stdin:
        there = (Inner("ssh", call.span, code=stdin, settings=_ELSEWHERE),)
    return Result(inner=(*_configured(split), *_configured(rest), *there))


def _scp(world: World, call: Call) -> Result:
    split = options(call.argv[1:], SCP_VALUES, mixed=True)
    program = split.value("-S")
    own = () if program is None else (Inner("scp -S", program.span, code=program.text),)
    return Result(inner=(*_configured(split), *own))


def _configured(split: Options) -> tuple[Inner, ...]:
    given = [value for name, value in split.given if name == "-o" and value is not None]
    pairs = [(value, *value.text.replace("=", " ", 1).partition(" ")) for value in given]
    return tuple(
        Inner(f"ssh -o {key}", value.span, code=code)
        for value, key, _, code in pairs
        if key.lower() in _RUNNING and code.lower() != "none"
    )


def _socat(world: World, call: Call) -> Result:
    """Addresses such as `EXEC:'command',option`."""
    found: list[Inner] = []
    for word in options(call.argv[1:], spelled("-b -t -T -l -L -W -x"), mixed=True).operands:
        kind, _, rest = word.text.partition(":")
        if kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            found.append(Inner("socat " + kind, word.span, code=rest, stdin=call.stdin))
    return Result(inner=tuple(found))


def _netcat(world: World, call: Call) -> Result:
    split = options(
        call.argv[1:], spelled("-e -c -i -p -q -s -w -x -X --exec --sh-exec --lua-exec"), mixed=True
    )
    given = split.value("-e", "--exec", "-c", "--sh-exec")
    own = call.argv[0].text
    return Result(inner=() if given is None else (Inner(f"{own} --exec", given.span, code=given.text),))


_EXEC_VALUES = spelled(
    """-e -u -w -c -n -f -p -H --env --env-file --user --workdir --container --namespace --context --cluster
    --kubeconfig --index --file --project-name --profile --host --detach-keys --project-directory"""
)


def _container(world: World, call: Call) -> Result:
    """`docker exec box command…`, `docker compose exec`, `kubectl exec pod -- command…`."""
    name = call.argv[0].text.rpartition("/")[2]
    operands = options(call.argv[1:], _EXEC_VALUES).operands
    if operands and operands[0].text in ("compose", "container"):
        operands = options(operands[1:], _EXEC_VALUES).operands
    if not operands or operands[0].text != "exec":
        return Result()
    words = options(operands[1:], _EXEC_VALUES).operands
    return run(f"{name} exec", call, _command(words[1:]), _ELSEWHERE)


def _command(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """What follows a lone `--`, else all of it."""
    dashes = next((place for place, word in enumerate(words) if word.text == "--"), None)
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
