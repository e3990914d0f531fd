"""A character that is open in the program Skinscope as a file, which both sides write."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np

from . import groups, objects, weights
from .errors import Refused, amount
from .exporting import Exported

SECONDS = 1.0
"""How often the file is looked at."""


@dataclass
class Followed:
    """A character whose file the program has open."""

    path: str
    exported: Exported
    """What was sent last. Its parts say which vertices of Blender the file has."""
    rows: dict
    """The weights that both sides know, for each object's name: those that were sent, or taken since."""
    digest: bytes
    """A digest of the file that both sides know."""
    stamp: tuple
    """Time and size of the file when it was looked at last."""
    pending: tuple = ()
    """Time and size of a file that is newer, and may still be written."""
    notes: list = field(default_factory=list)
    """What is to be said in the panel."""
    refused: str = ""
    """Why the weights of the program's last save were not taken; empty where they were."""


followed = {}
"""The characters that are followed, by the name of the armature's object."""


def digest_of(data):
    """Returns a digest of bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def stamp_of(path):
    """Returns time and size of a file; `None` where there is none."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def find_program(path):
    """Returns the program at a path, or the one on the search path where that is empty. Raises `Refused` where there is none."""
    program = shutil.which(os.path.expanduser(path) if path else "skinscope")
    if program is None:
        where = f"There is no program at {path}." if path else "The program skinscope is not on the search path."
        raise Refused(f"{where} Give its place in the preferences of this extension.")
    return program


def send(exported, folder):
    """Writes a character into its file in a folder, whole or not at all, and follows it from then on.

    What the program has saved and Blender has not taken is kept beside it under another name. Returns what is followed.
    """
    known = followed.get(exported.armature)
    path = known.path if known is not None else _free_path(folder, exported.armature)
    notes = []
    if known is not None and os.path.exists(path):
        with open(path, "rb") as file:
            found = file.read()
        if digest_of(found) != known.digest:
            kept = _free_path(os.path.dirname(path), f"{exported.armature}_saved")
            _write(kept, found)
            notes.append(f"What Skinscope had saved, and Blender has not taken, is kept as {kept}.")
    _write(path, exported.data)
    rows, _ = weights.rows(weights.open_model(exported), exported)
    out = Followed(path, exported, rows, digest_of(exported.data), stamp_of(path), notes=notes)
    followed[exported.armature] = out
    return out


def _free_path(folder, name):
    """Returns a path for a `.glb` in a folder that no file has."""
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name) or "character"
    number, path = 1, os.path.join(folder, f"{plain}.glb")
    while os.path.exists(path):
        number += 1
        path = os.path.join(folder, f"{plain}_{number}.glb")
    return path


def _write(path, data):
    """Writes a file that appears whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    number, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".skinscope_")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def start(program, path):
    """Starts the program with a file. Raises `Refused` where it does not start."""
    try:
        return subprocess.Popen([program, path], stdin=subprocess.DEVNULL, cwd=os.path.dirname(path))
    except OSError as error:
        raise Refused(f"{program} does not start: {error}") from error


def has_changed(item):
    """Whether the program has saved the file anew, and nothing has written it for as long as one look takes."""
    now = stamp_of(item.path)
    if now is None or now == item.stamp:
        item.pending = ()
        return False
    if now != item.pending:
        item.pending = now
        return False
    return True


def take(item):
    """Brings what the program has saved into the vertex groups, and returns the `Outcome`; `None` where the file is the known one.

    Only weights that the program changed are written, and weights of locked groups are left out and counted. No object may be in
    edit mode. Raises `Refused` where nothing could be written; the file stays as it is.
    """
    with open(item.path, "rb") as file:
        data = file.read()
    item.stamp, item.pending, item.refused = stamp_of(item.path), (), ""
    digest = digest_of(data)
    if digest == item.digest:
        return None
    try:
        outcome = _changes(item, data)
    except Refused as error:
        item.refused = str(error)
        raise
    item.digest = digest
    item.notes = outcome.notes
    return outcome


def _changes(item, data):
    targets = objects.of_parts(item.exported.parts)
    after, torn = weights.rows_of_file(data, item.exported)
    outcome, locked_entries, both = weights.Outcome({}), 0, 0
    for name, entries in after.items():
        bones = item.exported.bones
        change = groups.difference(item.rows[name], entries, bones)
        now = groups.read_bones(targets[name], bones)
        both += _common(change, groups.difference(item.rows[name], now, bones), len(bones))
        locked = [bones.index(bone) for bone in groups.locked_bones(targets[name], bones)]
        free = ~np.isin(change.columns, np.array(locked, np.int64))
        locked_entries += int((~free).sum())
        outcome.changes[name] = groups.Change(change.vertices[free], change.columns[free], change.values[free], bones)
    if torn:
        outcome.notes.append(f"Split in the file, with different weights there, of which the mean is taken: {amount(torn)}.")
    if locked_entries:
        outcome.notes.append(f"Not taken, since their groups are locked in Blender: {amount(locked_entries, 'weight', 'weights')}.")
    if both:
        outcome.notes.append(f"Changed on both sides: {amount(both, 'weight', 'weights')}. That of Skinscope is taken; Undo brings yours back.")
    weights.apply(targets, outcome)
    item.rows = after
    return outcome


def _common(ours, theirs, width):
    """How many weights are in two changes."""
    width = max(width, 1)
    return len(np.intersect1d(ours.vertices * width + ours.columns, theirs.vertices * width + theirs.columns))
