"""Whether a name is a secret's: `DB_PASSWORD`, `x-api-key`, `clientSecret`; not `tokenizer`, `cache_key`."""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Name(NamedTuple):
    kind: str
    least: int
    """Shorter values are not taken for a secret."""


_KEYS = {
    "api-key": "api",
    "access-key": "access account shared storage subscription",
    "private-key": "private signing encryption master auth service deploy session jwt hmac ssh license",
    "key": "app application client consumer server host primary secondary",
}
"""What stands before "key" in the name of a secret."""
_NOT_BEFORE = ("page", "next", "cursor", "continuation", "cancellation", "public", "pub", "publickey")
"""What makes a token or a key one that anybody may see."""
_NOT_BEHIND = re.compile(
    r"(?:id|ids|name|names|type|types|url|uri|path|file|header|headers|hash|counts?|length|limits?|size|ttl|arn|"
    r"version|expires|expiry|expiration|at|in|ref|refs|field|label|policy|used|usage|env|var|digest|fingerprint|"
    r"sha256|provider|prefix|suffix|regex|pattern|format|status|state|index|list|store|manager|class|algorithm|"
    r"endpoint|scope|scopes|rotation|enabled|required|reset|page|form|input|text|title|message|error|hint|"
    r"spec|store|mode|method|server|service|host|domain|plugin|module|bucket|budget|cache|map|set|"
    r"input_tokens|output_tokens|types?)$"
)
_OPTION = re.compile(
    r"(?:^|[\s\"'`=])--?[a-z0-9_-]{0,32}$|^env [a-z0-9_]{0,32}$|\b(?:with|user|role|encrypted)\s+$"
    r"|\bconfig(?:ure)? set \S{0,40}$"
)
_LOGIN = re.compile(
    r"login [^\n]{0,40}\Z|\blogin\s+\S+\s+(?:account\s+\S+\s+)?\Z|^\s*(?:require|master)\Z", re.MULTILINE
)
"""What stands before a password in a .netrc, and before Redis's word for one."""
_CALLS = {
    ",": re.compile(
        r"""(?:[sgp][eu]tenv|\bdefine|\benv|environ\.get|set|put|add|append|property|header)\(\s*["'`][a-z0-9_.-]*$"""
    ),
    "(": re.compile(r"(?:(?:with|set)[a-z0-9_]{0,20}|\.)$"),
}
"""What stands before the name in a call that assigns: `setenv("NAME", …)`, `.withName(…)`."""
_KEY = re.compile(r"""[\s-]*["'`]?[a-z0-9_.-]*""")
"""What stands before the name of a value on the next line."""
_NAME = re.compile(r"[a-z0-9_.-]+\Z")
_WORDS = re.compile(r"(?:^|[-_.])(?:sha\d*|commit|rev|revision|hash|digest|uuid|guid|id)(?:[-_.]|$)")
"""Parts of names of hashes and ids."""
_TYPE = re.compile(r"::\w*$")
_IN_QUERIES = frozenset("?&;-")
_REDIS = {"pass": "require", "auth": "master"}


def named(text: str, lower: str, found: re.Match[str], stem: str) -> Name | None:
    """What kind of secret the name at *found* is that of, if it is."""
    before, behind = lower[max(0, found.start() - 40) : found.start()], found["behind"]
    if _harmless(before, behind, stem) or not _assigns(found["joint"], before, stem):
        return None
    place = found.start()
    if stem == "key":
        return _key(text, place, before, behind)
    if stem in _WHOLE:
        return _WHOLE[stem] if not behind and _alone(before, stem) else _longer(text, place, stem, behind)
    return _OTHERS[stem] if not behind or _word_ends(text, place + len(stem)) else None


_OTHERS = {
    "pwd": Name("password", 8),
    "secret": Name("secret", 8),
    "credential": Name("secret", 8),
    "token": Name("token", 12),
}
_WHOLE = {
    "pass": Name("password", 8),
    "pw": Name("password", 8),
    "auth": Name("auth", 16),
    "bearer": Name("authorization", 12),
    "sig": Name("signature", 20),
}
"""Only the whole word counts of these, because they are part of harmless ones."""
_LONGER: Mapping[str, tuple[str, ...]] = {
    "pass": ("word", "wd", "phrase", "wort", "code"),
    "auth": ("orization",),
    "sig": ("nature",),
}
"""Longer words that begin with one of them and count as well."""


def _longer(text: str, place: int, stem: str, behind: str) -> Name | None:
    for rest in _LONGER.get(stem, ()):
        if behind.startswith(rest):
            ends = len(behind) == len(rest) or _word_ends(text, place + len(stem) + len(rest))
            fits = stem != "sig" or text[place - 1 : place] in _IN_QUERIES
            name = Name("authorization", 12) if stem == "auth" else _WHOLE[stem]
            return name if ends and fits else None
    return None


def _key(text: str, place: int, before: str, behind: str) -> Name | None:
    if behind and not _word_ends(text, place + 3):
        return None
    word = before.rstrip("-_. ")
    for kind, words in _KEYS.items():
        if word.endswith(tuple(words.split())):
            return Name(kind, 20 if kind == "key" else 12)
    # In lower case it is the key of a cache, a row, a map.
    return Name("key", 20) if before[-1:] == "_" and text[place].isupper() else None


def _harmless(before: str, behind: str, stem: str) -> bool:
    if (behind and _NOT_BEHIND.search(behind)) or _TYPE.search(before):
        return True
    if stem in {"token", "key"} and before.rstrip("-_").endswith(_NOT_BEFORE):
        return True
    opened = before.rfind("[redacted:")
    return opened >= 0 and "]" not in before[opened:]


def _assigns(joint: str, before: str, stem: str) -> bool:
    """A blank assigns behind an option, in a .netrc and in SQL; "is" what a person calls a password."""
    line, sign = before.rsplit("\n", 1)[-1], "".join(joint.split())
    if sign in _CALLS:
        return _CALLS[sign].search(line) is not None
    if "\n" in joint and sign[:1] == ":" and sign.strip(":>|-+") == "":
        return _KEY.fullmatch(line) is not None
    if sign:
        return sign.rstrip(":") != "is" or stem in {"pass", "pwd"}
    return stem == "bearer" or bool(_LOGIN.search(before) or _OPTION.search(line))


def identity(lower: str, found: re.Match[str], stem: str) -> bool:
    """Whether it may be called so and yet be nothing but a hash or an id: `token_sha`, or just `token`."""
    if _WORDS.search(found["behind"]):
        return True
    if stem == "key" and found["joint"].rpartition("\n")[2].strip() == "-":
        return True  # of the keys that are listed so most are public ones' fingerprints
    name = _NAME.search(lower, max(0, found.start() - 40), found.start())
    before = name[0] if name else ""
    return stem == "token" and not found["scheme"] and (not before or _WORDS.search(before) is not None)


def _alone(before: str, stem: str) -> bool:
    if stem == "sig":
        return before[-1:] in _IN_QUERIES and before != ""
    return not before[-1:].isalpha() or before.endswith(_REDIS.get(stem, "\n"))


def _word_ends(text: str, place: int) -> bool:
    # token_github, tokens, tokenProd, token2; not tokenizer.
    last, first = text[place - 1], text[place : place + 1]
    if not first:
        return True
    plural = first in "sS" and not text[place + 1 : place + 2].isalpha()
    return plural or not first.isalpha() or (last.islower() and first.isupper())
