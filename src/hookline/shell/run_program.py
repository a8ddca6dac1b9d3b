"""Evaluation of one program: record it, and evaluate the commands it would run in turn."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.git_settings import find_variable_commands
from hookline.shell.grammar import COMMAND_WORK, parse
from hookline.shell.options import word_set
from hookline.shell.program_table import find_program, program_name
from hookline.shell.result import UNKNOWN, Redirect, SimpleCommand, Word
from hookline.shell.shell_state import (
    FILE_PREFIX,
    MAX_TEXT,
    OPAQUE,
    UNSET,
    Call,
    InnerCommand,
    Result,
    ShellState,
    add_problem,
    attribute_unknown,
    cwd,
    find_file,
    is_unknown,
    lookup,
    repeat_script,
    resolve,
    rollback,
    set_values,
    spend,
    split_origins,
    too_deep,
    unknown_output,
    written_content,
)
from hookline.shell.shells import SHELLS
from hookline.shell.syntax import Command, Node, Pipe, Span, Step, Steps, Term

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/env[ \t]+(?:-S[ \t]+)?)?(\S+)")
_MAX_FOLDERS = 20
"""Maximum folders of `PATH` that are searched."""
_SCRIPT_WORK, _SCRIPT_COMMANDS = 120_000, 400
"""Units of work, and simple commands, of a script that existed before the line."""
_CODE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "python3"), ("-c",)),
    **dict.fromkeys(("perl", "ruby", "node"), ("-e", "-E", "-p", "-pe")),
    "php": ("-r",),
    **dict.fromkeys(("jq", "yq"), ("-n", "-nr", "-rn", "--null-input")),
}
"""Options of programs that compute their output from their arguments."""
_MACHINE_VALUES = re.compile(
    r"\b(?:sys|sysconfig|site|time|date\w*|Date|rand\w*|uuid\w*|secrets|platform|environ|getenv|ENV|process"
    r"|which|__file__|\w*version\w*|import_module|os\.cpu_count|tempfile)\b|\0"
)
"""Names in code whose output depends on the machine or the time."""
_MAX_TRAPS = 50
_TRANSFORMERS = word_set("perl python python3 ruby node php lua jq yq openssl gpg m4 xmllint sed dc bc")
"""Programs whose output depends on their input in ways that are not followed."""
_MAX_SEARCHED = 4_000
"""Maximum characters of a line that is searched as a whole for the position of a piece of code."""


def invoke(
    state: ShellState,
    argv: tuple[Word, ...],
    stdin: str,
    span: Span,
    *,
    redirects: tuple[Redirect, ...] = (),
    settings: tuple[tuple[str, str], ...] = (),
) -> str:
    """Record the command *argv*, evaluate the commands it runs, and return its output if known."""
    if len(state.commands) >= state.commands_limit:
        spend(state, 1)  # records the problem once
        return UNKNOWN
    name = program_name(argv[0].text)
    if OPAQUE in argv[0].text:
        add_problem(state, "runs text that is encoded or too long", state.line, span)
    output_mark = record_command(state, name, argv, stdin, span, redirects=redirects, settings=settings)
    outer = [(key, state.variables.get(key)) for key, _ in settings]
    for key, value in settings:
        set_values(state, key, (value,))
    if settings:
        evaluate_variables(state, settings, span)
    before = len(state.commands), len(state.code_effects)
    output = _run_command(state, name, argv, stdin, span)
    output = attribute_unknown(output if len(output) <= MAX_TEXT else OPAQUE, output_mark)
    is_alone = before == (len(state.commands), len(state.code_effects))
    if name in _TRANSFORMERS and is_unknown(output) and _is_fixed(name, argv, stdin, is_alone=is_alone):
        output = OPAQUE + output_mark.removeprefix(UNKNOWN)
    for key, old in outer:
        if old is None:
            state.variables.pop(key, None)
        else:
            set_values(state, key, old)
    return output


def _is_fixed(name: str, argv: tuple[Word, ...], stdin: str, *, is_alone: bool) -> bool:
    """Return whether the line fixes the output of a program: its input is known, or its code uses no file."""
    if stdin:
        return UNKNOWN not in stdin
    texts = {word.text for word in argv[1:]}
    has_code = is_alone and not texts.isdisjoint(_CODE_OPTIONS.get(name, ()))
    return has_code and not any(map(_MACHINE_VALUES.search, texts))


def record_command(
    state: ShellState,
    name: str,
    argv: tuple[Word, ...],
    stdin: str,
    span: Span,
    *,
    redirects: tuple[Redirect, ...] = (),
    settings: tuple[tuple[str, str], ...] = (),
) -> str:
    """Add a simple command to the result, and return the mark of its unknown output."""
    directory = cwd(state)
    spend(state, COMMAND_WORK)
    input_text, stdin_origins = split_origins(state, stdin)
    state.commands.append(
        SimpleCommand(
            name=name,
            words=_resolve_origins(state, argv),
            redirects=redirects and tuple(_resolve_redirect(state, redirect) for redirect in redirects),
            assignments=settings,
            span=span,
            via=state.via,
            cwd=None if UNKNOWN in directory else directory,
            stdin=input_text,
            stdin_origins=stdin_origins,
            script=written_content(state, argv) if state.files else "",
            in_script=state.existing_script != "",
        )
    )
    return unknown_output(state)


def _resolve_origins(state: ShellState, argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return *argv* with marks turned into origins, including the origins of files that words name."""
    if not state.files and all(word.text.isascii() for word in argv):
        return argv
    return tuple(_resolve_word_origins(state, word) for word in argv)


