"""A model, and everything that can be done with it."""

from __future__ import annotations

import json
import math
import os
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from . import _native
from ._edits import Edit, Report, State, is_current, keep, target_of
from ._error import Error, Notice, counted, number
from ._findings import Findings
from ._parts import CSR, Clip, Node, Pairs, Primitive, Skin, clips_of, joints_named, nodes_of, skins_of
from ._pose import Deformed, Pose, numbers_of
from ._scratch import Scratch
from ._strokes import Text, file_of, text_of
from ._weights import rows_of, setting, vertices_of
from ._words import Given, held, words

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import (
        BakeWeightsOptions,
        BindOptions,
        CheckOptions,
        ClipOptions,
        CompareOptions,
        DeformOptions,
        DiffOptions,
        FixOptions,
        LinksOptions,
        MeasureOptions,
        PaintOptions,
        SculptOptions,
        SolveOptions,
    )

Path: TypeAlias = "str | os.PathLike[str]"

# What a model of one file becomes is kept under such a name while a command runs; no such folder is made.
_NOWHERE = "<memory>"


def _unpickled(
    kind: type[Model],
    data: bytes,
    name: str,
    path: str | None,
    source: str | None,
    opened: Mapping[str, Any],
    locks: frozenset[int],
) -> Model:
    """Makes a model again in another process."""
    model = kind(_native.Content.of_bytes(data, name, opened["allow_external"], opened["max_memory"]), path, opened)
    model._source, model._locks = source, locks
    return model


