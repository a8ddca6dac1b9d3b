"""Write the generated parts of every page anew: `python docs/generate.py`, or only `--check` them.

Tables come from the code, by cog blocks and `about_*.py`; outputs of examples from `transcripts.py`.
"""

import sys
from pathlib import Path

import transcripts
from cogapp import Cog  # type: ignore[import-untyped]  # it has no types

ROOT = Path(__file__).parent.parent


def pages() -> list[Path]:
    """Every page that a reader may open."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def tables(*, check: bool) -> int:
    """Run the cog blocks; with *check* only say what has drifted. Zero is well."""
    blocks = [str(page) for page in pages() if "[[[cog" in page.read_text(encoding="utf-8")]
    how = ["--check", "--diff"] if check else ["-r"]
    return int(Cog().main(["cog", "-I", str(ROOT / "docs"), *how, *blocks]))


def main(*, check: bool) -> int:
    wrong = tables(check=check)
    return wrong if check or wrong else transcripts.refresh(pages())


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
