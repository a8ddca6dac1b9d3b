"""What the hooks about budgets say, and what they need to know of a call."""


def said(left: int, wrap_up: int, stop: int) -> str:
    """What is said of a time budget with so many seconds *left*."""
    minutes, seconds = divmod(max(left, 0), 60)
    if left <= 0:
        return "▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"
    if left <= stop:
        return f"▲▲▲ BUDGET: {minutes}m{seconds}s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"
    if left <= wrap_up:
        return f"▲ BUDGET: {minutes}m{seconds}s remaining — wrap up and commit soon"
    return f"BUDGET: {minutes}m remaining"
