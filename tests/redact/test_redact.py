"""Test redaction of secrets. The tokens are assembled here, so that no file contains one."""

import base64
import json
import random
from pathlib import Path

import pytest

from hookline.core.frozen import Frozen, freeze
from hookline.redact import MAX_CHARS, Secret, find_secrets, redact, redact_json, redact_json_with_findings
from hookline.redact._token_formats import FORMATS

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus" / "secrets.jsonl").read_text().splitlines()
]
BODY = "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"
TOKEN = "gh" + "p_" + BODY
CUT = "[redacted:github-token]"
TOO_LONG_CUT = "[redacted:too-long-to-check]"
VALUE = "e3b3f8a94e6b1c3005f13ec9"


def filled(row: dict) -> tuple[str, list[str]]:
    text, secrets = row["text"], ["".join(pieces) for pieces in row["secrets"]]
    for number, secret in enumerate(secrets):
        text = text.replace(f"{{{{S{number}}}}}", secret)
    return text, secrets


@pytest.mark.parametrize(
    "row", [row for row in CORPUS if row["expect"] == "redact"], ids=lambda row: row["id"]
)
def test_no_part_of_a_secret_is_left(row):
    text, secrets = filled(row)
    after = redact(text)

    assert "[redacted:" in after
    assert [piece for piece in eights(secrets) if piece in after] == []
    assert redact(after) == after
    assert after.count("\n") == text.count("\n")


def eights(secrets: list[str]) -> list[str]:
    return [secret[start : start + 8] for secret in secrets for start in range(len(secret) - 7)]


@pytest.mark.parametrize("row", [row for row in CORPUS if row["expect"] == "keep"], ids=lambda row: row["id"])
def test_what_is_no_secret_stays(row):
    text, _ = filled(row)

    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", CUT),
        ("a={}&b=1", f"a={CUT}&b=1"),
        ("<a>{}</a>", f"<a>{CUT}</a>"),
        ("'{}'", f"'{CUT}'"),
        ("\x1b[33m{}\x1b[0m", f"\x1b[33m{CUT}\x1b[0m"),
        (r"\u001b[33m{}\u001b[0m", rf"\u001b[33m{CUT}\u001b[0m"),
        (r"x\n{}\ny", rf"x\n{CUT}\ny"),
        (r"a\u0026{}", rf"a\u0026{CUT}"),
        ("a%3D{}%26", f"a%3D{CUT}%26"),
        ("({}, {})", f"({CUT}, {CUT})"),
        ("see {}.", f"see {CUT}."),
    ],
)
def test_a_token_is_seen_whatever_stands_around_it(text, after):
    assert redact(text.replace("{}", TOKEN)) == after


@pytest.mark.parametrize(
    "text",
    [
        TOKEN[:-1] + " ",  # one character short
        TOKEN[:11],  # too little of a truncated token
        "a" + TOKEN,  # part of a longer word
        "gh" + "p_" + "x" * 36,
        "gh" + "p_" + "1234567890abcdefghijklmnopqrstuvwxyz",
        "AKIA" + "A1B2C3D4E5F6G7H8I",  # one character too long
    ],
)
def test_what_only_begins_like_a_token_stays(text):
    assert redact(text) == text