def _resolve_word_origins(state: ShellState, word: Word) -> Word:
    text, origins = split_origins(state, word.text)
    for path in {word.text, FILE_PREFIX.split(word.text)[-1]} if state.files else ():
        written = path.rpartition("/")[2] in state.file_names
        content = state.files.get(resolve(state, path), "") if written else ""
        if UNKNOWN in content and spend(state, len(content) >> 4):
            origins += split_origins(state, content)[1]
    if not origins and text == word.text:
        return word
    return Word(text=text, span=word.span, glob=word.glob, origins=origins, unset=UNSET in word.text)


def _resolve_redirect(state: ShellState, redirect: Redirect) -> Redirect:
    """Return *redirect* without marks, and with the file of a descriptor: `exec 3> file; … >&3`."""
    if redirect.op == ">&" and "fd " + redirect.target.text in state.variables:
        file = lookup(state, "fd " + redirect.target.text) or ""
        return Redirect(
            op=">", fd=redirect.fd, target=redirect.target.with_text(file, redirect.target.origins)
        )
    text, origins = split_origins(state, redirect.target.text)
    if text == redirect.target.text:
        return redirect
    return Redirect(op=redirect.op, fd=redirect.fd, target=redirect.target.with_text(text, origins))


def _run_command(state: ShellState, name: str, argv: tuple[Word, ...], stdin: str, span: Span) -> str:
    body = state.functions.get(argv[0].text)
    if body is not None and not any(body is called for called in state.call_stack):
        return _call_function(state, body, argv, stdin)
    if body is not None and state.background_depth > state.background_depth_at_call.get(
        argv[0].text, state.background_depth
    ):
        state.fork_bombs.append(span)
    call = Call(argv, stdin, span)
    program = find_program(name) or state.runners.get(name)
    path = _find_written_program(state, argv[0].text)
    result = program(state, call) if program is not None and not path else Result()
    if program is None or path or ("/" in argv[0].text and name not in SHELLS):
        result = result._replace(inner=result.inner + _run_script(state, call, path).inner)
    if result.inner:
        printed = result.output if result.output != UNKNOWN else ""
        return printed + "".join([evaluate_inner(state, command) for command in result.inner])
    return result.output


def _find_written_program(state: ShellState, name: str) -> str:
    """Return the path of a program that this line wrote, by its path or in a folder of `PATH`."""
    if not state.files or name.rpartition("/")[2] not in state.file_names:
        return ""
    is_path = "/" in name or name == lookup(state, "0")
    folders = [""] if is_path else (lookup(state, "PATH") or "").split(":")[:_MAX_FOLDERS]
    paths = (resolve(state, f"{folder}/{name}" if folder else name) for folder in folders)
    return next((path for path in paths if path in state.files), "")


