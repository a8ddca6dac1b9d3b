"""Test that an unavailable cluster is reported in one sentence that includes the remedy."""

import json
import sys

import pytest
from tests.engine.executors import shared

from hookline.core.install_commands import describe_missing

NOBODY = "no Ray cluster at '127.0.0.1:1'"


@pytest.mark.parametrize(
    ("store", "address", "said"),
    [
        ("sqlite", "local", "--cluster requires a store that machines can share, not 'sqlite'"),
        ("postgres", "127.0.0.1:1", NOBODY),
        ("postgres", "somewhere", "invalid cluster address 'somewhere': expected HOST:PORT, auto or local"),
    ],
)
def test_what_cannot_be_is_said(project, store, address, said):
    shared(project.home, store)
    done = project.hookline("run", "--cluster", address)

    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.returncode in (1, 2)
    assert not (project.root / "autoresearch").exists()


def test_without_ray_it_is_said_how_to_get_it(project, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    shared(project.home)
    done = project.hookline("run", "--cluster", "local", check=1)

    assert done.stderr == f"hookline: {describe_missing('cluster', '--cluster')}\n"
    assert not (project.root / "autoresearch").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "said"),
    [("postgres", NOBODY), ("sqlite", "--cluster requires a store that machines can share")],
)
def test_a_run_goes_on_without_the_cluster_that_it_had(project, store, said):
    project.script("echo $(( $(cat src/n) - 1 )) > src/n")
    project.hookline("run", check=0)
    path = project.root / "autoresearch" / project.run.id / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"cluster": "127.0.0.1:1", "parallel": 2}))
    shared(project.home, store)
    done = project.hookline("run", "--resume", "--experiments", "2")

    assert said in done.stderr
    assert "`--resume --cluster none` continues without a cluster" in done.stderr
    assert done.stderr.count("\n") == 1
    shared(project.home, "sqlite")
    project.hookline("run", "--resume", "--cluster", "none", "--experiments", "2", check=0)
    assert (project.run.cluster, project.run.parallel) == ("", 1)
    assert project.statuses == ["baseline", "keep", "keep"]
