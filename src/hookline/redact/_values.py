"""Classification of values: real secrets, words, placeholders, references and code."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

_MIN_VARIETY = 4  # minimum different characters of a secret
_MAX_STEPS = 64  # maximum characters that are checked for a sequence
_MAX_JUDGED = 300  # maximum characters of a value that are judged
_MIN_LETTERS = 16  # minimum letters of a random value without digits; shorter ones may be names
_MIN_PASSWORD = 8  # minimum characters of a chosen password
_PLACEHOLDER_TEXTS = (
    *("example", "your-", "your_", "yourapi", "yourtoken", "yoursecret", "-here", "_here", "placeholder"),
    *(
        "changeme",
        "change-me",
        "change_me",
        "dummy",
        "redacted",
        "not-a-real",
        "notreal",
        "insert-",
        "insert_",
    ),
    *("***", "...", "…", "•••"),
)
_MIN_SHUFFLED = 12  # minimum letters to distinguish random text from words
_MIN_WORD = 2.6  # minimum letters of the words in a name, on average
_VOWELS = frozenset("aeiouyAEIOUY")
_GUESSABLE_STEPS = frozenset({0, 1, ord("0") - ord("9")})
_SYMBOLS = frozenset("!@#$%^*~?+=")
_COMMON_WORDS = frozenset(
    "password passwd passphrase pass pw pwd secret token apikey changeme postgres postgresql mysql admin "
    "root user username guest test testing example none null nil true false undefined redacted hidden "
    "string required optional unknown default empty missing invalid disabled enabled bearer basic".split()
)


def is_placeholder(value: str) -> bool:
    """Return whether *value* is a placeholder: `xxxxxx`, `your-key-here`, `AKIA…EXAMPLE`."""
    head = value[:_MAX_JUDGED].lower()
    return (
        len(set(head)) < _MIN_VARIETY
        or any(text in head for text in _PLACEHOLDER_TEXTS)
        or _is_sequence(head[:_MAX_STEPS])
    )


def _is_sequence(value: str) -> bool:
    """Return whether *value* repeats a character or counts: `00000000`, `1234567890abcdef`."""
    steps = sum(ord(after) - ord(before) in _GUESSABLE_STEPS for before, after in pairwise(value))
    return 3 * steps >= 2 * len(value)


def is_reference(value: str) -> bool:
    """Return whether *value* refers to a secret: `$TOKEN`, `{{ token }}`, `process.env.TOKEN`, `password`."""
    head = value[:_MAX_JUDGED]
    if any(
        sign in head for sign in ("${", "$(", "{{", "[redacted:", "#{", "<%")
    ) or _reference_pattern().match(head):
        return True
    word = head.lower().rstrip("0123456789!?.,:;")
    return word in _COMMON_WORDS or head.lower() in _COMMON_WORDS or not head.strip("*.•x-_#")


def looks_random(value: str) -> bool:
    """Return whether *value* looks generated, unlike words, versions, names, paths and numbers."""
    value = value[:_MAX_JUDGED]
    if (
        is_placeholder(value)
        or is_reference(value)
        or not any(map(str.isalpha, value))
        or _number_pattern().fullmatch(value)
    ):
        return False
    if any(map(str.isdigit, value)) or not _SYMBOLS.isdisjoint(value.strip("!?=*#@-")):
        return not _words_pattern().fullmatch(value) or _has_scattered_digits(value)
    return len(value) >= _MIN_LETTERS and _has_unusual_letters(value, 0.9)


def _has_scattered_digits(value: str) -> bool:
    """Return whether digits divide *value* into parts that are too short for words."""
    pieces = _piece_pattern().findall(value)
    return (
        len(value) >= _MIN_SHUFFLED
        and value.isalnum()
        and len(_inner_digits_pattern().findall(value)) > 1
        and sum(map(len, pieces)) < _MIN_WORD * len(pieces)
    )


def is_identifier(value: str) -> bool:
    """Return whether *value* is a UUID, or a hash such as that of a git commit."""
    return _identifier_pattern().fullmatch(value) is not None


def is_short_hash(value: str) -> bool:
    """Return whether *value* may be the beginning of a hash, as lists of commits and images show it."""
    return _short_hash_pattern().fullmatch(value) is not None


def looks_made_up(value: str) -> bool:
    """Return whether *value* looks like a password that a person chose."""
    if (
        len(value) < _MIN_PASSWORD
        or is_placeholder(value)
        or is_reference(value)
        or not _password_pattern().fullmatch(value)
    ):
        return False
    if "pass" in value.lower():
        return False  # the name of a field
    kinds = (str.islower, str.isupper, str.isdigit)
    lower, upper, digit = (any(map(kind, value)) for kind in kinds)
    return digit and (upper or lower) and ((upper and lower) or not _SYMBOLS.isdisjoint(value))


def looks_shuffled(value: str) -> bool:
    """Return whether the letters of *value* are in an order that words do not have."""
    return (
        len(value) >= _MIN_SHUFFLED
        and not (is_reference(value) or is_placeholder(value))
        and _has_unusual_letters(value, 0.7)
    )


def _has_unusual_letters(value: str, min_share: float) -> bool:
    """Return whether *value* has this share of letters, in an order that words do not have."""
    letters = "".join(filter(str.isalpha, value))
    lower = letters.lower()
    if not letters.isascii() or letters in (lower, letters.upper()) or len(letters) < min_share * len(value):
        return False
    pieces = _piece_pattern().findall(letters)
    has_unspeakable_piece = any(len(piece) > 1 and _VOWELS.isdisjoint(piece) for piece in pieces)
    has_unusual_pairs = len(_unusual_pair_pattern().findall(lower)) > 1
    return (has_unspeakable_piece and len(letters) < 3.6 * len(pieces)) or (
        has_unusual_pairs and len(letters) < 4.5 * len(pieces)
    )


def has_mixed_case(value: str) -> bool:
    """Return whether *value* is letters that change case often; enough where only a password can be."""
    if "pass" in value.lower() or is_reference(value) or is_placeholder(value):
        return False
    return value.isascii() and value.isalpha() and len(_piece_pattern().findall(value)) > 2  # noqa: PLR2004


def is_code(value: str) -> bool:
    """Return whether *value* is a call, a subscript or a name in a module."""
    return bool(_call_pattern().match(value[:_MAX_JUDGED]))


@cache
def _piece_pattern() -> re.Pattern[str]:
    return re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@cache
def _inner_digits_pattern() -> re.Pattern[str]:
    return re.compile("(?<=[A-Za-z])[0-9]+(?=[A-Za-z])")


@cache
def _unusual_pair_pattern() -> re.Pattern[str]:
    """Return the pattern of two letters that are not adjacent in words or common abbreviations."""
    return re.compile(
        "q[^u]|j[bcdfghjklmnpqrstvwxz]|v[bcdfghjklmnpqtwxz]|x[bdfghjkmnqrvwz]|z[bcdfghjkmnpqrstvwx]"
        "|[fghklmprstvwxz]j|[bdfghjklmpqrtvwxz]q|[bcdfghjklmpqrstvwz]x|[bcdfghjkmpqsvwx]z|w[qvzxjgf]"
        "|[fhkpgq]v|[kgbvq]m|[mfhbpvz]k|g[kdcf]|k[fgdhpt]|h[gfcb]|[cfp]g|f[dpbw]|vh"
    )


@cache
def _identifier_pattern() -> re.Pattern[str]:
    digit = "[0-9a-fA-F]"
    return re.compile(rf"{digit}{{8}}-(?:{digit}{{4}}-){{3}}{digit}{{12}}|[0-9a-f]{{40}}|[0-9a-f]{{64}}")


@cache
def _short_hash_pattern() -> re.Pattern[str]:
    return re.compile("[0-9a-f]{7,12}")


@cache
def _number_pattern() -> re.Pattern[str]:
    number = r"[-+]?(?:0[xX][0-9A-Fa-f]{1,8}|[0-9][0-9_]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)"
    time = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,20}(?:Z|[-+][0-9:]{4,5})?"
    return re.compile(f"{number}|{time}")


@cache
def _password_pattern() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9!@#$%^&*?+=~-]+")


@cache
def _call_pattern() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_][\w.:>-]*[(\[{]|[a-z_]{2,}(?:\.[A-Za-z_]\w*)+$")


@cache
def _reference_pattern() -> re.Pattern[str]:
    folders = "home|tmp|var|etc|usr|opt|run|mnt|root|Users|private|dev|srv|app|data|proc|work|workspace"
    return re.compile(
        r"\$[A-Za-z_({]|\$\d|[<{\[(@^]|%[({sd]|%[A-Z_]+%|==|!=|=>"  # of shells and templates
        r"|process\.|os\.|env[.(\[]|getenv|(?:secrets?|vars?|data|self|this|config|settings)\."  # of code
        rf"|/(?:{folders})/|/\^|[A-Z]:[/\\]|\.{{1,2}}/|~/|file:|https?://"  # of paths and patterns
        r"|arn:|vault:|var:|op://|ref\+|ENC\[|sha\d+[-:]|!vault|!Ref|!Sub"  # of vaults, and digests
    )


@cache
def _words_pattern() -> re.Pattern[str]:
    # Words in any case, each with a few digits, or numbers with a unit, and separators between them:
    # us-east-1, gpt2, v1.2.3, k8s.io, llama-3.1-8b, X25519PrivateKey, 2026-01-02, /srv/secrets/db.
    word = r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:\d{0,5}[A-Z][a-z]+){0,6}\d{0,5}"
    part = rf"(?:{word}|\d+[A-Za-z]{{0,2}}|[a-z]{{1,3}}\d{{1,2}}[a-z]{{1,3}})"
    return re.compile(rf"[-_./:~!]*{part}(?:[-_./:=@+!?*]+{part}){{0,40}}[-_./:=!?*,;]*")
