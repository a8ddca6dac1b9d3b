"""What git runs on its own: aliases from any source, and subcommands that take a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell.git_settings import configured, hooks
from hookline.shell.options import Options, options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, cwd, look, place
from hookline.shell.wrappers import run

Program: TypeAlias = Callable[[World, Call], Result]

GLOBAL_VALUES = spelled(
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"
)
_BUILT_IN = spelled(
    """add am apply archive bisect blame branch bundle checkout cherry-pick clean clone commit config
    describe diff difftool fetch filter-branch format-patch gc grep init log ls-remote merge mergetool
    mv notes pull push range-diff rebase reflog remote reset restore revert rm shortlog show stash status
    submodule switch tag update-ref worktree"""
)
_HOOKED = spelled("am checkout cherry-pick clone commit merge pull push rebase revert switch worktree gc")
_NETWORK = spelled("archive clone fetch ls-remote pull push remote")
_ASKING = spelled(
    "--get --get-all --get-regexp --unset --unset-all --list -l --remove-section --rename-section"
)
_MAX_SETTINGS = 64
_PARAMETER = re.compile(r"'([^'=]+)(?:'=')?=?([^']*)'")


def _git(world: World, call: Call) -> Result:
    split = options(call.argv[1:], GLOBAL_VALUES)
    if not split.operands:
        return Result()
    name, rest = split.operands[0], split.operands[1:]
    if name.text == "rev-parse" and [word.text for word in rest] == ["--show-toplevel"] and not split.given:
        return Result(cwd(world) + "\n")
    settings = _configured(world, split)
    by_setting = tuple(_by_settings(world, call, name.text, settings))
    result = _subcommand(world, call, split, settings)
    return result._replace(inner=by_setting + result.inner) if by_setting else result


def _by_settings(world: World, call: Call, name: str, settings: Mapping[str, str]) -> Iterator[Inner]:
    """Commands that git is told to run on the way: pagers, editors, filters, hooks."""
    for key, value in settings.items():
        yield from configured(key, value, "git -c " + key, call.span)
    if name in _HOOKED:
        folder = settings.get("core.hookspath") or _earlier(world, "core.hookspath") or ".git/hooks"
        yield from hooks(world, folder, call.span)


def _earlier(world: World, key: str) -> str | None:
    """What a `git config` earlier in the line has set *key* to."""
    return look(world, "git " + key) if "git " + key in world.known else None


def _subcommand(world: World, call: Call, split: Options, settings: Mapping[str, str]) -> Result:
    name, rest = split.operands[0], split.operands[1:]
    if name.text not in _BUILT_IN:
        alias = settings.get("alias." + name.text) or look(world, "git alias." + name.text)
        return _alias(call, name, rest, alias) if alias and alias != UNKNOWN else Result()
    if _reaches(name.text, rest):
        return Result(inner=tuple(_ssh(world, call, split, settings)))
    runner = _RUNNERS.get(name.text)
    return Result() if runner is None else runner(world, call, rest)


def _reaches(name: str, rest: tuple[Word, ...]) -> bool:
    """Whether the subcommand talks to another machine."""
    needed = {"archive": ("--remote",), "remote": ("update", "prune", "show", "add")}.get(name)
    return name in _NETWORK and (needed is None or any(word.text.startswith(needed) for word in rest))


def _ssh(world: World, call: Call, split: Options, settings: Mapping[str, str]) -> Iterator[Inner]:
    """The program of one's choice by which git reaches other machines."""
    own = [value.text for name, value in split.given if name == "-c" and value is not None]
    for variable in ("GIT_SSH_COMMAND", "GIT_SSH"):
        value = look(world, variable) if variable in world.known else None
        if value:
            yield Inner("git ssh", call.span, code=value)
    command = settings.get("core.sshcommand")
    if command:
        shown = any(text.lower().startswith("core.sshcommand=") for text in own)
        yield Inner("git ssh" if shown else "git smuggled ssh", call.span, code=command)
    variant = look(world, "GIT_SSH_VARIANT") if "GIT_SSH_VARIANT" in world.known else None
    if variant and variant not in ("ssh", "simple", "auto"):
        yield Inner("git ssh", call.span, (Word(text=variant, span=call.span),))


def _alias(call: Call, name: Word, rest: tuple[Word, ...], alias: str) -> Result:
    via = "git alias " + name.text
    if alias.startswith("!"):
        code = " ".join((alias[1:], *(word.text for word in rest)))
        return Result("", (Inner(via, call.span, code=code),))
    words = tuple(Word(text=piece.strip("'\""), span=name.span) for piece in alias.split())
    return run(via, call, (call.argv[0], *words, *rest))


