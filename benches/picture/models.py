#!/usr/bin/env python3
"""Models for the comparison of pictures: generated ones, and of any file the same with unlit materials.

  models.py make FOLDER              writes the generated models
  models.py unlit IN.glb OUT.glb     the same file, its materials with KHR_materials_unlit
"""
import json
import math
import struct
import sys


def read_glb(path):
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def write_glb(path, root, rest):
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + len(rest)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, size) + struct.pack("<II", len(text), 0x4E4F534A) + text + rest)


def unlit(source, target):
    root, rest = read_glb(source)
    materials = root.setdefault("materials", [])
    for mesh in root.get("meshes", []):
        for primitive in mesh["primitives"]:
            if "material" not in primitive:
                primitive["material"] = len(materials)
                materials.append({})
    for material in materials:
        material["extensions"] = {"KHR_materials_unlit": {}}
    root["extensionsUsed"] = sorted({*root.get("extensionsUsed", []), "KHR_materials_unlit"})
    write_glb(target, root, rest)


class Scene:
    """Triangles by material, flat or smooth."""

    def __init__(self):
        self.materials, self.meshes, self.unit = [], [], None

    def material(self, srgb, roughness, metallic=0.0):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
        pbr = {"baseColorFactor": [*linear, 1.0], "roughnessFactor": roughness, "metallicFactor": metallic}
        self.materials.append({"pbrMetallicRoughness": pbr})
        return len(self.materials) - 1

    def add(self, material, positions, normals, indices):
        self.meshes.append((material, positions, normals, indices, {}))

    def ball(self, material, center, radius, rings=16):
        """All balls share one unit ball, each in a node of its own."""
        if self.unit is None:
            places, indices = [], []
            for i in range(rings + 1):
                for j in range(2 * rings + 1):
                    a, b = math.pi * i / rings, math.pi * j / rings
                    places.append((math.sin(a) * math.sin(b), math.cos(a), math.sin(a) * math.cos(b)))
            row = 2 * rings + 1
            for at in (i * row + j for i in range(rings) for j in range(2 * rings)):
                indices += [at, at + row, at + 1, at + 1, at + row, at + row + 1]
            self.unit = (places, places, indices)
        self.meshes.append((material, *self.unit, {"translation": center, "scale": [radius] * 3}))

    def box(self, material, center, half, turn=0.0, top=1.0):
        """`top`: how wide it is at its top."""
        corners = []
        for x, y, z in [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]:
            wide = top if y > 0 else 1.0
            x, z = x * half[0] * wide, z * half[2] * wide
            c, s = math.cos(turn), math.sin(turn)
            corners.append((center[0] + c * x + s * z, center[1] + y * half[1], center[2] - s * x + c * z))
        places, normals, indices = [], [], []
        for a, b, c, d in [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]:
            p = [corners[i] for i in (a, b, c, d)]
            u, v = [[p[k][i] - p[0][i] for i in range(3)] for k in (1, 2)]
            n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
            size = math.sqrt(sum(k * k for k in n))
            at = len(places)
            places += p
            normals += [tuple(k / size for k in n)] * 4
            indices += [at, at + 1, at + 2, at, at + 2, at + 3]
        self.add(material, places, normals, indices)

    def write(self, path):
        blob, views, accessors, meshes, nodes, known = bytearray(), [], [], [], [], {}

        def view(data):
            blob.extend(b"\0" * (-len(blob) % 4))
            views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
            blob.extend(data)
            return len(views) - 1

        def accessor(values, kind, code, size):
            key = (id(values), kind)
            if key in known:
                return known[key]
            flat = [v for row in values for v in row] if size > 1 else values
            entry = {"bufferView": view(struct.pack(f"<{len(flat)}{code}", *flat)), "type": kind, "count": len(values)}
            entry["componentType"] = 5126 if code == "f" else 5123
            if kind == "VEC3":
                entry["min"] = [min(row[i] for row in values) for i in range(3)]
                entry["max"] = [max(row[i] for row in values) for i in range(3)]
            accessors.append(entry)
            known[key] = len(accessors) - 1
            return known[key]

        for material, places, normals, indices, place in self.meshes:
            attributes = {"POSITION": accessor(places, "VEC3", "f", 3), "NORMAL": accessor(normals, "VEC3", "f", 3)}
            primitive = {"attributes": attributes, "indices": accessor(indices, "SCALAR", "H", 1), "material": material}
            nodes.append({"mesh": len(meshes), **place})
            meshes.append({"primitives": [primitive]})
        root = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(nodes)))}],
            "nodes": nodes,
            "meshes": meshes,
            "materials": self.materials,
        }
        blob.extend(b"\0" * (-len(blob) % 4))
        root.update(accessors=accessors, bufferViews=views, buffers=[{"byteLength": len(blob)}])
        write_glb(path, root, struct.pack("<II", len(blob), 0x004E4942) + bytes(blob))