def test_a_token_cut_up_by_colours_or_invisible_characters_goes():
    for cut in ("\x1b[01;31m\x1b[K", "\u200b", "\u00ad\u2060"):
        assert redact(f"x {TOKEN[:9]}{cut}{TOKEN[9:]} y") == f"x {CUT} y"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"curl {TOKEN[:9]}\\\n{TOKEN[9:30]}\\\n{TOKEN[30:]} x", f"curl {CUT}\\\n[redacted]\\\n[redacted] x"),
        (f"a --password \\\n    {VALUE} \\\n  b", "a --password \\\n    [redacted:password] \\\n  b"),
        (f"{TOKEN[:9]}\\\r\n{TOKEN[9:]}", f"{CUT}\\\r\n[redacted]"),
        (f"x='{TOKEN[:9]}'\"{TOKEN[9:30]}\"{TOKEN[30:]}", f"x='{CUT}'\"[redacted]\"[redacted]"),
        (f"x={TOKEN[:9]}''{TOKEN[9:]}", f"x={CUT}''[redacted]"),
        (f"x=g\\hp_{BODY}", f"x={CUT}"),
        (f"x=$'\\x67hp_{BODY}'", f"x=$'{CUT}'"),
        (f"a%20%67%68p%5F{BODY}%20b", f"a%20{CUT}%20b"),
        (f"a%2520%2567hp_{BODY}%2520b", f"a%2520{CUT}%2520b"),
        (f"url=https%3A%2F%2Fme%3A{VALUE}%40h", "url=https%3A%2F%2Fme%3A[redacted:url-password]%40h"),
        (f"Authorization%3A+Bearer+{VALUE}", "Authorization%3A[redacted:authorization]"),
        (f'"a \\u0067hp_{BODY[:-1]}\\u0033 b"', f'"a {CUT} b"'),
        (f'"{{\\"a\\": \\"\\\\u0067hp_{BODY}\\"}}"', f'"{{\\"a\\": \\"{CUT}\\"}}"'),
        (f"<a>&#103;hp_{BODY}</a>", f"<a>{CUT}</a>"),
        (f"pass&#119;ord={VALUE}", "pass&#119;ord=[redacted:password]"),
        ("sent Basic YW5uOmFCM2RFNWdI to", "sent Basic [redacted:authorization] to"),
        ('psk="my home is my castle 8"', 'psk="[redacted:password]"'),
        (f"wifi_psk={VALUE}", "wifi_psk=[redacted:password]"),
    ],
)
def test_an_encoded_secret_goes_and_line_breaks_and_quotes_stay(text, after):
    assert redact(text) == after
    assert redact(after) == after


def test_a_secret_in_base64_over_many_lines_goes_from_its_lines():
    lines = base64.encodebytes(f"{'plain ' * 25}token={TOKEN}\n{'plain ' * 25}".encode()).decode().split("\n")

    assert redact("\n".join(lines)).split("\n") == [lines[0], lines[1], CUT, "[redacted]", *lines[4:]]


def test_a_token_broken_over_lines_goes_and_what_follows_stays():
    assert redact(f"t: {TOKEN[:20]}\n  {TOKEN[20:]}\nnext") == f"t: {CUT}\n  [redacted]\nnext"
    assert redact(f"t: {TOKEN[:20]}\nnext line") == f"t: {TOKEN[:20]}\nnext line"


def test_a_token_cut_off_with_its_text_goes():
    for end in ("", "...", "…"):
        assert redact(f"x {TOKEN[:24]}{end}") == f"x {CUT}{end}"


def test_a_token_in_base64_goes_as_a_whole():
    hidden = base64.b64encode(f"token {TOKEN} in a note".encode()).decode()
    harmless = base64.b64encode(b"nothing to see in this long note").decode()

    assert redact(f"{harmless} {hidden} {harmless}") == f"{harmless} {CUT} {harmless}"


def test_a_token_cut_off_in_base64_goes_only_where_the_text_was_cut():
    hidden = base64.b64encode(f"a token {TOKEN[:25]}".encode()).decode()

    assert redact(f"{hidden} {hidden}") == f"{hidden} {CUT}"
    assert redact(f"{hidden} {hidden}...") == f"{hidden} {CUT}..."
    assert redact(f"{hidden} {hidden} and") == f"{hidden} {hidden} and"


KEY = ("MII" + "EowIBAAKCAQEA1b2c3d4E5F6g7H8i9J0kLmNoPqRsTuVwXyZ0123456789+/ab\n") * 4
BEGIN, END = "-----BEGIN {}PRIVATE" + " KEY-----", "-----END {}PRIVATE KEY-----"
LINES = "[redacted:private-key]\n" + "[redacted]\n" * 4


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_goes_whole_and_its_lines_stay(kind):
    text = f"{BEGIN.format(kind)}\n{KEY}{END.format(kind)}"

    assert redact(f"a\n{text}\nb") == f"a\n{LINES}[redacted]\nb"


