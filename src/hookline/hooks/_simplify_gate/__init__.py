"""Recognise prompts that ask to ship, by the English of their clauses, without a model."""

from hookline.hooks._simplify_gate.request import asks_to_ship

__all__ = ["asks_to_ship"]
