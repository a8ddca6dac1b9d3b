"""Shorten long tool output to its head, its tail and the lines that decide.

Output over `lines` lines or `size` characters is shortened to errors, changes, totals and lines unlike all
others, with a note where the full text is. The lines nearest to errors fill the room that is left. Files
that an agent reads are not shortened.
"""

from hookline.core.events import PostToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, modify
from hookline.core.state import State
from hookline.hooks._compress_output.shorten import Limits, map_texts, shorten, stays_whole, tree

_RERUN_HINT = "to see the full output, run it again with its output in a file"


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
        output=output, rule="long-output", reason=f"shortened {sum(lengths):,} characters of output"
    )


def _keep_output(text: str, state: State) -> str:
    """Keep the full text in a file, and return where it is."""
    keep = state.facts.get("save_output")
    path = keep(text) if keep is not None else ""
    return f"full output in {path}" if path else _RERUN_HINT