HUES = [(0.80, 0.10, 0.10), (0.85, 0.45, 0.08), (0.80, 0.72, 0.10), (0.15, 0.60, 0.18), (0.10, 0.55, 0.60),
        (0.12, 0.25, 0.75), (0.45, 0.15, 0.65), (0.70, 0.15, 0.45)]


def balls():
    """Saturated balls, smooth to rough from left to right; light, middle and dark from top to bottom."""
    scene = Scene()
    for row, share in enumerate([1.0, 0.7, 0.4]):
        for column, roughness in enumerate([0.2, 0.4, 0.5, 0.6, 0.8, 1.0]):
            hue = HUES[(row * 3 + column) % len(HUES)]
            scene.ball(scene.material([c * share for c in hue], roughness), (column * 2.2, -row * 2.2, 0), 1.0)
    return scene


def columns():
    """Eight tall columns of as many colours on a pale plate: most of their sides turn aside."""
    scene = Scene()
    scene.box(scene.material((0.75, 0.75, 0.75), 0.5), (0, -0.1, 0), (5, 0.1, 1.5))
    for i, hue in enumerate(HUES):
        scene.box(scene.material(hue, 0.5), (i * 1.15 - 4.0, 0.9, 0), (0.4, 0.9, 0.4), turn=i * 0.2 - 0.7)
    return scene


def figure():
    """A man of flat-shaded blocks, all of them rough."""
    scene = Scene()
    def part(rgb, center, half, **more):
        scene.box(scene.material(rgb, 0.9), center, half, **more)
    part((0.55, 0.12, 0.10), (0, 1.2, 0), (0.32, 0.35, 0.2), turn=0.1)
    part((0.82, 0.58, 0.44), (0, 1.75, 0), (0.16, 0.18, 0.17), turn=0.3, top=0.8)
    part((0.35, 0.20, 0.08), (0, 1.96, 0), (0.18, 0.06, 0.19), turn=0.3, top=0.6)
    for side in (-1, 1):
        part((0.16, 0.22, 0.42), (side * 0.16, 0.45, 0), (0.13, 0.4, 0.14), turn=side * 0.2, top=1.1)
        part((0.22, 0.13, 0.06), (side * 0.17, 0.05, 0.06), (0.14, 0.06, 0.22), turn=side * 0.3)
        part((0.55, 0.12, 0.10), (side * 0.46, 1.22, 0), (0.1, 0.32, 0.11), turn=side * 0.6)
        part((0.82, 0.58, 0.44), (side * 0.48, 0.82, 0.03), (0.08, 0.1, 0.08), turn=side * 0.5)
    return scene


def leather():
    """Dark leather, wood and lacquer: little light comes from within, so that what they mirror shows."""
    scene = Scene()
    for i, (rgb, roughness) in enumerate(
        [((0.30, 0.16, 0.08), 0.45), ((0.20, 0.11, 0.06), 0.6), ((0.35, 0.08, 0.06), 0.3), ((0.08, 0.14, 0.25), 0.5)]
    ):
        material = scene.material(rgb, roughness)
        scene.ball(material, (i * 2.3, 0.9, 0), 1.0)
        scene.box(material, (i * 2.3, -1.0, 0), (0.8, 0.7, 0.8), turn=0.3 + i * 0.35)
    return scene


def metals():
    """Gold, copper and steel, polished to brushed."""
    scene = Scene()
    for row, rgb in enumerate([(1.0, 0.86, 0.57), (0.95, 0.64, 0.54), (0.77, 0.78, 0.78)]):
        for column, roughness in enumerate([0.05, 0.2, 0.35, 0.5, 0.75]):
            scene.ball(scene.material(rgb, roughness, metallic=1.0), (column * 2.2, -row * 2.2, 0), 1.0)
    return scene


if __name__ == "__main__":
    if sys.argv[1] == "make":
        for make in (balls, columns, figure, leather, metals):
            make().write(f"{sys.argv[2]}/{make.__name__}.glb")
    else:
        unlit(*sys.argv[2:])
