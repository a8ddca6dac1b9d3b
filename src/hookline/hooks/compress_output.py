"""Show long output of tools as its head, its tail and its errors, and say where the whole lies.

Files that a tool reads or writes stay as they are: an agent that edits a file must have seen all of it.
"""

from hookline.core.events import PostToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, modify
from hookline.core.state import State
from hookline.hooks._compress_output.shorten import Limits, fine, mapped, shortened, tree

_AGAIN = "run it again with its output in a file to see the whole"


@hook(priority=35, nature="policy", why=tree, enabled=False)
def compress_output(
    event: PostToolUse,
    state: State,
    *,
    lines: int = 400,
    size: int = 32 * 1024,
    head: int = 60,
    tail: int = 100,
    around: int = 2,
    kinds: tuple[str, ...] = (
        "shell",
        "powershell",
        "cmd",
        "grep",
        "glob",
        "list",
        "fetch",
        "search",
        "mcp",
        "other",
    ),
) -> Response | None:
    if event.kind not in kinds:
        return None
    limits = Limits(lines=lines, size=size, head=head, tail=tail, around=around)
    cut: list[int] = []

    def shorter(text: str) -> str:
        if fine(text, limits):
            return text
        cut.append(len(text))
        return shortened(text, limits, _whole(text, state))

    output = mapped(event.output, shorter)
    if not cut:
        return None
    return modify(
        output=output, rule="long-output", reason=f"{sum(cut):,} characters of output were shortened"
    )


def _whole(text: str, state: State) -> str:
    """Where all of it lies."""
    keep = state.facts.get("keep_output")
    path = keep(text) if keep is not None else ""
    return f"the whole is in {path}" if path else _AGAIN
