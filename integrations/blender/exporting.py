"""Writes a character with Blender's own glTF exporter, with the weights as they stand in its vertex groups.

The exporter sees copies of the meshes in a scene of their own, so that nothing of the user's changes. Each copy has two attributes
that the exporter writes along: the number of each vertex, and that of its object. They say which vertex of Blender each vertex of the
file is, since the exporter splits vertices at seams, sharp edges and materials. The exporter's own weights are replaced: it scales
those of each vertex to a sum of 1, drops what is below 0.0001, and hangs vertices without weights on a bone that it makes up. What is
written instead is what the groups of the bones that deform have, as it is.
"""

import hashlib
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np

from . import groups
from .character import mirrors, quoted
from .errors import Refused, amount
from .glb import BYTE, FLOAT, SHORT, VERTICES, Glb

VERTEX, OBJECT = "_SKINSCOPE_VERTEX", "_SKINSCOPE_OBJECT"
MOST_VERTICES = 1 << 24
"""The exporter writes such numbers as 32-bit floats, which hold each integer up to here."""


@dataclass
class Part:
    """A mesh of the character, and where its vertices are in the file."""

    name: str
    """The object's name."""
    count: int
    """How many vertices it has in Blender."""
    topology: bytes
    """A digest of which vertices its faces join."""
    primitives: dict = field(default_factory=dict)
    """For each (mesh, primitive) of the file: a number for each vertex there, (V,) int64.

    It is that of the vertex in Blender; for what a Mirror modifier makes, `count` times the number of the copy is added.
    """


@dataclass
class Exported:
    """A character as a file."""

    data: bytes
    """The bytes of the `.glb`."""
    armature: str
    """The name of the armature's object."""
    bones: tuple
    """Names of the bones that deform, in the order of the skin's joints."""
    parts: list
    locked: dict
    """For each object's name the names of its bones whose group is locked."""
    notes: list


def topology(mesh):
    """Returns a digest of which vertices the faces of mesh data join."""
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    return hashlib.blake2b(corners.tobytes() + starts.tobytes(), digest_size=16).digest()


def export(character, scene, clips="ALL"):
    """Writes a character, none of whose objects is in edit mode, and returns it as `Exported`.

    `scene` is the user's: its frame rate and its range of frames are those of the clips. `clips` is `ALL` for all actions of the armature,
    `ACTIVE` for the active one, and `NONE`.
    """
    bones = tuple(bone.name for bone in character.armature.data.bones if bone.use_deform)
    parts = [Part(m.name, len(m.data.vertices), topology(m.data)) for m in character.meshes]
    with _kept_state(character.armature, scene), _temporary_scene(character, scene) as (temporary, copies):
        weights = [_number(copy, place, part, bones) for place, (copy, part) in enumerate(zip(copies, parts))]
        names = [copy.name for copy in copies]
        glb = Glb(_run_exporter(temporary, [character.armature, *copies], _clip_options(character.armature, clips)))
    _name_as_in_blender(glb, dict(zip(names, character.meshes)))
    _find_primitives(glb, parts)
    _write_skin(glb, parts, weights, bones)
    notes = list(character.notes)
    for part in parts:
        present = np.unique(np.concatenate(list(part.primitives.values()) or [np.empty(0, np.int64)]))
        missing = part.count - int((present < part.count).sum())
        if missing:
            notes.append(f"Left as it is, since it is in no face: {amount(missing)} of “{part.name}”.")
    locked = {m.name: tuple(groups.locked_bones(m, bones)) for m in character.meshes}
    return Exported(glb.to_bytes(), character.armature.name, bones, parts, locked, notes)


