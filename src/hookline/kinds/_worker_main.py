"""Program of the worker process that runs users' Python hooks, isolated from the rest of hookline.

It reads one request per line and writes one reply per line, over its own descriptors, until the requests end.
If a hook damages this process, the process is ended and replaced, as for a hook that fails.
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
from hookline.core.frozen import thaw
from hookline.core.hook import BadHook, Hook, configure
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds import _load
from hookline.kinds._response_json import response_to_json
from hookline.kinds._sources import find_module_file
from hookline.redact import redact

MAX_REPLY_CHARS = 8 * 1024 * 1024
"""Maximum number of characters of a reply."""
_STDERR = 2  # the descriptor, because a hook may replace sys.stderr
_GRACE_SECONDS = 1.0  # seconds after the limit until the process ends itself, in case its parent is gone


def main() -> None:
    input_fd, output_fd = (int(os.environ.pop(name)) for name in ("HOOKLINE_IN", "HOOKLINE_OUT"))
    for fd in (input_fd, output_fd):
        os.set_inheritable(fd, False)  # noqa: FBT003 -- not our signature
    faulthandler.enable(_STDERR)
    _limit_memory()
    with open(input_fd, "rb") as requests, open(output_fd, "wb", buffering=0) as replies:
        sources = _load.LoadedSources(sys.argv[1], json.loads(requests.readline() or b"{}"))
        for line in requests:
            _write(replies, _encode(_handle(json.loads(line), sources)))
    os._exit(0)  # without waiting for threads and exit handlers of hooks


def _limit_memory() -> None:
    """Make a hook that uses too much memory fail before the machine does."""
    with suppress(OSError, ValueError):
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (half, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _write(replies: IO[bytes], line: bytes) -> None:
    remaining = memoryview(line)
    while remaining:
        remaining = remaining[replies.write(remaining) :]


def _encode(reply: Mapping[str, Any]) -> bytes:
    try:
        line = json.dumps(reply, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return _encode({"id": reply["id"], "failed": f"returned a Response that is not JSON: {error}"})
    if len(line) > MAX_REPLY_CHARS:
        return _encode(
            {"id": reply["id"], "failed": f"returned an answer of more than {MAX_REPLY_CHARS:,} characters"}
        )
    return line.encode() + b"\n"


def _handle(request: Mapping[str, Any], sources: _load.LoadedSources) -> dict[str, Any]:
    pid = os.getpid()
    faulthandler.dump_traceback_later(request["limit"] + _GRACE_SECONDS, exit=True, file=_STDERR)
    try:
        return {"id": request["id"], **_ACTIONS[request["do"]](request, sources)}
    except _load.StaleSource:
        return {"id": request["id"], "stale": True}
    finally:
        if os.getpid() != pid:
            os._exit(0)  # a fork made by a hook; only the parent replies
        faulthandler.cancel_dump_traceback_later()


def _describe(request: Mapping[str, Any], sources: _load.LoadedSources) -> dict[str, Any]:
    source = request["source"]
    file = source["path"] or find_module_file(source["module"].partition(":")[0], source["root"])
    try:
        hooks = [_load.hook_to_json(hook) for hook in sources.hooks(source).values()]
        return {"hooks": hooks, "files": sources.imported_files()}
    except _load.StaleSource:
        raise
    except BaseException as error:  # noqa: BLE001 -- a broken file must not break the others
        return {"problem": _load.problem_to_json(error, file)}


def _judge(request: Mapping[str, Any], sources: _load.LoadedSources) -> dict[str, Any]:
    try:
        response = _run_hook(*_parse_call(request, sources))
        if response is None or isinstance(response, Response):
            return {"response": None if response is None else response_to_json(response)}
    except _load.StaleSource:
        raise
    except BaseException as error:  # noqa: BLE001 -- a broken hook must not break the agent
        return _failure(error, sources)
    return {"failed": f"returned {type(response).__name__}, not a Response or None"}


def _explain(request: Mapping[str, Any], sources: _load.LoadedSources) -> dict[str, Any]:
    try:
        hook, event, state = _parse_call(request, sources)
        branches = [] if hook.why is None else hook.why(event, state, **hook.settings)
        return {"why": [to_builtins(branch) for branch in branches]}
    except _load.StaleSource:
        raise
    except BaseException as error:  # noqa: BLE001 -- ditto
        return _failure(error, sources)


def _failure(error: BaseException, sources: _load.LoadedSources) -> dict[str, Any]:
    return {
        "failed": redact(f"failed: {type(error).__name__}: {error}")[:500].rstrip(": ")
        + _error_location(error, sources.root)
    }


def _parse_call(request: Mapping[str, Any], sources: _load.LoadedSources) -> tuple[Hook, Event, State]:
    event, state, env = pickle.loads(base64.b64decode(request["call"]))  # noqa: S301 -- our own program sent it
    _reset_process(sources.root, {**env, "HOOKLINE_DEPTH": request["depth"]})
    hook = _configure(_select_hook(sources.hooks(request["source"]), request["hook"]), request["settings"])
    if not isinstance(event, hook.on):
        names = ", ".join(event_type.__name__ for event_type in hook.on)
        raise BadHook(f"it is declared for {event.name}, but listens for {names}")
    return hook, event, state


def _run_hook(hook: Hook, event: Event, state: State) -> Any:
    response = hook(event, state)
    if isinstance(response, CoroutineType):
        return asyncio.run(response)
    return response


def _reset_process(root: str, env: Mapping[str, str]) -> None:
    """Restore the folder and the environment, which the last hook may have changed."""
    os.chdir(root)
    mark = os.environ.get("HOOKLINE_MARK")  # identifies the processes that hookline started
    expected = {**env, "HOOKLINE_MARK": mark} if mark else env
    if dict(os.environ) != expected:
        os.environ.clear()
        os.environ.update(expected)


def _select_hook(hooks: _load.Hooks, name: str) -> Hook:
    if name in hooks:
        return hooks[name]
    if not name and len(hooks) == 1:
        return next(iter(hooks.values()))
    raise BadHook(f"no hook named {name!r} here; available: {', '.join(sorted(hooks)) or 'none'}")


def _configure(hook: Hook, settings: Mapping[str, Any]) -> Hook:
    defaults = thaw(hook.settings)
    changed = {key: value for key, value in settings.items() if key not in defaults or defaults[key] != value}
    return configure(hook, changed) if changed else hook


def _error_location(error: BaseException, root: str) -> str:
    """Return the location of the error in the user's own code."""
    frames = [frame for frame in extract_tb(error.__traceback__) if _load.is_user_code(frame.filename, root)]
    return f" ({os.path.relpath(frames[-1].filename, root)}:{frames[-1].lineno})" if frames else ""


_ACTIONS = {"describe": _describe, "judge": _judge, "why": _explain}

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
