"""Programs that put content into files: copied, packed or fetched, so that it can be followed from there."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, look, mark, resolve
from hookline.shell.streams import write

Program: TypeAlias = Callable[[World, Call], Result]

CURL_VALUES = spelled(
    """-A -b -c -C -d -D -e -E -F -h -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --abstract-unix-socket
    --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to
    --cookie --cookie-jar --create-file-mode --crlfile --data --data-ascii --data-binary --data-raw
    --data-urlencode --dump-header --expect100-timeout --form --form-string --header --hostpubmd5 --interface
    --json --keepalive-time --key --key-type --limit-rate --local-port --location-trusted --mail-from
    --mail-rcpt --max-filesize --max-redirs --max-time --netrc-file --noproxy --oauth2-bearer --output
    --output-dir --pass --pinnedpubkey --proto --proto-default --proto-redir --proxy --proxy-header
    --proxy-user --pubkey --quote --range --rate --referer --request --request-target --resolve --retry
    --retry-delay --retry-max-time --stderr --tls-max --tls13-ciphers --trace --trace-ascii --unix-socket
    --upload-file --url --url-query --user --user-agent --variable --write-out"""
)
WGET_VALUES = spelled(
    """-a -A -b -B -D -e -i -I -l -o -O -P -Q -R -S -t -T -U -w -X --accept --append-output --base
    --bind-address --body-data --body-file --ca-certificate --certificate --config --connect-timeout
    --cut-dirs --directory-prefix --domains --execute --exclude-directories --header --http-password
    --http-user --include-directories --input-file --level --limit-rate --load-cookies --max-redirect --method
    --output-document --output-file --password --post-data --post-file --private-key --protocol-directories
    --quota --read-timeout --referer --reject --save-cookies --timeout --tries --user --user-agent --wait"""
)
_WGET_NAMES = spelled("--output-document --output-file --quiet --help --spider --version") | WGET_VALUES
_COPY_VALUES = spelled("-t -S --target-directory --suffix -m -o -g --mode --owner --group --backup")
_RSYNC_VALUES = spelled(
    """-e -f -B -T -M --rsh --rsync-path --exclude --include --filter --files-from --exclude-from
    --include-from --chmod --chown --port --password-file --log-file --bwlimit --timeout --link-dest
    --backup-dir --suffix --partial-dir --temp-dir --compare-dest --copy-dest --out-format --info --debug
    --max-size --min-size"""
)


def _curl(world: World, call: Call) -> Result:
    split = options(call.argv[1:], CURL_VALUES, mixed=True)
    target = split.value("-o", "--output")
    if target is not None and target.text != "-":
        _fetched(world, split, target.text)
    elif split.has("-O", "--remote-name", "--remote-name-all"):
        for word in split.operands:
            _fetched(world, split, posixpath.basename(word.text))
    return Result("" if target is not None and target.text != "-" else UNKNOWN)


def _wget(world: World, call: Call) -> Result:
    split = options(call.argv[1:], WGET_VALUES, mixed=True, names=_WGET_NAMES)
    target = split.value("-O", "--output-document")
    if target is None:
        for word in split.operands:
            _fetched(world, split, posixpath.basename(word.text))
        return Result("")
    if target.text != "-":
        _fetched(world, split, target.text)
    return Result(UNKNOWN if target.text == "-" else "")


def _fetched(world: World, split: Options, path: str) -> None:
    """Note a download; `file:` addresses are as local as the line itself."""
    if path and not all(word.text.startswith("file:") for word in split.operands):
        write(world, path, mark(world), append=False)


def _copy(world: World, call: Call) -> Result:
    split = options(call.argv[1:], _COPY_VALUES, mixed=True)
    folder = split.value("-t", "--target-directory")
    sources = list(split.operands)
    if folder is None and len(sources) > 1:
        folder = sources.pop()
    if folder is not None:
        for source in sources:
            _copied(world, source, folder, single=len(sources) == 1)
    return Result("")


def _copied(world: World, source: Word, target: Word, *, single: bool) -> None:
    content = world.files.get(resolve(world, source.text)) or mark(world)
    if single and not target.text.endswith("/"):
        write(world, target.text, content, append=False)
    write(world, f"{target.text}/{posixpath.basename(source.text)}", content, append=False)


def _rsync(world: World, call: Call) -> Result:
    """Copies, and runs a remote shell of one's choice."""
    split = options(call.argv[1:], _RSYNC_VALUES, mixed=True)
    shell = split.value("-e", "--rsh")
    if len(split.operands) > 1 and ":" not in split.operands[-1].text:
        for source in split.operands[:-1]:
            _copied(world, source, split.operands[-1], single=len(split.operands) == 2)  # noqa: PLR2004
    return Result(inner=() if shell is None else (Inner("rsync -e", shell.span, code=shell.text),))


