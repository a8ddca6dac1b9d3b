"""The files in a user's home with which a host calls hookline, created from the host's definition."""

from typing import Any

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import InstallEntry, SettingsFile

SECONDS = 30.0


def wired(name: str, hookline: str, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the files, by their path in the home, that make host *name* call hookline at every moment."""
    host = hosts.load(name)
    way = host.install.layout if host.install else None
    assert way is not None, f"{name} has no install method"
    place = way.user.removeprefix("~/")
    if isinstance(way, SettingsFile):
        table: dict[str, Any] = {
            one.moment: [way.make_entry(one)] for one in entries(host, hookline, seconds)
        }
        for key in reversed(way.table_path):
            table = {key: table}
        return {place: {**way.initial_content, **table}}
    files: dict[str, Any] = {
        f"{place}/{file}": text for file, text in way.make_files(entries(host, hookline)).items()
    }
    if way.registered is not None:
        one = InstallEntry(moment=way.registered_as, command=f"{hookline} hook {name}", timeout=SECONDS)
        told = {**way.registered.initial_content, one.moment: [way.registered.make_entry(one)]}
        files[way.registered.user.removeprefix("~/")] = told
    return files


def entries(host: Host, hookline: str, seconds: float = SECONDS) -> tuple[InstallEntry, ...]:
    command = f"{hookline} hook {host.name}"
    return tuple(InstallEntry(moment=moment, command=command, timeout=seconds) for moment in host.moments)
