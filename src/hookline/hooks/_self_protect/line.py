"""Judge a command line: everything it would run, change or set, including the scripts that it starts.

Code is judged too: it may load hookline's own modules, or set its switches.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

from hookline.core.values import replace
from hookline.hooks._self_protect.commands import SWITCH, TEXT_PROGRAMS, judge_command
from hookline.hooks._self_protect.effects import Line, judge_effects
from hookline.hooks._self_protect.finding import Action, Finding, Span
from hookline.hooks._self_protect.guarded_paths import NAMES, OURSELVES, Guard
from hookline.hooks._self_protect.processes import FOLDER_VARIABLES, judge_processes, matches_us
from hookline.hosts import AGENT_PROGRAMS
from hookline.lazy import re
from hookline.shell import UNKNOWN, Problem, Reading, SimpleCommand, Word, read
from hookline.shell.effect_table import LANGUAGES, PROGRAMS
from hookline.shell.grammar import parse
from hookline.shell.options import parse_options, word_set
from hookline.shell.syntax import Command

_MAX_DEPTH = 3
"""Maximum nesting of scripts that run scripts, and of code in strings of code."""
_MAX_FOLDERS = 32
_MARKS = re.compile(r"hook|HOOKLINE_|AR_DISABLE|AUTORESEARCH|settings|trust\.json|\brev\b|base64|(?i:env)")
"""Marks that lead to a question in code that is nested too deep to follow."""
_RELEVANT = re.compile(r"hook|HOOK|AR_|AUTO|base64|rev|eval|[/~$`*?\\]")
"""Marks of a word that may hide or name something guarded; other words need no second reading."""
_MAX_EQUALS = 4
_TEXT_PROGRAMS = frozenset((*TEXT_PROGRAMS, *PROGRAMS, *OURSELVES, *AGENT_PROGRAMS)) | word_set(
    "pytest tox nox npm pnpm yarn cargo go notify-send logger say man export read expr true false : set"
)
"""Programs that do not pass their arguments to a shell; the reader knows the exceptions."""
_CODE_FILES = (".py", ".pyw")


def judge_line(text: str, guard: Guard, depth: int = 0) -> Iterator[Finding]:
    """Yield a finding for everything that the line *text* does to the guards."""
    guard = replace(guard, links={}, copies={}, folders=[])
    line = Line(text=text, reading=_read(text, guard))
    for position, command in enumerate(line.commands):
        yield from judge_command(command, guard)
        yield from judge_effects(position, line, guard)
        yield from _judge_texts(position, line, guard, depth)
        _follow(command, guard)
    yield from judge_processes(line, guard)
    yield from _judge_assignments(line)
    yield from _judge_problems(line.reading.problems)


def judge_powershell(text: str, guard: Guard) -> Iterator[Finding]:
    """Yield a finding for each effect of a PowerShell line on the guards."""
    reading = read(text, cwd=guard.cwd, home=guard.home, shell="powershell")  # noqa: S604 -- nothing runs
    line = Line(text=text, reading=reading)
    for position in range(len(line.commands)):
        yield from judge_effects(position, line, guard)
    yield from judge_processes(line, guard)


def _read(text: str, guard: Guard) -> Reading:
    """Read *text* as the other guards do, so that it is read once; with our variables if it uses them."""
    variables = guard.variables if "$XDG_" in text or "${XDG_" in text else {}
    return read(text, cwd=guard.cwd, home=guard.home, variables=variables, facts=guard.facts)


def _judge_assignments(line: Line) -> Iterator[Finding]:
    """Yield a finding for an assignment without a command; the reader yields simple commands only."""
    for text in (line.text, *line.texts):
        name = next(_find_assigned(parse(text)[0]), None) if SWITCH.search(text) else None
        if name is not None and (text is line.text or line.wrappers):
            yield Finding(rule="switch", what=f"`{name}`")
            return


def _find_assigned(node: Any) -> Iterator[str]:
    if isinstance(node, Command) and not node.words:
        yield from (one.name for one in node.assignments if SWITCH.fullmatch(one.name))
    for part in node if isinstance(node, tuple) else ():
        if isinstance(part, tuple):
            yield from _find_assigned(part)


def _judge_problems(problems: Sequence[Problem]) -> Iterator[Finding]:
    for problem in problems:
        if any(name in problem.text for name in NAMES[:4]) or SWITCH.search(problem.text):
            yield Finding(rule="hidden", what=problem.reason, span=problem.span, action="ask")
            return


def _judge_texts(position: int, line: Line, guard: Guard, depth: int) -> Iterator[Finding]:
    """Judge the texts that the effects do not cover: code of interpreters, and words that hold commands."""
    command = line.commands[position]
    if command.name in LANGUAGES:
        for code in _find_code(command, guard):
            yield from judge_code(code, command.span) if _MARKS.search(code) else ()
    elif command.name != "git" and command.name in _TEXT_PROGRAMS | line.wrappers:
        return
    inside = replace(guard, cwd=command.cwd or guard.cwd)
    for code in _find_code_words(command):
        if depth < _MAX_DEPTH:
            for finding in judge_line(code, inside, depth + 1):
                what = f"{finding.what} in a word of `{command.name}`"
                yield replace(finding, what=what, span=command.span, action="ask")
        elif _MARKS.search(code):
            yield Finding(rule="hidden", what="code in code", span=command.span, action="ask")


def _find_code(command: SimpleCommand, guard: Guard) -> Iterator[str]:
    """Yield the code that an interpreter runs: its arguments, its input, and an existing file."""
    texts = [word.text for word in command.words[1:]]
    yield from (text for text in texts if " " in text or "(" in text)
    yield command.stdin
    path = next((text for text in texts if text.endswith(_CODE_FILES)), None)
    if path is not None and UNKNOWN not in path:
        yield guard.facts.read_script(posixpath.join(command.cwd or guard.cwd, path)) or ""


def _find_code_words(command: SimpleCommand) -> Iterator[str]:
    """Yield arguments that contain blanks, which many programs pass to a shell."""
    words: Sequence[Word] = command.words[1:]
    if command.name == "git":
        yield from (word.text[1:] for word in words if word.text.startswith("!"))
        return
    if command.name in LANGUAGES:
        words = parse_options(words, ("-c", "-e", "-E", "-r", "--eval", "-F", "-v")).operands
        words = words[1:] if command.name in ("awk", "gawk", "mawk") else words
    for text in (word.text for word in words if any(blank in word.text for blank in " \t\n>")):
        parts = text.split("=", _MAX_EQUALS) if _RELEVANT.search(text) else []
        yield from ("=".join(parts[start:]) for start in range(len(parts)))


def _follow(command: SimpleCommand, guard: Guard) -> None:
    """Record the links and copies that the line makes, and the folders that it enters."""
    options = parse_options(command.words[1:], ("-t", "--target-directory", "-S", "-o", "-m"), mixed=True)
    operands = options.operands
    if command.cwd is None or not operands:
        return
    paths = [posixpath.normpath(posixpath.join(command.cwd, word.text)) for word in operands]
    if command.name in ("cd", "chdir", "pushd") and not operands[0].dynamic:
        whole = posixpath.join(command.cwd, operands[0].text)
        real = guard.real(whole)
        if real not in (paths[0], *guard.folders) and len(guard.folders) < _MAX_FOLDERS:
            guard.folders.append(real)
        guard.folders.extend(guard.stand_ins(whole) if operands[0].glob else ())
    elif command.name in ("cp", "install") and len(paths) > 1:
        guard.copies[paths[-1]] = paths[0]
    elif command.name in ("ln", "link", "mount") and len(paths) > 1:
        for source in operands[:-1]:
            for base in (posixpath.dirname(paths[-1]), command.cwd):
                target = posixpath.normpath(posixpath.join(base, source.text))
                guard.links[posixpath.join(paths[-1], posixpath.basename(target))] = target
            guard.links[paths[-1]] = target


_MAX_CODE = 100_000
_STRINGS = re.compile(r"""("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')""")
_IMPORTS = re.compile(
    r"\bimport\s[^\n;]{0,200}?\bhookline\.(\w+)|\bfrom\s+hookline\.(\w+)"
    r"|\bfrom\s+hookline\s+import\s*(?:\(([^)]*)|([^\n;]*))"
)
_RENAMED = re.compile(r"\s+as\s+\w+")
_PURE = word_set(
    """core shell redact hosts loop frameworks testing sinks allow ask block effect hook inject modify passed
    remember warn"""
)
"""Packages and functions of hookline that change nothing on the machine."""
_LOADS = re.compile(
    r"\b(?:runpy|run_module|run_path|import_module|__import__|exec_module|resolve_name|entry_points"
    r"|spec_from_file_location|find_spec)\b"
)
"""Functions that load a module by name, found even where they are imported under an alias."""
_ADJACENT = re.compile(r"""(["'])\s*[+.]?\s*\1""")


