"""Findings of the checker at Blender's vertices, and the view that shows one."""

import random
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import weights
from .errors import Refused, engine


@dataclass
class Found:
    """A finding of the package, in Blender's terms."""

    rule: str
    severity: str
    message: str
    fix: str
    name: str
    """The object whose vertices are at fault; empty for what is about bones."""
    vertices: np.ndarray
    """Vertices of that object, rising."""
    bones: tuple
    """Names of the bones at fault."""
    clip: tuple
    """The action's name and the seconds where it is seen best; empty where no clip shows it."""
    turn: tuple
    """The bone, its axis in the bone's own space and the degrees where it is seen best; empty where no turn does."""


MOTION_SECONDS = 10
"""How long the range of motion may take."""


def check(exported, limit=4, motion=False):
    """Runs the checker on an exported character and returns its findings, worst first.

    `limit` is how many joints may move a vertex. With `motion` every joint is turned as well, and the poses that harm the skin most are
    findings too.
    """
    model = weights.open_model(exported)
    try:
        turned = {"rom": True, "rom_seconds": MOTION_SECONDS} if motion else {}
        found = model.check(limit=limit, **turned)
    except engine().Error as error:
        raise Refused(str(error)) from error
    return [_in_blender(finding, model, exported) for finding in found]


def _in_blender(finding, model, exported):
    name, vertices = "", np.empty(0, np.int64)
    for part in exported.parts:
        numbers = part.primitives.get((finding.mesh, finding.primitive))
        if numbers is not None:
            name, vertices = part.name, np.unique(numbers[np.asarray(finding.vertices, np.int64)] % part.count)
    bones = tuple(model.nodes[node].name for node in finding.joints)
    clip, turn, pose = (), (), finding.pose or {}
    if "clip" in pose:
        clip = (model.clips[pose["clip"]].name, float(pose["time"]))
    elif "joint" in pose:
        bone = model.nodes[pose["joint"]].name
        turn = (bone, _axis_of_bone(model, pose["joint"], bone, pose["axis"], exported), float(pose["degrees"]))
    return Found(
        finding.rule, finding.severity, finding.message, finding.fix, name, vertices, bones, clip, turn
    )


def _axis_of_bone(model, joint, bone, axis, exported):
    """Returns an axis of a joint's own space in that of its bone. Both rest at one place, with other axes."""
    armature = bpy.data.objects[exported.armature]
    rest = Matrix([list(map(float, row)) for row in model.nodes[joint].world]).to_3x3()
    y_up = Matrix(((1, 0, 0), (0, 0, 1), (0, -1, 0)))
    bone_rest = y_up @ (armature.matrix_world @ armature.data.bones[bone].matrix_local).to_3x3()
    return tuple((bone_rest.inverted() @ rest @ Vector(axis)).normalized())


def show(context, found, armature, keep_editing=False):
    """Selects the vertices of a finding, makes its group the active one, and shows its pose.

    The mesh comes into weight paint mode with its vertices masked, where weights, vertices and pose are seen at once, or with
    `keep_editing` into edit mode. No object may be in edit mode. Returns how many of the vertices are hidden, and so not selected. Raises
    `Refused` where the mesh or the action is gone.
    """
    item = bpy.data.objects.get(found.name) if found.name else None
    if found.name and (item is None or item.name not in context.view_layer.objects):
        raise Refused(f"“{found.name}” is gone or has another name now. Check again.")
    if item is not None and len(found.vertices) and found.vertices[-1] >= len(item.data.vertices):
        raise Refused(f"“{found.name}” has fewer vertices than when it was checked. Check again.")
    pose(context, found, armature)
    _select_bones(found, armature)
    if item is None:
        return 0
    active = context.view_layer.objects.active
    if active is not None and active != item and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.view_layer.objects:
        other.select_set(other in (item, armature))
    context.view_layer.objects.active = item
    if item.mode not in ("OBJECT", "WEIGHT_PAINT"):
        bpy.ops.object.mode_set(mode="OBJECT")
    hidden = _select_vertices(item.data, found.vertices)
    group = next((item.vertex_groups[name] for name in found.bones if name in item.vertex_groups), None)
    if group is not None:
        item.vertex_groups.active_index = group.index
    if keep_editing:
        bpy.ops.object.mode_set(mode="EDIT")
        context.tool_settings.mesh_select_mode = (True, False, False)
    elif item.data.library is None:
        item.data.use_paint_mask_vertex = True
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    return hidden


