"""All programs that are understood, by name; one table, put together from the files that know them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from hookline.bash.reading import UNKNOWN
from hookline.bash.world import Call, Result, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Program: TypeAlias = Callable[[World, Call], Result]

_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node)[\d.]+")
LATER: Mapping[str, str] = {
    "printing": "base64 cat echo printenv printf pwd rev tee xxd",
    "builtins": """. : [ alias break cd chdir continue declare eval exit export false hash local mapfile popd
        pushd read readarray readonly return set shift shopt source test trap true typeset unalias
        unset wait""",
    "wrappers": """arch asdf aws-vault builtin bun bundle bunx busybox bwrap caffeinate capsh cargo catchsegv
        ccache cgexec choom chpst chronic chroot chrt command conda cpulimit cross-env daemonize
        dbus-run-session devbox direnv distcc doas doppler dotenv dotenvx dtach dumb-init
        eatmydata entr env envdir exec fakechroot fakeroot faketime firejail genv gosu gtimeout
        incus infisical ionice linux32 linux64 ltrace lxc mamba micromamba mise nice nocorrect
        nodemon nodenv noglob nohup npm npx nsenter numactl op pdm perf pipenv pipx pixi pkexec
        pnpm poetry prlimit proot proxychains proxychains4 pyenv rbenv retry rlwrap rtk run0
        runcon rye s6-setuidgid sem setpriv setsid setuidgid softlimit ssh-agent sshpass stdbuf
        strace su-exec sudo systemd-inhibit systemd-run taskset time timelimit timeout tini
        torsocks tox toybox trickle ts-node tsocks unbuffer unshare uv uvx valgrind watchexec
        winpty with-contenv xdg-run xvfb-run yarn""",
    "shells": """ansible ash at bash batch concurrently crontab csh dash fish flock hyperfine ksh ksh93 mksh
        nix-shell pdksh posh rbash runuser screen script sg sh su tcsh tmux watch yash zsh""",
    "feeders": "find gfind gxargs parallel xargs",
    "gitruns": """git git-add git-am git-apply git-archive git-bisect git-blame git-branch git-bundle
        git-checkout git-cherry-pick git-clean git-clone git-commit git-config git-describe
        git-diff git-difftool git-fetch git-filter-branch git-format-patch git-gc git-grep
        git-init git-log git-ls-remote git-merge git-mergetool git-mv git-notes git-pull git-push
        git-range-diff git-rebase git-reflog git-remote git-reset git-restore git-revert git-rm
        git-shortlog git-show git-stash git-status git-submodule git-switch git-tag git-update-ref
        git-worktree""",
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
"""Files that are imported when one of their programs is met; of one in several, the last."""


def program_name(path: str) -> str:
    """The program that *path* names, without folder, version or `.exe`; empty if it is not known."""
    if UNKNOWN in path:
        return ""
    name = path.rpartition("/")[2].removesuffix(".exe")
    if name.isupper():  # file systems that do not tell RM from rm
        name = name.lower()
    found = _VERSIONED.fullmatch(name) if name[-1:].isdigit() or name.endswith(".") else None
    return found.group(1) if found is not None else name


@cache
def program(name: str) -> Program | None:
    """What the program *name* does, if it is understood."""
    if name not in _MODULES:
        return None
    found: Program = import_module("hookline.bash." + _MODULES[name]).PROGRAMS[name]
    return found


_MODULES = {name: module for module, names in LATER.items() for name in names.split()}
_RUNNING = ("printing", "builtins", "wrappers", "shells", "feeders", "gitruns", "embedded", "windows")
PROGRAMS = frozenset(" ".join(LATER[module] for module in _RUNNING).split()) | {"bun", "ssh", "mosh"}
"""Programs that run, set or print what they are given, and open none of it as a file."""
