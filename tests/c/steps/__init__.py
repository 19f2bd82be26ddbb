"""The steps of `tests/c/run`, one subject a file."""
