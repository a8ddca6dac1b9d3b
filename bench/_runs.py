"""Engine runs for benchmarks: the repository, the limits and the run itself."""

import os
import subprocess
import time
from pathlib import Path

from hookline.core.values import replace
from hookline.engine import run, runs, target
from hookline.engine.git import repository
from hookline.engine.run_state import RunContext
from hookline.engine.watcher import Watcher

LIMITS = """
[limits]
experiments = {experiments}
[escalation]
halt = 1000
[noise]
kind = "deterministic"
"""
"""End of a target file that allows a number of experiments, even without progress."""


def commit_folder(root: Path) -> Path:
    """Make the folder a repository with one commit; return it."""
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "start"]):
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *args], cwd=root, check=True
        )
    return root


def run_target(root: Path, text: str, watcher: Watcher, *, parallel: int = 1) -> None:
    """Run the target with this *text* to its end, without a store."""
    env = {**os.environ, "HOME": str(root.parent)}
    opened = repository.open_repository(str(root), env)
    base = repository.head_commit(opened, env)
    new_run = run.create_run(
        opened, target.parse_target(text, "bench"), text, scratch=str(root.parent), base=base, now=time.time()
    )
    new_run = runs.save(replace(new_run, parallel=parallel))
    run.run_experiments(new_run, opened, RunContext(env=env, watcher=watcher))
