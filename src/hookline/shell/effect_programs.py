"""The effects of programs whose arguments have a syntax of their own."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from hookline.lazy import re
from hookline.shell import effect_editors, effect_transfers, windows
from hookline.shell.effect_table import Operands, is_remote, option_effects, part_of, table_effects
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import Action, Effect, SimpleCommand, Word
from hookline.shell.xargs import XARGS_VALUES, skip_find_options

Effects: TypeAlias = Iterator[Effect]


def _dd(command: SimpleCommand) -> Effects:
    settings = {word.text for word in command.words}
    writes: Action = "edit" if settings & {"conv=notrunc", "oflag=append"} else "write"
    for word in command.words[1:]:
        key, _, path = word.text.partition("=")
        if key == "if":
            yield Effect(action="read", path=part_of(word, path))
        elif key == "of":
            action: Action = "truncate" if "count=0" in settings else writes
            yield Effect(action=action, path=part_of(word, path), content="streamed")


_TAR_VALUES = word_set(
    "-f --file -C -T -X -b -I -g -V --directory --transform --exclude --owner --group --mode --sort"
)
_TAR_READS = word_set("-T -X --files-from --exclude-from")


def _tar(command: SimpleCommand) -> Effects:
    """Yield the files that packing copies, or the folder that extracting writes to."""
    options = _tar_options(command)
    packs = options.has("-c", "-r", "-u", "--create", "--append", "--update")
    archive = options.value("-f", "--file")
    if archive is not None and not is_remote(archive.text):
        yield Effect(action="write" if packs else "use", path=archive)
    yield from option_effects(options, {"read": _TAR_READS})
    folder = options.value("-C", "--directory")
    if packs:
        action: Action = "move" if options.has("--remove-files") else "copy"
        for word in options.operands:
            path = part_of(word, posixpath.join(folder.text, word.text)) if folder is not None else word
            yield Effect(action=action, path=path, recursive=True)
    if folder is not None and options.has("-x", "--extract", "--get"):
        yield _extracted(folder)


def _tar_options(command: SimpleCommand) -> Options:
    words = command.words[1:]
    if words and words[0].text.isalpha():
        words = (Word(text="-" + words[0].text, span=words[0].span), *words[1:])
    return parse_options(words, _TAR_VALUES, mixed=True)


def find_extraction(command: SimpleCommand) -> tuple[Word | None, Word] | None:
    """Return the archive, None for the standard input, and the folder into which all of it is extracted."""
    here = Word(text=".", span=command.span)
    if command.name in ("unzip", "bsdunzip"):
        options = parse_options(command.words[1:], ("-d", "-x", "-P"), mixed=True)
        listed = options.has("-l", "-t", "-p", "-Z", "-n", "-v") or len(options.operands) != 1
        return None if listed else (options.operands[0], options.value("-d") or here)
    options = _tar_options(command)
    kept = options.has("-O", "--to-stdout", "-k", "--keep-old-files", "--skip-old-files")
    if kept or options.operands or not options.has("-x", "--extract", "--get"):
        return None
    archive = options.value("-f", "--file")
    folder = options.value("-C", "--directory") or here
    return (None if archive is None or archive.text == "-" else archive), folder


def _extracted(folder: Word) -> Effect:
    """Return the effect of extracting an archive whose content is unknown into *folder*."""
    return Effect(action="write", path=folder, recursive=True, certain=False)


def _unzip(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], ("-d", "-x", "-P"), mixed=True)
    yield from (Effect(action="use", path=word) for word in options.operands[:1])
    folder = options.value("-d")
    yield from [_extracted(folder)] if folder is not None else []


def _zip(command: SimpleCommand) -> Effects:
    words = command.words[1:]
    end = next((index for index, word in enumerate(words) if word.text in ("-x", "-i")), len(words))
    options = parse_options(words[:end], word_set("-P -t -tt -n -b -s --password"), mixed=True)
    operands = options.operands
    extracts = command.name.startswith("7") and operands[:1] and operands[0].text in ("x", "e", "l", "t")
    if command.name.startswith("7"):
        operands = operands[1:]
    moves = options.has("-m", "--move") or any(word.text == "-sdel" for word in words)
    packed: Action = "move" if moves else "copy"
    for index, word in enumerate(operands):
        action: Action = "use" if extracts else packed if index else "write"
        yield Effect(action=action, path=word, recursive=action == packed)
    folders = (word for word in words if word.text.startswith("-o") and word.text != "-o")
    yield from (_extracted(part_of(word, word.text[2:])) for word in folders)


def _openssl(command: SimpleCommand) -> Effects:
    reads = word_set(
        "-in -inkey -key -cakey -ca -cafile -cert -certfile -untrusted -rand -config -signkey -kfile"
    )
    for option, value in zip(command.words[1:], command.words[2:], strict=False):
        if option.text.lower() in reads:
            yield Effect(action="read", path=value)
        elif option.text in ("-out", "-keyout"):
            yield Effect(action="write", path=value)
        elif option.text.startswith("-pass") and value.text.startswith("file:"):
            yield Effect(action="read", path=part_of(value, value.text[5:]))
    digest = parse_options(command.words[2:], word_set("-out -sign -verify -signature -hmac"), mixed=True)
    if len(command.words) > 1 and command.words[1].text in ("dgst", "sha256", "md5", "sha1", "sha512"):
        yield from (Effect(action="read", path=word) for word in digest.operands)


def _ssh_keygen(command: SimpleCommand) -> Effects:
    options = parse_options(
        command.words[1:], [f"-{letter}" for letter in "fbCtNPrRDFGIMmnOSsTVWwYZzaj"], mixed=True
    )
    reads = options.has("-y", "-e", "-p", "-c", "-Y", "-s", "-i")
    action: Action = "read" if reads else "use" if options.has("-l", "-B") else "inspect"
    for name, value in options.options:
        if name in ("-f", "-s") and value is not None:
            yield Effect(action=action, path=value)


def _source(command: SimpleCommand) -> Effects:
    yield from (Effect(action="run", path=word) for word in command.words[1:2])


def _shell(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], ("-O", "+O", "-o", "+o", "--rcfile", "--init-file", "-c"))
    if not options.has("-c", "-s"):
        yield from (Effect(action="run", path=word) for word in options.operands[:1])
        yield from (Effect(action="use", path=word, certain=False) for word in options.operands[1:])


def _xargs(command: SimpleCommand) -> Effects:
    file = parse_options(command.words[1:], XARGS_VALUES).value("-a", "--arg-file")
    yield from [Effect(action="read", path=file)] if file is not None else []


_FIND_RUNS = word_set("-exec -execdir -ok -okdir")
_FIND_WRITES = word_set("-fprint -fprint0 -fprintf -fls")


def find_roots(command: SimpleCommand) -> tuple[Word, ...]:
    """Return the folders that a `find` command searches."""
    words = skip_find_options(command.words[1:])
    first = next((index for index, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    return tuple(words[:first]) or (Word(text=".", span=command.span),)


def _find(command: SimpleCommand) -> Effects:
    """Yield the folders of a search; tests only restrict it, and `-exec` runs a command of its own."""
    deletes = "-delete" in _find_expression(command)
    for root in find_roots(command):
        yield Effect(action="delete" if deletes else "list", path=root, recursive=True)
    for option, value in zip(command.words, command.words[1:], strict=False):
        if option.text in _FIND_WRITES:
            yield Effect(action="write", path=value)


def _find_expression(command: SimpleCommand) -> list[str]:
    """Return the tests and actions of a `find` command, without the commands that it executes."""
    texts: list[str] = []
    runs = False
    for word in command.words[1:]:
        if not runs:
            texts.append(word.text)
        runs = word.text not in (";", "+") if runs else word.text in _FIND_RUNS
    return texts


def _fd(command: SimpleCommand) -> Effects:
    values = word_set(
        "-e -t -E -d -x -X -S -c -j --extension --type --exclude --max-depth --exec --exec-batch -g"
    )
    operands = parse_options(command.words[1:], values, mixed=True).operands
    for word in operands[1:] or (Word(text=".", span=command.span),):
        yield Effect(action="list", path=word, recursive=True)


_GIT_READS = word_set("show cat-file diff difftool blame annotate grep archive apply hash-object")
_GIT_WRITES: Mapping[str, Action] = {
    **dict.fromkeys(
        word_set("checkout restore apply am clone init worktree submodule archive bundle"), "write"
    ),
    **dict.fromkeys(("rm", "clean"), "delete"),
    **dict.fromkeys(("mv", "stash"), "move"),
}
_GIT_CHANGES = frozenset(_GIT_WRITES) | word_set(
    "reset pull merge clean switch rebase cherry-pick revert stash"
)
_GIT_SUMMARIES = word_set(
    "-s --stat --numstat --shortstat --name-only --name-status --summary --no-patch --quiet -e"
)
_REVISION_PATH = re.compile(r"[^/:]+:[^/]")


def _git(command: SimpleCommand) -> Effects:
    """Yield the files that a subcommand shows, also as `HEAD:path`, and those that it changes."""
    outer = parse_options(command.words[1:], GLOBAL_VALUES)
    if not outer.operands:
        return
    name = outer.operands[0].text
    values = "-s -b -m --separate-git-dir" if name in _GIT_WRITES else "-e -f -n -L -U -S -G --format -m -F"
    inner = parse_options(outer.operands[1:], word_set(values), mixed=True)
    yield from _git_reads(name, inner)
    if name in _GIT_CHANGES:
        yield from option_effects(outer, {"write": word_set("-C --git-dir --work-tree")})
    if name in _GIT_WRITES:
        recursive = name in ("rm", "mv", "checkout", "restore", "stash", "clean")
        shows = name == "stash" and inner.operands[:1] and inner.operands[0].text in ("show", "list")
        index_only = inner.has("--cached") or (inner.has("--staged") and not inner.has("--worktree", "-W"))
        for word in () if shows or index_only else inner.operands:
            yield Effect(action=_GIT_WRITES[name], path=word, recursive=recursive)
    if name == "config":
        yield from option_effects(
            parse_options(outer.operands[1:], ("-f", "--file")), {"edit": word_set("-f --file")}
        )
    if name == "init":
        yield from _git_moves(inner)
    if name in ("apply", "am"):
        folder = outer.value("-C")
        yield from effect_editors.patched_files(command, folder.text if folder is not None else "")
    outputs = (word for word in command.words[1:] if word.text.startswith("--output="))
    yield from (Effect(action="write", path=part_of(word, word.text[9:])) for word in outputs)


def _git_moves(inner: Options) -> Effects:
    """Yield the effects of `git init --separate-git-dir`, which moves the data of an existing repository."""
    target = inner.value("--separate-git-dir")
    if target is not None:
        folder = "".join(word.text.rstrip("/") + "/" for word in inner.operands)
        yield Effect(action="move", path=target.with_text(folder + ".git", ()), recursive=True)
        yield Effect(action="write", path=target)


def _git_reads(name: str, inner: Options) -> Effects:
    patches = name in ("log", "whatchanged", "stash", "format-patch") and inner.has("-p", "-u", "--patch")
    shows = (name in _GIT_READS and not inner.has(*_GIT_SUMMARIES)) or patches
    operands = inner.operands[1:] if name == "grep" and not inner.has("-e", "-f") else inner.operands
    for word in operands:
        path = word.text.partition(":")[2] if _REVISION_PATH.match(word.text) else word.text
        yield Effect(action="read" if shows else "inspect", path=part_of(word, path))


def _jq(command: SimpleCommand) -> Effects:
    words, others = list(command.words[1:]), list[Word]()
    while words:
        word = words.pop(0)
        if word.text in ("--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"):
            pair, words = words[:2], words[2:]
            if "file" in word.text and len(pair) > 1:
                yield Effect(action="read", path=pair[1])
        else:
            others.append(word)
    options = parse_options(others, ("-f", "--from-file", "-L", "--indent"), mixed=True)
    has_file = options.value("-f", "--from-file") is not None
    selects = has_file or any(word.text.strip() not in (".", "") for word in options.operands[:1])
    for word in options.operands[0 if has_file else 1 :]:
        yield Effect(action="read", path=word, bounded=selects)


_MODE_OPTION = re.compile(r"-[rwxXst]+(?:[,+=-].*)?|--reference(?:=.*)?")


def _dasel(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], word_set("-f --file -r -w -t -v -s -o"), mixed=True)
    action: Action = "edit" if any(word.text in ("put", "delete") for word in options.operands) else "read"
    yield from option_effects(options, {action: word_set("-f --file")})


def _chmod(command: SimpleCommand) -> Effects:
    """Yield the files of `chmod`; the first operand is the mode, unless an option gives it."""
    has_mode = any(_MODE_OPTION.fullmatch(word.text) for word in command.words[1:])
    options = parse_options(
        command.words[1:], ("--reference",), mixed=True, names=("--recursive", "--reference", "--help")
    )
    if options.has("--help"):
        return
    for word in options.operands[0 if has_mode else 1 :]:
        yield Effect(action="mode", path=word, recursive=options.has("-R", "--recursive"))


def _interpreter(command: SimpleCommand) -> Effects:
    """Yield the arguments of a script, which it may open or write; the code itself is evaluated elsewhere."""
    values = word_set(
        "-c -e -E -r -p --eval --print -m -W -X -M -I -F --env-file --require --import --loader"
    )
    code = ("-c", "-e", "-E", "-p", "-r", "--eval", "--print", "-m")
    options = parse_options(command.words[1:], values)
    operands = options.operands
    if options.has("-m"):
        return  # the module is a command of its own
    if not options.has(*code):
        yield from (
            Effect(action="run", path=word) for word in operands[:1] if word.text not in ("-", "eval")
        )
        operands = operands[1:]
    yield from (Effect(action="use", path=word, certain=False) for word in operands)
    for word in command.words[1:]:
        if word.text.startswith("--") and "=" in word.text:
            yield Effect(action="use", path=part_of(word, word.text.partition("=")[2]), certain=False)


def _mount(command: SimpleCommand) -> Effects:
    """Yield the folders of a mount; a remount changes only its options."""
    options = parse_options(command.words[1:], word_set("-o -t -O -L -U -T --options --types"), mixed=True)
    settings = [value.text for name, value in options.options if name in ("-o", "--options") and value]
    lists = options.has("--help", "-V") or (command.name == "mount" and options.has("-l"))
    if lists or any("remount" in text for text in settings):
        return
    yield from (Effect(action="write", path=word, recursive=True, certain=False) for word in options.operands)
    for word in options.operands[-1:]:  # hides or removes the files below it
        yield Effect(action="move", path=word, recursive=True, certain=False)


_COMPRESS = Operands(values="-S -T --suffix")


def _compress(command: SimpleCommand) -> Effects:
    """Yield the files that a compressor reads, and removes unless it keeps them."""
    options = parse_options(command.words[1:], _COMPRESS.valued_options(), mixed=True)
    prints = options.has("-c", "--stdout", "--to-stdout")
    keeps = prints or options.has("-k", "-t", "-l", "--keep", "--test", "--list")
    for effect in table_effects(command, _COMPRESS):
        yield effect if prints else replace(effect, action="use")
        yield from [] if keeps else [Effect(action="move", path=effect.path)]


SPECIAL: Mapping[str, Callable[[SimpleCommand], Effects]] = {
    **effect_transfers.PROGRAMS,
    **effect_editors.PROGRAMS,
    **windows.EFFECTS,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys(("zip", "7z", "7za", "7zr", "7zz", "rar"), _zip),
    "unzip": _unzip,
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish"), _shell),
    **dict.fromkeys(("find", "gfind"), _find),
    **dict.fromkeys(("fd", "fdfind"), _fd),
    **dict.fromkeys(("jq", "gojq"), _jq),
    "dasel": _dasel,
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    **dict.fromkeys(word_set("python pypy node nodejs deno bun php lua"), _interpreter),
    **dict.fromkeys(("mount", "umount"), _mount),
    **dict.fromkeys(
        word_set("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress pigz brotli"), _compress
    ),
    "dd": _dd,
    **dict.fromkeys(("chmod", "gchmod"), _chmod),
    "openssl": _openssl,
    "ssh-keygen": _ssh_keygen,
    "git": _git,
}
