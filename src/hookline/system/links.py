"""What stands behind a path on this machine: a file, or something else."""

from __future__ import annotations

import os


def is_file(path: str) -> bool:
    """Whether an ordinary file is there, and not a folder; links are followed."""
    try:
        return os.path.isfile(path)
    except ValueError:  # no system would open it
        return False
