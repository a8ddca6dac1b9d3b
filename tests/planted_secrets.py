"""Planted secrets: random values in 60 formats and 6 encodings, and the search for what is left of them.

The tokens are assembled here, so that no file contains one.
"""

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import quote, unquote

from hookline.redact._token_formats import FORMATS as TOKENS

SAFE = string.ascii_letters + string.digits
SYMBOLS = "!#*+?^~-_"
WINDOW = 8
"""Length in characters of the fragments of a secret that are searched for."""
PART = 1_000_000
"""Characters of a text that are searched at once."""


class Secret(NamedTuple):
    """A secret, and the number of characters at its start that all secrets of its kind share."""

    text: str
    public: int = 0


class Plant(NamedTuple):
    """A text with a secret in it."""

    format: str
    encoding: str
    text: str
    fragments: frozenset[str]
    """Fragments of the secret, as written and as encoded."""


def value(chance: random.Random, length: int = 24, alphabet: str = SAFE) -> str:
    """Return a random value with letters of both cases and digits, which starts and ends with a letter."""
    letters = string.ascii_letters
    while True:
        middle = "".join(chance.choice(alphabet) for _ in range(length - 2))
        drawn = chance.choice(letters) + middle + chance.choice(letters)
        if sum(map(str.isdigit, drawn)) > 2 and drawn not in (drawn.lower(), drawn.upper()):
            return drawn


def password(chance: random.Random) -> Secret:
    return Secret(value(chance, chance.choice((14, 20, 28))))


def token(chance: random.Random) -> Secret:
    return Secret(value(chance, 32))


def symbols(chance: random.Random) -> Secret:
    return Secret(value(chance, 20, SAFE * 3 + SYMBOLS))


def basic(chance: random.Random) -> Secret:
    return Secret(base64.b64encode(f"ann:{value(chance, 18)}".encode()).decode(), 4)


def encoded(chance: random.Random) -> Secret:
    return Secret(base64.b64encode(value(chance, 21).encode()).decode())


def pem(chance: random.Random) -> Secret:
    name = "PRIVATE" + " KEY-----\n"
    body = base64.b64encode(chance.randbytes(300)).decode()
    lines = "".join(f"{body[at : at + 64]}\n" for at in range(0, len(body), 64))
    return Secret(f"-----BEGIN {name}{lines}-----END {name}", len(f"-----BEGIN {name}"))


def jwt(chance: random.Random) -> Secret:
    head = "eyJhbGciOiJIUzI1NiJ9."
    return Secret(f"{head}{value(chance, 40)}.{value(chance, 43)}", len(head))


def made_of(prefix: str, *lengths: int, joint: str = "", alphabet: str = SAFE) -> Callable:
    """Return a function that makes tokens: a prefix, and random parts of these lengths."""

    def make(chance: random.Random) -> Secret:
        parts = joint.join("".join(chance.choice(alphabet) for _ in range(length)) for length in lengths)
        return Secret(prefix + parts, len(prefix))

    return make


def of_format(number: int) -> Callable:
    """Return a function that makes tokens of a format in the table of the redactor."""
    one = TOKENS[number]
    alphabet = [char for char in map(chr, range(33, 127)) if re.fullmatch(f"[{one.chars}]", char)]
    inner = [char for char in alphabet if char.isalnum()]

    def make(chance: random.Random) -> Secret:
        prefix = chance.choice(one.prefixes.split())
        length = one.usual_length or (one.min_length if one.exact else max(one.min_length, 32))
        body = "".join(chance.choice(inner) for _ in range(length))
        return Secret(prefix + body, len(prefix))

    return make


