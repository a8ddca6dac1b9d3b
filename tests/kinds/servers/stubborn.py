"""A process that is not an MCP server: it never answers, and it and its children ignore SIGTERM."""

import os
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    os.fork()
time.sleep(60)
