"""The state file of a session, written for other programs to read; hookline itself never reads it."""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress

from hookline.core.frozen import thaw
from hookline.core.response import Mirror
from hookline.lazy import re

MAX_AGE_SECONDS = 24 * 3600.0
"""Seconds after which a file counts as left behind by its session."""
DEFAULT_FOLDER = "/tmp"  # noqa: S108 -- no link there is followed, and no file there is read
FOLDER_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_FILE_NAME = re.compile(r"ar-session-[0-9a-f]{12}\.json(?:\.[0-9a-f]+)?")


def write_or_remove(effect: Mirror, env: Mapping[str, str]) -> str:
    """Write or remove the file; return an error message, empty on success."""
    folder = find_folder(env)
    path = os.path.join(folder, file_name(effect.key))
    try:
        if effect.content:
            _write(path, json.dumps(thaw(effect.content), indent=2, ensure_ascii=False) + "\n")
        else:
            with suppress(FileNotFoundError):
                os.unlink(path)
    except OSError as error:
        action = "written" if effect.content else "removed"
        return f"the state file {path} could not be {action}: {error.strerror}"
    if effect.tidy:
        _remove_old(folder)
    return ""


def file_name(key: str) -> str:
    digest = hashlib.md5(key.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"ar-session-{digest[:12]}.json"


def find_folder(env: Mapping[str, str]) -> str:
    """Return the caller's temporary folder, which may differ from that of the answering process."""
    folders = (env.get(name, "") for name in FOLDER_VARIABLES)
    return next((path for path in folders if os.path.isabs(path) and os.path.isdir(path)), DEFAULT_FOLDER)


def _write(path: str, text: str) -> None:
    """Write atomically, and replace an existing link or another user's file instead of writing to it."""
    temporary = f"{path}.{os.urandom(6).hex()}"
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
    )
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _remove_old(folder: str) -> None:
    """Remove our own files that old sessions left behind."""
    cutoff = time.time() - MAX_AGE_SECONDS
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not _FILE_NAME.fullmatch(entry.name):
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if status.st_mtime < cutoff and status.st_uid == os.getuid():
                    os.unlink(entry.path)