TELEGRAM = made_of("https://api.telegram.org/bot" + "7214365899:" + "AA", 33)
SLACK = made_of("https://hooks.slack" + ".com/services/T", 9, 10, 24, joint="/", alphabet=SAFE)
TOKEN_FORMATS = {
    **{
        one.kind: of_format(number)
        for number, one in reversed([*enumerate(TOKENS)])
        if one.kind
        in {
            *("aws-access-key", "github-token", "gitlab-token", "anthropic-key", "openai-key", "slack-token"),
            *("stripe-key", "google-api-key", "npm-token", "huggingface-token", "vault-token"),
        }
    },
    "jwt": jwt,
    "slack-webhook": SLACK,
    "telegram-token": TELEGRAM,
    "private-key": pem,
}
"""Tokens that are recognised without a name."""
CONTEXTS: dict[str, tuple[str, Callable]] = {
    "assignment": ("DB_PASSWORD={}", password),
    "export": ("export API_TOKEN='{}'\n", symbols),
    "dotenv": ('DEBUG=1\nSECRET_KEY="{}"\nPORT=80\n', symbols),
    "json": ('{{"user": "ann", "password": "{}", "port": 5432}}', password),
    "json list": ('{{"env": [{{"name": "DB_PASSWORD", "value": "{}"}}]}}', password),
    "yaml": ("db:\n  user: ann\n  password: {}\n  port: 5432\n", password),
    "yaml block": ("client_secret: |\n  {}\nname: x\n", password),
    "toml": ('[service]\napi_key = "{}"\n', symbols),
    "ini": ("[db]\nuser = ann\npassword = {}\n", symbols),
    "properties": ("spring.datasource.password={}\n", password),
    "bearer header": ("curl -H 'Authorization: Bearer {}' https://api.test/v1", password),
    "key header": ("X-Api-Key: {}\r\nAccept: */*\r\n", password),
    "basic header": ("Authorization: Basic {}\r\n", basic),
    "basic alone": ("the client sent Basic {} to it", basic),
    "cookie": ("Set-Cookie: theme=dark; session={}; Path=/\r\n", token),
    "url": ("DATABASE_URL=postgres://app:{}@db.test:5432/app", password),
    "url query": ("GET /v1/items?access_token={}&page=2 HTTP/1.1", password),
    "form": ("user=ann&password={}&remember=on", password),
    "connection string": ("Server=db.test;User Id=sa;Password={};Encrypt=True;", password),
    "jdbc": ("jdbc:postgresql://db.test/app?user=ann&password={}", password),
    "go dsn": ("dsn: root:{}@tcp(db.test:3306)/app", password),
    "option": ("mysqldump --user ann --password {} app", password),
    "option with sign": ("deploy --api-key={} --region eu", password),
    "curl user": ("curl -u ann:{} https://api.test/v1", password),
    "short option": ("mysql -u root -p{} app", password),
    "piped": ("echo {} | docker login -u ann --password-stdin", password),
    "netrc": ("machine api.test login ann password {}\n", password),
    "netrc lines": ("machine api.test\n  login ann\n  password {}\n", password),
    "pgpass": ("db.test:5432:app:ann:{}\n", password),
    "columns": ("NAME            VALUE\nAPP_ENV         production\nDB_PASSWORD     {}\n", password),
    "columns of vault": ("Key         Value\n---         -----\npassword    {}\nuser        ann\n", symbols),
    "columns below": ("NAME      PASSWORD                  AGE\nmain-db   {}  3d\n", password),
    "table": ("| Name | Value |\n| --- | --- |\n| API_TOKEN | {} |\n", password),
    "xml": ("<db>\n  <user>ann</user>\n  <password>{}</password>\n</db>\n", password),
    "xml attribute": ('<add key="DbPassword" value="{}" />', password),
    "plist": ("<key>ApiKey</key>\n<string>{}</string>", password),
    "kubernetes": ("apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  salt: {}\n", encoded),
    "docker": ("docker run -e DB_PASSWORD={} -p 80:80 app", password),
    "heredoc": ("cat > .env <<EOF\nAPP_ENV=production\nDB_PASSWORD={}\nEOF\n", password),
    "python": ("client = Client(user='ann', password='{}')", password),
    "sql": ("CREATE USER ann IDENTIFIED BY '{}';", password),
    "terraform": ('variable "db_password" {{\n  type = string\n  default = "{}"\n}}\n', password),
    "wifi": ('network={{\n  ssid="home"\n  psk="{}"\n}}\n', password),
    "npmrc": ("//registry.test/:_authToken={}\n", password),
    "log": ("2026-01-02T03:04:05Z INFO client ready token={} region=eu", password),
}
"""Texts around a value that show that it is a secret."""
FORMATS: dict[str, tuple[str, Callable]] = {
    **{name: ("the client has {} in its settings", make) for name, make in TOKEN_FORMATS.items()},
    **CONTEXTS,
}


