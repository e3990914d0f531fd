"""Strokes of brushes as a file that the command line reads."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ._error import Error


@contextmanager
def file_of(strokes: Any, locked: Sequence[str]) -> Iterator[str]:
    """Lends a file with these strokes, each of which leaves the weights of the locked joints as they are. A file of strokes is lent itself where
    nothing is locked. What is refused in a list of strokes is told as of ``strokes``.
    """
    folder = os.getcwd()
    if isinstance(strokes, (str, os.PathLike)):
        path = os.fspath(strokes)
        if not locked:
            yield path
            return
        folder = os.path.dirname(os.path.abspath(path))
        try:
            with open(path, encoding="utf-8-sig") as file:
                strokes = json.load(file)
        except (OSError, ValueError) as error:
            raise Error(f"{path}: {error}") from None
    whole = dict(strokes) if isinstance(strokes, Mapping) else {"schema": 1, "strokes": list(strokes)}
    listed = whole.get("strokes")
    if isinstance(listed, (list, tuple)):
        whole["strokes"] = [_stroke(stroke, folder, locked) for stroke in listed]
    with tempfile.TemporaryDirectory(prefix="skinscope-") as scratch:
        path = os.path.join(scratch, "strokes.json")
        with open(path, "w", encoding="utf-8") as file:
            try:
                json.dump(whole, file, default=_plain)
            except TypeError as error:
                raise Error(f"strokes: {error}") from None
        try:
            yield path
        except Error as error:
            raise Error(str(error).replace(path, "strokes"), error.exit_code) from None


def _stroke(stroke: Any, folder: str, locked: Sequence[str]) -> Any:
    """Returns a stroke whose pose file is named by its whole path, with these joints locked too."""
    if not isinstance(stroke, Mapping):
        return stroke
    out = dict(stroke)
    if isinstance(out.get("pose"), (str, os.PathLike)):
        out["pose"] = os.path.join(folder, os.fspath(out["pose"]))
    if locked:
        out["locked"] = [*out.get("locked", ()), *locked]
    return out


def _plain(value: Any) -> Any:
    """Returns numbers of numpy, and paths, as JSON has them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} has no place in a stroke")
