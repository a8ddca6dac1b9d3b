"""The table of programs that run their arguments as a command, and how to find it among their options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from hookline.bash.options import Options, options
from hookline.bash.reading import Word
from hookline.bash.world import Call, Inner, Result, World, resolve

Program: TypeAlias = Callable[[World, Call], Result]

_SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


class Wrapper(NamedTuple):
    """How a program's command line leads to the command it runs."""

    values: str = ""
    """Options that take the next word."""
    operands: int = 0
    """Words of its own that come before the command."""
    settings: bool = False
    """`NAME=value` words may come before the command."""
    folder: str = ""
    """Options whose value is the folder the command runs in."""
    inert: str = ""
    """Options with which nothing is run."""


_WRAPPERS: Mapping[str, Wrapper] = {
    "sudo": Wrapper(
        "-u -g -h -p -C -c -D -R -T -U -r -t -a --user --group --host --prompt --close-from --chdir --chroot"
        " --command-timeout --other-user --role --type",
        settings=True,
        folder="-D --chdir",
        inert="-l -v -e --list --validate --edit -K --remove-timestamp",
    ),
    "doas": Wrapper("-u -C -a"),
    "run0": Wrapper("-u -g -D --user --group --chdir --unit --property --nice", folder="-D --chdir"),
    "command": Wrapper(inert="-v -V"),
    "builtin": Wrapper(),
    "exec": Wrapper("-a"),
    "nohup": Wrapper(),
    "nice": Wrapper("-n --adjustment"),
    "time": Wrapper("-f -o --format --output"),
    "timeout": Wrapper("-k -s --kill-after --signal", operands=1),
    "gtimeout": Wrapper("-k -s --kill-after --signal", operands=1),
    "setsid": Wrapper(),
    "stdbuf": Wrapper("-i -o -e --input --output --error"),
    "ionice": Wrapper("-c -n -p -P -u --class --classdata --pid"),
    "chrt": Wrapper("-p -T -P -D --pid", operands=1),
    "taskset": Wrapper("-p --pid", operands=1),
    "numactl": Wrapper("-m -N -C -p -i"),
    "prlimit": Wrapper("-p -o"),
    "linux32": Wrapper(),
    "linux64": Wrapper(),
    "fakeroot": Wrapper("-l -s -i -b --lib --faked"),
    "sshpass": Wrapper("-p -f -d -P"),
    "arch": Wrapper(),
    "setpriv": Wrapper("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits"),
    "capsh": Wrapper(),
    "strace": Wrapper("-e -o -p -s -u -E -a -I -O -S -P -X --trace --output --string-limit"),
    "ltrace": Wrapper("-e -o -p -s -u -a -n -l -x"),
    "gdb": Wrapper("-x -ex --command"),
    "valgrind": Wrapper(),
    "unbuffer": Wrapper(),
    "rlwrap": Wrapper("-f -H -s"),
    "catchsegv": Wrapper(),
    "faketime": Wrapper("-f", operands=1),
    "chroot": Wrapper("--userspec --groups", operands=1),
    "nsenter": Wrapper("-t -S -G -W --target --setuid --setgid"),
    "unshare": Wrapper("-S -G -R -w --setuid --setgid --root --wd --map-user --map-group"),
    "firejail": Wrapper(),
    "bwrap": Wrapper(
        "--bind --dev-bind --ro-bind --chdir --setenv --unsetenv --proc --dev --tmpfs --dir --uid --gid"
    ),
    "systemd-run": Wrapper("-p -u -E -t --property --unit --setenv --slice --on-active --uid --gid"),
    "systemd-inhibit": Wrapper("--what --who --why --mode"),
    "caffeinate": Wrapper("-t -w"),
    "dbus-run-session": Wrapper(),
    "xvfb-run": Wrapper("-e -f -n -s -w --server-num --server-args"),
    "proxychains": Wrapper("-f"),
    "proxychains4": Wrapper("-f"),
    "torsocks": Wrapper(),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "winpty": Wrapper(),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "entr": Wrapper(),
    "chronic": Wrapper(),
    "ts-node": Wrapper(),
    "cross-env": Wrapper(settings=True),
    "dotenv": Wrapper("-e -f -v"),
    "envdir": Wrapper(operands=1),
    "sem": Wrapper("-j --id"),
    "retry": Wrapper("-t -d --times --delay"),
    "rtk": Wrapper(),
    "npx": Wrapper("-p --package -c --call -w --workspace"),
    "bunx": Wrapper("-p --package"),
    "uvx": Wrapper("--from --with --python -p --index-url"),
    "gosu": Wrapper(operands=1),
    "su-exec": Wrapper(operands=1),
    "tini": Wrapper("-p -e"),
    "dumb-init": Wrapper("-r --rewrite"),
}