@pytest.mark.parametrize("newline", ["\\n", "\\\\n", "\\r\\n"])
def test_a_private_key_on_one_line_goes_whole(newline):
    text = f"{BEGIN.format('')}\n{KEY}{END.format('')}".replace("\n", newline)

    assert redact(f'a "{text}{newline}" b') == f'a "[redacted:private-key]{newline}" b'


def test_a_private_key_in_strings_of_their_own_goes_and_the_strings_stay():
    lines = [BEGIN.format(""), *KEY.split(), "abcd", END.format("")]

    assert json.loads(redact(json.dumps({"a": lines, "b": "c"}))) == {
        "a": ["[redacted:private-key]"] + ["[redacted]"] * 6,
        "b": "c",
    }


@pytest.mark.parametrize("before", ["    ", "+", "  12\t", "k.pem:12:", "> "])
def test_what_stands_before_the_lines_of_a_private_key_stays(before):
    text = f"{BEGIN.format('')}\n{KEY}ab12==\n{END.format('')}"
    shown = "\n".join(before + line for line in text.splitlines())

    assert redact(shown) == "\n".join(before + line for line in f"{LINES}[redacted]\n[redacted]".splitlines())


def test_a_private_key_without_its_end_goes_as_far_as_it_goes():
    assert redact(f"a\n{BEGIN.format('')}\n{KEY}") == f"a\n{LINES}"
    assert redact(f"{BEGIN.format('')}\n{KEY}$ echo done\n") == f"{LINES}$ echo done\n"
    header = "Proc-Type: 4,ENCRYPTED\n\n"
    assert redact(f"{BEGIN.format('RSA ')}\n{header}{KEY}") == LINES.replace("\n", "\n[redacted]\n\n", 1)


@pytest.mark.parametrize("lines", [1, 2, 3])
@pytest.mark.parametrize("tail", ["", "MIIEow", "MIIEowIBAAKCAQEA1b2c3d4E5F6g7H8i9J"])
def test_a_private_key_whose_tail_is_cut_off_goes_to_its_last_character(lines, tail):
    text = f"{BEGIN.format('RSA ')}\n" + "".join(KEY.splitlines(keepends=True)[:lines]) + tail
    after = redact(f"$ head -c 99 id_rsa\n{text}")

    assert [piece for piece in eights(text.splitlines()) if piece in after] == []
    assert after.startswith("$ head -c 99 id_rsa\n[redacted:private-key]\n[redacted]")
    assert "MIIEow" not in after


def test_a_private_key_cut_short_in_json_leaves_the_json():
    text = json.dumps({"key": f"{BEGIN.format('')}\n{KEY}", "b": "x", "c": f"y {END.format('')}"})

    assert json.loads(redact(text)) == {"key": "[redacted:private-key]", "b": "x", "c": f"y {END.format('')}"}


def test_private_keys_of_other_programs_go():
    putty = f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 4\n{KEY}Private-MAC: 00\n"
    ssh2 = "---- BEGIN SSH2 ENCRYPTED PRIVATE" + f" KEY ----\n{KEY}---- END SSH2 ENCRYPTED PRIVATE KEY ----"

    assert redact(putty).splitlines()[2:] == [
        "[redacted:private-key]",
        *["[redacted]"] * 3,
        "Private-MAC: 00",
    ]
    assert redact(ssh2) == f"{LINES}[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    return True\n',
        "grep -r 'BEGIN PRIVATE KEY' .",
        f"-----BEGIN CERTIFICATE-----\n{KEY}-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{KEY}-----END PUBLIC KEY-----",
    ],
)
def test_code_that_names_a_key_and_public_ones_stay(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("postgres://app:s3cr3tpw@db/x", "postgres://app:[redacted:url-password]@db/x"),
        ("redis://:s3cr3tpw@cache:6379", "redis://:[redacted:url-password]@cache:6379"),
        ("https://u:p@ss/w0rd", "https://u:p@ss/w0rd"),
        ("http://me:p%40ss@w0rd@host/", "http://me:[redacted:url-password]@host/"),
        ("a://b:cdef@e f://g:hijk@l", "a://b:[redacted:url-password]@e f://g:[redacted:url-password]@l"),
        ("ssh://git@github.com:me/repo", "ssh://git@github.com:me/repo"),
        ("http://localhost:8080/a@b", "http://localhost:8080/a@b"),
        ("postgres://postgres:postgres@localhost", "postgres://postgres:postgres@localhost"),
        ("mysql://root:${DB_PASSWORD}@db", "mysql://root:${DB_PASSWORD}@db"),
        ("amqp://u:<password>@h", "amqp://u:<password>@h"),
        (f"https://{VALUE}@host/a", "https://[redacted:url-token]@host/a"),
    ],
)
def test_passwords_in_urls_go_and_the_rest_stays(text, after):
    assert redact(text) == after


