"""Regenerate the generated parts of every page: `python docs/generate.py`; `--check` only compares them.

Cog blocks create tables with `about_*.py`; `transcripts.py` creates the outputs of examples.
"""

import sys
from pathlib import Path

import transcripts
from cogapp import Cog  # type: ignore[import-untyped]  # without types

ROOT = Path(__file__).parent.parent


def pages() -> list[Path]:
    """Return the Markdown pages of the project."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def tables(*, check: bool) -> int:
    """Run the cog blocks, or with *check* only print differences; return the exit code."""
    generated = (*pages(), ROOT / "docs" / "hookline.1")
    files = [str(page) for page in generated if "[[[cog" in page.read_text(encoding="utf-8")]
    options = ["--check", "--diff"] if check else ["-r"]
    return int(Cog().main(["cog", "-I", str(ROOT / "docs"), *options, *files]))


def main(*, check: bool) -> int:
    exit_code = tables(check=check)
    return exit_code if check or exit_code else transcripts.refresh(pages())


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