@contextmanager
def _temporary_scene(character, scene):
    """A scene with the armature and copies of the meshes, all of them selected; gone afterwards."""
    temporary = bpy.data.scenes.new("Skinscope")
    copies, shown = [], (character.armature.hide_viewport, character.armature.hide_select)
    try:
        for name in ("fps", "fps_base"):
            setattr(temporary.render, name, getattr(scene.render, name))
        for name in ("frame_start", "frame_end", "frame_current"):
            setattr(temporary, name, getattr(scene, name))
        for mesh in character.meshes:
            copies.append(_copy(mesh, character.armature))
        parents, parent = [], character.armature.parent
        while parent is not None:
            parents.append(parent)
            parent = parent.parent
        character.armature.hide_viewport = character.armature.hide_select = False
        for item in [*parents, character.armature, *copies]:
            temporary.collection.objects.link(item)
        layer = temporary.view_layers[0]
        layer.update()
        for copy in copies:
            _mirror(copy, layer.depsgraph)
            modifier = copy.modifiers.new("Armature", "ARMATURE")
            modifier.object, modifier.show_viewport = character.armature, False
        for item in [character.armature, *copies]:
            item.select_set(True, view_layer=layer)
        yield temporary, copies
    finally:
        bpy.data.scenes.remove(temporary)
        character.armature.hide_viewport, character.armature.hide_select = shown
        for copy in copies:
            bpy.data.meshes.remove(copy.data)


def _copy(mesh, armature):
    """A copy of a mesh as it stands, with plain shape keys, each vertex's number as an attribute, and no modifier but `mirrors`."""
    kept = [modifier.name for modifier in mirrors(mesh)]
    copy = mesh.copy()
    copy.data = data = mesh.data.copy()
    place = mesh.matrix_world.copy()
    copy.animation_data_clear()
    copy.constraints.clear()
    for modifier in [m for m in copy.modifiers if m.name not in kept]:
        copy.modifiers.remove(modifier)
    copy.parent, copy.parent_type = armature, "OBJECT"
    copy.matrix_parent_inverse = armature.matrix_world.inverted_safe()
    copy.matrix_basis = place
    copy.hide_viewport = copy.hide_select = copy.hide_render = False
    _make_keys_plain(mesh, data)
    _set_attribute(data, VERTEX, np.arange(len(data.vertices)))
    return copy


def _set_attribute(data, name, values):
    if name in data.attributes:
        data.attributes.remove(data.attributes[name])
    data.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", values.astype(np.float32))


def _mirror(copy, depsgraph):
    """Gives a copy the mesh that its Mirror modifiers make, in place of them."""
    if not len(copy.modifiers):
        return
    before = copy.data
    copy.data = bpy.data.meshes.new_from_object(
        copy.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph
    )
    bpy.data.meshes.remove(before)
    copy.modifiers.clear()


def _number(copy, place, part, bones):
    """Numbers the vertices of a copy as `Part.primitives` says, and returns their weights by these numbers.

    The vertices that a Mirror modifier makes have the numbers of those that they are copies of, and stand behind them. All weights of
    the copy itself go to one bone: the exporter then makes up none.
    """
    data = copy.data
    origins = np.empty(len(data.vertices), np.float32)
    data.attributes[VERTEX].data.foreach_get("value", origins)
    origins = origins.astype(np.int64)
    order = np.argsort(origins, kind="stable")
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - np.searchsorted(origins[order], origins[order])
    numbers = origins + nth * part.count
    if part.count > MOST_VERTICES or numbers.max(initial=0) > MOST_VERTICES:
        raise Refused(f"“{part.name}” has too many vertices: the file tells no more than {MOST_VERTICES} of a mesh apart.")
    found = groups.read_bones(copy, bones)
    _set_attribute(data, VERTEX, numbers)
    _set_attribute(data, OBJECT, np.full(len(numbers), place))
    copy.vertex_groups.clear()
    copy.vertex_groups.new(name=bones[0]).add(range(len(numbers)), 1.0, "REPLACE")
    return groups.entries(numbers[found.vertices], found.columns, found.values)


