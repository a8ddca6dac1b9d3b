"""All programs that are understood, by name; one table, put together from the files that know them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias

from hookline.bash import builtins, feeders, gitruns, printing, shells, wrappers
from hookline.bash.reading import UNKNOWN
from hookline.bash.world import Call, Result, World

Program: TypeAlias = Callable[[World, Call], Result]

_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node)[\d.]+")
LATER: Mapping[str, str] = {
    "recipes": "make gmake bmake just npm pnpm yarn bun",
    "launchers": "setarch hatch nix gdb lldb expect start-stop-daemon fd fdfind",
    "embedded": "python pypy perl ruby node nodejs deno php lua awk gawk mawk nawk",
    "transfer": """curl wget cp mv ln link install gcp gmv rsync dd tar gtar bsdtar gzip xz bzip2 zstd lz4
        zip 7z 7za 7zz rar openssl gpg age""",
    "remote": """ssh mosh autossh scp sftp socat nc ncat netcat docker podman nerdctl docker-compose kubectl
        oc k3s""",
    "windows": "pwsh powershell cmd",
    "editors": "sed gsed ed red vim vi nvim view ex gvim mvim vimdiff",
    "filters": """head tail sort uniq tac nl grep egrep fgrep rg envsubst fold fmt column sponge pv
        realpath readlink grealpath greadlink""",
}
"""Files that are imported when one of their programs is met."""


def program_name(path: str) -> str:
    """The program that *path* names, without folder, version or `.exe`; empty if it is not known."""
    if UNKNOWN in path:
        return ""
    name = path.rpartition("/")[2].removesuffix(".exe")
    if name.isupper():  # file systems that do not tell RM from rm
        name = name.lower()
    found = _VERSIONED.fullmatch(name)
    return found.group(1) if found is not None else name


def program(name: str) -> Program | None:
    """What the program *name* does, if it is understood."""
    if name not in _MODULES:
        return _PROGRAMS.get(name)
    found: Program = import_module("hookline.bash." + _MODULES[name]).PROGRAMS[name]
    return found


_MODULES = {name: module for module, names in LATER.items() for name in names.split()}
_PROGRAMS: Mapping[str, Program] = {
    **printing.PROGRAMS,
    **builtins.PROGRAMS,
    **wrappers.PROGRAMS,
    **shells.PROGRAMS,
    **feeders.PROGRAMS,
    **gitruns.PROGRAMS,
}
PROGRAMS = frozenset(
    {*_PROGRAMS, *LATER["embedded"].split(), "bun", *LATER["windows"].split(), "ssh", "mosh"}
)
"""Programs that run, set or print what they are given, and open none of it as a file."""
