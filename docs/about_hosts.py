"""Generated documentation of the hosts, from their tables."""

from collections.abc import Iterator

from cells import NONE, can, code, table

from hookline import hosts
from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import (
    ALL_ABILITIES,
    ALLOW,
    ASK,
    BLOCK,
    EVENTS,
    INJECT,
    MODIFY,
    Ability,
    Event,
)
from hookline.core.host import Host, Moment
from hookline.core.install_table import InstallEntry, InstallMethod, OwnFiles, SettingsFile

LETTERS = {BLOCK: "B", ASK: "Q", ALLOW: "A", INJECT: "I", MODIFY: "M"}
OBSERVE = "o"
PORTABLE = "envelope"
"""The host that has every ability at every event."""


def every_host() -> Iterator[Host]:
    return (hosts.load(name) for name in hosts.names())


def host_list() -> str:
    """Return the table of the hosts that were run, and a sentence with the other hosts, for the README."""
    rows = [[_linked(h), h.tested_version, *_counts(h)] for h in every_host() if h.tested_version]
    others = ", ".join(_linked(h) for h in every_host() if h.name != PORTABLE and not h.tested_version)
    return (
        table(["host", "tested version", "native", "derived", "unsupported"], rows)
        + f"\nWritten from their documentation, not run: {others}.\n"
        + f"Other programs use [`{PORTABLE}`](docs/reference/hosts/{PORTABLE}.md).\n"
    )


def _linked(host: Host) -> str:
    return f"[`{host.name}`](docs/reference/hosts/{host.name}.md)"


def _counts(host: Host) -> list[str]:
    found = [find_coverage(host, event) for event in EVENTS.values()]
    return [str(found.count(word)) for word in ("native", "derived", "unsupported")]


def matrix() -> str:
    """Return a table of the abilities at each event of each host, one letter each."""
    every = [host for host in every_host() if host.name != PORTABLE]
    rows = ([f"`{name}`", *(_cell(host, event) for host in every)] for name, event in EVENTS.items())
    return table(["event", *(f"[{host.name}](hosts/{host.name}.md)" for host in every)], rows)


def _cell(host: Host, event: type[Event]) -> str:
    how, able = find_coverage(host, event), find_abilities(host, event)
    if how == "unsupported":
        return NONE
    letters = "".join(LETTERS[word] for word in ALL_ABILITIES if word in able) or OBSERVE
    return f"({letters})" if how == "derived" else letters


def legend() -> str:
    words = ", ".join(f"{letter} {word}" for word, letter in LETTERS.items())
    return f"{words}; {OBSERVE} hooks run, but an answer has no effect; (…) derived; {NONE} unsupported.\n"


def facts(name: str) -> str:
    """Return the tested version, the limits of an answer, and the files that `hookline init` writes."""
    host = hosts.load(name)
    tested = f"Tested with version {host.tested_version}.\n" if host.tested_version else ""
    documented = f"From its documentation, not run: {host.documented}.\n" if host.documented else ""
    installed = f"\n## Install\n\n{_files(host, host.install)}\n" if host.install else ""
    common = "See also [all hosts](../hosts.md#all-hosts).\n"
    return f"{tested}{documented}{_own_limits(host)}{common}{installed}"


def _files(host: Host, install: InstallMethod) -> str:
    layout = install.layout
    folder = f"; `{install.folder_env}` changes the user's folder" if install.folder_env else ""
    if isinstance(layout, SettingsFile):
        return f"`hookline init` edits {_scopes(layout)}{folder}."
    registered = f" and registers it in `{layout.registered.user}`" if layout.registered else ""
    return f"`hookline init` writes {_own_files(host, layout)}{registered}{folder}."


def _own_files(host: Host, layout: OwnFiles) -> str:
    entries = tuple(InstallEntry(moment=name, command="", timeout=1.0) for name in host.moments)
    names = [*layout.make_files(entries)]
    if len(names) == 1:
        return _scopes(layout, f"/{names[0]}")
    return f"{'a file for each event' if layout.executable else 'a plugin'} in {_scopes(layout)}"


def _scopes(layout: SettingsFile | OwnFiles, name: str = "") -> str:
    paths = {"user": layout.user, "project": layout.project}
    return " or ".join(f"`{path}{name}` ({scope})" for scope, path in paths.items() if path)


def limits() -> str:
    """Return the limits of an answer that apply unless a host has lower ones."""
    host = hosts.load(PORTABLE)
    return (
        f"An answer takes at most {host.timeout:g} s and has at most {host.context_cap:,} characters of "
        f"context; hooks can continue a turn {host.continuations} times. A host's page shows lower limits.\n"
    )


def _own_limits(host: Host) -> str:
    usual = hosts.load(PORTABLE)
    found = [f"{host.timeout:g} s for an answer"] if host.timeout != usual.timeout else []
    found += [f"{row.timeout:g} s at `{name}`" for name, row in host.moments.items() if row.timeout]
    if host.context_cap != usual.context_cap:
        found.append(f"{host.context_cap:,} characters of context")
    if host.continuations != usual.continuations:
        found.append(f"{host.continuations} continuations of a turn")
    return f"Lower limits: {', '.join(found)}.\n" if found else ""


def page(name: str) -> str:
    """Return a table of the host's events, and its tools by kind."""
    host = hosts.load(name)
    return f"{moments(host)}\nTools: {tools(host)}.\n"


def moments(host: Host) -> str:
    """Return a table of the host's events; spellings of the same event share a row."""
    spellings: dict[int, list[str]] = {}
    for name, row in host.moments.items():
        spellings.setdefault(id(row), []).append(name)
    rows = (
        [code(names), f"`{row.event.__name__}`{_given(row)}", can(row.abilities)]
        for names in spellings.values()
        if (row := host.moments[names[0]])
    )
    return table(["host's event", "event", "an answer can"], rows)


def _given(row: Moment) -> str:
    values = ", ".join(f"{key}={value}" for key, value in row.values.items())
    return f" with `{values}`" if values else ""


def tools(host: Host) -> str:
    by_kind: dict[str, list[str]] = {}
    for name, row in host.tools.items():
        by_kind.setdefault(row.kind, []).append(name)
    return "; ".join(f"{kind} {code(names)}" for kind, names in by_kind.items())


def boundaries(pages: str) -> str:
    """Return a table of unsupported events, and of events at which a host cannot block or inject."""
    rows = (
        [
            f"[{h.name}]({pages}/{h.name}.md)",
            code(_missing(h)),
            _cannot(h, BLOCK),
            _cannot(h, INJECT),
        ]
        for h in every_host()
    )
    return table(["host", "unsupported events", "no block at", "no context at"], rows)


def _missing(host: Host) -> list[str]:
    return [name for name, event in EVENTS.items() if find_coverage(host, event) == "unsupported"]


def _cannot(host: Host, word: Ability) -> str:
    return code(
        name
        for name, event in EVENTS.items()
        if word in event.abilities and word not in find_abilities(host, event) and name not in _missing(host)
    )
