#!/usr/bin/env python3
"""Writes a large glTF model (needs numpy, for the textures Pillow too).

  models.py KIND OUT.glb

KIND: v5m (5 million vertices), v1m (a million), v1m20 (the same in 20 primitives that name the same vertices), v300k (300 000), j50k (50 000 joints in a tree of three children each), jchain (a chain of 2000 joints, and
48 000 that hang on it), jlong (bones as long as the model), p10k (10 000 primitives of one mesh), p10kn (as many nodes, each
with a mesh and a material of its own), t200 (200 textures of 1024², PNG).
"""
import io, json, struct, sys
import numpy as np

class Glb:
    def __init__(self):
        self.bin = []; self.size = 0
        self.j = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}
    def view(self, data):
        data = bytes(data); at = self.size
        pad = -len(data) % 4
        self.bin.append(data + b"\0" * pad); self.size += len(data) + pad
        self.j["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(data)})
        return len(self.j["bufferViews"]) - 1
    def acc(self, a, kind, norm=False, bounds=False, view=None, off=0):
        ct = {"f4": 5126, "u4": 5125, "u2": 5123, "u1": 5121}[a.dtype.str[1:]]
        d = {"bufferView": self.view(a.tobytes()) if view is None else view, "componentType": ct, "count": len(a), "type": kind}
        if off: d["byteOffset"] = off
        if norm: d["normalized"] = True
        if bounds:
            lo, hi = a.min(0), a.max(0)
            d["min"] = [float(x) for x in np.atleast_1d(lo)]; d["max"] = [float(x) for x in np.atleast_1d(hi)]
        self.j["accessors"].append(d)
        return len(self.j["accessors"]) - 1
    def write(self, path):
        self.j["buffers"] = [{"byteLength": self.size}]
        t = json.dumps(self.j, separators=(",", ":")).encode(); t += b" " * (-len(t) % 4)
        with open(path, "wb") as f:
            f.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(t) + 8 + self.size))
            f.write(struct.pack("<I4s", len(t), b"JSON")); f.write(t)
            f.write(struct.pack("<I4s", self.size, b"BIN\0"))
            for b in self.bin: f.write(b)

def grid(n, m, bend=0.1, w=1.0, h=2.0):
    y, x = np.meshgrid(np.linspace(0, h, m, dtype="f4"), np.linspace(-w / 2, w / 2, n, dtype="f4"), indexing="ij")
    z = (bend * np.sin(x * 9) * np.cos(y * 7)).astype("f4")
    p = np.stack([x, y, z], -1).reshape(-1, 3).astype("f4")
    i = np.arange(n * m, dtype="u4").reshape(m, n)
    a, b, c, d = i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]
    t = np.stack([a, b, c, c, b, d], -1).reshape(-1).astype("u4")
    nrm = np.zeros_like(p); nrm[:, 2] = 1
    return p, nrm, t

def skinned(g, parents, places, heads, p, keys, clip=True, step=1, turn=0.3):
    """Nodes 0..n are joints with the given parents (-1) and world places; weights by height."""
    n = len(parents)
    nodes = []
    for i in range(n):
        q = places[parents[i]] if parents[i] >= 0 else np.zeros(3)
        nodes.append({"name": f"joint_{i}", "translation": [float(v) for v in places[i] - q]})
    for i in range(n):
        if parents[i] >= 0: nodes[parents[i]].setdefault("children", []).append(i)
    ib = np.tile(np.eye(4, dtype="f4"), (n, 1, 1)); ib[:, 3, :3] = -places
    skin = {"joints": list(range(n)), "inverseBindMatrices": g.acc(ib.reshape(n, 16).astype("f4"), "MAT4")}
    g.j["skins"] = [skin]
    if clip:
        times = np.linspace(0, 4, keys, dtype="f4")
        ta = g.acc(times, "SCALAR", bounds=True)
        ch, sa = [], []
        moved = list(range(0, n, step))
        ang = turn * np.sin(np.linspace(0, 2 * np.pi, keys))[None] * (0.2 + 0.8 * np.random.default_rng(1).random((len(moved), 1)))
        q = np.zeros((len(moved), keys, 4), "f4"); q[..., 0] = np.sin(ang / 2); q[..., 3] = np.cos(ang / 2)
        v = g.view(q.tobytes())
        for k, i in enumerate(moved):
            o = g.acc(q[k], "VEC4", view=v, off=k * keys * 16)
            sa.append({"input": ta, "output": o}); ch.append({"sampler": k, "target": {"node": i, "path": "rotation"}})
        g.j["animations"] = [{"name": "Sway", "channels": ch, "samplers": sa}]
    return nodes