def _dd(world: World, call: Call) -> Result:
    given = {key: value for key, _, value in (word.text.partition("=") for word in call.argv[1:])}
    content = world.files.get(resolve(world, given["if"]), mark(world)) if "if" in given else call.stdin
    if "of" not in given:
        return Result(content)
    write(world, given["of"], content, append=False)
    return Result("")


def _tar(world: World, call: Call) -> Result:
    """Packs, with the options that its variables hold put first."""
    if "TAR_OPTIONS" in world.known and (given := look(world, "TAR_OPTIONS")):
        argv = (call.argv[0], *(Word(text=one, span=call.span) for one in given.split()), *call.argv[1:])
        unset = (("TAR_OPTIONS", ""),)
        return Result(inner=(Inner("TAR_OPTIONS", call.span, argv, stdin=call.stdin, settings=unset),))
    target = archive(call.argv[1:])
    if target is None and "TAPE" in world.known and (tape := look(world, "TAPE")):
        argv = (*call.argv, Word(text="--file=" + tape, span=call.span))
        return Result(inner=(Inner("TAPE", call.span, argv, settings=(("TAPE", ""),)),))
    if target is not None and target.text != "-":
        write(world, target.text, mark(world), append=False)
    return Result(inner=tuple(_hooked(call.argv[1:])))


def _hooked(words: tuple[Word, ...]) -> Iterator[Inner]:
    """The commands that tar runs on the way."""
    for word in words:
        for option in ("--checkpoint-action=exec=", "--to-command="):
            if word.text.startswith(option):
                yield Inner("tar " + option, word.span, code=word.text[len(option) :])


def archive(words: tuple[Word, ...]) -> Word | None:
    """The archive that a tar command makes or reads; old-style letters may come without a dash."""
    if words and words[0].text.isalpha() and "f" in words[0].text:
        after = 1 + sum(letter in "bCIKLNTVXg" for letter in words[0].text.partition("f")[0])
        return words[after] if after < len(words) else None
    return options(words, spelled("-f --file -C -T -X -b -I -g"), mixed=True).value("-f", "--file")


def _packer(world: World, call: Call) -> Result:
    """gzip and its like put `file` into `file.gz`, zip into what is named first."""
    split = options(call.argv[1:], spelled("-o -out -in -k -S --suffix --output"), mixed=True)
    words = [word for word in call.argv[1:] if not word.text.startswith("-")]
    name = call.argv[0].text.rpartition("/")[2]
    given = _after(call.argv, "-out", "-o", "--output")
    if given is not None:
        write(world, given.text, mark(world), append=False)
    elif name in _SUFFIXES and not split.has("-c", "--stdout"):
        for word in words:
            write(world, word.text + _SUFFIXES[name], mark(world), append=False)
    elif name in _ARCHIVERS and words:
        for word in words[:2]:
            write(world, word.text, mark(world), append=False)
    return Result()


def _after(argv: tuple[Word, ...], *names: str) -> Word | None:
    return next((argv[place + 1] for place, word in enumerate(argv[:-1]) if word.text in names), None)


_SUFFIXES: Mapping[str, str] = {"gzip": ".gz", "xz": ".xz", "bzip2": ".bz2", "zstd": ".zst", "lz4": ".lz4"}
_ARCHIVERS = frozenset({"zip", "7z", "7za", "7zz", "rar"})
"""Programs that name the archive first, perhaps after a letter."""

PROGRAMS: Mapping[str, Program] = {
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("cp", "mv", "ln", "link", "install", "gcp", "gmv"), _copy),
    "rsync": _rsync,
    "dd": _dd,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys((*_SUFFIXES, *_ARCHIVERS, "openssl", "gpg", "age"), _packer),
}
