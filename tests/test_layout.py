"""Test the layers of packages, the purity of the lowest ones, and the size and names of files."""

import ast
import importlib.util
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "hookline"
FILES = sorted(SOURCE.rglob("*.py"))
PURE = {"core", "hooks", "hosts", "lazy", "redact", "shell"}
ALONE = {"language", "redact", "shell"}
"""Packages that import no other package of this project except `lazy`."""
NOT_FOR_HOOKS = {"hookline.system", "hookline.runtime", "hookline.policy.read_files"}
IMPURE = {
    "asyncio", "ctypes", "glob", "http", "httpx", "io", "mcp", "multiprocessing", "os", "pathlib", "random",
    "select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "time", "urllib",
}  # fmt: skip
INSTALLED = {"core/registry.py": {"os"}, "core/install_commands.py": {"os", "shutil", "sys"}}
"""Core files that inspect the installation, and the impure modules they may import."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
EXTRAS = {"genai_prices", "matplotlib", "opentelemetry", "optuna", "ray"}
SELDOM_USED = {"asyncio", "pathspec"}
"""Modules that take long to import and that most calls do not need."""
OURS_LATE = {
    (file, "hookline")
    for file in (
        *("cli/_main.py", "cli/mcp.py", "cli/ui.py", "kinds/http.py", "kinds/mcp.py"),
        *("sinks/otel.py", "stores/postgres.py"),
    )
}
"""Files that import a module of this project in a function: it needs an extra, or implements a command."""
IMPURE_CALLS = {"open", "print", "input", "exit", "breakpoint"}
EMPTY_WORDS = {"utils", "util", "helpers", "manager", "managers", "common", "misc", "base"}
GERUNDS = {
    "detached",
    "embedded",
    "finding",
    "guarded",
    "ranking",
    "spelling",
    "structured",
    "unattended",
    "unparsed",
}
"""Module names that end like a gerund or participle but describe their content."""


def layers():
    """Return the layer number of each package, from the table of the architecture page."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        spec = importlib.util.spec_from_file_location("about_packages", ROOT / "docs" / "about_packages.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return {name: layer for layer, names in enumerate(module.LAYERS) for name in names}


LAYER = layers()


def package(path):
    return path.relative_to(SOURCE).parts[0]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_packages(path):
    names = (name.split(".") for name in imported(path))
    return {parts[1] for parts in names if parts[0] == "hookline" and len(parts) > 1 and parts[1] in LAYER}


def named(path):
    return str(path.relative_to(SOURCE))


def files(of):
    return [path for path in FILES if package(path) == of]


def test_the_root_contains_packages_only():
    assert {path.name for path in SOURCE.iterdir() if path.is_file()} == {
        "__init__.py",
        "__main__.py",
        "py.typed",
    }
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} - {"__pycache__"} == LAYER.keys()


@pytest.mark.slow
@pytest.mark.parametrize("here", LAYER)
def test_a_package_imports_only_lower_layers(here):
    wrong = {
        (named(path), other)
        for path in files(here)
        for other in imported_packages(path) - {here}
        if LAYER[other] >= LAYER[here]
    }

    assert wrong == set()


@pytest.mark.parametrize("here", sorted(ALONE))
def test_the_lowest_packages_import_nothing_of_ours(here):
    ours = {name for path in files(here) for name in imported(path) if name.startswith("hookline")}

    assert {name for name in ours if not name.startswith((f"hookline.{here}", "hookline.lazy"))} == set()


def test_hooks_do_not_reach_for_the_machine():
    names = {(named(path), name) for path in files("hooks") for name in imported(path)}

    assert {
        pair for pair in names if any(f"{pair[1]}.".startswith(f"{no}.") for no in NOT_FOR_HOOKS)
    } == set()


@pytest.mark.slow
def test_imports_form_no_circle():
    """Check all imports, including those in functions and those for type checkers."""
    modules = {module(path): path for path in FILES}
    needs = {name: {one for one in targets(path, modules) if one != name} for name, path in modules.items()}

    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules


def module(path):
    return ".".join(("hookline", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def targets(path, modules):
    return {name if name in modules else name.rpartition(".")[0] for name in imported(path)} & modules.keys()


@pytest.mark.slow
def test_only_extras_commands_and_seldom_used_modules_are_imported_in_functions():
    late = {(named(path), name.partition(".")[0]) for path in FILES for name in imported_late(path)}

    assert {pair for pair in late if pair[1] == "hookline"} == OURS_LATE
    assert {name for _, name in late} - {"hookline"} <= EXTRAS | SELDOM_USED


def imported_late(path):
    functions = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, FUNCTIONS))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.slow
@pytest.mark.parametrize("pure", sorted(PURE))
def test_pure_packages_touch_nothing(pure):
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
    return {"hooks": 80, "hosts": 150}.get(package(path), 400)


@pytest.mark.parametrize("here", LAYER)
def test_files_are_short(here):
    lines = {path: path.read_text().count("\n") for path in files(here)}

    assert {named(path): count for path, count in lines.items() if count > most(path)} == {}


def test_names_of_files_say_what_they_contain():
    stems = {path: path.stem.strip("_") for path in FILES}
    vague = {path for path, stem in stems.items() if stem in EMPTY_WORDS}
    bare = {path for path, stem in stems.items() if stem.endswith(("ing", "ed")) and stem not in GERUNDS}

    assert sorted(map(named, vague | bare)) == []


def test_tests_mirror_the_packages():
    """Check that each folder of tests is named after a package, except three with cross-package tests."""
    tests = ROOT / "tests"
    across = {"clients", "corpus", "fuzz"}
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path()}

    assert [str(one) for one in folders if one.parts[0] not in across and not (SOURCE / one).is_dir()] == []


DIALECTS = (
    "hook_event_name",
    "hookSpecificOutput",
    "permissionDecision",
    "tool_use_id",
    "PostToolUseFailure",
)


@pytest.mark.parametrize("here", sorted(LAYER.keys() - {"hosts"}))
def test_no_host_word_stands_outside_its_file(here):
    words = DIALECTS if here == "stores" else (*DIALECTS, "SELECT ")
    texts = {path: path.read_text() for path in files(here)}

    assert {(named(path), word) for path, text in texts.items() for word in words if word in text} == set()


PUBLIC_FOLDERS = {
    "cli/_bench/world.py": "a temporary sandbox",
    "cli/_replay/policy.py": "inside a temporary folder",
    "cli/new.py": "a project",
    "cli/target.py": "a project",
    "daemon/client.py": "imports nothing of hookline; one folder with mode 0700",
    "engine/durable_files.py": "a project",
    "engine/git/config.py": "a project",
    "engine/git/repository.py": "a repository",
    "engine/git/worktree.py": "a repository",
    "engine/run.py": "a project",
    "install/settings_files.py": "a host's folder in a project",
    "sinks/jsonl.py": "may not import system; one folder with mode 0700",
    "stores/_database.py": "may not import system; one folder with mode 0700",
    "system/paths.py": "the function that creates the others",
}
"""Files that create folders themselves, and where; all others call `create_private`."""


def test_folders_of_the_user_are_created_by_one_function():
    names = {"makedirs", "mkdir"}
    creators = {
        named(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in names
    }

    assert creators == PUBLIC_FOLDERS.keys()
