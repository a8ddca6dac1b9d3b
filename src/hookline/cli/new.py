"""Create a hook: a working file, and a test for it that passes."""

import os
from argparse import Namespace
from functools import partial
from keyword import iskeyword
from shlex import quote
from string import Template

from hookline.core.hook import find_hook
from hookline.runtime.setup import load_setup
from hookline.system.paths import Places, create_private, find_places

HOOK = Template('''"""Describe the hook here in one sentence."""

from hookline import PreToolUse, Response, State, block, hook


@hook(priority=50)
def $function(event: PreToolUse, state: State, *, word: str = "shutdown") -> Response | None:
    """Block commands that start with a word."""
    if event.command is None or event.command.split()[:1] != [word]:
        return None
    return block(f"{word} is not allowed here; ask the user", rule="$name-word")
''')

TEST = Template('''"""Tests of the hook `$name`."""

import importlib.util
from pathlib import Path

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


def test_blocks_the_word():
    assert judged("shutdown now").verdict == "block"


def test_passes_other_commands():
    assert [judged(command) for command in ("ls", "echo shutdown", "")] == [None, None, None]


def test_word_is_a_setting():
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
        raise ValueError(f"{taken[0]} already exists; choose another name")
    _refuse_taken(name)
    create_folder = create_private if args.user else partial(os.makedirs, exist_ok=True)
    for path, template in ((hook, HOOK), (test, TEST)):
        create_folder(os.path.dirname(path))
        _write(path, template.substitute(name=name, function=function))
    _print_next_steps(places, hook, test, user=args.user)
    return 0


def _validate_name(name: str) -> str:
    """Return *name* if it can name a hook, a file and, with `_` for `-`, a function."""
    plain = name.isascii() and name.replace("-", "").isalnum() and name == name.lower()
    if not plain or not name[0].isalpha() or name.endswith("-") or iskeyword(name):
        raise ValueError(
            f"invalid hook name {name!r}: use lower-case letters, digits and '-', such as no-deploys"
        )
    return name


def _refuse_taken(name: str) -> None:
    """Raise `ValueError` if a hook, also an untrusted one, has this name or alias already."""
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    taken = find_hook(setup.hooks, name)
    if taken is not None and taken.name != name:
        raise ValueError(f"{name!r} is an alias of the hook {taken.name!r}; choose another name")
    if taken is not None or name in setup.config.declared:
        source = taken.source if taken else "configured"
        raise ValueError(f"{name!r} is already a {source} hook; choose another name")


def _write(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def _print_next_steps(places: Places, hook: str, test: str, *, user: bool) -> None:
    shown = [path if user else os.path.relpath(path) for path in (hook, test)]
    print(f"wrote {shown[0]}\nwrote {shown[1]}\n\nnext:")
    print(f"  hookline test {quote(shown[1])}")
    if not user:
        print("  hookline trust        # project hooks run only if trusted")
    print("  hookline list hooks   # shows the new hook")
    print("  hookline explain envelope 'shutdown now'   # shows its verdict")
