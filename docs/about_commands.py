"""The command line reference, from the parsers, and the manual page: the `--help` of every command."""

import os
import re
from argparse import SUPPRESS, ArgumentParser, _HelpAction, _SubParsersAction
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from unittest.mock import patch

from cells import NONE, table

from hookline.cli._command import EXITS
from hookline.cli._main import COMMANDS, build_parser, describe_exits

MAN_WIDTH = "72"
WIDTH = "100"
"""Width of the help pages in characters, as the variable `COLUMNS`."""
SHARED_BY = 3
"""Number of commands from which on the page describes an argument only once."""
RESTRICTION = re.compile(r"\n\nAn agent must not run .*")

Argument = tuple[str, str]
"""An option or positional argument, and its description."""


def commands() -> str:
    """Return the shared arguments, and a section for each command."""
    with patch.dict(os.environ, COLUMNS=WIDTH):  # noqa: TID251 -- argparse takes its width from there
        every = [parser for name in COMMANDS.names() for parser in _actions(build_parser([name]))]
        shared = _shared(every)
        sections = "".join(f"\n{_section(command, shared)}" for command in every)
    return f"```text\n{_aligned(shared)}\n```\n{sections}"


def person_only() -> str:
    """Return a list of the commands that an agent must not run."""
    names = (
        f"`{name} {words}`".replace(" `", "`")
        for name in COMMANDS.names()
        for words in COMMANDS.load(name).person_only
    )
    return f"An agent must not run these: {', '.join(names)}.\n"


