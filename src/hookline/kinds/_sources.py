"""Where users keep their hooks: a file, or a module with an import path."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct


class Source(Struct, frozen=True, kw_only=True):
    """A file at *path*, or a *module* `package.module`, or one hook of it: `package.module:name`."""

    path: str = ""
    module: str = ""
    source: str
    """Whose it is: user, project, local or code."""
    root: str
    """The folder that its imports start from, and that its worker runs in."""
    digest: str = ""
    """The sha256 of the only content that may be run; empty: whatever is there."""
    trusted: Mapping[str, str] | None = None
    """The sha256 of the only files under the root that may be run, by real path; None: all of them."""

    @property
    def file(self) -> str:
        """The file that it is in; empty for a module that is not under the root."""
        return self.path or located(self.module.partition(":")[0], self.root)

    @property
    def shown(self) -> str:
        """As a person would write it: a project's files from the project's root."""
        file = self.file or self.module
        inside = self.source != "user" and file.startswith(self.root.rstrip("/") + "/")
        return os.path.relpath(file, self.root) if inside else file

    def asked(self) -> dict[str, Any]:
        """What a worker is told of it."""
        return {"path": self.path, "module": self.module, "root": self.root, "digest": self.digest}


def located(module: str, root: str) -> str:
    """The file of a *module* under *root*; empty if it lies elsewhere."""
    steps = module.replace(".", "/")
    found = (
        Path(root, base, name) for base in ("", "src") for name in (f"{steps}.py", f"{steps}/__init__.py")
    )
    return next((str(path) for path in found if steps and path.is_file()), "")


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()
