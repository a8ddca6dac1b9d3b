"""A process that is no MCP server: it answers nothing, ignores SIGTERM, and has children that do so, too."""

import os
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    os.fork()
time.sleep(60)
