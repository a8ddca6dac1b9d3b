"""Test the driver with a shell as its client: isolation, timeouts and leftover processes."""

import time
from pathlib import Path

import pytest

from .client import Client
from .driver import Played, Scenario, play
from .script import say

pytestmark = pytest.mark.clients

SHELL = Client(
    name="shell",
    program="/bin/sh",
    dialect="anthropic-messages",
    shell=say,
    command=lambda program: [program, "-s"],
    files=lambda repo, settings: {".settings": settings},
    env=lambda url: {"MODEL": url},
    hooks=lambda stdout: (),
    notices=lambda stdout: (),
)


def shell(place: Path, words: str, timeout: float = 10) -> Played:
    return play(SHELL, Scenario(prompt=words, settings={"a": 1}, timeout=timeout), place)


def test_reports_status_and_both_outputs(tmp_path: Path) -> None:
    played = shell(tmp_path, "echo out; echo err >&2; exit 5")

    assert (played.exit, played.stdout, played.stderr, played.left) == (5, "out\n", "err\n", ())


def test_gives_a_fresh_home_a_fresh_repository_and_a_clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_TESTS", "1")
    played = shell(
        tmp_path, "cat ~/.settings; git status --porcelain; env | cut -d= -f1 | sort | tr '\\n' ' '"
    )

    assert played.stdout == '{\n  "a": 1\n}HOME HOOKLINE_DAEMON LANG MODEL PATH PWD '


def test_leaves_no_way_out_but_loopback(tmp_path: Path) -> None:
    played = shell(
        tmp_path, "cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '; cat /proc/net/route | wc -l"
    )

    assert played.stdout.split() == ["lo", "1"]


def test_stops_a_client_that_hangs(tmp_path: Path) -> None:
    began = time.monotonic()
    played = shell(tmp_path, "trap '' TERM; echo begun; sleep 30; sleep 30", timeout=1)

    assert (played.exit, played.stdout) == (None, "begun\n")
    assert time.monotonic() - began < 10


def test_ends_and_names_what_a_client_leaves_behind(tmp_path: Path) -> None:
    played = shell(
        tmp_path, "setsid sh -c 'touch begun; exec sleep 31' & until [ -e begun ]; do sleep 0.1; done"
    )

    assert (played.exit, played.left) == (0, ("sleep 31",))
