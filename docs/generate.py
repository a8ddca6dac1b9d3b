"""What the docs say that the code knows already: tables and `--help` pages, for the cog blocks of the pages.

`python docs/generate.py` writes every page anew, `--check` only says which of them have drifted.
"""

import ast
import inspect
import os
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from hookline import hooks, hosts, kinds, stores
from hookline.config import ENTRY, OPTIONS
from hookline.derive import abilities, coverage
from hookline.events import EVENTS, Can, Event
from hookline.hook import ANY, Hook
from hookline.host import Host, Moment

ROOT = Path(__file__).parent.parent
WIDTH = "100"
NONE = "–"


def pages() -> list[Path]:
    """Every page that a reader may open, in the order in which they are played."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "demo" / "README.md"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def code(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words) or NONE


def can(words: Iterable[Can]) -> str:
    wanted = frozenset(words)
    return ", ".join(word.value for word in Can if word in wanted) or NONE


# The built-in hooks.


def built_ins() -> str:
    """One row a hook, in the order in which they run."""
    every = sorted((hooks.load(name) for name in hooks.names()), key=lambda hook: hook.priority)
    rows = ([str(h.priority), f"[{h.name}](#{h.name})", _listens(h), h.nature, h.about] for h in every)
    return table(["priority", "hook", "events", "nature", "what it does"], rows)


def hook_sections() -> str:
    return "\n".join(_hook_section(hooks.load(name)) for name in hooks.names())


def _hook_section(hook: Hook) -> str:
    doc = inspect.cleandoc(sys.modules[hook.judge.__module__].__doc__ or hook.about)
    facts = f"Listens for {_listens(hook)}; priority {hook.priority}; {hook.nature}; {_usually(hook)}.\n"
    also = f"Also answers to {code(hook.aliases)}.\n" if hook.aliases else ""
    switch = f"Switched off by `AR_DISABLE_{hook.name.upper().replace('-', '_')}`.\n"
    return f"### {hook.name}\n\n{_reflowed(doc)}\n\n{facts}{also}{switch}\n{settings(hook)}"


def _usually(hook: Hook) -> str:
    return "on" if hook.enabled else "off until you switch it on"


def _listens(hook: Hook) -> str:
    return "every event" if Event in hook.on else code(event.__name__ for event in hook.on)


def _reflowed(text: str) -> str:
    """Docstrings are wrapped for the code; here a paragraph is one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def settings(hook: Hook) -> str:
    """The settings of a hook, from its signature."""
    if not hook.settings:
        return "It has no settings of its own.\n"
    rows = (
        [f"`{key}`", f"`{typed(hook.types[key])}`", f"`{_toml(value)}`", _untrusted(hook, key)]
        for key, value in hook.settings.items()
    )
    return table(["setting", "type", "default", "a project may set it untrusted"], rows)


def _untrusted(hook: Hook, key: str) -> str:
    allowed = hook.stricter.get(key, ())
    if hook.nature == "advice" or allowed == ANY:
        return "to anything"
    return f"to {code(map(_toml, allowed))}" if allowed else "no"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple | list | frozenset):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return str(value)


def typed(kind: Any) -> str:
    """A type as its reader would say it."""
    if get_origin(kind) is Literal:
        return " | ".join(_toml(word) for word in get_args(kind))
    if isinstance(kind, UnionType):
        return " | ".join(typed(one) for one in get_args(kind))
    if get_origin(kind) in (tuple, list):
        return f"list of {typed(get_args(kind)[0])}"
    named = getattr(kind, "__name__", str(kind)) if not get_args(kind) else str(kind)
    return {"str": "text", "bool": "true | false", "NoneType": "none"}.get(named, named.split(".")[-1])


# The events.


def events() -> str:
    rows = (
        [f"`{name}`", _first(event), can(event.may), f"{event.limit:g} s", code(_own(event))]
        for name, event in EVENTS.items()
    )
    return table(["event", "fires when", "an answer may", "time limit", "its own fields"], rows)


def common_fields() -> str:
    said = _field_docs(Event)
    rows = ([f"`{f.name}`", _field_type(f), said.get(f.name, "")] for f in fields(Event))
    return table(["field", "type", "what it is"], rows)


def own_fields() -> str:
    """The fields that not every event has."""
    rows = ([f"`{name}`", kind, code(at), said] for (name, kind, said), at in _by_field().items())
    return table(["field", "type", "at", "what it is"], rows)


def _by_field() -> dict[tuple[str, str, str], list[str]]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, event in EVENTS.items():
        said = {key: text for base in event.__mro__[::-1] for key, text in _field_docs(base).items()}
        for field in fields(event):
            if field.name in _own(event):
                row = field.name, _field_type(field), said.get(field.name, "")
                found.setdefault(row, []).append(name)
    return found


def _own(event: type[Event]) -> list[str]:
    common = {f.name for f in fields(Event)} | {"places"}
    return [f.name for f in fields(event) if f.name not in common]


def _first(event: type[Event]) -> str:
    return (inspect.getdoc(event) or "").partition("\n")[0]


def _field_type(field: "Field[Any]") -> str:
    plain = str(getattr(field.type, "__name__", "") if not get_args(field.type) else field.type)
    plain = plain.replace("collections.abc.", "").replace("typing.", "").replace("hookline.events.", "")
    return f"`{plain or field.type}`"


