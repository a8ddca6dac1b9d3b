"""What files were found to declare, kept in the user's scratch folder under the hash of their content.

Never worth an error: what cannot be read, was not written by this user or no longer holds is found out again.
"""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

from hookline import __version__
from hookline.kinds._sources import Source, digest

_OTHERS_WRITE = 0o022
_LARGEST = 1024 * 1024


def recall(scratch: str, source: Source) -> Mapping[str, Any] | None:
    if not scratch or not source.digest:
        return None
    try:
        said = json.loads(_read(_place(scratch, source)))
        holds = all(_is_still(file, known, source) for file, known in said["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return said if holds and isinstance(said, dict) else None


def _is_still(file: str, known: str, source: Source) -> bool:
    trusted = source.trusted is None or source.trusted.get(os.path.realpath(file)) == known
    return trusted and digest(Path(file).read_bytes()) == known


def remember(scratch: str, source: Source, said: Mapping[str, Any]) -> None:
    if not scratch or not source.digest:
        return
    place = _place(scratch, source)
    new = place.with_name(f"{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as file:
            json.dump({"hooks": said["hooks"], "files": said["files"]}, file)
        new.replace(place)


def _place(scratch: str, source: Source) -> Path:
    parts = (__version__, sys.version, source.root, source.path, source.module, source.digest)
    return Path(scratch, f"python-{sha256(json.dumps(parts).encode()).hexdigest()}.json")


def _read(place: Path) -> bytes:
    fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        seen = os.fstat(fd)
        if not S_ISREG(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & _OTHERS_WRITE:
            raise PermissionError
        return file.read(_LARGEST)