def _configured(world: World, split: Options) -> dict[str, str]:
    """What is set for this one call: by `-c`, `--config-env`, or git's configuration variables."""
    pairs = [value.text.partition("=") for name, value in split.given if name == "-c" and value is not None]
    found = [(key, value) for key, _, value in pairs]
    found += [
        (key, look(world, variable) or "")
        for name, given in split.given
        if name == "--config-env" and given is not None
        for key, _, variable in [given.text.partition("=")]
    ]
    found += _from_environment(world)
    return {_lowered(key): value for key, value in found}


def _lowered(key: str) -> str:
    """Sections and names do not tell large from small letters, what an alias is called does."""
    return "alias." + key[len("alias.") :] if key.lower().startswith("alias.") else key.lower()


def _from_environment(world: World) -> list[tuple[str, str]]:
    count = look(world, "GIT_CONFIG_COUNT") if "GIT_CONFIG_COUNT" in world.known else None
    numbers = range(min(int(count), _MAX_SETTINGS)) if count is not None and count.isdecimal() else range(0)
    found = [
        (look(world, f"GIT_CONFIG_KEY_{number}") or "", look(world, f"GIT_CONFIG_VALUE_{number}") or "")
        for number in numbers
    ]
    parameters = look(world, "GIT_CONFIG_PARAMETERS") or ""
    return found + _PARAMETER.findall(parameters[:4096])


def _config(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    """What is set earlier in the line holds later: `git x` is what `alias.x` was set to.

    A pager or an editor is run by whatever comes next, so that it counts as run at once.
    """
    split = options(words, ("-f", "--file", "--blob", "--type", "--default"), mixed=True)
    operands = split.operands[1:] if split.operands and split.operands[0].text == "set" else split.operands
    if len(operands) < 2 or split.has(*_ASKING):  # noqa: PLR2004 -- a name and a value
        return Result("")
    key, value = _lowered(operands[0].text), operands[1].text
    place(world, "git " + key, (value,))
    return Result("", tuple(configured(key, value, "git config", operands[1].span)))


def _clean(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    """With `clean.requireForce` set to false earlier, it needs no force; judged as if set for this call."""
    if (_earlier(world, "clean.requireforce") or "").lower() not in ("false", "no", "off", "0"):
        return Result()
    git, *rest = call.argv
    given = (Word(text="-c", span=git.span), Word(text="clean.requireForce=false", span=git.span))
    unset = (("git clean.requireforce", ""),)
    return Result(inner=(Inner("git config", call.span, (git, *given, *rest), settings=unset),))


def _difftool(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    given = options(words, ("-x", "--extcmd", "-t", "--tool"), mixed=True).value("-x", "--extcmd")
    return Result(inner=() if given is None else (Inner("git difftool", given.span, code=given.text),))


def _grep(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    """`-O`, which opens what is found in a pager of one's choice, has its value joined to it."""
    for word in words:
        for option in ("-O", "--open-files-in-pager="):
            if word.text.startswith(option) and len(word.text) > len(option):
                return Result(inner=(Inner("git grep -O", word.span, code=word.text[len(option) :]),))
    return Result()


def _rebase(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    split = options(words, ("-x", "--exec", "--onto", "-s", "-X", "-C", "--strategy"), mixed=True)
    return Result(
        inner=tuple(
            Inner("git rebase --exec", value.span, code=value.text)
            for name, value in split.given
            if name in ("-x", "--exec") and value is not None
        )
    )


def _bisect(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    return run("git bisect run", call, words[1:]) if words and words[0].text == "run" else Result()


def _submodule(world: World, call: Call, words: tuple[Word, ...]) -> Result:
    operands = options(words).operands
    if not operands or operands[0].text != "foreach":
        return Result()
    rest = options(operands[1:]).operands
    if len(rest) == 1:
        return Result("", (Inner("git submodule foreach", rest[0].span, code=rest[0].text),))
    return run("git submodule foreach", call, rest)


_RUNNERS: Mapping[str, Callable[[World, Call, tuple[Word, ...]], Result]] = {
    "config": _config,
    "clean": _clean,
    "difftool": _difftool,
    "grep": _grep,
    "rebase": _rebase,
    "bisect": _bisect,
    "submodule": _submodule,
}


def _dashed(world: World, call: Call) -> Result:
    """`git-push …` is `git push …`."""
    own = call.argv[0]
    name = own.text.rpartition("/")[2].removeprefix("git-")
    git = (Word(text="git", span=own.span), Word(text=name, span=own.span))
    return run("git-" + name, call, (*git, *call.argv[1:]))


PROGRAMS: Mapping[str, Program] = {"git": _git, **{"git-" + name: _dashed for name in _BUILT_IN}}
