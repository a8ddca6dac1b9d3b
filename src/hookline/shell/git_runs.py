"""Commands that git runs: aliases from any source, and subcommands that take a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from hookline.lazy import re
from hookline.shell.git_settings import find_hook_commands, find_setting_commands, find_written_setting
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    cwd,
    lookup,
    set_values,
)
from hookline.shell.wrappers import run_wrapped, split_quoted

GLOBAL_VALUES = word_set(
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"
)
_BUILT_IN_SUBCOMMANDS = word_set(
    """add am apply archive bisect blame branch bundle checkout cherry-pick clean clone commit config
    describe diff difftool fetch filter-branch format-patch gc grep init log ls-remote merge mergetool
    mv notes pull push range-diff rebase reflog remote reset restore revert rm shortlog show stash status
    submodule switch tag update-ref worktree cat-file check-ignore checkout-index cherry count-objects
    diff-files diff-index diff-tree for-each-ref fsck hash-object help init ls-files ls-tree maintenance
    merge-base name-rev prune read-tree repack rev-list rev-parse show-branch show-ref sparse-checkout
    symbolic-ref update-index var version whatchanged write-tree"""
)
_HOOK_SUBCOMMANDS = word_set(
    "am checkout cherry-pick clone commit merge pull push rebase revert switch worktree gc"
)
_FOLDERS = {
    "--show-toplevel": "",
    **dict.fromkeys(("--git-dir", "--absolute-git-dir", "--git-common-dir"), "/.git"),
}
"""Options with which `git rev-parse` prints a folder of the repository."""
_NETWORK_SUBCOMMANDS = word_set("archive clone fetch ls-remote pull push remote")
_QUERY_OPTIONS = word_set(
    "--get --get-all --get-regexp --unset --unset-all --list -l --remove-section --rename-section"
)
_PUSH_VALUES = word_set("-o --push-option --repo --receive-pack --exec --recurse-submodules")
_MAX_SETTINGS = 64
"""Maximum settings read from numbered environment variables."""
_PARAMETER = re.compile(r"'([^'=]+)(?:'=')?=?([^']*)'")


def _git(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], GLOBAL_VALUES)
    if not options.operands:
        return Result()
    name, rest = options.operands[0], options.operands[1:]
    if name.text == "rev-parse" and not options.options:
        folders = [_FOLDERS[word.text] for word in rest[-1:] if word.text in _FOLDERS]
        return Result("".join(cwd(state) + folder + "\n" for folder in folders)) if folders else Result()
    settings = _read_settings(state, options)
    configured = tuple(_find_configured_commands(state, call, name.text, settings))
    result = _run_git_subcommand(state, call, options, settings)
    return result._replace(inner=configured + result.inner) if configured else result


def _find_configured_commands(
    state: ShellState, call: Call, name: str, settings: Mapping[str, str]
) -> Iterator[InnerCommand]:
    """Yield the commands of settings and hooks: pagers, editors, filters."""
    for key, value in settings.items():
        yield from find_setting_commands(key, value, "git -c " + key, call.span)
    if name in _HOOK_SUBCOMMANDS:
        earlier = lookup(state, "git core.hookspath") if "git core.hookspath" in state.variables else None
        folder = settings.get("core.hookspath") or earlier or ".git/hooks"
        yield from find_hook_commands(state, folder, call.span)


def _find_setting(state: ShellState, settings: Mapping[str, str], key: str) -> str | None:
    """Return a setting of this call, of the line, or of the repository and the user."""
    if key in settings:
        return settings[key]
    if "git " + key in state.variables:
        return lookup(state, "git " + key)
    written = find_written_setting(state, key, settings.get("include.path"))
    if written is not None:
        return written
    folder = cwd(state)
    if UNKNOWN in folder or UNKNOWN in key:
        return None
    state.wants_facts = True
    return state.facts.git_setting(folder, key)


def _run_git_subcommand(
    state: ShellState, call: Call, options: Options, settings: Mapping[str, str]
) -> Result:
    name, rest = options.operands[0], options.operands[1:]
    if name.text not in _BUILT_IN_SUBCOMMANDS:
        alias = _find_setting(state, settings, "alias." + name.text.lower())
        is_running = "git alias " + name.text in state.via and not (alias or "").startswith("!")
        return Result() if is_running or not alias else _run_alias(call, name, rest, alias)
    if _uses_network(name.text, rest):
        configured = _push(state, call, rest, settings) if name.text == "push" else ()
        _add_remote(state, rest) if name.text == "remote" else None
        return Result(inner=(*configured, *_find_ssh_commands(state, call, options, settings)))
    handler = _SUBCOMMAND_HANDLERS.get(name.text)
    return Result() if handler is None else handler(state, call, rest)


def _uses_network(name: str, rest: tuple[Word, ...]) -> bool:
    """Return whether the subcommand connects to another machine."""
    needed = {"archive": ("--remote",), "remote": ("update", "prune", "show", "add")}.get(name)
    return name in _NETWORK_SUBCOMMANDS and (
        needed is None or any(word.text.startswith(needed) for word in rest)
    )


def _find_ssh_commands(
    state: ShellState, call: Call, options: Options, settings: Mapping[str, str]
) -> Iterator[InnerCommand]:
    """Yield the configured programs by which git connects to other machines."""
    texts = [value.text for name, value in options.options if name == "-c" and value is not None]
    for variable in ("GIT_SSH_COMMAND", "GIT_SSH"):
        value = lookup(state, variable) if variable in state.variables else None
        if value:
            yield InnerCommand("git ssh", call.span, code=value)
    command = settings.get("core.sshcommand")
    if command:
        visible = any(text.lower().startswith("core.sshcommand=") for text in texts)
        yield InnerCommand("git ssh" if visible else "git smuggled ssh", call.span, code=command)
    variant = lookup(state, "GIT_SSH_VARIANT") if "GIT_SSH_VARIANT" in state.variables else None
    if variant and variant not in ("ssh", "simple", "auto"):
        yield InnerCommand("git ssh", call.span, (Word(text=variant, span=call.span),))


def _run_alias(call: Call, name: Word, rest: tuple[Word, ...], alias: str) -> Result:
    via = "git alias " + name.text
    if alias.startswith("!"):
        code = " ".join((alias[1:], *(word.text for word in rest)))
        return Result("", (InnerCommand(via, call.span, code=code),))
    words = tuple(Word(text=piece, span=name.span) for piece in split_quoted(alias))
    own = next((index for index, word in enumerate(call.argv) if word is name), 1)
    before = tuple(pairwise(call.argv[:own]))
    used = {index for index, pair in enumerate(before) if _sets_alias(*pair, name)}
    kept = (word for index, word in enumerate(call.argv[:own]) if not used & {index, index - 1})
    return run_wrapped(via, call, (*kept, *words, *rest))


def _sets_alias(option: Word, value: Word, name: Word) -> bool:
    return option.text == "-c" and value.text.lower().startswith(f"alias.{name.text.lower()}=")


def _read_settings(state: ShellState, options: Options) -> dict[str, str]:
    """Return the settings of this call: from `-c`, `--config-env`, and git's environment variables."""
    pairs = [
        value.text.partition("=") for name, value in options.options if name == "-c" and value is not None
    ]
    settings = [(key, value) for key, _, value in pairs]
    settings += [
        (key, lookup(state, variable) or "")
        for name, word in options.options
        if name == "--config-env" and word is not None
        for key, _, variable in [word.text.partition("=")]
    ]
    settings += _read_environment_settings(state)
    return {key.lower(): value for key, value in settings}