class Model:
    """A model of a glTF file, as :func:`skinscope.open` opens it.

    Several threads may use it at once. An edit replaces the whole of it once it is done; where it raises, and where Ctrl+C ends it, the model
    is as it was. Numbers of nodes, meshes, primitives, skins, clips and vertices are those of the file, from 0.

    No file is held open. ``with skinscope.open(path) as model:`` lets go of the model's memory, and of the temporary folder of one of several
    files, where the block ends (:meth:`close`).
    """

    _state: State | None
    # The name of a model that is closed. It is set before the state goes, as it is read without the lock.
    _closed: str

    def __init__(self, content: _native.Content, path: str | None, keywords: Mapping[str, Any]) -> None:
        self._state = State(content)
        self._path = path
        # The file that no output replaces.
        self._source = None if content.file is None else os.fspath(content.file)
        # How it was opened, which holds for other files of commands too.
        self._opened = dict(keywords)
        self._lock = threading.RLock()
        self._locks: frozenset[int] = frozenset()

    @property
    def _current(self) -> State:
        state = self._state
        if state is None:
            raise Error(f"{self._closed}: this model is closed")
        return state

    @property
    def _content(self) -> _native.Content:
        return self._current.content

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of everything; arrays that were taken stay. All else raises :class:`Error` from then on. What was not saved is gone."""
        with self._lock:
            if self._state is not None:
                self._closed = self._state.content.name
                self._state = None

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """A model of one file goes to another process as its bytes."""
        state = self._current
        if not state.content.is_one_file:
            raise Error(f"{self.name} is of several files, and goes to no other process; send its path, or save it as a .glb")
        parts = state.content.bytes(), self.name, self._path, self._source, self._opened, self._locks
        return _unpickled, (type(self), *parts)

    def __repr__(self) -> str:
        state = self._state
        if state is None:
            return f"<Model {self._closed!r}: closed>"
        content = state.content
        skins, primitives = content.skins(), content.primitives()
        facts = [
            counted(len(skins), "skin", "skins"),
            counted(len({joint for _, joints in skins for joint in joints}), "joint", "joints"),
            counted(len(primitives), "primitive", "primitives"),
            counted(sum(one.vertex_count for one in primitives), "vertex", "vertices"),
            counted(len(content.clips()), "clip", "clips"),
        ]
        return f"<Model {content.name!r}: {', '.join(facts)}>"

    @property
    def name(self) -> str:
        """What reports and errors call it: its path, or the name that was given to bytes."""
        return self._content.name

    @property
    def path(self) -> str | None:
        """The file that it was read from; ``None`` for bytes."""
        return self._path

    @property
    def warnings(self) -> tuple[str, ...]:
        """What reading it has repaired or left out."""
        return tuple(self._content.warnings)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, in the order of the file."""
        return nodes_of(self._content)

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips, in the order of the file."""
        return clips_of(self._content)

    @property
    def skins(self) -> tuple[Skin, ...]:
        """The skins, in the order of the file."""
        content = self._content
        return skins_of(content, nodes_of(content))

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """The primitives that have vertices of their own, by mesh and primitive of the file."""
        content = self._content
        return tuple(Primitive(self, content, native) for native in content.primitives())

    def primitive(self, mesh: int, primitive: int) -> Primitive:
        """Returns a primitive by its numbers in the file; one that names the vertices of another gives that one."""
        content = self._content
        return Primitive(self, content, content.primitive(*numbers_of(mesh, primitive)))

    @property
    def locks(self) -> frozenset[int]:
        """Nodes of joints whose weights stay as they are: ``fix``, ``paint``, ``bind``, ``solve`` and ``bake_weights`` have them as ``lock``, and
        :meth:`set_weights` and :meth:`links` refuse what differs there. They may be set by number or by name; the file does not keep them.
        :attr:`Primitive.locks` are those among the joints of one primitive.
        """
        return self._locks

    @locks.setter
    def locks(self, joints: Iterable[int | str] | int | str) -> None:
        content = self._content
        of_skins = {joint for _, own in content.skins() for joint in own}
        named = joints_named(content, joints, of_skins, "no joint of a skin")
        with self._lock:
            self._locks = named

    def copy(self) -> Self:
        """Returns a model of its own with the same content. Nothing is copied until one of the two is edited."""
        with self._lock:
            state = self._current
            twin = type(self)(state.content, self._path, self._opened)
            twin._state, twin._locks, twin._source = state, self._locks, self._source
        return twin

    # What is asked.

    def info(self) -> Report:
        """Says what the file holds: nodes, skins, meshes, clips, materials, and where in the file each number stands. Returns the JSON of
        ``skinscope info --json``, whose fields ``skinscope help info`` lists.
        """
        return self._asked("info", {}, self._content.with_images())

    def check(self, **options: Unpack[CheckOptions]) -> Findings:
        """Finds what is wrong with the skins, as ``skinscope check`` does: weights, joints, matrices, seams; with ``rom=True`` also where the
        surface suffers while joints turn.
        """
        content = self._content
        line = words("check", self._with_opening("check", options), Given())
        return Findings(*content.check(line))

    def measure(self, **options: Unpack[MeasureOptions]) -> Report:
        """Measures what a clip does to the surface: stretch, volume, folds. Returns the JSON of ``skinscope measure --json``."""
        return self._asked("measure", options)

    def compare(self, **options: Unpack[CompareOptions]) -> Report:
        """Says how far two methods, or two sets of weights, carry the surface apart. Returns the JSON of ``skinscope compare --json``."""
        return self._asked("compare", options)

    def diff(self, other: Model | Path, **options: Unpack[DiffOptions]) -> Report:
        """Says what differs between this model and another. Returns the JSON of ``skinscope diff --json``; ``same`` says whether nothing does."""
        given = Given(dict(options), None if isinstance(other, Model) else other)
        for content in [self._content, *([other._content] if isinstance(other, Model) else [])]:
            # It looks at the bytes of both.
            is_current(content)
        line = words("diff", self._with_opening("diff", options), given)
        own = given.word(self._content)
        name = given.word(other._content) if isinstance(other, Model) else os.fspath(other)
        return self._report([*line, "--json", "--", own, name], given, stacklevel=3)[0]

    def pose(
        self, clip: int | str | None = None, seconds: float = 0.0, **options: Unpack[DeformOptions]
    ) -> Pose:
        """Poses the model: at a time of a clip, which is named by its exact name or its number, within the clip; without one, as the file stores
        it. Options are those of ``skinscope bake`` about poses: ``pose`` (a file), ``morph``, ``hold``, ``blend_clip`` and others.
        """
        keywords: dict[str, Any] = dict(options)
        if clip is None and seconds != 0.0:
            raise Error(f"{seconds!r} seconds are a time of a clip, and none is named")
        if clip is not None:
            try:
                time = float(seconds)
            except (TypeError, ValueError):
                raise Error(f"seconds are a number, and not {seconds!r}") from None
            if not math.isfinite(time):
                raise Error(f"seconds are a finite number, and not {seconds!r}")
            keywords.update(clip=clip, time=time)
        pose = Pose(self._content, keywords)
        # What does not exist is said now.
        words("deform", keywords, Given())
        if clip is not None and not any(clip in (at, one[0]) or str(at) == clip for at, one in enumerate(self._content.clips())):
            raise Error(f"there is no clip {clip!r}")
        return pose

    def deform(
        self,
        method: str | None = None,
        *,
        clip: int | str | None = None,
        seconds: float = 0.0,
        primitive: Primitive | tuple[int, int] | None = None,
        instance: int = 0,
        **options: Unpack[DeformOptions],
    ) -> Deformed:
        """Deforms the surface in a pose: ``pose(clip, seconds).deform(method, ...)``."""
        return self.pose(clip, seconds).deform(method, primitive=primitive, instance=instance, **options)

    # What changes it.

    def set_weights(
        self,
        mesh: int,
        primitive: int,
        weights: npt.ArrayLike | CSR | Pairs | Any,
        *,
        skin: int | None = None,
        vertices: npt.ArrayLike | None = None,
        normalise: bool = False,
    ) -> Report:
        """Replaces the weights of a primitive of the file, and rounds them to what the file stores.

        ``weights``: dense ``(V, J)``, ``(indptr, indices, data)`` of V rows, ``(joints, weights)`` of ``(V, K)`` each, whose pairs of weight 0
        mean nothing, or a sparse matrix of scipy; numbers of any floating-point type, byte order and layout in memory. With ``vertices`` only
        these are set, in this order, and ``weights`` has a row for each: numbers ``(n,)``, or a mask ``(V,)`` of bool. The columns are
        ``skins[skin].joints``; ``skin`` is needed where several skins with other joints show the mesh. A row has no negative weight and sums to 1
        within 1e-3, or with ``normalise`` to anything above 0; it is divided by its sum. A row that a vertex has already leaves it as it is, to
        the bit. More joints than the file has room for get room. Primitives that share the stored weights change too.

        Returns ``{"schema": 1, "changed": {"vertices", "accessors", "bytes", "json_values"}}``.

        Raises :class:`Error`, with the first vertex that is wrong, for a wrong shape or type, a number that is not finite or negative, a joint
        out of range or twice in a row, a row without weight or of another sum, and where a locked joint would change.
        """
        before = self._content
        given, target = before.skins(), before.primitive(*numbers_of(mesh, primitive))
        own = tuple(target.skins) if skin is None else (number(skin, "skin"),)
        if not own or not all(0 <= one < len(given) for one in own):
            raise Error(f"mesh {mesh} has no skin" if skin is None else f"there is no skin {skin}")
        chosen = vertices_of(vertices, target.vertex_count)
        rows = target.vertex_count if chosen is None else len(chosen)
        asked = rows_of(weights, rows, len(given[own[0]][1]))
        return self._edit(setting((mesh, primitive, skin), asked, chosen, normalise, sorted(self._locks)))

    def fix(self, operations: Sequence[str | tuple[str, Any]] = (), **options: Unpack[FixOptions]) -> Report:
        """Repairs weights, as ``skinscope fix`` does. Operations are named (``"normalise"``), named with their value (``("limit", 4)``), or given as
        keywords (``limit=4``); they run in the order in which ``skinscope help fix`` lists them. Returns the JSON of ``skinscope fix --json``.
        """
        keywords: dict[str, Any] = dict(options)
        for operation in [operations] if isinstance(operations, str) else operations:
            try:
                name, value = (operation, True) if isinstance(operation, str) else operation
            except (TypeError, ValueError):
                raise Error(f"an operation is a name, or a name and its value, and not {operation!r}") from None
            if not isinstance(name, str):
                raise Error(f"an operation has a name, and not {name!r}")
            keywords[name.replace("-", "_")] = value
        of_weights = {name.replace("-", "_") for name in _native.weight_operations()}
        changes_weights = any(keywords.get(name) is not None and keywords[name] is not False for name in of_weights)
        return self._edited("fix", keywords, locks=changes_weights)

    def paint(
        self, strokes: Sequence[Mapping[str, Any]] | Mapping[str, Any] | Path | None = None, **options: Unpack[PaintOptions]
    ) -> Report:
        """Carries out strokes on the weights, as ``skinscope paint`` does: a list of strokes, what a file of strokes has, or such a file. Paths of
        pose files in strokes begin at the folder of the file, or at the current one. Without strokes, ``flood="smooth"`` and others paint all
        vertices. Returns the JSON of ``skinscope paint --json``.
        """
        if strokes is None:
            return self._edited("paint", options, locks="flood" in options)
        given = text_of(strokes, self._locked_words())
        return self._edited("paint", options, strokes=given)

    def bind(self, method: str | None = None, **options: Unpack[BindOptions]) -> Report:
        """Finds weights from the shape of meshes and their joints, as ``skinscope bind`` does: ``heat``, ``voxel`` and others. Returns the JSON of
        ``skinscope bind --json``.
        """
        keywords = dict(options)
        if method is not None:
            keywords["method"] = method
        makes_joints = [name for name in ("skeleton", "humanoid", "from_") if keywords.get(name)]
        if makes_joints and self._locks:
            raise Error(f"bind with {makes_joints[0]} locks no joint; clear the locks of the model first")
        return self._edited("bind", keywords, locks=True)

    def solve(self, poses: Path | None = None, **options: Unpack[SolveOptions]) -> Report:
        """Finds the weights that bring the posed surface nearest to the example meshes of a folder, as ``skinscope solve`` does; with ``vertex``, to
        where one vertex should be. Returns the JSON of ``skinscope solve --json``.
        """
        return self._edited("solve", {**options, "poses": poses}, locks=True)

    def bake_weights(self, **options: Unpack[BakeWeightsOptions]) -> Report:
        """Finds the weights with which linear blending comes nearest to another method, as ``skinscope bake-weights`` does. Returns its JSON."""
        return self._edited("bake-weights", options, locks=True)

    def links(self, **options: Unpack[LinksOptions]) -> Report:
        """Adds bone links, which turn by a share of a joint's rotation, as ``skinscope links`` does. Returns its JSON.

        Raises :class:`Error` where a joint of :attr:`locks` would lose weight to them.
        """
        return self._edited("links", options, keeps=self._locks)

    def sculpt(self, **options: Unpack[SculptOptions]) -> Report:
        """Makes, names and removes corrective shapes, as ``skinscope sculpt`` does. Returns its JSON."""
        return self._edited("sculpt", options)

    def add_clips(self, **options: Unpack[ClipOptions]) -> Report:
        """Adds clips: of other files, of poses at key times, or mirror images, as ``skinscope clip`` does. Returns its JSON."""
        return self._edited("clip", options)

    # Where it goes.

    def save(self, path: Path | None = None, *, in_place: bool = False, keep_links: bool = False) -> tuple[str, ...]:
        """Writes the model into a file, byte for byte what the command line writes. A ``.glb`` stays one. Files that a ``.gltf`` names are copied
        along into another folder. What is written appears whole or not at all, and never over the file that the model was read from, unless
        ``in_place`` asks for that: then that file is replaced, and so is each of its ``.bin`` that differs, all of them or none, and
        what they were is kept beside them as ``.bak`` (``.bak1``, ...). Files that are as they were are not written. The model goes on from
        there. ``keep_links`` writes into a file that has other names (hard links), so that it stays one; without, they keep what was there.

        Returns the copies that ``in_place`` has kept. Where Ctrl+C ends the call, the files may still appear.

        Raises :class:`Error` where nothing could be written, and ``in_place`` also where another program has changed the files since they were
        read, or where the model was opened from bytes or came from another process.
        """
        target = target_of(path, self._source, in_place)
        with self._lock:
            state = self._current
            if in_place:
                made, copies, links = state.content.save_in_place(keep_links)
                # Where one of several files was read again, what it had in temporary folders is of no use any more.
                self._state = state._replace(content=made) if made.file == state.content.file else State(made)
                for file, count in links:
                    others = counted(count, "other hard link, which keeps", "other hard links, which keep")
                    warnings.warn(f"{file}: it has {others} what was there; with keep_links it stays one file", Notice, stacklevel=2)
                return tuple(os.fspath(copy) for copy in copies)
            if state.again is None:
                state.content.save(target, keep_links)
            else:
                self._save_again(target, keep_links)
        return ()

    def _save_again(self, path: str, keep_links: bool) -> None:
        """Does the last edit again with another output, so that its files have the names which the command line gives them. Where that cannot be,
        such as when a file that the edit has read is gone, the files of the model are copied as they are.
        """
        content, again, _ = self._current
        assert again is not None
        before, make = again
        try:
            done, _ = make(before, path, keep_links)
        except Error:
            try:
                content.save(path, keep_links)
            except Error:
                pass
            else:
                return
            raise
        given = Given()
        both = [given.word(content), given.word(done)]
        if not json.loads(_native.run(["diff", "--json", "--", *both], given.all)[1])["same"]:
            # A file that the edit reads has other content now.
            content.save(path, keep_links)

    def to_bytes(self) -> bytes:
        """Returns the bytes of the ``.glb`` or ``.gltf`` itself. Buffers of a ``.gltf`` that are files of their own are not in it."""
        return self._content.bytes()

    # How it is done.

    def _with_opening(self, command: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keywords of a command, which opens other files as this model was opened."""
        return {**self._opened, **keywords}

    def _locked_words(self) -> list[str]:
        return [f"#{joint}" for joint in sorted(self._locks)]

    def _report(
        self, line: Sequence[str], given: Given, *, stacklevel: int | None
    ) -> tuple[Report, _native.Content | None]:
        """Carries a command out. Returns its report, and what it has written in memory. Warnings are those of the caller so many calls above;
        ``None``: they were told before.
        """
        _, report, messages, written = _native.run(line, given.all)
        known = {f"warning: {warning}" for content in given.all for warning in content[1].warnings}
        for message in messages:
            if stacklevel is not None and message not in known and not message.endswith("`skinscope info` lists them"):
                warnings.warn(message.removeprefix("warning: "), Notice, stacklevel=stacklevel)
        return json.loads(report), written

    def _asked(self, command: str, keywords: Mapping[str, Any], content: _native.Content | None = None) -> Report:
        """Carries out a command that changes nothing."""
        given = Given(keywords)
        model = given.word(self._content if content is None else content)
        line = words(command, self._with_opening(command, keywords), given)
        return self._report([*line, "--json", "--", model], given, stacklevel=4)[0]

    def _edited(
        self,
        command: str,
        keywords: Mapping[str, Any],
        *,
        locks: bool = False,
        strokes: Text | str | None = None,
        keeps: frozenset[int] = frozenset(),
    ) -> Report:
        """Carries out a command that changes the model: with its locks as an option, with strokes, or only if weights of joints stay."""
        keywords = {name: held(value) for name, value in self._with_opening(command, keywords).items()}
        if locks and self._locks:
            own = keywords.get("lock")
            own = [] if own is None else own
            keywords["lock"] = [*(own if isinstance(own, (list, tuple)) else [own]), *self._locked_words()]

        def make(content: _native.Content, out: str, saving: bool | None) -> tuple[_native.Content, Report]:
            with file_of(strokes) as file:
                options = {**keywords, **({} if file is None else {"strokes": file})}
                if saving:
                    options["keep_links"] = True
                given = Given(options)
                # A command reads a model of several files once more, and writes it where it is told.
                model = given.word(content) if content.is_one_file else os.fspath(content.file or content.name)
                line = [*words(command, options, given), "--json", f"--output={out}", "--", model]
                report, written = self._report(line, given, stacklevel=6 if saving is None else None)
            if written is None:
                written = content.become_file(out)
            keep(content, written, keeps)
            return written, report

        return self._edit(make)

    def _edit(self, make: Edit) -> Report:
        """Replaces the content by what an edit makes of it."""
        with self._lock:
            state = self._current
            content = state.content
            if content.is_one_file:
                made, report = make(content, os.path.join(_NOWHERE, os.path.basename(content.name)), None)
                self._state = State(made)
                return report
            is_current(content)
            scratch = Scratch()
            folder, name = os.path.split(os.fspath(content.file or content.name))
            made, report = make(content, os.path.join(scratch.folder, name), None)
            if scratch.is_within(folder):
                # Nothing has changed, so that what was done before is what is done again.
                return report
            # The folder from before has the files that the edit is done on again.
            self._state = State(made, (content, make), (*state.scratch[-1:], scratch))
            return report
