"""Strokes of brushes as a file that the command line reads."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ._error import Error


class Text(NamedTuple):
    """Strokes as the text of a file, as they were when they were given."""

    text: str
    name: str
    """What errors call them."""


def text_of(strokes: Any, locked: Sequence[str]) -> Text | str:
    """Returns strokes as text, each of which leaves the weights of the locked joints as they are. A file of strokes is returned itself, by its
    path, where nothing is locked. What is refused in a list of strokes is told as of ``strokes``.
    """
    name, folder = "strokes", os.getcwd()
    if isinstance(strokes, (str, os.PathLike)):
        name = path = os.fspath(strokes)
        if not locked:
            return path
        folder = os.path.dirname(os.path.abspath(path))
        try:
            with open(path, encoding="utf-8-sig") as file:
                strokes = json.load(file)
        except (OSError, ValueError) as error:
            raise Error(f"{path}: {error}") from None
    if not isinstance(strokes, Iterable):
        raise Error(f"strokes are a list, what a file of strokes has, or its path, and not {strokes!r}")
    whole = dict(strokes) if isinstance(strokes, Mapping) else {"schema": 1, "strokes": list(strokes)}
    listed = whole.get("strokes")
    if isinstance(listed, (list, tuple)):
        whole["strokes"] = [_stroke(stroke, folder, locked) for stroke in listed]
    try:
        return Text(json.dumps(whole, default=_plain), name)
    except (TypeError, ValueError, RecursionError) as error:
        raise Error(f"{name}: {error}") from None


@contextmanager
def file_of(strokes: Text | str | None) -> Iterator[str | None]:
    """Lends a file with these strokes; a file is lent itself."""
    if strokes is None or isinstance(strokes, str):
        yield strokes
        return
    with tempfile.TemporaryDirectory(prefix="skinscope-") as scratch:
        path = os.path.join(scratch, "strokes.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(strokes.text)
        try:
            yield path
        except Error as error:
            raise Error(str(error).replace(path, strokes.name), error.exit_code) from None


def _stroke(stroke: Any, folder: str, locked: Sequence[str]) -> Any:
    """Returns a stroke whose pose file is named by its whole path, with these joints locked too."""
    if not isinstance(stroke, Mapping):
        return stroke
    out = dict(stroke)
    if isinstance(out.get("pose"), (str, os.PathLike)):
        out["pose"] = os.path.join(folder, os.fspath(out["pose"]))
    if locked:
        own = out.get("locked")
        # What is no list is refused where the strokes are read.
        if own is None or isinstance(own, (list, tuple)):
            out["locked"] = [*(own or ()), *locked]
    return out


def _plain(value: Any) -> Any:
    """Returns numbers of numpy, and paths, as JSON has them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} has no place in a stroke")
