#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): the morph targets that its glTF exporter writes of shape keys that a vertex group masks (how a
# symmetrical smile is made a left and a right one) and of those that are relative to another key (a fix on top of a smile).
#
# Guess: each target is what the key adds in Blender, since that is what glTF adds: masked by the group, and measured from the
# key that it is relative to; if not, a warning.
# Seen: the mask is left out, so that a smile of the left half moves the right half as much. Each key is measured from one shape
# for all, that which the first exported key is relative to. A fix that adds 2 to a smile of 1 is written as 3, and with the
# smile it stands at 4 where Blender has 3. Where the fix stands above the smile in the list, even the mesh itself is written as
# it smiles: it loads at 1 with all weights at 0, and the target of the smile is empty. The export warns of nothing.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > keys.py <<'PYTHON'
import json
import os
import struct

import bpy

HEIGHTS = {"smile": 1.0, "fix": 3.0}
MIXES = {"rest": {}, "smile": {"smile": 1}, "fix": {"fix": 1}, "both": {"smile": 1, "fix": 1}}

def face(order, masked=False, relative=False):
    """A square on the ground with corners left and right, whose keys lie above it by HEIGHTS."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("face")
    mesh.from_pydata([(-1, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 1, 0)], [], [(0, 1, 2, 3)])
    skin = bpy.data.objects.new("face", mesh)
    bpy.context.collection.objects.link(skin)
    skin.shape_key_add(name="Basis", from_mix=False)
    for name in order:
        key = skin.shape_key_add(name=name, from_mix=False)
        key.value = 0
        for point in key.points:
            point.co.z = HEIGHTS[name]
    keys = mesh.shape_keys.key_blocks
    if relative:
        keys["fix"].relative_key = keys["smile"]
    if masked:
        skin.vertex_groups.new(name="left").add([0, 3], 1.0, "REPLACE")
        keys["smile"].vertex_group = "left"
    return skin

def in_blender(skin, weights):
    for key in skin.data.shape_keys.key_blocks[1:]:
        key.value = weights.get(key.name, 0)
    bpy.context.view_layer.update()
    shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return {tuple(point.co[:2]): point.co.z for point in shown.vertices}

def in_file(weights):
    path = os.path.join(os.getcwd(), "face.glb")
    bpy.ops.export_scene.gltf(filepath=path, export_yup=False)
    data = open(path, "rb").read()
    (length,) = struct.unpack_from("<I", data, 12)
    gltf, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def rows(index):
        accessor = gltf["accessors"][index]
        if "bufferView" not in accessor:
            return [(0.0, 0.0, 0.0)] * accessor["count"]
        offset = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return list(struct.iter_unpack("<3f", binary[offset : offset + 12 * accessor["count"]]))

    mesh = gltf["meshes"][0]
    primitive = mesh["primitives"][0]
    points = rows(primitive["attributes"]["POSITION"])
    heights = [point[2] for point in points]
    for name, target in zip(mesh["extras"]["targetNames"], primitive["targets"]):
        heights = [z + weights.get(name, 0) * added[2] for z, added in zip(heights, rows(target["POSITION"]))]
    return {point[:2]: z for point, z in zip(points, heights)}

def words(heights):
    sides = [sorted({f"{z:g}" for (x, _), z in heights.items() if (x > 0) == right}) for right in (False, True)]
    return "/".join("+".join(side) for side in sides)

WAYS = {
    "as they come": {"order": ("smile", "fix")},
    "smile masked": {"order": ("smile", "fix"), "masked": True},
    "fix relative to smile": {"order": ("smile", "fix"), "relative": True},
    "the same, fix first": {"order": ("fix", "smile"), "relative": True},
}
for title, way in WAYS.items():
    skin = face(**way)
    blender = ", ".join(f"{name} {words(in_blender(skin, mix))}" for name, mix in MIXES.items())
    in_blender(skin, {})
    file = ", ".join(f"{name} {words(in_file(mix))}" for name, mix in MIXES.items())
    print(f"seen {title}, in Blender: {blender}\nseen {title}, in the file: {file}", flush=True)
PYTHON
venv/bin/python keys.py > all.txt 2>&1
if grep -iE 'warn|error' all.txt; then exit 1; fi
sed -n 's/^seen //p' all.txt | tee seen.txt
cat > expected.txt <<'TEXT'
as they come, in Blender: rest 0/0, smile 1/1, fix 3/3, both 4/4
as they come, in the file: rest 0/0, smile 1/1, fix 3/3, both 4/4
smile masked, in Blender: rest 0/0, smile 1/0, fix 3/3, both 4/3
smile masked, in the file: rest 0/0, smile 1/1, fix 3/3, both 4/4
fix relative to smile, in Blender: rest 0/0, smile 1/1, fix 2/2, both 3/3
fix relative to smile, in the file: rest 0/0, smile 1/1, fix 3/3, both 4/4
the same, fix first, in Blender: rest 0/0, smile 1/1, fix 2/2, both 3/3
the same, fix first, in the file: rest 1/1, smile 1/1, fix 3/3, both 3/3
TEXT
diff -u expected.txt seen.txt
