"""A temporary folder that goes with the last object that has it."""

from __future__ import annotations

import atexit
import filecmp
import os
import secrets
import shutil
import tempfile
import weakref

# The folders that there are, with the process that made each, and the object that has it.
_FOLDERS: dict[str, tuple[int, weakref.ref[Scratch]]] = {}


def _sweep(*_: object) -> None:
    """Removes folders that nobody has any more. One that a call which Ctrl+C has ended still writes into stays until the next time."""
    for folder, (process, owner) in list(_FOLDERS.items()):
        if owner() is not None:
            continue
        # A process that was forked has the objects of the one before it, and none of its folders.
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)
        if os.getpid() != process or not os.path.lexists(folder):
            _FOLDERS.pop(folder, None)


@atexit.register
def _sweep_all() -> None:
    for folder, (process, _) in list(_FOLDERS.items()):
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)


class Scratch:
    """A new temporary folder, which is removed with this object, or when the interpreter ends."""

    def __init__(self) -> None:
        _sweep()
        self.folder = os.path.join(tempfile.gettempdir(), f"skinscope-{secrets.token_hex(8)}")
        # It is known before it is there, so that Ctrl+C between the two leaves none.
        _FOLDERS[self.folder] = os.getpid(), weakref.ref(self, _sweep)
        os.mkdir(self.folder, 0o700)

    def is_within(self, other: str) -> bool:
        """Returns whether another folder has all files of this one, with the same bytes."""
        for folder, _, names in os.walk(self.folder):
            there = os.path.join(other, os.path.relpath(folder, self.folder))
            if filecmp.cmpfiles(folder, there, names, shallow=False)[0] != names:
                return False
        return True
