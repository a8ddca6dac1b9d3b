"""Files that a command would write, move, link or delete: tables of programs that write or only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hookline.hooks._self_protect import archives_and_editors
from hookline.hooks._self_protect.target import Target, mentioned, paths_in
from hookline.shell import SimpleCommand, Word
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import Options, parse_options, word_set

_OUTPUTS = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})


def targets(command: SimpleCommand, wrappers: frozenset[str]) -> Iterator[Target]:
    """Yield everything that *command* would change; *wrappers* are programs that run another command."""
    yield from (Target(one.target) for one in command.redirects if _written(one.op, one.target.text))
    if not command.words:
        return
    known = PROGRAMS.get(command.name)
    if known is not None:
        yield from known(command)
    elif command.name not in READERS and command.name not in wrappers:
        yield from (Target(word, sure=False) for word in mentioned(command))


def _written(op: str, target: str) -> bool:
    return op in _OUTPUTS or (op == ">&" and not target.isdigit() and target != "-")


def _all(values: str = "", *, tree: str = "", skip: int = 0) -> Callable[[SimpleCommand], Iterator[Target]]:
    """Return a finder of all operands after the first *skip*.

    An option of *tree* includes the files below.
    """

    def found(command: SimpleCommand) -> Iterator[Target]:
        split = parse_options(command.words[1:], values.split(), mixed=True)
        deep = tree == "always" or split.has(*tree.split())
        yield from (Target(word, tree=deep) for word in split.operands[skip:])

    return found


def _valued(*names: str, values: str = "") -> Callable[[SimpleCommand], Iterator[Target]]:
    """Return a finder of the values of the options *names*, which are files to write."""

    def found(command: SimpleCommand) -> Iterator[Target]:
        split = parse_options(command.words[1:], (*names, *values.split()), mixed=True)
        yield from (Target(word) for name, word in split.options if name in names and word is not None)

    return found


_COPYING = "-t --target-directory -S --suffix -m --mode -o --owner -g --group"


def _into(split: Options) -> Iterator[Target]:
    """Yield the targets of copies: the last operand, or the sources' names below it."""
    folder = split.value("-t", "--target-directory")
    sources = split.operands if folder is not None else split.operands[:-1]
    place = folder or (split.operands[-1] if len(split.operands) > 1 else None)
    if place is None:
        return
    yield Target(place, tree=split.has("-T", "--no-target-directory"), merges=True)
    for source in sources:
        name = source.text.rstrip("/").rpartition("/")[2]
        merged = name in (".", "*", "..") or source.text.endswith("/")
        deep = split.has("-r", "-R", "-a", "--recursive", "--archive") or merged
        yield Target(_below(place, "" if name == "." else name), tree=deep, named=False, merges=name == ".")


def _below(place: Word, name: str) -> Word:
    return Word(
        text=f"{place.text.rstrip('/') or '/'}/{name}" if name else place.text,
        span=place.span,
        glob=place.glob,
    )


def _copy(command: SimpleCommand) -> Iterator[Target]:
    split = parse_options(command.words[1:], _COPYING.split(), mixed=True)
    yield from _into(split)
    if split.has("-l", "-s", "--link", "--symbolic-link"):
        yield from map(Target, split.operands)


def _move(command: SimpleCommand) -> Iterator[Target]:
    split = parse_options(command.words[1:], _COPYING.split(), mixed=True)
    yield from _into(split)
    moved = split.operands if split.value("-t", "--target-directory") else split.operands[:-1]
    yield from (Target(word, tree=True) for word in moved)


def _link(command: SimpleCommand) -> Iterator[Target]:
    """Yield both ends of a link, because the source can be written through its new name."""
    split = parse_options(command.words[1:], _COPYING.split(), mixed=True)
    yield from map(Target, split.operands)
    yield from _into(split)
    for word in split.operands[1:][-1:]:
        # If the name does not exist yet, it becomes the folder.
        yield Target(word, tree=not word.text.endswith("/"), merges=True)


