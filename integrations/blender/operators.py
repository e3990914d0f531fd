"""The buttons of the panel."""

import os

import bpy

from . import character, exporting, files, findings, follow, objects, preferences, state, weights
from .errors import Refused, amount, engine


class _Operator(bpy.types.Operator):
    """An operator whose `Refused` is an error that Blender shows, and that leaves no half of its work."""

    def execute(self, context):
        """Does the work with meshes up to date and the mouse pointer waiting."""
        window = context.window
        if window is not None:
            window.cursor_set("WAIT")
        try:
            with objects.object_mode(context):
                self.work(context)
        except Refused as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            if window is not None:
                window.cursor_set("DEFAULT")
        return {"FINISHED"}

    def tell(self, context, sentences):
        """Shows sentences in the panel and, the first of them, below the view."""
        state.tell(sentences)
        self.report({"INFO"}, sentences[0])


def _find(context, binding=False):
    engine()
    view_layer = context.view_layer
    return character.find(view_layer.objects.active, context.selected_objects, context.scene.objects, view_layer, binding)


def _writable(found):
    for mesh in found.meshes:
        reason = character.why_not_writable(mesh)
        if reason is not None:
            raise Refused(reason)


def _limits(context, found):
    """Returns what may change: vertices by object's name; `None` for everything."""
    where = context.window_manager.skinscope.where
    if where == "ALL":
        return None
    chosen = [mesh for mesh in found.meshes if mesh.select_get()]
    if not chosen:
        raise Refused("No mesh of the character is selected.")
    if where == "MESHES":
        return objects.all_vertices(chosen)
    vertices = objects.selected_vertices(chosen)
    if not any(len(numbers) for numbers in vertices.values()):
        raise Refused("No vertex is selected.")
    return {name: numbers for name, numbers in vertices.items() if len(numbers)}


class SKINSCOPE_OT_check(_Operator):
    """Find what is wrong with the weights of the selected character"""

    bl_idname = "skinscope.check"
    bl_label = "Check"

    moved = False

    def execute(self, context):
        """Checks. That is a step of Undo where it takes the pose of a finding back, and changes nothing otherwise."""
        result = super().execute(context)
        if self.moved:
            bpy.ops.ed.undo_push(message=SKINSCOPE_OT_back.bl_label)
        return result

    def work(self, context):
        """Exports, checks, and fills the list."""
        found = _find(context)
        self.moved = findings.back(context, found.armature)
        settings = context.window_manager.skinscope
        exported = exporting.export(found, context.scene, settings.clips)
        result = findings.check(exported, settings.limit, settings.motion)
        state.set_findings(context, exported.armature, result, exported.notes)
        self.report({"INFO"}, amount(len(result), "finding", "findings") if result else "Nothing was found")


class SKINSCOPE_OT_show(_Operator):
    """Select the vertices of this finding, make its group the active one, and show its pose"""

    bl_idname = "skinscope.show"
    bl_label = "Show Finding"
    bl_options = {"UNDO", "INTERNAL"}

    index: bpy.props.IntProperty()

    @classmethod
    def description(cls, context, properties):
        """Returns what is said while the mouse pointer rests on a row: what is wrong there."""
        return state.results[properties.index].message if 0 <= properties.index < len(state.results) else cls.__doc__

    def execute(self, context):
        """Shows the finding; a mesh that is in edit mode stays there."""
        active = context.view_layer.objects.active
        editing = active is not None and active.mode == "EDIT"
        try:
            if not 0 <= self.index < len(state.results):
                raise Refused("This finding is gone. Check again.")
            armature = bpy.data.objects.get(state.checked[0])
            if armature is None or armature.type != "ARMATURE":
                raise Refused(f"“{state.checked[0]}” is gone or has another name now. Check again.")
            if editing:
                bpy.ops.object.mode_set(mode="OBJECT")
            found = state.results[self.index]
            hidden = findings.show(context, found, armature, editing and active.type == "MESH")
        except Refused as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        state.show(context.window_manager.skinscope, self.index)
        if hidden:
            self.report({"WARNING"}, f"Hidden, and so not selected: {hidden} of {amount(len(found.vertices))}")
        return {"FINISHED"}


class SKINSCOPE_OT_back(_Operator):
    """Return to the action, the frame and the pose from before a finding was shown"""

    bl_idname = "skinscope.back"
    bl_label = "Back to My Pose"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        """Returns there."""
        armature = bpy.data.objects.get(state.checked[0]) if state.checked else None
        if armature is None or not findings.back(context, armature):
            raise Refused("No pose of a finding is shown.")


class _Change(_Operator):
    """An operator that changes weights."""

    def finish(self, context, found, outcome, notes):
        """Writes an outcome into vertex groups and says what was done."""
        weights.apply({mesh.name: mesh for mesh in found.meshes}, outcome)
        count = outcome.vertex_count()
        done = f"Weights of {amount(count)} changed." if count else "Nothing changed."
        context.window_manager.skinscope.changed |= count > 0
        self.tell(context, [done, *outcome.notes, *notes])


