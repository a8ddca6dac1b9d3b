"""Who owns the folders and files of the user, who else can reach into them, and whether the user can."""

import os
import shlex
import stat
from collections.abc import Iterator

from hookline.cli._finding import Finding, attention
from hookline.system import spool_files
from hookline.system.places import Places

OTHERS_WRITE, OTHERS = 0o022, 0o077
CONFIG, STATE = "what configures the guards", "what is kept of your sessions"


def places(at: Places) -> Iterator[Finding]:
    """What is wrong with who may do what."""
    yield from _home(at.home)
    for path, what in ((at.config, CONFIG), (at.state, STATE), (at.spool, STATE)):
        yield from _owned(path, OTHERS_WRITE, f"change {what}")
    for name in _listed(at.config):
        yield from _owned(os.path.join(at.config, name), OTHERS_WRITE, f"change {CONFIG}")
    for path in (at.store, *spool_files.paths(at.spool), at.passes, at.claims):
        yield from _owned(path, OTHERS, f"read or change {STATE}")
    yield from _owned(at.trust, OTHERS, "use it, so that nothing is trusted")
    for path in (at.state, at.store, at.spool):
        yield from _written(path, "so that nothing new is kept")


def _home(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        yield attention("home.missing", f"HOME is {home!r}, which is no folder: set it to yours")
    elif not os.access(home, os.W_OK | os.X_OK):
        text = f"HOME, {home}, cannot be written to: nothing can be kept there; {_mend(home, 'u+wx')}"
        told = "or set XDG_STATE_HOME and XDG_CONFIG_HOME to folders that can"
        yield attention("home.unwritable", f"{text}, {told}")


def _owned(path: str, mask: int, deed: str) -> Iterator[Finding]:
    """What is not ours, and what is *mask*ed and open all the same."""
    try:
        found = os.stat(path)
    except OSError:
        return
    if found.st_uid not in (os.getuid(), 0):
        mend = f"`sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to user {found.st_uid}, not to you: {mend}")
    elif found.st_uid != os.getuid() and mask == OTHERS:
        mend = f"`sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to root, not to you: {mend}")
    if stat.S_IMODE(found.st_mode) & mask:
        how = "go-w" if mask == OTHERS_WRITE else "go="
        yield attention("permissions.open", f"{path}: others can {deed}; {_mend(path, how)}")


def _written(path: str, so: str) -> Iterator[Finding]:
    needed = os.W_OK | (os.X_OK if os.path.isdir(path) else 0)
    if os.path.exists(path) and not os.access(path, needed):
        text = f"{path} cannot be written to, {so}: {_mend(path, 'u+rwX')}, if its disk is not read-only"
        yield attention("permissions.unwritable", text)


def _mend(path: str, how: str) -> str:
    return f"`chmod {how} {shlex.quote(path)}`"


def _listed(folder: str) -> list[str]:
    """The files that say what guards do; hooks in Python lie below."""
    try:
        with os.scandir(folder) as entries:
            return sorted(one.name for one in entries if one.name != "trust.json")
    except OSError:
        return []
