"""Programs that run their arguments as a command: tables of them and of their options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import Word
from hookline.shell.shell_state import OPAQUE, Call, InnerCommand, Program, Result, ShellState, resolve

ALL_OPERANDS = 1_000
"""As a number of operands: all belong to the program itself, and only an option holds a command."""


class Wrapper(NamedTuple):
    """The options and operands that precede the command a program runs."""

    values: str = ""
    """Options that take the next word."""
    operands: int = 0
    """Number of operands before the command."""
    settings: bool = False
    """True if `NAME=value` words may precede the command."""
    folder: str = ""
    """Options whose value is the working directory of the command."""
    inert: str = ""
    """Options with which no command is run."""
    code: str = ""
    """Options whose value is a command line."""
    line: bool = False
    """True if a single word with blanks is a command line as well."""
    pairs: str = ""
    """Options that take the next two words."""
    dashes: bool = False
    """True if the command follows the first `--`, at any position."""


_PLAIN = word_set(
    """builtin nohup setsid linux32 linux64 arch capsh valgrind unbuffer catchsegv firejail torsocks
    noglob nocorrect winpty busybox toybox chronic ts-node rtk with-contenv eatmydata tsocks ccache
    distcc xdg-run fakechroot dtach"""
)
"""Programs whose arguments are a command, without options that take a value."""
WRAPPERS: Mapping[str, Wrapper] = {
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
    "exec": Wrapper("-a"),
    "nice": Wrapper("-n --adjustment"),
    "time": Wrapper("-f -o --format --output"),
    **dict.fromkeys(("timeout", "gtimeout"), Wrapper("-k -s --kill-after --signal", operands=1)),
    "stdbuf": Wrapper("-i -o -e --input --output --error"),
    "ionice": Wrapper("-c -n -p -P -u --class --classdata --pid"),
    "chrt": Wrapper("-p -T -P -D --pid", operands=1),
    "taskset": Wrapper("-p --pid", operands=1),
    "numactl": Wrapper("-m -N -C -p -i"),
    "prlimit": Wrapper("-p -o"),
    "fakeroot": Wrapper("-l -s -i -b --lib --faked"),
    "sshpass": Wrapper("-p -f -d -P"),
    "setpriv": Wrapper("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits"),
    "strace": Wrapper("-e -o -p -s -u -E -a -I -O -S -P -X --trace --output --string-limit"),
    "ltrace": Wrapper("-e -o -p -s -u -a -n -l -x"),
    "rlwrap": Wrapper("-f -H -s"),
    "faketime": Wrapper("-f", operands=1),
    "chroot": Wrapper("--userspec --groups", operands=1),
    "nsenter": Wrapper("-t -S -G -W --target --setuid --setgid"),
    "unshare": Wrapper("-S -G -R -w --setuid --setgid --root --wd --map-user --map-group"),
    "bwrap": Wrapper(
        "--chdir --unsetenv --proc --dev --tmpfs --dir --uid --gid --hostname --seccomp --perms",
        pairs="--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv --file",
    ),
    "systemd-run": Wrapper(
        "-p -u -E -t -M -H -d --property --unit --setenv --slice --on-active --on-boot --on-calendar --uid"
        " --gid --working-directory --description --nice --service-type --machine --host",
        folder="--working-directory",
    ),
    "systemd-inhibit": Wrapper("--what --who --why --mode"),
    "caffeinate": Wrapper("-t -w"),
    "dbus-run-session": Wrapper("--config-file --dbus-daemon"),
    "xvfb-run": Wrapper("-e -f -n -s -w --server-num --server-args"),
    **dict.fromkeys(("proxychains", "proxychains4"), Wrapper("-f")),
    "entr": Wrapper(line=True),
    "cross-env": Wrapper(settings=True),
    "dotenv": Wrapper("-e -f -v"),
    "sem": Wrapper("-j --id"),
    "retry": Wrapper("-t -d --times --delay"),
    "npx": Wrapper("-p --package -w --workspace", code="-c --call"),
    "bunx": Wrapper("-p --package"),
    "uvx": Wrapper("--from --with --python -p --index-url"),
    "tini": Wrapper("-p -e"),
    "dumb-init": Wrapper("-r --rewrite"),
    "nodemon": Wrapper("-w -e -i -d --watch --ext --ignore --delay", ALL_OPERANDS, code="-x --exec"),
    "watchexec": Wrapper(
        "-w -e -f -i -s -d -W --watch --exts --filter --ignore --signal --debounce --workdir --shell",
        line=True,
    ),
    "proot": Wrapper("-r -b -w -q -S -R -k -i --rootfs --bind --cwd --qemu", folder="-w --cwd"),
    "pkexec": Wrapper("--user"),
    "cgexec": Wrapper("-g"),
    "chpst": Wrapper("-u -U -b -e -m -d -o -p -f -c -r -t -n -l -L -/"),
    **dict.fromkeys(("envdir", "gosu", "su-exec", "setuidgid", "s6-setuidgid"), Wrapper(operands=1)),
    "softlimit": Wrapper("-a -c -d -f -l -m -o -p -r -s -t"),
    "daemonize": Wrapper("-c -e -o -p -l -u -E"),
    "ssh-agent": Wrapper("-a -t -E -O -P"),
    "runcon": Wrapper("-u -r -t -l --user --role --type --range", operands=1),
    "choom": Wrapper("-n -p"),
    "cpulimit": Wrapper("-l -p -e --limit --pid --exe"),
    "trickle": Wrapper("-d -u -w -t -l -n"),
    "timelimit": Wrapper("-t -T -s -S"),
    **dict.fromkeys(_PLAIN, Wrapper()),
}


class Runner(NamedTuple):
    """A program with subcommands that run a command."""

    subcommands: str
    values: str = ""
    """Options before the subcommand that take the next word."""
    table: Wrapper = Wrapper()
    """The options and operands after the subcommand."""


_UV = """--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group
    --env-file --directory --project --package --index-url --index --default-index --extra-index-url
    --link-mode --color --cache-dir --config-file --refresh-package --no-extra --exclude-newer"""
_CONDA = "-n -p --name --prefix --cwd"

RUNNERS: Mapping[str, Runner] = {
    "mise": Runner("exec x", "-C --cd", Wrapper("-j --jobs", code="-c --command", dashes=True)),
    **dict.fromkeys(("asdf", "rbenv", "pyenv", "nodenv", "bundle"), Runner("exec")),
    "poetry": Runner("run", "-C -P --directory --project"),
    "pipenv": Runner("run", "--python"),
    "pdm": Runner("run", "-c -p --config --project", Wrapper("-s -p --site-packages --project")),
    "rye": Runner("run"),
    "uv": Runner("run", "--directory --project --color --cache-dir --config-file", Wrapper(_UV)),
    "pixi": Runner("run", table=Wrapper("-e --environment --manifest-path")),
    "npm": Runner(
        "exec x",
        "-C -w --prefix --workspace",
        Wrapper("-p -w --package --workspace", code="-c --call", dashes=True),
    ),
    "pnpm": Runner("exec dlx", "-C -F --dir --filter", Wrapper("--package", line=True)),
    "yarn": Runner("exec dlx", "--cwd", Wrapper("-p --package", line=True)),
    "bun": Runner("x", "--cwd", Wrapper("-p --package")),
    "pipx": Runner("run", table=Wrapper("--spec --python --index-url --pip-args")),
    **dict.fromkeys(
        ("lxc", "incus"), Runner("exec", table=Wrapper("--cwd --env --user --group", operands=1, dashes=True))
    ),
    "op": Runner("run", table=Wrapper("--env-file --account", dashes=True)),
    "doppler": Runner("run", "-p -c -t --project --config", Wrapper("-p -c", code="--command", dashes=True)),
    "infisical": Runner("run", table=Wrapper("--env --path --projectId", code="--command -c", dashes=True)),
    "dotenvx": Runner("run", table=Wrapper("-f -e --env-file --env", dashes=True)),
    "aws-vault": Runner("exec", table=Wrapper("-d --duration --region", operands=1, dashes=True)),
    "devbox": Runner("run", table=Wrapper("-c -e --config --env", line=True)),
    "tox": Runner("exec e", table=Wrapper("-e", ALL_OPERANDS, dashes=True)),
    "direnv": Runner("exec", table=Wrapper(operands=1)),
    **dict.fromkeys(("conda", "mamba", "micromamba"), Runner("run", table=Wrapper(_CONDA, folder="--cwd"))),
    "perf": Runner(
        "stat record trace mem",
        table=Wrapper("-e -o -p -t -C -F -c -r -G -D -I --event --output --repeat --call-graph"),
    ),
    "cargo": Runner("watch", table=Wrapper("-x -w -i -d -C", ALL_OPERANDS, code="-s --shell", dashes=True)),
}


_MAX_SPLIT = 4_096
"""Maximum characters of a text that is split into words by its quotes."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


