"""Settings of git, and variables of the environment, whose value is a command that some program runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from hookline.shell.options import spelled
from hookline.shell.shell_state import Inner, World, resolve
from hookline.shell.syntax import Span

_EXACT = spelled(
    """core.pager core.editor core.fsmonitor core.askpass core.gitproxy core.alternaterefscommand
    diff.external sequence.editor gpg.program credential.helper interactive.difffilter imap.tunnel web.browser
    uploadpack.packobjectshook sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd"""
)
_SHAPES = tuple(
    spelled(
        """pager.* filter.*.clean filter.*.smudge filter.*.process diff.*.textconv diff.*.command
        merge.*.driver mergetool.*.cmd difftool.*.cmd browser.*.cmd man.*.cmd guitool.*.cmd
        trailer.*.command trailer.*.cmd gpg.*.program credential.*.helper remote.*.uploadpack
        remote.*.receivepack"""
    )
)
_SWITCHES = spelled("true false yes no on off 1 0") | {""}
"""What some of them may be instead: `core.fsmonitor=true`, `pager.log=false`."""
VARIABLES = spelled(
    """PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER PSQL_PAGER AWS_PAGER GH_PAGER BAT_PAGER DELTA_PAGER EDITOR
    VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR KUBE_EDITOR SUDO_EDITOR GH_EDITOR HGEDITOR SVN_EDITOR SYSTEMD_EDITOR
    GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND LESSOPEN LESSCLOSE
    PROMPT_COMMAND BROWSER GH_BROWSER"""
)
"""Variables that name a command."""
FILES = spelled("BASH_ENV ENV")
"""Variables that name a script, which a shell runs before anything else."""


def runs(key: str) -> bool:
    """Whether the value of the setting *key*, in small letters, is a command."""
    return key in _EXACT or any(fnmatchcase(key, shape) for shape in _SHAPES)


def configured(key: str, value: str, via: str, span: Span) -> Iterator[Inner]:
    """The command that *value* is, if the setting *key* makes git run one."""
    if value.lower() not in _SWITCHES and runs(key):
        command = value.removeprefix("!") if key.endswith("helper") else value
        if key.endswith("helper") and command == value and not value.startswith("/"):
            return
        yield Inner(via, span, code=command)


def hooks(world: World, folder: str, span: Span) -> Iterator[Inner]:
    """The hooks that this very line has written to *folder*."""
    if not world.files:
        return
    where = resolve(world, folder) + "/"
    for path, content in tuple(world.files.items()):
        if path.startswith(where) and "/" not in path[len(where) :]:
            yield Inner("git hook", span, code=content)


def variables(world: World, settings: Iterable[tuple[str, str]], span: Span) -> Iterator[Inner]:
    """What the variables among *settings* make other programs run."""
    for name, value in settings:
        if name in VARIABLES and value:
            yield Inner("$" + name, span, code=value.lstrip("|-"))
        elif name in FILES and world.files:
            content = world.files.get(resolve(world, value)) if value else None
            if content is not None:
                yield Inner("$" + name, span, code=content)
