"""Being told to stop: SIGTERM ends a run the way Ctrl-C does, so that workers stop and no mark is left."""

import signal
import threading
from types import FrameType
from typing import NoReturn


def stop_on_sigterm() -> None:
    """Take SIGTERM (a scheduler's, ``kill``'s) as Ctrl-C. Ray sets its own answer, an abort: call this after it too."""
    if threading.current_thread() is threading.main_thread():  # signals can be set nowhere else
        signal.signal(signal.SIGTERM, _stop)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
