"""Audit hook that keeps a worker from running untrusted files of a project; used only in a worker process.

The interpreter raises an audit event before it loads code from a file by any means: an import, a loader with
a path, an extension module. A trusted hook can still read a file and run its text.
"""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from hookline.kinds._sources import digest

SOURCE_SUFFIXES = (".py", ".pyw")


def confine(root: str, trusted: Mapping[str, str], is_user_code: Callable[[str, str], bool]) -> None:
    """Permit only *trusted* files of *root* to run from now on; it maps real paths to sha256 digests."""
    real_root = os.path.realpath(root)

    def is_inside(path: str) -> bool:
        return is_user_code(path, root) or is_user_code(os.path.realpath(path), real_root)

    def check_event(event: str, args: tuple[Any, ...]) -> None:
        find_file = _AUDIT_EVENTS.get(event)
        path, content = find_file(*args) if find_file else ("", None)
        if not path or not is_inside(path):
            return
        if path.endswith(".pyc"):
            raise FileNotFoundError(path)  # as if it did not exist, so that Python compiles the source
        expected = trusted.get(os.path.realpath(path))
        if expected is None or expected != digest(_read(path) if content is None else content):
            raise ImportError(
                f"{os.path.relpath(path, root)!r} is not trusted; import it by name, or name its path "
                "in the declaration, then run `hookline trust`"
            )

    sys.addaudithook(check_event)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _compiled_file(source: Any, name: Any) -> tuple[str, bytes | None]:
    path = name if isinstance(name, str) else ""
    is_python = path.endswith(SOURCE_SUFFIXES) or "." not in os.path.basename(
        path
    )  # excludes templates of other formats
    is_file = is_python and os.path.isfile(path)
    return path if is_file else "", source if isinstance(source, bytes) else None


def _imported_file(module: Any, path: Any = None, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) else "", None


def _opened_file(path: Any, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) and path.endswith(".pyc") else "", None


def _linked_file(path: Any, *rest: Any) -> tuple[str, None]:
    return path if isinstance(path, str) and os.sep in path else "", None


_AUDIT_EVENTS: Mapping[str, Callable[..., tuple[str, bytes | None]]] = {
    "compile": _compiled_file,
    "import": _imported_file,
    "open": _opened_file,
    "ctypes.dlopen": _linked_file,
}
"""Function for each audit event that loads code: returns the file, and its bytes if they were read."""
