"""Modes, selections and places in the user's file."""

from contextlib import contextmanager

import bpy
import numpy as np

from . import exporting
from .character import why_not_writable
from .errors import Refused

EDITING = {"EDIT", "SCULPT"}
"""Modes of objects in which their data is not up to date."""


@contextmanager
def object_mode(context):
    """Leaves a mode in which meshes are not up to date, and comes back to it with the same objects in it."""
    active = context.view_layer.objects.active
    mode = active.mode if active is not None else "OBJECT"
    if mode not in EDITING:
        yield
        return
    inside = [item for item in context.view_layer.objects if item.mode == mode]
    selected = list(context.selected_objects)
    bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        _select(context, inside, active)
        bpy.ops.object.mode_set(mode=mode)
        _select(context, selected, active)


def _select(context, items, active):
    for item in context.view_layer.objects:
        item.select_set(item in items)
    context.view_layer.objects.active = active


def all_vertices(items):
    """Returns the numbers of all vertices of objects, by object's name."""
    return {item.name: np.arange(len(item.data.vertices)) for item in items}


def selected_vertices(items):
    """Returns the numbers of the selected vertices of objects that are not in edit mode, by object's name."""
    out = {}
    for item in items:
        chosen = np.empty(len(item.data.vertices), bool)
        item.data.vertices.foreach_get("select", chosen)
        out[item.name] = np.flatnonzero(chosen)
    return out


def of_parts(parts):
    """Returns the objects of an exported character by name.

    Raises `Refused` where one is gone, cannot be changed here, or has other vertices than were exported.
    """
    out = {}
    for part in parts:
        item = bpy.data.objects.get(part.name)
        if item is None or item.type != "MESH":
            raise Refused(f"“{part.name}” is gone or has another name now. Nothing was changed.")
        reason = why_not_writable(item)
        if reason is not None:
            raise Refused(reason)
        if len(item.data.vertices) != part.count or exporting.topology(item.data) != part.topology:
            raise Refused(f"“{part.name}” has other vertices or faces than were exported, so that weights would land on wrong ones.")
        out[part.name] = item
    return out
