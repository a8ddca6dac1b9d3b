"""Whether a person's prompt asks to ship: read clause by clause, as English, without a model."""

from hookline.hooks._simplify_gate.request import asks_to_ship

__all__ = ["asks_to_ship"]
