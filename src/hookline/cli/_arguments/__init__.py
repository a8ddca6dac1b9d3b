"""Description, arguments and exit codes of each command, apart from its module, which only a call imports."""