def _make_keys_plain(mesh, data):
    """Makes each shape key of a copy what it adds in Blender: the exporter knows no masks, and measures all keys from one shape."""
    keys = data.shape_keys
    if keys is None or not keys.use_relative:
        return
    size = len(data.vertices)

    def points(key):
        out = np.empty(3 * size, np.float32)
        key.points.foreach_get("co", out)
        return out.reshape(size, 3)

    weights, base, shapes = groups.read(mesh), points(keys.reference_key), {}
    for key in keys.key_blocks:
        if key == keys.reference_key or (key.relative_key == keys.reference_key and not key.vertex_group):
            continue
        added = points(key) - points(key.relative_key)
        group = mesh.vertex_groups.get(key.vertex_group)
        if group is not None:
            mask, own = np.zeros(size, np.float32), weights.columns == group.index
            mask[weights.vertices[own]] = weights.values[own]
            added *= mask[:, None]
        shapes[key.name] = base + added
    for name, shape in shapes.items():
        key = keys.key_blocks[name]
        key.points.foreach_set("co", np.ascontiguousarray(shape, np.float32).ravel())
        key.relative_key, key.vertex_group = keys.reference_key, ""


@contextmanager
def _kept_state(armature, scene):
    """Restores what the exporter disturbs as it plays clips: poses and places that have no key, and the window's scene."""
    window = bpy.context.window
    shown, layer = window.scene, window.view_layer
    moved = [item for item in scene.objects if item.animation_data is not None or item.constraints]
    kept = [(part, _channels(part), _numbers(part)) for part in [*moved, armature, *armature.pose.bones]]
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        window.scene, window.view_layer = shown, layer
        if (scene.frame_current, scene.frame_subframe) != (frame, subframe):
            scene.frame_set(frame, subframe=subframe)
        bpy.context.view_layer.update()
        for part, channels, own in kept:
            now = _channels(part)
            for name in [name for name in channels if channels[name] != now[name]]:
                setattr(part, name, channels[name])
            for name in [name for name in own if part.get(name) != own[name]]:
                part[name] = own[name]
        bpy.context.view_layer.update()


def _channels(part):
    """The transform of an object or a bone of a pose, channel by channel."""
    names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    out = {"rotation_mode": part.rotation_mode}
    for name in names:
        value = getattr(part, name)
        out[name] = value.copy() if hasattr(value, "copy") else tuple(value)
    return out


def _numbers(part):
    """The custom properties of an object or a bone that are numbers, as switches of a rig are."""
    return {name: value for name, value in part.items() if isinstance(value, (int, float))}


def _clip_options(armature, clips):
    """The exporter's options for actions. One that is sampled is written as it is played, at every frame."""
    action = armature.animation_data.action if armature.animation_data is not None else None
    if clips == "NONE" or (clips == "ACTIVE" and action is None):
        return {"export_animations": False, "export_current_frame": True}
    if clips == "ACTIVE":
        return {
            "export_animation_mode": "ACTIVE_ACTIONS",
            "export_nla_strips_merged_animation_name": action.name,
            "export_anim_single_armature": False,
        }
    return {"export_animation_mode": "ACTIONS"}


def _run_exporter(temporary, items, clips):
    """Runs Blender's exporter on the selected objects of a scene, with options for clips, and returns the file's bytes."""
    try:
        known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
    except (AttributeError, KeyError) as error:
        raise Refused("Blender's add-on “glTF 2.0 format” is off. Switch it on in the preferences.") from error
    options = {
        "export_format": "GLB",
        "use_selection": True,
        "use_active_scene": True,
        "export_attributes": True,
        "export_yup": True,
        "export_apply": False,
        "export_nla_strips": False,
        "export_negative_frame": "SLIDE",
        "export_rest_position_armature": True,
        "export_def_bones": False,
        "export_leaf_bone": False,
        "export_extras": False,
        "export_cameras": False,
        "export_lights": False,
        "export_draco_mesh_compression_enable": False,
        **clips,
    }
    bpy.context.window.scene = temporary
    with tempfile.TemporaryDirectory(prefix="skinscope_") as folder:
        path = os.path.join(folder, "character.glb")
        try:
            bpy.ops.export_scene.gltf(filepath=path, **{k: v for k, v in options.items() if k in known})
        except RuntimeError as error:
            raise Refused(f"Blender's glTF exporter failed: {error}") from error
        if not os.path.exists(path):
            raise Refused(f"Blender's glTF exporter wrote nothing for {quoted(item.name for item in items)}.")
        with open(path, "rb") as file:
            return file.read()


