"""Follow secrets on their way out, by whatever program and over however many steps."""

import re
from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.options import options, spelled
from hookline.bash.remote import SCP_VALUES
from hookline.bash.transfer import CURL_VALUES, WGET_VALUES, archive
from hookline.hooks._dangerous.exfil import EXFIL
from hookline.hooks._dangerous.finding import Finding, Judge, Place
from hookline.hooks._dangerous.secrets import secret

_SENDING = spelled(
    """-d -F -T --data --data-ascii --data-binary --data-urlencode --data-raw --json --form --upload-file
    --post-file --post-data --body-file --body-data --url-query --form-string"""
)
_SINKS = spelled(
    """nc ncat netcat socat telnet ssh mail mailx sendmail mutt http https xh ftp tftp websocat dig nslookup
    host ping"""
)
_DUMPS = spelled("env printenv export declare set")
_SIGN = re.compile(r"^(?:-{0,2}[\w-]+=)?[@<]?|^(?:OPEN|FILE|GOPEN):")
_PIECES = re.compile(r"[\s\"':,]+")
_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)")
_HOST = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:(?!//|\\)")
_KEY = re.compile(r"(?:.*/)?(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.ssh/.*(?<!\.pub)(?<!config)(?<!known_hosts))")


def secretive(command: Simple, place: Place) -> bool:
    """Whether *command*, or one that feeds it, reads a secret."""
    origins = (*command.fed, *(one for word in command.words for one in word.origins))
    return _reads(command, place) or _fed(origins, place)


def _fed(origins: tuple[int, ...], place: Place) -> bool:
    """Whether a command that *origins* lead back to reads a secret."""
    return any(_carries(one, place) for one in dict.fromkeys(origins))


def _carries(first: int, place: Place) -> bool:
    """Whether a secret comes out of the command with that number; what was found out once stays known."""
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
        waiting += (*command.fed, *(at for word in command.words for at in word.origins))
    place.secretive.update(dict.fromkeys(walked, False))
    return False


def _reads(command: Simple, place: Place) -> bool:
    if command.name in _DUMPS and len(command.words) == 1:
        return True
    inputs = [one.target for one in command.redirects if one.op == "<"]
    listed = command.stdin.split() if command.name in ("zip", "cpio", "xargs") else ()
    words = (*(word.text for word in (*command.words[1:], *inputs)), *listed)
    return any(secret(_path(text), place) for text in words if not text.startswith("--exclude"))


def _path(text: str) -> str:
    """The file in a word such as `@file`, `if=file`, `OPEN:file,option` or `--from=file`."""
    return _SIGN.sub("", text).split(",")[0]


def outward(command: Simple, place: Place) -> Iterator[Finding]:
    """What a command prints straight into a connection: `… > /dev/tcp/host/port`."""
    connected = any(one.target.text.startswith(("/dev/tcp/", "/dev/udp/")) for one in command.redirects)
    if connected and secretive(command, place):
        yield EXFIL.find("secret-upload", command)


def _web(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """curl and wget: only what they send counts, not what they show as a certificate."""
    split = options(words, CURL_VALUES if command.name == "curl" else WGET_VALUES, mixed=True)
    if split.operands and all(_LOCAL.match(word.text) for word in split.operands):
        return
    given = [(name, value) for name, value in split.given if name in _SENDING and value is not None]
    sent = [*(value for _, value in given), *split.operands]
    origins = (*command.fed, *(one for word in sent for one in word.origins), *_files(command, sent))
    named = [word for name, word in given if "@" in word.text or name.endswith(("-file", "-T"))]
    fed = _fed(origins, place)
    if fed or _piped(command, place) or any(secret(_path(word.text), place) for word in named):
        yield EXFIL.find("secret-upload", command)


def _files(command: Simple, sent: list[Word]) -> tuple[int, ...]:
    """Origins of the words that *sent* was cut out of."""
    spans = {word.span for word in sent}
    return tuple(one for word in command.words if word.span in spans for one in word.origins)


def _piped(command: Simple, place: Place) -> bool:
    return any(secret(one.target.text, place) for one in command.redirects if one.op == "<")


def _sink(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Programs that send what they read."""
    own = command.name == "socat" and any(
        secret(piece, place) for word in words for piece in _PIECES.split(word.text)
    )
    origins = (*command.fed, *(one for word in words for one in word.origins))
    if _piped(command, place) or own or _fed(origins, place):
        yield EXFIL.find("secret-upload", command)


def _upload(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Programs whose last operand is on another machine."""
    operands = options(words, (*SCP_VALUES, "-e", "--rsh"), mixed=True).operands
    if len(operands) < 2 or not (_HOST.match(operands[-1].text) or "://" in operands[-1].text):  # noqa: PLR2004
        return
    for word in operands[:-1]:
        origins = _fed(word.origins, place)
        if not _HOST.match(word.text) and (secret(word.text, place) or origins):
            yield EXFIL.find("secret-upload", command, word)


def _stored(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Programs that store files elsewhere: what goes there counts, not what is fetched."""
    split = options(words, _STORE_VALUES, mixed=True)
    texts = [word.text for word in split.operands]
    path = next((path for path in _STORING[command.name] if _begins(texts, path.split())), None)
    if path is None:
        return
    files = split.operands[len(path.split()) :]
    if files and _ELSEWHERE.match(files[-1].text):
        files = files[:-1]
    elif any(_ELSEWHERE.match(word.text) for word in files):
        return
    given = [value for name, value in split.given if name in _STORE_FILES and value is not None]
    named = next((word for word in (*files, *given) if secret(_path(word.text), place)), None)
    origins = (*command.fed, *(one for word in (*files, *given) for one in word.origins))
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
"""The subcommands by which programs send files."""
_STORE_FILES = spelled("-f --file --body --source -s -F --body-file --notes-file -a --add")
_STORE_VALUES = _STORE_FILES | spelled(
    """-n --name -c --container-name --account-name -d --desc --filename --profile --region --bucket --key
    -R --repo -t"""
)
_ELSEWHERE = re.compile(r"[\w+-]+://|[\w-]+:(?!\\)")


def _tar(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    target = archive(words)
    if target is not None and _HOST.match(target.text) and not target.text.startswith(("/", ".")):
        yield EXFIL.find("secret-upload", command, target)


def _copy(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = options(words, ("-t", "-S"), mixed=True).operands
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
