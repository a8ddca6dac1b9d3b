"""What the docs say about the hosts: their tables of moments, printed."""

import ast
from collections.abc import Iterator
from pathlib import Path

from cells import NONE, can, code, table

from hookline import hosts
from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import BLOCK, EVENTS, INJECT, Ability, Event
from hookline.core.host import Host, Moment

PAGES = Path(__file__).parent / "hosts"
TESTS = Path(__file__).parent.parent / "tests/hosts"
OURS = "# --- ours ---"
"""Below it in a host's test file is what we make of that host, which is no trap of it."""


def every_host() -> Iterator[Host]:
    return (hosts.load(name) for name in hosts.names())


def host_list() -> str:
    """The short table of the README."""
    rows = ([_linked(h), h.about, *_counts(h), _known(h)] for h in every_host())
    return table(["host", "what it is", "native", "derived", "unsupported", "proved with"], rows)


def _known(host: Host) -> str:
    return host.tested_version or ("from its documentation, not run" if host.documented else NONE)


def _linked(host: Host) -> str:
    return f"[`{host.name}`](docs/hosts/{host.name}.md)"


def _counts(host: Host) -> list[str]:
    found = [find_coverage(host, event) for event in EVENTS.values()]
    return [str(found.count(word)) for word in ("native", "derived", "unsupported")]


def matrix() -> str:
    """Hosts × events × abilities."""
    every = list(every_host())
    rows = ([f"`{name}`", *(_cell(host, event) for host in every)] for name, event in EVENTS.items())
    return table(["event", *(f"[{host.name}](hosts/{host.name}.md)" for host in every)], rows)


def _cell(host: Host, event: type[Event]) -> str:
    how = find_coverage(host, event)
    return NONE if how == "unsupported" else f"{how}: {can(find_abilities(host, event))}"


def page(name: str) -> str:
    """What the code knows about one host, for its own page."""
    host = hosts.load(name)
    seen = f"Proved by running version {host.tested_version}.\n" if host.tested_version else ""
    seen += f"From its documentation, not run: {host.documented}.\n" if host.documented else ""
    limits = (
        f"One answer may take {host.timeout:g} s and carry {host.context_cap:,} characters of context; "
        f"hooks may make one turn go on {host.continuations} times.\n"
    )
    events = f"Our events there:\n\n{_events(host)}"
    parts = [f"{host.about}\n{seen}{limits}", moments(host), f"Tools:\n\n{tools(host)}", events]
    found = traps(host)
    return "\n".join([*parts, f"Traps, each with a test of this name:\n\n{found}"] if found else parts)


def _events(host: Host) -> str:
    rows = ([f"`{name}`", *_reach(host, event)] for name, event in EVENTS.items())
    return table(["event", "how", "an answer can", "but not"], rows)


def _reach(host: Host, event: type[Event]) -> list[str]:
    how = find_coverage(host, event)
    able = find_abilities(host, event) if how != "unsupported" else ()
    return [
        how if how != "unsupported" else NONE,
        can(able),
        can([one for one in event.abilities if one not in able]),
    ]


def traps(host: Host) -> str:
    """What the host's own tests are called down to a mark: each is something one would not expect of it."""
    file = TESTS / f"test_{host.name.replace('-', '_')}.py"
    if not file.exists():
        return ""
    read = ast.parse(file.read_text(encoding="utf-8").partition(f"\n{OURS}\n")[0])
    named = [one.name for one in read.body if isinstance(one, ast.FunctionDef)]
    words = (name.removeprefix("test_").replace("_", " ") for name in named if name.startswith("test_"))
    return "".join(f"- {text[:1].upper()}{text[1:]}.\n" for text in words)


def moments(host: Host) -> str:
    rows = (
        [f"`{name}`", f"`{row.event.__name__}`{_given(row)}", can(row.abilities), _due(host, row)]
        for name, row in host.moments.items()
    )
    return table(["the host calls it", "our event", "an answer can", "due within"], rows)


def _due(host: Host, row: Moment) -> str:
    return f"{row.timeout or host.timeout:g} s"


def _given(row: Moment) -> str:
    said = ", ".join(f"{key}={value}" for key, value in row.values.items())
    return f" with `{said}`" if said else ""


def tools(host: Host) -> str:
    by_kind: dict[str, list[str]] = {}
    for name, row in host.tools.items():
        by_kind.setdefault(row.kind, []).append(name)
    return table(["kind", "the host's tools"], ([kind, code(names)] for kind, names in by_kind.items()))


def boundaries(pages: str) -> str:
    """What is unsupported, and what an answer may do at an event but not on this host."""
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
