"""The message about the end of a session or run, in the format of the service that receives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from hookline.core.frozen import Frozen
from hookline.core.response import Post

WebhookFormat: TypeAlias = Literal["auto", "json", "slack", "discord", "ntfy"]
TEXT = "autoresearch session completed"
"""The constant `text` of the JSON format."""
_SERVICES: Mapping[str, WebhookFormat] = {
    "hooks.slack.com": "slack",
    "discord.com": "discord",
    "discordapp.com": "discord",
    "ntfy.sh": "ntfy",
}


def build_post(url: str, message: str, fields: Mapping[str, str], form: WebhookFormat = "auto") -> Post:
    """Return the request for *url*; `auto` chooses the format by the name of the server.

    The *message* is one sentence for people. The *fields* are sent in the JSON format only.
    """
    server = url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0].lower()
    service = _SERVICES.get(server, "json") if form == "auto" else form
    if service == "slack":
        return Post(to=url, content=Frozen({"text": message}))
    if service == "discord":
        return Post(to=url, content=Frozen({"content": message}))
    if service == "ntfy":
        folder, _, topic = url.partition("?")[0].rstrip("/").rpartition("/")  # the topic is the last part
        return Post(
            to=f"{folder}/", content=Frozen({"topic": topic, "title": "hookline", "message": message})
        )
    return Post(to=url, content=Frozen({"text": TEXT, **fields, "message": message}))