def vertices(path, n, m, cut=1):
    g = Glb()
    p, nrm, t = grid(n, m)
    J = 64
    places = np.zeros((J, 3)); places[:, 1] = np.linspace(0, 2, J)
    parents = [i - 1 for i in range(J)]
    nodes = skinned(g, parents, places, None, p, 30)
    f = p[:, 1] / 2 * (J - 1); lo = np.clip(np.floor(f), 0, J - 2)
    j = np.zeros((len(p), 4), "u1"); j[:, 0] = lo; j[:, 1] = lo + 1
    w = np.zeros((len(p), 4), "f4"); w[:, 1] = f - lo; w[:, 0] = 1 - w[:, 1]
    attributes = {"POSITION": g.acc(p, "VEC3", bounds=True), "NORMAL": g.acc(nrm, "VEC3"), "JOINTS_0": g.acc(j, "VEC4"), "WEIGHTS_0": g.acc(w, "VEC4")}
    ends = np.arange(cut + 1) * (len(t) // 3) // cut * 3
    g.j["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 1 - i / cut, i / cut, 1]}} for i in range(cut)]
    g.j["meshes"] = [{"primitives": [{"attributes": attributes, "indices": g.acc(t[a:b], "SCALAR"), "material": i} for i, (a, b) in enumerate(zip(ends, ends[1:]))]}]
    nodes.append({"name": "body", "mesh": 0, "skin": 0}); g.j["nodes"] = nodes
    g.j["scenes"] = [{"nodes": [0, J]}]; g.j["scene"] = 0
    g.write(path)

def joints(path, chain):
    g = Glb(); J = 50000
    rng = np.random.default_rng(2)
    if chain:  # one chain of 2000, the others hang on it
        parents = [i - 1 for i in range(2000)] + [int(rng.integers(0, 2000)) for _ in range(J - 2000)]
        places = np.zeros((J, 3)); places[:2000, 1] = np.linspace(0, 2, 2000)
        for i in range(2000, J): places[i] = places[parents[i]] + [0.5 * (rng.random() - 0.5), 0, 0.02 * (rng.random() - .5)]
    else:  # a tree of three children each
        parents = [-1] + [(i - 1) // 3 for i in range(1, J)]
        depth = np.zeros(J, int); places = np.zeros((J, 3)); places[0] = [0, 1, 0]
        if chain is None:  # hostile: bones as long as the model
            places = np.stack([rng.random(J) - 0.5, 2 * rng.random(J), 0.02 * rng.random(J)], -1)
        else:
            for i in range(1, J):
                q = parents[i]; depth[i] = depth[q] + 1
                places[i] = places[q] + (rng.random(3) - 0.5) * [0.5, 1.0, 0.2] * 0.6 ** (depth[i] - 1)
    n, m = 224, 224
    p, nrm, t = grid(n, m)
    nodes = skinned(g, parents, places, None, p, 4, turn=0.002 if chain else 0.05)
    # each vertex: the joint at its rank by height, and its neighbours
    rank = np.empty(len(p), int); rank[np.lexsort((p[:, 0], p[:, 1]))] = np.arange(len(p))
    at = np.argsort(places[:, 1]); k = np.minimum(rank, J - 3)
    j = np.stack([at[k], at[k + 1], at[k + 2], at[0] * np.ones(len(p))], -1).astype("u2")
    w = np.tile(np.array([0.6, 0.3, 0.1, 0.0], "f4"), (len(p), 1))
    prim = {"attributes": {"POSITION": g.acc(p, "VEC3", bounds=True), "NORMAL": g.acc(nrm, "VEC3"), "JOINTS_0": g.acc(j, "VEC4"), "WEIGHTS_0": g.acc(w, "VEC4")}, "indices": g.acc(t, "SCALAR")}
    g.j["meshes"] = [{"primitives": [prim]}]
    nodes.append({"name": "body", "mesh": 0, "skin": 0}); g.j["nodes"] = nodes
    g.j["scenes"] = [{"nodes": [0, J]}]; g.j["scene"] = 0
    g.write(path)

def prims(path, as_nodes, materials):
    g = Glb(); N = 10000; J = 32
    places = np.zeros((J, 3)); places[:, 1] = np.linspace(0, 2, J)
    nodes = skinned(g, [i - 1 for i in range(J)], places, None, None, 30)
    p0, n0, t0 = grid(5, 5, 0.002, 0.015, 0.015)
    idx = g.acc(t0, "SCALAR")
    g.j["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [float(i * 0.618 % 1), float(i * 0.37 % 1), float(i * 0.11 % 1), 1], "metallicFactor": 0.0}} for i in range(materials)]
    ps = []
    for i in range(N):
        p = p0 + np.array([(i % 100) * 0.02 - 1, (i // 100) * 0.02, 0], "f4")
        f = np.clip(p[:, 1] / 2 * (J - 1), 0, J - 1.001); lo = np.floor(f)
        j = np.zeros((len(p), 4), "u1"); j[:, 0] = lo; j[:, 1] = lo + 1
        w = np.zeros((len(p), 4), "f4"); w[:, 1] = f - lo; w[:, 0] = 1 - w[:, 1]
        ps.append({"attributes": {"POSITION": g.acc(p, "VEC3", bounds=True), "NORMAL": g.acc(n0, "VEC3"), "JOINTS_0": g.acc(j, "VEC4"), "WEIGHTS_0": g.acc(w, "VEC4")}, "indices": idx, "material": i % materials})
    if as_nodes:
        g.j["meshes"] = [{"primitives": [q]} for q in ps]
        roots = []
        for i in range(N):
            roots.append(len(nodes)); nodes.append({"name": f"part_{i}", "mesh": i, "skin": 0})
    else:
        g.j["meshes"] = [{"primitives": ps}]
        roots = [len(nodes)]; nodes.append({"name": "body", "mesh": 0, "skin": 0})
    g.j["nodes"] = nodes; g.j["scenes"] = [{"nodes": [0] + roots}]; g.j["scene"] = 0
    g.write(path)

def textures(path):
    from PIL import Image
    g = Glb(); N = 200; J = 8
    places = np.zeros((J, 3)); places[:, 1] = np.linspace(0, 2, J)
    nodes = skinned(g, [i - 1 for i in range(J)], places, None, None, 30)
    p0, n0, t0 = grid(9, 9, 0.002, 0.09, 0.09)
    idx = g.acc(t0, "SCALAR")
    uv = np.stack([(p0[:, 0] - p0[:, 0].min()), p0[:, 1]], -1).astype("f4") / 0.09
    uva = g.acc(uv, "VEC2")
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 24, (1024, 1024, 3), dtype=np.uint8)
    yy, xx = np.mgrid[0:1024, 0:1024]
    g.j["images"], g.j["textures"], g.j["materials"] = [], [], []
    ps = []
    for i in range(N):
        im = np.stack([(xx * (i % 5 + 1) // 8) % 230, (yy * (i % 7 + 1) // 8) % 230, np.full_like(xx, i)], -1).astype(np.uint8) + noise
        out = io.BytesIO(); Image.fromarray(im.astype(np.uint8)).save(out, "PNG", compress_level=1)
        g.j["images"].append({"bufferView": g.view(out.getvalue()), "mimeType": "image/png"})
        g.j["textures"].append({"source": i})
        g.j["materials"].append({"pbrMetallicRoughness": {"baseColorTexture": {"index": i}, "metallicFactor": 0.0}})
        p = p0 + np.array([(i % 20) * 0.1 - 1, (i // 20) * 0.2, 0], "f4")
        f = np.clip(p[:, 1] / 2 * (J - 1), 0, J - 1.001); lo = np.floor(f)
        j = np.zeros((len(p), 4), "u1"); j[:, 0] = lo; j[:, 1] = lo + 1
        w = np.zeros((len(p), 4), "f4"); w[:, 1] = f - lo; w[:, 0] = 1 - w[:, 1]
        ps.append({"attributes": {"POSITION": g.acc(p, "VEC3", bounds=True), "NORMAL": g.acc(n0, "VEC3"), "TEXCOORD_0": uva, "JOINTS_0": g.acc(j, "VEC4"), "WEIGHTS_0": g.acc(w, "VEC4")}, "indices": idx, "material": i})
    g.j["meshes"] = [{"primitives": ps}]
    nodes.append({"name": "body", "mesh": 0, "skin": 0}); g.j["nodes"] = nodes
    g.j["scenes"] = [{"nodes": [0, J]}]; g.j["scene"] = 0
    g.write(path)

kind, out = sys.argv[1:]
{"v5m": lambda p: vertices(p, 1768, 2829), "v1m": lambda p: vertices(p, 1000, 1000), "v1m20": lambda p: vertices(p, 1000, 1000, 20),
 "v300k": lambda p: vertices(p, 433, 693), "j50k": lambda p: joints(p, False), "jlong": lambda p: joints(p, None), "jchain": lambda p: joints(p, True), "p10k": lambda p: prims(p, False, 10),
 "p10kn": lambda p: prims(p, True, 10000), "t200": textures}[kind](out)
