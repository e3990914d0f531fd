"""The panel in the sidebar of the 3D view."""

import os
import textwrap

import bpy

from . import findings, follow, state, weights
from .errors import amount

ICONS = {"error": "CANCEL", "warning": "ERROR", "info": "INFO"}


class SKINSCOPE_UL_findings(bpy.types.UIList):
    """The list of findings: severity, rule, how many vertices. A click shows one."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        """Draws a row, both ends of which are buttons."""
        row = layout.split(factor=0.8)
        for text, icon, alignment in ((item.rule, ICONS.get(item.severity, "INFO"), "LEFT"), (item.count, "NONE", "RIGHT")):
            part = row.row()
            part.alignment = alignment
            if text:
                part.operator("skinscope.show", text=text, icon=icon, emboss=False).index = index


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"


def _paragraph(context, layout, text, icon="NONE"):
    """Draws text over as many lines as the sidebar needs, with an icon before the first."""
    letters = context.region.width / (7 * (context.preferences.system.ui_scale or 1.0))
    width = max(16, int(letters) - (0 if icon == "NONE" else 5))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for sentence in text.split("\n"):
        for line in textwrap.wrap(sentence, width, break_on_hyphens=False):
            column.label(text=line, icon=icon)
            icon = "NONE" if icon == "NONE" else "BLANK1"


def _settings(layout, owner, *names):
    """Draws settings below each other, with their names before them."""
    column = layout.column()
    column.use_property_split, column.use_property_decorate = True, False
    for name in names:
        column.prop(owner, name)


class SKINSCOPE_PT_check(_Panel, bpy.types.Panel):
    """Check a character, and walk through its findings"""

    bl_idname = "SKINSCOPE_PT_check"
    bl_label = "Check"

    def draw(self, context):
        """Draws it."""
        layout, settings = self.layout, context.window_manager.skinscope
        layout.operator("skinscope.check", icon="VIEWZOOM")
        _settings(layout, settings, "clips", "limit", "motion")
        if state.checked:
            if settings.changed:
                layout.label(text="Changed since. Check again.", icon="FILE_REFRESH")
            if state.results:
                layout.template_list("SKINSCOPE_UL_findings", "", settings, "rows", settings, "active", rows=5)
            else:
                layout.label(text=f"Nothing was found at “{state.checked[0]}”.", icon="CHECKMARK")
        if 0 <= settings.active < len(state.results):
            self._draw_finding(context, layout, state.results[settings.active])
        if settings.notes:
            _paragraph(context, layout.box(), settings.notes)

    @staticmethod
    def _draw_finding(context, layout, found):
        box = layout.box()
        _paragraph(context, box, f"{found.message}\n{found.fix}")
        if found.name:
            _paragraph(context, box, f"{amount(len(found.vertices))} of “{found.name}”", icon="VERTEXSEL")
        if found.bones:
            _paragraph(context, box, ", ".join(found.bones), icon="BONE_DATA")
        column = box.column(align=True)
        if found.rule in weights.REPAIRED:
            column.operator("skinscope.repair", text="Repair This Rule", icon="MODIFIER").rule = found.rule
        armature = bpy.data.objects.get(state.checked[0])
        if armature is not None and findings.is_shown(armature):
            column.operator("skinscope.back", icon="LOOP_BACK")


class SKINSCOPE_PT_repair(_Panel, bpy.types.Panel):
    """Repair weights, or find them anew"""

    bl_idname = "SKINSCOPE_PT_repair"
    bl_label = "Repair and Bind"

    def draw(self, context):
        """Draws it."""
        layout, settings = self.layout, context.window_manager.skinscope
        _settings(layout, settings, "where")
        box = layout.box()
        kind = weights.VALUES.get(settings.operation)
        _settings(box, settings, "operation", *([kind] if kind is not None else []))
        box.operator("skinscope.repair", icon="MODIFIER")
        box = layout.box()
        _settings(box, settings, "method", "influences")
        box.operator("skinscope.bind", icon="BONE_DATA")


class SKINSCOPE_PT_program(_Panel, bpy.types.Panel):
    """Work on the character in the program Skinscope"""

    bl_idname = "SKINSCOPE_PT_program"
    bl_label = "Program"

    def draw(self, context):
        """Draws it."""
        layout = self.layout
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("skinscope.open", icon="WINDOW")
        row.operator("preferences.addon_show", text="", icon="PREFERENCES").module = __package__
        if follow.followed:
            column.operator("skinscope.send", icon="FILE_REFRESH")
        for name, item in follow.followed.items():
            folder, file = os.path.split(item.path)
            row = layout.row()
            row.label(text=f"{name}: {file}", icon="FILE_3D")
            row.operator("wm.path_open", text="", icon="FILE_FOLDER").filepath = folder
            if item.refused:
                _paragraph(context, layout, item.refused)


classes = (SKINSCOPE_UL_findings, SKINSCOPE_PT_check, SKINSCOPE_PT_repair, SKINSCOPE_PT_program)
