"""What `hookline explain` shows below each guard: a file a guard, none of them imported while one judges."""
