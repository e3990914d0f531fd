"""A character that is open in the program Skinscope as a file, which both sides write."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field

import numpy as np

from . import files, groups, objects, weights
from .errors import Refused, amount
from .exporting import Exported
from .glb import Glb

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
    programs: list = field(default_factory=list)
    """Numbers of the processes of the program that were started with it."""
    notes: list = field(default_factory=list)
    """What is to be said in the panel."""
    partly: bool = False
    """Whether Blender has left out weights of a file that the program saved since, or has a mean of them."""
    refused: str = ""
    """Why the weights of the program's last save were not taken; empty where they were."""


followed = {}
"""The characters that are followed, by the name of the armature's object."""


def find_program(path):
    """Returns the program at a path, or the one on the search path where that is empty. Raises `Refused` where there is none."""
    program = shutil.which(os.path.expanduser(path) if path else "skinscope")
    if program is None:
        where = f"There is no program at {path}." if path else "The program skinscope is not on the search path."
        raise Refused(f"{where} Give its place in the preferences of this extension.")
    return program


def send(exported, folder):
    """Writes a character into its file in a folder, whole or not at all, and follows it from then on.

    What the program has saved and Blender has not, such as layers and shapes, is kept beside it under another name. Files of the folder that
    nobody needs any longer go. Returns what is followed.
    """
    files.sweep(folder)
    known = followed.get(exported.armature)
    path = known.path if known is not None else files.free_path(folder, exported.armature)
    notes = []
    if known is not None and os.path.exists(path):
        with open(path, "rb") as file:
            found = file.read()
        why = _why_kept(known, found)
        if why:
            kept = files.free_path(os.path.dirname(path), f"{exported.armature}_saved")
            files.write(kept, found)
            notes.append(f"{why} is kept as {kept}.")
    files.write(path, exported.data)
    rows, _ = weights.rows(weights.open_model(exported), exported)
    programs = known.programs if known is not None else []
    out = Followed(path, exported, rows, files.digest_of(exported.data), files.stamp_of(path), programs=programs, notes=notes)
    followed[exported.armature] = out
    files.note(path, out.digest, programs)
    return out


def _why_kept(known, found):
    """Says what Blender lacks of the bytes that a file has, as the beginning of a sentence; empty where it has all of it."""
    if files.digest_of(found) != known.digest:
        return "What Skinscope had saved, and Blender has not taken,"
    if found == known.exported.data:
        return ""
    if known.partly or _has_mirrored(known.exported):
        return "What Skinscope had saved, of whose weights Blender has not taken all,"
    if _has_more(known.exported, found):
        return "What Skinscope had saved, with more than the weights that Blender has taken,"
    return ""


def _has_mirrored(exported):
    """Whether some vertices of the file are made by a Mirror modifier, so that their weights are never taken."""
    return any((vertices >= part.count).any() for part in exported.parts for vertices in part.primitives.values())


def _has_more(exported, found):
    """Whether bytes of a file differ in more than weights from what was sent, or cannot be compared with it."""
    try:
        return Glb(found).besides_weights() != Glb(exported.data).besides_weights()
    except (Refused, ValueError, LookupError, TypeError, AttributeError):
        return True


def start(program, item):
    """Starts the program with the file of what is followed. It outlives Blender. Raises `Refused` where it does not start."""
    options = {"stdin": subprocess.DEVNULL, "cwd": os.path.dirname(item.path), "start_new_session": True}
    try:
        started = subprocess.Popen([program, item.path], **options)
    except OSError as error:
        raise Refused(f"{program} does not start: {error}") from error
    item.programs.append(started.pid)
    files.note(item.path, item.digest, item.programs)
    return started


def has_changed(item):
    """Whether the program has saved the file anew, and nothing has written it for as long as one look takes."""
    now = files.stamp_of(item.path)
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
    item.stamp, item.pending, item.refused = files.stamp_of(item.path), (), ""
    digest = files.digest_of(data)
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
    item.rows, item.partly = after, item.partly or bool(torn or locked_entries)
    return outcome


def _common(ours, theirs, width):
    """How many weights are in two changes."""
    width = max(width, 1)
    return len(np.intersect1d(ours.vertices * width + ours.columns, theirs.vertices * width + theirs.columns))
