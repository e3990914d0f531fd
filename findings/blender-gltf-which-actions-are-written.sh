#!/usr/bin/env bash
# Blender 4.2.23 and 5.0.1 (pip: bpy): which of a rig's three actions its glTF exporter writes, in its two usual modes, alone and
# beside a second rig that has no action at all.
#
# Guess: "Active actions merged" writes the active one, "Actions" all of them, and a rig without actions changes nothing.
# Seen: in 4.2.23 the first mode writes the first action by name, whichever is active, also where none is, and names it as asked for
# the active one; it is the active one where a second rig is written along, or where export_anim_single_armature ("Export all Armature
# Actions") is off. In both versions "Actions" writes all three, but with a second rig beside it only the active one, or none.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > active.py <<'PYTHON'
import json
import os
import struct

import bpy

MOVES = {"Crouch": (-0.5, 5), "Jump": (2.0, 20), "Walk": (1.0, 10)}

def scene(rigs, active):
    """Rigs of one bone with three actions, each of which moves it to a place of its own by a frame of its own; one is active."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in rigs:
        rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
        bpy.context.collection.objects.link(rig)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        bone = rig.data.edit_bones.new("bone")
        bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
        bpy.ops.object.mode_set(mode="OBJECT")
        if name != rigs[0]:
            continue
        rig.animation_data_create()
        for action, (place, end) in MOVES.items():
            rig.animation_data.action = made = bpy.data.actions.new(action)
            made.use_fake_user = True
            for frame, x in ((0, 0), (end, place)):
                rig.pose.bones["bone"].location.x = x
                rig.pose.bones["bone"].keyframe_insert("location", frame=frame)
        rig.animation_data.action = bpy.data.actions[active] if active else None
        rig.pose.bones["bone"].location.x = 0

def written(**options):
    """For each clip of the file: its name, how far the bone gets along X, and the frame of its end."""
    bpy.ops.export_scene.gltf(filepath="out.glb", export_format="GLB", **options)
    data = open("out.glb", "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf, binary = json.loads(data[20:20 + length]), data[28 + length:]

    def numbers(accessor):
        accessor = gltf["accessors"][accessor]
        width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
        start = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        flat = struct.unpack_from(f"<{width * accessor['count']}f", binary, start)
        return [flat[i:i + width] for i in range(0, len(flat), width)]
    out = []
    for clip in gltf.get("animations", []):
        for channel in clip["channels"]:
            if channel["target"]["path"] == "translation" and gltf["nodes"][channel["target"]["node"]]["name"] == "bone":
                sampler = clip["samplers"][channel["sampler"]]
                x, end = numbers(sampler["output"])[-1][0], numbers(sampler["input"])[-1][0] * 24
                out.append(f"“{clip['name']}” goes to {x:.1f} by frame {end:.0f}")
    return ", ".join(out) or "no clip"

for mode in ("ACTIVE_ACTIONS", "ACTIONS"):
    for active in ("Walk", "Jump", None):
        for rigs in (["rig"], ["rig", "other"]):
            scene(rigs, active)
            found = written(export_animation_mode=mode, export_nla_strips_merged_animation_name="named")
            print(f"seen {mode}, active {active}, {len(rigs)} rigs: {found}", flush=True)
scene(["rig"], "Walk")
found = written(export_animation_mode="ACTIVE_ACTIONS", export_anim_single_armature=False)
print("seen ACTIVE_ACTIONS without the option:", found, flush=True)
os._exit(0)  # Blender 4.2.23 as a module crashes as Python ends.
PYTHON
for version in 4.2.23 5.0.1; do
  python3.11 -m venv --clear venv
  venv/bin/pip install --quiet --disable-pip-version-check "bpy==$version" numpy==1.26.4
  echo "$version"
  venv/bin/python active.py 2>/dev/null | grep '^seen' | sed 's/^seen //'
done | tee seen.txt
cat > expected.txt <<'TEXT'
4.2.23
ACTIVE_ACTIONS, active Walk, 1 rigs: “named” goes to -0.5 by frame 5
ACTIVE_ACTIONS, active Walk, 2 rigs: “named” goes to 1.0 by frame 10
ACTIVE_ACTIONS, active Jump, 1 rigs: “named” goes to -0.5 by frame 5
ACTIVE_ACTIONS, active Jump, 2 rigs: “named” goes to 2.0 by frame 20
ACTIVE_ACTIONS, active None, 1 rigs: “named” goes to -0.5 by frame 5
ACTIVE_ACTIONS, active None, 2 rigs: no clip
ACTIONS, active Walk, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active Walk, 2 rigs: “Walk” goes to 1.0 by frame 10
ACTIONS, active Jump, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active Jump, 2 rigs: “Jump” goes to 2.0 by frame 20
ACTIONS, active None, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active None, 2 rigs: no clip
ACTIVE_ACTIONS without the option: “Animation” goes to 1.0 by frame 10
5.0.1
ACTIVE_ACTIONS, active Walk, 1 rigs: “named” goes to 1.0 by frame 10
ACTIVE_ACTIONS, active Walk, 2 rigs: “named” goes to 1.0 by frame 10
ACTIVE_ACTIONS, active Jump, 1 rigs: “named” goes to 2.0 by frame 20
ACTIVE_ACTIONS, active Jump, 2 rigs: “named” goes to 2.0 by frame 20
ACTIVE_ACTIONS, active None, 1 rigs: no clip
ACTIVE_ACTIONS, active None, 2 rigs: no clip
ACTIONS, active Walk, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active Walk, 2 rigs: “Walk” goes to 1.0 by frame 10
ACTIONS, active Jump, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active Jump, 2 rigs: “Jump” goes to 2.0 by frame 20
ACTIONS, active None, 1 rigs: “Crouch” goes to -0.5 by frame 5, “Jump” goes to 2.0 by frame 20, “Walk” goes to 1.0 by frame 10
ACTIONS, active None, 2 rigs: no clip
ACTIVE_ACTIONS without the option: “Animation” goes to 1.0 by frame 10
TEXT
diff -u expected.txt seen.txt
