"""Pack http-delete: requests that delete, by their method or their URL."""

import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.copy_programs import CURL_VALUES, WGET_VALUES
from hookline.shell.options import parse_options

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
_MUTATION = re.compile(r"(?i)\bmutation\b")
_CALL = re.compile(r"(?i)\b(?:delete|remove|destroy|drop|purge|archive)\w*\s*[({]")
_LARGEST, _LONGEST = 20_000, 2_000
"""Maximum number of characters of a request's body and of its URL that are examined."""


def _curl(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, CURL_VALUES, mixed=True)
    method = split.value("-X", "--request")
    sent = [value.text[:_LARGEST] for name, value in split.options if value is not None and _body(name)]
    addresses = [word.text for word in split.operands]
    yield from _request(command, method.text.upper() if method is not None else "", addresses, sent)


def _body(name: str) -> bool:
    return name in ("-d", "--json", "--post-data", "--body-data") or name.startswith("--data")


def _wget(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, WGET_VALUES, mixed=True)
    method = split.value("--method")
    sent = [value.text[:_LARGEST] for name, value in split.options if value is not None and _body(name)]
    yield from _request(
        command, method.text.upper() if method else "", [w.text for w in split.operands], sent
    )


def _http(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge httpie and similar programs: `http DELETE address name=value`."""
    operands = [word.text for word in words if not word.text.startswith("-")]
    method = operands[0].upper() if operands and operands[0].isalpha() else ""
    yield from _request(command, method, operands[1:2] if method else operands[:1], operands[2:])


def _request(command: SimpleCommand, method: str, addresses: list[str], sent: list[str]) -> Iterator[Finding]:
    if method in ("DELETE", "PURGE"):
        yield HTTP.find("http-delete", command)
        return
    asked = method in ("POST", "PUT", "PATCH") and any(_ADDRESS.search(one[:_LONGEST]) for one in addresses)
    if asked or any(map(_mutates, sent)):
        yield HTTP.find("http-destructive", command)


def _mutates(body: str) -> bool:
    found = _MUTATION.search(body)
    return found is not None and _CALL.search(body, found.end()) is not None


JUDGES: Mapping[str, Judge] = {
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("http", "https", "xh", "xhs", "httpie", "curlie"), _http),
}
