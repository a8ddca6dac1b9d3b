"""The description of an agent's program for the demo, and the scripted replies of its model."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct


class Reply(Struct, frozen=True, kw_only=True):
    """A scripted reply of the model."""

    text: str = ""
    command: str = ""
    """A command line for the agent's shell; empty for a reply that only talks."""


class Protocol(Struct, frozen=True, kw_only=True):
    """Requests to a model, and its replies."""

    path: str
    """End of the path of a request for a reply."""
    has_tools: Callable[[Mapping[str, Any]], bool]
    """Returns whether a request belongs to the conversation; one for a title offers no tools."""
    read_result: Callable[[Mapping[str, Any]], str]
    """Returns the result of the last tool call in a request; empty if there is none."""
    encode: Callable[[Mapping[str, Any], Reply], tuple[str, str]]
    """Returns the content type and the body of the reply to a request."""


class Client(Struct, frozen=True, kw_only=True):
    """A program that the demo can run."""

    title: str
    program: str
    install: str
    """Address of the instructions that install it."""
    arguments: tuple[str, ...]
    """Arguments of a run without a terminal; the prompt is on stdin."""
    files: Callable[[str], Mapping[str, Any]]
    """Returns files of the home, as JSON, for the project in a folder."""
    env: Callable[[str], Mapping[str, str]]
    """Returns variables that set the model's address and disable all other traffic."""
    protocol: Protocol
