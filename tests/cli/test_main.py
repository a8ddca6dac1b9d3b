"""Test the command line as a whole: help for each command, and no traceback on invalid arguments."""

import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from hookline import __version__, cli
from hookline.cli import main
from hookline.cli._main import COMMANDS, build_parser, run
from hookline.core.person_commands import HARMLESS, HOST_ONLY, PERSON_ONLY

HOOKLINE = str(Path(sys.executable).parent / "hookline")

SOME = ("check", "config", "explain", "fire", "hook", "list", "log", "new", "trust", "untrust")


def test_the_commands_are_the_files():
    assert set(SOME) <= set(COMMANDS.names())


def test_the_commands_for_people_are_those_of_the_table():
    """Check that self-protect, which reads the table, and the command line agree."""
    flagged = {name: COMMANDS.load(name).person_only for name in COMMANDS.names()}

    assert {name: words for name, words in flagged.items() if words} == PERSON_ONLY


REQUIRED = (
    *("allow", "approvals allow", "approvals deny", "approve", "budget set", "config edit", "config set"),
    *("daemon stop", "errors resolve", "ui"),
    *("mcp serve --fire", "memory edit", "memory forget", "memory import", "memory pin", "off", "trust"),
    *("uninstall", "untrust"),
)


def test_the_table_has_every_command_that_loosens_a_guard():
    phrases = {f"{name} {words}".strip() for name, entries in PERSON_ONLY.items() for words in entries}

    assert phrases == {*REQUIRED}


@pytest.mark.parametrize("table", [PERSON_ONLY, HOST_ONLY, HARMLESS])
def test_every_entry_of_the_tables_is_a_command_with_these_words(table, capsys):
    """Check that no entry has a typing error and no command was renamed."""
    for name, entries in table.items():
        for words in (entry.split() for entry in entries):
            subcommands = [word for word in words if not word.startswith("-")]
            with pytest.raises(SystemExit) as left:
                run([name, *subcommands, "--help"])
            shown = capsys.readouterr().out

            assert left.value.code == 0
            assert f"usage: hookline {' '.join([name, *subcommands])}" in shown
            assert [word for word in words if word not in shown] == []


@pytest.mark.parametrize("phrase", REQUIRED)
def test_self_protect_stops_each_of_them(user, phrase):
    reply = user.hook(user.shell(f"hookline {phrase}"))[1]

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("name", COMMANDS.names())
def test_a_command_that_refuses_agents_is_in_the_table(name):
    code = Path(cli.__file__).with_name(f"{name}.py").read_text()

    assert name in PERSON_ONLY or "require_person(" not in code