def encode_plain(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    return f"{before}{secret.text}{after}"


def encode_split(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    r"""Split the secret by a backslash and a newline, as in a long command."""
    return before + "\\\n".join(pieces(secret, chance)) + after


def encode_percent(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    """Percent-encode reserved characters, and some of the others too."""
    shown = "".join(quote(char, safe="") if chance.random() < 0.6 else byte(char) for char in secret.text)
    return quote(before, safe="") + shown + quote(after, safe="")


def byte(char: str) -> str:
    return f"%{ord(char):02X}"


def encode_base64(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    return base64.b64encode(f"{before}{secret.text}{after}".encode()).decode()


def encode_json(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    r"""Return a JSON document with the text as a string; some characters of the secret are `\u` escapes."""
    shown = "".join(
        json.dumps(char)[1:-1] if chance.random() < 0.6 else f"\\u{ord(char):04x}" for char in secret.text
    )
    return f'{{"output": "{json.dumps(before)[1:-1]}{shown}{json.dumps(after)[1:-1]}", "code": 0}}'


def encode_shell(before: str, secret: Secret, after: str, chance: random.Random) -> str:
    """Return words of a shell: the parts of the secret are quoted in different ways, one after the other."""
    first, *inner, last = pieces(secret, chance)
    quoted = "".join(f'"{piece}"' for piece in inner)
    return f"echo {single_quoted(before + first)}{quoted}{single_quoted(last + after)}"


def single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def pieces(secret: Secret, chance: random.Random) -> list[str]:
    """Return the secret in three parts; it is cut behind its public part, between letters or digits."""
    places = [
        at
        for at in range(secret.public + 2, len(secret.text) - 2)
        if secret.text[at - 1 : at + 1].isalnum() and "PRIVATE" not in secret.text[at - 30 : at + 30]
    ]
    first, second = sorted(chance.sample(places, 2))
    return [secret.text[:first], secret.text[first:second], secret.text[second:]]


ENCODINGS = {
    "plain": encode_plain,
    "split": encode_split,
    "percent": encode_percent,
    "base64": encode_base64,
    "json": encode_json,
    "shell": encode_shell,
}


def plant(format_: str, encoding: str, chance: random.Random) -> Plant:
    template, make = FORMATS[format_]
    secret = make(chance)
    before, after = (part.format() for part in template.split("{}"))
    text = ENCODINGS[encoding](before, secret, after, chance)
    return Plant(format_, encoding, text, frozenset(fragments(secret)))


def fragments(secret: Secret) -> Iterable[str]:
    """Yield fragments of the secret, as written and in base64 at every place."""
    for line in secret.text[secret.public :].split("-----")[0].split("\n"):
        yield from windows(line)
        for skipped in range(3):
            whole = base64.b64encode(line[skipped:].encode()).decode()
            yield from windows(whole[: len(whole) - 4])


def windows(text: str, length: int = WINDOW) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}


def plants(count: int, seed: int = 11) -> list[Plant]:
    """Return *count* plants: every format in every encoding, again and again with other secrets."""
    chance = random.Random(seed)
    pairs = [(format_, encoding) for format_ in FORMATS for encoding in ENCODINGS]
    return [plant(*pairs[number % len(pairs)], chance) for number in range(count)]


def find_left(text: str, all_fragments: frozenset[str]) -> list[str]:
    """Return fragments in *text*, as written or with its escapes and quotes undone once or twice."""
    found: set[str] = set()
    for _ in range(3):
        for start in range(0, len(text), PART):
            found |= windows(text[start : start + PART + WINDOW]) & all_fragments
        text = undo(text)
    return sorted(found)[:5]


ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\([\\\"/nrt])|\\?\n|[\"']")


def undo(text: str) -> str:
    return unquote(ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else plain(match[2]), text))


def plain(escape: str | None) -> str:
    return {None: "", "n": "\n", "r": "\r", "t": "\t"}.get(escape, escape or "")
