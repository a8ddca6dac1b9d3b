"""Tables about the ends of turns: the agents that can be made to continue, and how often."""

from itertools import groupby

from cells import NONE, table

from hookline import hosts
from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import BLOCK, Stop
from hookline.core.host import Host


def caps() -> str:
    """Return one row for all agents that behave alike."""
    every = [host for host in map(hosts.load, hosts.names()) if find_coverage(host, Stop) != "unsupported"]
    groups = groupby(sorted(every, key=_behaviour, reverse=True), _behaviour)
    rows = ([", ".join(host.name for host in alike), *behaviour] for behaviour, alike in groups)
    return table(["agents", "can continue", "report it", "limit"], rows)


def _behaviour(host: Host) -> tuple[str, str, str]:
    continues = BLOCK in find_abilities(host, Stop)
    ends = [row for row in host.moments.values() if row.event is Stop]
    reports = "yes" if any("again" in row.fields for row in ends) else "no"
    return "yes" if continues else "no", reports, str(host.continuations) if continues else NONE
