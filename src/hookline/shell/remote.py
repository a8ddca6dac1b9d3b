"""Programs that connect to other machines or containers, and the commands they run there or locally."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, InnerCommand, Program, Result, ShellState
from hookline.shell.shells import run_joined
from hookline.shell.wrappers import run_wrapped

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


_RUN_VALUES = _EXEC_VALUES | word_set(
    """-v -h -l -m --volume --mount --entrypoint --name --network --net --platform --hostname --memory --cpus
    --publish --label --add-host --cap-add --cap-drop --device --gpus --shm-size --ulimit --tmpfs --pull
    --restart --security-opt --volumes-from --cidfile --dns --ip --pid --ipc --userns --log-driver"""
)
_INNER_ROOT = "/tmp/.container"
"""Stands for the root of a container, whose own files are as good as temporary ones."""
_INNER_PATH = re.compile(r"""(?<![\w.~$})/-])/(?:[^\s'"`;&|<>():,*?=]*)""")


_CLIENTS = word_set(
    """aws gcloud gsutil az kubectl helm terraform tofu pulumi psql mysql mariadb redis-cli mongosh vault
    flyctl rclone migrate flyway liquibase ansible ansible-playbook doctl hcloud gh"""
)
"""Programs that change other machines also from inside a container."""
_ENTRY_POINTS: Mapping[str, str] = {
    **{name: name for name in (*_CLIENTS, "git")},
    "aws-cli": "aws",
    "opentofu": "tofu",
}
"""The program that an image runs, by the name of the image."""


def _run_image(call: Call, name: str, words: tuple[Word, ...]) -> Result:
    """Run the command of `docker run -v here:/there image command…` with the paths of this machine.

    Without mounts only clients of other machines count; all else stays in the container.
    """
    options = parse_options(words, _RUN_VALUES)
    if not options.operands:
        return Result()
    image, *rest = options.operands
    mounts = dict(filter(None, map(_find_mount, options.options)))
    argv = _find_entry(options.value("--entrypoint"), image, tuple(rest))
    if mounts:
        folder = options.value("-w", "--workdir")
        default = "/git" if argv and argv[0].text == "git" else UNKNOWN
        inside = folder.text if folder is not None else default
        settings = (("PWD", _to_outside(inside, mounts)), ("HOME", _INNER_ROOT + "/root"))
        outside = tuple([word.with_text(_to_outside(word.text, mounts), word.origins) for word in argv])
        return run_wrapped(f"{name} run", call, outside, settings)
    return run_wrapped(f"{name} run", call, argv, _REMOTE_SETTINGS) if _is_client(argv) else Result()


def _is_client(argv: tuple[Word, ...]) -> bool:
    return bool(argv) and argv[0].text in _ENTRY_POINTS


def _find_entry(entrypoint: Word | None, image: Word, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the command of a container: that of its entry point, if *words* do not name a program."""
    if entrypoint is not None:
        return (entrypoint, *words)
    program = _ENTRY_POINTS.get(image.text.rpartition("/")[2].partition(":")[0].partition("@")[0], "")
    if not program or (words and words[0].text in ("git", "sh", "bash", "ash")):
        return words
    return (image.with_text(program, ()), *words)


def _find_mount(option: tuple[str, Word | None]) -> tuple[str, str] | None:
    """Return the path inside and outside of the container for a folder of this machine that it may change."""
    name, value = option
    if value is None or name not in ("-v", "--volume", "--mount"):
        return None
    fields = dict(part.partition("=")[::2] for part in value.text.split(","))
    source = fields.get("source", fields.get("src", ""))
    target = fields.get("target", fields.get("destination", fields.get("dst", "")))
    if name != "--mount":
        source, target, *mode = [*value.text.split(":"), "", ""][:3]
        fields = dict.fromkeys(mode[0].split(","), "")
    is_folder = source.startswith(("/", ".", "~", UNKNOWN)) and target
    return (
        (target.rstrip("/") or "/", source) if is_folder and not {"ro", "readonly"} & fields.keys() else None
    )


def _to_outside(text: str, mounts: Mapping[str, str]) -> str:
    """Return *text* with the paths of this machine in place of those in the container."""

    def replace(match: re.Match[str]) -> str:
        path = match[0]
        for inside, outside in sorted(mounts.items(), reverse=True):
            if path == inside or path.startswith(inside.rstrip("/") + "/"):
                return (
                    outside.rstrip("/") + "/" + path[len(inside) :].lstrip("/") if path != inside else outside
                )
        return _INNER_ROOT + path

    return _INNER_PATH.sub(replace, text)


def _container(state: ShellState, call: Call) -> Result:
    """Run `docker exec box command…`, `docker compose exec`, `kubectl exec pod -- command…`."""
    name = call.argv[0].text.rpartition("/")[2]
    operands = parse_options(call.argv[1:], _EXEC_VALUES).operands
    if operands and operands[0].text in ("compose", "container"):
        operands = parse_options(operands[1:], _EXEC_VALUES).operands
    if operands and operands[0].text == "run" and name not in ("kubectl", "oc", "k3s"):
        return _run_image(call, name, operands[1:])
    if operands and operands[0].text == "run":
        argv = _skip_to_dashes(operands[1:])
        return run_wrapped(f"{name} run", call, argv, _REMOTE_SETTINGS) if _is_client(argv) else Result()
    if not operands or operands[0].text != "exec":
        return Result()
    words = parse_options(operands[1:], _EXEC_VALUES).operands
    return run_wrapped(f"{name} exec", call, _skip_to_dashes(words[1:]), _REMOTE_SETTINGS)


def _skip_to_dashes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words after the first `--`, or all of them without one."""
    dashes = next((index for index, word in enumerate(words) if word.text == "--"), None)
    return words if dashes is None else words[dashes + 1 :]


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("ssh", "mosh", "autossh"), _ssh),
    **dict.fromkeys(("scp", "sftp"), _scp),
    "socat": _socat,
    **dict.fromkeys(("nc", "ncat", "netcat"), _netcat),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "k3s"), _container),
}