class SKINSCOPE_OT_repair(_Change):
    """Repair weights by the chosen operation, in the vertex groups"""

    bl_idname = "skinscope.repair"
    bl_label = "Repair"
    bl_options = {"REGISTER", "UNDO"}

    rule: bpy.props.StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    def work(self, context):
        """Exports, repairs, and writes what changed."""
        found = _find(context)
        _writable(found)
        settings = context.window_manager.skinscope
        only = None if self.rule else _limits(context, found)
        operation, value = ("rules", self.rule) if self.rule else (settings.operation, state.value_of(settings))
        exported = exporting.export(found, context.scene, clips="NONE")
        outcome = weights.repair(exported, operation, value, only, settings.limit)
        self.finish(context, found, outcome, exported.notes)


class SKINSCOPE_OT_bind(_Change):
    """Find weights from the shape of meshes and their bones alone, in place of those that they have. Where selected meshes have no armature
    yet, they alone are bound, to the selected one"""

    bl_idname = "skinscope.bind"
    bl_label = "Bind"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        """Exports, binds, writes the weights, and gives meshes that no armature moved the modifier."""
        found = _find(context, binding=True)
        _writable(found)
        settings = context.window_manager.skinscope
        loose = [mesh for mesh in found.meshes if character.armature_of(mesh) is None]
        only = objects.all_vertices(loose) if loose else _limits(context, found)
        exported = exporting.export(found, context.scene, clips="NONE")
        outcome = weights.bind(exported, settings.method, settings.influences, only)
        for mesh in loose:
            _hang_on(mesh, found.armature)
        self.finish(context, found, outcome, exported.notes)


def _hang_on(mesh, armature):
    """Lets an armature move a mesh, which stays where it is."""
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    if mesh.parent is None:
        place = mesh.matrix_world.copy()
        mesh.parent = armature
        mesh.matrix_parent_inverse = armature.matrix_world.inverted_safe()
        mesh.matrix_world = place


class SKINSCOPE_OT_open(_Operator):
    """Open the character in the program Skinscope. Weights that are saved there come back here"""

    bl_idname = "skinscope.open"
    bl_label = "Open in Skinscope"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        """Sends the character and starts the program with its file."""
        program = follow.find_program(preferences.program(context))
        item = _send(self, context)
        follow.start(program, item)
        self.tell(context, [f"{os.path.basename(item.path)} is open in Skinscope. Save there, and the weights come back.", *item.notes])


class SKINSCOPE_OT_send(_Operator):
    """Write the character anew into the file that Skinscope has open, which follows it"""

    bl_idname = "skinscope.send"
    bl_label = "Send Again"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        """Takes what the program has saved, and writes the file anew."""
        item = _send(self, context)
        self.tell(context, [f"{os.path.basename(item.path)} was written for Skinscope.", *item.notes])


def _send(operator, context):
    found = _find(context)
    _writable(found)
    known = follow.followed.get(found.armature.name)
    notes = []
    if known is not None and files.stamp_of(known.path) not in (None, known.stamp):
        try:
            outcome = follow.take(known)
            notes += [f"First the weights of {amount(outcome.vertex_count())} came from Skinscope."] if outcome else []
        except Refused as error:
            notes.append(str(error))
    findings.back(context, found.armature)
    exported = exporting.export(found, context.scene, context.window_manager.skinscope.clips)
    item = follow.send(exported, preferences.folder(context))
    item.notes = [*notes, *item.notes, *exported.notes]
    watch()
    return item


def watch():
    """Looks at the files of the program from now on."""
    if not bpy.app.timers.is_registered(look):
        bpy.app.timers.register(look, first_interval=follow.SECONDS)


BUSY = ("TRANSFORM_OT", "PAINT_OT", "SCULPT_OT", "MESH_OT", "OBJECT_OT", "POSE_OT", "ARMATURE_OT", "VIEW3D_OT")
"""What begins the names of operators that hold the mesh or the pose as long as the mouse moves."""


def look():
    """Takes weights that the program has saved; each time as one step of Undo. Returns when to look again."""
    if not _is_busy():
        for item in list(follow.followed.values()):
            if follow.has_changed(item):
                _take(item)
    return follow.SECONDS if follow.followed else None


def _is_busy():
    """Whether the user is in the middle of a stroke or a drag."""
    windows = bpy.context.window_manager.windows
    running = [operator.bl_idname for window in windows for operator in getattr(window, "modal_operators", ())]
    return any(name.startswith(BUSY) for name in running)


def _take(item):
    manager = bpy.context.window_manager
    windows = [bpy.context.window] if bpy.context.window is not None else list(manager.windows)
    if not windows or windows[0] is None:
        return
    with bpy.context.temp_override(window=windows[0]):
        try:
            with objects.object_mode(bpy.context):
                outcome = follow.take(item)
        except (Refused, OSError) as error:
            manager.skinscope.notes = f"The weights that Skinscope saved were not taken: {error}"
            return
        if outcome is None:
            return
        sentences = [f"Weights of {amount(outcome.vertex_count())} came from Skinscope.", *outcome.notes]
        state.tell(sentences)
        if outcome.vertex_count():
            manager.skinscope.changed = True
            bpy.ops.ed.undo_push(message="Weights from Skinscope")


classes = (
    SKINSCOPE_OT_check,
    SKINSCOPE_OT_show,
    SKINSCOPE_OT_back,
    SKINSCOPE_OT_repair,
    SKINSCOPE_OT_bind,
    SKINSCOPE_OT_open,
    SKINSCOPE_OT_send,
)