def _remote_copy(command: SimpleCommand) -> Iterator[Target]:
    split = parse_options(
        command.words[1:], ("-e", "--rsh", "-i", "-P", "-o", "-F", "-S", "-l", "-c", "-J"), mixed=True
    )
    deep = split.has("--delete", "--del", "--remove-source-files") or split.has("-r", "-a", "--recursive")
    for target in _into(split):
        if ":" not in target.word.text.partition("/")[0]:
            yield Target(target.word, tree=deep and target.tree)
    merged = [word for word in split.operands[:-1] if word.text.endswith(("/", "/."))]
    tries = split.has("-n", "--dry-run", "--list-only")
    if deep and merged and not tries and ":" not in split.operands[-1].text.partition("/")[0]:
        deletes = split.has("--delete", "--del", "--delete-after", "--delete-before", "--delete-excluded")
        yield Target(split.operands[-1], tree=True, merges=not deletes)


def _download(folders: str, names: str) -> Callable[[SimpleCommand], Iterator[Target]]:
    """Return a finder of downloads: a folder, a file, or a file in a folder, each given by an option."""

    def found(command: SimpleCommand) -> Iterator[Target]:
        split = parse_options(command.words[1:], (*folders.split(), *names.split()), mixed=True)
        folder = split.value(*folders.split())
        for name, word in split.options:
            if word is not None and name in (*folders.split(), *names.split()):
                yield Target(word)
            if word is not None and folder is not None and name in names.split():
                yield Target(_below(folder, word.text))

    return found


def _find(command: SimpleCommand) -> Iterator[Target]:
    texts = [word.text for word in command.words[1:]]
    yield from (
        Target(command.words[place + 2])
        for place, text in enumerate(texts[:-1])
        if text in ("-fprint", "-fprint0", "-fprintf", "-fls")
    )


_GIT_PATHS = word_set(
    "rm mv checkout restore clone init worktree archive bundle apply am config stash submodule"
)
_GIT_TREES = word_set("rm mv checkout restore")
_GIT_CHANGES = _GIT_PATHS | word_set("reset pull merge clean switch rebase cherry-pick revert")


def _git(command: SimpleCommand) -> Iterator[Target]:
    """Yield the folders that git works in, and the files that its subcommands write.

    Subcommands such as `git add` only read.
    """
    words = command.words[1:]
    outer = parse_options(words, GLOBAL_VALUES)
    sub = outer.operands[0].text if outer.operands else ""
    for word in words:
        if word.text.startswith("--output="):
            yield Target(Word(text=word.text.partition("=")[2], span=word.span, origins=word.origins))
    if sub in _GIT_CHANGES:
        folders = (value for name, value in outer.options if name in ("-C", "--git-dir", "--work-tree"))
        yield from (Target(value) for value in folders if value is not None)
    named = {word.text.partition("=")[0] for word in outer.operands}
    if sub in _GIT_PATHS and (sub != "config" or named & {"-f", "--file"}):
        deep, merges = sub in _GIT_TREES, sub not in ("rm", "mv")
        yield from (Target(word, tree=deep, merges=merges) for word in paths_in(outer.operands))


def _dashed(command: SimpleCommand) -> Iterator[Target]:
    """Yield the value of `-out FILE`, a long option with one dash."""
    words = command.words[1:]
    yield from (Target(words[i + 1]) for i, word in enumerate(words[:-1]) if word.text in ("-out", "-keyout"))


def _second(command: SimpleCommand) -> Iterator[Target]:
    """Yield the second operand, which the program writes."""
    operands = parse_options(
        command.words[1:], ("-f", "-s", "-w", "-c", "-g", "-l", "-o", "-n"), mixed=True
    ).operands
    yield from map(Target, operands[1:])


def _interpreter(command: SimpleCommand) -> Iterator[Target]:
    """Yield the arguments of a script, which it may write; its code is judged elsewhere."""
    split = parse_options(
        command.words[1:], ("-c", "-e", "-E", "-p", "-r", "-W", "-X", "--eval", "--print", "-o", "-O")
    )
    taken = split.has("-c", "-e", "-E", "-p", "-r", "--eval", "--print")
    yield from (Target(word, sure=False) for word in split.operands[0 if taken else 1 :])


