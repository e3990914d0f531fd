"""Inspects, poses, paints, binds and repairs the skins of glTF characters.

Spaces and units: positions of a primitive are in the space of its mesh, as the file stores them. Poses and deformed surfaces are in the
scene: right-handed, +Y up, metres. Matrices are for column vectors (``world = matrix @ point``). Times are seconds on the timeline of a clip.
Numbers of nodes, meshes, primitives, skins, clips and vertices are those of the file, from 0.

What is a command of the program takes the options of that command as keywords: ``--hold-out A`` is ``hold_out="A"``. A flag is ``True``, an
option that may be given several times takes a list, one with ``NAME=VALUE`` takes a dict, one of several numbers with commas between them takes
a tuple, and one that names a file takes a path or an open model. A name that is a word of Python has an underscore after it: ``from_``. An
unknown option is an :class:`Error`. :func:`options` lists them.

Models may be used by several threads at once: while the library works, the interpreter is free. Ctrl+C ends a call with
``KeyboardInterrupt``, and the model is then as it was; what reads a file or prepares a method may go on for a moment on a thread of its own, without
effect.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import Literal

from . import _native
from ._error import Error, Notice
from ._findings import Finding, Findings, Measured
from ._model import Model, Path
from ._native import __version__
from ._parts import CSR, Clip, Floats, MorphTarget, Node, Pairs, Primitive, Skin
from ._pose import Deformed, Pose
from ._words import Option, options

__all__ = [
    "CSR",
    "Clip",
    "Deformed",
    "Error",
    "Finding",
    "Findings",
    "Floats",
    "Measured",
    "Model",
    "MorphTarget",
    "Node",
    "Notice",
    "Option",
    "Pairs",
    "Pose",
    "Primitive",
    "Skin",
    "__version__",
    "merge_reports",
    "methods",
    "open",
    "options",
    "passes",
]

methods: tuple[str, ...] = tuple(_native.methods())
"""The names of deformation methods."""

passes: tuple[str, ...] = tuple(_native.passes())
"""The names of passes that a method may have after it, such as ``mush``."""


def open(
    source: Path | bytes | bytearray | memoryview,
    *,
    name: str | None = None,
    allow_external: bool = False,
    max_memory: int = 4096,
) -> Model:
    """Opens a ``.gltf`` or ``.glb`` file by its path (a text, a :class:`pathlib.Path`), or one in memory by its bytes (``bytes``, ``bytearray``,
    ``memoryview``, or anything whose memory is bytes, such as a ``mmap``, which are copied).

    Pixels of images are not decoded. A file is read once more when it is edited or saved, so that it must stay as it is until then: where it does
    not, that is an :class:`Error`. ``name`` is what reports and errors call the model; without it, its path, or ``model.glb`` or
    ``model.gltf`` for bytes. Bytes name no other files: the buffers of a ``.gltf`` in memory are data URIs. ``allow_external`` also reads files
    outside of the model's folder when the model refers to them. ``max_memory`` (MiB, 64 to 1048576) is what the file may take once it is open;
    every limit on its content follows from it.

    Raises :class:`Error` where the file is bad; the message says what is wrong, where, and what to do.
    """
    if not isinstance(max_memory, int) or not 64 <= max_memory <= 1 << 20:
        raise Error(f"max_memory is 64 to 1048576 MiB, and not {max_memory}")
    keywords = {"allow_external": allow_external, "max_memory": max_memory}
    if name is not None and not _is_name(name):
        raise Error(f"a name is a text that is not empty, and not {name!r}")
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if not isinstance(path, str):
            raise Error(f"a path is a text, and not {path!r}; os.fsdecode makes one of it")
        # It is the same file when the current folder is another one.
        whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
        try:
            content = _native.Content.open(whole, allow_external, max_memory)
        except Error as error:
            # It is called what it was called here.
            before = whole[: len(whole) - len(path)] if path else ""
            raise Error(str(error).removeprefix(before), error.exit_code) from None
        # A name that is no text is shown with signs for what is none, as the program shows it.
        shown = os.fsencode(path).decode("utf-8", "replace") if name is None else name
        return Model(content.named(shown), path, keywords)
    if not isinstance(source, (bytes, bytearray)):
        try:
            source = bytes(memoryview(source))
        except (TypeError, BufferError):
            raise Error(f"a path or bytes were expected, and not {type(source).__name__}") from None
    if name is None:
        name = "model.glb" if source[:4] == b"glTF" else "model.gltf"
    return Model(_native.Content.of_bytes(source, name, allow_external, max_memory), None, keywords)


def merge_reports(
    reports: Path | Iterable[Path],
    format: Literal["json", "json_lines", "sarif", "junit", "html"] = "json",
    baseline: Path | None = None,
) -> str:
    """Joins files of the lines that ``skinscope check --json-lines`` and :meth:`Findings.json_line` write to one report, as
    ``skinscope report merge`` does. Returns its text. With ``baseline``, a report of an earlier check, what that has is marked as known.

    Raises :class:`Error` where a line is cut off, or a part of a list is missing.
    """
    line = ["report", "merge", *([] if baseline is None else [f"--baseline={os.fspath(baseline)}"])]
    files = [os.fspath(report) for report in ([reports] if isinstance(reports, (str, os.PathLike)) else reports)]
    if not files:
        raise Error("there are no reports to join")
    if format not in ("json", "json_lines", "sarif", "junit", "html"):
        raise Error(f"a report is json, json_lines, sarif, junit or html, and not {format!r}")
    if format != "html":
        return _native.run([*line, f"--{format.replace('_', '-')}", "--", *files], [])[1]
    with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
        page = os.path.join(folder, "report.html")
        _native.run([*line, f"--html={page}", "--", *files], [])
        with _open_text(page) as file:
            return file.read()


def _is_name(name: object) -> bool:
    """Returns whether this is a text, and all of it characters."""
    try:
        return isinstance(name, str) and bool(name.encode())
    except UnicodeEncodeError:
        return False


def _open_text(path: str):  # noqa: ANN202
    """Opens a text; ``open`` is another function here."""
    return os.fdopen(os.open(path, os.O_RDONLY), encoding="utf-8")
