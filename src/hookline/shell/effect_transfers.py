"""The effects of programs that connect to other machines and containers: the local files that they open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.copy_programs import CURL_VALUES, RSYNC_VALUES, WGET_VALUES
from hookline.shell.effect_table import is_remote, option_effects, part_of
from hookline.shell.options import parse_options, word_set
from hookline.shell.remote import SCP_VALUES, SSH_VALUES
from hookline.shell.result import Effect, SimpleCommand, Word

Effects: TypeAlias = Iterator[Effect]

_SSH_FILES = word_set("identityfile certificatefile userknownhostsfile globalknownhostsfile include")


def ssh_host(command: SimpleCommand) -> str:
    """Return the host that an ssh command connects to."""
    operands = parse_options(command.words[1:], SSH_VALUES).operands
    return operands[0].text if operands else ""


def _ssh(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], SSH_VALUES)
    later = parse_options(options.operands[1:], SSH_VALUES)
    yield from _identity_effects(options.options + later.options)


def _identity_effects(options: tuple[tuple[str, Word | None], ...]) -> Effects:
    """Yield the local files in options of ssh and similar programs: `-i`, `-F`, `-o IdentityFile=`."""
    for name, value in options:
        if value is None:
            continue
        if name in ("-i", "-F", "-E"):
            yield Effect(action="write" if name == "-E" else "use", path=value)
        elif name == "-o":
            key, _, path = value.text.strip().replace("=", " ", 1).partition(" ")
            if key.lower() in _SSH_FILES:
                yield Effect(action="use", path=part_of(value, path.strip()))


def _scp(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], SCP_VALUES, mixed=True)
    yield from _identity_effects(options.options)
    yield from _transfer(options.operands, recursive=options.has("-r"))


_RSYNC_READS = word_set("--files-from --exclude-from --include-from --password-file")
_RSYNC_DELETES = word_set("--delete --del --delete-after --delete-before --delete-during --delete-excluded")


def _rsync(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], RSYNC_VALUES, mixed=True)
    yield from option_effects(options, {"read": _RSYNC_READS})
    recursive = options.has("-r", "-a", "--recursive", "--archive")
    dry_run = options.has("-n", "--dry-run", "--list-only")
    yield from _transfer(options.operands, recursive=recursive, writes=not dry_run)
    target = options.operands[-1] if len(options.operands) > 1 else None
    if target is not None and not dry_run and not is_remote(target.text):
        if options.has(*_RSYNC_DELETES):
            yield Effect(action="delete", path=target, recursive=True)
        if options.has("--remove-source-files"):
            yield from (Effect(action="move", path=word, recursive=True) for word in options.operands[:-1])


def _transfer(operands: tuple[Word, ...], *, recursive: bool, writes: bool = True) -> Effects:
    """Yield the effects on local operands: sources are copied or sent, and the last operand is written."""
    remote = any(is_remote(word.text) for word in operands[-1:])
    for word in operands[:-1] or operands:
        if not is_remote(word.text):
            yield Effect(action="send" if remote else "copy", path=word, recursive=recursive)
    target = operands[-1] if len(operands) > 1 and writes and not remote else None
    if target is not None:
        yield Effect(action="write", path=target, content="copied")
        for source in operands[:-1]:
            name = source.text.rstrip("/").rpartition("/")[2].rpartition(":")[2]
            inside = "*" if source.text.endswith(("/", "/.")) or name in (".", "*") else name
            path = Word(text=f"{target.text.rstrip('/')}/{inside}", span=target.span, glob=inside == "*")
            yield Effect(action="write", path=path, recursive=recursive, derived=True)


_CURL_READS = word_set("-K -E --config --netrc-file --cert --key --cacert --pubkey")
_CURL_WRITES = word_set("-o -c -D --output --cookie-jar --dump-header --trace --trace-ascii --stderr")
_CURL_BODIES = word_set(
    """-d -F -H -b --data --data-ascii --data-binary --data-urlencode --json --form --header --cookie
    --url-query"""
)
_FILE_ARGUMENT = re.compile(r"(?:[^=<@]*=)?[@<](.+)$|[^@/]*@(.+)$", re.DOTALL)


def _curl(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], CURL_VALUES, mixed=True)
    yield from option_effects(
        options, {"read": _CURL_READS, "write": _CURL_WRITES, "send": word_set("-T --upload-file")}
    )
    for name, value in options.options:
        if value is not None and name in _CURL_BODIES and (path := _uploaded_file(value.text)):
            yield Effect(action="send", path=part_of(value, path))
    yield from _download(options.value("--output-dir"), options.value("-o", "--output"))
    socket = options.value("--unix-socket", "--abstract-unix-socket")
    yield from [Effect(action="write", path=socket)] if socket is not None else []
    for word in options.operands:
        if word.text.lower().startswith("file:"):
            yield Effect(action="read", path=word)


def _download(folder: Word | None, output: Word | None) -> Effects:
    if folder is not None and output is not None:
        yield Effect(action="write", path=part_of(folder, f"{folder.text}/{output.text}"), derived=True)


def _aria2c(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], word_set("-d -o -l -x -s -j --dir --out --log"), mixed=True)
    yield from option_effects(options, {"write": word_set("-d -o -l --dir --out --log")})
    yield from _download(options.value("-d", "--dir"), options.value("-o", "--out"))


def _socat(command: SimpleCommand) -> Effects:
    """Yield the files and sockets in addresses such as `UNIX-CONNECT:path` and `OPEN:path,creat`."""
    for word in command.words[1:]:
        path = word.text.partition(":")[2].partition(",")[0]
        if path and not word.text.startswith("-"):
            yield Effect(action="send", path=part_of(word, path), certain=False)


def _uploaded_file(text: str) -> str:
    """Return the file in `@file`, `name=@file;type=…`, `name=<file` or `name@file`, or an empty string."""
    match = _FILE_ARGUMENT.match(text)
    return (match.group(1) or match.group(2)).partition(";")[0].strip('"') if match is not None else ""


_WGET_READS = word_set("-i --input-file --load-cookies --certificate --private-key")
_WGET_WRITES = word_set(
    "-O -o -a -P --output-document --output-file --append-output --save-cookies --directory-prefix"
)


def _wget(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], WGET_VALUES, mixed=True)
    yield from option_effects(
        options, {"read": _WGET_READS, "write": _WGET_WRITES, "send": word_set("--post-file --body-file")}
    )


def _httpie(command: SimpleCommand) -> Effects:
    for word in command.words[1:]:
        path = _uploaded_file(word.text) if "://" not in word.text else ""
        if path:
            yield Effect(action="send", path=part_of(word, path))


def _container(command: SimpleCommand) -> Effects:
    """Yield the local files that are passed to a container; files inside it do not count."""
    words = [word for word in command.words[1:] if not word.text.startswith("-")]
    if words and words[0].text in ("exec", "logs", "attach", "ps", "images", "pull", "push"):
        return
    copies = bool(words) and words[0].text == "cp"
    for before, word in zip(command.words, command.words[1:], strict=False):
        text = word.text.rpartition("=")[2] if word.text.startswith("-") else word.text
        mounts = before.text in ("-v", "--volume", "--mount")
        source = next(
            (part.partition("=")[2] for part in word.text.split(",") if part.startswith(("source=", "src="))),
            "",
        )
        if mounts or copies:
            text = source or text.partition(":")[0]
        yield Effect(action="use", path=part_of(word, text))
        if (mounts or word.text.startswith(("--volume=", "--mount="))) and not _READ_ONLY.search(word.text):
            yield Effect(action="write", path=part_of(word, text), recursive=True, certain=False)


_READ_ONLY = re.compile(r":(?:[a-zA-Z,]*,)?ro\b|,readonly|,ro\b")


def _none(command: SimpleCommand) -> Effects:
    yield from ()


PROGRAMS: Mapping[str, Callable[[SimpleCommand], Effects]] = {
    **dict.fromkeys(("ssh", "autossh", "mosh", "sshfs"), _ssh),
    **dict.fromkeys(("scp", "sftp"), _scp),
    **dict.fromkeys(("http", "https", "xh", "xhs"), _httpie),
    **dict.fromkeys(word_set("docker podman nerdctl docker-compose kubectl oc"), _container),
    **dict.fromkeys(("tsh", "pdsh", "ansible"), _none),
    "rsync": _rsync,
    "curl": _curl,
    "aria2c": _aria2c,
    "socat": _socat,
    "wget": _wget,
}
