"""Lets the package `skinscope` change the weights of an exported character, and brings what changed back to Blender's vertices."""

from dataclasses import dataclass, field

import numpy as np

from . import groups
from .errors import Refused, amount, engine
from .exporting import vertices_of
from .glb import Glb

SPLIT_TOLERANCE = 1e-5
"""How far apart the weights of vertices may be that are one vertex in Blender, before that is said."""

VALUES = {
    "rules": "rules",
    "normalise": None,
    "prune": "amount",
    "limit": "count",
    "remove_rogues": None,
    "weld_seams": None,
    "mirror": "side",
    "smooth": "count",
    "hammer": None,
}
"""The operations of `fix` that need no other file and no joint: the setting that each takes, `None` for those that take none."""

MANY = "too-many-influences"
REPAIRED = (
    "weights-not-finite",
    "weights-negative",
    "weights-zero",
    "joint-duplicate",
    MANY,
    "rogue-vertices",
    "seam-weights",
    "weights-sum",
    "weights-sum-255",
)
"""The rules of the checker whose findings a repair of weights mends."""

SIDES = {"+X": "x:+", "-X": "x:-", "+Y": "z:-", "-Y": "z:+", "+Z": "y:+", "-Z": "y:-"}
"""The side of Blender's space whose weights are copied, as the axis of the file: its Y is Blender's Z, its Z Blender's −Y."""


@dataclass
class Outcome:
    """What comes back: a change for each object's name, and sentences about it."""

    changes: dict
    notes: list = field(default_factory=list)

    def vertex_count(self):
        """How many vertices change."""
        return sum(change.vertex_count() for change in self.changes.values())


def operations():
    """Returns `(name, title, sentence)` of the operations that both the package and this extension know."""
    offered = engine().options("fix")
    titles = {"rules": "Findings"}
    return [(name, titles.get(name, name.replace("_", " ").title()), offered[name].help) for name in VALUES if name in offered]


def bind_methods():
    """Returns the names of the methods of `bind`, the first of which is the usual one."""
    return list(engine().options("bind")["method"].values)


def open_model(exported):
    """Opens an exported character with the package."""
    return engine().open(exported.data, name=f"{exported.armature}.glb")


def rows(model, exported):
    """Returns the weights of a model of the character at Blender's vertices: for each object's name its entries, by `exported.bones`.

    The exporter splits vertices. Where those of one vertex of Blender have come to differ, it has their mean; the second result counts
    such vertices. What a Mirror modifier makes is left out.
    """
    out, torn = {}, 0
    for part in exported.parts:
        pieces, copies = [], np.zeros(part.count, np.int64)
        for (mesh, primitive), vertices in part.primitives.items():
            found = model.primitive(mesh, primitive)
            skin = model.skins[found.skins[0]]
            columns = _columns(skin.joint_names, exported.bones, part.name)
            starts, joints, values = found.weights("csr")
            owners = np.repeat(vertices, np.diff(starts))
            own = owners < part.count
            pieces.append((owners[own], columns[joints[own]], values[own]))
            copies += np.bincount(vertices[vertices < part.count], minlength=part.count)
        entries, differing = _joined(pieces, copies, max(len(exported.bones), 1))
        out[part.name], torn = entries, torn + differing
    return out, torn


def _columns(names, bones, part):
    """For each joint of a skin its place among the bones. Raises `Refused` where the model has joints that are no bones here."""
    place = {name: i for i, name in enumerate(bones)}
    strange = [name for name in names if name not in place]
    if strange:
        raise Refused(f"“{part}” has a joint “{strange[0]}” that is no bone of the armature that deforms. Nothing was changed.")
    return np.array([place[name] for name in names], np.int64)


def _joined(pieces, copies, width):
    """Joins entries of split vertices to those of Blender's: the mean, and how many vertices have copies that differ."""
    if not pieces:
        return groups.entries(*(np.empty(0, kind) for kind in (np.int64, np.int64, np.float32))), 0
    vertices, columns, values = (np.concatenate(arrays) for arrays in zip(*pieces))
    keys, place, times = np.unique(vertices * width + columns, return_inverse=True, return_counts=True)
    owners, sums = keys // width, np.zeros(len(keys))
    most, least = np.zeros(len(keys)), np.full(len(keys), np.inf)
    np.add.at(sums, place, values.astype(np.float64))
    np.maximum.at(most, place, values)
    np.minimum.at(least, place, values)
    least[times < copies[owners]] = 0
    means = (sums / copies[owners]).astype(np.float32)
    torn = len(np.unique(owners[most - least > SPLIT_TOLERANCE]))
    return groups.entries(owners, keys % width, means), torn


