"""Skinscope in Blender: check a character, repair and bind its weights, and open it in the program Skinscope."""

import bpy
from bpy.app.handlers import persistent

from . import findings, follow, operators, panel, preferences, state

_classes = (
    state.SkinscopeRow,
    state.SkinscopeState,
    preferences.SkinscopePreferences,
    *operators.classes,
    *panel.classes,
)


@persistent
def _file_was_opened(*_):
    """Another file has other objects, even where they have the same names."""
    findings.forget()
    follow.followed.clear()
    state.forget()


@persistent
def _step_was_undone(*_):
    state.step_was_undone()


HANDLERS = (("load_post", _file_was_opened), ("undo_post", _step_was_undone), ("redo_post", _step_was_undone))


def register():
    """Adds the panel to Blender."""
    for kind in _classes:
        bpy.utils.register_class(kind)
    bpy.types.Object.skinscope_pose = bpy.props.IntProperty(options={"HIDDEN"}, description=findings.SHOWN)
    bpy.types.WindowManager.skinscope = bpy.props.PointerProperty(type=state.SkinscopeState)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    """Takes the panel out of Blender. Files that the program has open stay, and are followed no longer."""
    if bpy.app.timers.is_registered(operators.look):
        bpy.app.timers.unregister(operators.look)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    follow.followed.clear()
    findings.forget()
    state.forget()
    del bpy.types.WindowManager.skinscope
    del bpy.types.Object.skinscope_pose
    for kind in reversed(_classes):
        bpy.utils.unregister_class(kind)
