"""Inspects, poses, paints, binds and repairs the skins of glTF characters.

Spaces and units: positions of a primitive are in the space of its mesh, as the file stores them. Poses and deformed surfaces are in the
scene: right-handed, +Y up, metres. Matrices are for column vectors (``world = matrix @ point``) and read like fractions. Times are
seconds on the timeline of a clip. Numbers of nodes, meshes, primitives, skins, clips and vertices are those of the file, from 0.

Every function of a :class:`Model` that is a command of the program takes the options of that command as keywords: ``--hold-out A`` is
``hold_out="A"``. A flag is ``True``, an option that may be given several times takes a list, one with ``NAME=VALUE`` takes a dict, and one
of several numbers with commas between them takes a tuple. An unknown option is an :class:`Error`. :func:`options` lists them.

Models may be used by several threads at once. While the library works, the interpreter is free for other threads, and Ctrl+C ends the
call with ``KeyboardInterrupt``; the model is then as it was.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ._options import (
    BakeWeightsOptions,
    BindOptions,
    CheckOptions,
    ClipOptions,
    CompareOptions,
    DiffOptions,
    FixOptions,
    InfoOptions,
    LinksOptions,
    MeasureOptions,
    PaintOptions,
    SculptOptions,
    SolveOptions,
)
from typing_extensions import Unpack

__version__: str
"""The version of the library, which is that of the program."""

Path: TypeAlias = str | os.PathLike[str]
Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
CSR: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""``(indptr, indices, data)`` of V rows, as ``scipy.sparse.csr_array((data, indices, indptr), shape=(V, J))`` takes them."""

class Error(Exception):
    """Whatever cannot be done: a bad file, an option that does not exist, weights that no file can hold. The message is the program's."""

    exit_code: int
    """The exit code that the program would end with: 1 a file is bad, 2 wrong usage."""

def open(
    source: Path | bytes | bytearray | memoryview,
    *,
    name: str | None = None,
    allow_external: bool = False,
    max_memory: int = 4096,
) -> Model:
    """Opens a ``.gltf`` or ``.glb`` file by its path, or one in memory by its bytes.

    Pixels of images are not decoded. ``name`` is what reports and errors call a model of bytes (``model.glb``). Bytes name no other files; a
    ``.gltf`` in memory has its buffers as data URIs. ``allow_external`` also reads files outside the model's folder when the model refers to
    them. ``max_memory`` (MiB) is what the file may take once it is open, from which every limit on its content follows.

    Raises :class:`Error` where the file is bad; the message says what is wrong, where, and what to do.
    """

def options(command: str) -> dict[str, Option]:
    """Returns the options of a command (``"fix"``, ``"check"``, ...), by the names that the functions here take."""

def merge_reports(reports: Iterable[Path | str], format: Literal["json", "sarif", "junit", "html"] = "json") -> str:
    """Joins files of the lines that ``skinscope check --json-lines`` and :meth:`Findings.json_line` write to one report, as
    ``skinscope report merge`` does. Returns its text."""

class Option(NamedTuple):
    """An option of a command."""

    name: str
    """The keyword, such as ``hold_out``."""
    kind: Literal["flag", "value", "list"]
    """Whether it is ``True`` or absent, takes one value, or takes a list."""
    values: tuple[str, ...]
    """The words that it takes; empty where it takes any value of its form."""
    help: str
    """One sentence."""

@dataclass(frozen=True)
class Measured:
    """The number by which a finding is judged."""

    what: str
    value: float
    unit: str

@dataclass(frozen=True, eq=False)
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
    """All vertices (n,), ascending, as the primitive numbers them. Read-only."""
    joints: tuple[int, ...]
    """Nodes of the file."""
    measure: Measured | None
    pose: dict[str, Any] | None
    """Where it is seen best: ``{"joint", "axis", "degrees"}`` or ``{"clip", "time"}``; ``None``: the stored pose."""
    words: dict[str, Any]
    """What reports say of it: ``location``, ``mesh`` (name), ``joints`` (names of the first 32), ``measure``, ``pose``."""

class Findings(list[Finding]):
    """The findings of a check, worst first, with the rest of its report."""

    report: dict[str, Any]
    """An item of ``files`` of ``skinscope check --json``; lists of vertices have the first 256 there."""
    exit: Literal["ok", "findings"]
    """Whether anything reaches ``fail_on`` or exceeds ``fail_over``: how ``skinscope check`` of this file alone would end."""
    def json_line(self) -> str:
        """Returns the line that ``skinscope check --json-lines`` writes, without a line break."""

class Node:
    """A node of the file: a joint, a mesh, a group."""

    index: int
    name: str
    parent: int | None
    children: tuple[int, ...]
    mesh: int | None
    skin: int | None
    is_joint: bool
    @property
    def rest(self) -> Floats:
        """The stored transform, parent from node (4, 4) float32. A copy."""
    @property
    def world(self) -> Floats:
        """The stored pose, scene from node (4, 4) float32. A copy."""

