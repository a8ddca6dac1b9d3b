"""Pack exfil: secrets sent to other machines."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
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


def secret(text: str, place: Place) -> bool:
    """Return whether the path *text* leads to keys, passwords or similar; a whole home contains them."""
    path = posixpath.normpath(text) if text else ""
    parts = path.split("/")
    if path in ("~", "/", "/etc", "/root", place.home or "~"):
        return True
    if parts[-1].endswith(".pub") or not path.strip("/."):
        return False
    return _NAMES.fullmatch(parts[-1]) is not None or not _FOLDERS.isdisjoint(parts)


_SOURCES = word_set(
    """curl wget http https xh httpie aria2c axel lynx w3m links fetch nc ncat netcat socat websocat wscat
    grpcurl ssh telnet ftp tftp sftp lwp-request GET gh glab invoke-webrequest"""
)
_DECODERS: Mapping[str, frozenset[str]] = {
    "base64": word_set("-d -D --decode -di -id"),
    "base32": word_set("-d --decode"),
    "openssl": word_set("-d s_client"),
    "xxd": word_set("-r -rp -pr"),
    "uudecode": frozenset(),
    "gpg": word_set("-d --decrypt"),
}
_MOST = 200
"""Maximum number of commands that are visited to find the origin of a value."""


def sources(origins: tuple[int, ...], place: Place) -> Iterator[SimpleCommand]:
    """Return the commands that *origins* refer to, directly or through others."""
    return (place.commands[one] for one in reached(origins, place))


def reached(origins: tuple[int, ...], place: Place) -> Iterator[int]:
    """Yield the numbers of the commands that *origins* refer to, directly or through others."""
    waiting, seen = list(origins), set(origins)
    while waiting and len(seen) <= _MOST:
        place_of = waiting.pop()
        if place_of >= len(place.commands):
            continue
        command = place.commands[place_of]
        yield place_of
        behind = (*command.stdin_origins, *(one for word in command.words for one in word.origins))
        waiting += [one for one in behind if one not in seen]
        seen.update(behind)


def fetched(command: SimpleCommand) -> bool:
    """Return whether *command* prints downloaded or decoded data."""
    if command.name in _DECODERS:
        wanted = _DECODERS[command.name]
        return not wanted or any(word.text in wanted for word in command.words[1:])
    return command.name in _SOURCES


READERS = """cat less more head tail grep egrep awk sed cp scp base64 xxd od strings tac nl sort cut vim
    vi nano view john hashcat rsync tar zip bat"""


def _hashes(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    inputs = [one.target for one in command.redirects if one.op == "<"]
    for word in (*words, *inputs):
        if word.text in ("/etc/shadow", "/etc/gshadow", "/etc/shadow-"):
            yield EXFIL.find("password-file", command, word)


HASH_JUDGES: Mapping[str, Judge] = dict.fromkeys(READERS.split(), _hashes)


_SENDING = word_set(
    """-d -F -T --data --data-ascii --data-binary --data-urlencode --data-raw --json --form --upload-file
    --post-file --post-data --body-file --body-data --url-query --form-string"""
)
_SINKS = word_set(
    """nc ncat netcat socat telnet ssh mail mailx sendmail mutt http https xh ftp tftp websocat dig nslookup
    host ping"""
)
_DUMPS = word_set("env printenv export declare set")
_SIGN = re.compile(r"^(?:-{0,2}[\w-]+=)?[@<]?|^(?:OPEN|FILE|GOPEN):")
_PIECES = re.compile(r"[\s\"':,]+")
_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)")
_HOST = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:(?!//|\\)")
_KEY = re.compile(r"(?:.*/)?(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.ssh/.*(?<!\.pub)(?<!config)(?<!known_hosts))")


def secretive(command: SimpleCommand, place: Place) -> bool:
    """Return whether *command*, or a command that feeds it, reads a secret."""
    origins = (*command.stdin_origins, *(one for word in command.words for one in word.origins))
    return _reads(command, place) or _fed(origins, place)


def _fed(origins: tuple[int, ...], place: Place) -> bool:
    """Return whether a command that *origins* lead back to reads a secret."""
    return any(_carries(one, place) for one in dict.fromkeys(origins))


def _carries(first: int, place: Place) -> bool:
    """Return whether the output of command number *first* may contain a secret; results are cached."""
    walked, waiting = set[int](), [first]
    while waiting:
        one = waiting.pop()
        if one >= len(place.commands) or one in walked or place.secretive.get(one) is False:
            continue
        command = place.commands[one]
        if place.secretive.get(one) or _reads(command, place):
            place.secretive[first] = place.secretive[one] = True
            return True
        walked.add(one)
        waiting += (*command.stdin_origins, *(at for word in command.words for at in word.origins))
    place.secretive.update(dict.fromkeys(walked, False))
    return False


def _reads(command: SimpleCommand, place: Place) -> bool:
    if command.name in _DUMPS and len(command.words) == 1:
        return True
    inputs = [one.target for one in command.redirects if one.op == "<"]
    listed = command.stdin.split() if command.name in ("zip", "cpio", "xargs") else ()
    words = (*(word.text for word in (*command.words[1:], *inputs)), *listed)
    return any(secret(_path(text), place) for text in words if not text.startswith("--exclude"))


def _path(text: str) -> str:
    """Return the file in a word such as `@file`, `if=file`, `OPEN:file,option` or `--from=file`."""
    return _SIGN.sub("", text).split(",")[0]


def outward(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge output that goes directly into a connection: `… > /dev/tcp/host/port`."""
    connected = any(one.target.text.startswith(("/dev/tcp/", "/dev/udp/")) for one in command.redirects)
    if connected and secretive(command, place):
        yield EXFIL.find("secret-upload", command)