def _select_vertices(mesh, vertices):
    """Selects vertices alone. Hidden ones cannot be selected; returns how many of them there are."""
    hidden = np.zeros(len(mesh.vertices), bool)
    mesh.vertices.foreach_get("hide", hidden)
    chosen = np.zeros(len(mesh.vertices), bool)
    chosen[vertices] = True
    for name in (".select_edge", ".select_poly"):
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])
    mesh.vertices.foreach_set("select", chosen & ~hidden)
    mesh.update()
    return int((chosen & hidden).sum())


def _select_bones(found, armature):
    for bone in armature.pose.bones:
        chosen = bone.name in found.bones
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = chosen
    if found.bones and found.bones[0] in armature.data.bones:
        armature.data.bones.active = armature.data.bones[found.bones[0]]


@dataclass
class Before:
    """How an armature stood before the pose of a finding was shown."""

    action: str
    slot: object
    frame: float
    use_nla: bool
    matrices: dict


SHOWN = "Which pose of a finding of Skinscope is shown; 0 for none"
"""What `skinscope_pose` of an object says."""

_before = {}
"""How armatures stood before a finding was shown, by the number that their object has meanwhile as `skinscope_pose`.

Undo and Redo take that number along, so that it says at each step whether the pose of a finding is shown, and what was there before.
"""


def pose(context, found, armature):
    """Brings an armature into the pose of a finding, and remembers how it stood before. `back` returns there."""
    if not (found.clip or found.turn):
        back(context, armature)
        return
    if not is_shown(armature):
        data = armature.animation_data
        armature.skinscope_pose = random.randrange(1, 1 << 31)
        _before[armature.skinscope_pose] = Before(
            data.action.name if data is not None and data.action is not None else "",
            getattr(data, "action_slot", None) and data.action_slot.identifier,
            context.scene.frame_current_final,
            data is not None and data.use_nla,
            {bone.name: bone.matrix_basis.copy() for bone in armature.pose.bones},
        )
    if found.clip:
        action = bpy.data.actions.get(found.clip[0])
        if action is None:
            raise Refused(f"The action “{found.clip[0]}” is gone or has another name now. Check again.")
        data = armature.animation_data_create()
        data.use_nla = False
        _set_action(data, action)
        _set_frame(context.scene, frame_of(context.scene, action, found.clip[1]))
    else:
        if armature.animation_data is not None:
            armature.animation_data.action = None
            armature.animation_data.use_nla = False
        for bone in armature.pose.bones:
            bone.matrix_basis = Matrix.Identity(4)
        name, axis, degrees = found.turn
        armature.pose.bones[name].matrix_basis = Matrix.Rotation(np.radians(degrees), 4, Vector(axis))
    context.view_layer.update()


def is_shown(armature):
    """Whether an armature stands as a finding is seen, and `back` returns it to how it stood before."""
    return armature.skinscope_pose in _before


def back(context, armature):
    """Returns an armature to how it stood before a finding was shown. Says whether one was."""
    if not is_shown(armature):
        return False
    before, armature.skinscope_pose = _before[armature.skinscope_pose], 0
    data = armature.animation_data
    if data is not None:
        data.use_nla = before.use_nla
        action = bpy.data.actions.get(before.action) if before.action else None
        data.action = action
        if action is not None:
            _set_action(data, action, before.slot)
    _set_frame(context.scene, before.frame)
    for bone in armature.pose.bones:
        if bone.name in before.matrices:
            bone.matrix_basis = before.matrices[bone.name]
    context.view_layer.update()
    return True


def forget():
    """Forgets how armatures stood, as another file is opened."""
    _before.clear()


def frame_of(scene, action, seconds):
    """Returns the frame of a time of a clip: the exporter counts seconds from frame 0, or from the first where that is negative.

    A time that is that of a whole frame, but for the rounding of the file, gives that frame.
    """
    frame = seconds * scene.render.fps / scene.render.fps_base + min(0.0, np.floor(action.frame_range[0]))
    return float(round(frame)) if abs(frame - round(frame)) < 1e-3 else frame


def _set_frame(scene, frame):
    scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))


def _set_action(data, action, slot=None):
    """Sets an action, with its slot where Blender has slots (4.4 and later)."""
    data.action = action
    if not hasattr(data, "action_slot"):
        return
    suitable = list(data.action_suitable_slots)
    named = [s for s in suitable if s.identifier == slot]
    if named or (data.action_slot is None and suitable):
        data.action_slot = (named or suitable)[0]
