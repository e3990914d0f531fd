"""The panel in the sidebar of the 3D view."""

import bpy

from . import follow, state, weights
from .errors import amount

ICONS = {"error": "CANCEL", "warning": "ERROR", "info": "INFO"}


class SKINSCOPE_UL_findings(bpy.types.UIList):
    """The list of findings: severity, rule, message. A click shows one."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        """Draws a row, all of which is one button."""
        row = layout.row(align=True)
        row.alignment = "LEFT"
        text = f"{item.rule}: {item.message}"
        row.operator("skinscope.show", text=text, icon=ICONS.get(item.severity, "INFO"), emboss=False).index = index


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"


def _paragraph(context, layout, text):
    """Draws text over as many lines as the sidebar needs."""
    width = max(20, int(context.region.width / (7 * (context.preferences.system.ui_scale or 1.0))))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for sentence in text.split("\n"):
        line = ""
        for word in sentence.split():
            if line and len(line) + len(word) >= width:
                column.label(text=line)
                line = ""
            line = f"{line} {word}" if line else word
        if line:
            column.label(text=line)


class SKINSCOPE_PT_check(_Panel, bpy.types.Panel):
    """Check a character, and walk through its findings"""

    bl_idname = "SKINSCOPE_PT_check"
    bl_label = "Check"

    def draw(self, context):
        """Draws it."""
        layout, settings = self.layout, context.window_manager.skinscope
        row = layout.row(align=True)
        row.operator("skinscope.check", icon="VIEWZOOM")
        row.prop(settings, "clips", text="")
        row.prop(settings, "motion", text="", icon="CON_ROTLIMIT")
        row.prop(settings, "limit", text="")
        if state.checked:
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
            box.label(text=f"{amount(len(found.vertices))} of “{found.name}”", icon="VERTEXSEL")
        if found.bones:
            box.label(text=", ".join(found.bones), icon="BONE_DATA")
        row = box.row()
        row.operator("skinscope.repair", text="Repair This Rule").rule = found.rule
        row.operator("skinscope.back")


class SKINSCOPE_PT_repair(_Panel, bpy.types.Panel):
    """Repair weights, or find them anew"""

    bl_idname = "SKINSCOPE_PT_repair"
    bl_label = "Repair and Bind"

    def draw(self, context):
        """Draws it."""
        layout, settings = self.layout, context.window_manager.skinscope
        layout.prop(settings, "where")
        box = layout.box()
        box.prop(settings, "operation")
        kind = weights.VALUES.get(settings.operation)
        if kind is not None:
            box.prop(settings, kind)
        box.operator("skinscope.repair", icon="MODIFIER")
        box = layout.box()
        box.prop(settings, "method")
        box.prop(settings, "influences")
        box.operator("skinscope.bind", icon="BONE_DATA")


class SKINSCOPE_PT_program(_Panel, bpy.types.Panel):
    """Work on the character in the program Skinscope"""

    bl_idname = "SKINSCOPE_PT_program"
    bl_label = "Program"

    def draw(self, context):
        """Draws it."""
        layout = self.layout
        row = layout.row(align=True)
        row.operator("skinscope.open", icon="WINDOW")
        if follow.followed:
            row.operator("skinscope.send", icon="FILE_REFRESH")
        for name, item in follow.followed.items():
            layout.label(text=f"{name}: {item.path}", icon="FILE_3D")
            if item.refused:
                _paragraph(context, layout, item.refused)


classes = (SKINSCOPE_UL_findings, SKINSCOPE_PT_check, SKINSCOPE_PT_repair, SKINSCOPE_PT_program)
