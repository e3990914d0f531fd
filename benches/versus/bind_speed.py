#!/usr/bin/env python3
"""What `skinscope bind` costs beside Blender's bone heat: processor time, time by the clock, memory.

  bind_speed.py [--skinscope PROGRAM] [--methods heat,voxel] [--rounds 3] [--no-blender] [--json] [VERTICES ...]

Makes a figure of 60 joints (a spine, a head, two legs, two arms with five fingers each) of capsules that are melted into one closed
surface of about so many vertices (15000, 100000 and 300000), writes it as a file without a skin, and lets the program bind it: the whole process
is measured, with reading and writing. Blender binds the same triangles to the same bones in this process, and only `parent_set` is timed. The
least of the rounds counts, of each; Blender binds once at sizes of more than 50000 vertices, since it takes minutes.

Prints a line for each size and method: seconds of processor time (user and system, all threads), seconds by the clock, kilobytes of the
largest resident memory for each vertex, less those that the program takes for a figure of a few vertices, and the ratio of processor time to
Blender's, with what is wanted of it. Ends with 1 where a goal is missed.

Needs numpy, and Blender 5.0.1 as the Python module `bpy`, which is only there for Python 3.11 and is half a gigabyte; it melts the
capsules as well:

  python3.11 -m venv VENV && VENV/bin/pip install bpy==5.0.1 numpy && VENV/bin/python benches/versus/bind_speed.py

Without it this says so and ends with 3, so that nobody takes its silence for a figure.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

try:
    import bpy
    import numpy as np
    from mathutils import Vector
except ImportError as why:
    print(f"Blender or numpy is not here ({why}): nothing was measured. The text of this file says how to get it.", file=sys.stderr)
    sys.exit(3)

# Of Blender's processor time at most, seconds by the clock at most, and kilobytes for a vertex at most.
GOALS = {15_000: (None, 0.5, None), 100_000: (0.15, 2.0, 1.0), 300_000: (0.2, None, 1.0)}

# Runs a command and prints what it took. A small process of its own, since the kernel counts the memory of the process that starts another as the other's.
MEASURE = """
import json, os, sys, time
begun = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
if status != 0:
    sys.exit(1)
print(json.dumps([usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss]))
"""


def joints():
    """Names, places (metres, Y up), parents and radii of the figure's 60 joints."""
    found = []

    def add(name, at, parent, radius):
        found.append((name, at, parent, radius))
        return len(found) - 1

    hips = add("hips", (0, 1.0, 0), -1, 0.14)
    above = hips
    for number in range(4):
        above = add(f"spine{number}", (0, 1.08 + 0.08 * number, 0), above, 0.14)
    chest = add("chest", (0, 1.40, 0), above, 0.15)
    neck = add("neck", (0, 1.54, 0), chest, 0.06)
    neck = add("neck1", (0, 1.58, 0), neck, 0.06)
    head = add("head", (0, 1.63, 0), neck, 0.10)
    add("head_top", (0, 1.80, 0), head, 0.10)
    add("jaw", (0, 1.63, 0.06), head, 0.05)
    for side, sign in (("L", 1), ("R", -1)):
        above = add(f"clavicle.{side}", (0.04 * sign, 1.46, 0), chest, 0.07)
        for name, x, radius in (("upper_arm", 0.19, 0.055), ("forearm", 0.45, 0.045), ("hand", 0.70, 0.035)):
            above = add(f"{name}.{side}", (x * sign, 1.46, 0), above, radius)
        hand = above
        for finger in range(5):
            above, z = hand, 0.05 - 0.025 * finger
            for part in range(3):
                above = add(f"finger{finger}{part}.{side}", ((0.78 + 0.035 * part) * sign, 1.46, z), above, 0.010)
        above = hips
        for name, y, z, radius in (("thigh", 0.92, 0, 0.085), ("shin", 0.50, 0, 0.06), ("foot", 0.09, 0, 0.05), ("toe", 0.04, 0.12, 0.035)):
            above = add(f"{name}.{side}", (0.10 * sign, y, z), above, radius)
        if side == "L":
            above = add("tail", (0, 0.98, -0.15), hips, 0.04)
            add("tail1", (0, 0.95, -0.28), above, 0.03)
            add("belly", (0, 1.10, 0.10), hips, 0.10)
    return found


def capsule(start, end, radii, rings=16, sides=16):
    """Points and triangles of a closed hull around two balls."""
    start, end = np.array(start, float), np.array(end, float)
    along = end - start
    length = np.linalg.norm(along)
    along = along / length if length > 1e-9 else np.array([0, 1.0, 0])
    across = np.cross(along, [1, 0, 0] if abs(along[0]) < 0.9 else [0, 0, 1])
    across /= np.linalg.norm(across)
    third = np.cross(along, across)
    points, angles = [], np.linspace(0, np.pi, rings)
    for angle in angles:
        first = angle < np.pi / 2
        centre, radius = (start, radii[0]) if first else (end, radii[1])
        for side in range(sides):
            turn = 2 * np.pi * side / sides
            out = np.sin(angle) * (np.cos(turn) * across + np.sin(turn) * third) - np.cos(angle) * along
            points.append(centre + radius * out)
    faces = []
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
    return points, faces


