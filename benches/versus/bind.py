#!/usr/bin/env python3
"""How near automatic binding comes to the weights of artists, beside Blender's own bone heat: the table of quality of `skinscope bind`.

  bind.py [--skinscope PROGRAM] [--corpus FOLDER] [--methods heat,voxel,line,nearest,envelope] [--no-blender] [--json] [MODEL ...]

Binds every model anew by each method (and by Blender, from the same joints and the welded mesh), turns each joint that
moves something by 30, 60 and 90 degrees to both sides about its own three axes, plays the clips, and compares with the weights of the
file. Printed are ratios to Blender, smaller is better:

  rms    root of the mean square of the distance over all poses, vertices weighted by their area
  p95    95th percentile of the distance
  clips  the same as rms, over moments of the clips
  area   how far the sum of the changes of the triangles' areas goes, against rest
  rough  root of the mean square of the distance less the mean of the distances of the neighbours

`%` is the rms in percent of the longest extent of the model. Then the meshes of `corpus/bind` (their README says what must hold).

Needs numpy, and Blender 5.0.1 as the Python module `bpy`, which is only there for Python 3.11 and is half a gigabyte:

  python3.11 -m venv VENV && VENV/bin/pip install bpy==5.0.1 numpy && VENV/bin/python benches/versus/bind.py

Without `bpy` (or with --no-blender) it prints our own figures alone and says so. Ends with 1 where a goal is missed, with 3 where
nothing could be measured.
"""

import argparse
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import urllib.parse

try:
    import numpy as np
except ImportError as why:
    print(f"numpy is not here ({why}): nothing was measured.", file=sys.stderr)
    sys.exit(3)

KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT3": 9, "MAT4": 16}
RANGES = {np.int8: 127, np.uint8: 255, np.int16: 32767, np.uint16: 65535}
ANGLES = (-90, -60, -30, 30, 60, 90)
RIGS = ["Fox", "CesiumMan", "RiggedFigure", "RobotExpressive", "KayKit_Knight", "WebXR_hand"]
# Goals of the ratios to Blender: (measure, how it is summed up, goal of heat, goal of voxel).
GOALS = [
    ("rms", "median", 1.0, 1.0), ("rms", "geometric mean", 0.95, 1.0), ("rms", "worst", 1.5, 1.5), ("rms", "sum", 1.0, 1.0),
    ("p95", "median", 1.0, 1.0), ("clips", "sum", 1.0, 1.0), ("area", "median", 1.05, 1.05), ("rough", "median", 1.1, 1.1),
]


