#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): the glTF that its exporter writes of a mesh whose Armature modifier is switched off, masked by a
# vertex group, or told to leave vertex groups alone, and of a mesh that its armature moves as its parent, without a modifier.
#
# Guess: the file moves as Blender does, or the export warns: a skin has no mask, but a mesh that does not move needs no skin,
# and one that moves needs one.
# Seen: any Armature modifier that names an armature makes a skin with all weights, whatever its switches say. A mesh that
# stands still in Blender, since the modifier is off in viewport and render or has "Vertex Groups" off, follows its bones in the
# file; a mask of 0.5 lets it go half of the way in Blender and all of it in the file. The other way round, a mesh that is a child
# of its armature by "Armature Deform" moves in Blender without any modifier, and is stiff in the file. Nothing warns.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > switches.py <<'PYTHON'
import os

import bpy
from mathutils import Vector

ops = bpy.ops.object

def points(skin):
    bpy.context.view_layer.update()
    mesh = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    return [skin.matrix_world @ vertex.co for vertex in mesh.vertices]

def moved():
    """Moves each bone by 4 along X, and says how far the vertices go with it, from the lowest one up."""
    skin = next(item for item in bpy.data.objects if item.type == "MESH" and len(item.data.vertices) == 3)
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    out = []
    for name in ("base", "tip"):
        bone, rest = rig.pose.bones[name], points(skin)
        axes = (rig.matrix_world @ bone.bone.matrix_local).to_3x3()
        bone.location = axes.inverted() @ Vector((4, 0, 0))
        after = points(skin)
        bone.location = (0, 0, 0)
        order = sorted(range(3), key=lambda i: rest[i].z)
        out.append(name + " " + "/".join(f"{(after[i] - rest[i]).length:.1f}" for i in order))
    return ", ".join(out)

def scene(change):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("triangle")
    mesh.from_pydata([(0, 0, 0), (0, 0, 1), (0, 0.1, 2)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("triangle", mesh)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    for item in (skin, rig):
        bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = rig
    ops.mode_set(mode="EDIT")
    for name, height in (("base", 0), ("tip", 1)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, height), (0, 0, height + 1)
    ops.mode_set(mode="OBJECT")
    for name, row in (("base", [1, 0.5, 0]), ("tip", [0, 0.5, 1])):
        group = skin.vertex_groups.new(name=name)
        for vertex, weight in enumerate(row):
            if weight:
                group.add([vertex], weight, "REPLACE")
    skin.vertex_groups.new(name="half").add([0, 1, 2], 0.5, "REPLACE")
    skin.parent = rig
    modifier = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    change(skin, modifier)

def off(skin, modifier):
    modifier.show_viewport = modifier.show_render = False

def masked(skin, modifier):
    modifier.vertex_group = "half"

def groups_off(skin, modifier):
    modifier.use_vertex_groups = False

def parent_alone(skin, modifier):
    skin.modifiers.remove(modifier)
    skin.parent_type = "ARMATURE"

WAYS = {
    "as it comes": lambda skin, modifier: None,
    "off in viewport and render": off,
    "masked by 0.5": masked,
    "vertex groups off": groups_off,
    "no modifier, Armature Deform as parent": parent_alone,
}
for title, change in WAYS.items():
    scene(change)
    print(f"seen {title}, in Blender: {moved()}", flush=True)
    path = os.path.abspath("triangle.glb")
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    print(f"seen {title}, in the file: {moved()}", flush=True)
PYTHON
venv/bin/python switches.py > all.txt 2>&1
if grep -iE 'warn|error' all.txt; then exit 1; fi
sed -n 's/^seen //p' all.txt | tee seen.txt
cat > expected.txt <<'TEXT'
as it comes, in Blender: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
as it comes, in the file: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
off in viewport and render, in Blender: base 0.0/0.0/0.0, tip 0.0/0.0/0.0
off in viewport and render, in the file: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
masked by 0.5, in Blender: base 2.0/1.0/0.0, tip 0.0/1.0/2.0
masked by 0.5, in the file: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
vertex groups off, in Blender: base 0.0/0.0/0.0, tip 0.0/0.0/0.0
vertex groups off, in the file: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
no modifier, Armature Deform as parent, in Blender: base 4.0/2.0/0.0, tip 0.0/2.0/4.0
no modifier, Armature Deform as parent, in the file: base 0.0/0.0/0.0, tip 0.0/0.0/0.0
TEXT
diff -u expected.txt seen.txt
