"""What the panel shows and its settings. They belong to the window manager: no file stores them, and Undo leaves them alone."""

import bpy

from . import weights
from .errors import Refused

results = []
"""The findings of the last check, as `findings.Found`, in the order of the list."""
checked = []
"""The name of the armature that the findings are about; empty before the first check."""

shown = [-1]
"""The number of the finding that is shown."""

told = [""]
"""What was said last about a change. It is untrue once that is undone."""

_items = {}


def _kept(key, items):
    """Blender does not keep the strings of lists that are made while it draws; this does."""
    if _items.get(key) != items:
        _items[key] = items
    return _items[key]


def _operations(self, context):
    try:
        return _kept("operations", weights.operations())
    except Refused as error:
        return _kept("operations", [("none", "None", str(error))])


def _methods(self, context):
    try:
        return _kept("methods", [(name, name.replace("-", " ").title(), "") for name in weights.bind_methods()])
    except Refused as error:
        return _kept("methods", [("none", "None", str(error))])


def _chosen(self, context):
    """Shows a finding whose row was clicked beside its buttons."""
    if 0 <= self.active < len(results) and self.active != shown[0]:
        try:
            bpy.ops.skinscope.show("EXEC_DEFAULT", True, index=self.active)
        except RuntimeError as error:
            self.notes = str(error).removeprefix("Error: ").strip()


class SkinscopeRow(bpy.types.PropertyGroup):
    """A row of the list of findings."""

    severity: bpy.props.StringProperty()
    rule: bpy.props.StringProperty()
    message: bpy.props.StringProperty()
    count: bpy.props.StringProperty()


class SkinscopeState(bpy.types.PropertyGroup):
    """The list of findings, and how repairs and bindings are made."""

    rows: bpy.props.CollectionProperty(type=SkinscopeRow)
    active: bpy.props.IntProperty(default=-1, update=_chosen)
    changed: bpy.props.BoolProperty()
    notes: bpy.props.StringProperty()
    limit: bpy.props.IntProperty(
        name="Limit", description="How many bones may move a vertex", default=4, min=1, max=32
    )
    clips: bpy.props.EnumProperty(
        name="Actions",
        description="Which actions of the armature are looked at, and opened in the program",
        items=[
            ("NONE", "No action", "The rest pose alone"),
            ("ACTIVE", "Active action", "The active action"),
            ("ALL", "All actions", "All actions of the armature. Many take Blender's exporter long"),
        ],
        default="ACTIVE",
    )
    motion: bpy.props.BoolProperty(
        name="Range of Motion",
        description="Also turn every bone by 90 degrees to each side, and list where the skin suffers most. Takes up to 10 seconds",
        default=False,
    )
    where: bpy.props.EnumProperty(
        name="Where",
        description="What may change",
        items=[
            ("ALL", "Whole character", "All meshes of the character"),
            ("MESHES", "Selected meshes", "The meshes that are selected"),
            ("VERTICES", "Selected vertices", "The selected vertices of the selected meshes"),
        ],
    )
    operation: bpy.props.EnumProperty(name="Operation", description="How weights are repaired", items=_operations)
    rules: bpy.props.StringProperty(
        name="Rules", description="Names of rules with commas between them, or all", default="all"
    )
    amount: bpy.props.FloatProperty(
        name="Below", description="Weights below this are taken away", default=0.01, min=0.0, max=1.0, precision=3
    )
    count: bpy.props.IntProperty(name="Number", description="How many influences, or how many passes", default=4, min=1, max=100)
    side: bpy.props.EnumProperty(
        name="From", description="The side whose weights are copied", items=[(s, s, "") for s in weights.SIDES]
    )
    method: bpy.props.EnumProperty(name="Method", description="How weights are found", items=_methods)
    influences: bpy.props.IntProperty(
        name="Influences", description="The most bones that a vertex gets", default=4, min=1, max=32
    )


def value_of(state):
    """Returns the value of the chosen operation."""
    kind = weights.VALUES[state.operation]
    if kind is None:
        return None
    value = getattr(state, kind)
    return weights.SIDES[value] if kind == "side" else value


def set_findings(context, armature, found, notes):
    """Shows the findings of a check."""
    state = context.window_manager.skinscope
    results[:], checked[:] = found, [armature]
    state.rows.clear()
    for finding in found:
        row = state.rows.add()
        row.severity, row.rule, row.message = finding.severity, finding.rule, finding.message
        row.count = str(len(finding.vertices) or "")
    show(state, -1)
    state.changed = False
    state.notes = "\n".join(notes)


def show(state, index):
    """Marks the finding of this number as the one that is shown."""
    shown[0] = state.active = index


def forget():
    """Forgets findings, as another file is opened."""
    results.clear()
    checked.clear()
    state = bpy.context.window_manager.skinscope
    state.rows.clear()
    show(state, -1)
    state.changed, state.notes = False, ""


def tell(sentences):
    """Says what an operator has changed."""
    told[0] = bpy.context.window_manager.skinscope.notes = "\n".join(sentences)


def step_was_undone():
    """Says no longer what was changed."""
    state = bpy.context.window_manager.skinscope
    if state.notes == told[0]:
        state.notes = ""