@pytest.mark.parametrize(
    ("before", "behind", "kind"),
    [
        ("DB_PASSWORD=", "", "password"),
        ("export DB_PASSWORD='", "'", "password"),
        ("password: ", "\nuser: me", "password"),
        ('{"clientSecret": "', '"}', "secret"),
        (r"{\"client_secret\":\"", r"\"}", "secret"),
        ("mysql --password ", " -u root", "password"),
        ("mysql --db-password=", " -u root", "password"),
        ("machine h login me password ", "", "password"),
        ("<password>", "</password>", "password"),
        ("Server=x;Pwd=", ";Database=y", "password"),
        ("?a=1&access_token=", "&b=2", "token"),
        ("X-Auth-Token: ", "\r\n", "token"),
        ("Authorization: Bearer ", '"', "authorization"),
        ("curl -H 'authorization: token ", "'", "authorization"),
        ("tokenProd = `", "`", "token"),
        ("STRIPE_KEY=", "", "key"),
        ('"auth": "', '"', "auth"),
        ("Cookie: a=b; sid=", "; c=d", "cookie"),
        ("https://x/c?sv=1&sig=", "&se=2", "signature"),
        ("- name: DB_PASSWORD\n  value: ", "\n- name: x", "password"),
        ('{"name": "API_TOKEN", "value": "', '"}', "token"),
        ("my password is ", ", she said", "password"),
        ("curl -u me:", " https://x", "password"),
        ("curl --user 'me:", "' https://x", "password"),
        ("mysql -u root -p", " db", "password"),
        ("sshpass -p ", " ssh host", "password"),
        ("ENV API_KEY ", "", "api-key"),
        ('{"name":"DB_PASSWORD","value":"', '"}', "password"),
        ('"secret":{"value":"', '"}', "secret"),
        ('{"password":["', '"]}', "password"),
        ('let apiKey: string = "', '"', "api-key"),
        ('setenv("API_KEY","', '")', "api-key"),
        ('.withPassword("', '")', "password"),
        ("ALTER USER a WITH PASSWORD '", "'", "password"),
        ("CREATE USER a IDENTIFIED BY '", "'", "password"),
        ("password:\n  ", "\n", "password"),
        ("password&quot;:&quot;", "&quot;", "password"),
        ("gh secret set X --body ", "", "password"),
        ('{"name": "DB_PASSWORD", "type": "string", "value": "', '"}', "password"),
        ('{\n "name": "DB_PASSWORD",\n "secure": true,\n "n": 3,\n "value": "', '"\n}', "password"),
        ('{"Name": "/prod/DB_PASSWORD", "Type": "SecureString", "Value": "', '"}', "password"),
        (r"{\"name\":\"DB_PASSWORD\",\"type\":\"s\",\"value\":\"", r"\"}", "password"),
        ('{"value": "', '", "type": "s", "name": "DB_PASSWORD"}', "password"),
        ('{\n "value": "', '",\n "name": "DB_PASSWORD"\n}', "password"),
        ("- name: DB_PASSWORD\n  type: plain\n  value: ", "\n- name: x", "password"),
        ("- name: DB_PASSWORD\n  value: '", "'\n", "password"),
        ("- value: ", "\n  name: DB_PASSWORD\n", "password"),
        ("db_password:\n  type: string\n  value: ", "\n", "password"),
        ('"db_password": {"sensitive": true, "type": "string", "value": "', '"}', "password"),
        ('<add key="DbPassword" value="', '"/>', "password"),
        ("<add key='DbPassword' xdt:Locator='Match(key)' value='", "' />", "password"),
        ('<property name="db.password">', "</property>", "password"),
        ('<password encrypted="false">', "</password>", "password"),
        ("<password>\n  ", "\n</password>", "password"),
        ('<setting name="Password" as="String"><value>', "</value></setting>", "password"),
        ("<key>ApiKey</key>\n<string>", "</string>", "api-key"),
        ("passwords:\n  - ", "\n", "password"),
        ("passwords:\n- '", "'  # old\n", "password"),
        ("passwords:\n  - changeme\n  - ", "\nusers: []", "password"),
        ('"passwords": ["changeme", "', '"]', "password"),
        ("requirepass ", "", "password"),
        ('{"ParameterKey": "DbPassword", "UsePreviousValue": false, "ParameterValue": "', '"}', "password"),
        ('variable "db_password" {\n  type = string\n  default = "', '"\n}', "password"),
        ('let password: &str = "', '";', "password"),
        ("let password: &'static str = \"", '";', "password"),
        ("define('DB_PASSWORD', '", "');", "password"),
        ("aws configure set aws_secret_access_key ", "", "secret"),
        ("mongosh -u me -p ", " db", "password"),
        ("sqlcmd -S x -U sa -P ", " -Q x", "password"),
        ("masterauth ", "\n", "auth"),
        ("machine h\n  login me@example.org\n  password ", "\n", "password"),
        ("login me\naccount a\npassword ", "\n", "password"),
        ('os.getenv("DB_PASSWORD", "', '")', "password"),
        ("'password' => env('DB_PASSWORD', '", "'),", "password"),
        ("next=%2Fa%3Faccess_token%3D", "", "token"),
        ("your password is: ", "\n", "password"),
        ("dsn: 'me:", "@tcp(db:3306)/x'", "url-password"),
        ("jdbc:oracle:thin:scott/", "@//db:1521/x", "url-password"),
        ("db.host:5432:app:me:", "\n", "url-password"),
        ("echo db.host:5432:*:me:", " >> ~/.pgpass", "url-password"),
        ("project (db.host:5432:app:me:", " x)", "url-password"),
        ("*:*:*:me:", "", "url-password"),
        ('ConvertTo-SecureString -String "', '" -AsPlainText -Force', "password"),
        ("echo '", "' | sudo -S apt update", "password"),
        ("printf '%s' ", " | docker login -u me --password-stdin", "password"),
        ("apiVersion: v1\ndata:\n  salt: ", "\nkind: Secret\nmetadata: {}\n", "secret"),
        ("kind: Secret\nmetadata:\n  name: x\nstringData:\n  admin: '", "'\n", "secret"),
        ("items:\n- apiVersion: v1\n  data:\n    salt: ", "\n  kind: Secret\n", "secret"),
        ('{"data": {"salt": "', '"}, "kind": "Secret"}', "secret"),
        (r'"last": "{\"data\":{\"salt\":\"', r'\"},\"kind\":\"Secret\"}"', "secret"),
    ],
)
def test_random_values_under_a_secrets_name_go(before, behind, kind):
    assert redact(before + VALUE + behind) == f"{before}[redacted:{kind}]{behind}"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("DB_PASSWORD=a(b)c,1;2d&3e", "DB_PASSWORD=[redacted:password]"),
        ("Pwd=aB3kL9mN2x;Server=db;", "Pwd=[redacted:password];Server=db;"),
        ('password = "xK9#mQ2$v L8!pR5" # b', 'password = "[redacted:password]" # b'),
        (r'{"password": "xK9#\\mQ2\"vL8!", "b": 1}', '{"password": "[redacted:password]", "b": 1}'),
        (r"{\"password\": \"xK9#mQ2$vL8!\", \"b\": 1}", r"{\"password\": \"[redacted:password]\", \"b\": 1}"),
        (r'"secretKey":"\/2CULBl6LFOgKO6lxisj6u"', '"secretKey":"[redacted:secret]"'),
        ("spring.datasource.password=Winter2024!", "spring.datasource.password=[redacted:password]"),
        ("--password qZkvWxJtBnRf -u me", "--password [redacted:password] -u me"),
        ("Authorization: Basic bWU6cHc=", "Authorization: Basic [redacted:authorization]"),
        (
            f'~ password = "{VALUE}" -> "xK9mQ2vL8pR5"',
            '~ password = "[redacted:password]" -> "[redacted:password]"',
        ),
        (
            f"passwords:\n  - {VALUE}  # old\n  - 'xK9mQ2vL8pR5'\n  - mustChange\nid: 7",
            "passwords:\n  - [redacted:password]  # old\n  - '[redacted:password]'\n  - mustChange\nid: 7",
        ),
        (
            "kind: Secret\ndata:\n  a: aHVudGVyMg==\n---\nkind: ConfigMap\ndata:\n  c: xK9mQ2vL",
            "kind: Secret\ndata:\n  a: [redacted:secret]\n---\nkind: ConfigMap\ndata:\n  c: xK9mQ2vL",
        ),
    ],
)
def test_the_whole_value_goes_and_no_more(text, after):
    assert redact(text) == after


