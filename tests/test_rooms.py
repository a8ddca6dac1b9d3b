"""The arrows between rooms, the purity of the core, and the size of files: what a reader relies on."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
FILES = sorted(SOURCE.rglob("*.py"))
FAMILIES = {"hooks", "hosts", "kinds", "stores", "sinks", "system"}
FACES = {"cli", "web", "__main__", "testing"}
AROUND = {"runtime", "daemon", "loop", "frameworks", "engine"}
ARROWS = {
    **{family: {"core"} for family in FAMILIES},
    "core": set(),
    "runtime": {"core", *FAMILIES},
    "daemon": {"core", "runtime", *FAMILIES},
    "loop": {"core", "runtime", *FAMILIES},
    "frameworks": {"core", "runtime", *FAMILIES},
    "engine": {"core", "hosts", "stores", "system", "runtime", "daemon"},
    "testing": {"core", "stores", "sinks"},
    "web": {"core", "stores"},
    "cli": {"core", "runtime", *FAMILIES, *AROUND},
    "__main__": {"cli"},
}
RUNTIME = {
    "runtime",
    "assembly",
    "bare",
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
    "claim_table",
    "repeating",
    "calling",
    "probing",
    "keeping",
    "known_errors",
    "telemetry",
    "answering",
    "spending",
    "surroundings",
    "wanting",
    "knowing",
    "learning",
    "lessons",
    "enrichment",
    "handing",
    "taking",
    "rotation",
}
"""The files that put it together."""
IMPURE = {
    "asyncio", "ctypes", "glob", "http", "httpx", "io", "mcp", "multiprocessing", "os", "pathlib", "random",
    "select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "time", "urllib",
}  # fmt: skip
INSTALLED = {"family.py": {"os"}, "extras.py": {"os", "sys"}}
"""Core files that read how the package is installed: its members, and the tool that manages it."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
EXTRAS = {"genai_prices", "matplotlib", "opentelemetry", "optuna", "ray"}
OURS_LATE = {
    (file, "hookline")
    for file in (
        *("cli/_main.py", "cli/mcp.py", "kinds/http.py", "kinds/mcp.py"),
        *("sinks/otel.py", "stores/postgres.py"),
    )
}
"""Files that import a file of ours in a function: one that needs an extra, or a command's own."""
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


ROOMS = sorted({room(path) for path in FILES})
EMPTY_WORDS = {"utils", "util", "helpers", "manager", "managers", "common", "misc", "base"}


def files(of):
    return [path for path in FILES if room(path) == of]


@pytest.mark.parametrize("here", ROOMS)
def test_arrows_point_only_where_they_may(here):
    wrong = {
        (named(path), name)
        for path in files(here)
        for name in imported(path)
        if aim(name) not in {None, here, *ARROWS[here]}
    }

    assert wrong == set()


def test_imports_form_no_circle():
    """Wherever the imports stand, also those in functions and for type checkers."""
    modules = {module(path): path for path in FILES}
    needs = {name: {one for one in targets(path, modules) if one != name} for name, path in modules.items()}

    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules


def module(path):
    return ".".join(("hookline", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def targets(path, modules):
    return {name if name in modules else name.rpartition(".")[0] for name in imported(path)} & modules.keys()


def test_only_extras_and_commands_are_imported_in_functions():
    late = {(named(path), name.partition(".")[0]) for path in FILES for name in imported_late(path)}

    assert {pair for pair in late if pair[1] == "hookline"} == OURS_LATE
    assert {name for _, name in late} - {"hookline"} <= EXTRAS


def imported_late(path):
    functions = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, FUNCTIONS))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("pure", ["core", "hooks", "hosts"])
def test_core_hooks_and_hosts_touch_nothing(pure):
    touched = {(named(path), name) for path in files(pure) for name in (*used(path), *called(path))}

    assert {(file, name) for file, name in touched if name not in INSTALLED.get(file, ())} == set()


def used(path):
    return {name.partition(".")[0] for name in imported(path)} & IMPURE


def called(path):
    calls = (node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return {func.id for func in calls if isinstance(func, ast.Name)} & IMPURE_CALLS


def most(path):
    if any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(SOURCE).parts):
        return 300
    return {"hooks": 80, "hosts": 150}.get(room(path), 400)


@pytest.mark.parametrize("here", ROOMS)
def test_files_are_short(here):
    lines = {path: path.read_text().count("\n") for path in files(here)}

    assert {named(path): count for path, count in lines.items() if count > most(path)} == {}


def test_no_file_is_called_what_says_nothing():
    assert [named(path) for path in FILES if path.stem.strip("_") in EMPTY_WORDS] == []


DIALECTS = (
    "hook_event_name",
    "hookSpecificOutput",
    "permissionDecision",
    "tool_use_id",
    "PostToolUseFailure",
)


@pytest.mark.parametrize("here", [room for room in ROOMS if room != "hosts"])
def test_no_host_word_stands_outside_its_file(here):
    words = DIALECTS if here == "stores" else (*DIALECTS, "SELECT ")
    texts = {path: path.read_text() for path in files(here)}

    assert {(named(path), word) for path, text in texts.items() for word in words if word in text} == set()
