"""The program of the process in which users' Python hooks run, apart from everything that must not break.

It answers a line with a line, over descriptors of its own, until nobody asks any more. Whatever a hook does
to this process is no worse than a hook that fails: the process is ended, and replaced.
"""

import asyncio
import base64
import faulthandler
import json
import os
import pickle
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb
from types import CoroutineType
from typing import IO, Any

from msgspec import to_builtins

from hookline.core.events import Event
from hookline.core.frozen import thawed
from hookline.core.hook import BadHook, Hook, configure
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds import _load
from hookline.kinds._response_json import response_to_json
from hookline.kinds._sources import located
from hookline.redact import redact

LONGEST = 8 * 1024 * 1024
"""How many characters an answer may have."""
_STDERR = 2  # by number: a hook may put something else in the place of sys.stderr
_OVER = 1.0  # seconds after the limit at which the process ends itself, should nobody be left to end it


def main() -> None:
    heard, said = (int(os.environ.pop(name)) for name in ("HOOKLINE_IN", "HOOKLINE_OUT"))
    for fd in (heard, said):
        os.set_inheritable(fd, False)  # noqa: FBT003 -- not our signature
    faulthandler.enable(_STDERR)
    _be_the_first_to_go()
    with open(heard, "rb") as requests, open(said, "wb", buffering=0) as replies:
        shelf = _load.Shelf(sys.argv[1], json.loads(requests.readline() or b"{}"))
        for line in requests:
            _write(replies, _encoded(_answer(json.loads(line), shelf)))
    os._exit(0)  # whatever threads and exit handlers hooks have left


def _be_the_first_to_go() -> None:
    """Let a hook that eats memory fail before the machine does."""
    with suppress(OSError, ValueError):
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (half, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _write(replies: IO[bytes], line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[replies.write(left) :]


def _encoded(reply: Mapping[str, Any]) -> bytes:
    try:
        line = json.dumps(reply, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return _encoded({"id": reply["id"], "failed": f"gave a Response that is not JSON: {error}"})
    if len(line) > LONGEST:
        return _encoded({"id": reply["id"], "failed": f"gave an answer of more than {LONGEST:,} characters"})
    return line.encode() + b"\n"


def _answer(request: Mapping[str, Any], shelf: _load.Shelf) -> dict[str, Any]:
    ours = os.getpid()
    faulthandler.dump_traceback_later(request["limit"] + _OVER, exit=True, file=_STDERR)
    try:
        return {"id": request["id"], **_DOES[request["do"]](request, shelf)}
    except _load.Stale:
        return {"id": request["id"], "stale": True}
    finally:
        if os.getpid() != ours:
            os._exit(0)  # a copy of us, made by a hook that forked; there is one answer, and it is not ours
        faulthandler.cancel_dump_traceback_later()


def _describe(request: Mapping[str, Any], shelf: _load.Shelf) -> dict[str, Any]:
    source = request["source"]
    file = source["path"] or located(source["module"].partition(":")[0], source["root"])
    try:
        hooks = [_load.described(hook) for hook in shelf.hooks(source).values()]
        return {"hooks": hooks, "files": shelf.imported()}
    except _load.Stale:
        raise
    except BaseException as error:  # noqa: BLE001 -- a broken file must not break the others
        return {"problem": _load.problem(error, file)}


def _judge(request: Mapping[str, Any], shelf: _load.Shelf) -> dict[str, Any]:
    try:
        said = _said(*_asked(request, shelf))
        if said is None or isinstance(said, Response):
            return {"response": None if said is None else response_to_json(said)}
    except _load.Stale:
        raise
    except BaseException as error:  # noqa: BLE001 -- a broken hook must not break the agent
        return _failed(error, shelf)
    return {"failed": f"answered with {type(said).__name__}, not with a Response or None"}


def _why(request: Mapping[str, Any], shelf: _load.Shelf) -> dict[str, Any]:
    try:
        hook, event, state = _asked(request, shelf)
        told = [] if hook.why is None else hook.why(event, state, **hook.settings)
        return {"why": [to_builtins(one) for one in told]}
    except _load.Stale:
        raise
    except BaseException as error:  # noqa: BLE001 -- ditto
        return _failed(error, shelf)


def _failed(error: BaseException, shelf: _load.Shelf) -> dict[str, Any]:
    return {
        "failed": redact(f"failed: {type(error).__name__}: {error}")[:500].rstrip(": ")
        + _where(error, shelf.root)
    }


def _asked(request: Mapping[str, Any], shelf: _load.Shelf) -> tuple[Hook, Event, State]:
    event, state, env = pickle.loads(base64.b64decode(request["call"]))  # noqa: S301 -- our own program sent it
    _enter(shelf.root, {**env, "HOOKLINE_DEPTH": request["depth"]})
    hook = _configured(_chosen(shelf.hooks(request["source"]), request["hook"]), request["settings"])
    if not isinstance(event, hook.on):
        names = ", ".join(one.__name__ for one in hook.on)
        raise BadHook(f"it is declared for {event.name}, and listens for {names}")
    return hook, event, state


def _said(hook: Hook, event: Event, state: State) -> Any:
    said = hook(event, state)
    if isinstance(said, CoroutineType):
        return asyncio.run(said)
    return said


def _enter(root: str, env: Mapping[str, str]) -> None:
    """Start every call from the same place, whatever the last hook did to it."""
    os.chdir(root)
    mark = os.environ.get("HOOKLINE_MARK")  # by which our own children are found
    wanted = {**env, "HOOKLINE_MARK": mark} if mark else env
    if dict(os.environ) != wanted:
        os.environ.clear()
        os.environ.update(wanted)


def _chosen(hooks: _load.Hooks, name: str) -> Hook:
    if name in hooks:
        return hooks[name]
    if not name and len(hooks) == 1:
        return next(iter(hooks.values()))
    raise BadHook(f"no hook here is called {name!r}; there are: {', '.join(sorted(hooks)) or 'none'}")


def _configured(hook: Hook, settings: Mapping[str, Any]) -> Hook:
    usual = thawed(hook.settings)
    changed = {key: value for key, value in settings.items() if key not in usual or usual[key] != value}
    return configure(hook, changed) if changed else hook


def _where(error: BaseException, root: str) -> str:
    """The place in the user's own code."""
    frames = [frame for frame in extract_tb(error.__traceback__) if _load.is_ours(frame.filename, root)]
    return f" ({os.path.relpath(frames[-1].filename, root)}:{frames[-1].lineno})" if frames else ""


_DOES = {"describe": _describe, "judge": _judge, "why": _why}

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
