"""Test finding the files that a command or script reaches, for any text."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.policy.reach import DeclaredCommand, Reached, find_reached

PIECES = st.sampled_from(
    [
        "sh ",
        "tools/x.sh",
        "$A",
        "${A:-",
        "}",
        "'",
        '"',
        "`",
        "$(",
        ")",
        "*",
        "/",
        "..",
        "\\",
        "\n",
        "\0",
        "\ud800",
    ]
)
TEXT = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map("".join))
ANY = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def files(root, **content):
    for name, text in content.items():
        path = root / name.replace("__", ".").replace("_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root, *commands, **more):
    listed = [one if isinstance(one, DeclaredCommand) else DeclaredCommand(words=one) for one in commands]
    return find_reached(str(root), listed, known={"CLAUDE_PROJECT_DIR": str(root)}, **more)


@ANY
@given(TEXT, TEXT, TEXT)
def test_any_command_can_be_looked_at(tmp_path, words, cwd, value):
    files(tmp_path, tools_x__sh="true\n")
    said = found(tmp_path, DeclaredCommand(words=words, cwd=cwd, env={"A": value}, origin="here"))

    assert all((tmp_path / name).is_file() for name in said.files)


@ANY
@given(TEXT, st.sampled_from(["x.py", "x.sh", "x.js", "x"]))
def test_any_script_can_be_looked_at(tmp_path, text, name):
    (tmp_path / name).write_text(text, errors="replace")

    assert name in found(tmp_path, f"run {name}").files


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import a", {"a.py"}),
        ("import a.b.c as d, os", {"a.py", "a/b/__init__.py", "a/b/c.py"}),
        ("from a.b import c", {"a.py", "a/b/__init__.py", "a/b/c.py"}),
        ("from .a import x", {"a.py"}),
        ("from . import a", {"a.py"}),
        (
            "from a.b \\\n  import (\n    c,  # why\n    d\n)",
            {"a.py", "a/b/__init__.py", "a/b/c.py", "a/b/d.py"},
        ),
        ("try: import a\nexcept ImportError: pass", {"a.py"}),
        ("x = 1; import a", {"a.py"}),
        ("importlib.import_module('a')", {"a.py"}),
        ("run(['sh', 's.sh'])", {"s.sh"}),
        ("# import a", set()),
        ("text = 'import a'", set()),
        ("important = a", set()),
        ("import json", set()),
        ("open('data.json')", set()),
    ],
)
def test_python_reaches_what_it_imports(tmp_path, line, names):
    for name in ("a.py", "a/b/__init__.py", "a/b/c.py", "a/b/d.py", "s.sh", "data.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    script = tmp_path / "hook.py"
    script.write_text(line + "\n")

    assert found(tmp_path, scripts=[str(script)]) == Reached(files=frozenset({"hook.py", *names}))


def test_what_is_installed_is_pinned_but_not_followed(tmp_path):
    (tmp_path / "node_modules" / "lint").mkdir(parents=True)
    (tmp_path / "node_modules" / "lint" / "cli.js").write_text("require('./rules')\n")
    (tmp_path / "node_modules" / "lint" / "rules.js").write_text("")

    assert found(tmp_path, "node node_modules/lint/cli.js").files == {"node_modules/lint/cli.js"}


def test_nothing_outside_of_the_project_is_reached(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "x.sh").write_text("")
    said = found(root, "sh ../x.sh", DeclaredCommand(words=f"sh {tmp_path}/x.sh", cwd="..", origin="here"))

    assert said.files == frozenset()
    assert [one.rpartition(": ")[2] for one in said.unseen] == [
        "it depends on a folder outside of the project"
    ]


def test_a_link_on_the_way_up_leads_where_the_system_goes(tmp_path):
    files(tmp_path, deep_x__sh="true\n", deep_er_y="")
    (tmp_path / "link").symlink_to("deep/er")
    said = found(tmp_path, "sh link/../x.sh")

    assert os.path.isfile(tmp_path / "link" / ".." / "x.sh")
    assert "deep/x.sh" in said.files
