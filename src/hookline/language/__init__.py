"""Classify prompts and the messages of agents with trained models."""
