"""Test the assignment of GPUs with a fake list of devices."""

import os
import time

import pytest

from hookline.engine import devices
from hookline.engine.measure_pool import OutOfTime

EXCLUSIVE = (
    'd="$HOME/busy-$CUDA_VISIBLE_DEVICES"; mkdir "$d" || touch "$HOME/collision"; sleep 0.2; rmdir "$d"; '
    'echo "$CUDA_VISIBLE_DEVICES" >> "$HOME/used"'
)
"""Shell line that notices if another process uses the same device."""


@pytest.fixture
def machine(tmp_path):
    """Return an environment with a fake nvidia-smi that lists three devices."""
    program = tmp_path / "bin" / "nvidia-smi"
    program.parent.mkdir()
    lines = "".join(f"echo 'GPU {n}: Fake H200 (UUID: GPU-{n}{n})'\n" for n in range(3))
    program.write_text(
        f"#!/bin/sh\ntest \"$1\" = -L || exit 1\n{lines}echo '  MIG 1g.5gb Device 0: (UUID: x)'\n"
    )
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path / "home")}


def test_lists_the_devices_of_the_machine(machine):
    assert devices.list_devices(machine) == ("0", "1", "2")


@pytest.mark.parametrize(
    ("visible", "expected"),
    [
        ("2", ("2",)),
        ("GPU-00,GPU-11", ("GPU-00", "GPU-11")),
        ("", ()),
        ("-1", ()),
        ("1,-1,2", ("1",)),
        ("1,1", ("1",)),
    ],
)
def test_the_user_may_limit_the_devices(machine, visible, expected):
    assert devices.list_devices({**machine, "CUDA_VISIBLE_DEVICES": visible}) == expected


def test_a_machine_without_the_program_has_none(tmp_path):
    assert devices.list_devices({"PATH": str(tmp_path)}) == ()


@pytest.mark.parametrize(("required", "expected"), [(1, 3), (2, 1), (3, 1)])
def test_devices_limit_the_experiments_at_once(machine, required, expected):
    assert devices.count_experiments(required, machine) == expected


def test_too_few_devices_are_an_error(machine):
    with pytest.raises(devices.NoDevices, match=r"requires 4 GPUs \(resources.gpu\), but 3 are available"):
        devices.count_experiments(4, machine)


def held(machine, required, **options):
    reports = []
    until = time.monotonic() + options.get("seconds", 60)
    return devices.reserve(required, machine, until=until, report=reports.append), reports


def test_two_experiments_never_share_a_device(machine):
    with held(machine, 1)[0] as first, held(machine, 2)[0] as second:
        assert first["CUDA_VISIBLE_DEVICES"] == "0"
        assert second["CUDA_VISIBLE_DEVICES"] == "1,2"


def test_an_experiment_waits_without_holding_a_device(machine):
    with held(machine, 2)[0]:
        waiting, reports = held(machine, 2, seconds=0.1)
        with pytest.raises(OutOfTime), waiting:
            pass
        with held(machine, 1)[0] as third:
            assert third["CUDA_VISIBLE_DEVICES"] == "2"

    assert reports == ["waiting for 2 GPUs: other experiments use them"]
    with held(machine, 3)[0] as everything:
        assert everything["CUDA_VISIBLE_DEVICES"] == "0,1,2"


def test_an_experiment_without_devices_keeps_the_variables_of_the_user(machine):
    with held(machine, 0)[0] as variables:
        assert variables == {}


def prepare(project, gpu):
    project.target(experiments=4)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(f"{path.read_text()}[resources]\ngpu = {gpu}\n")
    (project.root / "bench.sh").write_text(f"{EXCLUSIVE}\ncat src/n\n")
    project.git("commit", "-qam", "bench")
    project.script(EXCLUSIVE, "expr $(cat src/n) - 1 > src/n")


def used(project):
    return (project.home / "used").read_text().split()


def test_parallel_experiments_use_different_devices(project):
    prepare(project, 1)
    done = project.hookline("run", "--parallel", "3", check=0, CUDA_VISIBLE_DEVICES="4,6")

    assert "2 of 3 experiments run at once: each requires 1 GPU" in done.stdout
    assert not (project.home / "collision").exists()
    assert {*used(project)} == {"4", "6"}
    assert len(project.rows) == 5


def test_a_single_experiment_gets_its_devices(project):
    prepare(project, 2)
    project.hookline("run", "--experiments", "1", check=0, CUDA_VISIBLE_DEVICES="4,6,7")

    assert {*used(project)} == {"4,6"}


def test_a_run_does_not_start_without_enough_devices(project):
    prepare(project, 2)
    done = project.hookline("run", check=1, CUDA_VISIBLE_DEVICES="4")

    assert "an experiment requires 2 GPUs (resources.gpu), but 1 are available" in done.stderr
    assert not (project.root / "autoresearch").exists()


def test_target_check_measures_with_a_device(project):
    prepare(project, 1)
    project.hookline("target", "check", check=0, CUDA_VISIBLE_DEVICES="3")

    assert {*used(project)} == {"3"}
