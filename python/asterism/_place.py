"""Where runs, sweeps and snapshots are written."""
import itertools
import pathlib
import threading
import weakref

_taken: "weakref.WeakValueDictionary[str, Place]" = weakref.WeakValueDictionary()
_lock = threading.Lock()


class Place:
    """A path: the one that is given, or runs/NAME.

    Results are read when they are asked for. That is why another call without a path gets runs/NAME.2 and so on, as
    long as a run, a table or a snapshot of this process refers to the place.
    """

    def __init__(self, given, name, suffix="", within=None):
        self._within = within
        with _lock:
            for number in itertools.count(1):
                default = pathlib.Path("runs") / f"{name}{f'.{number}' if number > 1 else ''}{suffix}"
                self.path = pathlib.Path(given) if given else default
                key = str(self.path.absolute())
                if given:
                    _taken[key] = self
                if _taken.setdefault(key, self) is self:
                    return
