#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): the glTF that its exporter writes of vertices with weights for a bone whose switch Deform is off, as
# a control bone that once had weights.
#
# Guess: such weights do nothing in Blender, so they do nothing in the file either: the others of the vertex are scaled up to 1.
# Seen: with the export options as they come, the bone is a joint like all others, and its weights are written as they are. A
# vertex that follows "base" alone in Blender, since its other half hangs on the switched off "control", follows both by half in
# the file; one on "control" alone stands still in Blender and goes all of the way with it in the file. With the option to
# export deforming bones only all is as in Blender: the first follows "base" alone, and the second hangs on a new joint
# "neutral_bone".
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > deform.py <<'PYTHON'
import os

import bpy
from mathutils import Vector

ops = bpy.ops.object

def points(skin):
    bpy.context.view_layer.update()
    mesh = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    return [skin.matrix_world @ vertex.co for vertex in mesh.vertices]

def moved(where):
    """Moves each bone by 4 along X, and says how far the vertices go with it, from the lowest one up."""
    skin = next(item for item in bpy.data.objects if item.type == "MESH" and item.vertex_groups)
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    for bone in sorted(rig.pose.bones, key=lambda bone: bone.name):
        rest = points(skin)
        axes = (rig.matrix_world @ bone.bone.matrix_local).to_3x3()
        bone.location = axes.inverted() @ Vector((4, 0, 0))
        after = points(skin)
        bone.location = (0, 0, 0)
        order = sorted(range(len(rest)), key=lambda i: rest[i].z)
        said = ", ".join(f"{(after[i] - rest[i]).length:.1f}" for i in order)
        print(f"seen {where}: {bone.name} takes the vertices along by {said}", flush=True)

def scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("triangle")
    mesh.from_pydata([(0, 0, 0), (0, 0, 1), (0, 0.1, 2)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("triangle", mesh)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    for item in (skin, rig):
        bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = rig
    ops.mode_set(mode="EDIT")
    for name, height in (("base", 0), ("control", 1)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, height), (0, 0, height + 1)
    ops.mode_set(mode="OBJECT")
    rig.data.bones["control"].use_deform = False
    for name, row in (("base", [1, 0.5, 0]), ("control", [0, 0.5, 1])):
        group = skin.vertex_groups.new(name=name)
        for vertex, weight in enumerate(row):
            if weight:
                group.add([vertex], weight, "REPLACE")
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig

for name, options in (("as it comes", {}), ("deforming bones only", {"export_def_bones": True})):
    scene()
    path = os.path.abspath(f"{len(options)}.glb")
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", **options)
    if not options:
        moved("in Blender")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    moved(f"in the file, {name}")
PYTHON
venv/bin/python deform.py | grep '^seen' | tee seen.txt
cat > expected.txt <<'TEXT'
seen in Blender: base takes the vertices along by 4.0, 4.0, 0.0
seen in Blender: control takes the vertices along by 0.0, 0.0, 0.0
seen in the file, as it comes: base takes the vertices along by 4.0, 2.0, 0.0
seen in the file, as it comes: control takes the vertices along by 0.0, 2.0, 4.0
seen in the file, deforming bones only: base takes the vertices along by 4.0, 4.0, 0.0
seen in the file, deforming bones only: neutral_bone takes the vertices along by 0.0, 0.0, 4.0
TEXT
diff -u expected.txt seen.txt
