"""Optional dependencies: the command that installs them into this installation."""

import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from shlex import join

PACKAGE = "hookline"
_MARKER = re.compile(r"""\bextra\s*==\s*['"]([\w-]+)['"]""")


def describe_missing(extra: str, feature: str) -> str:
    """Return a sentence that says which *extra* a *feature* requires, and how to install it here."""
    return f"{feature} requires the extra {extra!r}; install it: {install_command(extra)}"


def install_command(extra: str) -> str:
    """Return a shell command that adds the packages of *extra* to the environment that runs this.

    It names the packages instead of `hookline[extra]`, so that it works however hookline was installed and
    does not change hookline itself.
    """
    packages = _list_packages(extra)
    if os.path.isfile(os.path.join(sys.prefix, "pipx_metadata.json")):
        return join(["pipx", "inject", os.path.basename(sys.prefix), *packages])
    if find_spec("pip") is None:  # an environment that uv made
        return join(["uv", "pip", "install", "--python", sys.executable, *packages])
    return join([sys.executable, "-m", "pip", "install", *packages])


def _list_packages(extra: str) -> Sequence[str]:
    try:
        requirements = [requirement.partition(";") for requirement in requires(PACKAGE) or ()]
    except PackageNotFoundError:  # run from a checkout that is not installed
        return [
            f"{os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))}[{extra}]"
        ]
    return [name.strip() for name, _, marker in requirements if extra in _MARKER.findall(marker)]
