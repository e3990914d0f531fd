#!/usr/bin/env python3
"""Writes the generated models for the comparison of pictures.

  models.py fixtures FOLDER     those of tests/fixtures/picture
  models.py layers FOLDER       one of each extension that lays something over a material or lets light through it
"""
import json
import math
import struct
import sys


def write_glb(path, root, rest):
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + len(rest)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, size) + struct.pack("<II", len(text), 0x4E4F534A) + text + rest)


class Scene:
    """Triangles by material, flat or smooth. `mapped`: balls have texture coordinates."""

    def __init__(self, mapped=False):
        self.materials, self.meshes, self.unit, self.mapped = [], [], None, mapped

    def material(self, srgb, roughness, metallic=0.0, **extensions):
        """`extensions`: by name without `KHR_materials_`."""
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
        pbr = {"baseColorFactor": [*linear, 1.0], "roughnessFactor": roughness, "metallicFactor": metallic}
        material = {"pbrMetallicRoughness": pbr}
        if extensions:
            material["extensions"] = {f"KHR_materials_{name}": values for name, values in extensions.items()}
        self.materials.append(material)
        return len(self.materials) - 1

    def add(self, material, positions, normals, indices):
        self.meshes.append((material, positions, normals, None, indices, {}))

    def ball(self, material, center, radius, rings=16):
        """All balls share one unit ball, each in a node of its own."""
        if self.unit is None:
            places, maps, indices = [], [], []
            for i in range(rings + 1):
                for j in range(2 * rings + 1):
                    a, b = math.pi * i / rings, math.pi * j / rings
                    places.append((math.sin(a) * math.sin(b), math.cos(a), math.sin(a) * math.cos(b)))
                    maps.append((j / (2 * rings), i / rings))
            row = 2 * rings + 1
            for at in (i * row + j for i in range(rings) for j in range(2 * rings)):
                indices += [at, at + row, at + 1, at + 1, at + row, at + row + 1]
            self.unit = (places, places, maps if self.mapped else None, indices)
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

        for material, places, normals, maps, indices, place in self.meshes:
            attributes = {"POSITION": accessor(places, "VEC3", "f", 3), "NORMAL": accessor(normals, "VEC3", "f", 3)}
            if maps:
                attributes["TEXCOORD_0"] = accessor(maps, "VEC2", "f", 2)
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
        used = sorted({name for material in self.materials for name in material.get("extensions", {})})
        if used:
            root["extensionsUsed"] = used
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


def clear_coat():
    """Rough paint, lacquer over leather brown and brushed metal under coats that are smooth to rough, the last one thin."""
    scene = Scene()
    for row, (rgb, roughness, metallic) in enumerate([(HUES[0], 0.9, 0), ((0.30, 0.16, 0.08), 0.6, 0), (HUES[5], 0.5, 1)]):
        for column, (factor, coat) in enumerate([(0, 0), (1, 0.02), (1, 0.15), (1, 0.4), (0.4, 0.02)]):
            coat = {"clearcoatFactor": factor, "clearcoatRoughnessFactor": coat}
            material = scene.material(rgb, roughness, metallic, clearcoat=coat)
            scene.ball(material, (column * 2.2, -row * 2.2, 0), 1.0, rings=32)
    return scene


def sheen():
    """Dark, coloured and pale cloth without fuzz, then with fuzz that is ever rougher."""
    scene = Scene()
    for row, rgb in enumerate([(0.08, 0.08, 0.12), HUES[6], (0.75, 0.70, 0.62)]):
        for column, fuzz in enumerate([None, 0.2, 0.4, 0.6, 1.0]):
            layer = {} if fuzz is None else {"sheenColorFactor": [0.8, 0.8, 0.9], "sheenRoughnessFactor": fuzz}
            material = scene.material(rgb, 0.9, sheen=layer)
            scene.ball(material, (column * 2.2, -row * 2.2, 0), 1.0, rings=32)
    return scene


