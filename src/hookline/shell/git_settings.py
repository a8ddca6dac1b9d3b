"""Git settings and environment variables whose value is a command that a program runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from hookline.lazy import re
from hookline.shell.options import word_set
from hookline.shell.shell_state import InnerCommand, ShellState, find_file, lookup, resolve, spend
from hookline.shell.syntax import Span

_COMMAND_SETTINGS = word_set(
    """core.pager core.editor core.fsmonitor core.askpass core.gitproxy core.alternaterefscommand
    diff.external sequence.editor gpg.program credential.helper interactive.difffilter imap.tunnel web.browser
    uploadpack.packobjectshook sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd"""
)
_COMMAND_SETTING_PATTERNS = tuple(
    word_set(
        """pager.* filter.*.clean filter.*.smudge filter.*.process diff.*.textconv diff.*.command
        merge.*.driver mergetool.*.cmd difftool.*.cmd browser.*.cmd man.*.cmd guitool.*.cmd
        trailer.*.command trailer.*.cmd gpg.*.program credential.*.helper remote.*.uploadpack
        remote.*.receivepack"""
    )
)
_SWITCH_VALUES = word_set("true false yes no on off 1 0") | {""}
"""Values that switch such a setting on or off instead: `core.fsmonitor=true`, `pager.log=false`."""
COMMAND_VARIABLES = word_set(
    """PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER PSQL_PAGER AWS_PAGER GH_PAGER BAT_PAGER DELTA_PAGER EDITOR
    VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR KUBE_EDITOR SUDO_EDITOR GH_EDITOR HGEDITOR SVN_EDITOR SYSTEMD_EDITOR
    GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND LESSOPEN LESSCLOSE
    PROMPT_COMMAND BROWSER GH_BROWSER"""
)
"""Variables whose value is a command."""
SCRIPT_VARIABLES = word_set("BASH_ENV ENV")
"""Variables that name a script, which a shell runs at its start."""


def holds_command(key: str) -> bool:
    """Return whether the value of the setting *key*, in lower case, is a command."""
    return key in _COMMAND_SETTINGS or any(fnmatchcase(key, pattern) for pattern in _COMMAND_SETTING_PATTERNS)


def find_setting_commands(key: str, value: str, via: str, span: Span) -> Iterator[InnerCommand]:
    """Yield *value* as a command if git runs the value of the setting *key*."""
    if value.lower() not in _SWITCH_VALUES and holds_command(key):
        command = value.removeprefix("!") if key.endswith("helper") else value
        if key.endswith("helper") and command == value and not value.startswith("/"):
            return
        yield InnerCommand(via, span, code=command)


def find_written_setting(state: ShellState, key: str, included: str | None) -> str | None:
    """Return the value of *key* in a git configuration file that this line has written."""
    variables = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG")
    named = (lookup(state, name) for name in variables if name in state.variables)
    paths = {resolve(state, path) for path in (included, *named) if path}
    for path, content in tuple(state.files.items()) if state.files else ():
        if (path in paths or path.endswith(_SETTINGS_FILES)) and spend(state, len(content) >> 4):
            value = _parse_settings(content).get(key)
            if value is not None:
                return value
    return None


_SETTINGS_FILES = ("/.git/config", "/.gitconfig", "/git/config", "/.git/config.worktree")
_SECTION = re.compile(r"\s*\[\s*([\w.-]+)(?:\s+\"([^\"]*)\")?\s*\]\s*")
_QUOTE = re.compile(r'\\(.)|"')
_SETTING = re.compile(r"\s*([\w-]+)\s*=\s*(.*?)\s*")


def _parse_settings(content: str) -> dict[str, str]:
    """Return the settings in the text of a git configuration file, with names in lower case."""
    settings: dict[str, str] = {}
    section = ""
    for line in content.splitlines():
        header = _SECTION.match(line)
        if header is not None:
            section = ".".join(filter(None, header.groups())).lower()
        setting = _SETTING.fullmatch(line, header.end() if header is not None else 0)
        if setting is not None:
            settings[f"{section}.{setting[1].lower()}"] = _QUOTE.sub(r"\1", setting[2])
    return settings


def find_hook_commands(state: ShellState, folder: str, span: Span) -> Iterator[InnerCommand]:
    """Yield the hooks that this line has written to *folder*."""
    if not state.files:
        return
    prefix = resolve(state, folder) + "/"
    for path, content in tuple(state.files.items()):
        if path.startswith(prefix) and "/" not in path[len(prefix) :]:
            yield InnerCommand("git hook", span, code=content)


def find_variable_commands(
    state: ShellState, settings: Iterable[tuple[str, str]], span: Span
) -> Iterator[InnerCommand]:
    """Yield the commands that the variables among *settings* make other programs run."""
    for name, value in settings:
        if name in COMMAND_VARIABLES and value:
            yield InnerCommand("$" + name, span, code=value.lstrip("|-"))
        elif name in SCRIPT_VARIABLES and value:
            content, exists = find_file(state, value)
            if content is not None:
                yield InnerCommand("$" + name, span, code=content, exists=exists)