def _field_docs(owner: type) -> dict[str, str]:
    """The strings below fields, which Python itself does not keep."""
    if not owner.__module__.startswith("hookline."):
        return {}
    body = ast.parse(inspect.getsource(owner)).body[0].body  # type: ignore[attr-defined]  # a class has one
    return {
        str(one.target.id): str(below.value.value)
        for one, below in zip(body, body[1:], strict=False)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }


# The hosts.


def every_host() -> Iterator[Host]:
    return (hosts.load(name) for name in hosts.names())


def host_list() -> str:
    """The short table of the README."""
    rows = ([_linked(h), h.about, *_counts(h), h.proved or NONE] for h in every_host())
    return table(["host", "what it is", "native", "derived", "not to be had", "proved with"], rows)


def _linked(host: Host) -> str:
    return f"[`{host.name}`](docs/hosts.md#{host.name})"


def _counts(host: Host) -> list[str]:
    found = [coverage(host, event) for event in EVENTS.values()]
    return [str(found.count(word)) for word in ("native", "derived", "none")]


def matrix() -> str:
    """Hosts × events × abilities."""
    every = list(every_host())
    rows = ([f"`{name}`", *(_cell(host, event) for host in every)] for name, event in EVENTS.items())
    return table(["event", *(f"[{host.name}](#{host.name})" for host in every)], rows)


def _cell(host: Host, event: type[Event]) -> str:
    how = coverage(host, event)
    return NONE if how == "none" else f"{how}: {can(abilities(host, event))}"


def host_sections() -> str:
    return "\n".join(_host_section(host) for host in every_host())


def _host_section(host: Host) -> str:
    own = ROOT / "docs" / "hosts" / f"{host.name}.md"
    more = f"[Wiring and boundaries](hosts/{host.name}.md).\n" if own.exists() else ""
    seen = f"Proved by running version {host.proved}.\n" if host.proved else ""
    limits = (
        f"One answer may take {host.within:g} s and carry {host.context_cap:,} characters of context; "
        f"hooks may make one turn go on {host.continuations} times.\n"
    )
    parts = [f"{host.about}\n{more}{seen}{limits}", moments(host), f"Tools:\n\n{tools(host)}"]
    return f"### {host.name}\n\n" + "\n".join(parts)


def moments(host: Host) -> str:
    rows = (
        [
            f"`{name}`",
            f"`{row.event.__name__}`{_given(row)}",
            can(row.can),
            f"{row.within or host.within:g} s",
        ]
        for name, row in host.moments.items()
    )
    return table(["the host calls it", "our event", "an answer can", "due within"], rows)


def _given(row: Moment) -> str:
    said = ", ".join(f"{key}={value}" for key, value in row.given.items())
    return f" with `{said}`" if said else ""


def tools(host: Host) -> str:
    by_kind: dict[str, list[str]] = {}
    for name, row in host.tools.items():
        by_kind.setdefault(row.kind, []).append(name)
    return table(["kind", "the host's tools"], ([kind, code(names)] for kind, names in by_kind.items()))


# Configuration.

_TYPES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true | false",
    list: "list",
    dict: "table",
}


def options() -> str:
    return table(["key", "type"], ([f"`{key}`", _said(types)] for key, types in OPTIONS.items()))


def entry_keys() -> str:
    return table(["key", "type"], ([f"`{key}`", _said(types)] for key, types in ENTRY.items()))


def kind_list() -> str:
    every = (kinds.load(name) for name in kinds.names())
    rows = (
        [kind.name, f"`{kind.key}`", code(k for k in kind.fields if k != kind.key), kind.about]
        for kind in every
    )
    return table(["kind", "told by", "further keys", "what it does"], rows)


def store_list() -> str:
    rows = (
        [f"`{name}`", _about_module(f"hookline.stores.{name.replace('-', '_')}")] for name in stores.names()
    )
    return table(["store", "what it is"], rows)


def _about_module(name: str) -> str:
    stores.load(name.rpartition(".")[2].replace("_", "-"))
    return (sys.modules[name].__doc__ or "").strip().partition("\n")[0]


def _said(types: Iterable[type]) -> str:
    words = [_TYPES[kind] for kind in types]
    return "number" if words == ["whole number", "number"] else " or ".join(words)


# The command line.


def commands() -> str:
    from hookline.cli._main import build  # noqa: PLC0415 -- after the width is set

    return "\n".join(f"## {p.prog}\n\n```text\n{p.format_help().rstrip()}\n```\n" for p in _parsers(build()))


def _parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    yield parser
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its commands
        if isinstance(action, _SubParsersAction):
            for one in action.choices.values():
                yield from _parsers(one)


def regenerate(*, check: bool) -> int:
    """Run the cog blocks of every page, then play its examples; how many pages had drifted."""
    import transcripts  # noqa: PLC0415 -- it lies beside this file
    from cogapp import Cog  # noqa: PLC0415 -- a tool of ours, not of the package

    with_blocks = [str(page) for page in pages() if "[[[cog" in page.read_text(encoding="utf-8")]
    how = ["--check", "--diff"] if check else ["-r"]
    drifted = int(Cog().main(["cog", "-I", str(ROOT / "docs"), *how, *with_blocks]))
    return drifted if check else transcripts.refresh(pages())


os.environ["COLUMNS"] = WIDTH  # noqa: TID251 -- argparse reads it

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(1 if regenerate(check="--check" in sys.argv) else 0)