class Clip:
    """An animation."""

    index: int
    name: str
    start: float
    """The first key, seconds."""
    duration: float
    """The last key, seconds."""
    channels: int

class Skin:
    """A skin: which joints move the vertices that name it."""

    index: int
    name: str
    joints: tuple[int, ...]
    """Nodes of the file; the columns of weights are in this order."""
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def inverse_bind_matrices(self) -> Floats:
        """Joint from mesh in the bind pose, (J, 4, 4) float32. A copy; identity where the file stores none."""

class Primitive:
    """A part of a mesh with one list of vertices, as the model was when it was taken. It stays as it is when the model is edited."""

    mesh: int
    index: int
    mesh_name: str
    material: str | None
    skins: tuple[int, ...]
    """The skins by which nodes show it; several have joints in an order of their own. Empty where it is rigid."""
    vertex_count: int
    """V: how many vertices the file stores."""
    topology: Literal["triangles", "lines", "points"]
    @property
    def positions(self) -> Floats:
        """Positions in the mesh's space, (V, 3) float32. A read-only view."""
    @property
    def normals(self) -> Floats | None:
        """Normals in the mesh's space, (V, 3) float32. A read-only view; ``None`` where the file stores none."""
    @property
    def indices(self) -> npt.NDArray[np.uint32]:
        """Vertices of triangles, lines or points one after the other, (n,) uint32, strips and fans as lists. A read-only view; those of other
        primitives of the mesh that name the same vertices are in it too."""
    @overload
    def weights(self, format: Literal["dense"] = "dense", *, skin: int | None = None) -> Floats: ...
    @overload
    def weights(self, format: Literal["csr"], *, skin: int | None = None) -> CSR: ...
    def weights(self, format: str = "dense", *, skin: int | None = None) -> Any:
        """The weights as they are stored, as fractions of 1.

        ``dense``: (V, J) float32, a column for each of ``skins[skin].joints``. ``csr``: ``(indptr (V + 1,) int64, indices (n,) int32,
        data (n,) float32)``, columns ascending in each row, without zeros. Both are copies. Several pairs of one vertex that name one joint
        are added up. ``skin`` is needed where ``skins`` has several. Raises :class:`Error` where the primitive has no skin.
        """

class Pose:
    """A model in a pose, as it was when the pose was taken."""

    clip: int | None
    seconds: float
    @property
    def matrices(self) -> Floats:
        """Scene from node for each node of the file, (N, 4, 4) float32. A copy."""
    def palette(self, skin: int) -> Floats:
        """Scene from mesh for each joint of a skin, (J, 4, 4) float32: world times inverse bind matrix. A copy."""
    def deform(
        self,
        method: str = "linear",
        *,
        primitive: tuple[int, int] | Primitive | None = None,
        instance: int = 0,
        normalise_weights: bool = False,
    ) -> Deformed:
        """Deforms the surface by a method of ``methods`` (``linear``, ``dual-quaternion``, ...; ``+mush`` after it for delta mush).

        ``primitive``, as ``(mesh, primitive)`` of the file or one of ``primitives``: only its vertices, V of them in the file's order, as the
        node ``instance`` (counted among those that show the mesh) has them; without it, those of everything that is shown, by node and
        primitive. Weights are used as stored unless ``normalise_weights``.
        """

class Deformed(NamedTuple):
    """A deformed surface, in the scene, metres."""

    positions: Floats
    """(V, 3) float32."""
    normals: Floats
    """(V, 3) float32, of unit length; zero where there is none."""

methods: tuple[str, ...]
"""The names of deformation methods."""

