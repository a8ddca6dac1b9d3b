"""Test run-scope: an agent of the engine changes only files in the scope of its run."""

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.run_scope import run_scope
from hookline.testing import pre_tool_use

ROOT = "/home/me/.cache/hookline/engine/ab/run/agent"
RUN = "/home/me/shop/autoresearch/run"
SCOPE = {"mutable": ("/src/**",), "immutable": ("/src/fixed",)}
FACTS = Facts({"root": lambda: ROOT, "home": lambda: "/home/me", "run_scope": lambda: SCOPE})
ENV = {"HOOKLINE_JOURNAL": f"{RUN}/results.tsv", "HOOKLINE_IDEAS": f"{RUN}/ideas.md"}
STATE = State(now=0.0, facts=FACTS, env=ENV)


def rule(event, state=STATE):
    response = run_scope.judge(event, state)
    return response.rule if response else None


def edit(path, kind="edit"):
    return pre_tool_use(tool="Edit", kind=kind, input={"path": path}, input_keys={"path": "path"}, cwd=ROOT)


FILES = [
    ("src/a.py", None),
    (f"{ROOT}/src/deep/a.py", None),
    ("src/fixed", "scope"),
    ("bench.sh", "scope"),
    ("src/../bench.sh", "scope"),
    ("../candidate/src/a.py", "outside"),
    ("/home/me/shop/src/a.py", "outside"),
    ("/home/me/shop/.git/hooks/pre-commit", "outside"),
    ("/home/me/.bashrc", "outside"),
    (f"{RUN}/ideas.md", None),
    (f"{RUN}/results.tsv", "outside"),
    ("/tmp/notes", None),
]


@pytest.mark.parametrize("kind", ["edit", "write"])
@pytest.mark.parametrize(("path", "expected"), FILES)
def test_file_tools(path, expected, kind):
    assert rule(edit(path, kind)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest -q > out.log", None),
        ("rm notes.tmp", None),
        ("sed -i s/1/2/ src/a.py", None),
        ("sed -i s/1/2/ bench.sh", "scope"),
        ("echo x > /home/me/shop/planted", "outside"),
        ("cd /home/me/shop && echo x >> notes", "outside"),
        ("cp src/a.py ~/shop/src/a.py", "outside"),
        ("cat /home/me/shop/notes", None),
        ("make 2> /dev/null > /tmp/log", None),
        ("git commit -qam less", None),
    ],
)
def test_commands(line, expected):
    assert rule(pre_tool_use(line, cwd=ROOT)) == expected


@pytest.mark.parametrize(("path", "expected"), FILES)
def test_is_silent_outside_of_a_run(path, expected):
    assert rule(edit(path), State(now=0.0, facts=Facts({"root": lambda: ROOT}))) is None


def test_the_message_names_the_allowed_files():
    response = run_scope.judge(edit("bench.sh"), STATE)

    assert response.verdict == "block"
    assert "Only these files may change: /src/**." in response.reason
