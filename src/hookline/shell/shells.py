"""Programs that take a command line as text: shells, and programs that pass text to a shell."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    find_file,
    find_written_files,
)
from hookline.shell.wrappers import run_wrapped

SHELLS = word_set("sh bash zsh dash ksh mksh ash fish yash rbash pdksh ksh93 tcsh csh posh")
_SHELL_VALUES = ("-O", "+O", "-o", "+o", "--rcfile", "--init-file", "--command", "--init-command")
_CRON_LINE = re.compile(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
_ENTER_KEYS = frozenset({"Enter", "C-m", "KPEnter"})


def run_code(via: str, word: Word, *, args: tuple[str, ...] | None = None, stdin: str = "") -> Result:
    """Return the result of running the text of *word* in a shell."""
    return Result("", (InnerCommand(via, word.span, code=word.text, args=args, stdin=stdin),))


def run_joined(
    via: str, words: tuple[Word, ...], *, settings: tuple[tuple[str, str], ...] = (), stdin: str = ""
) -> Result:
    """Return the result of running *words*, joined by spaces, in a shell."""
    if not words:
        return Result()
    span = (words[0].span[0], words[-1].span[1])
    code = " ".join(word.text for word in words)
    return Result("", (InnerCommand(via, span, code=code, settings=settings, stdin=stdin),))


def _shell(state: ShellState, call: Call) -> Result:
    name = call.argv[0].text.rpartition("/")[2]
    options = parse_options(_drop_disabled_options(call.argv[1:]), _SHELL_VALUES)
    if options.has("-n"):
        return Result("")
    if options.has("-c", "--command"):
        return _run_shell_code(name, call, options)
    if options.operands and not options.has("-s"):
        return _run_shell_script(state, call, options.operands)
    if options.has("--version", "--help"):
        return Result()
    if not call.stdin:
        return Result()
    args = (name, *(word.text for word in options.operands))
    return Result("", (InnerCommand(name, call.span, code=call.stdin, args=args),))


def _drop_disabled_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return *words* without `+x`, which disables an option, and without the options so disabled."""
    disabled = {word.text[1:] for word in words if word.text[:1] == "+" and word.text[1:].isalpha()}
    if not disabled or "O" in disabled or "o" in disabled:
        return words
    dropped = {sign + name for name in disabled for sign in "+-"}
    return tuple(word for word in words if word.text not in dropped)


def _run_shell_code(name: str, call: Call, options: Options) -> Result:
    command = options.value("--command")
    operands = (command, *options.operands) if command is not None else options.operands
    if not operands:
        return Result()
    args = tuple(word.text for word in operands[1:]) or (name,)
    return run_code(name + " -c", operands[0], args=args, stdin=call.stdin)


def _run_shell_script(state: ShellState, call: Call, operands: tuple[Word, ...]) -> Result:
    path = operands[0].text
    if operands[0].glob and state.files:
        path = next(iter(find_written_files(state, path)), path)
    from_input = path in ("/dev/stdin", "-", "/dev/fd/0")
    content, exists = (call.stdin, False) if from_input else find_file(state, path)
    if content is None:
        return Result()
    args = tuple(word.text for word in operands)
    span = call.span if path in ("/dev/stdin", "-") else operands[0].span
    return Result("", (InnerCommand(path, span, code=content, args=args, exists=exists),))


def _su(state: ShellState, call: Call) -> Result:
    options = parse_options(
        call.argv[1:], ("-c", "--command", "-s", "--shell", "-g", "-G", "-u", "--user"), mixed=True
    )
    command = options.value("-c", "--command")
    if command is not None:
        return run_code("su -c", command)
    return run_wrapped("runuser", call, options.operands) if options.has("-u", "--user") else Result()


def _watch(state: ShellState, call: Call) -> Result:
    return run_joined("watch", parse_options(call.argv[1:], ("-n", "--interval", "-q", "--equexit")).operands)