class Model:
    """A model of a glTF file. What changes it replaces it whole, or raises :class:`Error` and leaves it as it was."""

    name: str
    path: str | None
    """The file that it was read from; ``None`` for bytes."""
    @property
    def warnings(self) -> tuple[str, ...]:
        """What import repaired or left out."""
    @property
    def origin(self) -> tuple[float, float, float]:
        """Where a model stands that is far from the origin of its file, metres: poses and surfaces are counted from there."""
    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def clips(self) -> tuple[Clip, ...]: ...
    @property
    def skins(self) -> tuple[Skin, ...]: ...
    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """All primitives that have vertices of their own, by mesh and primitive of the file."""
    def primitive(self, mesh: int, primitive: int) -> Primitive:
        """Returns a primitive by its numbers in the file. One that names the vertices of another gives that one."""
    @property
    def locks(self) -> frozenset[int]:
        """Nodes of joints whose weights nothing changes: ``fix``, ``paint``, ``bind``, ``solve`` and ``bake_weights`` have them as ``lock``, and
        :meth:`set_weights` refuses weights that differ there. They are not stored in the file."""
    @locks.setter
    def locks(self, joints: Iterable[int | str]) -> None: ...
    def info(self, **options: Unpack[InfoOptions]) -> dict[str, Any]:
        """Says what the file holds: the JSON of ``skinscope info --json``."""
    def check(self, **options: Unpack[CheckOptions]) -> Findings:
        """Finds what is wrong with the skins, as ``skinscope check`` does. An image that is not needed is not read."""
    def measure(self, **options: Unpack[MeasureOptions]) -> dict[str, Any]:
        """Measures what a clip does to the surface: the JSON of ``skinscope measure --json``."""
    def compare(self, **options: Unpack[CompareOptions]) -> dict[str, Any]:
        """Says how far two methods, or two sets of weights, carry the surface apart: the JSON of ``skinscope compare --json``."""
    def diff(self, other: Model | Path, **options: Unpack[DiffOptions]) -> dict[str, Any]:
        """Says what differs between this model and another: the JSON of ``skinscope diff --json``."""
    def pose(self, clip: int | str | None = None, seconds: float = 0.0) -> Pose:
        """Poses the model: at a time of a clip, by its exact name or number, clamped to it; without one, as the file stores it."""
    def deform(
        self,
        method: str = "linear",
        *,
        clip: int | str | None = None,
        seconds: float = 0.0,
        primitive: tuple[int, int] | Primitive | None = None,
        instance: int = 0,
        normalise_weights: bool = False,
    ) -> Deformed:
        """``pose(clip, seconds).deform(...)``."""
    def set_weights(
        self,
        mesh: int,
        primitive: int,
        weights: npt.ArrayLike | CSR | Any,
        *,
        skin: int | None = None,
        normalise: bool = False,
        vertices: npt.ArrayLike | None = None,
    ) -> dict[str, Any]:
        """Replaces the weights of a primitive, and rounds them to what the file stores (a wider type is chosen where it must be).

        ``weights``: dense ``(V, J)`` or CSR ``(indptr, indices, data)``, or a matrix of scipy; floating-point numbers of any byte order and
        layout in memory. With ``vertices`` (n,) only these rows are replaced, and ``weights`` has n rows. Each row sums to 1 within 1e-3, or to
        anything above 0 with ``normalise``, which divides by the sum. Vertices at one place of other primitives stay.

        Returns the report: ``{"schema", "changed": {"vertices", ...}}`` as ``fix`` has it. Raises :class:`Error`, with the first row that is
        wrong, for a wrong shape or dtype, a number that is not finite or negative, a joint out of range or twice in a row, a row without
        weight or of another sum, and weights of locked joints that differ.
        """
    def fix(self, operations: Sequence[str | tuple[str, Any]] = (), **options: Unpack[FixOptions]) -> dict[str, Any]:
        """Repairs weights as ``skinscope fix`` does: operations by name (``"normalise"``) or with their value (``("limit", 4)``), or as keywords.

        Returns the JSON of ``skinscope fix --json``.
        """
    def paint(
        self, strokes: Sequence[Mapping[str, Any]] | Mapping[str, Any] | Path | None = None, **options: Unpack[PaintOptions]
    ) -> dict[str, Any]:
        """Carries out strokes on the weights, as ``skinscope paint`` does: a list of strokes, what a file of strokes has, or such a file.
        Paths of pose files in strokes begin at the file's folder, or at the current one. Without strokes, ``flood`` paints all vertices."""
    def bind(self, method: str | None = None, **options: Unpack[BindOptions]) -> dict[str, Any]:
        """Finds weights from the shape of meshes and their joints, as ``skinscope bind`` does (``heat``, ``voxel``, ...)."""
    def solve(self, poses: Path | None = None, **options: Unpack[SolveOptions]) -> dict[str, Any]:
        """Finds the weights that bring the posed surface nearest to example meshes, as ``skinscope solve`` does."""
    def bake_weights(self, **options: Unpack[BakeWeightsOptions]) -> dict[str, Any]:
        """Finds the weights with which linear blending comes nearest to another method, as ``skinscope bake-weights`` does."""
    def links(self, **options: Unpack[LinksOptions]) -> dict[str, Any]:
        """Adds bone links, as ``skinscope links`` does."""
    def sculpt(self, **options: Unpack[SculptOptions]) -> dict[str, Any]:
        """Makes, names and removes corrective shapes, as ``skinscope sculpt`` does."""
    def clip(self, **options: Unpack[ClipOptions]) -> dict[str, Any]:
        """Adds clips, as ``skinscope clip`` does."""
    def copy(self) -> Model:
        """Returns a model of its own with the same content; nothing is copied until one of the two is edited."""
    def save(self, path: Path, *, keep_links: bool = False) -> list[str]:
        """Writes the model into a file (a ``.glb`` stays one), byte for byte what the command line would have written. Files that it names are
        copied along into another folder. A file appears whole or not at all, and never over one that the model was read from.

        Returns the paths that were written.
        """
    def to_bytes(self) -> bytes:
        """Returns the bytes of the ``.glb`` or ``.gltf`` itself. Buffers of a ``.gltf`` in files of their own are not in it."""
