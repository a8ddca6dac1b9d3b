"""What a person's home holds where a host is wired: the host's own words about it, written out."""

from typing import Any

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import Entry, Listed

SECONDS = 30.0


def wired(name: str, hookline: str) -> dict[str, Any]:
    """Files of the home, by their names from there, that make *name* call us at every moment."""
    host = hosts.load(name)
    way = host.wiring.way if host.wiring else None
    assert way is not None, f"{name} says nothing about how it is wired"
    place = way.user.removeprefix("~/")
    if isinstance(way, Listed):
        table: dict[str, Any] = {one.moment: [way.entry(one)] for one in entries(host, hookline)}
        for key in reversed(way.under):
            table = {key: table}
        return {place: {**way.start, **table}}
    files: dict[str, Any] = {
        f"{place}/{file}": text for file, text in way.files(entries(host, hookline)).items()
    }
    if way.registered is not None:
        one = Entry(moment=way.registered_as, command=f"{hookline} hook {name}", seconds=SECONDS)
        told = {**way.registered.start, one.moment: [way.registered.entry(one)]}
        files[way.registered.user.removeprefix("~/")] = told
    return files


def entries(host: Host, hookline: str) -> tuple[Entry, ...]:
    command = f"{hookline} hook {host.name}"
    return tuple(Entry(moment=moment, command=command, seconds=SECONDS) for moment in host.moments)
