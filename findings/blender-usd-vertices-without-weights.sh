#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy) and OpenUSD 26.11 (pip: usd-core): where a vertex goes that no bone moves, when Blender writes a
# skinned mesh as USD and UsdSkel poses it.
#
# Guess: it stays where it is, as in Blender, since the exporter gives it a joint that stands still, as that for glTF does.
# Seen: the exporter writes two weights of 0 for it, and blending without weights makes the zero vector of it. Already at rest
# it lies at the origin: a button 2 above the ground falls to the floor, with triangles that reach there from the rest of the
# mesh. UsdSkel returns true and warns of nothing, and the positions in the file are right, so that it shows only where the mesh
# is skinned. In Blender all looks well.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv blender
blender/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
python3.11 -m venv usd
usd/bin/pip install --quiet --disable-pip-version-check usd-core==26.11
cat > write.py <<'PYTHON'
import os

import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
mesh = bpy.data.meshes.new("sheet")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 0, 2)], [], [(0, 1, 2), (1, 3, 2)])
skin = bpy.data.objects.new("sheet", mesh)
rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
for item in (skin, rig):
    bpy.context.collection.objects.link(item)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for name, height in (("lower", 0), ("upper", 1)):
    bone = rig.data.edit_bones.new(name)
    bone.head, bone.tail = (0, 0, height), (0, 0, height + 1)
bpy.ops.object.mode_set(mode="OBJECT")
for name, vertices in (("lower", [0, 1]), ("upper", [1, 2])):
    skin.vertex_groups.new(name=name).add(vertices, 0.5, "REPLACE")
skin.parent = rig
skin.modifiers.new("Armature", "ARMATURE").object = rig
bpy.context.view_layer.update()
shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
print("seen in Blender:", [tuple(round(x, 3) for x in vertex.co) for vertex in shown.vertices])
bpy.ops.wm.usd_export(filepath=os.path.abspath("sheet.usda"), export_armatures=True)
PYTHON
cat > pose.py <<'PYTHON'
from pxr import Usd, UsdGeom, UsdSkel, Vt

stage = Usd.Stage.Open("sheet.usda")
root = next(UsdSkel.Root(prim) for prim in stage.Traverse() if prim.IsA(UsdSkel.Root))
cache = UsdSkel.Cache()
cache.Populate(root, Usd.PrimDefaultPredicate)
(binding,) = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
(target,) = binding.GetSkinningTargets()
stored = UsdGeom.PointBased(target.GetPrim()).GetPointsAttr().Get()
show = lambda points: [tuple(round(x, 3) + 0.0 for x in point) for point in points]
print("seen in the file:", show(stored))
print("seen weights:", [round(weight, 3) for weight in target.GetJointWeightsPrimvar().Get()])
points = Vt.Vec3fArray(stored)
done = target.ComputeSkinnedPoints(cache.GetSkelQuery(binding.GetSkeleton()).ComputeSkinningTransforms(0), points, 0)
print(f"seen by UsdSkel ({done}):", show(points))
PYTHON
(blender/bin/python write.py && usd/bin/python pose.py) | grep '^seen' | tee seen.txt
cat > expected.txt <<'TEXT'
seen in Blender: [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]
seen in the file: [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]
seen weights: [1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0]
seen by UsdSkel (True): [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)]
TEXT
diff -u expected.txt seen.txt
