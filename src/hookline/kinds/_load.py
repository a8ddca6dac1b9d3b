"""Importer of users' files and modules with hooks; used only in a worker process.

Files are compiled from source. Compiled files in a repository are ignored, because nobody has reviewed them
and the source need not match them.

An audit hook keeps the worker from running untrusted files of a project. The interpreter raises an audit
event before it loads code from a file by any means: an import, a loader with a path, an extension module. A
trusted hook can still read a file and run its text.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
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

from hookline.core.frozen import thaw
from hookline.core.hook import BadHook, Hook
from hookline.kinds._sources import digest, find_module_file

Hooks = Mapping[str, Hook]
_LIBRARY_FOLDERS = (
    Path(__file__).parents[1],
    Path(json.__file__).parents[1],
    *getsitepackages(),
    getusersitepackages(),
)
_LIBRARY_PATHS = {
    path for folder in map(str, _LIBRARY_FOLDERS) for path in (folder, os.path.realpath(folder))
}


class StaleSource(Exception):
    """Another version of this source is already loaded; only a new process can load this one."""


class SourceChanged(Exception):
    """The file differs from the requested version."""


class LoadedSources:
    """Sources that this process has loaded; each is imported once."""

    def __init__(self, root: str, trusted: Mapping[str, str] | None = None) -> None:
        """Load from *root*; if *trusted* maps real paths to digests, only those files of it may run."""
        self.root = root
        self._loaded: dict[str, tuple[str, Hooks]] = {}
        if trusted is not None:
            confine(root, trusted, is_user_code)
        sys.path_hooks.insert(0, _make_path_hook(root))
        sys.path_importer_cache.clear()  # drops finders of project folders from before this hook
        sys.path += [root, str(Path(root, "src"))]  # last, so that no project file shadows a library

    def hooks(self, source: Mapping[str, str]) -> Hooks:
        key = source["path"] or source["module"]
        expected = source["digest"]
        if key in self._loaded:
            loaded, hooks = self._loaded[key]
            if expected not in ("", loaded):
                raise StaleSource
            return hooks
        loaded, module = _load(source, expected)
        hooks = {hook.name: hook for hook in _collect_hooks(module, source)}
        self._loaded[key] = loaded, hooks
        return hooks

    def imported_files(self) -> dict[str, str]:
        """Return the digest of each file under the root that was imported so far."""
        files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        user_files = {file for file in files if file and is_user_code(file, self.root)}
        return {file: digest(Path(file).read_bytes()) for file in sorted(user_files)}


def is_user_code(path: str, root: str) -> bool:
    """Return whether *path* is under *root* and belongs neither to a library nor to this package."""
    absolute = Path(os.path.abspath(path))
    return (
        not path.startswith("<")
        and absolute.is_relative_to(root)
        and not any(absolute.is_relative_to(library) for library in _LIBRARY_PATHS)
    )


class _SourceOnlyLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _make_path_hook(root: str) -> Any:
    loaders = (ExtensionFileLoader, EXTENSION_SUFFIXES), (_SourceOnlyLoader, SOURCE_SUFFIXES)

    def find_files(path: str) -> FileFinder:
        if not is_user_code(path, root) or (os.path.isfile(path) and not _is_archive(path)):
            raise ImportError(path)
        return FileFinder(path, *loaders)

    return find_files


def _is_archive(path: str) -> bool:
    """Return whether *path* is an archive; nothing is imported from it, as its content cannot be reviewed."""
    try:
        zipimporter(path)
    except ImportError:
        return False
    return True


def _load(source: Mapping[str, str], expected: str) -> tuple[str, ModuleType]:
    module = source["module"].partition(":")[0]
    file = source["path"] or find_module_file(module, source["root"])
    content = Path(file).read_bytes() if file else b""
    content_digest = digest(content) if file else ""
    if expected not in ("", content_digest):
        raise SourceChanged(
            f"{file!r} changed after it was inspected; it runs again after the next inspection"
        )
    return content_digest, _run_file(file, content, content_digest) if source["path"] else import_module(
        module
    )


def _run_file(file: str, content: bytes, content_digest: str) -> ModuleType:
    folder = str(Path(file).parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = ModuleType(f"{Path(file).stem}_{content_digest[:8]}")
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(compile(content, file, "exec"), module.__dict__)  # noqa: S102 -- this is what the worker is for
    return module


def _collect_hooks(module: ModuleType, source: Mapping[str, str]) -> list[Hook]:
    name = source["module"].partition(":")[2]
    hooks = list({id(hook): hook for hook in _iter_hooks(module, name)}.values())
    names = [hook.name for hook in hooks]
    duplicates = sorted({hook_name for hook_name in names if names.count(hook_name) > 1})
    if duplicates:
        raise BadHook(f"duplicate hook name {duplicates[0]!r}; rename one of the hooks")
    if name and not hooks:
        available = ", ".join(sorted(hook.name for hook in _iter_hooks(module, ""))) or "none"
        raise BadHook(f"no hook named {name!r} here; available: {available}")
    return hooks


def _iter_hooks(module: ModuleType, name: str) -> Iterator[Hook]:
    for attribute, value in list(vars(module).items()):
        if isinstance(value, Hook) and (
            name in (attribute, value.name) if name else _is_defined_in(value, module)
        ):
            yield value


def _is_defined_in(hook: Hook, module: ModuleType) -> bool:
    """Return whether the hook is defined in *module*, not imported into it."""
    return f"{hook.judge.__module__}.".startswith(f"{module.__name__}.")


def hook_to_json(hook: Hook) -> dict[str, Any]:
    """Return the hook as a JSON object."""
    return {
        "name": hook.name,
        "events": [event.__name__ for event in hook.on],
        "priority": hook.priority,
        "priorities": {event.__name__: priority for event, priority in hook.priorities.items()},
        "nature": hook.nature,
        "aliases": list(hook.aliases),
        "timeout": hook.timeout,
        "on_failure": hook.on_failure,
        "on_timeout": hook.on_timeout,
        "settings": _settings_to_json(hook),
        "about": hook.about,
        "enabled": hook.enabled,
        "why": hook.why is not None,
        "file": hook.judge.__code__.co_filename,
        "line": hook.judge.__code__.co_firstlineno,
    }


def _settings_to_json(hook: Hook) -> Any:
    for name, value in hook.settings.items():
        try:
            json.dumps(thaw(value), allow_nan=False)
        except (TypeError, ValueError):
            raise BadHook(
                f"setting {name!r} of hook {hook.name!r} has the default {value!r}, which is not JSON; "
                "use text, numbers, true, false, lists or tables"
            ) from None
    return thaw(hook.settings)


def problem_to_json(error: BaseException, file: str) -> dict[str, Any]:
    """Return the error and its line in *file* as a JSON object."""
    text = f"{type(error).__name__}: {error}".strip(": ")
    if isinstance(error, SyntaxError) and error.filename == file:
        return {"line": error.lineno or 0, "text": f"{type(error).__name__}: {error.msg}"}
    lines = [frame.lineno or 0 for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return {"line": lines[-1] if lines else 0, "text": text}


_PYTHON_SUFFIXES = (".py", ".pyw")


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
    is_python = path.endswith(_PYTHON_SUFFIXES) or "." not in os.path.basename(
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
