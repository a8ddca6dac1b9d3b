"""Import what users wrote and say which hooks are in it; only ever used in a worker process.

Files are compiled from their text. Compiled files that a repository brings along are not looked at: nobody
has read them, and their text says nothing about what they do.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from site import getsitepackages, getusersitepackages
from traceback import extract_tb
from types import CodeType, ModuleType
from typing import Any
from zipimport import zipimporter

from hookline.core.frozen import thawed
from hookline.core.hook import BadHook, Hook
from hookline.kinds._sources import digest, located
from hookline.kinds._worker_sandbox import confine

Hooks = Mapping[str, Hook]
_PLACES = (
    Path(__file__).parents[1],
    Path(json.__file__).parents[1],
    *getsitepackages(),
    getusersitepackages(),
)
_INSTALLED = {where for place in map(str, _PLACES) for where in (place, os.path.realpath(place))}


class Stale(Exception):
    """Another content of this source was loaded before: it takes a fresh process to load this one."""


class Changed(Exception):
    """The file is not the one that was asked for."""


class Shelf:
    """What this process has loaded, so that each source is imported once."""

    def __init__(self, root: str, trusted: Mapping[str, str] | None = None) -> None:
        """Of the *root*, only the files that are *trusted* may be run: sha256 by real path; None: all."""
        self.root = root
        self._loaded: dict[str, tuple[str, Hooks]] = {}
        if trusted is not None:
            confine(root, trusted, is_ours)
        sys.path_hooks.insert(0, _finder(root))
        sys.path_importer_cache.clear()  # folders of the project that were looked into before this
        sys.path += [root, str(Path(root, "src"))]  # last, so that no file of a project shadows a library

    def hooks(self, source: Mapping[str, str]) -> Hooks:
        key = source["path"] or source["module"]
        wanted = source["digest"]
        if key in self._loaded:
            known, hooks = self._loaded[key]
            if wanted not in ("", known):
                raise Stale
            return hooks
        known, module = _load(source, wanted)
        hooks = {hook.name: hook for hook in _declared(module, source)}
        self._loaded[key] = known, hooks
        return hooks

    def imported(self) -> dict[str, str]:
        """Every file under the root that was imported so far, and what was in it."""
        files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        ours = {file for file in files if file and is_ours(file, self.root)}
        return {file: digest(Path(file).read_bytes()) for file in sorted(ours)}


def is_ours(path: str, root: str) -> bool:
    """Whether a file belongs to whoever wrote the hooks: neither installed nor of this package."""
    where = Path(os.path.abspath(path))
    return (
        not path.startswith("<")
        and where.is_relative_to(root)
        and not any(where.is_relative_to(other) for other in _INSTALLED)
    )


class _FromText(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _finder(root: str) -> Any:
    loaders = (ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromText, SOURCE_SUFFIXES)

    def find(path: str) -> FileFinder:
        if not is_ours(path, root) or (os.path.isfile(path) and not _is_archive(path)):
            raise ImportError(path)
        return FileFinder(path, *loaders)

    return find


def _is_archive(path: str) -> bool:
    """Whether others would import from it; we find nothing in it, for nobody reads what is packed."""
    try:
        zipimporter(path)
    except ImportError:
        return False
    return True


def _load(source: Mapping[str, str], wanted: str) -> tuple[str, ModuleType]:
    module = source["module"].partition(":")[0]
    file = source["path"] or located(module, source["root"])
    content = Path(file).read_bytes() if file else b""
    known = digest(content) if file else ""
    if wanted not in ("", known):
        raise Changed(
            f"{file!r} changed after it was looked at; it runs again when it has been looked at again"
        )
    return known, _run(file, content, known) if source["path"] else import_module(module)


def _run(file: str, content: bytes, known: str) -> ModuleType:
    folder = str(Path(file).parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = ModuleType(f"{Path(file).stem}_{known[:8]}")
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(compile(content, file, "exec"), module.__dict__)  # noqa: S102 -- this is what the worker is for
    return module


def _declared(module: ModuleType, source: Mapping[str, str]) -> list[Hook]:
    name = source["module"].partition(":")[2]
    hooks = list({id(hook): hook for hook in _of(module, name)}.values())
    names = [hook.name for hook in hooks]
    twice = sorted({one for one in names if names.count(one) > 1})
    if twice:
        raise BadHook(f"several hooks are called {twice[0]!r}; give one of them another name")
    if name and not hooks:
        known = ", ".join(sorted(hook.name for hook in _of(module, ""))) or "none"
        raise BadHook(f"no hook here is called {name!r}; there are: {known}")
    return hooks


def _of(module: ModuleType, name: str) -> Iterator[Hook]:
    for attribute, value in list(vars(module).items()):
        if isinstance(value, Hook) and (name in (attribute, value.name) if name else _is_own(value, module)):
            yield value


def _is_own(hook: Hook, module: ModuleType) -> bool:
    """Whether the hook was made here, and not imported for some other use."""
    return f"{hook.judge.__module__}.".startswith(f"{module.__name__}.")


def described(hook: Hook) -> dict[str, Any]:
    """A hook in JSON."""
    return {
        "name": hook.name,
        "events": [event.__name__ for event in hook.on],
        "priority": hook.priority,
        "priorities": {event.__name__: place for event, place in hook.priorities.items()},
        "nature": hook.nature,
        "aliases": list(hook.aliases),
        "limit": hook.limit,
        "on_failure": hook.on_failure,
        "on_timeout": hook.on_timeout,
        "settings": _settings(hook),
        "about": hook.about,
        "enabled": hook.enabled,
        "why": hook.why is not None,
        "file": hook.judge.__code__.co_filename,
        "line": hook.judge.__code__.co_firstlineno,
    }


def _settings(hook: Hook) -> Any:
    for name, value in hook.settings.items():
        try:
            json.dumps(thawed(value), allow_nan=False)
        except (TypeError, ValueError):
            raise BadHook(
                f"setting {name!r} of hook {hook.name!r} has the default {value!r}, which is not JSON; "
                "use text, numbers, true, false, lists or tables"
            ) from None
    return thawed(hook.settings)


def problem(error: BaseException, file: str) -> dict[str, Any]:
    """What is wrong with a source, and in which line of it."""
    text = f"{type(error).__name__}: {error}".strip(": ")
    if isinstance(error, SyntaxError) and error.filename == file:
        return {"line": error.lineno or 0, "text": f"{type(error).__name__}: {error.msg}"}
    lines = [frame.lineno or 0 for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return {"line": lines[-1] if lines else 0, "text": text}
