"""Fuzz every target for its share of the time, and report the findings: `make fuzz MINUTES=25`.

Inputs that fail an assertion are written to `found/`. Inputs that reach new code stay in `build/fuzz`, where
`python -m tests.fuzz.keep` selects the seeds.
"""

import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from .inputs import FOUND, WORK, gathered, kept, name_of, saved
from .targets import TARGETS, Target

HERE = Path(__file__).parent
USUAL = 10.0
LONGEST = 4096
"""Maximum size of an input in bytes; repeated inputs are limited to a twentieth of it."""
LIMITS = (
    "-timeout=30",
    "-rss_limit_mb=2500",
    "-verbosity=1",
    "-use_value_profile=1",
    "-len_control=20",
)
PATIENCE = 60
"""Extra seconds that a target may take to read its seeds."""
SELDOM = 40
"""Slow targets start from one in this many inputs."""
TIMED_OUT = ("timeout-", "oom-", "crash-")
_RUNS = re.compile(r"^#(\d+)\b", re.MULTILINE)
_REACHED = re.compile(r"cov: (\d+)")


def main(minutes: float, names: list[str]) -> int:
    before, chosen = kept(FOUND), {name: TARGETS[name] for name in names or TARGETS}
    parts = sum(target.share for target in chosen.values())
    for name, target in chosen.items():
        seconds = int(minutes * 60 * target.share / parts)
        print(f"{name:16} {seconds:5} s  {_fuzzed(name, target, seconds)}", flush=True)
    found = [path for path, data in kept(FOUND).items() if before.get(path) != data]
    print(f"{len(found)} found", *found, sep="\n")
    return bool(found)


def _fuzzed(name: str, target: Target, seconds: int) -> str:
    place = WORK / name
    place.mkdir(parents=True, exist_ok=True)
    for data in list(gathered(target.seeds))[:: SELDOM if name.startswith("repeated") else 1]:
        (place / name_of(data)).write_bytes(data)
    longest = LONGEST // 20 if name.startswith("repeated") else LONGEST
    words = [f"-dict={HERE / 'words' / f'{target.seeds}.dict'}", f"-max_len={longest}"]
    asked = [f"-max_total_time={seconds}", f"-artifact_prefix={place.parent}/{name}-", *LIMITS, *words]
    said = _ran([sys.executable, "-m", f"{__package__}.one", name, *asked, str(place)], name, seconds)
    _collect(name)
    runs, reached = _RUNS.findall(said), _REACHED.findall(said)
    return f"{(runs or ['?'])[-1]:>9} runs  {(reached or ['?'])[-1]:>6} places reached"


def _ran(command: list[str], name: str, seconds: int) -> str:
    """Run *command* and return its output; stop it if it exceeds its time."""
    log = WORK / f"{name}.log"
    with log.open("wb") as file, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, stdout=file, stderr=subprocess.STDOUT, check=False, timeout=2 * seconds + PATIENCE
        )
    return log.read_text(errors="replace")


def _collect(name: str) -> None:
    """Move the inputs that libFuzzer saved for timeouts, memory limits and crashes to `found/`."""
    for kind in TIMED_OUT:
        for path in WORK.glob(f"{name}-{kind}*"):
            saved(FOUND / name, path.name.removeprefix(f"{name}-")[:20], path.read_bytes())
            path.unlink()


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else USUAL, given[1:]))
