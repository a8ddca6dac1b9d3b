"""Show long output of tools as its head, its tail and its errors, and say where the whole lies.

Files that a tool reads or writes stay as they are: an agent that edits a file must have seen all of it.
"""

from hookline.core.events import PostToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, modify
from hookline.core.state import State
from hookline.hooks._compress_output.shorten import Limits, map_texts, shorten, stays_whole, tree

_RERUN_HINT = "run it again with its output in a file to see the whole"


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
    lengths: list[int] = []

    def shorten_text(text: str) -> str:
        if stays_whole(text, limits):
            return text
        lengths.append(len(text))
        return shorten(text, limits, _keep_output(text, state))

    output = map_texts(event.output, shorten_text)
    if not lengths:
        return None
    return modify(
        output=output, rule="long-output", reason=f"{sum(lengths):,} characters of output were shortened"
    )


def _keep_output(text: str, state: State) -> str:
    """Keep the full text in a file, and return where it is."""
    keep = state.facts.get("save_output")
    path = keep(text) if keep is not None else ""
    return f"the whole is in {path}" if path else _RERUN_HINT
