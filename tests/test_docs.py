"""Test the documentation: generated tables, example output and links."""

# ruff: noqa: E402 -- docs/ is not a package, so sys.path must include it before the import

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import about_guarantees
import about_hooks
import about_hosts
import generate
import transcripts

from hookline import hooks, hosts, kinds, sinks, stores
from hookline.cli._main import COMMANDS
from hookline.core.events import EVENTS

PAGES = generate.pages()
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page):
    return [(found["language"], found["text"]) for found in transcripts.BLOCK.finditer(page)]


def prose(page):
    return transcripts.BLOCK.sub("", page)


def headings(page):
    lines = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in lines}


def run(*argv, **more):
    return subprocess.run(
        [sys.executable, *argv], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120, **more
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_examples_print_what_the_page_says(name):
    assert transcripts.timeless(transcripts.played(ROOT / name)) == transcripts.timeless(text(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "```console" in text(name)])
def test_examples_print_the_same_to_a_pipe(name):
    played = transcripts.played(ROOT / name, piped=True)

    assert transcripts.timeless(played) == transcripts.timeless(text(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "```console" in text(name)])
def test_examples_print_the_same_words_in_a_narrow_terminal(name):
    """Check that a table at 60 columns may wrap its cells, but splits no word."""
    played = transcripts.played(ROOT / name, columns=60)

    assert sorted(transcripts.timeless(played).split()) == sorted(transcripts.timeless(text(name)).split())


@pytest.mark.parametrize(
    ("page", "same"),
    [
        ("```console\n$ echo one\none\n```\n", True),
        ("```console\n$ echo one\ntwo\n```\n", False),
        ("```console\n$ echo in 12.5 ms\nin 0.5 ms\n```\n", True),
        ("```python\nprint(1)\n```\n\n```text prints\n1\n```\n", True),
        ("```python\nprint(1)\n```\n\n```text prints\n2\n```\n", False),
        ("```python\nraise SystemExit('no')\n```\n\n```text prints\n```\n", False),
        ("```sh a/b.sh\necho hi\n```\n\n```console\n$ sh a/b.sh\nhi\n```\n", True),
        ("```text\nanything\n```\n", True),
    ],
)
def test_an_example_that_says_something_else_is_noticed(page, same, tmp_path):
    played = transcripts.play(page, transcripts.scratch(tmp_path))

    assert (transcripts.timeless(played) == transcripts.timeless(page)) == same


@pytest.mark.parametrize("name", NAMES)
def test_data_in_examples_can_be_read(name):
    read = {"json": lambda data: [json.loads(line) for line in _values(data)], "toml": tomllib.loads}

    for language, data in blocks(text(name)):
        read.get(language, str)(data)


def _values(data):
    """Return the JSON values in *data*: its lines if each is an object, else all of it."""
    lines = data.splitlines()
    return (
        lines
        if len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines)
        else [data]
    )


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    for place, anchor in LINK.findall(prose(text(name))):
        page = (ROOT / name).parent / place if place else ROOT / name

        assert page.exists(), place
        assert not anchor or anchor in headings(page.read_text(encoding="utf-8")), f"{place}#{anchor}"


@pytest.mark.parametrize("name", NAMES)
def test_no_page_tells_where_it_was_written(name):
    assert str(ROOT) not in text(name)
    assert f"{tempfile.gettempdir()}/hookline-" not in text(name).replace("/tmp/hookline-UID", "")


def test_every_member_has_its_place_in_the_docs():
    assert set(hooks.names()) <= headings(text("docs/reference/hooks.md"))
    assert set(hosts.names()) == {page.stem for page in (ROOT / "docs/reference/hosts").glob("*.md")}
    assert {f"hookline-{name}" for name in COMMANDS.names()} <= headings(text("docs/reference/cli.md"))
    assert all(f"`{event}`" in text("docs/reference/concepts.md") for event in EVENTS)
    assert all(f"| {kind} |" in text("docs/reference/configuration.md") for kind in kinds.names())
    assert all(f"| `{store}` |" in text("docs/reference/configuration.md") for store in stores.names())
    assert set(sinks.names()) <= headings(text("docs/guides/telemetry.md"))


def test_a_new_hook_appears_in_the_docs_by_itself(tmp_path, monkeypatch):
    source = text("src/hookline/hooks/budget_countdown.py").replace(
        "def budget_countdown(", "def other_countdown("
    )
    (tmp_path / "other_countdown.py").write_text(source)
    monkeypatch.setattr(hooks, "__path__", [*hooks.__path__, str(tmp_path)])

    assert "### other-countdown\n" in about_hooks.hook_sections()
    assert "[other-countdown](#other-countdown)" in about_hooks.built_ins()


def test_a_new_host_appears_in_the_docs_by_itself(tmp_path, monkeypatch):
    source = text("src/hookline/hosts/envelope.py").replace('"envelope"', '"other-host"')
    (tmp_path / "other_host.py").write_text(source)
    monkeypatch.setattr(hosts, "__path__", [*hosts.__path__, str(tmp_path)])

    assert "| `PreToolUse` | `PreToolUse` |" in about_hosts.page("other-host")
    assert "[other-host](hosts/other-host.md)" in about_hosts.matrix()
    assert "[`other-host`]" in about_hosts.host_list()


@pytest.mark.slow
def test_the_demo_shows_every_sort_of_decision(tmp_path):
    shown = run("demo/run.py", "--sessions", env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"})

    assert shown.returncode == 0, shown.stderr
    for said in (
        "BUDGET: 12m remaining",
        "▲ BUDGET: 3m1",
        "▲▲▲ BUDGET: 1m5",
        "▲▲▲ BUDGET EXPIRED",
        "[dangerous-command:git-push-force]",
        "hook 'house-rules' failed: KeyError",
        "hook 'slow' timed out after 0.5 s",
        "2 items of this project wait for your trust",
    ):
        assert said in shown.stdout
    assert re.search(
        r"23 hook calls in .* s \(median .*\): 8 passed, 7 advised, \d warned, 5 stopped", shown.stdout
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_demo_improves_a_scratch_repository_and_cannot_cheat(tmp_path):
    shown = run("demo/run.py", env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"})

    assert shown.returncode == 0, shown.stdout + shown.stderr
    for said in (
        "12 of 12 experiments used",
        "22127 bytes reduced to ",
        "bytes, but the data is not restored: tune ",
        "Chart of the run, by `hookline plot`: build/demo.png",
        "[dangerous-command:git-push-force]",
    ):
        assert said in shown.stdout
    assert (ROOT / "build" / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "name"), [row[1:] for rows in about_guarantees.GUARANTEES.values() for row in rows]
)
def test_a_guarantee_has_its_test(file, name):
    assert f"\ndef test_{name}(" in text(file)


def test_the_bench_of_one_process_prints_its_table():
    shown = run("bench/inside.py", "--lines", "20", "--seconds", "0.01")

    assert shown.returncode == 0, shown.stderr
    assert "hookline check, 20 lines" in shown.stdout