def _run_script(state: ShellState, call: Call, path: str) -> Result:
    """Run a file by its path, in the language that its first line names."""
    path = path or call.argv[0].text
    if "/" not in path or UNKNOWN in path:
        return Result()
    content, exists = find_file(state, path)
    if content is None:
        return Result()
    shebang = _SHEBANG.match(content)
    if shebang is not None and program_name(shebang.group(1)) not in SHELLS:
        words = (Word(text=text, span=call.span) for text in (*shebang.group().split()[-1:], path))
        interpreter = program_name(shebang.group(1))
        if find_program(interpreter) is None:
            return Result()
        argv = (Word(text=interpreter, span=call.span), *tuple(words)[1:], *call.argv[1:])
        return Result(inner=(InnerCommand(path, call.span, argv, stdin=call.stdin),))
    args = tuple(word.text for word in call.argv)
    command = InnerCommand(path, call.span, code=content, stdin=call.stdin, args=args, exists=exists)
    return Result(inner=(command,))


def evaluate_inner(state: ShellState, command: InnerCommand) -> str:
    """Evaluate a command that a program runs, one wrapper deeper, and return its output."""
    if too_deep(state):
        text = command.code or " ".join(word.text for word in command.argv)
        add_problem(state, "too many nested wrappers", text, command.span)
        return UNKNOWN
    script = f"{command.code}\0{command.args}" if command.code and command.args else ""
    if script in state.scripts:
        return repeat_script(state, script, command.span)
    if script:
        state.scripts[script] = (state.background_depth, 0)
    output = _evaluate_nested(state, command)
    state.scripts.pop(script, None)
    return output


def _evaluate_nested(state: ShellState, command: InnerCommand) -> str:
    checkpoint = len(state.undo_log)
    saved = state.via, state.depth, state.wrapper_depth, state.alternative, state.alternative_count
    state.via = (*state.via, command.via)
    state.depth += 1
    state.wrapper_depth += 1
    if command.args is not None:
        set_values(state, "0", command.args[:1])
        set_values(state, "@[]", command.args[1:])
    for name, value in command.settings:
        set_values(state, name, (value,))
    if command.settings:
        evaluate_variables(state, command.settings, command.span)
    traps, state.traps = state.traps, []
    output = _evaluate_script(state, command) if command.exists else _evaluate_contents(state, command)
    if command.subshell:
        output += run_traps(state)
        rollback(state, checkpoint)
    state.traps = traps + state.traps
    state.via, state.depth, state.wrapper_depth, state.alternative, state.alternative_count = saved
    return output


def run_traps(state: ShellState) -> str:
    """Evaluate the commands of `trap` at the end of a shell, and return their output."""
    traps, state.traps = state.traps[:_MAX_TRAPS], []
    return "".join([evaluate_inner(state, command) for command in traps])


def evaluate_variables(state: ShellState, settings: tuple[tuple[str, str], ...], span: Span) -> None:
    """Evaluate the commands in variables that other programs run: pagers, editors, prompts."""
    for command in find_variable_commands(state, settings, span):
        evaluate_inner(state, command)


def _evaluate_script(state: ShellState, command: InnerCommand) -> str:
    """Evaluate a script that existed before the line, with limits of its own: the line is read to its end."""
    saved = state.work_left, state.commands_limit, state.existing_script
    budget = min(state.work_left, _SCRIPT_WORK)
    state.work_left = budget
    state.commands_limit = min(state.commands_limit, len(state.commands) + _SCRIPT_COMMANDS)
    state.existing_script = command.code or " "
    output = _evaluate_contents(state, command)
    used = budget - max(state.work_left, 0)
    state.work_left, state.commands_limit, state.existing_script = saved[0] - used, *saved[1:]
    return output


def _evaluate_contents(state: ShellState, command: InnerCommand) -> str:
    if command.code is not None:
        content = _find_printed_file(state, command.code) if is_unknown(command.code) else None
        if content is not None and not command.exists:
            return _evaluate_script(state, command._replace(code=content, exists=True))
        return _evaluate_code(state, command.code, command.stdin, command.span)
    return invoke(state, command.argv, command.stdin, command.span) if command.argv else ""


def _find_printed_file(state: ShellState, code: str) -> str | None:
    """Return the content of an existing file if *code* is the output of a `cat` of it."""
    origins = split_origins(state, code)[1]
    printer = state.commands[origins[0]] if len(origins) == 1 else None
    if printer is None or printer.name != "cat":
        return None
    inputs = [redirect.target for redirect in printer.redirects if redirect.op == "<"]
    paths = [word.text for word in (*printer.words[1:], *inputs) if not word.text.startswith("-")]
    return find_file(state, paths[0])[0] if len(paths) == 1 and UNKNOWN not in paths[0] else None


