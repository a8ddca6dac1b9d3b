"""Commands that change this installation of hookline, in the words of the program that made it.

All messages that tell a user to install, repair or remove anything take the command from here.
"""

import json
import os
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from importlib.util import find_spec
from shlex import join, quote
from shutil import which
from typing import Any, Literal, TypeAlias

from hookline.lazy import re

PACKAGE = "hookline"
Manager: TypeAlias = Literal["pipx", "uv tool", "uv", "pip"]
_MARKER = re.compile(r"""\bextra\s*==\s*['"]([\w-]+)['"]""")
_RECEIPTS: dict[str, Manager] = {"pipx_metadata.json": "pipx", "uv-receipt.toml": "uv tool"}
"""Files that a manager writes into the environments it makes."""


def describe_missing(extra: str, feature: str) -> str:
    """Return a sentence that says which *extra* a *feature* requires, and how to install it here."""
    return f"{feature} requires the extra {extra!r}; install it: {install_command(extra)}"


def install_command(extra: str) -> str:
    """Return a shell command that adds the packages of *extra* to the environment that runs this.

    It names the packages instead of `hookline[extra]`, so that it works however hookline was installed and
    does not change hookline itself.
    """
    return add_packages_command(_list_packages(extra))


def add_packages_command(packages: Sequence[str]) -> str:
    """Return a shell command that adds *packages* to the environment that runs this."""
    if find_manager() == "pipx":
        return join(["pipx", "inject", _environment_name(), *packages])
    return _format_pip("install", *packages)


def uninstall_command() -> str:
    """Return a shell command that removes hookline's program."""
    if find_manager() in _RECEIPTS.values():
        return join([*find_manager().split(), "uninstall", _environment_name()])
    return _format_pip("uninstall", *(() if _uses_uv() else ("--yes",)), PACKAGE)


def repair_command() -> str:
    """Return a shell command that installs the same version of hookline again."""
    if find_manager() == "pipx":
        return join(["pipx", "reinstall", _environment_name()])
    if find_manager() == "uv tool":
        return join(["uv", "tool", "upgrade", "--reinstall-package", PACKAGE, _environment_name()])
    return _format_pip("install", "--force-reinstall", "--no-deps", *_find_source())


def path_command(folder: str) -> str:
    """Return a shell command after which new shells find the programs in *folder*."""
    commands = {"pipx": "pipx ensurepath", "uv tool": "uv tool update-shell"}
    return commands.get(find_manager(), f'export PATH={quote(folder)}:"$PATH"')


def find_manager() -> Manager:
    """Return the program that manages the environment of this process."""
    for receipt, manager in _RECEIPTS.items():
        if os.path.isfile(os.path.join(sys.prefix, receipt)):
            return manager
    return "uv" if _uses_uv() else "pip"


def _uses_uv() -> bool:
    return find_spec("pip") is None and which("uv") is not None


def _environment_name() -> str:
    return os.path.basename(sys.prefix)


def _format_pip(action: str, *words: str) -> str:
    if _uses_uv():
        return join(["uv", "pip", action, "--python", sys.executable, *words])
    python = quote(sys.executable)
    prepare = f"{python} -m ensurepip && " if find_spec("pip") is None else ""
    return f"{prepare}{python} -m pip {join([action, *_system_options(action), *words])}"


def _system_options(action: str) -> Sequence[str]:
    """Return the options that pip requires for a Python of the operating system."""
    marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix != sys.base_prefix or not os.path.isfile(marker):
        return ()
    found = _find_distribution()
    user = action == "install" and found is not None and _is_below(str(found.locate_file("")), "posix_user")
    return ("--break-system-packages", *(("--user",) if user else ()))


def _is_below(path: str, scheme: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(sysconfig.get_path("purelib", scheme))


def _find_source() -> Sequence[str]:
    url = _read_direct_url()
    address = str(url.get("url", ""))
    if "vcs_info" in url:
        revision = url["vcs_info"].get("commit_id", "")
        return (f"{PACKAGE} @ {url['vcs_info'].get('vcs', 'git')}+{address}{'@' * bool(revision)}{revision}",)
    if url.get("dir_info", {}).get("editable"):
        return ("--editable", address.removeprefix("file://"))
    found = _find_distribution()
    if found is None:
        return ("--editable", _find_checkout())
    return (f"{PACKAGE} @ {address}" if address else f"{PACKAGE}=={found.version}",)


def _read_direct_url() -> dict[str, Any]:
    """Return the origin that pip recorded for a package that is not from an index (PEP 610)."""
    found = _find_distribution()
    try:
        url = json.loads((found.read_text("direct_url.json") if found else "") or "{}")
    except ValueError:
        return {}
    return url if isinstance(url, dict) else {}


def _find_distribution() -> Distribution | None:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:  # run from a checkout that is not installed
        return None


def _list_packages(extra: str) -> Sequence[str]:
    try:
        requirements = [requirement.partition(";") for requirement in requires(PACKAGE) or ()]
    except PackageNotFoundError:
        return [f"{_find_checkout()}[{extra}]"]
    return [name.strip() for name, _, marker in requirements if extra in _MARKER.findall(marker)]


def _find_checkout() -> str:
    folder = os.path.abspath(__file__)
    for _ in range(len(("core", "hookline", "src", "checkout"))):
        folder = os.path.dirname(folder)
    return folder
