"""The parts of a model: nodes, clips, skins, primitives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._error import Error, number

Floats: TypeAlias = npt.NDArray[np.float32]
CSR: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]"
"""``(indptr, indices, data)`` of V rows, as ``scipy.sparse.csr_array((data, indices, indptr), shape=(V, J))`` takes them."""


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the file: a joint, a mesh, a group."""

    index: int
    """Its number in the file."""
    name: str
    """Its name; one without is called by its number."""
    parent: int | None
    children: tuple[int, ...]
    mesh: int | None
    """The mesh that it shows."""
    skin: int | None
    """The skin by which it shows the mesh."""
    is_joint: bool
    """Whether a skin names it."""
    rest: Floats
    """The stored transform, parent from node, (4, 4) float32."""
    world: Floats
    """The stored pose, scene from node, (4, 4) float32, metres."""


@dataclass(frozen=True)
class Clip:
    """An animation of the file."""

    index: int
    name: str
    start: float
    """The first key, seconds."""
    end: float
    """The last key, seconds."""
    channels: int
    """How many channels it has."""


@dataclass(frozen=True, eq=False)
class Skin:
    """A skin: which joints move the vertices of the meshes that are shown by it."""

    index: int
    name: str
    joints: tuple[int, ...]
    """Nodes of the file; the columns of weights are in this order."""
    joint_names: tuple[str, ...]
    inverse_bind_matrices: Floats
    """Joint from mesh in the bind pose, (J, 4, 4) float32. A copy; identity where the file stores none."""


class Primitive:
    """A part of a mesh with one list of vertices, as the model was when this was taken: it stays so when the model is edited."""

    def __init__(self, native: _native.Primitive) -> None:
        self._native = native

    def __repr__(self) -> str:
        return f"<Primitive {self.mesh},{self.index} {self.mesh_name!r}: {self.vertex_count} vertices>"

    @property
    def mesh(self) -> int:
        """The mesh of the file."""
        return self._native.mesh

    @property
    def index(self) -> int:
        """Its number in the mesh."""
        return self._native.index

    @property
    def mesh_name(self) -> str:
        """The name of the mesh; it may be empty."""
        return self._native.mesh_name

    @property
    def material(self) -> str | None:
        """The name of its material; ``None``: the default material."""
        return self._native.material

    @property
    def skins(self) -> tuple[int, ...]:
        """The skins by which nodes show it; several may have joints in orders of their own. Empty where it is rigid."""
        return tuple(self._native.skins)

    @property
    def vertex_count(self) -> int:
        """V: how many vertices the file stores."""
        return self._native.vertex_count

    @property
    def topology(self) -> Literal["triangles", "lines", "points"]:
        """What ``indices`` describes."""
        return self._native.topology

    @property
    def offset(self) -> tuple[float, float, float]:
        """What was subtracted from ``positions``: zeros, but for meshes that lie so far from the origin of their space that float32 rounds them."""
        x, y, z = self._native.offset
        return x, y, z

    @property
    def positions(self) -> Floats:
        """Positions in the space of the mesh, (V, 3) float32. A read-only view: nothing is copied."""
        return self._native.positions

    @property
    def normals(self) -> Floats | None:
        """Unit normals in the space of the mesh, (V, 3) float32. A read-only view; ``None`` where the file stores none."""
        return self._native.normals

    @property
    def indices(self) -> npt.NDArray[np.uint32]:
        """Vertices of triangles, lines or points one after the other, (n,) uint32; strips and fans are unrolled. Triangles of other primitives
        of the mesh that name the same vertices are in it too. Read-only; a view, but for meshes whose vertices had to be split for tangents.
        """
        return self._native.indices

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """``indices`` as (T, 3) uint32. Raises :class:`Error` for lines and points."""
        if self.topology != "triangles":
            raise Error(f"primitive {self.mesh},{self.index} has {self.topology}, and no triangles")
        return self.indices.reshape(-1, 3)

    @overload
    def weights(self, format: Literal["dense"] = "dense", *, skin: int | None = None) -> Floats: ...
    @overload
    def weights(self, format: Literal["csr"], *, skin: int | None = None) -> CSR: ...
    def weights(self, format: str = "dense", *, skin: int | None = None) -> Floats | CSR:
        """Returns the weights as the file stores them, as shares of 1. Copies.

        ``dense``: (V, J) float32, a column for each of ``skins[skin].joints``. ``csr``: ``indptr`` (V + 1,) int64, ``indices`` (n,) int32 and
        ``data`` (n,) float32; columns rise in each row, and no weight is 0. What a vertex has of one joint in several pairs is added up.
        ``skin`` is needed where several skins with other joints show the mesh.

        Raises :class:`Error` where the primitive has no skin.
        """
        if skin is not None:
            skin = number(skin, "skin")
        if format == "dense":
            return self._native.dense(skin)
        if format == "csr":
            return self._native.csr(skin)
        raise Error(f"weights are dense or csr, and not {format!r}")


def nodes_of(content: _native.Content) -> tuple[Node, ...]:
    """Returns the nodes of a model, in the order of the file."""
    rows = content.nodes()
    rest, world = content.rest_matrices()
    children: dict[int, list[int]] = {}
    for index, _, parent, *_ in rows:
        if parent is not None:
            children.setdefault(parent, []).append(index)
    return tuple(
        Node(index, name, parent, tuple(children.get(index, ())), mesh, skin, is_joint, rest[at], world[at])
        for at, (index, name, parent, mesh, skin, is_joint) in enumerate(rows)
    )


def clips_of(content: _native.Content) -> tuple[Clip, ...]:
    """Returns the clips of a model."""
    return tuple(Clip(index, *row) for index, row in enumerate(content.clips()))


def skins_of(content: _native.Content, nodes: Sequence[Node]) -> tuple[Skin, ...]:
    """Returns the skins of a model."""
    names = {node.index: node.name for node in nodes}
    return tuple(
        Skin(index, name, tuple(joints), tuple(names[joint] for joint in joints), content.inverse_binds(index))
        for index, (name, joints) in enumerate(content.skins())
    )