def _script(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-c", "--command", "-E", "-I", "-O", "-B", "-T", "-o", "-m"))
    command = options.value("-c", "--command")
    rest = options.operands[1:]
    if command is None and rest and rest[0].text.startswith("-"):  # options may follow the file
        command = parse_options(rest, ("-c", "--command")).value("-c", "--command")
    return run_code("script -c", command) if command is not None else run_wrapped("script", call, rest)


def _flock(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-w", "-E", "--timeout", "--conflict-exit-code"))
    rest = parse_options(options.operands[1:], ("-c", "--command"))
    command = rest.value("-c", "--command")
    if command is not None:
        return run_code("flock -c", command)
    return run_wrapped("flock", call, rest.operands)


def _at(state: ShellState, call: Call) -> Result:
    file = parse_options(call.argv[1:], ("-f", "-q", "-t")).value("-f")
    code, exists = find_file(state, file.text) if file is not None else (call.stdin, False)
    return Result("", (InnerCommand("at", call.span, code=code, exists=exists),)) if code else Result()


def _crontab(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-u",)).operands
    if not operands or operands[0].text != "-":
        return Result()
    matches = (_CRON_LINE.fullmatch(line.lstrip(UNKNOWN)) for line in call.stdin.split("\n"))
    jobs = "\n".join(match.group(1) for match in matches if match is not None)
    return Result("", (InnerCommand("crontab", call.span, code=jobs),))


def _tmux(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-L", "-S", "-f", "-c")).operands
    if not operands:
        return Result()
    rest = parse_options(
        operands[1:],
        ("-t", "-s", "-n", "-c", "-e", "-F", "-x", "-y", "-N", "-l", "-p"),
        mixed=operands[0].text.startswith("send"),
    )
    words = tuple(word for word in rest.operands if word.text not in _ENTER_KEYS)
    return run_joined("tmux " + operands[0].text, words)


def _screen(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-S", "-c", "-h", "-p", "-s", "-t", "-T", "-e")).operands
    if operands and operands[0].text == "stuff":
        return run_joined("screen", operands[1:])
    return run_wrapped("screen", call, operands)


def _nix_shell(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("--run", "--command", "-p", "-c", "-I", "--arg"), mixed=True)
    command = options.value("--run", "--command")
    return run_code("nix-shell --run", command) if command is not None else Result()


def _ansible(state: ShellState, call: Call) -> Result:
    """Run `ansible hosts -m shell -a 'command'`; the default module also runs a command."""
    options = parse_options(
        call.argv[1:], ("-m", "-a", "-i", "-u", "--args", "--module-name", "--inventory"), mixed=True
    )
    module, command = options.value("-m", "--module-name"), options.value("-a", "--args")
    if command is None or (module is not None and module.text not in ("shell", "command", "raw")):
        return Result()
    return run_code("ansible -a", command)


def _run_all_operands(state: ShellState, call: Call) -> Result:
    """Run every operand as a command line: hyperfine, concurrently."""
    name = call.argv[0].text
    options = parse_options(call.argv[1:], (*_PLAIN_VALUES, *_COMMAND_VALUES), mixed=True)
    words = [value for option, value in options.options if option in _COMMAND_VALUES and value is not None]
    return Result(
        "", tuple(InnerCommand(name, word.span, code=word.text) for word in (*words, *options.operands))
    )


_PLAIN_VALUES = ("-w", "-r", "-m", "-M", "-n", "--names", "--warmup", "--runs", "--export-json")
_COMMAND_VALUES = ("-p", "-s", "-c", "--prepare", "--setup", "--cleanup", "--conclude")
"""Options of hyperfine that take a command line; some of their letters mean colours to concurrently."""


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(("su", "runuser", "sg"), _su),
    "watch": _watch,
    "script": _script,
    "flock": _flock,
    **dict.fromkeys(("at", "batch"), _at),
    "crontab": _crontab,
    "tmux": _tmux,
    "screen": _screen,
    "nix-shell": _nix_shell,
    "ansible": _ansible,
    **dict.fromkeys(("hyperfine", "concurrently"), _run_all_operands),
}