_SETS = re.compile(
    r"""environ\[[^\]]{0,99}\]\s*=[^=] | environ\.(?:update|setdefault|pop) | \b(?:put|unset)env\b
    | \benv\s*[=:] | process\.env[.\[][^=;]{0,99}=[^=] | ENV\[[^\]]{0,99}\]\s*=[^=]
    | \bENV\{[^}]{0,99}\}\s*=[^=] | execve | \bdict\s*\(""",
    re.VERBOSE,
)


_AGENT_VARIABLES = FOLDER_VARIABLES | {name for one in AGENT_PROGRAMS.values() for name in one.variables}
_AGENT_KEYS = re.compile(rf"[{{,(\s](?:{'|'.join(sorted(_AGENT_VARIABLES))})\s*[:=]")
_OWN_ENVIRONMENT = re.compile(r"\benv\s*[=:]\s*\{(?![^}]*(?:\*\*|\.\.\.))")
_KILLS = re.compile(r"\bpsutil\b.*\.(?:kill|terminate|suspend|send_signal)\(", re.DOTALL)
_SOCKET = re.compile(r"hookline/[\w./-]*\.sock$")


def judge_code(code: str, span: Span) -> Iterator[Finding]:
    """Yield a finding for code that sets a switch, starts an agent elsewhere, or uses hookline's modules."""
    plain = _ADJACENT.sub("", code[:_MAX_CODE])
    if SWITCH.search(plain) and _SETS.search(plain):
        yield Finding(rule="switch", what="a switch of hookline", span=span)
    literals = {literal[1:-1] for literal in _STRINGS.findall(plain)}
    programs = {text.split()[0].rpartition("/")[2] for text in literals if text.strip()}
    moves = (literals & _AGENT_VARIABLES or _AGENT_KEYS.search(plain)) and _SETS.search(plain)
    if programs & AGENT_PROGRAMS.keys() and (moves or _OWN_ENVIRONMENT.search(plain)):
        yield Finding(rule="agent", what="an agent with other settings", span=span, action="ask")
    if _KILLS.search(plain) and any(map(matches_us, literals)):
        yield Finding(rule="command", what="hookline's own processes", span=span)
    if "connect" in plain and any(map(_SOCKET.search, literals)):
        yield Finding(rule="write-user", what="the socket of hookline's daemon", span=span)
    imported = (" ".join(filter(None, match.groups())) for match in _IMPORTS.finditer(plain))
    names = {name for text in imported for name in re.findall(r"\b[a-z]\w*|\*", _RENAMED.sub("", text))}
    loads = _LOADS.search(plain) and any(map(_is_our_module, literals))
    if loads or names - _PURE:
        sure = names - _PURE or "__import__" in plain or "run_module(" in plain
        action: Action = "block" if sure else "ask"
        yield Finding(rule="command", what="hookline's own modules", span=span, action=action)


def _is_our_module(text: str) -> bool:
    return re.split(r"[.:]", text)[0] == "hookline" or text.endswith("hookline/__main__.py")
