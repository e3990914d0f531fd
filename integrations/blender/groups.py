"""The vertex groups of an object as arrays, and back."""

from dataclasses import dataclass

import numpy as np

from .errors import Refused


@dataclass
class Entries:
    """Weights that are not zero, one entry for each: `vertices` (n,) int64, `columns` (n,) int64, `values` (n,) float32.

    They are in the order of vertices, then columns. A column stands for a group, or for a joint.
    """

    vertices: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    def keys(self, width):
        """Returns one number for each entry, rising, where there are `width` columns."""
        return self.vertices * width + self.columns


def entries(vertices, columns, values):
    """Returns entries in their order, without those whose value is zero."""
    order = np.lexsort((columns, vertices))
    order = order[values[order] != 0]
    return Entries(vertices[order], columns[order], values[order])


def read(item):
    """Reads all weights of an object that is not in edit mode; columns are the numbers of its vertex groups."""
    found = [(v.index, g.group, g.weight) for v in item.data.vertices for g in v.groups]
    table = np.array(found, np.float64).reshape(-1, 3)
    return entries(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2].astype(np.float32))


def read_bones(item, bones):
    """Reads the weights of an object for the bones of these names; columns are their places in the list."""
    found = read(item)
    place = {name: i for i, name in enumerate(bones)}
    column_of_group = np.array([place.get(group.name, -1) for group in item.vertex_groups] + [-1], np.int64)
    columns = column_of_group[found.columns]
    kept = columns >= 0
    return entries(found.vertices[kept], columns[kept], found.values[kept])


@dataclass
class Change:
    """New weights for some vertices and bones of an object: arrays of one length, and the names that `columns` mean."""

    vertices: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    bones: tuple

    def __len__(self):
        return len(self.vertices)

    def at(self, vertices):
        """Returns the part that is about these vertices."""
        kept = np.isin(self.vertices, vertices)
        return Change(self.vertices[kept], self.columns[kept], self.values[kept], self.bones)

    def vertex_count(self):
        """How many vertices change."""
        return len(np.unique(self.vertices))


def difference(before, after, bones):
    """Returns what changes from one set of entries to another; a weight that is gone becomes 0."""
    width = max(len(bones), 1)
    old, new = before.keys(width), after.keys(width)
    keys = np.union1d(old, new)
    old_values, new_values = (np.zeros(len(keys), np.float32) for _ in range(2))
    old_values[np.searchsorted(keys, old)] = before.values
    new_values[np.searchsorted(keys, new)] = after.values
    changed = old_values != new_values
    return Change(keys[changed] // width, keys[changed] % width, new_values[changed], tuple(bones))


def locked_bones(item, bones):
    """Returns the names among `bones` whose group in the object is locked."""
    return [name for name in bones if (group := item.vertex_groups.get(name)) is not None and group.lock_weight]


def write(item, change):
    """Writes new weights into the vertex groups of an object that is not in edit mode.

    Only the weights of the change are touched. A weight of 0 takes the vertex out of the group; a bone without a group gets one.
    Raises `Refused`, and writes nothing, where a group is locked.
    """
    names = [change.bones[column] for column in np.unique(change.columns)]
    locked = locked_bones(item, names)
    if locked:
        raise Refused(f"The vertex group “{locked[0]}” of “{item.name}” is locked. Open its padlock first.")
    for column in np.unique(change.columns):
        rows = np.flatnonzero(change.columns == column)
        name = change.bones[column]
        group = item.vertex_groups.get(name) or item.vertex_groups.new(name=name)
        gone = rows[change.values[rows] == 0]
        if len(gone):
            group.remove(change.vertices[gone].tolist())
        for row in rows[change.values[rows] != 0]:
            group.add((int(change.vertices[row]),), float(change.values[row]), "REPLACE")
    item.data.update()
