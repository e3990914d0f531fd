#!/usr/bin/env bash
# OpenUSD 26.11 (pip: usd-core), Blender 5.0.1 (pip: bpy) and the USDLoader of three.js 0.187.0 (npm): where the vertices of
# three skinned meshes stand: one with the same weights for all vertices ("constant", as a helmet has), one with a transform of
# its own and no geomBindTransform, and one with a blend shape that has an in-between.
#
# Guess: where UsdSkel has them, with a warning for what is left out.
# Seen: of constant weights three.js gives the first vertex its own and the others none, so that these fall to the origin, and
# the helmet becomes a spike. The mesh's own transform does not count for UsdSkel, where the bind transform alone says where it
# is; Blender and three.js add it, and the mesh stands 7 higher. At half a smile, whose in-between moves up by 5, Blender has the
# half of the whole smile and nothing of the in-between, and three.js has no blend shapes. None warns.
#
# Fails if that changes. Needs Python 3.11 as python3.11 with pip, node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv blender
blender/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
python3.11 -m venv usd
usd/bin/pip install --quiet --disable-pip-version-check usd-core==26.11
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > write.py <<'PYTHON'
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

POINTS = [(1, 0, 1), (2, 0, 1), (1, 0, 2)]

def write(name, constant=False, height=None, smile=False):
    stage = Usd.Stage.CreateNew(f"{name}.usda")
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    root = UsdSkel.Root.Define(stage, "/root")
    stage.SetDefaultPrim(root.GetPrim())
    skeleton, pose = UsdSkel.Skeleton.Define(stage, "/root/bones"), UsdSkel.Animation.Define(stage, "/root/pose")
    joints, up = ["hips", "hips/head"], Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0, 0, 1))
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), up])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1), up])
    pose.CreateJointsAttr(joints)
    pose.CreateTranslationsAttr().Set([(0, 0, 0), (0, 0, 1)], 0)
    pose.CreateRotationsAttr().Set(Vt.QuatfArray([Gf.Quatf(1)] * 2), 0)
    pose.CreateScalesAttr().Set(Vt.Vec3hArray([Gf.Vec3h(1)] * 2), 0)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([pose.GetPath()])
    mesh = UsdGeom.Mesh.Define(stage, "/root/mesh")
    mesh.CreateSubdivisionSchemeAttr("none")
    mesh.CreatePointsAttr(POINTS)
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    if height is not None:
        mesh.AddTranslateOp().Set((0, 0, height))
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    count = 1 if constant else len(POINTS)
    binding.CreateJointIndicesPrimvar(constant, 1).Set([1] * count)
    binding.CreateJointWeightsPrimvar(constant, 1).Set([1] * count)
    if smile:
        pose.CreateBlendShapesAttr(["smile"])
        pose.CreateBlendShapeWeightsAttr().Set([0.5], 0)
        shape = UsdSkel.BlendShape.Define(stage, "/root/mesh/smile")
        shape.CreateOffsetsAttr([(0, 2, 0)] * 3)
        half = shape.CreateInbetween("half")
        half.SetWeight(0.5)
        half.SetOffsets([(0, 0, 5)] * 3)
        binding.CreateBlendShapesAttr(["smile"])
        binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
    stage.Save()
    baked = Usd.Stage.Open(f"{name}.usda")
    assert UsdSkel.BakeSkinning(UsdSkel.Root(baked.GetPrimAtPath("/root")), Gf.Interval(0, 1))
    mesh = UsdGeom.Mesh(baked.GetPrimAtPath("/root/mesh"))
    world = UsdGeom.XformCache(0).GetLocalToWorldTransform(mesh.GetPrim())
    points = [world.Transform(Gf.Vec3d(point)) for point in mesh.GetPointsAttr().Get(0)]
    print(f"seen {name}, UsdSkel:", ", ".join(" ".join(f"{round(x)}" for x in point) for point in points), flush=True)
    baked.GetRootLayer().Reload()

write("plain")
write("constant weights", constant=True)
write("own transform", height=7)
write("half a smile", smile=True)
PYTHON
cat > blender.py <<'PYTHON'
import glob
import os

import bpy

for path in sorted(glob.glob("*.usda")):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=os.path.abspath(path))
    bpy.context.scene.frame_set(0)
    skin = next(item for item in bpy.data.objects if item.type == "MESH")
    shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = [skin.matrix_world @ vertex.co for vertex in shown.vertices]
    print(f"seen {path[:-5]}, Blender:", ", ".join(" ".join(f"{round(x)}" for x in point) for point in points), flush=True)
PYTHON
cat > three.mjs <<'JS'
import fs from 'node:fs';
import { AnimationMixer, Vector3 } from 'three';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
for (const file of fs.readdirSync('.').filter((name) => name.endsWith('.usda')).sort()) {
  const scene = new USDLoader().parse(fs.readFileSync(file, 'utf8'));
  const mixer = new AnimationMixer(scene);
  (scene.animations ?? []).forEach((clip) => mixer.clipAction(clip).play());
  mixer.update(0);
  // The loader turns Z up to Y up at the uppermost node.
  scene.rotation.set(0, 0, 0);
  scene.updateMatrixWorld(true);
  scene.traverse((mesh) => {
    if (!mesh.isSkinnedMesh) return;
    const points = [0, 1, 2].map((i) => mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld));
    const words = points.map((point) => point.toArray().map((x) => Math.round(x) + 0).join(' '));
    console.log(`seen ${file.slice(0, -5)}, three.js: ${words.join(', ')}`);
  });
}
JS
(usd/bin/python write.py; blender/bin/python blender.py; node three.mjs) >all.txt 2>&1
if grep -iE 'warn|error' all.txt; then exit 1; fi
sed -n 's/^seen //p' all.txt | sort | tee seen.txt
cat > expected.txt <<'TEXT'
constant weights, Blender: 1 0 1, 2 0 1, 1 0 2
constant weights, UsdSkel: 1 0 1, 2 0 1, 1 0 2
constant weights, three.js: 1 0 1, 0 0 0, 0 0 0
half a smile, Blender: 1 1 1, 2 1 1, 1 1 2
half a smile, UsdSkel: 1 0 6, 2 0 6, 1 0 7
half a smile, three.js: 1 0 1, 2 0 1, 1 0 2
own transform, Blender: 1 0 8, 2 0 8, 1 0 9
own transform, UsdSkel: 1 0 1, 2 0 1, 1 0 2
own transform, three.js: 1 0 8, 2 0 8, 1 0 9
plain, Blender: 1 0 1, 2 0 1, 1 0 2
plain, UsdSkel: 1 0 1, 2 0 1, 1 0 2
plain, three.js: 1 0 1, 2 0 1, 1 0 2
TEXT
diff -u expected.txt seen.txt
