"""What the docs say about the ends of turns: which agents can be made to go on, and how often."""

from cells import NONE, table

from hookline import hosts
from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import BLOCK, Stop, TurnEnd
from hookline.core.host import Host


def caps() -> str:
    """One row an agent."""
    every = [host for host in map(hosts.load, hosts.names()) if find_coverage(host, Stop) != "unsupported"]
    return table(["agent", "TurnEnd", "can go on", "says that it does", "at most"], map(_row, every))


def _row(host: Host) -> list[str]:
    goes_on = BLOCK in find_abilities(host, Stop)
    rows = [row for row in host.moments.values() if row.event is Stop]
    tells = "yes" if any("again" in row.fields for row in rows) else "no"
    ends = find_coverage(host, TurnEnd)
    return [
        f"`{host.name}`",
        ends,
        "yes" if goes_on else "no",
        tells,
        str(host.continuations) if goes_on else NONE,
    ]
