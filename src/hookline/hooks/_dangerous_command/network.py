"""Packs http-delete and remote-exec: requests that delete, and downloaded or decoded code that is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from hookline.hooks._dangerous_command.exfil import CONNECTIONS, LOCAL
from hookline.hooks._dangerous_command.machine import CODE_JUDGES, find_code
from hookline.hooks._dangerous_command.rule import TREES, Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.targets import SYSTEM
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.copy_programs import CURL_VALUES, WGET_VALUES
from hookline.shell.options import parse_options, word_set
from hookline.shell.remote import SCP_VALUES

HTTP = Pack(
    "http-delete",
    {
        "http-delete": (
            "This request deletes something in a running service.",
            "Read it first with `curl URL`, and leave deleting to the user.",
        ),
        "http-destructive": (
            "This request asks a running service to delete, close or reset something.",
            "Read it first with `curl URL`, and leave the change to the user.",
        ),
    },
)
_ADDRESS = re.compile(
    r"(?i)/(?:_?delete(?:[-_]\w+)?|doDelete|destroy|purge\w*|remove|_close|_delete_by_query|_forcemerge|reset"
    r"|flush(?:all|db)?|truncate|shutdown|doKill|delete_series|clean_tombstones|_cache/clear|drop)/?(?:[?#].*)?$"
)
_STORE_PORT = re.compile(
    r":(?:9200|9201|7700|8001|8108|6333|5984|8086|8500|8200|2379|8123|15672|9090)(?:/|$)"
)
"""Ports of databases, search engines and gateways, which keep data that a development server does not."""
_FORGE = re.compile(r"(?i)://[^/]*(?:api\.github\.com|/api/v[34]/)|/api/v4/projects/|/repos/[^/]+/[^/]+")
_FORGE_SETTING = re.compile(
    r"(?i)\b(?:private|visibility|archived|default_branch)\"?\s*[=:]|\bforce\"?\s*[=:]\s*true"
    r"|/(?:collaborators|protection|rulesets|transfer)(?:/|$)"
)
"""Settings of a repository on a forge, in a request to its interface."""
_MUTATION = re.compile(r"(?i)\bmutation\b")
_CALL = re.compile(r"(?i)\b(?:delete|remove|destroy|drop|purge|archive)\w*\s*[({]")
_LARGEST, _LONGEST = 20_000, 2_000
"""Maximum number of characters of a request's body and of its URL that are examined."""


