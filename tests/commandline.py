"""Calls of the command line: within the process of the tests, which is quick, or in a process as a user starts it."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from gapforge_tasks.cli import main

GAPFORGE = Path(sys.executable).parent / "gapforge"
PROGRESS = re.compile(r"^[\w-]+: \d+ of \d+ \w+, [\d,]+ \w+, [\d,]+ a second\n", re.MULTILINE)

Done = CompletedProcess[str]


def without_progress(errors: str) -> str:
    """Lines of progress come where a step takes more than a few seconds, as each does on a busy machine."""
    return PROGRESS.sub("", errors)


def call_in_process(
    arguments: list[str], forget: Callable[[], None], input: str | bytes = "", cwd: Path | None = None
) -> Done:
    """What the real `main` prints and returns; an unexpected error, which a user would see as a traceback, is raised.

    The standard streams are files from the descriptors up, so that worker processes write to them too. All that the
    call changes in this process is set back after it, and `forget` is called before and after.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in ("input", "output", "errors")]
        files[0].write(input.encode() if isinstance(input, str) else input)
        files[0].seek(0)
        for number, file in enumerate(files):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        stack.callback(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            mode = "w" if number else "r"
            patch.setattr(sys, name, stack.enter_context(open(number, mode, encoding="utf-8", closefd=False)))
        patch.setattr(sys, "argv", [str(GAPFORGE), *arguments])
        # A program that is run as `python -m pytest` would be called that in messages.
        patch.setattr(sys.modules["__main__"], "__package__", None)
        patch.setattr(sys, "excepthook", sys.excepthook)  # Typer puts its own in place.
        patch.setattr(tempfile, "tempdir", None)  # It is looked up in the environment once in a process.
        if cwd:
            patch.chdir(cwd)
        forget()
        stack.callback(forget)
        code = exit_code()
        sys.stdout.flush()
        sys.stderr.flush()
        printed, errors = (read_all(file) for file in files[1:])
    return CompletedProcess(["gapforge", *arguments], code, printed, without_progress(errors))


def exit_code() -> int:
    try:
        main()
    except SystemExit as end:
        assert end.code is None or isinstance(end.code, int)
        return end.code or 0
    return 0


def read_all(file) -> str:
    file.seek(0)
    return file.read().decode("utf-8")


def call_as_process(arguments: list[str], input: str | bytes = "", **options) -> Done:
    """Run the installed command; `options` are those of `subprocess.run`."""
    given = input.encode() if isinstance(input, str) else input
    done = subprocess.run([GAPFORGE, *arguments], input=given, capture_output=True, timeout=300, **options)
    printed, errors = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    return CompletedProcess(done.args, done.returncode, printed, without_progress(errors))
