"""Fuzzing inputs on disk: the kept seeds, the failing cases found, and the rows of the corpora.

Texts that resemble secrets are stored in rot13. Otherwise secret scanners would report them.
"""

import codecs
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SEEDS, FOUND = HERE / "seeds", HERE / "found"
CORPUS = HERE.parent / "corpus"
WORK = HERE.parents[1] / "build" / "fuzz"
HIDDEN = ".rot13"
_ALPHABET = bytes(range(256))
_TURNED = _ALPHABET.translate(bytes(ord(codecs.encode(chr(one), "rot13")) for one in range(256)))


def loaded(path: Path) -> bytes:
    data = path.read_bytes()
    return data.translate(_TURNED) if path.suffix == HIDDEN else data


def saved(folder: Path, name: str, data: bytes) -> Path:
    """Write *data* to a file in *folder* and return its path; use rot13 if the target handles secrets."""
    hidden = folder.name in ("text", "rules", "redact", "json", "stream", "text-guards", "repeated-text")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + (HIDDEN if hidden else ".txt"))
    path.write_bytes(data.translate(_TURNED) if hidden else data)
    return path


def name_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def kept(folder: Path) -> dict[str, bytes]:
    """Return the inputs below *folder*, keyed by path."""
    return {str(path.relative_to(HERE)): loaded(path) for path in sorted(folder.rglob("*.*"))}


def gathered(seeds: str) -> Iterator[bytes]:
    """Yield the inputs that fuzzing starts from: the seeds, and the corpus rows for *seeds*."""
    yield from kept(SEEDS / seeds).values()
    for text in _ROWS[seeds]():
        yield text.encode("utf-8", "surrogatepass")


def _shell() -> Iterator[str]:
    for name in ("dangerous_commands", "matrix"):
        yield from (row["cmd"] for row in _rows(name) if not row["category"].startswith("windows"))
    for name in ("privacy_paths", "scout_paths"):
        yield from (row["command"] for row in _rows(name) if "command" in row)


def _windows() -> Iterator[str]:
    lines = [row["cmd"] for row in _rows("dangerous_commands")]
    told = ("powershell", "pwsh", "cmd", "Remove-Item", "del ", "iex", "rd ")
    yield from (line for line in lines if any(word in line for word in told))
    yield from lines[::20]


def _paths() -> Iterator[str]:
    for name in ("privacy_paths", "scout_paths"):
        yield from (row["path"] for row in _rows(name) if "path" in row)


def _texts() -> Iterator[str]:
    for row in _rows("secrets"):
        text = row["text"]
        for number, secret in enumerate(map("".join, row["secrets"])):
            text = text.replace(f"{{{{S{number}}}}}", secret)
        yield text
    yield from (row["prompt"] for row in _rows("ship_prompts"))


def _rules() -> Iterator[str]:
    """Yield rule files that each use one more feature, because random mutation rarely finds the grammar."""
    rule = "[[rules]]\nid = 'a'\nregex = '''{0}'''\n"
    for pattern in (
        r"(?i)a[b-z]{2,5}",
        r"x(a(?i)b|c)d\z",
        r"[[:alnum:]_\]]+",
        "(?P<n>a)|(?:b)",
        r"\b(a|b)*?",
    ):
        yield rule.format(pattern)
    for more in ("keywords = ['A']", "entropy = 2.5", "secretGroup = 1", "path = 'x'", "tags = ['a']"):
        yield rule.format("(a)b") + more
    for lets in ("[[rules.allowlists]]", "[rules.allowlist]", "[allowlist]", "[[allowlists]]"):
        yield rule.format("ab") + f"{lets}\nregexes = ['^a']\nstopwords = ['b']\nregexTarget = 'match'"
    yield "[extend]\nuseDefault = true\n"


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text().splitlines()]


_ROWS = {"shell": _shell, "windows": _windows, "paths": _paths, "text": _texts, "rules": _rules}
