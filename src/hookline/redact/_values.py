"""Whether a value looks like a real secret, or like a word, a placeholder or a piece of code."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

_VARIETY = 4  # different characters in the least varied secret that anyone issues
_STEPS = 64  # characters of a value that are looked at for steps that anybody can guess
_HEAD = 300  # characters of a long value that are judged for the whole
_NAME = 16  # letters up to which a value without digits may be somebody's name for something
_LONG = 8  # characters of a password that a person made up
_STAND_INS = (
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
_SPOKEN = 12  # letters that are enough to tell chance from words
_VOWELS = frozenset("aeiouyAEIOUY")
_GUESSED = frozenset({0, 1, ord("0") - ord("9")})
_SYMBOLS = frozenset("!@#$%^*~?+=")
_WORDS = frozenset(
    "password passwd passphrase pass pw pwd secret token apikey changeme postgres postgresql mysql admin "  # noqa: SIM905
    "root user username guest test testing example none null nil true false undefined redacted hidden "
    "string required optional unknown default empty missing invalid disabled enabled bearer basic".split()
)


def placeholder(value: str) -> bool:
    """A value that stands for one: `xxxxxx`, `your-key-here`, `AKIA…EXAMPLE`."""
    head = value[:_HEAD].lower()
    return len(set(head)) < _VARIETY or any(piece in head for piece in _STAND_INS) or _counted(head[:_STEPS])


def _counted(value: str) -> bool:
    """Made by holding down a key or by counting: `00000000`, `1234567890abcdef`."""
    steps = sum(ord(after) - ord(before) in _GUESSED for before, after in pairwise(value))
    return 3 * steps >= 2 * len(value)


def reference(value: str) -> bool:
    """Where to find the value, or a word for it: `$TOKEN`, `{{ token }}`, `process.env.TOKEN`, `password`."""
    head = value[:_HEAD]
    if any(mark in head for mark in ("${", "$(", "{{", "[redacted:", "#{", "<%")) or _elsewhere().match(head):
        return True
    word = head.lower().rstrip("0123456789!?.,:;")
    return word in _WORDS or head.lower() in _WORDS or not head.strip("*.•x-_#")


def random(value: str) -> bool:
    """Looks as if it was made up to be hard to guess: not words, versions, names, paths or numbers."""
    value = value[:_HEAD]
    if (
        placeholder(value)
        or reference(value)
        or not any(map(str.isalpha, value))
        or _number().fullmatch(value)
    ):
        return False
    if any(map(str.isdigit, value)) or not _SYMBOLS.isdisjoint(value.strip("!?=*#@-")):
        return not _wordy().fullmatch(value)
    return len(value) >= _NAME and _mixed(value)


def identifier(value: str) -> bool:
    """A UUID, or a hash as git and others write them."""
    return _identifier().fullmatch(value) is not None


def made_up(value: str) -> bool:
    """A password as people make them up: capitals and small letters and digits, or a symbol among them."""
    if len(value) < _LONG or placeholder(value) or reference(value) or not _typed().fullmatch(value):
        return False
    if "pass" in value.lower():
        return False  # the name of a field
    kinds = (str.islower, str.isupper, str.isdigit)
    lower, upper, digit = (any(map(kind, value)) for kind in kinds)
    return digit and (upper or lower) and ((upper and lower) or not _SYMBOLS.isdisjoint(value))


def shuffled(value: str) -> bool:
    """Letters in an order that no words have: short pieces between capitals, and what nobody could say."""
    return len(value) >= _SPOKEN and not (reference(value) or placeholder(value)) and _mixed(value)


def _mixed(value: str) -> bool:
    letters = "".join(filter(str.isalpha, value))
    lower = letters.lower()
    if not letters.isascii() or letters in (lower, letters.upper()) or len(letters) < 0.9 * len(value):
        return False
    pieces = _pieces().findall(letters)
    mute = any(len(piece) > 1 and _VOWELS.isdisjoint(piece) for piece in pieces)
    strange = len(_strange().findall(lower)) > 1
    return (mute and len(letters) < 3.6 * len(pieces)) or (strange and len(letters) < 4.5 * len(pieces))


def cased(value: str) -> bool:
    """Letters of both cases that change thrice or more: enough where only a password can stand."""
    if "pass" in value.lower() or reference(value) or placeholder(value):
        return False
    return value.isascii() and value.isalpha() and len(_pieces().findall(value)) > 2  # noqa: PLR2004


def code(value: str) -> bool:
    """A call, a subscript or a name in a module, where a value could stand too."""
    return bool(_call().match(value[:_HEAD]))


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@cache
def _strange() -> re.Pattern[str]:
    """Two letters that do not follow each other in words or their usual abbreviations."""
    return re.compile(
        "q[^u]|j[bcdfghjklmnpqrstvwxz]|v[bcdfghjklmnpqtwxz]|x[bdfghjkmnqrvwz]|z[bcdfghjkmnpqrstvwx]"
        "|[fghklmprstvwxz]j|[bdfghjklmpqrtvwxz]q|[bcdfghjklmpqrstvwz]x|[bcdfghjkmpqsvwx]z|w[qvzxjgf]"
        "|[fhkpgq]v|[kgbvq]m|[mfhbpvz]k|g[kdcf]|k[fgdhpt]|h[gfcb]|[cfp]g|f[dpbw]|vh"
    )


@cache
def _identifier() -> re.Pattern[str]:
    digit = "[0-9a-fA-F]"
    return re.compile(rf"{digit}{{8}}-(?:{digit}{{4}}-){{3}}{digit}{{12}}|[0-9a-f]{{40}}|[0-9a-f]{{64}}")


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"[-+]?(?:0[xX][0-9A-Fa-f]{1,8}|[0-9][0-9_]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)")


@cache
def _typed() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9!@#$%^&*?+=~-]+")


@cache
def _call() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_][\w.:>-]*[(\[{]|[a-z_]{2,}(?:\.[A-Za-z_]\w*)+$")


@cache
def _elsewhere() -> re.Pattern[str]:
    folders = "home|tmp|var|etc|usr|opt|run|mnt|root|Users|private|dev|srv|app|data|proc|work|workspace"
    return re.compile(
        r"\$[A-Za-z_({]|\$\d|[<{\[(@^]|%[({sd]|%[A-Z_]+%|==|!=|=>"  # of shells and templates
        r"|process\.|os\.|env[.(\[]|getenv|(?:secrets?|vars?|data|self|this|config|settings)\."  # of code
        rf"|/(?:{folders})/|/\^|[A-Z]:[/\\]|\.{{1,2}}/|~/|file:|https?://"  # of paths and patterns
        r"|arn:|vault:|var:|op://|ref\+|ENC\[|sha\d+[-:]|!vault|!Ref|!Sub"  # of vaults, and digests
    )


@cache
def _wordy() -> re.Pattern[str]:
    # Words in any case with a few digits behind each, or numbers with a unit, and joints between them:
    # us-east-1, gpt2, v1.2.3, k8s.io, llama-3.1-8b, X25519PrivateKey, 2026-01-02, /srv/secrets/db.
    word = r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:\d{0,5}[A-Z][a-z]+){0,6}\d{0,5}"
    part = rf"(?:{word}|\d+[A-Za-z]{{0,2}}|[a-z]{{1,3}}\d{{1,2}}[a-z]{{1,3}})"
    return re.compile(rf"[-_./:~!]*{part}(?:[-_./:=@+!?*]+{part}){{0,40}}[-_./:=!?*,;]*")
