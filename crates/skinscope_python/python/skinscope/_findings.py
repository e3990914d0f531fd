"""What a check finds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._error import counted


# How many findings the text of a list of them has.
_SHOWN = 20


@dataclass(frozen=True)
class Measured:
    """The number by which a finding is judged."""

    what: str
    value: float
    unit: str


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """Something that is wrong with a skin. The fields are those of ``skinscope check --json``, but for ``vertices``, which has all."""

    rule: str
    """The id of the rule, such as ``unweighted``."""
    severity: Literal["error", "warning", "info"]
    message: str
    """What is wrong, a sentence or more."""
    fix: str
    """What to do about it."""
    mesh: int | None
    """The mesh in the file; ``None`` for what is about joints."""
    primitive: int | None
    """The primitive of the mesh; ``None`` for what is about joints."""
    materials: tuple[str | None, ...]
    """Names of the materials that draw the vertices; ``None`` is the default material."""
    vertices: npt.NDArray[np.int64]
    """All vertices (n,), rising, as the primitive numbers them. Read-only."""
    joints: tuple[int, ...]
    """Nodes of the file."""
    measure: Measured | None
    """The number by which it is judged, where there is one."""
    pose: dict[str, Any] | None
    """Where it is seen best: ``{"joint", "axis", "degrees"}`` is the rest pose with one joint turned about an axis of its own,
    ``{"clip", "time"}`` a clip at seconds of its own; ``None``: the stored pose."""
    words: dict[str, Any]
    """What reports say of it: ``location``, ``mesh`` (its name), ``joints`` (names of the first 32), ``measure``, ``pose``."""
    known: bool | None = None
    """Whether ``baseline`` has it; ``None`` without one."""

    def __repr__(self) -> str:
        at = "" if self.mesh is None else f" {self.mesh},{self.primitive}"
        return f"<{self.severity} {self.rule}{at}: {self.message}>"


class Findings(list[Finding]):
    """The findings of a check, worst first, with the rest of its report."""

    report: dict[str, Any]
    """An item of ``files`` of ``skinscope check --json``: also ``summary``, ``baseline``, ``gates``, ``symmetry``, ``rom``, ``runtime``. Lists of vertices
    have the first 256 there."""
    exit: Literal["ok", "findings"]
    """Whether anything that ``baseline`` does not have reaches ``fail_on``, or anything exceeds ``fail_over``: how ``skinscope check`` of this file alone would end."""

    def __init__(self, item: str, line: str, vertices: list[npt.NDArray[np.int64]], fails: bool) -> None:
        self.report = json.loads(item)
        self.exit = "findings" if fails else "ok"
        self._line = line
        super().__init__(_finding(found, own) for found, own in zip(self.report["findings"], vertices, strict=True))

    def __repr__(self) -> str:
        plural = {"error": "errors", "warning": "warnings", "info": "info"}
        found = {severity: sum(one.severity == severity for one in self) for severity in plural}
        counts = [counted(count, severity, plural[severity]) for severity, count in found.items() if count]
        shown = [f"  {one!r}" for one in self[:_SHOWN]]
        left = [f"  and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([f"<Findings: {', '.join(counts) or 'none'}>", *shown, *left])

    def json_line(self) -> str:
        """Returns the line that ``skinscope check --json-lines`` writes, without a line break. :func:`skinscope.merge_reports` joins such lines."""
        return self._line.rstrip("\n")


def _finding(found: dict[str, Any], vertices: npt.NDArray[np.int64]) -> Finding:
    vertices.flags.writeable = False
    measure = found["measure"]
    return Finding(
        rule=found["rule"],
        severity=found["severity"],
        message=found["message"],
        fix=found["fix"],
        mesh=found["mesh"],
        primitive=found["primitive"],
        materials=tuple(found["materials"]),
        vertices=vertices,
        joints=tuple(found["joints"]),
        measure=None if measure is None else Measured(measure["what"], measure["value"], measure["unit"]),
        pose=found["pose"],
        words=found["words"],
        known=found.get("known"),
    )
