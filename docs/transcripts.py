"""Run the examples of a page in a temporary home and project, and put their real output into the page.

The word after a block's three backticks selects the treatment. `console` runs the lines that start with `$ `.
`python` runs the block, and `text prints` is its output. A language followed by a path creates that file.
"""

import os
import re
import subprocess  # noqa: TID251 -- examples are really run
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TERMINAL = Path(__file__).parent / "terminal.py"
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<word>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT = 60.0
"""Seconds per command."""
INVISIBLE = re.compile(r"\x1b\].*?(?:\x07|\x1b\\)\n?")
"""Notifications, which a terminal does not print."""
VARIABLE_PARTS = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?"), "DATE"),
    (re.compile(r"-\d{6}(-\d{4})?\b"), "-DATE"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r"\b(\d+m)?[\d.]+ ?(ms|s)\b"), "SPAN"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),
    (re.compile(r"\b\d+\.\d+\b"), "NUMBER"),
    (re.compile(r"[ ─━-]+"), " "),
)
"""Parts that differ between runs, and the spaces that align them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """A temporary home and project for examples, both empty."""

    home: Path
    columns: int = 100
    """Width of the terminal."""
    piped: bool = False
    """True if commands print to a pipe instead of the terminal."""

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def env(self) -> Mapping[str, str]:
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.home / ".tmp"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "PYTHONPATH": str(ROOT / "src"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "COLUMNS": str(self.columns),
            "LINES": "50",
        }

    def type(self, command: str) -> str:
        """Return the output of *command* in a terminal, or of a pipe from it."""
        line = f"{{ {command}\n}} 2>&1 | cat" if self.piped else command
        return self.run([sys.executable, str(TERMINAL), line])

    def run(self, argv: list[str], stdin: str = "") -> str:
        """Return the output of a command, with the temporary home as `~`."""
        process = subprocess.run(
            argv,
            cwd=self.project,
            env=self.env,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
        output = INVISIBLE.sub("", process.stdout).replace("\r", "").replace(str(self.home), "~")
        return "\n".join(line.rstrip() for line in output.splitlines())


def scratch(folder: Path, **options: Any) -> Scratch:
    result = Scratch(home=folder.resolve(), **options)
    for path in (result.project, result.home / ".tmp"):
        path.mkdir()
    result.run(["git", "init", "--quiet", "--initial-branch", "main", "."])
    return result


def play(page: str, sandbox: Scratch) -> str:
    """Return the *page* with the real output of every example."""
    output = ""

    def play_block(match: re.Match[str]) -> str:
        nonlocal output
        language, word, text = match["language"], match["word"] or "", match["text"]
        if language == "console":
            text = _session(text, sandbox)
        elif (language, word) == ("text", "prints"):
            text = f"{output}\n"
        elif word:
            _write(sandbox, word, text)
        if language == "python":
            output = sandbox.run([sys.executable, "-"], stdin=text)
        return f"```{language}{' ' if word else ''}{word}\n{text}```"

    return BLOCK.sub(play_block, page)


def _session(text: str, sandbox: Scratch) -> str:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    outputs = [sandbox.type(command.removeprefix("$ ")) for command in commands]
    pairs = zip(commands, outputs, strict=True)
    return "".join(f"{command}\n{output}\n" if output else f"{command}\n" for command, output in pairs)


def _write(sandbox: Scratch, name: str, text: str) -> None:
    path = sandbox.home / name.removeprefix("~/") if name.startswith("~/") else sandbox.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def timeless(text: str) -> str:
    """Return the text with placeholders for the parts that differ between runs."""
    for pattern, placeholder in VARIABLE_PARTS:
        text = pattern.sub(placeholder, text)
    return text


def played(page: Path, **options: Any) -> str:
    with tempfile.TemporaryDirectory(prefix="hookline-docs-") as folder:
        return play(page.read_text(encoding="utf-8"), scratch(Path(folder), **options))


def refresh(pages: Iterable[Path]) -> int:
    """Rewrite the pages whose examples now have another output."""
    for page, text in _changed(pages):
        page.write_text(text, encoding="utf-8")
        print(f"Updated {page.relative_to(ROOT)}")
    return 0


def _changed(pages: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for page in pages:
        text = played(page)
        if timeless(text) != timeless(page.read_text(encoding="utf-8")):
            yield page, text
