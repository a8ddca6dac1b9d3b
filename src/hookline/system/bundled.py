"""Imported by nobody: where Python would keep this module compiled, `bundle` keeps all that calls need.

Installers remove with a module what it was compiled to, and leave any other file behind.
"""
