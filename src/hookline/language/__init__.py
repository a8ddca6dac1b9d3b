"""Classify the sentences of a prompt with a trained model: lasting statements, and requests to ship."""
