"""Whether a value looks like a real secret, or like a word, a placeholder or a piece of code."""

import re
from functools import cache

_VARIETY = 6  # different characters in the least varied secret that anyone issues
_HEAD = 300  # characters of a long value that are judged for the whole
_NAME = 16  # letters up to which a value without digits may be somebody's name for something
_STAND_INS = (
    *(
        "example",
        "your-",
        "your_",
        "-here",
        "_here",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "dummy",
    ),
    *("xxxxxx", "00000000", "1234567", "abcdef", "***", "...", "…"),
)
_SYMBOLS = frozenset("!@#$%^*~?+=")
_WORDS = frozenset(
    {
        "password",
        "passwd",
        "pass",
        "pw",
        "pwd",
        "secret",
        "token",
        "changeme",
        "postgres",
        "admin",
        "root",
        "user",
    }
    | {
        "username",
        "guest",
        "test",
        "example",
        "none",
        "null",
        "true",
        "false",
        "undefined",
        "redacted",
        "hidden",
    }
)


def placeholder(value: str) -> bool:
    """A value that stands for one: `xxxxxx`, `your-key-here`, `AKIA…EXAMPLE`."""
    head = value[:_HEAD].lower()
    return len(set(head)) < _VARIETY or any(piece in head for piece in _STAND_INS)


def reference(value: str) -> bool:
    """Where to find the value, or a word for it: `$TOKEN`, `{{ token }}`, `process.env.TOKEN`, `password`."""
    head = value[:_HEAD]
    inner = any(mark in head for mark in ("${", "$(", "{{", "[redacted:"))
    return inner or bool(_elsewhere().match(head)) or head.lower() in _WORDS or not head.strip("*.•x-_#")


def random(value: str) -> bool:
    """Looks as if it was made up to be hard to guess: not words, versions, names, paths or numbers."""
    value = value[:_HEAD]
    if placeholder(value) or reference(value) or not any(map(str.isalpha, value)):
        return False
    if any(map(str.isdigit, value)) or not _SYMBOLS.isdisjoint(value.rstrip("!?=*")):
        return not _wordy().fullmatch(value)
    return len(value) >= _NAME and _unsteady(value)


def _unsteady(value: str) -> bool:
    # Letters only: chance changes case at every second one, a name in camel case far less often.
    return len(_change_of_case().findall(value)) >= 0.4 * len(value)


@cache
def _change_of_case() -> re.Pattern[str]:
    return re.compile("[a-z](?=[A-Z])|[A-Z](?=[a-z])")


@cache
def _elsewhere() -> re.Pattern[str]:
    folders = "home|tmp|var|etc|usr|opt|run|mnt|root|Users|private|dev|srv|app|data|proc|work|workspace"
    return re.compile(
        r"\$[A-Za-z_({]|\$\d|[<{\[(@^]|%[({sd]|%[A-Z_]+%|==|!=|=>"  # of shells and templates
        r"|process\.|os\.|env[.(\[]|getenv|(?:secrets?|vars?|data|self|this|config|settings)\."  # of code
        rf"|/(?:{folders})/|/\^|[A-Z]:[/\\]|\.{{1,2}}/|~/|file:|https?://"  # of paths and patterns
        r"|arn:|vault:|var:|op://|ref\+|ENC\[|sha\d+[-:]"  # of vaults, and digests
    )


@cache
def _wordy() -> re.Pattern[str]:
    # Words in any case with a few digits behind each, or numbers with a unit, and joints between them:
    # us-east-1, gpt2, v1.2.3, llama-3.1-8b, token_2024, X25519PrivateKey, 2026-01-02, /srv/secrets/db.
    part = r"(?:(?:[A-Z]?[a-z]+|[A-Z]+)(?:\d{0,5}[A-Z][a-z]+){0,6}\d{0,5}|\d+[A-Za-z]{0,2})"
    return re.compile(rf"[-_./:~!]*{part}(?:[-_./:=@+!?*]+{part}){{0,12}}[-_./:=!?*]*")