@pytest.mark.parametrize(
    "text",
    [
        f"commit {VALUE}",
        "token: 550e8400-e29b-41d4-a716-446655440000",
        "TOKEN=4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "token_sha=4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        f'("password", "{VALUE}")',
        f'client.get_secret("{VALUE}")',
        f"if not token:\n    {VALUE}\n",
        "IDENTIFIED BY 'password'",
        f"cache_key: {VALUE}",
        f"token_id: {VALUE}",
        f"nextPageToken: {VALUE}",
        f"publicKeyToken={VALUE}",
        f"tokenizer: {VALUE}",
        f"the token {VALUE} is",
        f"password_hash = {VALUE}",
        "password = getpass()",
        "password = os.environ['DB_PASSWORD2']",
        "token = response2.json()['token']",
        "token: Optional[str] = None",
        "secret: ${{ secrets.DEPLOY_KEY_2 }}",
        "API_KEY=$(cat /run/secrets/key1)",
        "API_KEY=%API_KEY_1%",
        "max_tokens: 4096000000000",
        "PWD=/home/me/project-2a7f9c",
        "tokenizer_name: llama-3.1-8b-instruct",
        '"js-tokens": "^4.0.0 || ^5.0.0"',
        "private_key: x25519.X25519PrivateKey",
        "secret_name: prod/db/password-2",
        "password: correct",
        "Cookie: theme=dark; lang=en",
        f'{{"name": "BUILD", "type": "string", "value": "{VALUE}"}}',
        f'{{"name": "token_count", "type": "int", "value": "{VALUE}"}}',
        f'{{"name": "DB_PASSWORD", "from": "x"}}, {{"name": "BUILD", "value": "{VALUE}"}}',
        f'{{"value": "{VALUE}", "name": "BUILD"}}, {{"name": "DB_PASSWORD"}}',
        f"- name: DB_PASSWORD\n  valueFrom:\n    key: x\n- name: BUILD\n  value: {VALUE}",
        f"- name: BUILD\n  value: {VALUE}\n- name: DB_PASSWORD\n  valueFrom: x",
        '{"name": "DB_PASSWORD", "type": "string", "value": "${DB_PASSWORD_2}"}',
        f'<add key="PageSize" group="a" value="{VALUE}"/>',
        f"<label for='x'>password</label>\n<string>{VALUE}</string>",
        f"passwords:\nusers:\n  - {VALUE}",
        f"users:\n  - password\n  - {VALUE}",
        "passwords:\n  - must have 12 characters\n  - must have a digit2",
        "secrets:\n  - db_password\n  - api-key-v2\n  - source: my_secret_1",
        "tokens:\n  - 550e8400-e29b-41d4-a716-446655440000",
        "signing_keys:\n  - 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        f"if x:\n  password:\n  - name: {VALUE}",
        f'~ digest = "a" -> "{VALUE}"',
        f'os.getenv("BUILD", "{VALUE}")',
        f'variable "build" {{\n  default = "{VALUE}"\n}}',
        f'variable "db_password" {{\n}}\nvariable "build" {{\n  default = "{VALUE}"\n}}',
        f"npm config set registry-cache {VALUE}",
        "docker run --name mongo -p 27017:27017 mongo",
        "scp -P 22222222 a b",
        f"login page\nthe password {VALUE}",
        f"kind: ConfigMap\ndata:\n  salt: {VALUE}",
        f"kind: SecretStore\ndata:\n  salt: {VALUE}",
        f"items:\n- kind: Secret\n- data:\n    salt: {VALUE}\n  kind: ConfigMap",
        f"kind: Secret\n---\ndata:\n  salt: {VALUE}",
        f'{{"data": {{"salt": "{VALUE}"}}, "kind": "ConfigMap", "type": "Secret"}}',
        "kind: Secret\ndata:\n  salt: ${SALT}\n  key: <base64>",
        "user:pass1234@tcp is what it looks like (db)",
        "dsn = user:password@tcp(db:3306)/x",
        "localhost:5432:app:me",
        "root:*:0:0:System Administrator:/var/root:/bin/sh",
        "src/a.py:5432:10: error: aB9xQ2kL",
        f"echo {VALUE} | sudo tee /etc/x",
        f"echo {VALUE} | docker build -",
        "echo $TOKEN | docker login --password-stdin",
        "ConvertTo-SecureString $plain -AsPlainText",
        "Basic authentication, Basic YWJjZGVmZ2hpamts",
        f"the client's {VALUE}",
        f"password's value\\\n{VALUE}",
        "token_expires: 2026-01-02T03:04:05Z",
    ],
)
def test_names_words_and_code_stay(text):
    assert redact(text) == text


