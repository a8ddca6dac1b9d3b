"""Create a hook: a working file, and a test for it that passes."""

import os
from argparse import ArgumentParser, Namespace
from keyword import iskeyword
from string import Template

from hookline.cli._command import Command
from hookline.core.hook import find_hook
from hookline.runtime.setup import load_setup
from hookline.system.paths import Places, find_places

HOOK = Template('''"""Say here, in one sentence, what the hook is for."""

from hookline import PreToolUse, Response, State, block, hook


@hook(priority=50)
def $function(event: PreToolUse, state: State, *, word: str = "shutdown") -> Response | None:
    """Keep the agent from commands that begin with a word."""
    if event.command is None or event.command.split()[:1] != [word]:
        return None
    return block(f"{word} is not for agents here; ask the person you work for", rule="$name-word")
''')

TEST = Template('''"""`$name` stops what it should stop, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

from hookline import PreToolUse, State

FILE = Path(__file__).parents[1] / "hooks" / "$function.py"


def load():
    spec = importlib.util.spec_from_file_location("$function", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.$function


def judged(command):
    event = PreToolUse(tool="shell", kind="shell", input={"command": command})
    return load()(event, State(now=0.0))


def test_stops_the_word():
    assert judged("shutdown now").verdict == "block"


@pytest.mark.parametrize("command", ["ls", "echo shutdown", ""])
def test_lets_everything_else_pass(command):
    assert judged(command) is None


def test_the_word_is_a_setting():
    assert load().settings == {"word": "shutdown"}
''')


def run(args: Namespace) -> int:
    name = _validate_name(args.name)
    function = name.replace("-", "_")
    places = find_places(os.environ, os.getcwd())
    folder = places.config if args.user else places.project
    hook = os.path.join(folder, "hooks", f"{function}.py")
    test = os.path.join(folder, "tests", f"test_{function}.py")
    taken = [path for path in (hook, test) if os.path.lexists(path)]
    if taken:
        raise ValueError(f"{taken[0]} is there already, and is left as it is; choose another name")
    _refuse_taken(name)
    for path, template in ((hook, HOOK), (test, TEST)):
        _write(path, template.substitute(name=name, function=function))
    _print_next_steps(places, hook, test, user=args.user)
    return 0


def _validate_name(name: str) -> str:
    """Return *name* if it can name a hook, a file and, with `_` for `-`, a function."""
    plain = name.isascii() and name.replace("-", "").isalnum() and name == name.lower()
    if not plain or not name[0].isalpha() or name.endswith("-") or iskeyword(name):
        raise ValueError(f"{name!r} is no name for a hook; use small letters, digits and '-': no-deploys")
    return name


def _refuse_taken(name: str) -> None:
    """Raise `ValueError` if a hook, also an untrusted one, has this name or alias already."""
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    taken = find_hook(setup.hooks, name)
    if taken is not None and taken.name != name:
        raise ValueError(f"{name!r} is another name of the hook {taken.name!r}; choose another name")
    if taken is not None or name in setup.config.declared:
        source = taken.source if taken else "configured"
        raise ValueError(f"{name!r} is a {source} hook already; choose another name")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def _print_next_steps(places: Places, hook: str, test: str, *, user: bool) -> None:
    shown = [path if user else os.path.relpath(path) for path in (hook, test)]
    print(f"wrote {shown[0]}\nwrote {shown[1]}\n\nnext:")
    print(f"  python -m pytest -p no:cacheprovider {shown[1]}")
    if not user:
        print("  hookline trust        # a project's hooks run once you have trusted them")
    print("  hookline list hooks   # it is there, and on")
    print("  hookline explain envelope 'shutdown now'   # what it says")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=("hook",), metavar="hook", help="what to begin")
    parser.add_argument("name", metavar="NAME", help="small letters, digits and -")
    parser.add_argument("--user", action="store_true", help="for all your projects, not only for this one")


COMMAND = Command(
    about="Begin a hook of your own: a working file in .hookline/hooks, and its test.",
    examples="""
hookline new hook no-deploys
hookline new hook no-deploys --user
""",
    run=run,
    arguments=arguments,
    exits="0 when it was written; 1 when it could not be; 2 when it was called wrongly, or the file is there",
)
