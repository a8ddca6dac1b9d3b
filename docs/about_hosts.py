"""What the docs say about the hosts: their tables of moments, printed."""

from collections.abc import Iterator
from pathlib import Path

from cells import NONE, can, code, table

from hookline import hosts
from hookline.derive import abilities, coverage
from hookline.events import BLOCK, EVENTS, INJECT, Can, Event
from hookline.host import Host, Moment

PAGES = Path(__file__).parent / "hosts"


def every_host() -> Iterator[Host]:
    return (hosts.load(name) for name in hosts.names())


def host_list() -> str:
    """The short table of the README."""
    rows = ([_linked(h), h.about, *_counts(h), _known(h)] for h in every_host())
    return table(["host", "what it is", "native", "derived", "not to be had", "proved with"], rows)


def _known(host: Host) -> str:
    return host.proved or ("documents only" if host.documented else NONE)


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
    own = (PAGES / f"{host.name}.md").exists()
    more = f"[Wiring and boundaries](hosts/{host.name}.md).\n" if own else ""
    seen = f"Proved by running version {host.proved}.\n" if host.proved else ""
    seen += f"From documents only, nobody ran it: {host.documented}.\n" if host.documented else ""
    limits = (
        f"One answer may take {host.within:g} s and carry {host.context_cap:,} characters of context; "
        f"hooks may make one turn go on {host.continuations} times.\n"
    )
    parts = [f"{host.about}\n{more}{seen}{limits}", moments(host), f"Tools:\n\n{tools(host)}"]
    return f"### {host.name}\n\n" + "\n".join(parts)


def moments(host: Host) -> str:
    rows = (
        [f"`{name}`", f"`{row.event.__name__}`{_given(row)}", can(row.can), _due(host, row)]
        for name, row in host.moments.items()
    )
    return table(["the host calls it", "our event", "an answer can", "due within"], rows)


def _due(host: Host, row: Moment) -> str:
    return f"{row.within or host.within:g} s"


def _given(row: Moment) -> str:
    said = ", ".join(f"{key}={value}" for key, value in row.given.items())
    return f" with `{said}`" if said else ""


def tools(host: Host) -> str:
    by_kind: dict[str, list[str]] = {}
    for name, row in host.tools.items():
        by_kind.setdefault(row.kind, []).append(name)
    return table(["kind", "the host's tools"], ([kind, code(names)] for kind, names in by_kind.items()))


def boundaries() -> str:
    """What is not to be had, and what an answer may do at an event but not on this host."""
    rows = (
        [f"`{h.name}`", code(_missing(h)), code(_unable(h, BLOCK)), code(_unable(h, INJECT)), _more(h)]
        for h in every_host()
    )
    return table(["host", "events not to be had", "no block at", "no context at", "more"], rows)


def _missing(host: Host) -> list[str]:
    return [name for name, event in EVENTS.items() if coverage(host, event) == "none"]


def _unable(host: Host, word: Can) -> list[str]:
    return [
        name
        for name, event in EVENTS.items()
        if word in event.may and word not in abilities(host, event) and name not in _missing(host)
    ]


def _more(host: Host) -> str:
    page = f"{host.name}.md"
    return f"[its boundaries](docs/hosts/{page}#boundaries)" if (PAGES / page).exists() else NONE