def test_long_lines_of_code_and_images_stay():
    chance = random.Random(7)
    image = base64.b64encode(chance.randbytes(30_000)).decode()
    code = "".join(f"function a{n}(e,t){{return e.token?t[{n}]:void 0}}" for n in range(2000))

    assert redact(f"data:image/png;base64,{image}") == f"data:image/png;base64,{image}"
    assert redact(code) == code


@pytest.mark.parametrize("end", ["\n", "\r", "\v", "\f", "\x1c", "\x1e", "\x85", "\u2028"])
def test_a_quote_that_is_not_closed_on_its_line_keeps_the_next(end):
    text = f'secret_key: "CULBFAKEl6LFOgKO6l{end}and so on"'

    assert redact(text) == f'secret_key: "[redacted:secret]{end}and so on"'


def test_find_says_where_and_what_but_not_the_secret():
    assert find_secrets(f"a {TOKEN} b") == (Secret(kind="github-token", start=2, end=2 + len(TOKEN)),)
    assert find_secrets("nothing") == ()
    assert find_secrets("") == ()


def test_places_are_right_behind_capitals_that_grow_in_lower_case():
    assert redact(f"İİİ password={VALUE}") == "İİİ password=[redacted:password]"


def test_json_is_redacted_inside_with_its_keys_kept():
    value = {
        "a": [TOKEN, 1, None, {"password": VALUE}],
        "headers": {"Authorization": f"Bearer {VALUE}"},
        "tokens": [VALUE],
        "env": [{"name": "DB_PASSWORD", "value": VALUE}, {"name": "LANG", "value": "C.UTF-8"}],
        "tags": [{"Value": VALUE, "Type": "x", "Key": "DbPassword"}, {"Value": VALUE, "Key": "Build"}],
        "sha": VALUE,
    }

    assert redact_json(value) == {
        "a": [CUT, 1, None, {"password": "[redacted:password]"}],
        "headers": {"Authorization": "Bearer [redacted:authorization]"},
        "tokens": ["[redacted:token]"],
        "env": [
            {"name": "DB_PASSWORD", "value": "[redacted:password]"},
            {"name": "LANG", "value": "C.UTF-8"},
        ],
        "tags": [
            {"Value": "[redacted:password]", "Type": "x", "Key": "DbPassword"},
            {"Value": VALUE, "Key": "Build"},
        ],
        "sha": VALUE,
    }
    assert redact_json(None) is None
    assert redact_json(TOKEN) == CUT