class Gltf:
    """A file: its nodes, accessors and clips."""

    def __init__(self, path):
        self.path = path
        data = open(path, "rb").read()
        inner = None
        if data[:4] == b"glTF":
            at = 12
            while at < len(data):
                length, kind = struct.unpack_from("<II", data, at)
                chunk = data[at + 8 : at + 8 + length]
                at += 8 + length
                if kind == 0x4E4F534A:
                    self.json = json.loads(chunk)
                elif kind == 0x004E4942:
                    inner = chunk
        else:
            self.json = json.loads(data)
        self.buffers = []
        for buffer in self.json.get("buffers", []):
            uri = buffer.get("uri")
            if uri is None:
                self.buffers.append(inner)
            elif uri.startswith("data:"):
                self.buffers.append(base64.b64decode(uri.split(",", 1)[1]))
            else:
                self.buffers.append(open(os.path.join(os.path.dirname(path), urllib.parse.unquote(uri)), "rb").read())
        nodes = self.json.get("nodes", [])
        self.parents = [-1] * len(nodes)
        for number, node in enumerate(nodes):
            for child in node.get("children", []):
                self.parents[child] = number

    def accessor(self, number):
        accessor = self.json["accessors"][number]
        width, kind = WIDTHS[accessor["type"]], np.dtype(KINDS[accessor["componentType"]])
        if "bufferView" not in accessor:
            values = np.zeros((accessor["count"], width), kind)
        else:
            view = self.json["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            strides = (view.get("byteStride", width * kind.itemsize), kind.itemsize)
            values = np.ndarray((accessor["count"], width), kind, self.buffers[view["buffer"]], start, strides).copy()
        if accessor.get("normalized"):
            values = np.maximum(values.astype(float) / RANGES[kind.type], -1)
        return values

    def local(self, number, keys):
        node = self.json["nodes"][number]
        own = keys.get(number, {})
        if "matrix" in node and not own:
            return np.array(node["matrix"], float).reshape(4, 4).T
        matrix = np.eye(4)
        rotation = own.get("rotation", node.get("rotation", [0, 0, 0, 1]))
        matrix[:3, :3] = of_quaternion(rotation) * np.asarray(own.get("scale", node.get("scale", [1, 1, 1])), float)
        matrix[:3, 3] = own.get("translation", node.get("translation", [0, 0, 0]))
        return matrix

    def globals(self, keys={}):
        found = {}

        def of(number):
            if number not in found:
                parent = self.parents[number]
                found[number] = self.local(number, keys) if parent < 0 else of(parent) @ self.local(number, keys)
            return found[number]

        return [of(number) for number in range(len(self.parents))]

    def clips(self):
        for clip in self.json.get("animations", []):
            channels = []
            for channel in clip["channels"]:
                target, sampler = channel["target"], clip["samplers"][channel["sampler"]]
                if "node" in target and target["path"] != "weights":
                    times, values = self.accessor(sampler["input"])[:, 0].astype(float), self.accessor(sampler["output"]).astype(float)
                    if sampler.get("interpolation") == "CUBICSPLINE":
                        values = values.reshape(len(times), 3, -1)[:, 1]
                    channels.append((target["node"], target["path"], times, values))
            if channels:
                yield channels


def of_quaternion(q):
    x, y, z, w = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def turn(axis, degrees):
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix[i, i], matrix[j, j], matrix[i, j], matrix[j, i] = cosine, cosine, -sine, sine
    return matrix


def at_time(channels, time):
    """The keys at a time: linear between two, which is near enough for moments that are compared with each other."""
    keys = {}
    for node, path, times, values in channels:
        after = int(np.clip(np.searchsorted(times, time), 1, max(len(times) - 1, 1)))
        if len(times) == 1:
            value = values[0]
        else:
            share = np.clip((time - times[after - 1]) / max(times[after] - times[after - 1], 1e-9), 0, 1)
            a, b = values[after - 1], values[after]
            value = a * (1 - share) + (b if path != "rotation" or a @ b >= 0 else -b) * share
        keys.setdefault(node, {})[path] = value
    return keys


class Skin:
    """All primitives that nodes draw with one skin, once each, and their vertices welded by place."""

    def __init__(self, file, number, meshes):
        self.file, self.number = file, number
        record = file.json["skins"][number]
        self.joints = record["joints"]
        count = len(self.joints)
        self.names = [file.json["nodes"][joint].get("name", "") for joint in self.joints]
        self.inverse = np.tile(np.eye(4), (count, 1, 1))
        if "inverseBindMatrices" in record:
            self.inverse = file.accessor(record["inverseBindMatrices"]).astype(float).reshape(-1, 4, 4).transpose(0, 2, 1)
        positions, triangles, weights, total = [], [], [], 0
        for mesh in meshes:
            for primitive in file.json["meshes"][mesh]["primitives"]:
                attributes = primitive["attributes"]
                if "JOINTS_0" not in attributes:
                    continue
                points = file.accessor(attributes["POSITION"]).astype(float)
                rows = np.zeros((len(points), count))
                for set_number in range(8):
                    if f"JOINTS_{set_number}" in attributes:
                        joints = file.accessor(attributes[f"JOINTS_{set_number}"]).astype(int)
                        shares = file.accessor(attributes[f"WEIGHTS_{set_number}"]).astype(float)
                        for slot in range(4):
                            used = np.where(shares[:, slot] != 0, joints[:, slot], 0)
                            np.add.at(rows, (np.arange(len(points)), used), shares[:, slot])
                corners = file.accessor(primitive["indices"])[:, 0].astype(int) if "indices" in primitive else np.arange(len(points))
                if primitive.get("mode", 4) == 4:
                    triangles.append(corners[: len(corners) // 3 * 3].reshape(-1, 3) + total)
                positions.append(points)
                weights.append(rows)
                total += len(points)
        self.positions, self.weights = np.concatenate(positions), np.concatenate(weights)
        self.points, place = np.unique(self.positions, axis=0, return_inverse=True)
        self.place = place.ravel()
        welded = self.place[np.concatenate(triangles)]
        welded = welded[(welded[:, 0] != welded[:, 1]) & (welded[:, 1] != welded[:, 2]) & (welded[:, 0] != welded[:, 2])]
        self.triangles = welded[np.sort(np.unique(np.sort(welded, 1), axis=0, return_index=True)[1])]
        self.first = np.zeros(len(self.points), int)
        self.first[self.place] = np.arange(len(self.place))
        self.worlds = file.globals()
        self.rest = np.array([self.worlds[joint] @ bind for joint, bind in zip(self.joints, self.inverse)])
        self.heads = np.array([np.linalg.inv(bind)[:3, 3] for bind in self.inverse])
        numbers = {joint: index for index, joint in enumerate(self.joints)}
        self.parents, self.below = [], np.zeros((count, count), bool)
        for index, joint in enumerate(self.joints):
            up, nearest = joint, -1
            while up >= 0:
                if up in numbers:
                    self.below[numbers[up], index] = True
                    if up != joint and nearest < 0:
                        nearest = numbers[up]
                up = file.parents[up]
            self.parents.append(nearest)

    def by_place(self, rows):
        return rows[self.first]

    def posed(self, rows, matrices):
        return np.einsum("vj,vja->va", rows, self.moved(matrices))

    def moved(self, matrices):
        return np.einsum("jab,vb->vja", matrices[:, :3], np.c_[self.points, np.ones(len(self.points))])

    def turned(self, turns):
        """The matrices of the joints with some turned: {joint: (axis, degrees)}."""
        matrices = self.rest.copy()
        for joint, (axis, degrees) in turns.items():
            world = self.worlds[self.joints[joint]]
            below = self.below[joint]
            matrices[below] = (world @ turn(axis, degrees) @ np.linalg.inv(world)) @ matrices[below]
        return matrices

    def range_of_motion(self):
        for joint in range(len(self.joints)):
            if self.weights[:, self.below[joint]].any():
                for axis in range(3):
                    for degrees in ANGLES:
                        yield self.turned({joint: (axis, degrees)})

    def moments(self, most=300):
        poses = []
        for channels in self.file.clips():
            end = max(times[-1] for _, _, times, _ in channels)
            for time in np.linspace(0, end, int(np.clip(10 * end, 2, 12))):
                worlds = self.file.globals(at_time(channels, time))
                poses.append(np.array([worlds[joint] @ bind for joint, bind in zip(self.joints, self.inverse)]))
        return poses[:: max(1, len(poses) // most)]


def skins(path):
    file = Gltf(path)
    meshes = {}
    for node in file.json["nodes"]:
        if "skin" in node and "mesh" in node and node["mesh"] not in meshes.setdefault(node["skin"], []):
            meshes[node["skin"]].append(node["mesh"])
    return [Skin(file, number, of) for number, of in sorted(meshes.items())]


def areas(points, triangles):
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def edges(triangles):
    return np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), 1), axis=0)


def deviations(skin, rows, poses):
    """Per pose: squared distances by place, change of area, squared roughness."""
    artist = skin.by_place(skin.weights)
    rest = areas(skin.posed(artist, skin.rest), skin.triangles)
    pairs = edges(skin.triangles)
    degree = np.maximum(np.bincount(pairs.ravel(), minlength=len(skin.points)), 1)[:, None]
    squares, changes, rough = [], [], []
    for matrices in poses:
        moved = skin.moved(matrices)
        theirs, ours = np.einsum("vj,vja->va", artist, moved), np.einsum("vj,vja->va", rows, moved)
        off = ours - theirs
        around = np.zeros_like(off)
        np.add.at(around, pairs[:, 0], off[pairs[:, 1]])
        np.add.at(around, pairs[:, 1], off[pairs[:, 0]])
        squares.append((off**2).sum(1))
        changes.append(np.abs(areas(ours, skin.triangles) - rest).sum() / rest.sum())
        rough.append(((off - around / degree) ** 2).sum(1).mean())
    return np.array(squares), np.array(changes), np.array(rough)


def quality(all_skins, all_rows, extent):
    """The measures of a model, lengths in percent of its longest extent."""
    found = {}
    for name, poses_of in (("rms", Skin.range_of_motion), ("clips", Skin.moments)):
        squares, weights, changes, rough = [], [], [], []
        for skin, rows in zip(all_skins, all_rows):
            poses = list(poses_of(skin))
            if not poses:
                continue
            square, change, roughness = deviations(skin, rows, poses)
            third = np.zeros(len(skin.points))
            np.add.at(third, skin.triangles.ravel(), np.repeat(areas(skin.points, skin.triangles), 3))
            # The units of skins differ (RobotExpressive): the area as it stands in the scene.
            third *= np.abs(np.linalg.det(skin.rest[0, :3, :3])) ** (2 / 3)
            squares.append(square.ravel())
            weights.append(np.broadcast_to(third, square.shape).ravel() / len(square))
            changes.append(change.mean())
            rough.append(roughness.mean())
        if not squares:
            continue
        square, weight = np.concatenate(squares), np.concatenate(weights)
        found[name] = 100 * np.sqrt((square * weight).sum() / weight.sum()) / extent
        if name == "rms":
            order = np.argsort(square)
            at = np.searchsorted(np.cumsum(weight[order]), 0.95 * weight.sum())
            found["p95"] = 100 * np.sqrt(square[order[min(at, len(order) - 1)]]) / extent
            found["area"] = float(np.mean(changes))
            found["rough"] = 100 * np.sqrt(np.mean(rough)) / extent
    return found


def extent_of(path, all_skins):
    """The longest extent of all that stands in the scene, at rest."""
    file = all_skins[0].file
    worlds = file.globals()
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for number, node in enumerate(file.json["nodes"]):
        if "mesh" in node and "skin" not in node:
            for primitive in file.json["meshes"][node["mesh"]]["primitives"]:
                points = file.accessor(primitive["attributes"]["POSITION"]).astype(float)
                points = points @ worlds[number][:3, :3].T + worlds[number][:3, 3]
                low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    for skin in all_skins:
        points = skin.posed(skin.by_place(skin.weights), skin.rest)
        low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    return float((high - low).max())


def blender(skin):
    """Rows by place of Blender's bone heat: joints as bones to the mean of their children, a leaf as long as its parent."""
    import bpy
    from mathutils import Vector

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scale = 2 / np.linalg.norm(np.ptp(skin.points, 0))
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata((skin.points * scale).tolist(), [], skin.triangles.tolist())
    mesh.update()
    body = bpy.data.objects.new("mesh", mesh)
    armature = bpy.data.armatures.new("armature")
    rig = bpy.data.objects.new("armature", armature)
    for thing in (body, rig):
        bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = []
    for joint, head in enumerate(skin.heads):
        children = [child for child, parent in enumerate(skin.parents) if parent == joint]
        tail = skin.heads[children].mean(0) if children else head
        if np.linalg.norm(tail - head) * scale < 1e-6 and skin.parents[joint] >= 0:
            tail = 2 * head - skin.heads[skin.parents[joint]]
        if np.linalg.norm(tail - head) * scale < 1e-6:
            tail = head + np.array([0, 0, 0.05 / scale])
        bone = armature.edit_bones.new(f"{joint}")
        bone.head, bone.tail = Vector(head * scale), Vector(tail * scale)
        bones.append(bone)
    for joint, parent in enumerate(skin.parents):
        if parent >= 0:
            bones[joint].parent = bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    body.select_set(True)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    rows = np.zeros((len(skin.points), len(skin.joints)))
    joints = {group.index: int(group.name) for group in body.vertex_groups}
    for vertex in mesh.vertices:
        for group in vertex.groups:
            rows[vertex.index, joints[group.group]] = group.weight
    sums = rows.sum(1, keepdims=True)
    return rows / np.where(sums == 0, 1, sums)


def ours(program, path, method, all_skins):
    """Rows by place of each skin, as `skinscope bind` writes them."""
    ending = os.path.splitext(path)[1]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, f"bound{ending}")
        done = subprocess.run([program, "bind", path, "-o", out, "--method", method], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{os.path.basename(path)}, {method}: {done.stderr.strip() or done.stdout.strip()}")
        return [skin.by_place(bound.weights) for skin, bound in zip(all_skins, skins(out))]


def closed_by_fans(points, triangles):
    """The volume of a part whose borders are closed by fans about their means."""
    middle = points[triangles].reshape(-1, 3).mean(0)
    local = points - middle
    a, b, c = (local[triangles[:, corner]] for corner in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum()
    runs = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    near = {}
    open_runs = [run for run in runs if (run[1], run[0]) not in runs]
    for start, end in open_runs:
        near.setdefault(start, set()).add(end)
        near.setdefault(end, set()).add(start)
    border = {}
    for start in near:
        stack = [] if start in border else [start]
        while stack:
            at = stack.pop()
            if at not in border:
                border[at] = start
                stack += near[at]
    for number in set(border.values()):
        of = [run for run in open_runs if border[run[0]] == number]
        centre = local[[start for start, _ in of]].mean(0)
        volume += sum(centre @ np.cross(local[end], local[start]) for start, end in of)
    return volume / 6


def elbow(skin, rows, radius=0.12):
    """Volume within two radii of the joint `lower` turned by 90 degrees, to rest: the less of its two hinges."""
    joint = skin.names.index("lower")
    near = np.abs(skin.points[:, 0] - skin.heads[joint, 0]) <= 2 * radius
    part = skin.triangles[near[skin.triangles].all(1)]
    rest = closed_by_fans(skin.points, part)
    along = skin.heads[skin.names.index("hand")] - skin.heads[joint]
    twist = np.abs(np.linalg.inv(skin.inverse[joint])[:3, :3].T @ along).argmax()
    hinges = [axis for axis in range(3) if axis != twist]
    return min(closed_by_fans(skin.posed(rows, skin.turned({joint: (axis, 90)})), part) / rest for axis in hinges)


def nearest_row(points, others):
    return np.array([np.argmin(((others - point) ** 2).sum(1)) for point in points])


def made_meshes(folder, bind):
    """What must hold of the meshes of corpus/bind: (what, value, goal, whether less is better)."""
    loaded = {name: skins(os.path.join(folder, f"{name}.glb"))[0] for name in (
        "two_legs", "elbow", "inside_out", "box_closed", "box_cracked", "box_holes", "box_seams", "shells")}
    rows = {name: bind(skin) for name, skin in loaded.items()}
    legs = loaded["two_legs"]
    right = [joint for joint, name in enumerate(legs.names) if name.endswith(".R")]
    left = [joint for joint, name in enumerate(legs.names) if name.endswith(".L")]
    low = legs.points[:, 1] < 0.74
    other = max(rows["two_legs"][low & (legs.points[:, 0] > 0)][:, right].sum(1).max(), rows["two_legs"][low & (legs.points[:, 0] < 0)][:, left].sum(1).max())
    yield "two legs: largest weight on the other", other, 0.001, True
    partner = np.arange(len(legs.names))
    for joint in left:
        twin = legs.names.index(legs.names[joint][:-2] + ".R")
        partner[joint], partner[twin] = twin, joint
    place = {tuple(point): number for number, point in enumerate(legs.points.round(6) + 0.0)}
    twins = np.array([place.get(tuple(point.round(6) + 0.0), number) for number, point in enumerate(legs.points * [-1, 1, 1])])
    yield "asymmetry", np.abs(rows["two_legs"] - rows["two_legs"][twins][:, partner]).max(), 1e-5, True
    for name in ("elbow", "inside_out"):
        yield f"{name}: volume", elbow(loaded[name], rows[name]), 0.92, False
    for name in ("box_cracked", "box_holes"):
        twin = nearest_row(loaded[name].points, loaded["box_closed"].points)
        off = np.abs(rows[name] - rows["box_closed"][twin]).max(1)
        yield f"{name}: mean", off.mean(), 0.01, True
        yield f"{name}: largest", off.max(), 0.08, True
    shells = loaded["shells"]
    part = np.arange(len(shells.points))
    while True:  # the smallest number of each connected part
        least = part[shells.triangles].min(1)
        lower = part.copy()
        np.minimum.at(lower, shells.triangles.ravel(), np.repeat(least, 3))
        if (lower == part).all():
            break
        part = lower
    arm = part == np.bincount(part).argmax()
    under = np.where(arm)[0][nearest_row(shells.points[~arm], shells.points[arm])]
    off = np.abs(rows["shells"][~arm] - rows["shells"][under]).max(1)
    yield "sleeve and buttons off the arm: mean", off.mean(), 0.02, True
    yield "sleeve and buttons off the arm: largest", off.max(), 0.15, True
    yield "vertices without weights", float(max((r.sum(1) < 0.5).sum() for r in rows.values())), 0.0, True


def summed(values, how):
    return {"median": np.median, "worst": np.max, "sum": np.mean, "geometric mean": lambda v: np.exp(np.log(v).mean())}[how](np.array(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--skinscope", default="target/release/skinscope")
    parser.add_argument("--corpus", default=os.environ.get("SKINSCOPE_CORPUS", "../shared/corpus"))
    parser.add_argument("--methods", default="heat,voxel,line,nearest,envelope")
    parser.add_argument("--no-blender", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    models = options.models or [os.path.join(options.corpus, "models", f"{name}.glb") for name in RIGS]
    methods = options.methods.split(",") if options.methods else []
    beside = not options.no_blender
    if beside:
        try:
            import bpy  # noqa: F401
        except ImportError as why:
            print(f"Blender is not here ({why}): no ratios. The text of this file says how to get it.", file=sys.stderr)
            beside = False
    table, missed, yard = {method: [] for method in methods}, False, []
    for path in models:
        all_skins = skins(path)
        extent = extent_of(path, all_skins)
        line = {"model": os.path.basename(path)}
        theirs = quality(all_skins, [blender(skin) for skin in all_skins], extent) if beside else None
        if theirs:
            yard.append(theirs)
            line["blender"] = theirs
        for method in methods:
            found = quality(all_skins, ours(options.skinscope, path, method, all_skins), extent)
            table[method].append(found)
            line[method] = found
        if options.json:
            print(json.dumps(line), flush=True)
            continue
        print(line["model"] + ("" if not theirs else f"  (Blender: {theirs['rms']:.3f} %)"))
        for method in methods:
            found = line[method]
            parts = [f"{name} {found[name] / theirs[name]:.3f}" if theirs else f"{name} {found[name]:.4f}" for name in found]
            print(f"  {method:9}{found['rms']:8.3f} %   " + "  ".join(parts), flush=True)
    for method in methods if beside else []:
        for name, how, heat_goal, voxel_goal in GOALS:
            pairs = [(found[name], theirs[name]) for found, theirs in zip(table[method], yard) if name in found]
            if not pairs:
                continue
            value = sum(a for a, _ in pairs) / sum(b for _, b in pairs) if how == "sum" else summed([a / b for a, b in pairs], how)
            goal = {"heat": heat_goal, "voxel": voxel_goal}.get(method)
            over = goal is not None and value > goal
            missed |= over
            print(f"{method:9}{name:6} {how:15} {value:6.3f}" + (f"  wanted {goal}{'  MISSED' if over else ''}" if goal is not None else ""))
    if not options.models:
        folder = os.path.join(options.corpus, "bind")
        binders = [(method, lambda skin, method=method: ours(options.skinscope, skin.file.path, method, [skin])[0]) for method in methods]
        for method, bind in ([("blender", blender)] if beside else []) + binders:
            for what, value, goal, less in made_meshes(folder, bind):
                over = method in ("heat", "voxel") and (value > goal if less else value < goal)
                missed |= over
                print(f"{method:9}{what:42} {value:9.5f}  wanted {'≤' if less else '≥'} {goal}{'  MISSED' if over else ''}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
