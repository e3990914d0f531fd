#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): what writing a glTF file does to the pose that one is working on, of a bone that an action moves.
#
# Guess: nothing. Writing a file does not change what is written, as saving or another exporter does not.
# Seen: the exporter goes to frame 0 and back, so that what was posed and has no key yet is gone, at 5 before and at what the
# action says after; also without animations in the file. Channels without keys keep what they had. Where the current frame is to
# be the rest pose, it goes through the action without coming back, and leaves the scene at frame 25 in place of 7. USD's exporter
# and saving leave all as it is.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > pose.py <<'PYTHON'
import os

import bpy

def scene():
    """A bone whose place along X has keys at frames 1 and 25, posed at frame 7 without a key."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.animation_data_create().action = bpy.data.actions.new("Wave")
    bone = rig.pose.bones["bone"]
    for frame in (1, 25):
        bone.location = (frame / 25, 0, 0)
        bone.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(7)
    bone.location, bone.scale = (5, 0, 0), (2, 2, 2)
    bpy.context.view_layer.update()
    return bone

def gltf(**options):
    bpy.ops.export_scene.gltf(filepath=os.path.abspath("out.glb"), export_format="GLB", **options)

WAYS = {
    "nothing": lambda: None,
    "save": lambda: bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("out.blend")),
    "USD": lambda: bpy.ops.wm.usd_export(filepath=os.path.abspath("out.usda")),
    "glTF": gltf,
    "glTF without animations": lambda: gltf(export_animations=False),
    "glTF with the current frame as rest": lambda: gltf(export_current_frame=True),
}
for title, write in WAYS.items():
    bone = scene()
    write()
    frame = bpy.context.scene.frame_current
    print(f"seen {title}: at {bone.location.x:.2f}, scale {bone.scale.x:.2f}, frame {frame}", flush=True)
PYTHON
venv/bin/python pose.py > all.txt 2>&1
if grep -iE 'warn|error' all.txt; then exit 1; fi
sed -n 's/^seen //p' all.txt | tee seen.txt
cat > expected.txt <<'TEXT'
nothing: at 5.00, scale 2.00, frame 7
save: at 5.00, scale 2.00, frame 7
USD: at 5.00, scale 2.00, frame 7
glTF: at 0.19, scale 2.00, frame 7
glTF without animations: at 0.19, scale 2.00, frame 7
glTF with the current frame as rest: at 1.00, scale 2.00, frame 25
TEXT
diff -u expected.txt seen.txt
