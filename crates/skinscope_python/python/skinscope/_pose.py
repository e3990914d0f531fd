"""Poses, and surfaces that are deformed in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._error import Error, number
from ._parts import Floats, Primitive
from ._words import Given, words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DeformOptions


def place_of(primitive: Primitive | tuple[int, int] | None) -> tuple[int, int] | None:
    """Returns the numbers of a primitive in the file."""
    if primitive is None:
        return None
    if isinstance(primitive, Primitive):
        return primitive.mesh, primitive.index
    try:
        mesh, index = primitive
    except (TypeError, ValueError):
        raise Error(f"a primitive is one of the model, or its mesh and its number in it, and not {primitive!r}") from None
    return numbers_of(mesh, index)


def numbers_of(mesh: int, primitive: int) -> tuple[int, int]:
    try:
        return number(mesh, "mesh"), number(primitive, "primitive")
    except Error:
        raise Error(f"the file has no primitive {mesh},{primitive}") from None


class Deformed(NamedTuple):
    """A deformed surface, in the scene, metres."""

    positions: Floats
    """(V, 3) float32."""
    normals: Floats
    """(V, 3) float32, of unit length; zeros where there is none."""


class Pose:
    """A model in a pose, as it was when the pose was taken."""

    def __init__(self, content: _native.Content, keywords: Mapping[str, Any]) -> None:
        self._content = content
        self._keywords = dict(keywords)

    def __repr__(self) -> str:
        facts = [f"{name}={value!r}" for name, value in self._keywords.items()]
        return f"<Pose of {self._content.name!r}: {', '.join(facts) or 'as stored'}>"

    @property
    def matrices(self) -> Floats:
        """Scene from node for each node of the file, (N, 4, 4) float32, metres. A copy."""
        return self._content.matrices(words("deform", self._keywords, Given()))

    def palette(self, skin: int) -> Floats:
        """Scene from mesh for each joint of a skin, (J, 4, 4) float32: that of the joint times its inverse bind matrix. A copy."""
        skins = self._content.skins()
        if number(skin, "skin") >= len(skins):
            raise Error(f"there is no skin {skin}")
        return self.matrices[skins[skin][1]] @ self._content.inverse_binds(skin)

    def deform(
        self,
        method: str | None = None,
        *,
        primitive: Primitive | tuple[int, int] | None = None,
        instance: int = 0,
        **options: Unpack[DeformOptions],
    ) -> Deformed:
        """Deforms the surface by a method, one of :data:`skinscope.methods`; ``mush=(20, 0.5)`` is the pass after it, as ``--mush`` says.

        ``primitive``, one of :attr:`Model.primitives` or ``(mesh, primitive)`` of the file: only its vertices, V of them in the order of the
        file, as node number ``instance`` of those that show the mesh has them. Without it those of everything that is shown, by node and
        primitive, as ``skinscope bake`` writes them (and more of them by a method that takes the surface apart, such as ``rigid``). Weights are used as they are stored, unless ``normalise_weights``.
        """
        keywords = {**self._keywords, **options}
        if method is not None:
            keywords["method"] = method
        at = place_of(primitive)
        if at is not None:
            # One that names the vertices of another is shown as that one.
            native = self._content.primitive(*at)
            at = native.mesh, native.index
        line = words("deform", keywords, Given())
        positions, normals = self._content.deform(line, at, number(instance, "instance"))
        return Deformed(positions, normals)
