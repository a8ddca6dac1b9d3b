"""Standard modules that put off their work until its result is used."""
