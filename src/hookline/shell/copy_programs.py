"""Programs that copy, pack or download content into files, whose origin is tracked from there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from hookline.shell.decoders import PACKERS, run_packer
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    lookup,
    resolve,
    unknown_output,
)
from hookline.shell.streams import write_file

CURL_VALUES = word_set(
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
WGET_VALUES = word_set(
    """-a -A -b -B -D -e -i -I -l -o -O -P -Q -R -S -t -T -U -w -X --accept --append-output --base
    --bind-address --body-data --body-file --ca-certificate --certificate --config --connect-timeout
    --cut-dirs --directory-prefix --domains --execute --exclude-directories --header --http-password
    --http-user --include-directories --input-file --level --limit-rate --load-cookies --max-redirect --method
    --output-document --output-file --password --post-data --post-file --private-key --protocol-directories
    --quota --read-timeout --referer --reject --save-cookies --timeout --tries --user --user-agent --wait"""
)
_WGET_NAMES = word_set("--output-document --output-file --quiet --help --spider --version") | WGET_VALUES
_COPY_VALUES = word_set("-t -S --target-directory --suffix -m -o -g --mode --owner --group --backup")
RSYNC_VALUES = word_set(
    """-e -f -B -T -M --rsh --rsync-path --exclude --include --filter --files-from --exclude-from
    --include-from --chmod --chown --port --password-file --log-file --bwlimit --timeout --link-dest
    --backup-dir --suffix --partial-dir --temp-dir --compare-dest --copy-dest --out-format --info --debug
    --max-size --min-size"""
)


def _curl(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], CURL_VALUES, mixed=True)
    target = options.value("-o", "--output")
    if target is not None and target.text != "-":
        _store_download(state, options, target.text)
    elif options.has("-O", "--remote-name", "--remote-name-all"):
        for word in options.operands:
            _store_download(state, options, posixpath.basename(word.text))
    return Result("" if target is not None and target.text != "-" else UNKNOWN)


def _wget(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], WGET_VALUES, mixed=True, names=_WGET_NAMES)
    target = options.value("-O", "--output-document")
    if target is None:
        for word in options.operands:
            _store_download(state, options, posixpath.basename(word.text))
        return Result("")
    if target.text != "-":
        _store_download(state, options, target.text)
    return Result(UNKNOWN if target.text == "-" else "")


def _store_download(state: ShellState, options: Options, path: str) -> None:
    """Store a download as unknown content; `file:` URLs are local and not stored."""
    if path and not all(word.text.startswith("file:") for word in options.operands):
        write_file(state, path, unknown_output(state), append=False)


def _copy(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], _COPY_VALUES, mixed=True)
    folder = options.value("-t", "--target-directory")
    sources = list(options.operands)
    if folder is None and len(sources) > 1:
        folder = sources.pop()
    if folder is not None:
        for source in sources:
            _store_copy(state, source, folder, single=len(sources) == 1, stdin=call.stdin)
    return Result("")


def _store_copy(state: ShellState, source: Word, target: Word, *, single: bool, stdin: str = "") -> None:
    is_input = source.text in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
    known = stdin if is_input else state.files.get(resolve(state, source.text))
    content = known or unknown_output(state)
    if single and not target.text.endswith("/"):
        write_file(state, target.text, content, append=False)
    write_file(state, f"{target.text}/{posixpath.basename(source.text)}", content, append=False)


def _rsync(state: ShellState, call: Call) -> Result:
    """Copy files, and run the remote shell of `-e`."""
    options = parse_options(call.argv[1:], RSYNC_VALUES, mixed=True)
    shell = options.value("-e", "--rsh")
    if len(options.operands) > 1 and ":" not in options.operands[-1].text:
        for source in options.operands[:-1]:
            _store_copy(state, source, options.operands[-1], single=len(options.operands) == 2)  # noqa: PLR2004
    return Result(inner=() if shell is None else (InnerCommand("rsync -e", shell.span, code=shell.text),))


def _dd(state: ShellState, call: Call) -> Result:
    operands = {key: value for key, _, value in (word.text.partition("=") for word in call.argv[1:])}
    content = call.stdin
    if "if" in operands:
        content = state.files.get(resolve(state, operands["if"]), unknown_output(state))
    if "of" not in operands:
        return Result(content)
    write_file(state, operands["of"], content, append=False)
    return Result("")


def _tar(state: ShellState, call: Call) -> Result:
    """Pack files; options in environment variables are added to the command line first."""
    if "TAR_OPTIONS" in state.variables and (extra := lookup(state, "TAR_OPTIONS")):
        added = (Word(text=option, span=call.span) for option in extra.split())
        argv = (call.argv[0], *added, *call.argv[1:])
        unset = (("TAR_OPTIONS", ""),)
        return Result(inner=(InnerCommand("TAR_OPTIONS", call.span, argv, stdin=call.stdin, settings=unset),))
    target = find_archive(call.argv[1:])
    if target is None and "TAPE" in state.variables and (tape := lookup(state, "TAPE")):
        argv = (*call.argv, Word(text="--file=" + tape, span=call.span))
        return Result(inner=(InnerCommand("TAPE", call.span, argv, settings=(("TAPE", ""),)),))
    if target is not None and target.text != "-":
        write_file(state, target.text, unknown_output(state), append=False)
    return Result(inner=tuple(_find_tar_commands(call.argv[1:])))


def _find_tar_commands(words: tuple[Word, ...]) -> Iterator[InnerCommand]:
    """Yield the commands that tar runs for its options."""
    for word in words:
        for option in ("--checkpoint-action=exec=", "--to-command="):
            if word.text.startswith(option):
                yield InnerCommand("tar " + option, word.span, code=word.text[len(option) :])


def find_archive(words: tuple[Word, ...]) -> Word | None:
    """Return the archive of a tar command; old-style option letters need no dash."""
    if words and words[0].text.isalpha() and "f" in words[0].text:
        index = 1 + sum(letter in "bCIKLNTVXg" for letter in words[0].text.partition("f")[0])
        return words[index] if index < len(words) else None
    return parse_options(words, word_set("-f --file -C -T -X -b -I -g"), mixed=True).value("-f", "--file")


def _pack(state: ShellState, call: Call) -> Result:
    """Store the archives: gzip and similar write `file.gz` for `file`, zip writes its first operand."""
    packed = run_packer(state, call) if call.argv[0].text.rpartition("/")[2] in _PIPE_PACKERS else None
    if packed is not None:
        return packed
    options = parse_options(call.argv[1:], word_set("-o -out -in -k -S --suffix --output"), mixed=True)
    words = [word for word in call.argv[1:] if not word.text.startswith("-")]
    name = call.argv[0].text.rpartition("/")[2]
    target = _find_value_after(call.argv, "-out", "-o", "--output")
    if target is not None:
        write_file(state, target.text, unknown_output(state), append=False)
    elif name in _SUFFIXES and not options.has("-c", "--stdout"):
        for word in words:
            write_file(state, word.text + _SUFFIXES[name], unknown_output(state), append=False)
    elif name in _ARCHIVERS and words:
        for word in words[:2]:
            write_file(state, word.text, unknown_output(state), append=False)
    return Result()


def _find_value_after(argv: tuple[Word, ...], *names: str) -> Word | None:
    return next((argv[index + 1] for index, word in enumerate(argv[:-1]) if word.text in names), None)


_PIPE_PACKERS = PACKERS | {"openssl"}
_SUFFIXES: Mapping[str, str] = {"gzip": ".gz", "xz": ".xz", "bzip2": ".bz2", "zstd": ".zst", "lz4": ".lz4"}
_ARCHIVERS = frozenset({"zip", "7z", "7za", "7zz", "rar"})
"""Programs whose first operand is the archive, perhaps after a command letter."""

PROGRAMS: Mapping[str, Program] = {
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("cp", "mv", "ln", "link", "install", "gcp", "gmv"), _copy),
    "rsync": _rsync,
    "dd": _dd,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys((*_SUFFIXES, *PACKERS, *_ARCHIVERS, "openssl", "gpg", "age"), _pack),
}
