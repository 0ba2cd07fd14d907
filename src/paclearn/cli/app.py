"""All commands, and how errors leave them: what the user can mend is one line and exit code 2."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from paclearn import __version__
from paclearn.cli.dataset_commands import datasets
from paclearn.cli.discover_command import discover
from paclearn.cli.export_command import export
from paclearn.cli.fit_command import fit
from paclearn.cli.predict_commands import explain, predict
from paclearn.cli.report_command import report
from paclearn.cli.rules_command import rules
from paclearn.cli.select_command import select
from paclearn.cli.shared_options import unfolded
from paclearn.cli.terminal import fail, interruptible, show_warning
from paclearn.exceptions import MissingDependencyError, PaclearnError, PaclearnWarning

__all__ = ["app", "run"]

app = typer.Typer(
    name="paclearn",
    help="Models a person can read, learned from tables of categories, with a bound on their error attached.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

for _command in (report, rules, discover, select, fit, predict, explain, export, datasets):
    app.command()(interruptible(unfolded(_command)))


def run() -> None:
    """Run a command; errors in the input end with one line and exit code 2."""
    for name in ("SIGTERM", "SIGHUP"):  # ended by another, or with its terminal; not if nohup keeps it alive
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    warnings.showwarning = show_warning
    warnings.simplefilter("always", PaclearnWarning)
    try:
        app(standalone_mode=True)
    except MissingDependencyError as error:
        fail(str(error), 1)
    except PaclearnError as error:
        fail(str(error), 2)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 2)


def _end(number: int, _frame: object) -> NoReturn:
    """Leave as an error does: what is half written goes with it."""
    sys.exit(128 + number)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"paclearn {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass
