"""Play the examples of a page in a scratch home and project, and put what they really print into the page.

By the word behind a block's three backticks: `console` runs the lines that begin with `$ `, `python` runs,
`text prints` is what the last `python` printed, and any language followed by a path is a file that is there.
"""

import os
import re
import subprocess  # noqa: TID251 -- examples are run for real
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TERMINAL = Path(__file__).parent / "terminal.py"
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<word>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 60.0
UNSEEN = re.compile(r"\x1b\].*?(?:\x07|\x1b\\)\n?")
"""What a terminal makes a notice of, and does not show."""
PASSING = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?"), "DATE"),
    (re.compile(r"-\d{6}(-\d{4})?\b"), "-DATE"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r"\b(\d+m)?[\d.]+ ?(ms|s)\b"), "SPAN"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),
    (re.compile(r"\b\d+\.\d+\b"), "NUMBER"),
    (re.compile(r"[ ─━-]+"), " "),
)
"""What differs from run to run, and the spaces that give way to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """Where examples run: as a user who has nothing yet, in a project that has nothing yet."""

    home: Path

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
            "COLUMNS": "100",
            "LINES": "50",
        }

    def type(self, command: str) -> str:
        """What a person who types *command* sees."""
        return self.run([sys.executable, str(TERMINAL), command])

    def run(self, argv: list[str], stdin: str = "") -> str:
        """What a command prints, with this scratch's own paths made short."""
        ended = subprocess.run(
            argv,
            cwd=self.project,
            env=self.env,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        shown = UNSEEN.sub("", ended.stdout).replace("\r", "").replace(str(self.home), "~")
        return "\n".join(line.rstrip() for line in shown.splitlines())


def scratch(folder: Path) -> Scratch:
    made = Scratch(home=folder.resolve())
    for place in (made.project, made.home / ".tmp"):
        place.mkdir()
    made.run(["git", "init", "--quiet", "--initial-branch", "main", "."])
    return made


def play(page: str, where: Scratch) -> str:
    """The *page* with every output as it really is."""
    printed = ""

    def played(found: re.Match[str]) -> str:
        nonlocal printed
        language, word, text = found["language"], found["word"] or "", found["text"]
        if language == "console":
            text = _session(text, where)
        elif (language, word) == ("text", "prints"):
            text = f"{printed}\n"
        elif word:
            _write(where, word, text)
        if language == "python":
            printed = where.run([sys.executable, "-"], stdin=text)
        return f"```{language}{' ' if word else ''}{word}\n{text}```"

    return BLOCK.sub(played, page)


def _session(text: str, where: Scratch) -> str:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    outputs = [where.type(command.removeprefix("$ ")) for command in commands]
    pairs = zip(commands, outputs, strict=True)
    return "".join(f"{command}\n{output}\n" if output else f"{command}\n" for command, output in pairs)


def _write(where: Scratch, word: str, text: str) -> None:
    path = where.home / word.removeprefix("~/") if word.startswith("~/") else where.project / word
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def timeless(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def played(page: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="hookline-docs-") as folder:
        return play(page.read_text(encoding="utf-8"), scratch(Path(folder)))


def refresh(pages: Iterable[Path]) -> int:
    """Write the pages whose examples print something else by now; none of them is left wrong."""
    for page, text in _changed(pages):
        page.write_text(text, encoding="utf-8")
        print(f"Played {page.relative_to(ROOT)} anew")
    return 0


def _changed(pages: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for page in pages:
        text = played(page)
        if timeless(text) != timeless(page.read_text(encoding="utf-8")):
            yield page, text
