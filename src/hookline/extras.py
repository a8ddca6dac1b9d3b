"""Optional dependencies: whether they are installed, and the command that installs them here."""

import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from json import loads
from shlex import join

PACKAGE = "hookline"
_MARKER = re.compile(r"""\bextra\s*==\s*['"]([\w-]+)['"]""")
_NAME = re.compile(r"[\w.-]+")


def missing(extra: str, feature: str) -> str:
    """Return a sentence that says which *extra* a *feature* requires, and how to install it here."""
    return f"{feature} requires the extra {extra!r}; install it: {install_command(extra)}"


def install_command(extra: str) -> str:
    """Return a shell command that adds *extra* to this installation, and keeps the extras that it has."""
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:  # run from a folder on PYTHONPATH
        return join([sys.executable, "-m", "pip", "install", f"{PACKAGE}[{extra}]"])
    if _has("uv-receipt.toml"):
        extras = ",".join(sorted({extra, *_present(installed)}))
        return join(["uv", "tool", "install", f"{PACKAGE}[{extras}]{_source(installed)}"])
    if _has("pipx_metadata.json"):
        return join(["pipx", "inject", os.path.basename(sys.prefix), *_requirements(installed, extra)])
    pip = [sys.executable, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install"]
    into = [] if find_spec("pip") else ["--python", sys.executable]
    return join([*pip, *into, *_requirements(installed, extra)])


def _has(file: str) -> bool:
    return os.path.isfile(os.path.join(sys.prefix, file))


def _requirements(installed: Distribution, extra: str) -> Sequence[str]:
    told = [one.partition(";") for one in installed.requires or ()]
    return [name.strip() for name, _, marker in told if extra in _MARKER.findall(marker)]


def _present(installed: Distribution) -> set[str]:
    """Return the extras whose packages are all installed."""
    extras = installed.metadata.get_all("Provides-Extra") or ()
    return {extra for extra in extras if all(map(_is_installed, _requirements(installed, extra)))}


def _is_installed(requirement: str) -> bool:
    found = _NAME.match(requirement)
    try:
        return bool(found and distribution(found[0]))
    except PackageNotFoundError:
        return False


def _source(installed: Distribution) -> str:
    """Return the address that the package was installed from; empty if that was an index."""
    text = installed.read_text("direct_url.json")
    url = loads(text).get("url", "") if text else ""
    return f" @ {url}" if url else ""
