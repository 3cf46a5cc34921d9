"""The ``passband`` command: finds the subcommand, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import os
import sys
from typing import NoReturn

import click

import passband
from passband.cli.plainly import speak_plainly
from passband.cli.unread import ReadGroup, UnreadError, end_unread, unread_told
from passband.errors import DataError, PassbandError

__all__ = ["EXIT_INTERRUPTED", "cli", "main"]

EXIT_INTERNAL = 5
_OUTPUT_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
_COMPLETION = "_PASSBAND_COMPLETE"
EXIT_INTERRUPTED = 130  # what shells expect of a command that Ctrl-C ended

# Modules are imported when their command runs, so that `--help` costs next to nothing.
_COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("passband.cli.demo", "Evaluate and compare two built-in subjects, offline."),
    "run": ("passband.cli.run", "Draw n samples a case, grade and store each."),
    "show": ("passband.cli.show", "Show a run, one of its cases, or one sample."),
    "runs": ("passband.cli.show", "List the runs in a store."),
    "compare": ("passband.cli.compare", "Compare a candidate with a baseline, paired by case."),
    "stats": ("passband.cli.stats", "Print the same numbers for anyone's counts, from a CSV."),
    "gate": ("passband.cli.gate", "Decide by a policy whether a run may ship."),
    "review": ("passband.cli.review", "Say what somebody's reported improvement can support."),
    "select": ("passband.cli.select", "Choose a run on validation; report test once."),
    "ledger": ("passband.cli.select", "Show which models each test set has seen."),
    "canary": ("passband.cli.canary", "Require reference subjects to score what they scored."),
    "flaky": ("passband.cli.flaky", "Tell cases whose subject varies from those whose verdict does."),
    "drift": ("passband.cli.drift", "Show what differs between two harnesses."),
    "suite": ("passband.cli.suite", "Hash, check and import suites."),
    "grade": ("passband.cli.grade", "Grade answers, one or a file of them, without a run."),
    "store": ("passband.cli.store", "Check, rescue and merge stores."),
    "doctor": ("passband.cli.doctor", "Say which isolation this machine gives, and why not more."),
    "schema": ("passband.cli.schema", "Print the JSON Schema of the records."),
}

_EPILOG = """\b
Exit codes:
  0  done, or the gate passed       3  inconclusive
  1  the candidate is worse         4  bad or incomplete data
  2  usage or configuration         5  internal error

\b
Start here:
  passband demo
  passband run builtin --subject mutator -n 8
  passband show latest
"""


class _LazyGroup(ReadGroup):
    """Knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(_COMMANDS)}"
            raise click.UsageError(f"no command named {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(
    cls=_LazyGroup,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(passband.__version__, prog_name="passband")
@click.option("--debug", is_flag=True, help="Show the traceback of an error; also PASSBAND_DEBUG=1.")
def cli(debug: bool) -> None:  # noqa: FBT001 - click passes by name
    """How often a stochastic coding agent really succeeds, how sure you may be, and whether B beats A."""
    if debug:
        os.environ["PASSBAND_DEBUG"] = "1"


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Parameters
    ----------
    argv : list of str, optional
        Arguments; those of the process where left out.
    """
    speak_plainly()
    try:
        code = _run(argv)
    except (UnreadError, BrokenPipeError):  # of a complaint and of completion too
        code = end_unread()
    # The interpreter would look through all that is alive for cycles once more before it ends.
    gc.freeze()
    sys.exit(code)


def _run(argv: list[str] | None) -> int:
    try:
        code = cli.main(argv, prog_name="passband", standalone_mode=False)
        if sys.stdout is not None:  # closed before the start
            with unread_told():
                sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        _complain(f"{error.format_message().rstrip('.')}", getattr(error, "ctx", None))
        return 2
    except PassbandError as error:
        _complain(str(error))
        if snippet := getattr(error, "snippet", ""):
            click.echo(snippet, err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("passband: interrupted", err=True)
        return EXIT_INTERRUPTED
    except (UnreadError, BrokenPipeError):
        raise
    except OSError as error:
        return _os_error(error)
    except BaseException as error:
        if isinstance(error, SystemExit) and _COMPLETION in os.environ:  # how click ends when a shell asks it
            raise
        # The last resort, exits of foreign code included: 1 would say that a candidate is worse.
        return _internal(error)


def _internal(error: BaseException) -> int:
    _complain(f"internal error: {type(error).__name__}: {error}; see it whole with: passband --debug …")
    return EXIT_INTERNAL


def _os_error(error: OSError) -> int:
    """A file that can't be read or written is no fault of ours; neither is an output that is full."""
    if error.filename:
        _complain(f"{os.fsdecode(error.filename)}: {error.strerror}")
    elif error.errno in _OUTPUT_FULL:
        _complain(f"the output cannot be written: {error.strerror}; what a run has stored is safe")
        with contextlib.suppress(OSError, ValueError, AttributeError):  # nor can what is left of it, at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        return _internal(error)
    return DataError.exit_code


def _complain(message: str, ctx: click.Context | None = None) -> None:
    if os.environ.get("PASSBAND_DEBUG"):
        import traceback

        traceback.print_exc()
    hint = f"; see {ctx.command_path} --help" if ctx is not None and "; " not in message else ""
    line = " ".join(message.split())
    shown = "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in line)
    with contextlib.suppress(OSError):  # where nobody can be told, the exit code says it
        click.echo(f"passband: error: {shown}{hint}", err=True)
