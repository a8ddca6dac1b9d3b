"""Run the commands that the findings of `hookline doctor` advise, after asking for each."""

import shlex
import subprocess
import sys
from collections.abc import Iterable

from hookline.cli._confirm_changes import confirm
from hookline.cli._output import sanitize
from hookline.core.diagnosis import Finding
from hookline.system.own_command import module_command

ASKS = ("init", "upgrade")
"""Commands of hookline that show their changes and ask; they are asked about only once."""


def apply_fixes(findings: Iterable[Finding], *, yes: bool) -> bool:
    """Run the fix of each finding that requires action; return whether any was run."""
    fixes = dict.fromkeys(item.fix for item in findings if item.fix and item.weight == "attention")
    return sum(_apply(fix, yes=yes) for fix in fixes) > 0


def _apply(fix: str, *, yes: bool) -> bool:
    words = shlex.split(fix)
    asks = words[:1] == ["hookline"] and words[1] in ASKS
    print(f"\nfix: {sanitize(fix)}")
    if not asks and not confirm("Run this?", yes=yes):
        print("not run")
        return False
    sys.stdout.flush()
    if words[0] == "hookline":
        done = subprocess.run(
            [*module_command("hookline"), *words[1:], *(["--yes"] if asks and yes else [])], check=False
        )
    else:
        done = subprocess.run(fix, shell=True, check=False)  # noqa: S602 -- our own command, with quoted paths
    if done.returncode:
        print(f"it failed with exit code {done.returncode}")
    return True