_SUBCOMMANDS: Mapping[str, frozenset[str]] = {
    "mise": frozenset({"exec", "x"}),
    "asdf": frozenset({"exec"}),
    "rbenv": frozenset({"exec"}),
    "pyenv": frozenset({"exec"}),
    "nodenv": frozenset({"exec"}),
    "bundle": frozenset({"exec"}),
    "poetry": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "pdm": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "uv": frozenset({"run"}),
    "pixi": frozenset({"run"}),
    "npm": frozenset({"exec", "x"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "yarn": frozenset({"exec", "dlx"}),
    "pipx": frozenset({"run"}),
    "lxc": frozenset({"exec"}),
    "incus": frozenset({"exec"}),
    "op": frozenset({"run"}),
    "doppler": frozenset({"run"}),
    "infisical": frozenset({"run"}),
}
"""Programs of which one subcommand runs a command."""


def _wrapper(world: World, call: Call, name: str, table: Wrapper) -> Result:
    split = options(call.argv[1:], table.values.split())
    if split.has(*table.inert.split()):
        return Result()
    settings, rest = _settings(split.operands) if table.settings else ((), split.operands)
    folder = split.value(*table.folder.split())
    if folder is not None:
        settings = (*settings, ("PWD", resolve(world, folder.text)))
    return run(name, call, rest[table.operands :], settings)


def run(name: str, call: Call, argv: tuple[Word, ...], settings: tuple[tuple[str, str], ...] = ()) -> Result:
    """The result of running *argv* through the wrapper *name*."""
    if not argv:
        return Result(call.stdin)
    span = (argv[0].span[0], max(argv[0].span[1], argv[-1].span[1]))
    inside = name in ("command", "builtin", "noglob", "nocorrect", "time")
    return Result("", (Inner(name, span, argv, stdin=call.stdin, settings=settings, subshell=not inside),))


def _settings(words: tuple[Word, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[Word, ...]]:
    settings: list[tuple[str, str]] = []
    for position, word in enumerate(words):
        found = _SETTING.fullmatch(word.text)
        if found is None:
            return tuple(settings), words[position:]
        settings.append((found.group(1), found.group(2)))
    return tuple(settings), ()


_ENV_VALUES = ("-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string", "--block-signal")


def _env(world: World, call: Call) -> Result:
    """`env`; `-S` holds words that count as if written one by one, options among them."""
    split = _env_split(call.argv[1:])
    words = split.operands[1:] if split.operands and split.operands[0].text == "-" else split.operands
    settings, rest = _settings(words)
    folder = split.value("-C", "--chdir")
    if folder is not None:
        settings = (*settings, ("PWD", resolve(world, folder.text)))
    return run("env", call, rest, settings) if rest else Result()


def _env_split(words: tuple[Word, ...]) -> Options:
    split = options(words, _ENV_VALUES)
    string = split.value("-S", "--split-string")
    if string is None:
        return split
    pieces = tuple(Word(text=piece.strip("'\""), span=string.span) for piece in string.text.split())
    return options((*pieces, *split.operands), _ENV_VALUES)


def _subcommand(call: Call, name: str, subcommands: frozenset[str]) -> Result:
    operands = options(call.argv[1:]).operands
    if not operands or operands[0].text not in subcommands:
        return Result()
    rest = operands[1:]
    dashes = next((place for place, word in enumerate(rest) if word.text == "--"), None)
    return run(name, call, rest[dashes + 1 :] if dashes is not None else options(rest).operands)


def declared(name: str, runners: Mapping[str, str]) -> Program:
    """The program *name* as a user's table has it: `name` itself, or single subcommands of it."""

    def program(world: World, call: Call) -> Result:
        inner: list[Inner] = []
        for key, values in runners.items():
            first, *path = key.split() or [""]
            operands = options(call.argv[1:], values.split()).operands
            if first == name and [word.text for word in operands[: len(path)]] == path:
                rest = options(operands[len(path) :], values.split()).operands
                inner += run(name, call, rest).inner
        return Result(inner=tuple(inner))

    return program


def _wrapped(name: str, table: Wrapper) -> Program:
    return lambda world, call: _wrapper(world, call, name, table)


def _subcommanded(name: str, subcommands: frozenset[str]) -> Program:
    return lambda _, call: _subcommand(call, name, subcommands)


PROGRAMS: Mapping[str, Program] = {
    **{name: _wrapped(name, table) for name, table in _WRAPPERS.items()},
    **{name: _subcommanded(name, subcommands) for name, subcommands in _SUBCOMMANDS.items()},
    "env": _env,
    "genv": _env,
}
