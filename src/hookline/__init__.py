"""The lifecycle layer of coding agents: the same hooks in every agent's own hook system.

The public names are imported when one of them is used: that takes 0.1 s, and `--help` needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hookline.core.api import *  # noqa: F403 -- the module lists the names
else:

    def __getattr__(name: str) -> Any:
        api = import_module("hookline.core.api")
        if name == "__all__" or name in api.__all__:
            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return [*globals(), *import_module("hookline.core.api").__all__]
