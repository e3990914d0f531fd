"""A temporary folder that goes with the last object that has it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref


def _removed(folder: str, process: int) -> None:
    # A process that was forked has the objects of the one before it, and none of its folders.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class Scratch:
    """A new temporary folder, which is removed with this object, or when the interpreter ends."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="skinscope-")
        weakref.finalize(self, _removed, self.folder, os.getpid())
