#!/usr/bin/env bash
# OpenUSD 26.11 (pip: usd-core), Blender 5.0.1 (pip: bpy) and the USDLoader of three.js 0.187.0 (npm): a character whose pose
# stands in its UsdSkelAnimation once, without a time, as USD states any value that does not change.
#
# Guess: all three show the pose, since a value without a time holds at all times; with two keys that are equal all do.
# Seen: UsdSkel shows it. Blender and three.js read a channel only where it has times, and show the rest pose: the elbow that
# stands at 90° is straight. Blender takes what has no time as soon as another channel has times. three.js does not: where the
# rotations have keys and a scale of 2 has none, the arm is bent and keeps its size. Neither warns. So a pose has to be written
# with a time, if one alone.
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
import math

from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

HALF = math.radians(45)

def write(name, times, scale):
    """An arm along Z whose elbow at 1 is bent by 90° about X, and whose hand was at 2."""
    stage = Usd.Stage.CreateNew(f"{name}.usda")
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    root = UsdSkel.Root.Define(stage, "/arm")
    stage.SetDefaultPrim(root.GetPrim())
    skeleton, pose = UsdSkel.Skeleton.Define(stage, "/arm/bones"), UsdSkel.Animation.Define(stage, "/arm/pose")
    joints, up = ["shoulder", "shoulder/elbow"], Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0, 0, 1))
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), up])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1), up])
    pose.CreateJointsAttr(joints)
    pose.CreateTranslationsAttr([(0, 0, 0), (0, 0, 1)])
    pose.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1), Gf.Vec3h(scale)]))
    turned = Vt.QuatfArray([Gf.Quatf(1), Gf.Quatf(math.cos(HALF), math.sin(HALF), 0, 0)])
    for time in times:
        pose.CreateRotationsAttr().Set(turned, time)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([pose.GetPath()])
    mesh = UsdGeom.Mesh.Define(stage, "/arm/mesh")
    mesh.CreateSubdivisionSchemeAttr("none")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 0, 2)])
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointIndicesPrimvar(False, 1).Set([0, 0, 1])
    binding.CreateJointWeightsPrimvar(False, 1).Set([1, 1, 1])
    stage.Save()
    baked = Usd.Stage.Open(f"{name}.usda")
    assert UsdSkel.BakeSkinning(UsdSkel.Root(baked.GetPrimAtPath("/arm")), Gf.Interval(0, 1))
    hand = UsdGeom.Mesh(baked.GetPrimAtPath("/arm/mesh")).GetPointsAttr().Get(0)[2]
    print(f"seen {name}, UsdSkel: hand at", " ".join(f"{x + 0:.0f}" for x in map(round, hand)))
    baked.GetRootLayer().Reload()

for title, times in (("no time", [Usd.TimeCode.Default()]), ("one key", [0]), ("two keys", [0, 24])):
    write(title, times, 1)
    write(f"{title}, scale of 2 without a time", times, 2)
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
    hand = [round(x) for x in skin.matrix_world @ shown.vertices[2].co]
    print(f"seen {path[:-5]}, Blender: hand at", *hand, flush=True)
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
    const hand = mesh.getVertexPosition(2, new Vector3()).applyMatrix4(mesh.matrixWorld);
    console.log(`seen ${file.slice(0, -5)}, three.js: hand at`, hand.toArray().map((x) => Math.round(x) + 0).join(' '));
  });
}
JS
(usd/bin/python write.py; blender/bin/python blender.py; node three.mjs) >all.txt 2>&1
if grep -iE 'warn|error' all.txt; then exit 1; fi
sed -n 's/^seen //p' all.txt | sort | tee seen.txt
cat > expected.txt <<'TEXT'
no time, Blender: hand at 0 0 2
no time, UsdSkel: hand at 0 -1 1
no time, scale of 2 without a time, Blender: hand at 0 0 2
no time, scale of 2 without a time, UsdSkel: hand at 0 -2 1
no time, scale of 2 without a time, three.js: hand at 0 0 2
no time, three.js: hand at 0 0 2
one key, Blender: hand at 0 -1 1
one key, UsdSkel: hand at 0 -1 1
one key, scale of 2 without a time, Blender: hand at 0 -2 1
one key, scale of 2 without a time, UsdSkel: hand at 0 -2 1
one key, scale of 2 without a time, three.js: hand at 0 -1 1
one key, three.js: hand at 0 -1 1
two keys, Blender: hand at 0 -1 1
two keys, UsdSkel: hand at 0 -1 1
two keys, scale of 2 without a time, Blender: hand at 0 -2 1
two keys, scale of 2 without a time, UsdSkel: hand at 0 -2 1
two keys, scale of 2 without a time, three.js: hand at 0 -1 1
two keys, three.js: hand at 0 -1 1
TEXT
diff -u expected.txt seen.txt
