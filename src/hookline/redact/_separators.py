"""Patterns between the name of a secret and its value, in code, settings, headers, options and markup."""

import re
from functools import cache

_MAX_JUDGED = 300
"""Maximum characters of a bare value that are judged; the rest of it is redacted with them."""
BARE_CHARACTER = r"""[^\s"'`,;&<>(){}\[\]|\\]"""
"""A character of an unquoted value."""
_QUOTED_TEXT = r"""(?:[^\s\\"'`]++|(?!(?P=mark))['`]|\\+[^\s"'`nrt\\]){1,40}+"""
_QUOTE = r"""\\{0,3}["'`]"""
_QUOTE_AHEAD = rf"(?=[rbfu]?{_QUOTE})"
_SIGN = r"[ \t]{0,4}[:=][ \t]{0,4}"
_VALUE_KEY = rf"(?:{_QUOTE})?(?:parameter|output)?value(?:{_QUOTE})?{_SIGN}"
_MEMBER = (
    rf"(?>(?!(?:{_QUOTE})?(?:parameter|output)?value\b)(?:{_QUOTE})?[a-z_][a-z0-9_.:-]{{0,40}}(?<!:)(?:{_QUOTE})?{_SIGN}"
    rf"(?:{_QUOTE}[^\"'`\r\n\\]{{0,100}}{_QUOTE}|[a-z0-9_.+/-]{{1,60}}(?=[\s,>])))"
)
"""Another key with its value, between the key with the name and the key with the secret."""
_COMMA = r"[ \t]{0,4}(?:,\s{0,40}|\s{1,40})"
_OPENING_QUOTE = r"""(?P<quote>\\{0,3}(?P<mark>["'`]))"""
_VALUE = rf"(?(quote)(?P<quoted>{_QUOTED_TEXT})|(?P<bare>{BARE_CHARACTER}{{1,{_MAX_JUDGED}}}+))"
_LINE_AHEAD = r"""(?=[^\s"'`=:;,(){}\[\]<>]{8,300}+={0,2}[ \t]{0,20}(?:[ \t]#[^\r\n]{0,80})?(?:[\r\n]|\Z))"""
_LIST_DASH = r"\r?\n[ \t]{0,40}-[ \t]{1,4}"


@cache
def assignment_pattern(stem: str) -> re.Pattern[str]:
    """Return the pattern of a name with *stem*, from the stem to the value."""
    separator = rf"(?:{_QUOTE})?\]?(?P<joint>{'|'.join(_separator_patterns())})"
    scheme = r"(?P<scheme>(?:bearer|basic|token|bot|apikey|digest)[ ]{1,4})?"
    quote = rf"""(?:[rbfu](?=["'`]))?{_OPENING_QUOTE}?"""
    return re.compile(rf"{stem}(?P<behind>[a-z0-9_.-]{{0,32}}+){separator}{quote}{scheme}{_VALUE}")


def _separator_patterns() -> tuple[str, ...]:
    sign = r"[ \t]{0,20}(?::=|=>|\?=|[=:>]|%3[ad])[ \t]{0,20}"
    type_name = r"(?:&(?:'[a-z]{1,10} )?)?[a-z_][a-z_.<>\[\]|?]{0,40}+(?: \| [a-z]{1,20})?"
    typed = rf"[?!]?:[ \t]{{0,4}}{type_name}[ \t]{{0,4}}=[ \t]{{0,4}}"
    others = rf"(?:{_COMMA}{_MEMBER}){{0,4}}"
    first = rf"(?:{_MEMBER}{_COMMA}){{0,4}}{_VALUE_KEY}"
    text = r"\s{0,40}(?=[^\s<]{8,300}+\s{0,40}</)"
    colon = r":[ \t]{0,4}"
    return (
        rf"{typed}{_QUOTE_AHEAD}",  # name: type = "VALUE"
        rf"{colon}(?:[>|][-+]?[ \t]{{0,4}})?\r?\n[ \t]{{1,40}}{_LINE_AHEAD}",  # name:, then VALUE on a line
        rf"{colon}{_LIST_DASH}(?:{_QUOTE_AHEAD}|{_LINE_AHEAD})",  # name:, then - VALUE on each line
        rf"{colon}\r?\n[ \t]{{1,40}}{first}",  # name: and value: VALUE on the next line
        rf"{sign}\{{\s{{0,40}}{first}",  # name: {value: VALUE
        rf"[ \t]{{0,4}}\{{\s{{0,40}}(?:{_MEMBER}{_COMMA}){{0,4}}default{_SIGN}",  # "name" { default = VALUE
        rf"{sign}\[\s{{0,40}}{_QUOTE_AHEAD}",  # name: ["VALUE"
        rf">{text}",  # <name> and VALUE on the next line
        sign,  # NAME = "VALUE", "name": "value" (also escaped), name: Bearer value, <name>value
        rf"{others}{_COMMA}{_VALUE_KEY}",  # name: NAME, value: VALUE
        rf"{others}\s{{0,4}}>(?:\s{{0,40}}<value>)?{text}",  # <name a="b">VALUE
        r"</key>\s{0,40}<string>",  # <key>NAME</key><string>VALUE
        rf"[ \t]{{0,4}}[,(]\s{{0,8}}{_QUOTE_AHEAD}",  # set("NAME", "VALUE"), setName("VALUE")
        r"[ \t]{1,4}(?:is:?[ \t]{1,4})?",  # --name VALUE
    )


@cache
def next_item_pattern() -> re.Pattern[str]:
    """Return the pattern of the next value of a list, from the end of the previous one."""
    string = rf"{_QUOTE}\s{{0,40}},\s{{0,40}}(?={_QUOTE})"
    line = (
        rf"(?:{_QUOTE})?[ \t]{{0,20}}(?:[ \t]#[^\r\n]{{0,80}})?{_LIST_DASH}(?:{_QUOTE_AHEAD}|{_LINE_AHEAD})"
    )
    return re.compile(rf"(?:{string}|{line}){_OPENING_QUOTE}?{_VALUE}")


@cache
def changed_value_pattern() -> re.Pattern[str]:
    """Return the pattern of the new value after an old one, as plans of changes show it."""
    return re.compile(rf"{_QUOTE}[ \t]{{0,4}}->[ \t]{{0,4}}(?={_QUOTE}){_OPENING_QUOTE}?{_VALUE}")


@cache
def value_first_pattern() -> re.Pattern[str]:
    """Return the pattern of a value that precedes its name."""
    others = rf"(?:[ \t]{{0,4}}(?:,[ \t]{{0,4}}|[ \t]){_MEMBER}){{0,4}}"
    separator = r"[ \t]{0,4}(?:,[ \t]{0,4}(?:\r?\n[ \t]{0,40})?|[ \t]|\r?\n[ \t]{0,40})"
    name = rf"(?:{_QUOTE})?(?:name|key)(?:{_QUOTE})?{_SIGN}(?:{_QUOTE})?(?P<name>[a-z0-9_.-]{{2,60}})"
    return re.compile(
        rf"value(?:{_QUOTE})?{_SIGN}{_OPENING_QUOTE}?{_VALUE}(?(quote){_QUOTE}){others}{separator}{name}"
    )
