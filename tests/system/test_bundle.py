"""Compiled modules in one file: used only as long as they are what Python itself would load."""

import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hookline
from hookline import pattern
from hookline.system.bundle import engine

SOURCE = Path(hookline.__file__).parent
CAPTURE = Path(__file__).parent.parent / "captures" / "claude-code" / "PreToolUse.json"
PROGRAM = """
import os, sys
def told(code):
    kinds = [type(getattr(module, "__loader__", None)).__name__ for module in [*sys.modules.values()]]
    print("ready:", kinds.count("Ready"), file=sys.stderr)
sys.argv = ["hookline", "hook", "claude-code"]
from hookline.cli import main
told(main())
"""


class Copy:
    """An installation that nobody else uses."""

    def __init__(self, place):
        self.home, self.package = place / "home", place / "lib" / "hookline"
        self.home.mkdir()
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    @property
    def bundle(self):
        (found,) = self.package.rglob("bundled.*.pyc*")
        return found

    def call(self, command="git push --force", **env):
        """What it answered, and how many modules came from the bundle."""
        ran = self.said(command, **env)
        return ran.stdout, int(ran.stderr.rpartition(b"ready:")[2])

    def said(self, command, **env):
        payload = json.loads(CAPTURE.read_text())
        payload |= {"tool_input": {"command": command}, "cwd": str(self.home)}
        return subprocess.run(
            [sys.executable, "-S", "-c", PROGRAM],  # what a client starts; `site` itself may import much
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": os.defpath, "PYTHONPATH": str(self.package.parent), **env},
        )

    def change(self, name, old, new):
        path = self.package / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One that has answered a call, and so has a bundle."""
    copy = Copy(tmp_path_factory.mktemp("made"))
    copy.call()
    return copy


@pytest.fixture
def copy(made, tmp_path):
    new = Copy.__new__(Copy)
    new.home, new.package = tmp_path / "home", tmp_path / "lib" / "hookline"
    shutil.copytree(made.package, new.package)  # as old as they were
    new.home.mkdir()
    return new


def test_the_next_call_finds_most_of_what_it_needs_and_answers_the_same(tmp_path):
    copy = Copy(tmp_path)
    first, none = copy.call()
    again, most = copy.call()

    assert again == first
    assert none == 0
    assert most > 50


def test_what_another_call_needs_besides_is_added(copy):
    before = copy.bundle.stat().st_size
    _, some = copy.call("kubectl delete namespace prod")
    _, more = copy.call("kubectl delete namespace prod")

    assert more > some
    assert copy.bundle.stat().st_size > before


def test_a_changed_source_counts_at_once(copy):
    copy.change("hooks/_dangerous/finding.py", "If it really has to be, ask", "ASK")

    assert b"ASK the person" in copy.call()[0]
    assert b"ASK the person" in copy.call()[0]


def test_a_source_that_is_gone_is_not_loaded(copy):
    (copy.package / "claims.py").unlink()

    with pytest.raises(subprocess.CalledProcessError):
        copy.call()


def test_a_copy_loads_its_own_sources_wherever_it_lies(copy):
    elsewhere = copy.package.parent.parent / "moved" / "hookline"
    elsewhere.parent.mkdir()
    shutil.move(copy.package, elsewhere)
    copy.package = elsewhere
    copy.change("hooks/_dangerous/finding.py", "If it really has to be, ask", "ASK")

    assert b"ASK the person" in copy.call()[0]


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_what_others_may_write_is_not_used(copy, mode):
    copy.bundle.chmod(mode)

    assert copy.call()[1] == 0


def test_nor_is_what_another_user_wrote(copy):
    if os.getuid():
        pytest.skip("only root can give a file away")
    os.chown(copy.bundle, 12345, -1)

    assert copy.call()[1] == 0


def test_nor_is_a_link_to_another_file(copy):
    place, other = copy.bundle, copy.home / "other"
    place.rename(other)
    place.symlink_to(other)

    assert copy.call()[1] == 0


@pytest.mark.parametrize("size", [0, 5, 20, 3000])
def test_a_file_that_was_cut_is_written_anew(copy, made, size):
    os.truncate(copy.bundle, size)
    first, none = copy.call()

    assert none == 0
    assert copy.call() == made.call()
    assert first == made.call()[0]


def test_code_that_was_overwritten_does_no_harm(copy, made):
    data = copy.bundle.read_bytes()
    copy.bundle.write_bytes(data[:50_000] + b"\xff" * (len(data) - 50_000))

    assert copy.call()[0] == made.call()[0]


def test_code_that_a_disk_lost_is_taken_from_elsewhere(copy, made):
    data = copy.bundle.read_bytes()
    half = len(data) // 2
    copy.bundle.write_bytes(data[:half] + bytes(len(data) - half))

    assert copy.call()[0] == made.call()[0]


def test_one_of_another_python_is_not_used(copy):
    data = copy.bundle.read_bytes()
    copy.bundle.write_bytes(bytes([data[0] ^ 1]) + data[1:])

    assert copy.call()[1] == 0


def test_nothing_is_written_where_compiled_files_are_not_wanted(tmp_path):
    copy = Copy(tmp_path)
    copy.call(PYTHONDONTWRITEBYTECODE="1")

    assert not list(copy.package.rglob("bundled.*.pyc*"))


ONE = pattern.lazy("")


def expressions():
    """All that our modules hold."""
    for module in pkgutil.walk_packages(hookline.__path__, "hookline."):
        if module.name.rpartition(".")[2] not in ("__main__", "ask"):
            held = vars(importlib.import_module(module.name)).values()
            yield from ((one.pattern, one._wanted) for one in held if type(one) is type(ONE))  # noqa: SLF001 -- its flags


def test_expressions_are_those_that_re_compiles(monkeypatch):
    keys = set(expressions())
    for key in keys:
        monkeypatch.setitem(pattern.READY, key, engine(*key))

    assert len(keys) > 100
    assert [key for key in keys if pattern.compiled(*key) != re.compile(*key)] == []
