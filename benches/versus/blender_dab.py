#!/usr/bin/env python3
"""What Blender spends to show a mesh again after a dab of weight paint: the yardstick for `cargo bench -p skinscope_benches --bench paint`.

  blender_dab.py [--joints 200] [--rounds 40] [--touched 2000] [--ours VERTICES=MS ...] [VERTICES ...]

Makes a tube of so many vertices (300000 and 100000) on a chain of joints, four weights each, poses it by an armature
modifier, and then, round after round, gives some vertices that lie together other weights, as a brush does, and lets Blender evaluate the
mesh. Only the evaluation is timed, which the brush of Blender has to wait for as well: neither the search for the vertices nor
the change of their weights, which ours includes.

Prints a JSON line for each size: the median processor time (user and system, all threads) and wall time of the rounds, milliseconds, with
the 95th percentile of both; and with --ours, which takes our figure of that size, the ratio and what is wanted of it.

Needs Blender 5.0.1 as the Python module `bpy`, which is only there for Python 3.11 and is half a gigabyte:

  python3.11 -m venv VENV && VENV/bin/pip install bpy==5.0.1 && VENV/bin/python benches/versus/blender_dab.py

Without it this says so and ends with 3, so that nobody takes its silence for a figure.
"""

import argparse
import json
import math
import statistics
import sys
import time

try:
    import bpy
except ImportError as why:
    print(f"Blender is not here ({why}): nothing was measured. The text of this file says how to get it.", file=sys.stderr)
    sys.exit(3)

# The most that ours may take of Blender's processor time.
WANTED = {300_000: 0.12, 100_000: 0.17}
SIDES = 200


def tube(vertices, joints):
    """A tube of rings along Z, weighted to the four nearest joints, with an armature modifier whose joints are turned a little."""
    rings = vertices // SIDES
    length = joints * 0.1
    at = [(math.cos(2 * math.pi * s / SIDES), math.sin(2 * math.pi * s / SIDES), length * r / (rings - 1))
          for r in range(rings) for s in range(SIDES)]
    faces = [(r * SIDES + s, r * SIDES + (s + 1) % SIDES, (r + 1) * SIDES + (s + 1) % SIDES, (r + 1) * SIDES + s)
             for r in range(rings - 1) for s in range(SIDES)]
    mesh = bpy.data.meshes.new("tube")
    mesh.from_pydata(at, [], faces)
    thing = bpy.data.objects.new("tube", mesh)
    bones = bpy.data.armatures.new("bones")
    rig = bpy.data.objects.new("rig", bones)
    for each in (thing, rig):
        bpy.context.collection.objects.link(each)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for joint in range(joints):
        bone = bones.edit_bones.new(f"joint {joint}")
        bone.head, bone.tail = (0, 0, 0.1 * joint), (0, 0, 0.1 * (joint + 1))
        bone.parent = above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    groups = [thing.vertex_groups.new(name=f"joint {joint}") for joint in range(joints)]
    for ring in range(rings):
        place = joints * ring / (rings - 1)
        first = min(max(int(place) - 1, 0), joints - 4)
        raw = [math.exp(-(place - first - k - 0.5) ** 2) for k in range(4)]
        around = range(ring * SIDES, (ring + 1) * SIDES)
        for k, weight in enumerate(raw):
            groups[first + k].add(list(around), weight / sum(raw), "REPLACE")
    thing.modifiers.new("armature", "ARMATURE").object = rig
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (0.01, 0, 0)
    return thing, groups, rings


def measure(vertices, joints, rounds, touched):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    thing, groups, rings = tube(vertices, joints)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    posed = thing.evaluated_get(depsgraph).data.vertices[vertices // 2].co.copy()
    assert (posed - thing.data.vertices[vertices // 2].co).length > 1e-3, "the armature moves the mesh"
    high = max(touched // SIDES, 1)
    cpu, wall = [], []
    for number in range(rounds + 3):
        ring = rings // 2 + number % 7
        some = list(range(ring * SIDES, (ring + high) * SIDES))
        joint = min(int(joints * ring / (rings - 1)), joints - 1)
        groups[joint].add(some, 0.2 + 0.5 * (number % 2), "REPLACE")
        thing.data.update_tag()
        begun = time.process_time(), time.perf_counter()
        depsgraph.update()
        # What is evaluated is there only when it is asked for.
        assert len(thing.evaluated_get(depsgraph).data.vertices) == vertices
        if number >= 3:
            cpu.append(1e3 * (time.process_time() - begun[0]))
            wall.append(1e3 * (time.perf_counter() - begun[1]))
    late = lambda all: sorted(all)[min(int(0.95 * len(all)), len(all) - 1)]
    return {
        "case": "blender dab", "blender": bpy.app.version_string, "vertices": vertices, "joints": joints, "touched": high * SIDES,
        "cpu_ms": round(statistics.median(cpu), 2), "cpu_ms_p95": round(late(cpu), 2),
        "wall_ms": round(statistics.median(wall), 2), "wall_ms_p95": round(late(wall), 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vertices", type=int, nargs="*")
    parser.add_argument("--joints", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--touched", type=int, default=2000)
    parser.add_argument("--ours", action="append", default=[], metavar="VERTICES=MS")
    asked = parser.parse_args()
    ours = {int(size): float(ms) for size, ms in (pair.split("=") for pair in asked.ours)}
    for vertices in asked.vertices or [300_000, 100_000]:
        out = measure(vertices // SIDES * SIDES, asked.joints, asked.rounds, asked.touched)
        if vertices in ours:
            ratio = ours[vertices] / out["cpu_ms"]
            out |= {"ours_ms": ours[vertices], "ratio": round(ratio, 3), "wanted": WANTED.get(vertices)}
        print(json.dumps(out), flush=True)


if __name__ == "__main__":
    main()
