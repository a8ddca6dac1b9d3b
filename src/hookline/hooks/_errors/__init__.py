"""How error-kb learns from failures, and what it says of them."""
