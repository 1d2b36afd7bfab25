"""Runs a training script as one member of a job: ``python -m hotswap.runtime.bootstrap SCRIPT``.

The script runs as ``__main__``, as under ``torchrun``. A standby may have to start it over: the
model that it built in advance is for one rank, and it is another rank that was lost. Modules stay
imported, so that only the script's own lines run again.
"""

from __future__ import annotations

import runpy
import sys

from hotswap.errors import HotswapError
from hotswap.runtime import garbage, session

#: Exit status of a member that ended with an error of this package.
EXIT_FAILED = 70


def main(arguments: list[str]) -> int:
    """Run the script named by ``arguments[0]`` with the others as its arguments."""
    garbage.put_off()
    sys.argv = arguments
    # The script's own folder comes first, as when python runs it directly.
    sys.path[0] = str(session.script_folder(arguments[0]))
    while (status := _run_to_end(arguments[0])) is None:
        # Otherwise the former rank's model would stay in memory beside the next one.
        garbage.free_former()
    return status


def _run_to_end(script: str) -> int | None:
    """Run the script and tell the job how it ended; None: it has to start over."""
    try:
        _run(script)
        session.require_joined()
    except session.StartOver:
        return None
    except HotswapError as error:
        session.end(ok=False, detail=f"{error.code}: {error}")
        print(f"hotswap: {error.code}: {error}", file=sys.stderr)  # noqa: T201 - for the log's reader
        return EXIT_FAILED
    except SystemExit as ending:
        session.end(ok=not ending.code, detail=str(ending.code or ""))
        raise
    except BaseException as error:
        # The script may raise anything: the job is told why it ended, python prints the rest.
        session.end(ok=False, detail=f"{type(error).__name__}: {error}")
        raise
    session.end(ok=True, detail="")
    return 0


def _run(script: str) -> None:
    """Run the script once; an error that torch words badly is raised as one of this package."""
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        # A script may raise anything; it goes on from here, as it is or explained. Importing torch
        # takes a second, as does ending with it: a script that does without is to have neither.
        if "torch" not in sys.modules:
            raise
        from hotswap.runtime import meshes  # noqa: PLC0415 - as said above

        misfit = meshes.misfit(error)
        if misfit is not None:
            raise misfit from error
        raise


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
