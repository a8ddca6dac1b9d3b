"""Names of secrets: `DB_PASSWORD`, `x-api-key`, `clientSecret`; but not `tokenizer` or `cache_key`."""

from collections.abc import Mapping
from typing import NamedTuple

from hookline.lazy import re


class Name(NamedTuple):
    """The kind of secret that a name stands for."""

    kind: str
    min_length: int
    """Minimum characters of a value; shorter ones are not secrets."""


_KEY_WORDS = {
    "api-key": "api",
    "access-key": "access account shared storage subscription",
    "private-key": "private signing encryption master auth service deploy session jwt hmac ssh license",
    "key": "app application client consumer server host primary secondary",
}
"""Words before "key" in the name of a secret, by kind."""
_PUBLIC_PREFIXES = ("page", "next", "cursor", "continuation", "cancellation", "public", "pub", "publickey")
"""Words before a token or a key that is not secret."""
_HARMLESS_SUFFIX = re.compile(
    r"(?:id|ids|name|names|type|types|url|uri|path|file|header|headers|hash|counts?|length|limits?|size|ttl|arn|"
    r"version|expires|expiry|expiration|at|in|ref|refs|field|label|policy|used|usage|env|var|digest|fingerprint|"
    r"sha256|provider|prefix|suffix|regex|pattern|format|status|state|index|list|store|manager|class|algorithm|"
    r"endpoint|scope|scopes|rotation|enabled|required|reset|page|form|input|text|title|message|error|hint|"
    r"spec|store|mode|method|server|service|host|domain|plugin|module|bucket|budget|cache|map|set|"
    r"input_tokens|output_tokens|types?)$"
)
"""The end of a name that describes a secret but does not hold it."""
_OPTION_NAME = re.compile(
    r"(?:^|[\s\"'`=])--?[a-z0-9_-]{0,32}$|^env [a-z0-9_]{0,32}$|\b(?:with|user|role|encrypted)\s+$"
    r"|\bconfig(?:ure)? set \S{0,40}$"
)
_LOGIN_PREFIX = re.compile(
    r"login [^\n]{0,40}\Z|\blogin\s+\S+\s+(?:account\s+\S+\s+)?\Z|^\s*(?:require|master)\Z", re.MULTILINE
)
"""The text before a password in a .netrc, and before the password settings of Redis."""
_ASSIGNING_CALLS = {
    ",": re.compile(
        r"""(?:[sgp][eu]tenv|\bdefine|\benv|environ\.get|set|put|add|append|property|header)\(\s*["'`][a-z0-9_.-]*$"""
    ),
    "(": re.compile(r"(?:(?:with|set)[a-z0-9_]{0,20}|\.)$"),
}
"""The text before the name in a call that assigns, by separator: `setenv("NAME", …)`, `.withName(…)`."""
_INDENTED_KEY = re.compile(r"""(?:.*["'`])?[\s-]*[a-z0-9_.-]*""")
"""The text before a name whose value is on the next line."""
_NAME_END = re.compile(r"[a-z0-9_.-]+\Z")
_IDENTIFIER_WORD = re.compile(
    r"(?:^|[-_.])(?:sha\d*|commit|rev|revision|hash|digest|uuid|guid|id)(?:[-_.]|$)"
)
"""Parts of the names of hashes and ids."""
_TYPE_PREFIX = re.compile(r"::\w*$")
_QUERY_DELIMITERS = frozenset("?&;-")
_REDIS_PREFIXES = {"pass": "require", "auth": "master"}


def classify_name(text: str, lower: str, match: re.Match[str], stem: str) -> Name | None:
    """Return the kind of secret that the name at *match* stands for, or None."""
    before, suffix = lower[max(0, match.start() - 40) : match.start()], match["behind"]
    if _is_harmless(before, suffix, stem) or not _is_assignment(match["joint"], before, stem):
        return None
    position = match.start()
    if stem == "key":
        return _classify_key(text, position, before, suffix)
    if stem in _WHOLE_WORDS:
        return (
            _WHOLE_WORDS[stem]
            if not suffix and _is_whole_word(before, stem)
            else _classify_longer_word(text, position, stem, suffix)
        )
    return _STEM_NAMES[stem] if not suffix or _ends_word(text, position + len(stem)) else None


