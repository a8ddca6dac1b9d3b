"""What stands between a secret's name and its value, in code, settings, headers, flags and markup."""

import re
from functools import cache

_LOOK = 300
"""Characters of a bare value that are judged before the rest of it is taken."""
BARE = r"""[^\s"'`,;&<>(){}\[\]|\\]"""
_INSIDE = r"""(?:[^\s\\"'`]++|(?!(?P=mark))['`]|\\+[^\s"'`nrt\\]){1,40}+"""
_QUOTE = r"""\\{0,3}["'`]"""
_OPENS = rf"(?=[rbfu]?{_QUOTE})"
_SIGN = r"[ \t]{0,4}[:=][ \t]{0,4}"
_WORTH = rf"(?:{_QUOTE})?(?:parameter|output)?value(?:{_QUOTE})?{_SIGN}"
_MEMBER = (
    rf"(?>(?!(?:{_QUOTE})?(?:parameter|output)?value\b)(?:{_QUOTE})?[a-z_][a-z0-9_.:-]{{0,40}}(?<!:)(?:{_QUOTE})?{_SIGN}"
    rf"(?:{_QUOTE}[^\"'`\r\n\\]{{0,100}}{_QUOTE}|[a-z0-9_.+/-]{{1,60}}(?=[\s,>])))"
)
"""Another key with its value, between the one that tells the name and the one that holds the secret."""
_APART = r"[ \t]{0,4}(?:,\s{0,40}|\s{1,40})"
_OPENED = r"""(?P<quote>\\{0,3}(?P<mark>["'`]))"""
_VALUE = rf"(?(quote)(?P<quoted>{_INSIDE})|(?P<bare>{BARE}{{1,{_LOOK}}}+))"
_ALONE = r"""(?=[^\s"'`=:;,(){}\[\]<>]{8,300}+={0,2}[ \t]{0,20}(?:[ \t]#[^\r\n]{0,80})?(?:[\r\n]|\Z))"""
_DASH = r"\r?\n[ \t]{0,40}-[ \t]{1,4}"


@cache
def assignment(stem: str) -> re.Pattern[str]:
    """A name with *stem* in it, from there to the value."""
    joint = rf"(?:{_QUOTE})?\]?(?P<joint>{'|'.join(_joints())})"
    scheme = r"(?P<scheme>(?:bearer|basic|token|bot|apikey|digest)[ ]{1,4})?"
    opened = rf"""(?:[rbfu](?=["'`]))?{_OPENED}?"""
    return re.compile(rf"{stem}(?P<behind>[a-z0-9_.-]{{0,32}}+){joint}{opened}{scheme}{_VALUE}")


def _joints() -> tuple[str, ...]:
    sign = r"[ \t]{0,20}(?::=|=>|\?=|[=:>]|%3[ad])[ \t]{0,20}"
    type_ = r"(?:&(?:'[a-z]{1,10} )?)?[a-z_][a-z_.<>\[\]|?]{0,40}+(?: \| [a-z]{1,20})?"
    kind = rf"[?!]?:[ \t]{{0,4}}{type_}[ \t]{{0,4}}=[ \t]{{0,4}}"
    others = rf"(?:{_APART}{_MEMBER}){{0,4}}"
    first = rf"(?:{_MEMBER}{_APART}){{0,4}}{_WORTH}"
    text = r"\s{0,40}(?=[^\s<]{8,300}+\s{0,40}</)"
    below = r":[ \t]{0,4}"
    return (
        rf"{kind}{_OPENS}",  # name: type = "VALUE"
        rf"{below}(?:[>|][-+]?[ \t]{{0,4}})?\r?\n[ \t]{{1,40}}{_ALONE}",  # name: and VALUE on the next line
        rf"{below}{_DASH}(?:{_OPENS}|{_ALONE})",  # name: and - VALUE on each of the next lines
        rf"{below}\r?\n[ \t]{{1,40}}{first}",  # name: and value: VALUE on the next line
        rf"{sign}\{{\s{{0,40}}{first}",  # name: {value: VALUE
        rf"[ \t]{{0,4}}\{{\s{{0,40}}(?:{_MEMBER}{_APART}){{0,4}}default{_SIGN}",  # "name" { default = VALUE
        rf"{sign}\[\s{{0,40}}{_OPENS}",  # name: ["VALUE"
        rf">{text}",  # <name> and VALUE on the next line
        sign,  # NAME = "VALUE", "name": "value" (also escaped), name: Bearer value, <name>value
        rf"{others}{_APART}{_WORTH}",  # name: NAME, value: VALUE
        rf"{others}\s{{0,4}}>(?:\s{{0,40}}<value>)?{text}",  # <name a="b">VALUE
        r"</key>\s{0,40}<string>",  # <key>NAME</key><string>VALUE
        rf"[ \t]{{0,4}}[,(]\s{{0,8}}{_OPENS}",  # set("NAME", "VALUE"), setName("VALUE")
        r"[ \t]{1,4}(?:is:?[ \t]{1,4})?",  # --name VALUE
    )


@cache
def item() -> re.Pattern[str]:
    """The next value of a list, behind the end of the one before."""
    string = rf"{_QUOTE}\s{{0,40}},\s{{0,40}}(?={_QUOTE})"
    line = rf"(?:{_QUOTE})?[ \t]{{0,20}}(?:[ \t]#[^\r\n]{{0,80}})?{_DASH}(?:{_OPENS}|{_ALONE})"
    return re.compile(rf"(?:{string}|{line}){_OPENED}?{_VALUE}")


@cache
def changed() -> re.Pattern[str]:
    """What a value is changed to, as plans of changes show it."""
    return re.compile(rf"{_QUOTE}[ \t]{{0,4}}->[ \t]{{0,4}}(?={_QUOTE}){_OPENED}?{_VALUE}")


@cache
def turned() -> re.Pattern[str]:
    """A value, and the name that it has behind it."""
    more = rf"(?:[ \t]{{0,4}}(?:,[ \t]{{0,4}}|[ \t]){_MEMBER}){{0,4}}"
    apart = r"[ \t]{0,4}(?:,[ \t]{0,4}(?:\r?\n[ \t]{0,40})?|[ \t]|\r?\n[ \t]{0,40})"
    name = rf"(?:{_QUOTE})?(?:name|key)(?:{_QUOTE})?{_SIGN}(?:{_QUOTE})?(?P<name>[a-z0-9_.-]{{2,60}})"
    return re.compile(rf"value(?:{_QUOTE})?{_SIGN}{_OPENED}?{_VALUE}(?(quote){_QUOTE}){more}{apart}{name}")
