"""Programs whose arguments need a function of their own, which yields the files they open."""

import re
from collections.abc import Callable, Iterator, Mapping

from hookline.core.patch import parse_patch
from hookline.hooks._paths.file_operands import Access
from hookline.hooks._paths.network_programs import TRANSFERS, at, remote
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

Accesses = Iterator[Access]


def _dd(command: SimpleCommand) -> Accesses:
    for word in command.words[1:]:
        key, equals, path = word.text.partition("=")
        if equals and key in ("if", "of"):
            yield Access(at(word, path), "read" if key == "if" else "write")


_TAR = word_set(
    "-f --file -C -T -X -b -I -g -V --directory --transform --exclude --owner --group --mode --sort"
)
_TAR_READS = word_set("-T -X --files-from --exclude-from")


def _tar(command: SimpleCommand) -> Accesses:
    """Yield the files that packing reads, or the archive that unpacking and listing read."""
    words = command.words[1:]
    if words and words[0].text.isalpha():
        words = (Word(text="-" + words[0].text, span=words[0].span), *words[1:])
    split = parse_options(words, _TAR, mixed=True)
    packs = split.has("-c", "-r", "-u", "--create", "--append", "--update")
    archive = split.value("-f", "--file")
    if archive is not None and not remote(archive.text):
        yield Access(archive, "write" if packs else "use")
    yield from (Access(value, "read") for name, value in split.options if name in _TAR_READS and value)
    if packs:
        yield from (Access(word, "copy") for word in split.operands)


def _zip(command: SimpleCommand) -> Accesses:
    words = command.words[1:]
    left_out = next((place for place, word in enumerate(words) if word.text in ("-x", "-i")), len(words))
    operands = parse_options(words[:left_out], word_set("-P -t -tt -n -b -s --password"), mixed=True).operands
    if command.name.startswith("7"):
        operands = operands[1:]
    yield from (Access(word, "write" if not place else "copy") for place, word in enumerate(operands))


def _openssl(command: SimpleCommand) -> Accesses:
    reads = word_set(
        "-in -inkey -key -cakey -ca -cafile -cert -certfile -untrusted -rand -config -signkey -kfile"
    )
    for option, value in zip(command.words[1:], command.words[2:], strict=False):
        if option.text.lower() in reads:
            yield Access(value, "read")
        elif option.text.startswith("-pass") and value.text.startswith("file:"):
            yield Access(at(value, value.text[5:]), "read")
    digest = parse_options(command.words[2:], word_set("-out -sign -verify -signature -hmac"), mixed=True)
    if len(command.words) > 1 and command.words[1].text in ("dgst", "sha256", "md5", "sha1", "sha512"):
        yield from (Access(word, "read") for word in digest.operands)


def _keygen(command: SimpleCommand) -> Accesses:
    split = parse_options(
        command.words[1:], [f"-{letter}" for letter in "fbCtNPrDFGIMmnOSsTVWwYZzaj"], mixed=True
    )
    reads = split.has("-y", "-e", "-l", "-p", "-c", "-Y", "-s", "-i", "-B")
    for name, value in split.options:
        if name in ("-f", "-s") and value is not None:
            yield Access(value, "read" if reads else "note")


def _source(command: SimpleCommand) -> Accesses:
    yield from (Access(word, "run") for word in command.words[1:2])


def _shell(command: SimpleCommand) -> Accesses:
    split = parse_options(command.words[1:], ("-O", "+O", "-o", "+o", "--rcfile", "--init-file", "-c"))
    if not split.has("-c", "-s"):
        yield from (Access(word, "run") for word in split.operands[:1])


_XARGS = word_set(
    "-d -E -I -J -L -l -n -P -R -S -s --delimiter --max-args --max-chars --max-lines --max-procs"
)


def _xargs(command: SimpleCommand) -> Accesses:
    given = parse_options(command.words[1:], (*_XARGS, "-a", "--arg-file")).value("-a", "--arg-file")
    yield from (Access(word, "read") for word in [given] if word is not None)


def _find(command: SimpleCommand) -> Accesses:
    """Yield the roots of a search; the rest only narrows it, or is a command of its own."""
    words = [word for word in command.words[1:] if word.text not in ("-H", "-L", "-P")]
    first = next((place for place, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    roots = words[:first] or [Word(text=".", span=command.span)]
    yield from (Access(word, "list") for word in roots)


def _fd(command: SimpleCommand) -> Accesses:
    values = word_set(
        "-e -t -E -d -x -X -S -c -j --extension --type --exclude --max-depth --exec --exec-batch -g"
    )
    operands = parse_options(command.words[1:], values, mixed=True).operands
    yield from (Access(word, "list") for word in operands[1:] or (Word(text=".", span=command.span),))


_GIT_VALUES = word_set("-C -c --git-dir --work-tree --namespace --super-prefix --exec-path --config-env")
_GIT_READS = word_set("show cat-file diff difftool blame annotate grep archive apply hash-object")
_GIT_FORMS = word_set(
    "-s --stat --numstat --shortstat --name-only --name-status --summary --no-patch --quiet -e"
)


def _git(command: SimpleCommand) -> Accesses:
    """Yield the files that subcommands of git show, also as `HEAD:path`."""
    words = parse_options(command.words[1:], _GIT_VALUES).operands
    if not words:
        return
    name, rest = (
        words[0].text,
        parse_options(words[1:], word_set("-e -f -n -L -U -S -G --format -m -F"), mixed=True),
    )
    patches = name in ("log", "whatchanged", "stash", "format-patch") and rest.has("-p", "-u", "--patch")
    shown = (name in _GIT_READS and not rest.has(*_GIT_FORMS)) or patches
    operands = rest.operands[1:] if name == "grep" and not rest.has("-e", "-f") else rest.operands
    for word in operands:
        path = word.text.partition(":")[2] if re.match(r"[^/:]+:[^/]", word.text) else word.text
        yield Access(at(word, path), "read" if shown else "note")


def _jq(command: SimpleCommand) -> Accesses:
    words, kept = list(command.words[1:]), list[Word]()
    while words:
        word = words.pop(0)
        if word.text in ("--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"):
            pair, words = words[:2], words[2:]
            if "file" in word.text and len(pair) > 1:
                yield Access(pair[1], "read")
        else:
            kept.append(word)
    split = parse_options(kept, ("-f", "--from-file", "-L", "--indent"), mixed=True)
    given = split.value("-f", "--from-file")
    yield from (Access(word, "read") for word in split.operands[0 if given else 1 :])


def _patched(command: SimpleCommand) -> Accesses:
    """Yield the files named inside a patch, for agent shells that have an `apply_patch` command."""
    for part in parse_patch("\n".join((command.stdin, *(word.text for word in command.words[1:])))):
        yield Access(Word(text=part.path, span=command.span), "change")


SPECIAL: Mapping[str, Callable[[SimpleCommand], Accesses]] = {
    **TRANSFERS,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys(("zip", "7z", "7za", "7zz", "rar"), _zip),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish"), _shell),
    **dict.fromkeys(("find", "gfind"), _find),
    **dict.fromkeys(("fd", "fdfind"), _fd),
    **dict.fromkeys(("jq", "gojq"), _jq),
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    **dict.fromkeys(("apply_patch", "applypatch"), _patched),
    "dd": _dd,
    "openssl": _openssl,
    "ssh-keygen": _keygen,
    "git": _git,
}
