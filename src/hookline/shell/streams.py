"""Redirections and filters: the input of a command, and where its output goes."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.expand import evaluate_substitution, expand_text
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Redirect, Word
from hookline.shell.shell_state import (
    MAX_FILES,
    MAX_TEXT,
    OPAQUE,
    Call,
    Program,
    Result,
    ShellState,
    is_unknown,
    lookup,
    read_file,
    resolve,
    set_values,
    set_variable,
    spend,
    store_file,
)
from hookline.shell.syntax import Redirection

_REFERENCE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_OUTPUT_OPERATORS = frozenset({">", ">>", ">|", "&>", "&>>"})
_FIRST_NAMED_FD = 10
"""The descriptor that bash assigns to the first `{name}`."""


def redirect_input(
    state: ShellState, redirections: tuple[Redirection, ...], redirects: tuple[Redirect, ...], stdin: str
) -> str:
    """Return the standard input of the command; other descriptors become files `/dev/fd/N`."""
    for redirection, redirect in zip(redirections, redirects, strict=True):
        content = _input_content(state, redirection, redirect)
        if content is None:
            _open_descriptor(state, redirect)
            continue
        if redirection.fd in ("", "0"):
            stdin = content
        else:
            store_file(state, f"/dev/fd/{_descriptor_number(state, redirection.fd)}", content)
    return stdin


def _input_content(state: ShellState, redirection: Redirection, redirect: Redirect) -> str | None:
    if redirection.body is not None:
        return expand_text(state, redirection.body.parts)
    if redirection.op == "<<<":
        return redirect.target.text + "\n"
    if redirection.op in ("<", "<>"):
        return read_file(state, redirect.target.text)
    if redirection.op == "<&":
        return state.files.get("/dev/fd/" + redirect.target.text, UNKNOWN)
    return None


def _open_descriptor(state: ShellState, redirect: Redirect) -> None:
    """Remember the file of `exec 3>file`, to which later commands write by number."""
    if redirect.fd in ("", "1", "2"):
        return
    if redirect.op in _OUTPUT_OPERATORS:
        set_values(
            state, "fd " + _descriptor_number(state, redirect.fd), (resolve(state, redirect.target.text),)
        )
    elif redirect.op == ">&":
        source = "fd " + redirect.target.text.removesuffix("-")
        set_values(
            state, "fd " + _descriptor_number(state, redirect.fd), state.variables.get(source, (UNKNOWN,))
        )


def _descriptor_number(state: ShellState, fd: str) -> str:
    """Return the number of the descriptor; for `{name}`, a free one that is assigned to the variable."""
    if fd.startswith("{"):
        set_variable(state, fd.strip("{}"), str(_FIRST_NAMED_FD))
        return str(_FIRST_NAMED_FD)
    return fd


def redirect_output(state: ShellState, redirects: tuple[Redirect, ...], output: str, first: int) -> str:
    """Write the *output* of the commands from *first* on to files, and return the rest for the next one."""
    if redirects:
        state.outputs[first] = len(state.commands), not output
    for redirect in redirects:
        if redirect.op in _OUTPUT_OPERATORS and redirect.fd in ("", "1"):
            write_file(state, redirect.target.text, output, append=redirect.op.endswith(">>"))
            output = ""
        elif redirect.op == ">&" and redirect.fd in ("", "1") and redirect.target.text != "1":
            write_file(state, lookup(state, "fd " + redirect.target.text) or UNKNOWN, output, append=True)
            output = ""
    return output


def write_file(state: ShellState, path: str, content: str, *, append: bool) -> None:
    """Remember the content of a file written by this line, so that running it later can be evaluated."""
    absolute = resolve(state, path)
    if absolute in state.sinks:
        evaluate_substitution(state, state.sinks[absolute], content)
    if len(state.files) >= MAX_FILES or absolute == "/dev/null" or UNKNOWN in absolute:
        return
    stored = state.files.get(absolute, "") + content if append else content
    store_file(state, absolute, stored)


_VALUES = word_set("-n -c -k -t -w -f -s -S -d --lines --bytes --key --field-separator --width")
_SPECIAL, _SPECIAL_EXTENDED = re.compile(r"[\\.*\[\]^$]"), re.compile(r"[\\.*\[\]^$+?{}|()]")
_CONTEXT = word_set(
    "-A -B -C -n -H -f -w -x -z -b --context --line-number --file --word-regexp --line-regexp"
)
_GREP_VALUES = word_set("-e -f -m -A -B -C --regexp --file --max-count --include --exclude")


def _filter(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], _VALUES, mixed=True)
    return pass_through(
        state, call, tuple(word for word in options.operands if not word.text.startswith("+"))
    )


def _grep(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], _GREP_VALUES, mixed=True)
    if options.has("-c", "--count", "-q", "--quiet", "-l", "-L", "-r", "-R", "--files"):
        return Result()
    pattern = options.value("-e", "--regexp") or next(iter(options.operands), None)
    files = options.operands if options.has("-e", "-f", "--regexp", "--file") else options.operands[1:]
    passed = pass_through(state, call, files)
    is_extended = (
        options.has("-E", "-P") or not call.argv[0].text.endswith("grep") or "eg" in call.argv[0].text
    )
    special = _SPECIAL_EXTENDED if is_extended else _SPECIAL
    if pattern is None or special.search(pattern.text) or options.has(*_CONTEXT) or UNKNOWN in passed.output:
        return passed
    return Result(_select_lines(passed.output, pattern.text, options))


def _select_lines(text: str, literal: str, options: Options) -> str:
    ignores_case = options.has("-i", "--ignore-case")
    needle = literal.lower() if ignores_case else literal
    chosen = [
        line
        for line in text.split("\n")[:-1]
        if (needle in (line.lower() if ignores_case else line)) != options.has("-v", "--invert-match")
    ]
    return "".join((literal if options.has("-o", "--only-matching") else line) + "\n" for line in chosen)


def _envsubst(state: ShellState, call: Call) -> Result:
    if not spend(state, len(call.stdin) >> 4):
        return Result()
    text = _REFERENCE.sub(lambda match: lookup(state, match[1] or match[2]) or "", call.stdin)
    return pass_through(state, call._replace(stdin=text), ())


def pass_through(state: ShellState, call: Call, files: tuple[Word, ...]) -> Result:
    """Return the input as output if any of it is known; otherwise the output originates from this command."""
    contents = [state.files.get(resolve(state, word.text), UNKNOWN) for word in files if word.text != "-"]
    content = "".join(contents) if contents else call.stdin
    if len(content) > MAX_TEXT:
        return Result(OPAQUE)
    return Result() if is_unknown(content) else Result(content)


def _realpath(state: ShellState, call: Call) -> Result:
    """Resolve the operands of `realpath PATH…` and `readlink -f PATH…`; links are not known here."""
    options = parse_options(call.argv[1:], ("--relative-to", "--relative-base"), mixed=True)
    prints_path = options.has("-f", "-e", "-m") or call.argv[0].text.endswith("realpath")
    all_known = not any(UNKNOWN in word.text or word.glob for word in options.operands)
    if not prints_path or not all_known or options.has("--relative-to", "--relative-base"):
        return Result()
    return Result("".join(resolve(state, word.text) + "\n" for word in options.operands))


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(word_set("sort uniq nl fold fmt column sponge pv"), _filter),
    **dict.fromkeys(word_set("grep egrep fgrep rg"), _grep),
    "envsubst": _envsubst,
    **dict.fromkeys(("realpath", "readlink", "grealpath", "greadlink"), _realpath),
}
