"""What edits make of a model, and what they may not."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _native
from ._error import Error
from ._parts import Floats
from ._scratch import Scratch

Report: TypeAlias = "dict[str, Any]"

# What an edit makes of a content: the new one, and its report. The text is where a model of several files is written. The last value is None the
# first time; where the edit is done again to be saved, it is whether hard links are kept.
Edit: TypeAlias = "Callable[[_native.Content, str, bool | None], tuple[_native.Content, Report]]"


class State(NamedTuple):
    """What a model is. It is replaced as a whole, so that a call that is ended in the middle leaves the one before."""

    content: _native.Content
    again: tuple[_native.Content, Edit] | None = None
    """How the last edit of a model of several files is done again with another output."""
    scratch: tuple[Scratch, ...] = ()
    """The folders with what that edit was done on, and what it made."""


def is_current(content: _native.Content) -> None:
    """Refuses a model whose files are others by now."""
    if not content.is_as_read:
        raise Error(f"{content.name}: it was changed by another program after it was read", 1)


def target_of(path: Any, source: str | None, in_place: bool) -> str:
    """Returns the file that is written: another one than ``source``, which was read, or with ``in_place`` that one and no other."""
    if path is None:
        if not in_place:
            raise Error("save takes the path of a file, or in_place=True")
        return source or ""
    try:
        target = os.fspath(path)
    except TypeError:
        raise Error(f"a path was expected, and not {path!r}") from None
    is_source = source is not None and _is_one(target, source)
    if is_source and not in_place:
        why = "this file is read, and no output replaces what is read"
        raise Error(f"{target}: {why}; give the output another name, or say in_place=True")
    if in_place and not is_source:
        raise Error(f"{target}: in_place replaces the file that was read, {source or 'and there was none'}; this is another one")
    return target


def _is_one(path: str, source: str) -> bool:
    """Returns whether two paths lead to one file."""
    try:
        return os.path.samefile(path, source)
    except (OSError, ValueError):
        return False


def keep(before: _native.Content, after: _native.Content, joints: frozenset[int]) -> None:
    """Refuses an edit that has changed weights of these joints, nodes of the file."""
    if not joints:
        return
    own, new = _columns(before, joints), _columns(after, joints)
    for place, weights in own.items():
        if place not in new or not np.array_equal(weights, new[place]):
            names = {index: name for index, name, *_ in before.nodes()}
            raise Error(f"{names[place[-1]]!r} is locked, and its weights would change")


def _columns(content: _native.Content, joints: frozenset[int]) -> dict[tuple[int, int, int, int], Floats]:
    """Returns the weights of joints, nodes of the file, by mesh, primitive, skin and joint."""
    skins = content.skins()
    out: dict[tuple[int, int, int, int], Floats] = {}
    for native in content.primitives():
        for skin in native.skins:
            own = [(column, joint) for column, joint in enumerate(skins[skin][1]) if joint in joints]
            if own:
                dense = native.dense(skin)
                out.update({(native.mesh, native.index, skin, joint): dense[:, column] for column, joint in own})
    return out
