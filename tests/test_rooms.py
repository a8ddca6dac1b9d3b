"""The arrows between rooms, the purity of the core, and the size of files: what a reader relies on."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
FILES = sorted(SOURCE.rglob("*.py"))
FAMILIES = {"hooks", "hosts", "kinds", "stores", "sinks", "system"}
FACES = {"cli", "web", "__main__", "testing"}
AROUND = {"runtime", "resident", "loop", "frameworks", "engine"}
ARROWS = {
    **{family: {"core"} for family in FAMILIES},
    "core": set(),
    "runtime": {"core", *FAMILIES},
    "resident": {"core", "runtime", *FAMILIES},
    "loop": {"core", "runtime", *FAMILIES},
    "frameworks": {"core", "runtime", *FAMILIES},
    "engine": {"core", "hosts", "stores", "system", "runtime", "resident"},
    "testing": {"core", "stores", "sinks"},
    "web": {"core", "stores"},
    "cli": {"core", "runtime", *FAMILIES, *AROUND},
    "__main__": {"cli"},
}
RUNTIME = {
    "runtime",
    "assembly",
    "bare",
    "machinery",
    "stage",
    "standing",
    "foreign",
    "calls",
    "past",
    "guarding",
    "installing",
    "uninstalling",
    "callers",
    "claims",
    "repeating",
    "calling",
    "probing",
    "keeping",
    "telemetry",
    "answering",
    "spending",
}
"""The files that put it together."""
IMPURE = {
    "asyncio", "ctypes", "glob", "http", "httpx", "io", "mcp", "multiprocessing", "os", "pathlib", "random",
    "select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "time", "urllib",
}  # fmt: skip
LISTS = {"family.py"}
"""Who is in a family is told by the files of its package: `os` lists them quickly, `pkgutil` does not."""
IMPURE_CALLS = {"open", "print", "input", "exit", "breakpoint"}


def room(path):
    top = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if top in RUNTIME:
        return "runtime"
    return top if top in FAMILIES | FACES | AROUND else "core"


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def aim(name):
    """The room that an import of ours points at; None for others'."""
    parts = name.split(".")
    if parts[0] != "hookline" or len(parts) == 1 or parts[1] == "__version__":
        return None
    place = SOURCE / parts[1]
    if place.is_dir():
        return room(place / "__init__.py")
    return room(place.with_suffix(".py")) if place.with_suffix(".py").exists() else "core"


def named(path):
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_arrows_point_only_where_they_may(path):
    here = room(path)
    wrong = {name for name in imported(path) if aim(name) not in {None, here, *ARROWS[here]}}

    assert not wrong


PURE = [path for path in FILES if room(path) in ("core", "hooks", "hosts")]


@pytest.mark.parametrize("path", PURE, ids=named)
def test_core_hooks_and_hosts_touch_nothing(path):
    tree = ast.parse(path.read_text())
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }

    touched = {name.partition(".")[0] for name in imported(path)} & IMPURE

    assert touched <= ({"os"} if named(path) in LISTS else set())
    assert not calls & IMPURE_CALLS


def most(path):
    if any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(SOURCE).parts):
        return 300
    return {"hooks": 80, "hosts": 150}.get(room(path), 400)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_files_are_short(path):
    assert path.read_text().count("\n") <= most(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_no_file_is_called_what_says_nothing(path):
    assert path.stem.strip("_") not in {
        "utils",
        "util",
        "helpers",
        "manager",
        "managers",
        "common",
        "misc",
        "base",
    }


DIALECTS = (
    "hook_event_name",
    "hookSpecificOutput",
    "permissionDecision",
    "tool_use_id",
    "PostToolUseFailure",
)


@pytest.mark.parametrize("path", [path for path in FILES if room(path) != "hosts"], ids=named)
def test_no_host_word_stands_outside_its_file(path):
    text = path.read_text()

    assert not [word for word in DIALECTS if word in text]
    assert room(path) == "stores" or "SELECT " not in text
