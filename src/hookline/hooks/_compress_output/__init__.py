"""Shorten long output without losing its beginning, its end and its errors."""
