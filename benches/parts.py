#!/usr/bin/env python3
"""Writes a glTF binary of many small parts: balls in a cube, each a mesh and a node of its own.

  parts.py OUT.glb PARTS MATERIALS SIDES

SIDES: of a ball's equator; it has about SIDES² triangles. A quarter of the materials is seen from both sides, a third is
metal. Always the same.
"""
import array
import json
import math
import struct
import sys

out, parts, kinds, sides = sys.argv[1], *(int(n) for n in sys.argv[2:5])
rings = sides // 2
blob, views, accessors = bytearray(), [], []


def accessor(kind, component, numbers, count, **more):
    views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(numbers) * numbers.itemsize})
    blob.extend(numbers.tobytes())
    blob.extend(b"\0" * (-len(blob) % 4))
    accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **more})
    return len(accessors) - 1


unit, uv = [], []
for ring in range(rings + 1):
    for side in range(sides + 1):
        down, around = ring / rings * math.pi, side / sides * 2 * math.pi
        unit += [math.sin(down) * math.cos(around), math.cos(down), math.sin(down) * math.sin(around)]
        uv += [side / sides, ring / rings]
indices = []
for ring in range(rings):
    for side in range(sides):
        a = ring * (sides + 1) + side
        b = a + sides + 1
        indices += [a, a + 1, b, a + 1, b + 1, b]
count, edge = len(unit) // 3, math.ceil(parts ** (1 / 3))
meshes, nodes = [], []
for part in range(parts):
    size = 0.35 + 0.1 * (part * 0.618 % 1)
    attributes = {
        "POSITION": accessor("VEC3", 5126, array.array("f", (size * x for x in unit)), count, min=[-size] * 3, max=[size] * 3),
        "NORMAL": accessor("VEC3", 5126, array.array("f", unit), count),
        "TEXCOORD_0": accessor("VEC2", 5126, array.array("f", uv), count),
    }
    triangles = accessor("SCALAR", 5125, array.array("I", indices), len(indices))
    meshes.append({"primitives": [{"attributes": attributes, "indices": triangles, "material": part % kinds}]})
    nodes.append({"mesh": part, "translation": [part % edge, part // edge % edge, part // edge // edge]})
materials = []
for kind in range(kinds):
    color = [0.15 + 0.8 * (kind * step % 1) for step in (0.618, 0.382, 0.755)] + [1.0]
    numbers = {"baseColorFactor": color, "metallicFactor": float(kind % 3 == 0), "roughnessFactor": 0.2 + kind * 0.618 % 1 * 0.6}
    materials.append({"pbrMetallicRoughness": numbers, "doubleSided": kind % 4 == 1})
document = {
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(parts))}], "nodes": nodes, "meshes": meshes,
    "materials": materials, "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}],
}
text = json.dumps(document, separators=(",", ":")).encode()
text += b" " * (-len(text) % 4)
with open(out, "wb") as file:
    file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(blob)))
    file.write(struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob)
