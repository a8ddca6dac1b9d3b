"""Programs that connect to other machines: the local files that they open."""

import re
from collections.abc import Callable, Iterator, Mapping

from hookline.hooks._paths.file_operands import Access
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

Accesses = Iterator[Access]
_REMOTE = re.compile(r"(?:[^/\\:]{2,}|\[[^\]]+\]):|\w+://")
_ADDRESS = re.compile(r"(?:[^=<@]*=)?[@<](.+)$", re.DOTALL)
_NAMED = re.compile(r"[^@/]*@(.+)$", re.DOTALL)


def remote(text: str) -> bool:
    """Return whether an operand is on another machine: `host:path`, `rsync://…`."""
    return _REMOTE.match(text) is not None and not text.lower().startswith("file:")


def at(word: Word, text: str) -> Word:
    """Return the part *text* of *word* as a word of its own."""
    if text == word.text and not word.unset:
        return word
    return Word(text=text, span=word.span, glob=word.glob, origins=word.origins)


def _ssh(command: SimpleCommand) -> Accesses:
    values = [f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw"]
    split = parse_options(command.words[1:], values)
    rest = parse_options(split.operands[1:], values)
    yield from _identities(split.options + rest.options)


_SSH_FILES = word_set("identityfile certificatefile userknownhostsfile globalknownhostsfile include")


def _identities(given: tuple[tuple[str, Word | None], ...]) -> Accesses:
    """Yield the local files in options of ssh and similar programs: `-i`, `-F`, `-o IdentityFile=`."""
    for name, value in given:
        if value is None:
            continue
        if name in ("-i", "-F", "-E"):
            yield Access(value, "write" if name == "-E" else "read")
        elif name == "-o":
            key, _, path = value.text.strip().replace("=", " ", 1).partition(" ")
            if key.lower() in _SSH_FILES:
                yield Access(at(value, path.strip()), "read")


def _scp(command: SimpleCommand) -> Accesses:
    split = parse_options(command.words[1:], [f"-{letter}" for letter in "cFiJloPSDX"], mixed=True)
    yield from _identities(split.options)
    yield from _transfer(split.operands)


_RSYNC = word_set(
    """-e -f -B -T -M --rsh --rsync-path --exclude --include --filter --chmod --chown --port --log-file
    --bwlimit --timeout --backup-dir --suffix --partial-dir --temp-dir --out-format --info --debug
    --max-size --min-size"""
)
_RSYNC_FILES = word_set("--files-from --exclude-from --include-from --password-file")


def _rsync(command: SimpleCommand) -> Accesses:
    split = parse_options(command.words[1:], _RSYNC | _RSYNC_FILES, mixed=True)
    yield from (Access(value, "read") for name, value in split.options if name in _RSYNC_FILES and value)
    yield from _transfer(split.operands)


def _transfer(operands: tuple[Word, ...]) -> Accesses:
    """Yield the local operands: sources are copied, and the last operand is written."""
    for word in operands[:-1]:
        if not remote(word.text):
            yield Access(word, "copy")
    for word in operands[-1:]:
        if not remote(word.text):
            yield Access(word, "write" if len(operands) > 1 else "copy")


_CURL_READS = word_set("-T -K -E --upload-file --config --netrc-file --cert --key --cacert --pubkey")
_CURL_BODIES = word_set(
    """-d -F -H -b --data --data-ascii --data-binary --data-urlencode --json --form --header --cookie
    --url-query"""
)
_CURL_WRITES = word_set("-o -c -D --output --cookie-jar --dump-header --trace --trace-ascii --stderr")
_CURL_OTHERS = word_set(
    """-A -C -e -h -m -P -Q -r -t -u -U -w -x -X -y -Y -z --connect-timeout --connect-to --data-raw
    --form-string --interface --limit-rate --max-time --oauth2-bearer --output-dir --proto --proxy --range
    --referer --request --resolve --retry --retry-delay --url --user --user-agent --write-out --cert-type
    --key-type --pass"""
)


def _curl(command: SimpleCommand) -> Accesses:
    split = parse_options(
        command.words[1:], _CURL_READS | _CURL_BODIES | _CURL_WRITES | _CURL_OTHERS, mixed=True
    )
    for name, value in split.options:
        if value is None:
            continue
        if name in _CURL_READS:
            yield Access(value, "read")
        elif name in _CURL_WRITES:
            yield Access(value, "write")
        elif name in _CURL_BODIES and (path := _upload(value.text)):
            yield Access(at(value, path), "copy")
    for word in split.operands:
        if word.text.lower().startswith("file:"):
            yield Access(word, "read")


def _upload(text: str) -> str:
    """Return the file in `@file`, `name=@file;type=…`, `name=<file` or `name@file`, or an empty string."""
    found = _ADDRESS.match(text) or _NAMED.match(text)
    return found.group(1).partition(";")[0].strip('"') if found is not None else ""


def _wget(command: SimpleCommand) -> Accesses:
    reads = word_set("-i --input-file --post-file --body-file --load-cookies --certificate --private-key")
    writes = word_set("-O -o -a --output-document --output-file --append-output --save-cookies")
    others = word_set("-A -B -D -e -l -P -Q -R -t -T -U -w --header --method --post-data --user --password")
    split = parse_options(command.words[1:], reads | writes | others, mixed=True)
    for name, value in split.options:
        if value is not None and name in reads | writes:
            yield Access(value, "read" if name in reads else "write")


def _httpie(command: SimpleCommand) -> Accesses:
    for word in command.words[1:]:
        path = _upload(word.text) if "://" not in word.text else ""
        if path:
            yield Access(at(word, path), "copy")


def _container(command: SimpleCommand) -> Accesses:
    """Yield the local files that are passed to a container; files inside it do not count."""
    words = [word for word in command.words[1:] if not word.text.startswith("-")]
    if words and words[0].text in ("exec", "logs", "attach", "ps", "images", "pull", "push"):
        return
    for before, word in zip(command.words, command.words[1:], strict=False):
        text = word.text.rpartition("=")[2] if word.text.startswith("-") else word.text
        if before.text in ("-v", "--volume", "--mount") or (words and words[0].text == "cp"):
            text = text.partition(":")[0]
        yield Access(at(word, text), "use")


def _nothing(command: SimpleCommand) -> Accesses:
    yield from ()


TRANSFERS: Mapping[str, Callable[[SimpleCommand], Accesses]] = {
    **dict.fromkeys(("ssh", "autossh", "mosh", "sshfs"), _ssh),
    **dict.fromkeys(("scp", "sftp"), _scp),
    **dict.fromkeys(("http", "https", "xh", "xhs"), _httpie),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"), _container),
    **dict.fromkeys(("tsh", "pdsh", "ansible"), _nothing),
    "rsync": _rsync,
    "curl": _curl,
    "wget": _wget,
}