def _run_wrapper(state: ShellState, call: Call, name: str, table: Wrapper) -> Result:
    options = parse_options(
        _drop_pairs(call.argv[1:], table.pairs.split()), (*table.values.split(), *table.code.split())
    )
    if options.has(*table.inert.split()):
        return Result()
    command = options.value(*table.code.split())
    if command is not None:
        return Result("", (InnerCommand(name, command.span, code=command.text, stdin=call.stdin),))
    settings, rest = _split_settings(options.operands) if table.settings else ((), options.operands)
    folder = options.value(*table.folder.split())
    if folder is not None:
        settings = (*settings, ("PWD", resolve(state, folder.text)))
    rest = rest[table.operands :]
    if table.operands and rest and rest[0].text == "--":
        rest = rest[1:]
    if table.line and len(rest) == 1 and " " in rest[0].text:
        return Result("", (InnerCommand(name, rest[0].span, code=rest[0].text, stdin=call.stdin),))
    return run_wrapped(name, call, rest, settings)


def _drop_pairs(words: tuple[Word, ...], pairs: list[str]) -> tuple[Word, ...]:
    """Return *words* without the options that take two of them."""
    if not pairs:
        return words
    rest = list(reversed(words))
    kept: list[Word] = []
    while rest:
        word = rest.pop()
        if word.text in pairs:
            del rest[-2:]
        else:
            kept.append(word)
    return tuple(kept)


