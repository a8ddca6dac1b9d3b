"""The warm process that answers hook calls, and the small programs that ask it."""
