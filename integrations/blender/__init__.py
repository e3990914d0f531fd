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


def register():
    """Adds the panel to Blender."""
    for kind in _classes:
        bpy.utils.register_class(kind)
    bpy.types.Object.skinscope_pose = bpy.props.IntProperty(options={"HIDDEN"}, description=findings.SHOWN)
    bpy.types.WindowManager.skinscope = bpy.props.PointerProperty(type=state.SkinscopeState)
    bpy.app.handlers.load_post.append(_file_was_opened)


def unregister():
    """Takes the panel out of Blender. Files that the program has open stay, and are followed no longer."""
    if bpy.app.timers.is_registered(operators.look):
        bpy.app.timers.unregister(operators.look)
    bpy.app.handlers.load_post.remove(_file_was_opened)
    follow.followed.clear()
    findings.forget()
    state.forget()
    del bpy.types.WindowManager.skinscope
    del bpy.types.Object.skinscope_pose
    for kind in reversed(_classes):
        bpy.utils.unregister_class(kind)
