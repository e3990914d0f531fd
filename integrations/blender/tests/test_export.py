"""What the file has of a character, and that nothing of the user's changes."""

import bmesh
import bpy
import numpy as np
import pytest
from conftest import BONES, make_armature, make_character, select, stored
from skinscope_blender import character, exporting
from skinscope_blender.errors import Refused
from skinscope_blender.glb import Glb

DEFORMING = [name for name, row in BONES.items() if row[3]]


def found(binding=False):
    context = bpy.context
    return character.find(context.active_object, context.selected_objects, context.scene.objects, context.view_layer, binding)


def export(**options):
    return exporting.export(found(), bpy.context.scene, **options)


def rows(exported, glb, part):
    """For each vertex of the file of a part: the vertex of Blender and its weights by bone."""
    out = []
    names = [glb.json["nodes"][node]["name"] for node in glb.json["skins"][0]["joints"]]
    for (mesh, primitive), vertices in part.primitives.items():
        attributes = glb.json["meshes"][mesh]["primitives"][primitive]["attributes"]
        sets = range(sum(name.startswith("JOINTS_") for name in attributes))
        joints = np.hstack([glb.array(attributes[f"JOINTS_{n}"]) for n in sets])
        values = np.hstack([glb.array(attributes[f"WEIGHTS_{n}"]) for n in sets])
        for vertex, joint, value in zip(vertices, joints, values):
            out.append((vertex, {names[j]: float(w) for j, w in zip(joint, value) if w}))
    return out


def dense(glb, number):
    """The numbers of an accessor that may be sparse."""
    accessor = glb.json["accessors"][number]
    sparse = accessor.get("sparse")
    if sparse is None:
        return glb.array(number)

    def part(key, kind, component):
        glb.json["accessors"].append({**sparse[key], "type": kind, "componentType": component, "count": sparse["count"]})
        return glb.array(len(glb.json["accessors"]) - 1)

    out = np.zeros((accessor["count"], 3), np.float32)
    out[part("indices", "SCALAR", sparse["indices"]["componentType"])] = part("values", "VEC3", 5126)
    return out


def test_each_vertex_of_the_file_has_the_weights_of_its_vertex_in_blender_to_the_bit(figure):
    mesh, _ = figure
    mesh.vertex_groups["arm.L"].add([5], 0.00003, "REPLACE")
    mesh.vertex_groups["root"].add([7], 0.9, "REPLACE")
    for number in range(6):
        mesh.vertex_groups.new(name=f"mask {number}").add([7, 8], 0.5, "REPLACE")
    for group in mesh.vertex_groups:
        group.remove([9])
    before = stored(mesh)
    exported = export()
    glb = Glb(exported.data)
    table = rows(exported, glb, exported.parts[0])
    assert list(exported.bones) == DEFORMING
    assert {vertex for vertex, _ in table} == set(range(len(mesh.data.vertices)))
    assert len(table) > len(mesh.data.vertices), "the materials split vertices"
    for vertex, row in table:
        assert row == {name: before[name][vertex] for name in DEFORMING if before[name].get(vertex)}
    assert [node["name"] for node in glb.json["nodes"] if "mesh" in node] == ["body"]
    assert not any(node["name"] == "neutral_bone" for node in glb.json["nodes"])


def test_more_than_four_influences_are_written_all(figure):
    mesh, rig = figure
    for name in DEFORMING:
        mesh.vertex_groups[name].add([3], 0.2, "REPLACE")
    exported = export()
    table = dict(rows(exported, Glb(exported.data), exported.parts[0]))
    assert len(table[3]) == 5


def test_the_export_changes_nothing_of_the_user(figure):
    mesh, rig = figure
    scene = bpy.context.scene
    scene.frame_set(7)
    rig.pose.bones["arm.L"].rotation_euler = (0.1, 0.2, 0.3)
    rig.pose.bones["arm.R"].location = (0.5, 0, 0)
    rig.location = (1, 2, 3)
    rig.pose.bones["hand.L"]["switch"] = 0.0
    rig.pose.bones["hand.L"].keyframe_insert('["switch"]', frame=1)
    rig.pose.bones["hand.L"]["switch"] = 0.5
    bpy.context.view_layer.update()
    before = (stored(mesh), [tuple(v.co) for v in mesh.data.vertices], list(mesh.data.attributes.keys()))
    layer = scene.view_layers.new("second")
    bpy.context.window.view_layer = layer
    select(mesh)
    blocks = {name: sorted(getattr(bpy.data, name).keys()) for name in ("objects", "meshes", "scenes", "armatures", "actions", "materials")}
    export()
    assert (stored(mesh), [tuple(v.co) for v in mesh.data.vertices], list(mesh.data.attributes.keys())) == before
    assert {name: sorted(getattr(bpy.data, name).keys()) for name in blocks} == blocks
    assert tuple(rig.pose.bones["arm.L"].rotation_euler) == pytest.approx((0.1, 0.2, 0.3))
    assert tuple(rig.pose.bones["arm.R"].location) == (0.5, 0, 0)
    assert tuple(rig.location) == (1, 2, 3)
    assert rig.pose.bones["hand.L"]["switch"] == 0.5
    assert (bpy.context.window.scene, bpy.context.window.view_layer, scene.frame_current) == (scene, layer, 7)
    assert [item.name for item in bpy.context.selected_objects] == ["body"]
    assert rig.animation_data.action.name == "Wave" and rig.data.pose_position == "POSE"


def test_clips_are_in_the_file_and_can_be_left_out(figure):
    bpy.data.actions["Wave"].copy().name = "Bow"
    assert sorted(clip["name"] for clip in Glb(export().data).json["animations"]) == ["Bow", "Wave"]
    assert [clip["name"] for clip in Glb(export(clips="ACTIVE").data).json["animations"]] == ["Wave"]
    figure[1].animation_data.action = None
    assert "animations" not in Glb(export(clips="ACTIVE").data).json
    assert "animations" not in Glb(export(clips="NONE").data).json


def test_the_file_stands_as_blender_shows_it(figure):
    mesh, rig = figure
    rig.location, rig.rotation_euler, mesh.location = (1, 2, 3), (0, 0, 0.5), (0, 0, 0.25)
    bpy.context.view_layer.update()
    exported = export(clips="NONE")
    glb = Glb(exported.data)
    for (number, primitive), vertices in exported.parts[0].primitives.items():
        points = glb.array(glb.json["meshes"][number]["primitives"][primitive]["attributes"]["POSITION"])
        shown = np.array([mesh.matrix_world @ mesh.data.vertices[v].co for v in vertices])
        assert np.abs(points - shown[:, [0, 2, 1]] * (1, 1, -1)).max() < 1e-5


def test_shape_keys_add_what_they_add_in_blender(figure):
    mesh, _ = figure
    mesh.shape_key_add(name="Basis", from_mix=False)
    for name, height in (("fix", 3.0), ("smile", 1.0)):
        key = mesh.shape_key_add(name=name, from_mix=False)
        for point in key.points:
            point.co.z += height
    keys = mesh.data.shape_keys.key_blocks
    keys["fix"].relative_key, keys["smile"].vertex_group = keys["smile"], "arm.L"
    exported = export(clips="NONE")
    glb = Glb(exported.data)
    for (number, primitive), vertices in exported.parts[0].primitives.items():
        stored_mesh = glb.json["meshes"][number]
        part = stored_mesh["primitives"][primitive]
        points = glb.array(part["attributes"]["POSITION"])
        assert np.abs(points[:, 1] - [mesh.data.vertices[v].co.z for v in vertices]).max() < 1e-6
        added = dict(zip(stored_mesh["extras"]["targetNames"], [target["POSITION"] for target in part["targets"]]))
        weights = stored(mesh)["arm.L"]
        assert dense(glb, added["fix"])[:, 1] == pytest.approx(2.0, abs=1e-5)
        assert dense(glb, added["smile"])[:, 1] == pytest.approx([weights.get(v, 0) for v in vertices], abs=1e-5)
    assert keys["fix"].relative_key == keys["smile"]


def halve(mesh):
    """Keeps the half of a mesh at +X, and mirrors it before the armature moves it."""
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(mesh.data)
    bmesh.ops.delete(edited, geom=[vertex for vertex in edited.verts if vertex.co.x < -1e-4], context="VERTS")
    bmesh.update_edit_mesh(mesh.data)
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh.modifiers.new("Mirror", "MIRROR")
    mesh.modifiers.move(1, 0)


def test_a_mirrored_half_is_looked_at_as_a_whole_and_keeps_its_own_numbers(figure):
    mesh, _ = figure
    whole = export(clips="NONE")
    halve(mesh)
    exported = export(clips="NONE")
    part, count = exported.parts[0], len(mesh.data.vertices)
    assert part.count == count and any("“Mirror”" in note and "modelled" in note for note in exported.notes)
    numbers = np.unique(np.concatenate(list(part.primitives.values())))
    seam = [vertex.index for vertex in mesh.data.vertices if abs(vertex.co.x) < 1e-4]
    assert list(numbers) == sorted([*range(count), *(v + count for v in range(count) if v not in seam)])
    assert len(numbers) == whole.parts[0].count
    before, glb = stored(mesh), Glb(exported.data)
    swapped = {"arm.L": "arm.R", "hand.L": "hand.R", "arm.R": "arm.L", "hand.R": "hand.L", "root": "root"}
    for number, row in rows(exported, glb, part):
        own = {name: before[name][number % count] for name in DEFORMING if before[name].get(number % count)}
        assert row == (own if number < count else {swapped[name]: value for name, value in own.items()})


