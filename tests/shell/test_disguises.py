"""Test that the reader finds a command in every disguise in which bash runs it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.shell.disguises import PRODUCERS, REQUIRED, RUNNERS, WRAPPERS, compose

from hookline.shell import read

BASH = shutil.which("bash") or ""
LONG = bool(os.environ.get("HOOKLINE_LONG"))
pytestmark = pytest.mark.skipif(not BASH, reason="requires bash")
producers = sorted(name for name in PRODUCERS if name not in REQUIRED or shutil.which(REQUIRED[name]))
layer = st.one_of(
    st.tuples(st.sampled_from(sorted(WRAPPERS)), st.just("")),
    st.tuples(st.sampled_from(producers), st.sampled_from(sorted(RUNNERS))),
)


def ran(line: str, folder: Path) -> bool:
    """Return whether bash runs the command of *line*, which creates the file `marker`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    subprocess.run(
        [BASH, "-c", line],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return (folder / "marker").exists()


def found(line: str, folder: Path) -> bool:
    """Return whether the reader finds the command, or says that a part hides commands."""
    reading = read(line, cwd=str(folder), home=str(folder))
    texts = [[word.text for word in command.words] for command in reading.commands]
    return [command_words(folder)] == [words for words in texts if words == command_words(folder)][:1] or any(
        not problem.by_words for problem in reading.problems
    )


def command_words(folder: Path) -> list[str]:
    return ["touch", str(folder / "marker")]


def missed(layers: list[tuple[str, str]], folder: Path) -> str:
    """Return the line if bash runs the command and the reader does not find it."""
    line = compose(" ".join(command_words(folder)), layers)
    return line if not found(line, folder) and ran(line, folder) else ""


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_each_wrapper(name, tmp_path):
    line = compose(" ".join(command_words(tmp_path / "d")), [(name, "")])
    reading = read(line, cwd=str(tmp_path / "d"), home=str(tmp_path))

    assert command_words(tmp_path / "d") in [[word.text for word in one.words] for one in reading.commands]
    assert ran(line, tmp_path / "d")


@pytest.mark.parametrize("name", producers)
def test_each_producer(name, tmp_path):
    line = compose(" ".join(command_words(tmp_path / "d")), [(name, "pipe")])
    reading = read(line, cwd=str(tmp_path / "d"), home=str(tmp_path))

    assert command_words(tmp_path / "d") in [[word.text for word in one.words] for one in reading.commands]
    assert ran(line, tmp_path / "d")


@pytest.mark.parametrize("name", sorted(RUNNERS))
def test_each_runner(name, tmp_path):
    line = compose(" ".join(command_words(tmp_path / "d")), [("printf", name)])
    reading = read(line, cwd=str(tmp_path / "d"), home=str(tmp_path))

    assert command_words(tmp_path / "d") in [[word.text for word in one.words] for one in reading.commands]
    assert ran(line, tmp_path / "d")


@settings(
    max_examples=1_500 if LONG else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(layer, min_size=1, max_size=3))
def test_disguises_in_disguises(tmp_path, layers):
    assert missed(layers, tmp_path / "d") == ""
