"""Builders and conformance suites, for authors of hooks, hosts and stores."""

from hookline.testing.events import (
    any_event,
    post_tool_use,
    pre_tool_use,
    session_start,
    stop,
    user_prompt_submit,
)

__all__ = ["any_event", "post_tool_use", "pre_tool_use", "session_start", "stop", "user_prompt_submit"]