def melted(figure, size):
    """The capsules as one closed surface whose cells are of that size, metres: points and triangles."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    points, faces = [], []
    for number, (_, at, parent, radius) in enumerate(figure):
        start, thick = (at, radius) if parent < 0 else (figure[parent][1], min(figure[parent][3], 2.5 * radius))
        more, of = capsule(start, at, (thick, radius))
        faces += [tuple(corner + len(points) for corner in face) for face in of]
        points += [tuple(point) for point in more]
    mesh = bpy.data.meshes.new("figure")
    mesh.from_pydata(points, [], faces)
    thing = bpy.data.objects.new("figure", mesh)
    bpy.context.collection.objects.link(thing)
    remesh = thing.modifiers.new("melt", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", size
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    shown.calc_loop_triangles()
    return (np.array([vertex.co[:] for vertex in shown.vertices]),
            np.array([triangle.vertices[:] for triangle in shown.loop_triangles]))


def surface(figure, wanted):
    """The figure with about so many vertices: the cells' size is corrected until their number is within a twentieth."""
    size = 0.0045 * (100_000 / wanted) ** 0.5
    for _ in range(6):
        points, triangles = melted(figure, size)
        if abs(len(points) / wanted - 1) < 0.05:
            break
        size *= (len(points) / wanted) ** 0.5
    return points, triangles


def write(path, figure, points, triangles):
    """A GLB of the mesh and the nodes of the joints, without a skin."""
    positions = points.astype("<f4").tobytes()
    corners = triangles.astype("<u4").tobytes()
    nodes = []
    for number, (name, at, parent, _) in enumerate(figure):
        above = (0, 0, 0) if parent < 0 else figure[parent][1]
        node = {"name": name, "translation": [a - b for a, b in zip(at, above)]}
        children = [child for child, (_, _, of, _) in enumerate(figure) if of == number]
        nodes.append(node | ({"children": children} if children else {}))
    nodes.append({"name": "body", "mesh": 0})
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, len(figure)]}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
             "min": points.astype("<f4").min(0).tolist(), "max": points.astype("<f4").max(0).tolist()},
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": len(positions)}, {"buffer": 0, "byteOffset": len(positions), "byteLength": len(corners)}],
        "buffers": [{"byteLength": len(positions) + len(corners)}]}).encode()
    text += b" " * (-len(text) % 4)
    data = positions + corners
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data)


def bound(program, path, method, folder):
    """Seconds of processor time, seconds by the clock, and kilobytes of memory of the whole process."""
    out = os.path.join(folder, "out.glb")
    if os.path.exists(out):
        os.remove(out)
    command = [program, "bind", path, "-o", out, "--method", method, "--joints", "hips"]
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{method}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def blender(figure, points, triangles):
    """Seconds of processor time and by the clock of `parent_set`, and how many vertices it left without weights."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    body = bpy.data.objects.new("mesh", mesh)
    armature = bpy.data.armatures.new("armature")
    rig = bpy.data.objects.new("armature", armature)
    for thing in (body, rig):
        bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = []
    for number, (name, at, parent, _) in enumerate(figure):
        children = [figure[child][1] for child in range(len(figure)) if figure[child][2] == number]
        tail = np.mean(children, 0) if children else 2 * np.array(at) - np.array(figure[parent][1])
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = Vector(at), Vector(tail)
        bones.append(bone)
    for bone, (_, _, parent, _) in zip(bones, figure):
        if parent >= 0:
            bone.parent = bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    body.select_set(True)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    begun = time.process_time(), time.perf_counter()
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    taken = time.process_time() - begun[0], time.perf_counter() - begun[1]
    return *taken, sum(1 for vertex in mesh.vertices if not vertex.groups)


def measured(options, figure, wanted, empty):
    points, triangles = surface(figure, wanted)
    line = {"vertices": len(points), "triangles": len(triangles), "joints": len(figure)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figure.glb")
        write(path, figure, points, triangles)
        for method in options.methods.split(","):
            runs = [bound(options.skinscope, path, method, folder) for _ in range(options.rounds)]
            cpu, clock, memory = (min(run[part] for run in runs) for part in range(3))
            line[method] = {"cpu": cpu, "clock": clock, "kilobytes_per_vertex": (memory - empty) / len(points)}
    if not options.no_blender:
        runs = [blender(figure, points, triangles) for _ in range(options.rounds if wanted <= 50_000 else 1)]
        line["blender"] = {"cpu": min(run[0] for run in runs), "clock": min(run[1] for run in runs), "unweighted": runs[0][2]}
    return line


def said(line, methods, goals):
    """Prints a size; whether a goal is missed."""
    missed = False
    theirs = line.get("blender")
    print(f"{line['vertices']} vertices, {line['triangles']} triangles, {line['joints']} joints" + (
        f"; Blender {theirs['cpu']:.2f} s of processor time, {theirs['clock']:.2f} s by the clock, {theirs['unweighted']} vertices without weights"
        if theirs else ""))
    for method in methods:
        ours = line[method]
        figures = [(ours["cpu"] / theirs["cpu"] if theirs else None, "of Blender's processor time"), (ours["clock"], "s by the clock"),
                   (ours["kilobytes_per_vertex"], "KB a vertex")]
        parts = [f"{ours['cpu']:.2f} s of processor time"]
        for (value, words), goal in zip(figures, goals):
            if value is not None:
                over = goal is not None and value > goal
                missed |= over
                parts.append(f"{value:.3f} {words}" + (f" (wanted {goal}{', MISSED' if over else ''})" if goal is not None else ""))
        print(f"  {method:9}" + "; ".join(parts), flush=True)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--skinscope", default="target/release/skinscope")
    parser.add_argument("--methods", default="heat,voxel")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-blender", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("vertices", nargs="*", type=int)
    options = parser.parse_args()
    figure, missed = joints(), False
    assert len(figure) == 60, f"the figure has {len(figure)} joints"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.glb")
        write(path, figure, *melted(figure, 0.05))
        empty = bound(options.skinscope, path, "heat", folder)[2]
    for wanted in options.vertices or sorted(GOALS):
        line = measured(options, figure, wanted, empty)
        if options.json:
            print(json.dumps(line), flush=True)
        else:
            missed |= said(line, options.methods.split(","), GOALS.get(wanted, (None, None, None)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
