"""How loop-breaker tells a loop from work, and what it does about one."""
