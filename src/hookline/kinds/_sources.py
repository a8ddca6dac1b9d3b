"""Locations of users' Python hooks: a file, or a module with an import path."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from hookline.system.paths import quote_path


class Source(Struct, frozen=True, kw_only=True):
    """A file at *path*, or a *module* `package.module`, or one hook of it: `package.module:name`."""

    path: str = ""
    module: str = ""
    source: str
    """The owner: user, project, local or code."""
    root: str
    """The folder in which its worker runs and its imports start."""
    digest: str = ""
    """The sha256 of the content that may run; empty permits any content."""
    trusted: Mapping[str, str] | None = None
    """The sha256 of each file under the root that may run, by real path; None permits all files."""

    @property
    def file(self) -> str:
        """Return the file of the source; empty for a module outside the root."""
        return self.path or find_module_file(self.module.partition(":")[0], self.root)

    @property
    def display_path(self) -> str:
        """Return the path to display: relative to the root for a project's files."""
        file = self.file or self.module
        inside = self.source != "user" and file.startswith(self.root.rstrip("/") + "/")
        return quote_path(os.path.relpath(file, self.root) if inside else file)

    def to_request(self) -> dict[str, Any]:
        """Return the source as part of a request to a worker."""
        return {"path": self.path, "module": self.module, "root": self.root, "digest": self.digest}


def find_module_file(module: str, root: str) -> str:
    """Return the file of *module* under *root*; empty if it is elsewhere."""
    steps = module.replace(".", "/")
    candidates = (
        Path(root, base, name) for base in ("", "src") for name in (f"{steps}.py", f"{steps}/__init__.py")
    )
    return next((str(path) for path in candidates if steps and path.is_file()), "")


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()
