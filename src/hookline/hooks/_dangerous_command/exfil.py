"""Pack exfil: secrets sent to other machines."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.lazy import re
from hookline.shell import SimpleCommand, Word
from hookline.shell.copy_programs import CURL_VALUES, WGET_VALUES, find_archive
from hookline.shell.options import parse_options, word_set
from hookline.shell.remote import SCP_VALUES

EXFIL = Pack(
    "exfil",
    {
        "secret-upload": (
            "This sends keys, passwords or settings that look secret to somewhere else.",
            "Leave the values out, or have the person hand them over themselves.",
        ),
        "secret-copy": (
            "This copies a private key to where it is not kept safe.",
            "Refer to it where it lies, by its path.",
        ),
        "password-file": (
            "This reads the file with everybody's password hashes.",
            "`getent passwd NAME` tells about an account without them.",
        ),
    },
)


_NAMES = re.compile(
    r"\.env(?!\.(?:example|sample|template|test|dist)$)(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.vault-token"
    r"|\.(?:bash|zsh|psql|mysql)_history|credentials(?:\.\w+)?|secrets?(?:\.\w+)?|.*service-account.*\.json"
    r"|shadow|gshadow|\.htpasswd|certs|private"
)
_FOLDERS = frozenset(
    {".ssh", ".aws", ".gnupg", ".azure", ".kube", ".password-store", "certs", "gcloud", "secrets"}
)


def is_secret(text: str, place: Place) -> bool:
    """Return whether the path *text* leads to keys, passwords or similar; a whole home contains them."""
    path = posixpath.normpath(text) if text else ""
    parts = path.split("/")
    if path in ("~", "/", "/etc", "/root", place.home or "~"):
        return True
    if parts[-1].endswith(".pub") or not path.strip("/."):
        return False
    return _NAMES.fullmatch(parts[-1]) is not None or not _FOLDERS.isdisjoint(parts)


_DUMPS = word_set("env printenv export declare set history")
_LISTED = word_set("zip cpio xargs")
"""Programs that read the names of files from their standard input."""
_PASSED_ON = frozenset({"read", "use", "copy", "send", "list", "run", "link", "move"})
CONNECTIONS = ("/dev/tcp/", "/dev/udp/")
LOCAL = re.compile(
    r"(?:https?://)?(?:[^/@]*@)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0|[\w.-]+\.localhost\b|host\.docker\.internal)|:\d*(?:/|$)"
)
_HOST = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:(?!//|\\)")


def _reads_secret(index: int, place: Place) -> bool:
    """Return whether a command reads a secret, or prints all variables."""
    command = place.commands[index]
    if command.name in _DUMPS and len(command.words) == 1:
        return True
    if command.name in ("gpg", "gpg2") and any("export-secret" in word.text for word in command.words):
        return True
    effects = place.effects.get(index, ())
    paths = [effect.path.text for effect in effects if effect.action in _PASSED_ON]
    paths += command.stdin.split() if command.name in _LISTED else ()
    return any(is_secret(_strip_option(text), place) for text in paths if not text.startswith("--exclude"))


def _strip_option(text: str) -> str:
    """Return the file in a word such as `@file`, `if=file`, `OPEN:file,option` or `--from=file`."""
    return _PREFIX.sub("", text).split(",")[0]


_PREFIX = re.compile(r"^(?:-{0,2}[\w-]+=)?[@<]?|^(?:OPEN|FILE|GOPEN):")


def _carry_secret(origins: Iterable[int], place: Place) -> bool:
    """Return whether a command that *origins* lead back to reads a secret."""
    return any(_exposes(index, place) for index in dict.fromkeys(origins))


def _exposes(first: int, place: Place) -> bool:
    """Return whether the output of a command may contain a secret; results are cached."""
    visited, pending = set[int](), [first]
    while pending:
        index = pending.pop()
        if index >= len(place.commands) or index in visited or place.exposing.get(index) is False:
            continue
        if place.exposing.get(index) or _reads_secret(index, place):
            place.exposing[first] = place.exposing[index] = True
            return True
        visited.add(index)
        pending += _all_origins(place.commands[index])
    place.exposing.update(dict.fromkeys(visited, False))
    return False


def _all_origins(command: SimpleCommand) -> tuple[int, ...]:
    return (*command.stdin_origins, *(at for word in command.words for at in word.origins))


def is_connected(command: SimpleCommand) -> bool:
    """Return whether the command is redirected to or from a network connection."""
    return any(redirect.target.text.startswith(CONNECTIONS) for redirect in command.redirects)


def judge_connection(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge output that goes directly into a connection: `… > /dev/tcp/host/port`."""
    if _reads_secret(place.index, place) or _carry_secret(_all_origins(command), place):
        yield EXFIL.find("secret-upload", command)


_BODIES = word_set(
    """-d -F -T --data --data-ascii --data-binary --data-urlencode --data-raw --json --form --upload-file
    --post-file --post-data --body-file --body-data --url-query --form-string"""
)


