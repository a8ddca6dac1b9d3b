"""The daemon that answers hook calls, and the client programs that call it."""