def _evaluate_code(state: ShellState, code: str, stdin: str, span: Span) -> str:
    if OPAQUE in code:
        add_problem(state, "runs text that is encoded or too long", state.line, span)
    if not spend(state, 1 + (len(code) >> 4)):
        return UNKNOWN
    return state.evaluate(state, _parse_inner(state, code, span), stdin)


def _parse_inner(state: ShellState, code: str, span: Span) -> Steps:
    """Parse *code*; its spans are exact if the line contains it verbatim."""
    needle = code.rstrip("\n")
    position = state.line.find(needle, *span) if spend(state, (span[1] - span[0]) >> 8) else -1
    if position < 0 and len(state.line) <= _MAX_SEARCHED:
        position = state.line.find(needle)
    return parse_code(state, code, offset=max(position, 0), fixed_span=span if position < 0 else None)


def parse_code(state: ShellState, code: str, *, offset: int = 0, fixed_span: Span | None = None) -> Steps:
    """Parse *code* with the work that is left, and record the parts that are not valid."""
    share = state.work_left // 2  # the rest is left for the evaluation of the parsed commands
    work_left = [share]
    steps, failures = parse(
        code, offset=offset, fixed_span=fixed_span, depth=state.depth, work_left=work_left
    )
    state.work_left -= share - max(work_left[0], 0)
    for failure in failures:
        add_problem(state, failure.reason, failure.text, failure.span, by_words=not failure.is_limit)
    return steps


def _call_function(state: ShellState, body: Node, argv: tuple[Word, ...], stdin: str) -> str:
    if too_deep(state):
        add_problem(state, "functions are nested too deeply", argv[0].text, argv[0].span)
        return UNKNOWN
    name = argv[0].text
    saved = state.via, state.call_stack, state.depth, state.wrapper_depth
    alternatives = state.alternative, state.alternative_count
    outer = state.variables.get("@[]", (UNKNOWN,))
    state.via, state.call_stack, state.depth = (
        (*state.via, name + "()"),
        (*state.call_stack, body),
        state.depth + 1,
    )
    state.wrapper_depth += 1
    state.background_depth_at_call[name] = state.background_depth
    set_values(state, "@[]", tuple(word.text for word in argv[1:]))
    state.scopes.append({})
    output = state.evaluate(state, Steps((Step(";", body),)), stdin)
    for local, outer_values in state.scopes.pop().items():
        set_values(state, local, outer_values)
    set_values(state, "@[]", outer)
    state.via, state.call_stack, state.depth, state.wrapper_depth = saved
    state.alternative, state.alternative_count = alternatives
    return output


def evaluate_alias(state: ShellState, alias: str, rest: tuple[Term, ...], stdin: str, name: Term) -> str:
    """Evaluate the value of an alias, with the words *rest* appended."""
    label = "alias " + str(name.parts[0])
    marker = label + "=" + alias
    saved = state.via, state.call_stack, state.depth, state.alternative, state.alternative_count
    state.via, state.call_stack, state.depth = (
        (*state.via, label),
        (*state.call_stack, marker),
        state.depth + 1,
    )
    if too_deep(state):
        add_problem(state, "aliases are nested too deeply", state.line, name.span)
    parses = spend(state, len(alias)) and not too_deep(state)
    steps = _parse_inner(state, alias, name.span) if parses else Steps(())
    output = state.evaluate(state, _append_words(steps, rest), stdin)
    state.via, state.call_stack, state.depth, state.alternative, state.alternative_count = saved
    return output


def _append_words(steps: Steps, rest: tuple[Term, ...]) -> Steps:
    """Return *steps* with the words *rest* appended to the last command."""
    if not steps.items or not rest:
        return steps
    last = steps.items[-1].node
    end = last.stages[-1] if isinstance(last, Pipe) else last
    if not isinstance(end, Command):
        return steps
    extended: Node = end._replace(words=end.words + rest)
    if isinstance(last, Pipe):
        extended = Pipe((*last.stages[:-1], extended))
    return Steps((*steps.items[:-1], steps.items[-1]._replace(node=extended)))
