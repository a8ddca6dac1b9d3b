"""Test optional dependencies: a small base install, and the command that installs a missing extra."""

import os
import re
import shlex
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest

from hookline.cli import main
from hookline.core import install_commands
from hookline.core.install_commands import describe_missing, install_command

EXTRAS = distribution("hookline").metadata.get_all("Provides-Extra")
BASE = {"hookline", "msgspec", "pathspec", "rich"}


def required(name, seen):
    """Add *name* and all packages that it requires without extras to *seen*."""
    if name.lower() in seen:
        return
    seen.add(name.lower())
    for line in distribution(name).requires or ():
        requirement, _, marker = line.partition(";")
        if "extra ==" not in marker and "python_version" not in marker:
            required(re.match(r"[\w.-]+", requirement)[0], seen)


def test_a_base_install_is_light():
    seen = set()
    required("hookline", seen)

    assert seen >= BASE
    assert len(seen) < 12, sorted(seen)


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """Return the folder of an environment named `hookline`, as pipx and uv create it."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "hookline"))
    os.mkdir(sys.prefix)
    return tmp_path / "hookline"


def test_pip_installs_the_requirements(monkeypatch):
    command = install_command("mcp")
    ran = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)

    assert command.startswith(f"{shlex.quote(sys.executable)} -m pip install")
    assert ran.returncode == 0, ran.stderr


def test_without_pip_uv_installs_into_this_environment(monkeypatch):
    monkeypatch.setattr(install_commands, "find_spec", lambda name: None)
    monkeypatch.setattr(install_commands, "which", lambda name: f"/bin/{name}")

    assert install_command("mcp") == f"uv pip install --python {shlex.quote(sys.executable)} 'mcp>=2.0'"


def test_without_pip_and_uv_pip_is_installed_first(monkeypatch):
    monkeypatch.setattr(install_commands, "find_spec", lambda name: None)
    monkeypatch.setattr(install_commands, "which", lambda name: None)
    python = shlex.quote(sys.executable)

    assert install_command("mcp") == f"{python} -m ensurepip && {python} -m pip install 'mcp>=2.0'"


def test_pipx_injects_the_requirements(prefix):
    (prefix / "pipx_metadata.json").write_text("{}")
    words = shlex.split(install_command("postgres"))

    assert words[:3] == ["pipx", "inject", "hookline"]
    assert {word.partition(">")[0] for word in words[3:]} == {"psycopg[binary]", "psycopg-pool"}


def test_a_checkout_that_is_not_installed_is_installed_with_its_extra(monkeypatch):
    def unknown(name):
        raise install_commands.PackageNotFoundError(name)

    monkeypatch.setattr(install_commands, "requires", unknown)
    root = Path(__file__).parents[2]

    assert shlex.split(install_command("mcp"))[-1] == f"{root}[mcp]"


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_has_a_command(extra):
    assert describe_missing(extra, "a feature").startswith(
        f"a feature requires the extra {extra!r}; install it: "
    )
    assert len(shlex.split(install_command(extra))) > 3


def without(monkeypatch, *names):
    """Make imports of *names*, and of the modules that need them, fail."""
    for module in [*sys.modules]:
        if module.startswith(("hookline.kinds._mcp_", "hookline.cli._mcp_", *(f"{name}." for name in names))):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(sys.modules, "hookline.kinds._post", raising=False)
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    ("package", "entry", "extra"),
    [("httpx", {"url": "http://127.0.0.1:9/"}, "http"), ("mcp", {"tool": "s.t"}, "mcp")],
)
def test_a_hook_says_which_extra_it_needs(package, entry, extra, monkeypatch):
    from hookline import PreToolUse, State
    from hookline.core.kind import Declaration, HookFailed, Machine
    from hookline.kinds import load

    without(monkeypatch, package)
    declared = Declaration(kind=extra, name="own", on=(PreToolUse,), spec=entry)
    servers = {"s": {"command": "true"}}
    around = Machine(run=None, start=None, env={}, clock=time.monotonic, servers=servers)
    carry = load(extra).bind(declared, around)

    with pytest.raises(HookFailed, match=rf"requires the extra '{extra}'; install it: .* install "):
        carry(PreToolUse(tool="Bash"), State(now=0.0), 5.0)


def test_the_server_says_which_extra_it_needs(monkeypatch, capsys):
    without(monkeypatch, "mcp")

    assert main(["mcp", "serve"]) == 2
    assert "hookline mcp requires the extra 'mcp'; install it: " in capsys.readouterr().err


FAMILIES = ("hooks", "hosts", "kinds", "stores", "sinks", "cli")
LIBRARIES = [
    *("genai_prices", "httpx", "httpx2", "matplotlib", "mcp"),
    *("opentelemetry", "optuna", "psycopg", "psycopg_pool", "ray"),
]


def test_every_member_of_a_family_loads_without_extras():
    """Check that only modules with a leading underscore require an extra; all others must import."""
    script = f"""
import sys
sys.modules.update(dict.fromkeys({LIBRARIES!r}))
from importlib import import_module
from pkgutil import iter_modules
for family in {FAMILIES!r}:
    package = import_module("hookline." + family)
    for module in iter_modules(package.__path__):
        if not module.name.startswith("_"):
            import_module(f"hookline.{{family}}.{{module.name}}")
from hookline.sinks import load
try:
    load("otel")("/")
except Exception as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert ran.stderr == ""
    assert "the sink 'otel' requires the extra 'otel'; install it: " in ran.stdout