def _request(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge curl and wget."""
    split = parse_options(words, CURL_VALUES if command.name == "curl" else WGET_VALUES, mixed=True)
    method = split.value("-X", "--request", "--method")
    bodies = [value.text[:_LARGEST] for name, value in split.options if value is not None and _is_body(name)]
    addresses = [word.text for word in split.operands]
    verb = method.text.upper() if method is not None else "POST" if bodies else ""
    yield from _judge_request(command, verb, addresses, bodies)


def _is_body(name: str) -> bool:
    return name in ("-d", "--json", "--post-data", "--body-data") or name.startswith("--data")


def _httpie(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge httpie and similar programs: `http DELETE address name=value`."""
    if any(word.text == "--offline" for word in words):
        return
    operands = [word.text for word in words if not word.text.startswith("-")]
    method = operands[0].upper() if operands and operands[0].isalpha() else ""
    yield from _judge_request(command, method, operands[1:2] if method else operands[:1], operands[2:])


def _web_request(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `Invoke-RestMethod -Method Delete -Uri address`."""
    pairs = pairwise(words)
    methods = [value.text.upper() for name, value in pairs if "-method".startswith(name.text.lower()[:7])]
    addresses = [word.text for word in words if "://" in word.text]
    yield from _judge_request(command, methods[0] if methods else "", addresses, [])


_CODE_REQUEST = re.compile(
    r"(?i)\b(?:requests|httpx|axios|session|client|got|http)\.delete\(\s*f?[\"'`](https?://[^\"'`]*)"
    r"|(https?://[^\"'`]*)[\"'`][^)]{0,200}method[\"']?\s*[:=]\s*[\"']DELETE"
)


_CODE_DELETE = re.compile(r"\b(?:requests|httpx|axios|got|superagent)\.delete\(\s*(?:f[\"']\{|[a-z_`])")
_LOCAL_CODE = re.compile(r"//(?:localhost|127\.0\.0\.1)|TestClient")


def _code(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge the requests in code that an interpreter gets."""
    code = find_code(command)
    for match in _CODE_REQUEST.finditer(code):
        yield from _judge_request(command, "DELETE", [match[1] or match[2]], [])
    if _CODE_DELETE.search(code) and not _LOCAL_CODE.search(code):
        yield HTTP.find("http-delete", command)


def _judge_request(
    command: SimpleCommand, method: str, addresses: list[str], bodies: list[str]
) -> Iterator[Finding]:
    if addresses and all(LOCAL.match(one) and not _STORE_PORT.search(one) for one in addresses):
        return
    if method in ("DELETE", "PURGE"):
        yield HTTP.find("http-delete", command)
        return
    asks = method in ("POST", "PUT", "PATCH") and any(_ADDRESS.search(one[:_LONGEST]) for one in addresses)
    texts = [*(one[:_LONGEST] for one in addresses), *bodies]
    sets = method in ("POST", "PUT", "PATCH") and any(map(_FORGE.search, texts[: len(addresses)]))
    if asks or any(map(_mutates, bodies)) or (sets and any(map(_FORGE_SETTING.search, texts))):
        yield HTTP.find("http-destructive", command)


def _mutates(body: str) -> bool:
    found = _MUTATION.search(body)
    return found is not None and _CALL.search(body, found.end()) is not None


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


def _fetches(command: SimpleCommand) -> bool:
    """Return whether *command* prints downloaded or decoded data."""
    if command.name in _DECODERS:
        options = _DECODERS[command.name]
        return not options or any(word.text in options for word in command.words[1:])
    return command.name in _SOURCES


REMOTE_EXEC = Pack(
    "remote-exec",
    {
        "run-download": (
            "This runs code that was just fetched from elsewhere, or decoded, and that nobody has read.",
            "Save it with `curl -fsSLo install.sh URL`, read it, then run the file in its own command.",
        ),
        "reverse-shell": (
            "This hands a shell on this machine to someone on the network.",
            "Work on the other machine with `ssh HOST` instead.",
        ),
        "git-ssh-command": (
            "This has git run a program of the line's choice to reach the remote.",
            "Use the ssh configuration; a key is chosen with `GIT_SSH_COMMAND='ssh -i KEY' git fetch`.",
        ),
    },
)
_SHELLS = word_set("sh bash zsh dash ksh ash fish mksh")
_INTERPRETERS = _SHELLS | word_set("python perl ruby node nodejs php lua pwsh powershell source . eval")
_SSH = word_set("ssh autossh plink.exe tortoiseplink")


def judge_origin(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge the origin of the code of *command*, and its connections."""
    first = command.words[0]
    via = command.via[-1] if command.via else ""
    if first.text.startswith(UNKNOWN) and any(map(_fetches, place.sources(first.origins))):
        yield REMOTE_EXEC.find("run-download", command)
    if via == "git smuggled ssh" or (via == "git ssh" and command.name not in _SSH):
        yield REMOTE_EXEC.find("git-ssh-command", command)
    if via.endswith(" --exec") and command.name in _SHELLS:
        yield REMOTE_EXEC.find("reverse-shell", command)
    if command.name in _INTERPRETERS:
        yield from _judge_connected(command)


def _judge_connected(command: SimpleCommand) -> Iterator[Finding]:
    for redirect in command.redirects:
        if redirect.target.text.startswith(CONNECTIONS):
            rule = "run-download" if redirect.op == "<" else "reverse-shell"
            yield REMOTE_EXEC.find(rule, command)
            return


def _expression(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `irm address | iex` and its long form."""
    text = " ".join(word.text.lower() for word in words) + command.name
    evaluates = command.name != ".downloadstring" or any(
        one.name == "invoke-expression" for one in place.commands
    )
    if evaluates and any(name in text for name in ("webrequest", "restmethod", "downloadstring")):
        yield REMOTE_EXEC.find("run-download", command)


def _scp(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = parse_options(words, SCP_VALUES, mixed=True).operands
    host, colon, path = operands[-1].text.partition(":") if len(operands) > 1 else ("", "", "")
    folder = path.rstrip("/").rpartition("/")[0] if not path.endswith("/") else path.rstrip("/")
    if colon and "/" not in host and path.startswith("/") and _is_system_folder(folder):
        yield TREES.find("system-upload", command, operands[-1], "ask")


def _is_system_folder(folder: str) -> bool:
    if folder.startswith(("/etc", "/boot", "/bin", "/sbin", "/lib", "/root", "/var/lib")) or not folder:
        return True
    return folder in SYSTEM and folder.startswith("/usr")


JUDGES: Mapping[str, Judge] = {
    "scp": _scp,
    **dict.fromkeys(CODE_JUDGES, _code),
    **dict.fromkeys(("curl", "wget"), _request),
    **dict.fromkeys(("http", "https", "xh", "xhs", "httpie", "curlie"), _httpie),
    **dict.fromkeys(("invoke-expression", ".downloadstring"), _expression),
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod"), _web_request),
}