def test_version(user):
    assert user.run("--version").stdout.decode() == f"hookline {__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "loaded"),
    [(["--version"], set()), (["list", "--help"], {"list"}), (["hook", "--help"], {"hook"})],
)
def test_only_the_command_that_is_called_is_loaded(words, loaded):
    script = (
        "import sys\nfrom hookline.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit:\n    pass\n"
        "print(*(name for name in sys.modules if name.startswith('hookline.cli.')))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    modules = {name.rpartition(".")[2].replace("_", "-") for name in shown.splitlines()[-1].split()}

    assert modules & {*COMMANDS.names()} == loaded


LIGHT = {
    *("", ".cli", ".cli._command", ".cli._demo", ".cli._main", ".cli._arguments"),
    *(".engine", ".engine.target_values"),
    *(".core", ".core.durations", ".core.memory_kinds", ".core.person_commands", ".core.registry"),
    *(".lazy", ".lazy.re"),
}
"""Modules of hookline that `--help` loads, besides the arguments of commands."""
HEAVY = {
    "asyncio",
    "email",
    "importlib.metadata",
    "inspect",
    "msgspec",
    "rich",
    "sqlite3",
    "subprocess",
    "tomlkit",
}
SHOW_HELP = """
import contextlib, os, sys
from hookline.cli import main
with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
    for words in (["--help"], *([name, "--help"] for name in sys.argv[1:])):
        with contextlib.suppress(SystemExit):
            main(words)
print(*sys.modules)
"""


def test_help_does_not_load_modules_that_only_a_call_needs():
    words = [sys.executable, "-c", SHOW_HELP, *COMMANDS.names()]
    modules = {*subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()}
    ours = {name.removeprefix("hookline") for name in modules if name.startswith("hookline")}

    assert {name for name in ours if not name.startswith(".cli._arguments.")} == LIGHT
    assert HEAVY & modules == set()


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_function_that_the_arguments_name_exists(name):
    parser = build_parser([name])
    module = import_module(f"hookline.cli.{name}")
    names = {subparser.get_default("run") for subparser in list_parsers(parser)} - {None}

    assert names
    assert [one for one in names - {"run"} if not callable(getattr(module, one, None))] == []
    assert names != {"run"} or callable(module.run)


def list_parsers(parser):
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its options
        for subparser in dict.values(action.choices) if isinstance(action.choices, dict) else ():
            yield subparser
            yield from list_parsers(subparser)


def test_the_overview_names_every_command(user):
    text = user.run("--help").stdout.decode()

    assert [name for name in COMMANDS.names() if f"\n    {name} " not in text] == []


@pytest.mark.parametrize("name", COMMANDS.names())
def test_help_has_examples_and_exit_codes(name, capsys):
    with pytest.raises(SystemExit) as left:
        run([name, "--help"])
    text = capsys.readouterr().out

    assert left.value.code == 0
    assert f"examples:\n  hookline {name}" in text
    assert "\n\nexit codes:\n  " in text


def test_one_process_may_run_several(capsys):
    """Check that loading the command `list` does not shadow the built-in function in later runs."""
    for name in ("hook", "list", "list"):
        with pytest.raises(SystemExit) as left:
            main([name, "--help"])
        assert left.value.code == 0


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_command_documents_itself(name):
    command = COMMANDS.load(name)

    assert f"hookline {name}" in command.examples
    assert command.about.endswith(".")
    assert {1, 2} <= command.exits.keys()


@pytest.mark.parametrize("words", [[], ["nothing"], ["list", "--what"]])
def test_a_wrong_call_says_what_there_is(user, words):
    ran = user.run(*words)

    assert ran.returncode == 2
    assert ran.stderr.startswith(b"usage: hookline")
    assert b"Traceback" not in ran.stderr


@pytest.mark.slow
def test_a_terminal_that_cannot_show_a_character_is_no_error(user):
    ran = user.run("explain", "envelope", "echo ▲", PYTHONIOENCODING="ascii", LANG="C")

    assert ran.returncode == 0
    assert b"\\u25b2" in ran.stdout


@pytest.mark.slow
def test_an_interrupted_command_says_so(user):
    program = subprocess.Popen(
        [HOOKLINE, "log", "--follow"],
        cwd=user.project, env=user.environment(), stderr=subprocess.PIPE,
        # A background job ignores SIGINT, and its children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- no threads here
    )  # fmt: skip
    with program:
        while not (user.home / ".local" / "state" / "hookline" / "hookline.db").exists():
            time.sleep(0.1)
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        said = program.stderr.read()

    assert (program.returncode, said) == (130, b"")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["docter"], "hookline: error: argument COMMAND: no command named 'docter'; did you mean 'doctor'?"),
        (
            ["log", "--sesion", "x"],
            "hookline log: error: no option named '--sesion'; did you mean",
        ),
        (["budget", "sett"], "hookline budget: error: argument ACTION: no action named 'sett'; did you mean"),
        (["budget", "show", "--jsn"], "hookline budget show: error: no option named '--jsn'; did you mean"),
        (
            ["list", "hoks"],
            "hookline list: error: argument view: no value named 'hoks'; did you mean",
        ),
        (["untrust", "a", "b"], "hookline untrust: error: unexpected "),
    ],
)
def test_a_mistake_is_reported_with_the_usage_of_the_command_and_a_suggestion(words, error, capsys):
    with pytest.raises(SystemExit) as ended:
        run(words)
    printed = capsys.readouterr().err

    assert ended.value.code == 2
    assert error in printed
    assert printed.startswith(f"usage: {error.partition(': error')[0]}")


@pytest.mark.parametrize("words", [["log"], ["budget", "set"]])
def test_help_of_a_command(words, capsys):
    printed = []
    for line in (["help", *words], [*words, "--help"]):
        with pytest.raises(SystemExit) as ended:
            run(line)
        printed.append(capsys.readouterr().out)

    assert ended.value.code == 0
    assert printed[0] == printed[1] != ""
