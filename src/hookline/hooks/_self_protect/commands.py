"""Commands reserved for a person: loosening the guards, removing hookline, setting its switches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from hookline.core.person_commands import HARMLESS, HOST_ONLY, PERSON_ONLY, is_listed
from hookline.hooks._self_protect.finding import Action, Finding, quote
from hookline.hooks._self_protect.guarded_paths import OURSELVES, Guard
from hookline.hosts import AGENT_PROGRAMS
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set
from hookline.shell.quotes import decode_ansi

_ALWAYS = frozenset(name for name, phrases in PERSON_ONLY.items() if "" in phrases)
_GAP = r"\b[^\n;&|]{0,80}"
_PHRASES = "|".join(
    _GAP.join((name, *phrase.split())) for name, phrases in PERSON_ONLY.items() for phrase in phrases
)
PERSON_COMMAND = re.compile(
    rf"\bhookline(?:-client)?(?:\.exe)?['\"]?\s+(?:(?:-\S+|args)\s+)*(?:{_PHRASES})(?![\w.-])", re.IGNORECASE
)
"""A command for people in the text of a script, a profile or another shell."""
_SWITCHES = (
    r"(?:AR_DISABLE_\w*|AUTORESEARCH_(?:BUDGET_END|TOKEN_TARGET)"
    r"|HOOKLINE_(?:BUDGET_END|TOKEN_TARGET|DAEMON|DEPTH|MODE|OFF|DISABLE\w*|PROFILE|RUN|STORE_ADDRESS|MCP_SECRET))"
)
SWITCH = re.compile(_SWITCHES)
_SET = re.compile(rf"\b{_SWITCHES}\s*=")
_VARIABLES = (name for one in AGENT_PROGRAMS.values() for name in one.variables)
_HOMES = "|".join(("HOME", "XDG_(?:CONFIG|STATE)_HOME", *_VARIABLES))
_MOVED = re.compile(
    rf"""(?<![$\w{{-])(?:{_HOMES})=(?!["']?(?:\$HOME|\$\{{HOME\}}|~)/\.(?:config|local/state)\b)
    | \bset\s+(?:-\w+\s+)+(?:{_HOMES}|(?:AR|HOOKLINE)_DISABLE_\w*)\s""",
    re.VERBOSE,
)
"""Assignments that change the folders of settings to unusual values; the second form is fish syntax."""
_PACKAGE = re.compile(
    r"(?:\S*/hookline[\w.-]*|hookline(?:-\d[^/]*\.(?:whl|tar\.gz|zip)|\.git)?)(?:[=<>~!@\[ #].*)?"
)
"""A name, address or file of our package, or of a fork with a longer name."""
_MANAGERS = word_set(
    """pip pip3 uv pipx conda mamba micromamba pixi poetry pdm brew rye hatch easy_install apt apt-get dnf yum
    zypper pacman yay apk port snap flatpak nix nix-env guix npm pnpm yarn bun asdf mise winget choco scoop"""
)
_REMOVES = word_set(
    "uninstall remove purge rm -R -Rs -Rns autoremove delete unlink del --uninstall uninstall-all"
)
_CHANGES = word_set(
    """install add upgrade reinstall inject update sync -S -U -i -iA link unpin downgrade --upgrade use
    upgrade-all reinstall-all"""
)
_RUNNERS = word_set("uvx pipx npx bunx uv")
_SETTERS = word_set("export set declare typeset readonly local unset read mapfile readarray let getopts")
TEXT_PROGRAMS = word_set(
    "echo printf grep egrep fgrep rg ag git cat sed awk test [ comm jq yq gh glab curl wget"
)
"""Programs for which a word such as `NAME=value` is only text."""
PYTHONS = frozenset({"python", "pypy"})
_SHELLS = word_set("sh bash zsh dash ksh source .")


def judge_command(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    """Yield a finding for each action of *command* that is reserved for a person."""
    if command.words:
        yield from _judge_hookline(command, guard)
        yield from _judge_packages(command, guard)
        switch = next(_find_switches(command), None)
        if switch is not None:
            yield Finding(rule="switch", what=quote(switch), span=command.span)


def _judge_hookline(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    arguments = _find_arguments(command, guard)
    if arguments is None:
        return
    words = [word.text for word in parse_options(arguments, mixed=True).operands]
    if arguments[:1] and arguments[0].text.startswith("-"):  # the first word may be the value of an option
        words = words[next((at for at, text in enumerate(words[:2]) if text in PERSON_ONLY), 0) :]
    given = [*words, *(word.text for word in arguments if word.text.startswith("-"))]
    if {"--help", "-h"} & {*given} or is_listed(given, HARMLESS):
        return
    if any(UNKNOWN in text for text in words[:2]):
        what = "`hookline` with arguments that are unknown before it runs"
        yield Finding(rule="hidden", what=what, span=command.span, action="ask")
    elif is_listed(given, PERSON_ONLY):
        yield Finding(rule="command", what=quote(f"hookline {' '.join(words[:2])}"), span=command.span)
    elif is_listed(given, HOST_ONLY):
        what = f"`hookline {words[0]}`, which acts for a host"
        yield Finding(rule="command", what=what, span=command.span, action="ask")


def _find_arguments(command: SimpleCommand, guard: Guard) -> Sequence[Word] | None:
    """Return the arguments of `hookline`, however it is started, or None if *command* does not start it."""
    first, rest = command.words[0], command.words[1:]
    if command.name in OURSELVES or _is_hookline(first, guard, command.cwd):
        return rest
    if command.name in PYTHONS | _SHELLS:
        return _find_script_arguments(rest, guard, command.cwd)
    if command.name in _RUNNERS:
        place = next((i for i, word in enumerate(rest) if _PACKAGE.fullmatch(word.text)), None)
        return None if place is None else rest[place + 1 :]
    unknown = first.dynamic or _is_unknown_copy(first, guard, command.cwd)
    return (Word(text=UNKNOWN, span=first.span),) if unknown and rest and rest[0].text in _ALWAYS else None


def _is_unknown_copy(first: Word, guard: Guard, cwd: str | None) -> bool:
    """Return whether *first* names a copy or link that this line made from an unknown source."""
    sources = {**guard.links, **guard.copies}
    return bool(sources) and any(UNKNOWN in sources.get(place, "") for place in guard.places(first.text, cwd))


def _find_script_arguments(rest: Sequence[Word], guard: Guard, cwd: str | None) -> Sequence[Word] | None:
    """Return the words after our module or script, for an interpreter that is started with *rest*."""
    for place, word in enumerate(rest):
        if word.text.startswith("-m"):
            after = rest[place + (2 if word.text == "-m" else 1) :]
            module = word.text[2:] or "".join(one.text for one in rest[place + 1 : place + 2])
            if module.startswith(("hookline.daemon", "hookline.cli")):
                return (Word(text="daemon", span=word.span), *after)
            return after if module.partition(".")[0] == "hookline" else None
        if not word.text.startswith("-"):
            ends = ("hookline/__main__.py", "hookline/daemon/client.py", "/hookline")
            ours = word.text.endswith(ends) or _is_hookline(word, guard, cwd, bare=True)
            return rest[place + 1 :] if ours else None
    return None


def _is_hookline(word: Word, guard: Guard, cwd: str | None, *, bare: bool = False) -> bool:
    """Return whether *word* is a link to hookline, a copy of it, or a pattern that matches it."""
    text = word.text
    if UNKNOWN in text:
        return False
    if word.glob and any(fnmatchcase(name, text.rpartition("/")[2]) for name in OURSELVES):
        return True
    if "/" not in text and not bare:
        return False
    places = [*dict.fromkeys(guard.places(text, cwd))]
    places += [guard.copies[place] for place in places if place in guard.copies]
    return any(
        place.rpartition("/")[2] in OURSELVES
        or "from hookline.cli import" in (guard.facts.read_script(place) or "")
        for place in places
    )


def _judge_packages(command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    """Yield a finding for package managers that remove or replace hookline."""
    texts = [word.text for word in command.words]
    manages = command.name in _MANAGERS or (command.name in PYTHONS and {"-m", "pip"} <= {*texts})
    if not manages:
        return
    own = "/" in texts[0] and any(
        guard.rule(one) == "write-user" for one in guard.places(texts[0], command.cwd)
    )
    ours = own or any(_PACKAGE.fullmatch(text) for text in texts[1:])
    everything = {"uninstall-all", "upgrade-all", "reinstall-all"} & {*texts} or {"tool", "--all"} <= {*texts}
    if (ours or everything) and {*texts} & (_REMOVES | _CHANGES):
        action: Action = "block" if {*texts} & _REMOVES else "ask"
        yield Finding(rule="uninstall", what="the package hookline", span=command.span, action=action)


def _find_switches(command: SimpleCommand) -> Iterator[str]:
    texts = [word.text for word in command.words]
    yield from (name for name, _ in command.assignments if SWITCH.fullmatch(name))
    for place, text in enumerate(texts[1:]):
        if command.name in _SETTERS and SWITCH.fullmatch(text.lstrip("-").partition("=")[0].rstrip("+")):
            yield text.partition("=")[0]
        elif command.name == "printf" and text.startswith("-v"):
            yield from filter(SWITCH.fullmatch, (text[2:], *texts[place + 2 : place + 3]))
        elif command.name == "env" and SWITCH.fullmatch(text.removeprefix("--unset=").removeprefix("-u")):
            yield text
        elif "=" in text and command.name not in TEXT_PROGRAMS and _SET.match(text.lstrip("-")):
            yield text.partition("=")[0]
        elif command.name == "env" and _SET.search(text):
            yield "env -S"
        elif text.startswith("hookline.") and command.name == "git" and "config" in texts:
            yield text


PROFILES = word_set(
    """.bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .zlogin
    config.fish environment .envrc .env .pam_environment .xprofile .xinitrc .cshrc .tcshrc .kshrc
    bash.bashrc"""
)
"""Files that set the environment of programs started later."""
_RUN_LATER = re.compile(
    r"""/\.git/(?:hooks/|config$)|/\.husky/|/\.githooks/|/\.gitconfig$|/cron|\.(?:service|timer|desktop|plist)$
    |/fish/(?:conf\.d|functions)/|/profile\.d/|/bashrc\.d/|\.(?:bashrc|zshrc)\.d/""",
    re.VERBOSE,
)
"""Files that other programs run as commands."""
_PROJECT_SCRIPTS = re.compile(
    r"/(?:package\.json|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|[^/]+\.mk|Taskfile\.ya?ml|lefthook\.ya?ml"
    r"|\.pre-commit-config\.yaml|\.vscode/tasks\.json|\.?mcp\.json|Procfile|devcontainer\.json)$"
)
"""Files of a project whose commands people and agents run by name."""
_JSON_MARKS = re.compile(r"""["',:\[\]{}]+""")
_REDEFINED = re.compile(
    r"(?:^|[\s;])(?:alias\s+hookline(?:-client)?=|hookline(?:-client)?\s*\(\)|function\s+hookline\b)"
)
_UNGUARDED = re.compile(
    "|".join(
        rf"\b{name}\s[^\n;|&]{{0,200}}(?:{'|'.join(map(re.escape, program.arguments))})(?![\w-])"
        for name, program in AGENT_PROGRAMS.items()
    )
)


def judge_content(path: str, texts: Sequence[str]) -> Iterator[Finding]:
    """Yield findings for *texts* written to a file that a shell or another program runs later."""
    whole = path if path.startswith("/") else f"/{path}"
    profile = whole.rpartition("/")[2] in PROFILES or ("/environment.d/" in whole and whole.endswith(".conf"))
    project = _PROJECT_SCRIPTS.search(whole) is not None
    texts = [*texts, *(decode_ansi(text) for text in texts if "\\" in text)]
    plain = [_JSON_MARKS.sub(" ", text) for text in texts if '"' in text]
    if not profile and not project and _RUN_LATER.search(whole) is None:
        return
    checks: Mapping[str, bool] = {
        "command": any(map(PERSON_COMMAND.search, (*texts, *plain))),
        "switch": any(map(_SET.search, texts))
        # Only an application reads `.env`; a home set there does not affect hookline.
        or (profile and not whole.endswith("/.env") and any(map(_MOVED.search, texts))),
        "uninstall": any(map(_REDEFINED.search, texts)),
        "agent": profile and any(map(_UNGUARDED.search, texts)),
    }
    for rule in (rule for rule, broken in checks.items() if broken):
        yield Finding(rule=rule, what=quote(path), action="ask" if project else "block")
