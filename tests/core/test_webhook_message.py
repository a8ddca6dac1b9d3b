"""Test the format of webhook messages for each service."""

import pytest

from hookline.core.webhook_message import build_post

FIELDS = {"project": "shop", "tsv_summary": "25 iterations, metric: 3.2"}
NTFY = {"topic": "builds", "title": "hookline", "message": "done"}
JSON = {"text": "autoresearch session completed", **FIELDS, "message": "done"}


@pytest.mark.parametrize(
    ("url", "form", "to", "content"),
    [
        ("https://hooks.slack.com/services/T/B/x", "auto", None, {"text": "done"}),
        ("https://chat.example.org/hook", "slack", None, {"text": "done"}),
        ("https://discord.com/api/webhooks/1/x", "auto", None, {"content": "done"}),
        ("https://ntfy.sh/builds", "auto", "https://ntfy.sh/", NTFY),
        ("http://10.0.0.1:8080/push/builds/", "ntfy", "http://10.0.0.1:8080/push/", NTFY),
        ("https://example.org/hook", "auto", None, JSON),
        ("https://hooks.slack.com.example.org/x", "auto", None, JSON),
        ("https://hooks.slack.com/services/T/B/x", "json", None, JSON),
    ],
)
def test_each_service_gets_its_format(url, form, to, content):
    post = build_post(url, "done", FIELDS, form)

    assert (post.to, dict(post.content)) == (to or url, content)
