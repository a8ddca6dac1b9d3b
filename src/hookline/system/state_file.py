"""The state file of a session: for others to read, never what we go by; what is in its way is replaced."""

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress

from hookline.core.frozen import thawed
from hookline.core.response import Mirror

OLD = 24 * 3600.0
"""Seconds after which a file is one that a session left behind."""
USUAL = "/tmp"  # noqa: S108 -- nothing there is followed, and nothing that is read there counts
NAMES = ("TMPDIR", "TEMP", "TMP")
_OURS = re.compile(r"ar-session-[0-9a-f]{12}\.json(?:\.[0-9a-f]+)?")


def reflect(effect: Mirror, env: Mapping[str, str]) -> str:
    """Write or remove the file; what could not be done, in a sentence."""
    place = folder(env)
    path = os.path.join(place, name(effect.key))
    try:
        if effect.says:
            _write(path, json.dumps(thawed(effect.says), indent=2, ensure_ascii=False) + "\n")
        else:
            with suppress(FileNotFoundError):
                os.unlink(path)
    except OSError as error:
        return (
            f"the state file {path} could not be {'written' if effect.says else 'removed'}: {error.strerror}"
        )
    if effect.tidy:
        _tidy(place)
    return ""


def name(key: str) -> str:
    digest = hashlib.md5(key.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"ar-session-{digest[:12]}.json"


def folder(env: Mapping[str, str]) -> str:
    """The temporary folder of whoever called, which need not be that of the process that answers."""
    given = (env.get(one, "") for one in NAMES)
    return next((one for one in given if os.path.isabs(one) and os.path.isdir(one)), USUAL)


def _write(path: str, text: str) -> None:
    """All at once: what is in the way, a link or somebody else's file, is replaced and not written to."""
    new = f"{path}.{os.urandom(6).hex()}"
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.replace(new, path)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise


def _tidy(place: str) -> None:
    """What sessions of long ago left behind, as far as it is ours."""
    before = time.time() - OLD
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if not _OURS.fullmatch(entry.name):
                continue
            with suppress(OSError):
                there = entry.stat(follow_symlinks=False)
                if there.st_mtime < before and there.st_uid == os.getuid():
                    os.unlink(entry.path)