def _name_as_in_blender(glb, meshes):
    """Gives nodes and meshes of copies the names of what they are copies of; `meshes` by the name of the copy."""
    for node in glb.json["nodes"]:
        mesh = meshes.get(node.get("name")) if "mesh" in node else None
        if mesh is not None:
            node["name"] = mesh.name
            glb.json["meshes"][node["mesh"]]["name"] = mesh.data.name


def _find_primitives(glb, parts):
    """Fills `primitives` of the parts by the attributes that the exporter has written."""
    for part, primitives in vertices_of(glb).items():
        if part < len(parts):
            parts[part].primitives = primitives
    lost = [part.name for part in parts if not part.primitives and part.count]
    if len(lost) == len(parts):
        raise Refused(f"{quoted(lost)} has no faces, or another add-on changes what the glTF exporter writes: nothing to look at.")


def vertices_of(glb):
    """Reads which vertices of Blender a file has: for each part's number, for each (mesh, primitive), an array (V,) int64."""
    out = {}
    for mesh_number, mesh in enumerate(glb.json.get("meshes", [])):
        for number, primitive in enumerate(mesh["primitives"]):
            attributes = primitive["attributes"]
            if VERTEX not in attributes or OBJECT not in attributes:
                continue
            vertices = glb.array(attributes[VERTEX]).astype(np.int64)
            owners = np.unique(glb.array(attributes[OBJECT]).astype(np.int64))
            if len(owners) == 1:
                out.setdefault(int(owners[0]), {})[(mesh_number, number)] = vertices
    return out


def _write_skin(glb, parts, weights, bones):
    """Puts the weights of Blender in place of the exporter's, and takes bones that do not deform out of the skin."""
    skins = glb.json.get("skins", [])
    if len(skins) != 1:
        raise Refused("Blender's glTF exporter wrote no skin: is the armature one that can be exported?")
    skin = skins[0]
    names = {glb.json["nodes"][node].get("name"): place for place, node in enumerate(skin["joints"])}
    kept = [names[bone] for bone in bones]
    matrices = glb.array(skin["inverseBindMatrices"])[kept]
    skin["joints"] = [skin["joints"][place] for place in kept]
    skin["inverseBindMatrices"] = glb.add(matrices, "MAT4", FLOAT)
    component = BYTE if len(bones) <= 256 else SHORT
    for part, found in zip(parts, weights):
        joints, values = _padded(found, 1 + max((v.max(initial=0) for v in part.primitives.values()), default=0))
        for (mesh, primitive), vertices in part.primitives.items():
            attributes = glb.json["meshes"][mesh]["primitives"][primitive]["attributes"]
            for name in [name for name in attributes if name.startswith(("JOINTS_", "WEIGHTS_"))]:
                del attributes[name]
            for number in range(joints.shape[1] // 4):
                row = slice(4 * number, 4 * number + 4)
                attributes[f"JOINTS_{number}"] = glb.add(joints[vertices, row], "VEC4", component, VERTICES)
                attributes[f"WEIGHTS_{number}"] = glb.add(values[vertices, row], "VEC4", FLOAT, VERTICES)


def _padded(found, count):
    """Entries of the first `count` vertices as rows: joints and weights, both (count, 4 n), the largest first, zeros behind them."""
    order = np.lexsort((found.columns, -found.values, found.vertices))
    order = order[found.vertices[order] < count]
    vertices = found.vertices[order]
    place = np.arange(len(order)) - np.searchsorted(vertices, vertices)
    width = 4 * max(1, -(-int(place.max(initial=0) + 1) // 4))
    joints, values = np.zeros((count, width), np.int64), np.zeros((count, width), np.float32)
    joints[vertices, place] = found.columns[order]
    values[vertices, place] = found.values[order]
    return joints, values