def _read_environment_settings(state: ShellState) -> list[tuple[str, str]]:
    count = lookup(state, "GIT_CONFIG_COUNT") if "GIT_CONFIG_COUNT" in state.variables else None
    numbers = range(min(int(count), _MAX_SETTINGS)) if count is not None and count.isdecimal() else range(0)
    settings = [
        (lookup(state, f"GIT_CONFIG_KEY_{number}") or "", lookup(state, f"GIT_CONFIG_VALUE_{number}") or "")
        for number in numbers
    ]
    parameters = lookup(state, "GIT_CONFIG_PARAMETERS") or ""
    return settings + _PARAMETER.findall(parameters[:4096])


def _config(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    """Set a value for later git commands of the line, such as the alias `git x` by `alias.x`.

    The next git command runs a pager or an editor, so setting one counts as running it.
    """
    options = parse_options(words, ("-f", "--file", "--blob", "--type", "--default"), mixed=True)
    operands = (
        options.operands[1:] if options.operands and options.operands[0].text == "set" else options.operands
    )
    if len(operands) < 2 or options.has(*_QUERY_OPTIONS):  # noqa: PLR2004 -- a name and a value
        return Result("")
    key, value = operands[0].text.lower(), operands[1].text
    set_values(state, "git " + key, (value,))
    return Result("", tuple(find_setting_commands(key, value, "git config", operands[1].span)))


def _add_remote(state: ShellState, words: tuple[Word, ...]) -> None:
    """Remember that a remote is a mirror: `git remote add --mirror=push NAME URL`."""
    options = parse_options(words, ("-t", "-m"), mixed=True)
    names = [word.text for word in options.operands[1:2]]
    if any(name == "--mirror" and (value is None or value.text == "push") for name, value in options.options):
        for name in names:
            set_values(state, f"git remote.{name.lower()}.mirror", ("true",))


def _push(
    state: ShellState, call: Call, words: tuple[Word, ...], settings: Mapping[str, str]
) -> tuple[InnerCommand, ...]:
    """Return the push again with the refspecs and the mirror that are configured for its remote."""
    operands = parse_options(words, _PUSH_VALUES, mixed=True).operands
    if len(operands) > 1 or "git push" in state.via:
        return ()
    remote = (
        operands[0].text if operands else _find_setting(state, settings, "remote.pushdefault") or "origin"
    )
    keys = [f"remote.{remote.lower()}.{name}" for name in ("push", "mirror")]
    found = [(key, value) for key in keys if (value := _find_setting(state, settings, key))]
    if not found:
        return ()
    git, *rest = call.argv
    texts = [text for key, value in found for text in ("-c", f"{key}={value}")]
    argv = (git, *(Word(text=text, span=git.span) for text in texts), *rest)
    return (InnerCommand("git push", call.span, argv),)


def _clean(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    """Add `clean.requireForce=false` to the call if the line set it earlier: then `clean` needs no force."""
    if (_find_setting(state, {}, "clean.requireforce") or "").lower() not in ("false", "no", "off", "0"):
        return Result()
    if "git clean" in state.via:
        return Result()
    git, *rest = call.argv
    setting = (Word(text="-c", span=git.span), Word(text="clean.requireForce=false", span=git.span))
    return Result(inner=(InnerCommand("git clean", call.span, (git, *setting, *rest)),))


def _difftool(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    command = parse_options(words, ("-x", "--extcmd", "-t", "--tool"), mixed=True).value("-x", "--extcmd")
    return Result(
        inner=() if command is None else (InnerCommand("git difftool", command.span, code=command.text),)
    )


def _grep(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    """Run the pager of `-O`, whose value is joined to the option."""
    for word in words:
        for option in ("-O", "--open-files-in-pager="):
            if word.text.startswith(option) and len(word.text) > len(option):
                return Result(inner=(InnerCommand("git grep -O", word.span, code=word.text[len(option) :]),))
    return Result()


def _rebase(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    options = parse_options(words, ("-x", "--exec", "--onto", "-s", "-X", "-C", "--strategy"), mixed=True)
    return Result(
        inner=tuple(
            InnerCommand("git rebase --exec", value.span, code=value.text)
            for name, value in options.options
            if name in ("-x", "--exec") and value is not None
        )
    )


def _bisect(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    return run_wrapped("git bisect run", call, words[1:]) if words and words[0].text == "run" else Result()


def _submodule(state: ShellState, call: Call, words: tuple[Word, ...]) -> Result:
    operands = parse_options(words).operands
    if not operands or operands[0].text != "foreach":
        return Result()
    rest = parse_options(operands[1:]).operands
    if len(rest) == 1:
        return Result("", (InnerCommand("git submodule foreach", rest[0].span, code=rest[0].text),))
    return run_wrapped("git submodule foreach", call, rest)


_SUBCOMMAND_HANDLERS: Mapping[str, Callable[[ShellState, Call, tuple[Word, ...]], Result]] = {
    "config": _config,
    "clean": _clean,
    "difftool": _difftool,
    "grep": _grep,
    "rebase": _rebase,
    "bisect": _bisect,
    "submodule": _submodule,
}


def _run_dashed(state: ShellState, call: Call) -> Result:
    """Run `git-push …` as `git push …`."""
    first = call.argv[0]
    name = first.text.rpartition("/")[2].removeprefix("git-")
    git = (Word(text="git", span=first.span), Word(text=name, span=first.span))
    return run_wrapped("git-" + name, call, (*git, *call.argv[1:]))


PROGRAMS: Mapping[str, Program] = {
    "git": _git,
    **{"git-" + name: _run_dashed for name in _BUILT_IN_SUBCOMMANDS},
}