def repair(exported, operation, value=None, only=None, limit=4):
    """Runs an operation of `fix` on an exported character, and returns what changes as an `Outcome`.

    `value` is what the operation takes, `None` where it takes nothing. `only` limits what changes to vertices: arrays by object's name.
    Where findings are repaired, `limit` is how many joints may move a vertex.
    """
    steps = _rules(value, limit) if operation == "rules" else [(operation, True if value is None else value)]
    return _outcome(exported, lambda model: model.fix(steps), only)


def _rules(names, limit):
    """The operations that repair what rules find; `names` has commas between them, or is `all`."""
    names = [name.strip() for name in names.split(",")]
    names = list(REPAIRED) if names == ["all"] else names
    for name in names:
        if name not in REPAIRED:
            raise Refused(f"“{name}” is no rule that can be repaired. Those are all, or {', '.join(REPAIRED)}.")
    steps = [("rules", [name for name in names if name != MANY])] if set(names) != {MANY} else []
    return steps + ([("limit", limit)] if MANY in names else [])


def bind(exported, method, influences=4, only=None):
    """Finds the weights of an exported character anew by a method of `bind`, and returns what changes as an `Outcome`.

    `only` names the objects that are bound, with the vertices that change; without it all are.
    """
    meshes = sorted({mesh for part in exported.parts if only is None or part.name in only for mesh, _ in part.primitives})
    return _outcome(exported, lambda model: model.bind(method, mesh=meshes, max_influences=influences), only)


def _outcome(exported, change, only):
    """Changes a model for each set of locked groups: locks belong to an object in Blender, and to a joint of all meshes in a model."""
    outcome = Outcome({})
    torn = 0
    asked = [name for name in exported.locked if only is None or name in only]
    for locked in dict.fromkeys(exported.locked[name] for name in asked):
        model = open_model(exported)
        model.locks = locked
        before, _ = rows(model, exported)
        try:
            report = change(model)
        except engine().Error as error:
            raise Refused(str(error)) from error
        after, differing = rows(model, exported)
        torn = max(torn, differing)
        outcome.notes.extend(note for note in _sentences(report) if note not in outcome.notes)
        for name in asked:
            if exported.locked[name] == locked:
                found = groups.difference(before[name], after[name], exported.bones)
                outcome.changes[name] = found if only is None else found.at(only[name])
    if torn:
        outcome.notes.append(f"Split in the file, with different weights there, of which the mean is taken: {amount(torn)}.")
    return outcome


STAYED = {
    "kept": "Unchanged, or nearly, since locked groups leave no room: {}.",
    "stuck": "Unchanged, since no other bone can take the weight: {}.",
    "partly": "Changed only in part: {}.",
    "unpaired": "Unchanged, since a bone has no partner on the other side: {}.",
}


def _sentences(report):
    """What a report of `fix` or `bind` says of what did not go as asked."""
    for operation in report.get("operations", []):
        yield from (words.format(amount(operation[key])) for key, words in STAYED.items() if operation.get(key))
        for mesh in operation.get("without_plane", []):
            yield f"“{mesh.get('name')}” has no plane of symmetry, and stays as it is."
    for skin in report.get("skins", []):
        for piece in skin.get("fallback", []):
            yield f"A piece of {amount(piece['vertices'])} was bound by the method {piece['method']}: {piece['reason']}."


def apply(objects, outcome):
    """Writes an outcome into the vertex groups of objects, given by name. Nothing is written where one of them cannot be changed."""
    for name, change in outcome.changes.items():
        locked = groups.locked_bones(objects[name], [change.bones[c] for c in np.unique(change.columns)])
        if locked:
            raise Refused(f"The vertex group “{locked[0]}” of “{name}” is locked, and would change. Nothing was changed.")
    for name, change in outcome.changes.items():
        if len(change):
            groups.write(objects[name], change)


def rows_of_file(data, exported):
    """Returns the weights of a file that the program has saved from an exported one, as `rows` does.

    Raises `Refused` where it is another model: where its vertices are not those of `exported`.
    """
    found = vertices_of(Glb(data))
    for number, part in enumerate(exported.parts):
        theirs = found.get(number, {})
        if theirs.keys() != part.primitives.keys() or any(
            not np.array_equal(theirs[key], part.primitives[key]) for key in theirs
        ):
            raise Refused(f"The file has other vertices of “{part.name}” than were sent. Press Send again.")
    model = engine().open(data, name=f"{exported.armature}.glb")
    return rows(model, exported)
