"""Memory: memories, known errors and handoffs, with search, provenance and changes."""

import time

from hookline.core.ranking import decayed_confidence
from hookline.core.records import USER, KnownError, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory import learn
from hookline.memory.export_files import rewrite_exports
from hookline.memory.forget import forget_memories, restore_replaced
from hookline.redact import redact
from hookline.web.dashboard import Dashboard, Page, Params, View

MAX_ROWS = 50
MAX_SEARCHED = 1_000
"""Errors and handoffs that are searched, the latest."""


def query(dashboard: Dashboard, params: Params) -> View:
    text, now, store = params.get("text", "").strip(), time.time(), dashboard.store
    found = store.recall(text, at=now, limit=MAX_ROWS)
    most = MAX_SEARCHED if text else MAX_ROWS
    errors = [item for item in store.signatures(limit=most) if _mentions(f"{item.text} {item.fix}", text)]
    handoffs = [item for item in store.handoffs(limit=most) if _mentions(item.text, text)]
    values = {
        "text": text,
        "memories": [(memory, decayed_confidence(memory, now)) for memory in found],
        "errors": [(item, item.confidence_at(now)) for item in errors[:MAX_ROWS]],
        "handoffs": handoffs[:MAX_ROWS],
    }
    return View(template="memory.html", values=values)


def _mentions(text: str, words: str) -> bool:
    return all(word in text.lower() for word in words.lower().split())


def edit(dashboard: Dashboard, form: Params) -> str:
    store, memory = dashboard.store, _find_memory(dashboard.store, form)
    text = learn.normalize_text(form.get("text", ""))
    if not text:
        raise ValueError("a memory needs a text; use Forget to delete it")
    edited = replace(memory, text=text, at=time.time(), source=USER)
    store.remember(edited)
    return _report("Saved.", rewrite_exports(store, {memory.id: edited})[1])


def pin(dashboard: Dashboard, form: Params) -> str:
    memory = _find_memory(dashboard.store, form)
    dashboard.store.remember(replace(memory, pinned=not memory.pinned))
    return "No longer pinned." if memory.pinned else "Pinned: it comes first and does not fade."


def forget(dashboard: Dashboard, form: Params) -> str:
    memory = _find_memory(dashboard.store, form)
    forget_memories(dashboard.store, [memory], time.time())
    restored = restore_replaced(dashboard.store, [memory.id])
    texts = ("Forgotten.", *(f"Restored, which it had replaced: {old.text}" for old in restored))
    return _report(" ".join(texts), rewrite_exports(dashboard.store, {memory.id: None})[1])


def fix(dashboard: Dashboard, form: Params) -> str:
    error = _find_error(dashboard.store, form)
    dashboard.store.record_fix(error.key, redact(form.get("fix", "").strip()), project=error.project)
    return "Fix saved."


def _find_memory(store: Store, form: Params) -> Memory:
    found = store.memories([form.get("id", "")])
    if not found:
        raise LookupError("this memory no longer exists")
    return found[0]


def _find_error(store: Store, form: Params) -> KnownError:
    project, key = form.get("project", ""), form.get("key", "")
    found = store.signatures(key=key, project=project, limit=1) if key else ()
    if not found:
        raise LookupError("this error is no longer known")
    return found[0]


def _report(text: str, problems: list[str]) -> str:
    return " ".join((text, *(f"Update this exported file by hand: {problem}." for problem in problems)))


ACTIONS = {"edit": edit, "pin": pin, "forget": forget, "fix": fix}
PAGE = Page(title="Memory", order=5, query=query, actions=ACTIONS)
