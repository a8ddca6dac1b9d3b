"""Tests of the daemon and its clients."""
