"""A run of the engine to be measured: its repository, the end of its target, and what it notes."""

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
"""So many experiments, however little they gain."""


def committed(root: Path) -> Path:
    """A repository of what is in that folder."""
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "begin"]):
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words], cwd=root, check=True
        )
    return root


def carried_out(root: Path, text: str, watcher: Watcher, *, parallel: int = 1) -> None:
    """A whole run of the target that *text* is, beside the repository and without a store."""
    env = {**os.environ, "HOME": str(root.parent)}
    here = repository.open_repository(str(root), env)
    base = repository.head_commit(here, env)
    one = run.create_run(
        here, target.parse_target(text, "bench"), text, scratch=str(root.parent), base=base, now=time.time()
    )
    one = runs.save(replace(one, parallel=parallel))
    run.run_experiments(one, here, RunContext(env=env, watcher=watcher))
