"""What can go wrong in a way that the user mends: the message says what was wanted, found, and to be changed."""


class InputError(ValueError):
    """A raw file or a table that cannot be used; the message begins with its name and, where known, the position."""


class ConfigError(ValueError):
    """A setting that cannot be used; the message names the file and the setting in brackets."""


class LockedError(RuntimeError):
    """Another process is building into the same folder; the message names it."""


class StageError(RuntimeError):
    """Parts of a stage failed; the message lists them."""