def _web(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge curl and wget by the data that they send; a client certificate does not count."""
    split = parse_options(words, CURL_VALUES if command.name == "curl" else WGET_VALUES, mixed=True)
    if split.operands and all(_LOCAL.match(word.text) for word in split.operands):
        return
    given = [(name, value) for name, value in split.options if name in _SENDING and value is not None]
    sent = [*(value for _, value in given), *split.operands]
    origins = (
        *command.stdin_origins,
        *(one for word in sent for one in word.origins),
        *_files(command, sent),
    )
    named = [word for name, word in given if "@" in word.text or name.endswith(("-file", "-T"))]
    fed = _fed(origins, place)
    if fed or _piped(command, place) or any(secret(_path(word.text), place) for word in named):
        yield EXFIL.find("secret-upload", command)


def _files(command: SimpleCommand, sent: list[Word]) -> tuple[int, ...]:
    """Return the origins of the words that *sent* was cut from."""
    spans = {word.span for word in sent}
    return tuple(one for word in command.words if word.span in spans for one in word.origins)


def _piped(command: SimpleCommand, place: Place) -> bool:
    return any(secret(one.target.text, place) for one in command.redirects if one.op == "<")


def _sink(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge programs that send their input."""
    own = command.name == "socat" and any(
        secret(piece, place) for word in words for piece in _PIECES.split(word.text)
    )
    origins = (*command.stdin_origins, *(one for word in words for one in word.origins))
    if _piped(command, place) or own or _fed(origins, place):
        yield EXFIL.find("secret-upload", command)


def _upload(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge programs whose last operand is on another machine."""
    operands = parse_options(words, (*SCP_VALUES, "-e", "--rsh"), mixed=True).operands
    if len(operands) < 2 or not (_HOST.match(operands[-1].text) or "://" in operands[-1].text):  # noqa: PLR2004
        return
    for word in operands[:-1]:
        origins = _fed(word.origins, place)
        if not _HOST.match(word.text) and (secret(word.text, place) or origins):
            yield EXFIL.find("secret-upload", command, word)


def _stored(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge programs that store files remotely by their uploads; downloads do not count."""
    split = parse_options(words, _STORE_VALUES, mixed=True)
    texts = [word.text for word in split.operands]
    path = next((path for path in _STORING[command.name] if _begins(texts, path.split())), None)
    if path is None:
        return
    files = split.operands[len(path.split()) :]
    if files and _ELSEWHERE.match(files[-1].text):
        files = files[:-1]
    elif any(_ELSEWHERE.match(word.text) for word in files):
        return
    given = [value for name, value in split.options if name in _STORE_FILES and value is not None]
    named = next((word for word in (*files, *given) if secret(_path(word.text), place)), None)
    origins = (*command.stdin_origins, *(one for word in (*files, *given) for one in word.origins))
    if named is not None or _piped(command, place) or _fed(origins, place):
        yield EXFIL.find("secret-upload", command, named)


def _begins(texts: list[str], path: list[str]) -> bool:
    return texts[: len(path)] == path


_STORING: Mapping[str, tuple[str, ...]] = {
    "aws": ("s3 cp", "s3 sync", "s3 mv", "s3api put-object"),
    "gsutil": ("cp", "rsync", "mv"),
    "gcloud": ("storage cp", "storage rsync", "storage mv", "compute scp"),
    "az": ("storage blob upload", "storage blob upload-batch", "storage file upload"),
    **dict.fromkeys(("s3cmd", "s5cmd", "mc", "mcli"), ("put", "cp", "sync", "mirror", "mv")),
    "gh": ("gist create", "gist edit", "release upload", "release create", "issue create", "pr comment"),
    "glab": ("snippet create", "release upload"),
    "rclone": ("copy", "copyto", "sync", "move", "moveto", "rcat"),
}
"""Subcommands with which programs send files."""
_STORE_FILES = word_set("-f --file --body --source -s -F --body-file --notes-file -a --add")
_STORE_VALUES = _STORE_FILES | word_set(
    """-n --name -c --container-name --account-name -d --desc --filename --profile --region --bucket --key
    -R --repo -t"""
)
_ELSEWHERE = re.compile(r"[\w+-]+://|[\w-]+:(?!\\)")


def _tar(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    target = find_archive(words)
    if target is not None and _HOST.match(target.text) and not target.text.startswith(("/", ".")):
        yield EXFIL.find("secret-upload", command, target)


def _copy(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = parse_options(words, ("-t", "-S"), mixed=True).operands
    for word in operands[:-1]:
        if _KEY.fullmatch(word.text) and "/.ssh" not in operands[-1].text:
            yield EXFIL.find("secret-copy", command, word)


JUDGES: Mapping[str, Judge] = {
    "curl": _web,
    "wget": _web,
    **dict.fromkeys(_SINKS, _sink),
    **dict.fromkeys(("scp", "rsync", "sftp", "croc"), _upload),
    **dict.fromkeys(_STORING, _stored),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys(("cp", "mv", "install"), _copy),
}