def run_wrapped(
    name: str, call: Call, argv: tuple[Word, ...], settings: tuple[tuple[str, str], ...] = ()
) -> Result:
    """Return the result of running *argv* through the wrapper *name*."""
    if not argv:
        return Result(call.stdin)
    span = (argv[0].span[0], max(argv[0].span[1], argv[-1].span[1]))
    same_shell = name in ("command", "builtin", "noglob", "nocorrect", "time")
    return Result(
        "", (InnerCommand(name, span, argv, stdin=call.stdin, settings=settings, subshell=not same_shell),)
    )


def _split_settings(words: tuple[Word, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[Word, ...]]:
    settings: list[tuple[str, str]] = []
    for position, word in enumerate(words):
        match = _ASSIGNMENT.fullmatch(word.text)
        if match is None:
            return tuple(settings), words[position:]
        settings.append((match.group(1), match.group(2)))
    return tuple(settings), ()


_ENV_VALUES = ("-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string", "--block-signal")


def _env(state: ShellState, call: Call) -> Result:
    """Run `env`; the words in the value of `-S` count as separate arguments, including options."""
    options = _parse_env_options(call.argv[1:])
    words = options.operands[1:] if options.operands and options.operands[0].text == "-" else options.operands
    settings, rest = _split_settings(words)
    folder = options.value("-C", "--chdir")
    if folder is not None:
        settings = (*settings, ("PWD", resolve(state, folder.text)))
    return run_wrapped("env", call, rest, settings) if rest else Result()


def split_quoted(text: str) -> list[str]:
    """Return the words of *text* without their quotes; an unclosed quote is an ordinary character."""
    if len(text) > _MAX_SPLIT:
        return [OPAQUE]
    try:
        return shlex.split(text)
    except ValueError:
        return [piece.strip("'\"") for piece in text.split()]


def _parse_env_options(words: tuple[Word, ...]) -> Options:
    options = parse_options(words, _ENV_VALUES)
    string = options.value("-S", "--split-string")
    if string is None:
        return options
    pieces = tuple(Word(text=piece, span=string.span) for piece in split_quoted(string.text))
    return parse_options((*pieces, *options.operands), _ENV_VALUES)


def run_subcommand(state: ShellState, call: Call, name: str) -> Result:
    """Return the commands that the program *name* runs by a subcommand."""
    runner = RUNNERS[name]
    operands = parse_options(call.argv[1:], runner.values.split()).operands
    if not operands or operands[0].text not in runner.subcommands.split():
        return Result()
    rest = operands[1:]
    dashes = next((index for index, word in enumerate(rest) if word.text == "--"), None)
    if dashes is not None and runner.table.dashes:
        return run_wrapped(name, call, rest[dashes + 1 :])
    return _run_wrapper(state, call._replace(argv=operands), name, runner.table)


def declare_runner(name: str, runners: Mapping[str, str]) -> Program:
    """Return the program *name* from a user's table: the program itself, or some of its subcommands."""

    def program(state: ShellState, call: Call) -> Result:
        inner: list[InnerCommand] = []
        for key, values in runners.items():
            first, *path = key.split() or [""]
            operands = parse_options(call.argv[1:], values.split()).operands
            if first == name and [word.text for word in operands[: len(path)]] == path:
                rest = parse_options(operands[len(path) :], values.split()).operands
                inner += run_wrapped(name, call, rest).inner
        return Result(inner=tuple(inner))

    return program


PROGRAMS: Mapping[str, Program] = {
    **{name: partial(_run_wrapper, name=name, table=table) for name, table in WRAPPERS.items()},
    **{name: partial(run_subcommand, name=name) for name in RUNNERS},
    **dict.fromkeys(("env", "genv"), _env),
}
