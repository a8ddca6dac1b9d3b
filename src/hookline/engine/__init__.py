"""Autoresearch: experiments of an unattended agent that improve one metric of a repository."""
