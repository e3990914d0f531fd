"""A temporary folder that goes with the last object that has it."""

from __future__ import annotations

import atexit
import filecmp
import os
import shutil
import tempfile
import weakref

# Folders to remove, and the process that made each.
_LEFT: dict[str, int] = {}


def _sweep() -> None:
    """Removes folders that nobody has any more. One that a call which Ctrl+C has ended still writes into stays until the next time."""
    for folder, process in list(_LEFT.items()):
        # A process that was forked has the objects of the one before it, and none of its folders.
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)
        if os.getpid() != process or not os.path.lexists(folder):
            _LEFT.pop(folder, None)


def _removed(folder: str, process: int) -> None:
    _LEFT[folder] = process
    _sweep()


# What is registered first runs last, after the folders of objects that are left at the end.
atexit.register(_sweep)


class Scratch:
    """A new temporary folder, which is removed with this object, or when the interpreter ends."""

    def __init__(self) -> None:
        _sweep()
        self.folder = tempfile.mkdtemp(prefix="skinscope-")
        weakref.finalize(self, _removed, self.folder, os.getpid())

    def is_within(self, other: str) -> bool:
        """Returns whether another folder has all files of this one, with the same bytes."""
        for folder, _, names in os.walk(self.folder):
            there = os.path.join(other, os.path.relpath(folder, self.folder))
            if filecmp.cmpfiles(folder, there, names, shallow=False)[0] != names:
                return False
        return True