def _mount(command: SimpleCommand) -> Iterator[Target]:
    yield from (Target(word, tree=True) for word in mentioned(command))


def _container(command: SimpleCommand) -> Iterator[Target]:
    """Yield the folders that are mounted writable in a container."""
    for word in command.words[1:]:
        text = word.text.removeprefix("--volume=").removeprefix("-v")
        source = next((part[7:] for part in text.split(",") if part.startswith("source=")), "")
        source = source or next((part[4:] for part in text.split(",") if part.startswith("src=")), "")
        inside = text.split(":")
        if (source or len(inside) > 1) and "ro" not in inside[2:] and "readonly" not in text:
            yield Target(Word(text=source or inside[0], span=word.span), tree=True, sure=False)


PROGRAMS: Mapping[str, Callable[[SimpleCommand], Iterator[Target]]] = {
    **dict.fromkeys(
        ("tee", "sponge", "touch", "truncate", "shred", "unlink", "mkdir", "mkfifo", "mknod"),
        _all("-s -m -r -d -t"),
    ),
    "rm": _all(tree="-r -R --recursive"),
    "rmdir": _all(),
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr"), archives_and_editors.mode),
    "setfacl": _all(tree="-R --recursive", skip=1),
    **dict.fromkeys(("cp", "gcp", "install"), _copy),
    "mv": _move,
    "rename": _all(skip=1),
    **dict.fromkeys(("ln", "link"), _link),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby", "awk", "gawk"), archives_and_editors.in_place),
    "dd": archives_and_editors.dd,
    **dict.fromkeys(("apply_patch", "applypatch"), archives_and_editors.apply_patch),
    **dict.fromkeys(("rsync", "scp"), _remote_copy),
    **dict.fromkeys(("tar", "bsdtar", "gtar"), archives_and_editors.archive),
    "unzip": archives_and_editors.unzip,
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), archives_and_editors.seven),
    **dict.fromkeys(word_set("vim vi nvim ex view vimdiff gvim mvim"), archives_and_editors.editor),
    **dict.fromkeys(("ed", "red"), archives_and_editors.line_editor),
    "patch": archives_and_editors.patch,
    **dict.fromkeys(("strace", "ltrace"), _valued("-o", "--output", values="-e -p -s -u -E -P -a -I")),
    "aria2c": _download("-d --dir", "-o --out -l --log"),
    "find": _find,
    "git": _git,
    "sort": _valued("-o", "--output", values="-k -t -S -T"),
    "curl": _download("--output-dir", "-o --output -D --dump-header -c --cookie-jar --trace"),
    "wget": _valued("-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a"),
    **dict.fromkeys(("iconv", "tree", "gpg", "time", "gcc", "cc"), _valued("-o", "--output")),
    "openssl": _dashed,
    "less": _valued("-o", "-O", "--log-file"),
    **dict.fromkeys(("uniq", "xxd"), _second),
    **dict.fromkeys(
        word_set("python pypy node nodejs bun deno php lua sh bash zsh dash ksh fish"),
        _interpreter,
    ),
    **dict.fromkeys(("mount", "umount"), _mount),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _container),
}
READERS = word_set(
    """: . [ [[ alias ag b2sum basename bat batcat builtin cat cd chdir cksum cmp colordiff column comm
    command cut declare df diff dirname doas du echo egrep env eval exa exec exit export expr eza false
    fgrep file fmt fold getfacl glow grep head hexdump hookline  jless join jq kill  local ls
    lsattr lsd lsof man mapfile md5sum more nice nl nohup od paste popd pr printenv printf pushd pwd
    pygmentize read readarray readlink realpath rg ripgrep select set setsid sha1sum sha256sum sha512sum
    shasum shellcheck sleep source stat stdbuf strings sudo sum tac tail test  timeout tr  true
    type typeset  unset watch wc whereis which xargs  zcat zgrep"""
)
"""Programs that do not change the files named in their arguments."""
LOOKERS = READERS & word_set(
    "ls cat head tail wc grep egrep fgrep pwd stat du df cut nl cmp basename dirname readlink realpath"
)
"""Readers that never run a program or set a variable, whatever their arguments are."""
