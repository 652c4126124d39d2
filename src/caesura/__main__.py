# SPDX-License-Identifier: Apache-2.0
"""The command line, as ``caesura`` and as ``python -m caesura``."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


_ENDING = ("SIGTERM", "SIGHUP")
_LEAST = 256 << 20
_came: list[int] = []
"""The signal that ends this run, if one came."""


def _end(number: int, _: object) -> None:
    """Clean up and end as Ctrl-C does, at the first such signal: a second one must not cut the cleaning short."""
    if not _came:
        _came.append(number)
        raise KeyboardInterrupt


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise Ctrl-C again when it came where Python drops exceptions, as in the callback of a weak reference."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
    elif not sys.is_finalizing():
        # In another thread: raised from here it would be dropped once more.
        _thread.start_new_thread(_interrupt, (_thread.get_ident(),))


def _interrupt(thread: int) -> None:
    """Interrupt a thread by a signal, which ends a call that blocks; ``interrupt_main`` would wait for its end."""
    time.sleep(0.01)  # until the thread has left the place where exceptions are dropped
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(thread, _came.pop() if _came else signal.SIGINT)


def _refuse_little_memory() -> None:
    """Refuse a limit of memory below which OpenBLAS, once imported, ends the process itself, with 1, or waits for ever."""
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= most < _LEAST:  # -1 is none
        sys.stderr.write(
            f"caesura: not enough memory: the limit of this shell is {most >> 20} MiB; set at least {_LEAST >> 20} MiB with "
            f"ulimit -v {_LEAST >> 10}\n"
        )
        sys.exit(2)
    if 0 <= most < 16 * _LEAST:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread takes its own share


def main() -> NoReturn:
    """Import the command line and run it; from the first import on Ctrl-C ends it with 130, TERM with 143, HUP with 129."""
    sys.unraisablehook = _raise_again
    ending = [number for name in _ENDING if (number := getattr(signal, name, None)) is not None]
    for number in ending:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has SIGHUP ignored
            signal.signal(number, _end)
    # The threads of OpenBLAS wait for work by spinning 0.1 s each at start-up, unless told to sleep after 2**20 ticks.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
    _refuse_little_memory()
    try:
        from caesura.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as error:  # while a class is made, Python 3.11 turns Ctrl-C into this
        if isinstance(error.__cause__, KeyboardInterrupt):
            sys.exit(130)
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # from here on it ends Python itself, without a traceback
        if _came:
            sys.exit(128 + _came[0])


if __name__ == "__main__":
    main()
