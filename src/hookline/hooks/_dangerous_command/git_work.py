"""git commands that discard uncommitted work, with any options between `git` and the subcommand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.git_history import (
    HISTORY,
    HISTORY_SUBCOMMANDS,
    Git,
    Subcommand,
    subcommand,
    switched_on,
)
from hookline.hooks._dangerous_command.rule import CORE, Finding, Judge, Place
from hookline.hooks._dangerous_command.scratch import (
    WORK_TREE,
    is_created_folder,
    is_scratch_folder,
    is_temporary,
    join_path,
    repository_folder,
)
from hookline.hooks._dangerous_command.targets import find_listing
from hookline.shell import SimpleCommand, Word
from hookline.shell.effect_programs import find_extraction
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import parse_options, word_set


def _reset(git: Git) -> Iterator[str]:
    if git.inner.has("--hard"):
        yield "git-reset-hard"
    elif git.inner.has("--merge"):
        yield "git-reset-merge"


def _clean(git: Git) -> bool:
    settings = [value.text.lower() for name, value in git.outer.options if name == "-c" and value is not None]
    unforced = any(f"clean.requireforce={no}" in settings for no in ("false", "0", "no", "off"))
    forced = unforced or switched_on(git.inner, ("-f", "--force"), "--no-force")
    return forced and not git.inner.has("-n", "--dry-run", "-i", "--interactive")


_ALL = word_set(". ./ ./. ./* :/ :/. :/* : * ** .. ../ :(top) :(top). :! :(glob)**")
"""Path patterns that mean every file."""
_PATCH = ("-p", "--patch")


def _checkout(git: Git) -> Iterator[str]:
    if switched_on(git.inner, _PATCH, "--no-patch"):
        return
    if _names_everything(git):
        yield "git-checkout-dot"
    elif switched_on(git.inner, ("-f", "--force"), "--no-force"):
        yield "git-checkout-force"


def _restore(git: Git) -> bool:
    staged = switched_on(git.inner, ("-S", "--staged"), "--no-staged")
    worktree = switched_on(git.inner, ("-W", "--worktree"), "--no-worktree") or not staged
    return worktree and _names_everything(git) and not switched_on(git.inner, _PATCH, "--no-patch")


def _switch(git: Git) -> bool:
    return git.inner.has("--discard-changes") or switched_on(git.inner, ("-f", "--force"), "--no-force")


def _names_everything(git: Git) -> bool:
    """Return whether the operands mean every file: a pattern, the path of the folder, or a list of files."""
    folders = {git.place.cwd, git.place.root} - {""}
    operands = git.inner.operands
    if any(word.text in _ALL or word.text.rstrip("/") in folders for word in operands):
        return True
    listed = [word for word in operands if word.dynamic and word.origins]
    file = git.inner.value("--pathspec-from-file")
    if file is not None:
        origins = git.command.stdin_origins if file.text == "-" else file.origins
        listed.append(Word(text=file.text, span=file.span, origins=origins))
    return any(_lists_changes(word, git) for word in listed)


def _lists_changes(word: Word, git: Git) -> bool:
    listing = find_listing(word, git.command, git.place)
    return listing is not None and listing.kind in ("changed", "tracked") and not listing.narrowed


def _apply(git: Git) -> bool:
    """Return whether a patch of all changes is applied in reverse: `git diff | git apply -R`."""
    inner = git.inner
    if not inner.has("-R", "--reverse") or inner.has("--check", "--stat", "--numstat", "--summary"):
        return False
    only_index = inner.has("--cached") and not inner.has("--index")
    return not only_index and reads_diff(git.command, inner.operands, git.place)


def reads_diff(command: SimpleCommand, operands: tuple[Word, ...], place: Place) -> bool:
    """Return whether *command* reads the difference between the working tree and the last commit."""
    for source in place.sources((*command.stdin_origins, *(at for word in operands for at in word.origins))):
        texts = [word.text for word in source.words[1:] if not word.text.startswith("-")]
        if source.name == "git" and texts[:1] == ["diff"] and set(texts[1:]) <= {"HEAD", ".", ":/"}:
            return True
    return False


def _removes_worktree(git: Git) -> bool:
    forced = git.starts("remove") and switched_on(git.inner, ("-f", "--force"), "--no-force")
    added = [
        word.text
        for command in git.place.earlier()
        if command.name == "git" and any(word.text == "add" for word in command.words[2:])
        for word in command.words
    ]
    return forced and not all(word.text in added for word in git.inner.operands[1:])


def _rm(git: Git) -> bool:
    forced = git.inner.has("-f", "--force", "-r")
    return forced and _names_everything(git) and not git.inner.has("--cached", "-n", "--dry-run")


_VALUES = "--pathspec-from-file --inter-hunk-context --conflict -U"
_NAMES = """--conflict --ignore-skip-worktree-bits --inter-hunk-context --merge --no-patch --ours --overlay
    --patch --pathspec-from-file --progress --quiet --recurse-submodules --theirs --unified"""

WORK_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "reset": Subcommand(
        _reset,
        """--hard --soft --mixed --merge --keep --quiet --refresh --patch --intent-to-add
        --pathspec-from-file --pathspec-file-nul --recurse-submodules --inter-hunk-context --unified""",
        "--pathspec-from-file --inter-hunk-context --unified -U",
    ),
    "clean": subcommand(
        "git-clean-force",
        _clean,
        "--dry-run --exclude --force --no-force --interactive --quiet",
        "-e --exclude",
    ),
    "checkout": Subcommand(
        _checkout,
        "--detach --force --guess --orphan --overwrite-ignore --track " + _NAMES,
        _VALUES + " -b -B --orphan",
    ),
    "switch": subcommand(
        "git-checkout-force",
        _switch,
        "--create --force-create --detach --discard-changes --force --guess --orphan --track " + _NAMES,
        "-c -C --create --force-create --orphan --conflict",
    ),
    "restore": subcommand(
        "git-restore-dot",
        _restore,
        "--ignore-unmerged --no-staged --no-worktree --source --staged --worktree " + _NAMES,
        _VALUES + " -s --source",
    ),
    "stash": subcommand("git-stash-drop", lambda git: git.starts("drop", "clear")),
    "worktree": subcommand("git-worktree-force", _removes_worktree, "--force --porcelain"),
    "rm": subcommand("git-rm-all", _rm, "--cached --dry-run --force --ignore-unmatch --quiet --sparse"),
    "read-tree": subcommand(
        "git-checkout-force", lambda git: git.inner.has("--reset") and git.inner.has("-u")
    ),
    "checkout-index": subcommand(
        "git-checkout-force",
        lambda git: git.inner.has("-f", "--force") and git.inner.has("-a", "--all"),
        "--all --force --index --prefix --stage --temp",
    ),
    "apply": subcommand(
        "git-checkout-dot",
        _apply,
        "--reverse --index --cached --check --stat --numstat --summary --directory --exclude --include",
        "-p -C --directory --exclude --include --whitespace",
    ),
    "submodule": subcommand(
        "git-checkout-force",
        lambda git: git.starts("deinit", "update") and git.inner.has("-f", "--force"),
        "--force --all --init --recursive --remote",
    ),
}
_SUBCOMMANDS = {**WORK_SUBCOMMANDS, **HISTORY_SUBCOMMANDS}


def _git(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    outer = parse_options(words, GLOBAL_VALUES)
    name = outer.operands[0].text if outer.operands else ""
    row = _SUBCOMMANDS.get(name)
    if row is None:
        return
    inner = parse_options(outer.operands[1:], row.values.split(), mixed=True, names=row.names.split())
    if inner.has("--help", "-h") or outer.has("--help", "-h"):
        return
    for rule in row.judge(Git(command, outer, inner, place)):
        if name != "push" and _is_scratch(
            command, place, temporary=name in WORK_SUBCOMMANDS and name != "stash"
        ):
            return
        pack = CORE if rule in CORE.rules else HISTORY
        warns = rule == "git-push-lease" and place.lease != "block"
        yield pack.find(rule, command, action="warn" if warns else None)


def _is_scratch(command: SimpleCommand, place: Place, *, temporary: bool) -> bool:
    """Return whether git works in a repository that the line created, or in a *temporary* folder.

    A worktree in a temporary folder shares the history of its repository.
    """
    folder = repository_folder(command, place, *(WORK_TREE if temporary else ()))
    if folder is None:
        return False
    created = is_created_folder(folder.text, place) or folder.origins != ()
    return (created or temporary) and (
        is_temporary(folder, "", place) or is_created_folder(folder.text, place)
    )


def _patch(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    options = parse_options(words, word_set("-p -i -d -o --input --directory --output --strip"), mixed=True)
    file = options.value("-i", "--input")
    inputs = tuple(one.target for one in command.redirects if one.op == "<")
    files = (*options.operands, *inputs, *([file] if file is not None else []))
    reverses = options.has("-R", "--reverse") and not options.has("--dry-run")
    if reverses and reads_diff(command, files, place) and not is_scratch_folder(command, place):
        yield CORE.find("git-checkout-dot", command)


def _extract(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `git archive HEAD | tar x`, which overwrites changed files with the committed ones."""
    archive, folder = find_extraction(command) or (None, None)
    target = join_path(folder.text, command.cwd, place).rstrip("/.") if folder is not None else ""
    if not target or target not in (place.root, place.cwd):
        return
    sources = place.sources(command.stdin_origins if archive is None else archive.origins)
    written = [one for one in place.earlier() if archive and any(archive.text in w.text for w in one.words)]
    if any(map(_is_whole_archive, (*sources, *written))):
        yield CORE.find("git-checkout-dot", command)


def _is_whole_archive(command: SimpleCommand) -> bool:
    outer = parse_options(command.words[1:], GLOBAL_VALUES) if command.name == "git" else None
    if outer is None or not outer.operands or outer.operands[0].text != "archive":
        return False
    inner = parse_options(outer.operands[1:], word_set("-o --output --format --add-file"), mixed=True)
    return not inner.has("--prefix", "-l") and {word.text for word in inner.operands[1:]} <= _ALL


JUDGES: Mapping[str, Judge] = {
    "git": _git,
    "patch": _patch,
    **dict.fromkeys(("tar", "gtar", "bsdtar", "unzip", "bsdunzip"), _extract),
}