def test_a_key_that_is_a_secret_goes_and_none_is_lost():
    assert redact_json({TOKEN: 1, TOKEN[:-1] + "4": 2}) == {CUT: 1, f"{CUT}#2": 2}


def test_json_says_what_was_found_and_where():
    assert redact_json_with_findings({"a": [f"x\n{TOKEN}"], "b": "c"}) == (
        {"a": [f"x\n{CUT}"], "b": "c"},
        (("github-token", "a", 2),),
    )


@pytest.mark.parametrize("max_chars", [10_011, 10_010])
def test_a_string_that_is_too_long_is_cut(max_chars):
    text = f"{TOKEN} ".ljust(10_000)
    rest = text[len(TOKEN) :] if max_chars == 10_011 else text[len(TOKEN) : 9_999 - 1024] + TOO_LONG_CUT

    assert redact_json({"a": text}, max_chars=max_chars) == {"a": CUT + rest}


@pytest.mark.parametrize("before", range(1024 - 2 * len(TOKEN), 1024 + 2 * len(TOKEN), 3))
def test_no_secret_is_cut_in_half(before):
    text = " ".join((" " * (10_000 - before), TOKEN, " " * 10_000))

    assert TOKEN[:12] not in str(redact_json([text], max_chars=10_000))


def test_the_longest_strings_of_json_are_cut():
    value = {"long": "x " * MAX_CHARS, "another-name": "some other text", "longer": "y " * MAX_CHARS * 2}
    redacted = redact_json(value, max_chars=MAX_CHARS)

    assert redacted["another-name"] == value["another-name"]
    assert list(redacted) == list(value)
    assert len(redacted["long"]) == len(redacted["longer"])
    assert MAX_CHARS - 20_000 < len(str(redacted)) < MAX_CHARS