def exit_codes() -> str:
    """Return the table of the exit codes of every command; commands with the usual codes share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in COMMANDS.names():
        exits = COMMANDS.load(name).exits
        other = "; ".join(f"{code}: {meaning}" for code, meaning in exits.items() if code not in EXITS)
        rows.setdefault((*(exits.get(code, NONE) for code in EXITS), other), []).append(f"`{name}`")
    cells = sorted(rows.items(), key=lambda row: -len(row[1]))
    return table(("command", *map(str, EXITS), "other"), [(", ".join(names), *row) for row, names in cells])


def _usual_exits() -> str:
    return ", ".join(f"{code}: {meaning}" for code, meaning in EXITS.items())


def _section(command: ArgumentParser, shared: Collection[Argument]) -> str:
    """Return the section of *command* and its actions; an action with examples has its own section."""
    actions = [*_actions(command)]
    with_examples = [action for action in actions if action.epilog]
    parsers = [action for action in actions if not action.epilog] if actions else [command]
    usages = "\n".join(_usage(parser, about=parser is not command) for parser in parsers)
    text = "\n\n".join(filter(None, (usages, _aligned(_merge(parsers, shared)), _epilog(command))))
    sections = "".join(f"\n{_section(action, shared)}" for action in with_examples)
    return f"## {command.prog}\n\n{command.description}\n\n```text\n{text}\n```\n{sections}"


def _merge(parsers: Collection[ArgumentParser], shared: Collection[Argument]) -> list[Argument]:
    """Return each argument once; the description of one that differs names the actions that it is for."""
    merged = {}
    for name, about in (pair for parser in parsers for pair in _arguments(parser)):
        alike = [p for p in parsers if (name, about) in _arguments(p)]
        differ = len(alike) < sum(name in dict(_arguments(p)) for p in parsers)
        actions = ", ".join(p.prog.rpartition(" ")[2] for p in alike)
        if about and (name, about) not in shared:
            merged[name, about] = f"{actions}: {about}" if differ else about
    return [(name, about) for (name, _), about in merged.items()]


def _shared(parsers: Iterable[ArgumentParser]) -> list[Argument]:
    """Return the arguments of several commands, each with its most frequent description."""
    counted = Counter(
        pair
        for p in parsers
        for pair in {pair for q in (p, *_actions(p)) for pair in _arguments(q) if pair[1]}
    )
    rare_to_frequent = sorted((number, pair) for pair, number in counted.items() if number >= SHARED_BY)
    return sorted({name: about for _, (name, about) in rare_to_frequent}.items())


def _arguments(parser: ArgumentParser) -> list[Argument]:
    """Return the arguments of *parser*; the description is empty if the usage says everything."""
    formatter = parser._get_formatter()  # noqa: SLF001 -- argparse has no other way to list its options
    return [
        (formatter._format_action_invocation(action), formatter._expand_help(action) if action.help else "")  # noqa: SLF001 -- ditto
        for action in parser._actions  # noqa: SLF001 -- ditto
        if not isinstance(action, _HelpAction | _SubParsersAction)
    ]


def _aligned(arguments: Collection[Argument]) -> str:
    width = max((len(name) for name, _ in arguments), default=0)
    return "\n".join(f"  {name:<{width}}  {about}" for name, about in arguments)


def _usage(parser: ArgumentParser, *, about: bool) -> str:
    _hide_help_option(parser)
    formatter = parser._get_formatter()  # noqa: SLF001 -- ditto
    groups = parser._mutually_exclusive_groups  # noqa: SLF001 -- ditto
    formatter.add_usage(None, parser._actions, groups, prefix="")  # noqa: SLF001 -- ditto
    usage = formatter.format_help().strip()
    return f"{usage}\n    {parser.description}" if about else usage


def _epilog(command: ArgumentParser) -> str:
    """Return examples and notes, without what the page states once."""
    text = str(command.epilog).partition("\n\nexit codes:")[0]
    return RESTRICTION.sub("", text).removesuffix(f"examples:\n  {command.prog}")


def _actions(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001 -- ditto
        if isinstance(action, _SubParsersAction):
            yield from action.choices.values()


def _hide_help_option(parser: ArgumentParser) -> None:
    for action in parser._actions:  # noqa: SLF001 -- ditto
        if isinstance(action, _HelpAction):
            action.help = SUPPRESS


def man_page() -> str:
    """Return the manual page in the format of man(7)."""
    with patch.dict(os.environ, COLUMNS=MAN_WIDTH):  # noqa: TID251 -- as in `commands`
        parsers = [one for name in COMMANDS.names() for one in [*_parsers(build_parser([name]))][1:]]
        sections = [f".SS {_escape(p.prog)}\n.nf\n{_escape(_help(p))}\n.fi\n" for p in parsers]
    about = str(build_parser().description).removesuffix(".")
    return (
        f'.TH HOOKLINE 1 "" "hookline" "User Commands"\n'
        f".SH NAME\nhookline \\- {_escape(about[:1].lower() + about[1:])}\n"
        ".SH SYNOPSIS\n.B hookline\n.I COMMAND\n\\&...\n"
        f".SH EXIT STATUS\n{_escape(_usual_exits())}, unless a command states otherwise.\n"
        f".SH COMMANDS\n{''.join(sections)}"
    )


def _escape(text: str) -> str:
    """Return *text* for roff: dashes stay dashes, and no line is a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    lines = re.sub(r"[^\x00-\x7f]", lambda found: rf"\[u{ord(found[0]):04X}]", escaped).splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def _help(parser: ArgumentParser) -> str:
    """Return the help without `-h`, the usual exit codes, and descriptions that the page has elsewhere."""
    _hide_help_option(parser)
    for action in parser._actions:  # noqa: SLF001 -- ditto
        if isinstance(action, _SubParsersAction) and " " not in parser.prog:
            action._choices_actions.clear()  # noqa: SLF001 -- each command has a section with its description
    if not parser.epilog:
        parser.description = None
    return parser.format_help().rstrip().removesuffix(describe_exits(EXITS)).rstrip()


def _parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """Yield *parser* and its commands, except those that only their parent's help describes."""
    yield parser
    for command in _actions(parser):
        if command.epilog or len(command._actions) > 1:  # noqa: SLF001 -- ditto; `-h` is one
            yield from _parsers(command)
