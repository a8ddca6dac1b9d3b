"""Learning, recalling, consolidating and forgetting memories, and known errors."""
