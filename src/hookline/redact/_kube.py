"""Every value in the data of a Kubernetes Secret, whatever it is called, in YAML and in JSON."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
from hookline.redact._values import placeholder, reference

_NEAR = 2000
"""Characters on either side of data in which the kind is looked for."""


def kube(text: str) -> Iterator[Span]:
    """The values of the Secrets in *text*."""
    if "Secret" in text and "kind" in text:
        for start, end in (*_in_json(text), *_in_yaml(text)):
            value = text[start:end]
            if not (placeholder(value) or reference(value)):
                yield Span(start, end, "secret")


def _in_json(text: str) -> Iterator[tuple[int, int]]:
    for data in _json_data().finditer(text):
        start, end = data.span()
        near = f"{text[max(0, start - _NEAR) : start]}\n{text[end : end + _NEAR]}"
        if 'Secret\\"' in near or 'Secret"' in near:
            told = _json_kind().search(near)
            yield from (found.span(1) for found in _pair().finditer(text, *data.span(1)) if told)


def _in_yaml(text: str) -> Iterator[tuple[int, int]]:
    for data in _yaml_data().finditer(text) if "kind: Secret" in text else ():
        if _is_secret(text, data):
            yield from (found.span(1) for found in _entry().finditer(text, *data.span("body")))


def _is_secret(text: str, data: re.Match[str]) -> bool:
    """Whether the object says so that the data is of: before it or behind, and before the next object."""
    indent, (start, end) = data["indent"], data.span()
    item = f"\n{indent[2:]}- "
    before, behind = "\n" + text[max(0, start - _NEAR) : start], text[max(0, end - 1) : end + _NEAR]
    before = before[max(before.rfind("\n---"), before.rfind(item) if indent else 0, 0) :]
    behind = behind.split("\n---", 1)[0].split(item if indent else "\n---", 1)[0]
    lines = f"\n{indent}kind: Secret\n", f"{item}kind: Secret\n"
    return any(line in f"{part}\n".replace("\r", "") for line in lines for part in (before, behind))


@cache
def _json_data() -> re.Pattern[str]:
    return re.compile(r'"(?:data|stringData)\\{0,3}":\s{0,4}\{([^{}]{1,20000})\}')


@cache
def _json_kind() -> re.Pattern[str]:
    return re.compile(r'"kind\\{0,3}":\s{0,4}\\{0,3}"Secret\\{0,3}"')


@cache
def _pair() -> re.Pattern[str]:
    return re.compile(r'":\s{0,4}\\{0,3}"([^"\\\r\n]{4,})')


@cache
def _yaml_data() -> re.Pattern[str]:
    body = r"(?P<body>(?:(?P=indent) [^\r\n]*+(?:\r?\n|\Z))++)"
    return re.compile(rf"^(?P<indent> {{0,20}})(?:data|stringData):[ \t]*\r?\n{body}", re.MULTILINE)


@cache
def _entry() -> re.Pattern[str]:
    name = r"""["']?[\w.-]{1,253}["']?"""
    return re.compile(
        rf"""^[ \t]+{name}:[ \t]{{1,4}}["']?([^\s"'|>{{\[&*!#][^\s"']{{3,}})["']?[ \t]*\r?$""", re.MULTILINE
    )
