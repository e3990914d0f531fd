"""What the user sets once for all files."""

import os
import tempfile

import bpy


class SkinscopePreferences(bpy.types.AddonPreferences):
    """The preferences of the extension."""

    bl_idname = __package__

    program: bpy.props.StringProperty(
        name="Program",
        description="Where the program Skinscope is. Empty: the one on the search path",
        subtype="FILE_PATH",
    )
    folder: bpy.props.StringProperty(
        name="Folder",
        description="Where characters are written that the program opens. Empty: the folder of this extension's data",
        subtype="DIR_PATH",
    )

    def draw(self, context):
        """Draws them."""
        self.layout.prop(self, "program")
        self.layout.prop(self, "folder")


def program(context):
    """Returns the path of the program, empty where none is set."""
    addon = context.preferences.addons.get(__package__)
    return bpy.path.abspath(addon.preferences.program) if addon is not None else ""


def folder(context):
    """Returns the folder for characters that the program opens."""
    addon = context.preferences.addons.get(__package__)
    if addon is not None and addon.preferences.folder:
        return bpy.path.abspath(addon.preferences.folder)
    try:
        return bpy.utils.extension_path_user(__package__, path="characters", create=True)
    except ValueError:
        return os.path.join(tempfile.gettempdir(), "skinscope_characters")
