"""The command line: a thin layer over the same functions that the tasks call.

Exit codes: 0 done, 1 a stage or an input failed, 2 bad usage or config, 3 another run
holds the lock, 130 interrupted, 141 standard output closed, 143 terminated. Results go to standard output, progress
and errors to standard error.
"""

import signal
from typing import Annotated

import typer

from gapforge_tasks.cli.annotate import annotation
from gapforge_tasks.cli.console import say, terminate
from gapforge_tasks.cli.evaluate import evaluation
from gapforge_tasks.cli.release import release
from gapforge_tasks.cli.run import running
from gapforge_tasks.cli.subjective import rating, subjectivity
from gapforge_tasks.cli.texts import augmentation, texts

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Regenerates gender-bias coreference datasets from raw corpora, and measures models on them.",
    epilog="Exit codes: 0 done, 1 a stage or an input failed, 2 bad usage or config, 3 another run holds the lock, "
    "130 interrupted, 141 standard output closed, 143 terminated.",
)


def main() -> None:
    signal.signal(signal.SIGTERM, terminate)
    app()


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"gapforge {version('gapforge')}")
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that hold for every command."""


app.add_typer(running)
app.add_typer(texts)
app.add_typer(annotation, name="annotate")
app.add_typer(augmentation)
app.add_typer(evaluation)
app.add_typer(release)
app.add_typer(subjectivity)
app.add_typer(rating, name="rate")