@pytest.mark.parametrize("why", ["behind the armature", "cuts", "shape keys", "off"])
def test_a_mirror_whose_copies_cannot_be_told_apart_is_left_out_and_said(figure, why):
    mesh, _ = figure
    halve(mesh)
    mirror = mesh.modifiers["Mirror"]
    if why == "behind the armature":
        mesh.modifiers.move(0, 1)
    elif why == "cuts":
        mirror.use_bisect_axis[0] = True
    elif why == "shape keys":
        mesh.shape_key_add(name="Basis", from_mix=False)
    elif why == "off":
        mirror.show_viewport = False
    exported = export(clips="NONE")
    numbers = np.unique(np.concatenate(list(exported.parts[0].primitives.values())))
    assert list(numbers) == list(range(len(mesh.data.vertices)))
    assert any("without its modifiers “Mirror”" in note for note in exported.notes) == (why != "off")


def test_other_modifiers_are_left_out_and_said(figure):
    mesh, _ = figure
    mesh.modifiers.new("Smooth", "SUBSURF")
    mesh.modifiers.new("Thick", "SOLIDIFY")
    exported = export(clips="NONE")
    assert exported.parts[0].count == len(mesh.data.vertices)
    assert any("“Smooth”, “Thick”" in note for note in exported.notes)


def test_loose_vertices_are_said(figure):
    mesh, _ = figure
    mesh.data.vertices.add(2)
    assert any("in no face: 2 vertices of “body”" in note for note in export(clips="NONE").notes)


def test_meshes_that_follow_a_bone_as_a_whole_are_said_to_be_left_out(figure):
    _, rig = figure
    holder = bpy.data.objects.new("holder", None)
    bpy.context.collection.objects.link(holder)
    holder.parent, holder.parent_type, holder.parent_bone = rig, "BONE", "hand.L"
    items = [bpy.data.objects.new(f"item {n}", bpy.data.meshes["body"].copy()) for n in range(12)]
    for item in items:
        bpy.context.collection.objects.link(item)
        item.parent = holder
    items[0].hide_set(True)
    notes = "\n".join(found().notes)
    assert "have no weights" in notes and "“item 1”, “item 2”" in notes and notes.count("item ") == 8 and ", 3 more" in notes
    assert "item 0" not in notes and "body" not in notes
    select(items[1])
    with pytest.raises(Refused, match="No armature moves this mesh"):
        found()


def test_an_armature_below_hidden_parents_is_found_and_stays_hidden(figure):
    mesh, rig = figure
    parent = bpy.data.objects.new("top", None)
    bpy.context.collection.objects.link(parent)
    rig.parent, rig.hide_viewport, parent.hide_viewport = parent, True, True
    assert len(export().parts) == 1
    assert rig.hide_viewport and parent.hide_viewport


def test_all_meshes_of_an_armature_belong_to_it_and_shared_mesh_data_once(figure):
    mesh, rig = figure
    make_character("shirt", rig)
    twin = mesh.copy()
    bpy.context.collection.objects.link(twin)
    props = bpy.data.objects.new("other", mesh.data)
    bpy.context.collection.objects.link(props)
    select(rig)
    exported = export(clips="NONE")
    assert [part.name for part in exported.parts] == ["body", "shirt"]
    assert any("body.001" in note and "looked at once" in note for note in exported.notes)
    assert any("“other” shows the mesh of “body” as well" in note for note in exported.notes)


def test_a_child_of_an_armature_without_a_modifier_is_skinned_as_in_blender(figure):
    mesh, rig = figure
    mesh.modifiers.clear()
    mesh.parent_type = "ARMATURE"
    assert len(export(clips="NONE").parts) == 1


@pytest.mark.parametrize("what", ["two armatures", "bone parent", "no armature", "nothing", "no bone", "two characters", "all hidden"])
def test_what_cannot_be_a_character_is_refused_with_the_reason(figure, what):
    mesh, rig = figure
    words = {
        "two armatures": "several armatures",
        "bone parent": "both move it",
        "no armature": "No armature moves this mesh",
        "nothing": "Select a character",
        "no bone": "No bone of “rig” deforms",
        "two characters": "Several characters are selected",
        "all hidden": "are hidden",
    }
    if what == "two armatures":
        mesh.modifiers.new("second", "ARMATURE").object = make_armature("other")
        select(mesh)
    elif what == "bone parent":
        mesh.parent_type, mesh.parent_bone = "BONE", "root"
    elif what == "no armature":
        mesh.modifiers.clear()
    elif what == "nothing":
        bpy.context.view_layer.objects.active = None
        mesh.select_set(False)
    elif what == "no bone":
        for bone in rig.data.bones:
            bone.use_deform = False
    elif what == "two characters":
        other, _ = make_character("twin", make_armature("second"))
        select(mesh, other)
    elif what == "all hidden":
        select(rig)
        mesh.hide_viewport = True
    with pytest.raises(Refused, match=words[what]):
        export()
