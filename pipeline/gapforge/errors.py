"""What can go wrong in a way that the user fixes: the message says what was wanted, found, and to be changed."""

import errno
from collections.abc import Sequence
from traceback import format_exception

# What to do about the operating system's refusals.
REMEDIES = {
    errno.EACCES: "check who may read and write there",
    errno.EPERM: "check who may read and write there",
    errno.EROFS: "the disk is read-only; run in another folder",
    errno.ENOSPC: "make room and run again",
    errno.EDQUOT: "make room and run again",
    errno.EFBIG: "the file may not grow that large here; raise the limit and run again",
    errno.ENOENT: "was it removed in the meantime?",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a folder",
}


_LONGEST = 300


def one_line(error: BaseException) -> str:
    """What an error of a library says, on one line of bounded length; its type where it says nothing."""
    return shortened(" ".join(str(error).split()) or type(error).__name__)


def quoted(text: str) -> str:
    """What stands in a file, quoted on one line of bounded length."""
    return shortened(repr(text))


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def listed(names: Sequence[str], most: int = 20) -> str:
    """The names, the first of them where there are many, and how many more."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


class InputError(ValueError):
    """A raw file or a table that cannot be used; the message begins with its name and, where known, the position."""


class ConfigError(ValueError):
    """A setting that cannot be used; the message names the file and the setting in brackets."""


class LockedError(RuntimeError):
    """Another process is building into the same folder; the message names it."""


class StageError(RuntimeError):
    """Parts of a stage failed; the message lists them."""


def describe(error: BaseException) -> str:
    """What a person needs to know: what is wrong and what to do, or, where the fault is ours, where it happened."""
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}; {REMEDIES.get(error.errno or 0, 'check the disk and run again')}"
    if isinstance(error, (InputError, ConfigError, LockedError, StageError)):
        return str(error)
    return "".join(format_exception(error)).rstrip()