def test_many_equal_keys_are_told_apart_in_linear_time():
    value = {f"ghp_{number:036d}": number for number in range(20_000)}

    assert len(redact_json(value, max_chars=0)) == len(value)


def test_json_nested_to_break_us_does_not():
    value = [TOKEN]
    for _ in range(900):
        value = [value]
    assert TOKEN not in str(redact_json(value))


def test_what_a_person_excepted_stays():
    def keep(kind, value):
        return kind == "github-token" and value.endswith("T0k3")

    assert redact(f"{TOKEN} {TOKEN[:-1]}4", keep=keep) == f"{TOKEN} {CUT}"


def test_json_that_was_frozen_stays_so():
    after = redact_json(freeze({"a": [{"b": TOKEN}]}))

    assert after == {"a": ({"b": CUT},)}
    assert isinstance(after["a"][0], Frozen)


def test_texts_full_of_prefixes_are_redacted_in_linear_time():
    """With quadratic work, this test would take minutes; `bench/growth.py` measures the growth."""
    for prefix in {prefix for one in FORMATS for prefix in one.prefixes.split()}:
        redact(prefix * 500 + f"-{prefix}" * 500 + f"{prefix}{'a' * 15}." * 150)


@pytest.mark.parametrize(
    "line",
    [
        "set -gx DB_PASSWORD {}",
        "set --export --global API_TOKEN {}",
        "setenv DB_PASSWORD {}",
        "7z a -p{} out.7z src",
        "zip -r -P {} out.zip src",
        "htpasswd -b .htpasswd ann {}",
        "htpasswd -nbB ann {}",
        "echo 'ann:{}' | chpasswd",
        "echo ann:{} | sudo chpasswd",
        "nmcli con modify home wifi-sec.psk {}",
        "openssl enc -aes-256-cbc -k {} -in a -out b",
        """subprocess.run(["mysql", "--password", "{}"])""",
    ],
)
def test_passwords_of_further_programs(line):
    assert "kS8vQ2zL" not in redact(line.format("kS8vQ2zLw7"))


@pytest.mark.parametrize(
    "line",
    [
        "set -euo pipefail",
        "set -gx EDITOR nvim-nightly",
        "setenv KEYBOARD us-layout-2",
        "setenv API_KEY $OTHER_KEY_NAME",
        "curl -k https://localhost:8443/health",
        "gzip -k results-2024.json",
        "htpasswd -c .htpasswd benjamin",
        "echo 'note: see' | cat",
        "7z x -pkg archive.7z",
    ],
)
def test_lines_that_only_resemble_passwords(line):
    assert redact(line) == line
