"""The parts of a model: nodes, clips, skins, primitives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._error import Error, counted, number

if TYPE_CHECKING:
    from ._model import Model

Floats: TypeAlias = npt.NDArray[np.float32]
CSR: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]"
"""``(indptr, indices, data)`` of V rows, as ``scipy.sparse.csr_array((data, indices, indptr), shape=(V, J))`` takes them."""
Pairs: TypeAlias = "tuple[npt.NDArray[np.int32], Floats]"
"""``(joints, weights)``, both (V, K): K pairs for each vertex, those with weight 0 at the end of its row mean nothing."""


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        kinds = ["joint"] * self.is_joint + [f"shows mesh {self.mesh}"] * (self.mesh is not None)
        above = "no parent" if self.parent is None else f"parent {self.parent}"
        facts = [*kinds, above, counted(len(self.children), "child", "children")]
        return f"<Node {self.index} {self.name!r}: {', '.join(facts)}>"


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


@dataclass(frozen=True, eq=False, repr=False)
class Skin:
    """A skin: which joints move the vertices of the meshes that are shown by it."""

    index: int
    name: str
    joints: tuple[int, ...]
    """Nodes of the file; the columns of weights are in this order."""
    joint_names: tuple[str, ...]
    inverse_bind_matrices: Floats
    """Joint from mesh in the bind pose, (J, 4, 4) float32. A copy; identity where the file stores none."""

    def __repr__(self) -> str:
        first = f", the first is {self.joint_names[0]!r}" if self.joint_names else ""
        return f"<Skin {self.index} {self.name!r}: {counted(len(self.joints), 'joint', 'joints')}{first}>"


@dataclass(frozen=True, eq=False, repr=False)
class MorphTarget:
    """A morph target (blend shape) of a primitive: what is added to its vertices at weight 1, in the space of the mesh. Read-only views."""

    name: str
    """The name in ``extras.targetNames`` of the mesh; where the file has none, ``target 0`` and so on."""
    positions: Floats | None
    """Displacements of the positions, (V, 3) float32; ``None`` where the file stores none."""
    normals: Floats | None
    """Displacements of the normals, (V, 3) float32, before the sums are divided by their length; ``None`` where the file stores none."""
    tangents: Floats | None
    """Displacements of xyz of the tangents, (V, 3) float32; ``None`` where the file stores none."""

    def __repr__(self) -> str:
        lists = [name for name in ("positions", "normals", "tangents") if getattr(self, name) is not None]
        return f"<MorphTarget {self.name!r}: {', '.join(lists) or 'nothing'}>"


class Primitive:
    """A part of a mesh with one list of vertices. It shows its model as that is now, also after edits; arrays that were taken before an edit stay
    as they were. Once the model has no such primitive any more, everything here raises :class:`Error`.
    """

    def __init__(self, model: Model, content: _native.Content, native: _native.Primitive) -> None:
        self._model = model
        self._at = native.mesh, native.index
        # What the model was when this was last asked for something, and this part of it: replaced together.
        self._taken = content, native

    def _now(self) -> tuple[_native.Content, _native.Primitive]:
        """Returns what the model is now, and this part of it."""
        content = self._model._content
        if content is not self._taken[0]:
            native = content.primitive(*self._at)
            if (native.mesh, native.index) != self._at:
                raise Error(f"primitive {self.mesh},{self.index} has no vertices of its own any more")
            self._taken = content, native
            return content, native
        return self._taken

    @property
    def _native(self) -> _native.Primitive:
        return self._now()[1]

    def __repr__(self) -> str:
        content, native = self._now()
        facts = [counted(native.vertex_count, "vertex", "vertices")]
        if native.topology == "triangles":
            facts.append(counted(len(native.indices) // 3, "triangle", "triangles"))
        else:
            facts.append(native.topology)
        skins = content.skins()
        facts += [f"{counted(len(skins[skin][1]), 'joint', 'joints')} of skin {skin}" for skin in native.skins]
        return f"<Primitive {self.mesh},{self.index} {native.mesh_name!r}: {', '.join(facts)}>"

    @property
    def mesh(self) -> int:
        """The mesh of the file."""
        return self._at[0]

    @property
    def index(self) -> int:
        """Its number in the mesh."""
        return self._at[1]

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
    def tangents(self) -> Floats | None:
        """Tangents in the space of the mesh, (V, 4) float32: xyz of unit length, w is 1 or -1, the side of the bitangent. A read-only view. Where
        the file stores none and a normal map needs them, they are computed by MikkTSpace, and a vertex whose triangles disagree has that of the
        first; ``None`` where no normal map needs them.
        """
        return self._native.tangents

    @property
    def texcoords(self) -> tuple[Floats | None, ...]:
        """Texture coordinates: item n is ``TEXCOORD_n``, (V, 2) float32, with (0, 0) at the upper left of the picture. Read-only views. Sets
        beyond 1 are not read, ``None`` is a set that the file lacks before one that it has, and without any there are no items.
        """
        sets = self._native.texcoords
        while sets and sets[-1] is None:
            sets.pop()
        return tuple(sets)

    @property
    def colors(self) -> tuple[Floats, ...]:
        """Vertex colours: the item is ``COLOR_0``, (V, 4) float32, linear RGBA with straight alpha; alpha is 1 where the file stores RGB. A
        read-only view. Further sets are not read, and without any there is no item.
        """
        first = self._native.colors
        return () if first is None else (first,)

    @property
    def morph_targets(self) -> tuple[MorphTarget, ...]:
        """The morph targets, in the order of the file."""
        return tuple(MorphTarget(name, *lists) for name, lists in self._native.morph_targets)

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
    @overload
    def weights(self, format: Literal["pairs"], *, skin: int | None = None) -> Pairs: ...
    def weights(self, format: str = "dense", *, skin: int | None = None) -> Floats | CSR | Pairs:
        """Returns the weights as the file stores them, as shares of 1. Copies.

        ``dense``: (V, J) float32, a column for each of ``skins[skin].joints``. ``csr``: ``indptr`` (V + 1,) int64, ``indices`` (n,) int32 and
        ``data`` (n,) float32; columns rise in each row, and no weight is 0. ``pairs``: ``joints`` (V, K) int32, which are such columns, and
        ``weights`` (V, K) float32, where K is the most that a vertex has; rows of fewer end with joint 0 at weight 0. What a vertex has of one
        joint several times is added up. ``skin`` is needed where several skins with other joints show the mesh.

        Raises :class:`Error` where the primitive has no skin.
        """
        if skin is not None:
            skin = number(skin, "skin")
        if format == "dense":
            return self._native.dense(skin)
        if format == "csr":
            return self._native.csr(skin)
        if format == "pairs":
            return _pairs(*self._native.csr(skin))
        raise Error(f"weights are dense or csr or pairs, and not {format!r}")

    def set_weights(
        self,
        weights: npt.ArrayLike | CSR | Pairs | Any,
        *,
        skin: int | None = None,
        vertices: npt.ArrayLike | None = None,
        normalise: bool = False,
    ) -> dict[str, Any]:
        """Replaces the weights in the model: ``model.set_weights(mesh, index, weights, ...)``, which says what is taken. :meth:`weights` returns
        the new ones from then on, here and from any other object of this primitive.
        """
        return self._model.set_weights(*self._at, weights, skin=skin, vertices=vertices, normalise=normalise)

    @property
    def locks(self) -> frozenset[int]:
        """Those of :attr:`Model.locks` that are joints of the skins of this primitive: nodes of the file. What is set here, by number or by name,
        replaces these; locks of other joints stay. A joint is locked in the whole model, also for other primitives that it moves.
        """
        return self._model.locks & self._joints()

    @locks.setter
    def locks(self, joints: Iterable[int | str] | int | str) -> None:
        own = self._joints()
        named = joints_named(self._now()[0], joints, own, f"no joint of a skin of primitive {self.mesh},{self.index}")
        with self._model._lock:
            self._model._locks = self._model._locks - own | named

    def _joints(self) -> frozenset[int]:
        """Returns the joints of its skins, as nodes of the file."""
        content, native = self._now()
        skins = content.skins()
        return frozenset(joint for skin in native.skins for joint in skins[skin][1])


def _pairs(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], data: Floats) -> Pairs:
    """Returns rows of pairs as two arrays with rows of one length."""
    counts = np.diff(indptr)
    used = np.arange(counts.max(initial=0)) < counts[:, None]
    joints, weights = np.zeros(used.shape, np.int32), np.zeros(used.shape, np.float32)
    joints[used], weights[used] = indices, data
    return joints, weights


def joints_named(
    content: _native.Content, joints: Iterable[int | str] | int | str, among: Collection[int], unless: str
) -> frozenset[int]:
    """Returns the nodes of the file that numbers and names of joints mean; ``unless`` is what one is that is not ``among`` them."""
    try:
        listed = [joints] if isinstance(joints, str) or not isinstance(joints, Iterable) else list(joints)
    except TypeError:
        raise Error(f"joints are numbers or names of nodes, and not {joints!r}") from None
    names: dict[str, list[int]] = {}
    nodes = set()
    for index, name, *_ in content.nodes():
        names.setdefault(name, []).append(index)
        nodes.add(index)
    found = set()
    for joint in listed:
        named = names.get(joint, []) if isinstance(joint, str) else [*({number(joint, "node")} & nodes)]
        if len(named) != 1:
            raise Error(f"{joint!r} names {len(named)} nodes, and a joint is one of them")
        if named[0] not in among:
            raise Error(f"{joint!r} is {unless}")
        found.add(named[0])
    return frozenset(found)


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
