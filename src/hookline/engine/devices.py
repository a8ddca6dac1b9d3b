"""The GPUs of this machine, each used by one experiment at a time, whichever run it belongs to."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from hookline.engine.measure_pool import OutOfTime
from hookline.system import file_lock
from hookline.system.paths import create_private, find_places

VISIBLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
PROGRAM = "nvidia-smi"
LIST_SECONDS = 30.0
POLL_SECONDS = 0.5
"""Seconds between two attempts to reserve devices."""
_DEVICE = re.compile(r"^GPU (\d+):", re.MULTILINE)
_SAFE_NAME = re.compile(r"[^\w-]")


class NoDevices(OSError):
    """A machine with fewer GPUs than an experiment requires; the message says how to fix it."""


def list_devices(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of the devices: those that the user made visible, otherwise all."""
    visible = env.get(VISIBLE)
    if visible is None:
        return tuple(_DEVICE.findall(_run_program(env)))
    ids = [device.strip() for device in visible.split(",")]
    end = next((index for index, device in enumerate(ids) if device in ("", "-1")), len(ids))
    return tuple(dict.fromkeys(ids[:end]))  # CUDA ignores the devices after an invalid one


def _run_program(env: Mapping[str, str]) -> str:
    program = shutil.which(PROGRAM, path=env.get("PATH"))
    if program is None:
        return ""
    try:
        return subprocess.run(
            [program, "-L"], env=dict(env), capture_output=True, text=True, timeout=LIST_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def count_experiments(required: int, env: Mapping[str, str]) -> int:
    """Return the number of experiments that the devices allow at once; raise `NoDevices` if none."""
    devices = list_devices(env)
    if len(devices) < required:
        raise NoDevices(
            f"an experiment requires {describe(required)} (resources.gpu), but {len(devices)} are available; "
            f"check `{PROGRAM} -L` and {VISIBLE}, or change the target"
        )
    return len(devices) // required


def describe(number: int) -> str:
    return f"{number} GPU" if number == 1 else f"{number} GPUs"


@contextmanager
def reserve(
    required: int, env: Mapping[str, str], *, until: float, report: Callable[[str], None]
) -> Iterator[Mapping[str, str]]:
    """Wait for *required* free devices; yield the variables that make only these visible.

    Raise `OutOfTime` if that takes longer than *until* of the monotonic clock.
    """
    if not required:
        yield {}
        return
    with ExitStack() as stack:
        devices = _wait_for_devices(stack, required, env, until, report)
        order = {} if VISIBLE in env else {ORDER: "PCI_BUS_ID"}  # the order in which the program counts
        yield {VISIBLE: ",".join(devices), **order}


def _wait_for_devices(
    stack: ExitStack, required: int, env: Mapping[str, str], until: float, report: Callable[[str], None]
) -> Sequence[str]:
    count_experiments(required, env)
    devices, folder, reported = list_devices(env), os.path.join(find_places(env, "/").scratch, "gpu"), False
    create_private(folder)
    while not (free := _lock_devices(stack, required, devices, folder)):
        if time.monotonic() >= until:
            raise OutOfTime
        if not reported:
            report(f"waiting for {describe(required)}: other experiments use them")
            reported = True
        time.sleep(POLL_SECONDS)
    return free


def _lock_devices(stack: ExitStack, required: int, devices: Sequence[str], folder: str) -> list[str]:
    """Lock *required* devices until the stack is closed, or none: waiting experiments hold no device."""
    with ExitStack() as attempt:
        locked: list[str] = []
        for device in devices:
            path = os.path.join(folder, f"{_SAFE_NAME.sub('_', device)}.lock")
            if attempt.enter_context(file_lock.try_lock(path)) is not None:
                locked.append(device)
            if len(locked) == required:
                stack.push(attempt.pop_all())
                return locked
    return []
