#!/usr/bin/env bash
# Blender 5.0.1 (pip: bpy): which tools for weights leave a vertex group alone whose padlock is closed.
#
# Guess: all, since the padlock stands in the list of groups and the menu of tools beside it; those that cannot keep it say so.
# Seen: normalising all groups, smoothing and automatic weights keep the group. Normalising the group itself, limiting the
# total, cleaning, levels, inverting, quantising and mirroring all change it, and so does the operator that transfers weights
# from another mesh. Each finishes and warns of nothing. Limiting to one influence takes all 12 weights out of the locked group.
# Automatic weights give the other bones what they would have had without the lock, so that sums go from 0.5 to 1.3.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==5.0.1 numpy==1.26.4
cat > locked.py <<'PYTHON'
import bpy

ops = bpy.ops.object
WEIGHTS = {"base": [0.2, 0.3, 0.5], "side.L": [0.05, 0.3, 0.4], "side.R": [0.75, 0.1, 0.05]}
BONES = [("base", (0, 0, -1), (0, 0, 0)), ("side.L", (0, 0, 0), (1, 0, 0.5)), ("side.R", (0, 0, 0), (-1, 0, 0.5))]

def scene(lock):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("sheet")
    points = [(x, y, z) for y in (-0.5, 0.5) for z in (-1, 1) for x in (-1, 0, 1)]
    faces = [(0, 1, 4, 3), (1, 2, 5, 4), (7, 6, 9, 10), (8, 7, 10, 11)]
    faces += [(0, 6, 7, 1), (1, 7, 8, 2), (3, 4, 10, 9), (4, 5, 11, 10), (0, 3, 9, 6), (2, 8, 11, 5)]
    mesh.from_pydata(points, [], faces)
    skin = bpy.data.objects.new("sheet", mesh)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    for item in (skin, rig):
        bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = rig
    ops.mode_set(mode="EDIT")
    for name, head, tail in BONES:
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
    ops.mode_set(mode="OBJECT")
    for name, row in WEIGHTS.items():
        group = skin.vertex_groups.new(name=name)
        for vertex in range(12):
            group.add([vertex], row[vertex % 3], "REPLACE")
    skin.vertex_groups["side.L"].lock_weight = lock
    skin.vertex_groups.active = skin.vertex_groups["side.L"]
    ops.select_all(action="DESELECT")
    skin.select_set(True)
    bpy.context.view_layer.objects.active = skin
    return skin, rig

def rows(skin):
    vertices, numbers = skin.data.vertices, range(len(skin.vertex_groups))
    return [[sum(g.weight for g in v.groups if g.group == number) for v in vertices] for number in numbers]

def smooth(skin, rig):
    ops.mode_set(mode="WEIGHT_PAINT")
    ops.vertex_group_smooth(group_select_mode="ALL", factor=0.5, repeat=2)
    ops.mode_set(mode="OBJECT")

def automatic(skin, rig):
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    ops.parent_set(type="ARMATURE_AUTO")

def transfer(skin, rig):
    source = skin.copy()
    source.data = skin.data.copy()
    bpy.context.collection.objects.link(source)
    source.vertex_groups["side.L"].add(list(range(12)), 0.9, "REPLACE")
    source.select_set(True)
    bpy.context.view_layer.objects.active = source
    ops.data_transfer(data_type="VGROUP_WEIGHTS", vert_mapping="TOPOLOGY", layers_select_src="ALL", layers_select_dst="NAME")

TOOLS = {
    "normalise all": lambda *_: ops.vertex_group_normalize_all(group_select_mode="ALL", lock_active=False),
    "smooth": smooth,
    "automatic weights": automatic,
    "normalise": lambda *_: ops.vertex_group_normalize(),
    "limit total": lambda *_: ops.vertex_group_limit_total(group_select_mode="ALL", limit=1),
    "clean": lambda *_: ops.vertex_group_clean(group_select_mode="ALL", limit=0.25),
    "levels": lambda *_: ops.vertex_group_levels(group_select_mode="ALL", gain=0.5),
    "invert": lambda *_: ops.vertex_group_invert(group_select_mode="ALL"),
    "quantise": lambda *_: ops.vertex_group_quantize(group_select_mode="ALL", steps=2),
    "mirror": lambda *_: ops.vertex_group_mirror(all_groups=True),
    "data transfer": transfer,
}
for name, tool in TOOLS.items():
    said = []
    for lock in (False, True):
        skin, rig = scene(lock)
        before = rows(skin)[1]
        tool(skin, rig)
        after = rows(skin)
        said.append("changed" if max(abs(a - b) for a, b in zip(before, after[1])) > 1e-3 else "kept")
    more = ""
    if name == "automatic weights":
        sums = [sum(column) for column in zip(*after)]
        more = f", sums from {min(sums):.1f} to {max(sums):.1f}"
    if name == "limit total":
        more = f", {sum(weight > 0 for weight in before)} weights to {sum(weight > 0 for weight in after[1])}"
    print(f"tool {name}: {said[0]} without a lock, {said[1]} with it{more}", flush=True)
PYTHON
venv/bin/python locked.py | grep '^tool' | tee seen.txt
cat > expected.txt <<'TEXT'
tool normalise all: changed without a lock, kept with it
tool smooth: changed without a lock, kept with it
tool automatic weights: changed without a lock, kept with it, sums from 0.5 to 1.3
tool normalise: changed without a lock, changed with it
tool limit total: changed without a lock, changed with it, 12 weights to 0
tool clean: changed without a lock, changed with it
tool levels: changed without a lock, changed with it
tool invert: changed without a lock, changed with it
tool quantise: changed without a lock, changed with it
tool mirror: changed without a lock, changed with it
tool data transfer: changed without a lock, changed with it
TEXT
diff -u expected.txt seen.txt