def _web(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge curl and wget by the data that they send; a client certificate does not count."""
    split = parse_options(words, CURL_VALUES if command.name == "curl" else WGET_VALUES, mixed=True)
    if split.operands and all(LOCAL.match(word.text) for word in split.operands):
        return
    values = [value for name, value in split.options if name in _BODIES and value is not None]
    spans = {word.span for word in (*values, *split.operands)}
    origins = [at for word in command.words if word.span in spans for at in word.origins]
    if _sends_file(command, place) or _carry_secret((*command.stdin_origins, *origins), place):
        yield EXFIL.find("secret-upload", command)


def _sends_file(command: SimpleCommand, place: Place) -> bool:
    """Return whether the command sends a secret file, or gets one as its standard input."""
    sent = [one.path.text for one in place.effects.get(place.index, ()) if one.action == "send"]
    inputs = [redirect.target.text for redirect in command.redirects if redirect.op == "<"]
    return any(is_secret(text, place) for text in (*sent, *inputs))


_SINKS = word_set(
    """nc ncat netcat socat telnet ssh mail mailx sendmail mutt http https xh ftp tftp websocat dig nslookup
    host ping scp rsync sftp"""
)
_PIECES = re.compile(r"[\s\"':,]+")


def _sink(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge programs that send files or their input."""
    transfers = command.name in ("scp", "rsync", "sftp")
    operands = parse_options(words, (*SCP_VALUES, "-e", "--rsh"), mixed=True).operands if transfers else words
    if transfers and not (operands and (_HOST.match(operands[-1].text) or "://" in operands[-1].text)):
        return
    own = command.name == "socat" and any(
        is_secret(piece, place) for word in words for piece in _PIECES.split(word.text)
    )
    origins = (*command.stdin_origins, *(at for word in operands for at in word.origins))
    if own or _sends_file(command, place) or _carry_secret(origins, place):
        yield EXFIL.find("secret-upload", command)


_UPLOADS: Mapping[str, tuple[str, ...]] = {
    "aws": ("s3 cp", "s3 sync", "s3 mv", "s3api put-object"),
    "gsutil": ("cp", "rsync", "mv"),
    "gcloud": ("storage cp", "storage rsync", "storage mv", "compute scp"),
    "az": ("storage blob upload", "storage blob upload-batch", "storage file upload"),
    **dict.fromkeys(("s3cmd", "s5cmd", "mc", "mcli"), ("put", "cp", "sync", "mirror", "mv")),
    "gh": ("gist create", "gist edit", "release upload", "release create", "issue create", "pr comment"),
    "glab": ("snippet create", "release upload"),
    "rclone": ("copy", "copyto", "sync", "move", "moveto", "rcat"),
    "croc": ("send", ""),
}
"""Subcommands with which programs send files."""
_UPLOAD_FILES = word_set("-f --file --body --source -s -F --body-file --notes-file -a --add")
_UPLOAD_VALUES = _UPLOAD_FILES | word_set(
    """-n --name -c --container-name --account-name -d --desc --filename --profile --region --bucket --key
    -R --repo -t"""
)
_ELSEWHERE = re.compile(r"[\w+-]+://|[\w-]+:(?!\\)")


def _upload(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge programs that store files remotely by their uploads; downloads do not count."""
    split = parse_options(words, _UPLOAD_VALUES, mixed=True)
    texts = [word.text for word in split.operands]
    paths = (path.split() for path in _UPLOADS[command.name])
    path = next((path for path in paths if texts[: len(path)] == path), None)
    if path is None:
        return
    files = split.operands[len(path) :]
    if files and _ELSEWHERE.match(files[-1].text):
        files = files[:-1]
    elif any(_ELSEWHERE.match(word.text) for word in files):
        return
    values = [value for name, value in split.options if name in _UPLOAD_FILES and value is not None]
    named = next((word for word in (*files, *values) if is_secret(_strip_option(word.text), place)), None)
    origins = (*command.stdin_origins, *(at for word in (*files, *values) for at in word.origins))
    if named is not None or _sends_file(command, place) or _carry_secret(origins, place):
        yield EXFIL.find("secret-upload", command, named)


def _tar(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    target = find_archive(words)
    if target is not None and _HOST.match(target.text) and not target.text.startswith(("/", ".")):
        yield EXFIL.find("secret-upload", command, target)


_KEY = re.compile(r"(?:.*/)?(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.ssh/.*(?<!\.pub)(?<!config)(?<!known_hosts))")
_READING = frozenset({"read", "use", "copy", "send", "edit"})
_HASHES = word_set("/etc/shadow /etc/gshadow /etc/shadow-")


def judge_secret_files(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge copies of private keys out of their folder, and reads of the file with the password hashes."""
    effects = place.effects.get(place.index, ())
    for effect in effects:
        if effect.path.text in _HASHES and effect.action in _READING:
            yield EXFIL.find("password-file", command, effect.path)
        elif effect.action in ("copy", "move") and _KEY.fullmatch(effect.path.text):
            targets = [one.path.text for one in effects if one.action == "write"]
            if targets and not any("/.ssh" in text for text in targets):
                yield EXFIL.find("secret-copy", command, effect.path)


JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(("curl", "wget"), _web),
    **dict.fromkeys(_SINKS, _sink),
    **dict.fromkeys(_UPLOADS, _upload),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
}
