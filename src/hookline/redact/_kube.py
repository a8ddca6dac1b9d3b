"""Values in the data of Kubernetes Secrets, whatever their names, in YAML and in JSON."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
from hookline.redact._values import is_placeholder, is_reference

_MAX_DISTANCE = 2000
"""Maximum characters between the data and the kind of an object, on either side."""


def find_kube_secrets(text: str) -> Iterator[Span]:
    """Yield the values of the Secrets in *text*."""
    if "Secret" in text and "kind" in text:
        for start, end in (*_find_json_values(text), *_find_yaml_values(text)):
            value = text[start:end]
            if not (is_placeholder(value) or is_reference(value)):
                yield Span(start, end, "secret")


def _find_json_values(text: str) -> Iterator[tuple[int, int]]:
    for data in _json_data_pattern().finditer(text):
        start, end = data.span()
        context = f"{text[max(0, start - _MAX_DISTANCE) : start]}\n{text[end : end + _MAX_DISTANCE]}"
        if 'Secret\\"' in context or 'Secret"' in context:
            is_secret = _json_kind_pattern().search(context)
            yield from (match.span(1) for match in _pair_pattern().finditer(text, *data.span(1)) if is_secret)


def _find_yaml_values(text: str) -> Iterator[tuple[int, int]]:
    for data in _yaml_data_pattern().finditer(text) if "kind: Secret" in text else ():
        if _is_secret(text, data):
            yield from (match.span(1) for match in _entry_pattern().finditer(text, *data.span("body")))


def _is_secret(text: str, data: re.Match[str]) -> bool:
    """Return whether the object with this data is a Secret; its kind may precede or follow the data."""
    indent, (start, end) = data["indent"], data.span()
    item = f"\n{indent[2:]}- "
    before, after = (
        "\n" + text[max(0, start - _MAX_DISTANCE) : start],
        text[max(0, end - 1) : end + _MAX_DISTANCE],
    )
    before = before[max(before.rfind("\n---"), before.rfind(item) if indent else 0, 0) :]
    after = after.split("\n---", 1)[0].split(item if indent else "\n---", 1)[0]
    lines = f"\n{indent}kind: Secret\n", f"{item}kind: Secret\n"
    return any(line in f"{part}\n".replace("\r", "") for line in lines for part in (before, after))


@cache
def _json_data_pattern() -> re.Pattern[str]:
    return re.compile(r'"(?:data|stringData)\\{0,3}":\s{0,4}\{([^{}]{1,20000})\}')


@cache
def _json_kind_pattern() -> re.Pattern[str]:
    return re.compile(r'"kind\\{0,3}":\s{0,4}\\{0,3}"Secret\\{0,3}"')


@cache
def _pair_pattern() -> re.Pattern[str]:
    return re.compile(r'":\s{0,4}\\{0,3}"([^"\\\r\n]{4,})')


@cache
def _yaml_data_pattern() -> re.Pattern[str]:
    body = r"(?P<body>(?:(?P=indent) [^\r\n]*+(?:\r?\n|\Z))++)"
    return re.compile(rf"^(?P<indent> {{0,20}})(?:data|stringData):[ \t]*\r?\n{body}", re.MULTILINE)


@cache
def _entry_pattern() -> re.Pattern[str]:
    name = r"""["']?[\w.-]{1,253}["']?"""
    return re.compile(
        rf"""^[ \t]+{name}:[ \t]{{1,4}}["']?([^\s"'|>{{\[&*!#][^\s"']{{3,}})["']?[ \t]*\r?$""", re.MULTILINE
    )
