#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): automatic weights of one finger, 80 mm long and 16 mm thick, as its mesh becomes finer.
#
# Guess: the finer mesh gets the same weights, at more places: both bones move the same 24 mm around the joint in the middle.
# Seen: so it is down to edges of 0.4 mm. With edges of 0.3 mm only the ring at the joint itself follows both bones, every other
# vertex just one, and the finger breaks like a stick. The operator finishes and reports nothing. A triangle conducts no heat
# where its area is below 6e-8 in the unit of the scene squared, half of the step of a float at 1. The same fine finger made
# 100 times larger is bound softly, and the coarsest one made 100 times smaller is bound like a stick.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > finger.py <<'PYTHON'
import math
import bpy

def finger(edge, scale=1.0):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    around, along = round(math.tau * 0.008 / edge), round(0.08 / edge) // 2 * 2
    angles = [math.tau * i / around for i in range(around)]
    rings = [0.08 * scale * j / along for j in range(along + 1)]
    points = [(0.008 * scale * math.cos(a), 0.008 * scale * math.sin(a), z) for z in rings for a in angles]
    starts = [(j * around, i, (i + 1) % around) for j in range(along) for i in range(around)]
    faces = [(j + i, j + k, j + around + k, j + around + i) for j, i, k in starts]
    faces += [tuple(reversed(range(around))), tuple(range(along * around, along * around + around))]
    mesh = bpy.data.meshes.new("finger")
    mesh.from_pydata(points, [], faces)
    skin = bpy.data.objects.new("finger", mesh)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    for item in (skin, rig):
        bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for name, start in (("lower", 0.0), ("upper", 0.04)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = (0, 0, start * scale), (0, 0, (start + 0.04) * scale), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    skin.select_set(True)
    rig.select_set(True)
    said = bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    both = [v.co.z / scale for v in mesh.vertices if sum(group.weight > 0 for group in v.groups) == 2]
    bare = sum(not v.groups for v in mesh.vertices)
    width = 1000 * (max(both) - min(both))
    made = f"{said}, {bare} without weights, both bones over {width:.0f} mm"
    print(f"edges of {1000 * edge:g} mm x {scale:g}: {made}", flush=True)

for edge in (0.004, 0.001, 0.0004, 0.0003):
    finger(edge)
finger(0.0003, 100)
finger(0.004, 0.01)
PYTHON
venv/bin/python finger.py | grep '^edges' | tee seen.txt
cat > expected.txt <<'TEXT'
edges of 4 mm x 1: {'FINISHED'}, 0 without weights, both bones over 24 mm
edges of 1 mm x 1: {'FINISHED'}, 0 without weights, both bones over 24 mm
edges of 0.4 mm x 1: {'FINISHED'}, 0 without weights, both bones over 23 mm
edges of 0.3 mm x 1: {'FINISHED'}, 0 without weights, both bones over 0 mm
edges of 0.3 mm x 100: {'FINISHED'}, 0 without weights, both bones over 23 mm
edges of 4 mm x 0.01: {'FINISHED'}, 0 without weights, both bones over 0 mm
TEXT
diff -u expected.txt seen.txt
