"""Budgets and usage of a session, and the models with their prices."""
