"""Keep a worker from running files of a project that nobody has trusted; only ever used in a worker process.

Whatever way a hook takes to load code from a file, the interpreter says so before it does: an import, a path
given to a loader, an extension module. A hook that was trusted may still read a file and run its text.
"""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from hookline.kinds._sources import digest

SOURCES = (".py", ".pyw")


def confine(root: str, trusted: Mapping[str, str], is_ours: Callable[[str, str], bool]) -> None:
    """From now on, run of *root* only the files that are *trusted*: the sha256 of each, by real path."""
    whole = os.path.realpath(root)

    def under(path: str) -> bool:
        return is_ours(path, root) or is_ours(os.path.realpath(path), whole)

    def listen(event: str, args: tuple[Any, ...]) -> None:
        asked = _CODE.get(event)
        path, content = asked(*args) if asked else ("", None)
        if not path or not under(path):
            return
        if path.endswith(".pyc"):
            raise FileNotFoundError(path)  # as if it were not there: then the text is compiled
        known = trusted.get(os.path.realpath(path))
        if known is None or known != digest(_read(path) if content is None else content):
            raise ImportError(
                f"{os.path.relpath(path, root)!r} is not part of what was trusted; name it where it can be "
                "seen, in an import or with its path, and run `hookline trust`"
            )

    sys.addaudithook(listen)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _compiled(source: Any, name: Any) -> tuple[str, bytes | None]:
    path = name if isinstance(name, str) else ""
    of_python = path.endswith(SOURCES) or "." not in os.path.basename(path)  # and no template of something
    is_file = of_python and os.path.isfile(path)
    return path if is_file else "", source if isinstance(source, bytes) else None


def _imported(module: Any, path: Any = None, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) else "", None


def _opened(path: Any, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) and path.endswith(".pyc") else "", None


def _linked(path: Any, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) and os.sep in path else "", None


_CODE: Mapping[str, Callable[..., tuple[str, bytes | None]]] = {
    "compile": _compiled,
    "import": _imported,
    "open": _opened,
    "ctypes.dlopen": _linked,
}
"""What the interpreter tells before code comes from a file: which file, and its bytes if they were read."""
