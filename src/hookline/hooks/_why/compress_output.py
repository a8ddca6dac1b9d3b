"""Why compress-output shortens an output or leaves it: each of its texts against the limits."""

from collections.abc import Iterator

from hookline.events import PostToolUse
from hookline.hooks._compress import Limits, fine, mapped
from hookline.hooks._compress.shorten import shown
from hookline.hooks._why.words import count
from hookline.state import State
from hookline.why import Branch, branch


def tree(
    event: PostToolUse, state: State, *, kinds: tuple[str, ...], lines: int, size: int, **more: int
) -> Iterator[Branch]:
    if event.kind not in kinds:
        yield branch(f"output of the kind {event.kind} stays whole; `kinds` has: {', '.join(kinds)}")
        return
    limits, texts = Limits(lines=lines, size=size, **more), list[str]()

    def heard(text: str) -> str:
        texts.append(text)
        return text

    mapped(event.output, heard)
    yield from (_text(text, limits) for text in texts if text)
    if not any(texts):
        yield branch("there is no text in the output")


def _text(text: str, limits: Limits) -> Branch:
    long = f"{count(text.count(chr(10)) + 1, 'line')}, {count(len(text), 'character')}"
    most = f"{count(limits.lines, 'line')}, {count(limits.size, 'character')}"
    if fine(text, limits):
        data = "; it is data without lines" if limits.exceeded(text) else ""
        return branch(f"{long}; at most {most}{data}")
    kept = shown(text, limits)
    below = branch(
        f"{count(kept.lines, 'line')} shown, out of the first {limits.head}, the last {limits.tail}, "
        f"and what looks like an error ({kept.alarming:,}) with {count(limits.around, 'line')} around it"
    )
    listed = [branch(f"on top: {count(kept.errors, 'error')} of known tools")] if kept.errors else []
    return branch(f"{long}; at most {most}", below, *listed, said="modify", rule="long-output")