def iridescence():
    """Thin films, ever thicker, over black plastic, coloured plastic and steel."""
    scene = Scene()
    for row, (rgb, metallic) in enumerate([((0.05, 0.05, 0.05), 0), (HUES[4], 0), ((0.77, 0.78, 0.78), 1)]):
        for column, thickness in enumerate([150, 250, 350, 450, 600]):
            film = {"iridescenceFactor": 1, "iridescenceIor": 1.6, "iridescenceThicknessMaximum": thickness}
            material = scene.material(rgb, 0.25, metallic, iridescence=film)
            scene.ball(material, (column * 2.2, -row * 2.2, 0), 1.0, rings=32)
    return scene


def anisotropy():
    """Brushed steel, gold and lacquer whose highlights are stretched ever farther, the last ones across."""
    scene = Scene(mapped=True)
    for row, (rgb, metallic) in enumerate([((0.77, 0.78, 0.78), 1), ((1.0, 0.86, 0.57), 1), (HUES[0], 0)]):
        for column, (strength, turn) in enumerate([(0, 0), (0.4, 0), (0.7, 0), (1, 0), (1, math.pi / 2)]):
            brush = {"anisotropyStrength": strength, "anisotropyRotation": turn}
            material = scene.material(rgb, 0.35, metallic, anisotropy=brush)
            scene.ball(material, (column * 2.2, -row * 2.2, 0), 1.0, rings=32)
    return scene


def before_stripes(glasses):
    """Rows of balls of glass, each given as (colour, roughness, extensions), before upright stripes of all hues."""
    scene = Scene()
    for row, kinds in enumerate(glasses):
        for column, (rgb, roughness, extensions) in enumerate(kinds):
            material = scene.material(rgb, roughness, transmission={"transmissionFactor": 1}, **extensions)
            scene.ball(material, (column * 2.2, -row * 2.2, 0), 1.0, rings=32)
    height = 1.1 * len(glasses) + 0.6
    for i in range(34):
        rgb = (0.8, 0.8, 0.8) if i % 2 else HUES[i // 2 % len(HUES)]
        place = (0.4 * i - 3.3, 1.1 * (1 - len(glasses)), -2.5)
        scene.box(scene.material(rgb, 0.9), place, (0.2, height, 0.1))
    return scene


def transmission():
    """Thin panes around nothing, clear, amber and green, smooth to frosted."""
    tints = [(1, 1, 1), (0.95, 0.75, 0.35), (0.45, 0.80, 0.50)]
    return before_stripes([[(rgb, roughness, {}) for roughness in (0, 0.15, 0.3, 0.6)] for rgb in tints])


def volume():
    """Full balls that bend light by ever higher indices: clear, absorbing little, absorbing much."""
    def body(ior, distance):
        inside = {"thicknessFactor": 1.5}
        if distance:
            inside.update(attenuationDistance=distance, attenuationColor=[0.9, 0.4, 0.15])
        return (1, 1, 1), 0.05, {"volume": inside, "ior": {"ior": ior}}

    return before_stripes([[body(ior, distance) for ior in (1.1, 1.33, 1.5, 1.8)] for distance in (None, 2.0, 0.5)])


def dispersion():
    """Full balls that part colours ever farther, at two indices."""
    def body(ior, parting):
        inside = {"thicknessFactor": 1.5}
        return (1, 1, 1), 0.0, {"volume": inside, "ior": {"ior": ior}, "dispersion": {"dispersion": parting}}

    return before_stripes([[body(ior, parting) for parting in (0, 0.5, 2, 8)] for ior in (1.4, 1.7)])


KINDS = {
    "fixtures": (balls, columns, figure, leather, metals),
    "layers": (clear_coat, sheen, iridescence, anisotropy, transmission, volume, dispersion),
}


if __name__ == "__main__":
    for make in KINDS[sys.argv[1]]:
        make().write(f"{sys.argv[2]}/{make.__name__}.glb")