_STEM_NAMES = {
    "pwd": Name("password", 8),
    "secret": Name("secret", 8),
    "credential": Name("secret", 8),
    "token": Name("token", 12),
}
_WHOLE_WORDS = {
    "pass": Name("password", 8),
    "pw": Name("password", 8),
    "psk": Name("password", 8),
    "auth": Name("auth", 16),
    "bearer": Name("authorization", 12),
    "sig": Name("signature", 20),
}
"""Stems that count only as a whole word, because they are part of harmless words."""
_LONGER_WORDS: Mapping[str, tuple[str, ...]] = {
    "pass": ("word", "wd", "phrase", "wort", "code"),
    "auth": ("orization",),
    "sig": ("nature",),
}
"""Endings of longer words that begin with such a stem and count as well."""


def _classify_longer_word(text: str, position: int, stem: str, suffix: str) -> Name | None:
    for ending in _LONGER_WORDS.get(stem, ()):
        if suffix.startswith(ending):
            is_whole = len(suffix) == len(ending) or _ends_word(text, position + len(stem) + len(ending))
            is_allowed = stem != "sig" or text[position - 1 : position] in _QUERY_DELIMITERS
            name = Name("authorization", 12) if stem == "auth" else _WHOLE_WORDS[stem]
            return name if is_whole and is_allowed else None
    return None


def _classify_key(text: str, position: int, before: str, suffix: str) -> Name | None:
    if suffix and not _ends_word(text, position + 3):
        return None
    word = before.rstrip("-_. ")
    for kind, words in _KEY_WORDS.items():
        if word.endswith(tuple(words.split())):
            return Name(kind, 20 if kind == "key" else 12)
    # A name in lower case is the key of a cache, a row or a map.
    return Name("key", 20) if before[-1:] == "_" and text[position].isupper() else None


def _is_harmless(before: str, suffix: str, stem: str) -> bool:
    if (suffix and _HARMLESS_SUFFIX.search(suffix)) or _TYPE_PREFIX.search(before):
        return True
    if stem in {"token", "key"} and before.rstrip("-_").endswith(_PUBLIC_PREFIXES):
        return True
    mark_start = before.rfind("[redacted:")
    return mark_start >= 0 and "]" not in before[mark_start:]


def _is_assignment(separator: str, before: str, stem: str) -> bool:
    """Return whether *separator* assigns a value.

    A blank does so after an option, in a .netrc and in SQL; the word "is" only after a word for a password.
    """
    line, sign = before.rsplit("\n", 1)[-1], "".join(separator.split())
    if sign in _ASSIGNING_CALLS:
        return _ASSIGNING_CALLS[sign].search(line) is not None
    if "\n" in separator and sign[:1] == ":" and sign.strip(":>|-+") == "":
        return _INDENTED_KEY.fullmatch(line) is not None
    if sign:
        return sign.rstrip(":") != "is" or stem in {"pass", "pwd"}
    return stem == "bearer" or bool(_LOGIN_PREFIX.search(before) or _OPTION_NAME.search(line))


def may_name_identifier(lower: str, match: re.Match[str], stem: str) -> bool:
    """Return whether a value of this name may be only a hash or an id: `token_sha`, or just `token`."""
    if _IDENTIFIER_WORD.search(match["behind"]):
        return True
    if stem == "key" and match["joint"].rpartition("\n")[2].strip() == "-":
        return True  # most keys in such lists are fingerprints of public keys
    name = _NAME_END.search(lower, max(0, match.start() - 40), match.start())
    before = name[0] if name else ""
    return (
        stem == "token"
        and not match["scheme"]
        and (not before or _IDENTIFIER_WORD.search(before) is not None)
    )


def _is_whole_word(before: str, stem: str) -> bool:
    if stem == "sig":
        return before[-1:] in _QUERY_DELIMITERS and before != ""
    return not before[-1:].isalpha() or before.endswith(_REDIS_PREFIXES.get(stem, "\n"))


def _ends_word(text: str, position: int) -> bool:
    # token_github, tokens, tokenProd, token2; not tokenizer.
    previous, following = text[position - 1], text[position : position + 1]
    if not following:
        return True
    plural = following in "sS" and not text[position + 1 : position + 2].isalpha()
    return plural or not following.isalpha() or (previous.islower() and following.isupper())
