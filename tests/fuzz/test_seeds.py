"""Test every target with all kept seeds, all failing cases found, and generated malformed inputs."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from . import targets
from .inputs import FOUND, SEEDS, kept
from .shapes import shell_inputs, text_inputs
from .targets import TARGETS

LONG = os.environ.get("HOOKLINE_LONG") == "1"
EXAMPLES = 3_000 if LONG else 15
INPUTS = {**kept(SEEDS), **kept(FOUND)}
SAME_ANYWHERE = ("bash", "powershell", "cmd", "redact", "json", "stream")
"""Targets whose result contains everything they computed."""
pytestmark = pytest.mark.filterwarnings("ignore:Possible :FutureWarning")
"""Ignore warnings caused by pathspec, which passes character sets to `re` unchanged."""


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Shorten repeated texts, except in the long suite."""
    if not LONG:
        monkeypatch.setattr(targets, "REPEATED", 400)


def test_there_are_seeds_for_every_target():
    assert {target.seeds for target in TARGETS.values()} == {path.name for path in SEEDS.iterdir()}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_kept_holds(name):
    broken = {path: error for path, data in INPUTS.items() if (error := failure(name, data))}

    assert broken == {}


def failure(name, data):
    try:
        TARGETS[name].run(data)
    except Exception as error:
        return repr(error)
    return None


def test_the_order_of_sets_changes_nothing():
    root = Path(__file__).parents[2]
    program = "from tests.fuzz.test_seeds import digest; print(digest())"
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(told) == 1


def digest():
    """Return a hash of the results of the SAME_ANYWHERE targets for all kept inputs."""
    said = hashlib.sha256()
    for name in SAME_ANYWHERE:
        for path, data in INPUTS.items():
            said.update(f"{name} {path} {TARGETS[name].run(data)!r}".encode("utf-8", "surrogatepass"))
    return said.hexdigest()


@pytest.mark.parametrize("name", TARGETS)
def test_what_has_the_shape_of_trouble_holds(name):
    shapes = shell_inputs if TARGETS[name].seeds in ("shell", "windows") else text_inputs
    count = EXAMPLES // 10 if name.startswith("repeated") else EXAMPLES

    @settings(max_examples=max(3, count), deadline=None, suppress_health_check=list(HealthCheck))
    @given(shapes)
    def holds(data):
        TARGETS[name].run(data)

    holds()
