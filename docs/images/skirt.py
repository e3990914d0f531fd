"""Makes the picture of the skirt in docs/paint.md: as it was bound, with a layer over that, and with a mask of the layer.

    python3 docs/images/skirt.py PROGRAM [FOLDER=docs/images]

PROGRAM is the skinscope to paint and render with. Writes paint-skirt.png from a skirt over two legs that is made here.
"""

import json
import math
import pathlib
import struct
import sys
import tempfile

from brushes import ROOT, run, strip

CAMERA = ["--eye", "0.5,0.9,2.4", "--target", "0.02,0.55,0.1", "--fov", "26", "--size", "190x220", "--background", "#ffffff"]

# The skirt: rings around the hips, from the waist to the hem, and a leg on each side.
RINGS, SIDES = 16, 32
WAIST, HEM = 1.0, 0.45
LEG = 0.07


def glb(gltf, data):
    """A GLB of a JSON text and one buffer."""
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def tube(rings, sides, radius, centre, heights, row):
    """Points, normals, rows of weights and triangles of a tube along Y."""
    points, normals, rows, triangles = [], [], [], []
    for ring in range(rings + 1):
        share = ring / rings
        y, r = heights[0] + share * (heights[1] - heights[0]), radius(share)
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            x, z = math.cos(angle), math.sin(angle)
            points.append((centre + r * x, y, r * z))
            normals.append((x, 0.0, z))
            rows.append(row(share, x))
            if ring < rings:
                a, b = ring * sides + side, ring * sides + (side + 1) % sides
                triangles += [a, b, a + sides, b, b + sides, a + sides]
    return points, normals, rows, triangles


def of_skirt(share, x):
    """What binding by distance makes of a skirt: below the hips each half follows its leg."""
    legs = min(1.0, share * 1.6)
    left = 1.0 if x > 0.0 else 0.0
    return (1.0 - legs, legs * left, legs * (1.0 - left), 0.0)


def skirt():
    """A skirt and two legs, bound to Hips, UpperLeg.L and UpperLeg.R."""
    parts = [
        (tube(RINGS, SIDES, lambda share: 0.14 + 0.13 * share, 0.0, (WAIST, HEM), of_skirt), 0),
        (tube(24, 24, lambda share: LEG - 0.03 * share, 0.1, (0.8, 0.05), lambda share, x: (0.0, 1.0, 0.0, 0.0)), 1),
        (tube(24, 24, lambda share: LEG - 0.03 * share, -0.1, (0.8, 0.05), lambda share, x: (0.0, 0.0, 1.0, 0.0)), 1),
    ]
    data, views, accessors, primitives = b"", [], [], []

    def add(values, kind, component, code, bounds=False):
        nonlocal data
        flat = [number for value in values for number in (value if isinstance(value, tuple) else (value,))]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": struct.calcsize(code) * len(flat)})
        data += struct.pack(f"<{len(flat)}{code}", *flat)
        data += b"\0" * (-len(data) % 4)
        accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(values), "type": kind}
        if bounds:
            axes = list(zip(*values))
            accessor |= {"min": [min(axis) for axis in axes], "max": [max(axis) for axis in axes]}
        accessors.append(accessor)
        return len(accessors) - 1

    for (points, normals, rows, triangles), material in parts:
        attributes = {
            "POSITION": add(points, "VEC3", 5126, "f", True),
            "NORMAL": add(normals, "VEC3", 5126, "f"),
            "JOINTS_0": add([(0, 1, 2, 0)] * len(points), "VEC4", 5121, "B"),
            "WEIGHTS_0": add(rows, "VEC4", 5126, "f"),
        }
        primitives.append({"attributes": attributes, "indices": add(triangles, "SCALAR", 5125, "I"), "material": material})
    places = [(0.0, WAIST, 0.0), (0.1, 0.9, 0.0), (-0.1, 0.9, 0.0)]
    inverse = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1) for x, y, z in places]
    binds = add([tuple(map(float, matrix)) for matrix in inverse], "MAT4", 5126, "f")
    nodes = [{"name": "Hips", "translation": list(places[0]), "children": [1, 2]}]
    for name, (x, y, z) in zip(("UpperLeg.L", "UpperLeg.R"), places[1:]):
        nodes.append({"name": name, "translation": [x, y - WAIST, z]})
    nodes.append({"name": "Figure", "mesh": 0, "skin": 0})
    materials = [
        {"name": name, "doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": colour, "roughnessFactor": 0.8}}
        for name, colour in (("Cloth", [0.55, 0.2, 0.22, 1]), ("Skin", [0.6, 0.45, 0.35, 1]))
    ]
    gltf = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 3]}], "nodes": nodes, "materials": materials,
        "meshes": [{"name": "Figure", "primitives": primitives}],
        "skins": [{"joints": [0, 1, 2], "inverseBindMatrices": binds}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }
    return glb(gltf, data)


def on_skirt(ring, side):
    """A vertex of the skirt as a dab names it."""
    return {"vertex": [0, 0, ring * SIDES + side % SIDES]}


def of_layer():
    """The stroke of the layer: the cloth is smoothed where its halves part, in front and behind, down to the hem."""
    dabs = [on_skirt(ring, side) for _ in range(12) for side in (SIDES // 4, 3 * SIDES // 4) for ring in range(3, RINGS + 1, 3)]
    return {"brush": "smooth", "radius": 0.2, "strength": 1, "accumulate": True, "pose": "step.pose.json", "dabs": dabs}


def of_mask():
    """The stroke on its mask: less of it towards the hem, in front."""
    dabs = [on_skirt(ring, SIDES // 4 + side) for ring in (RINGS - 2, RINGS) for side in (-3, 0, 3)]
    return {"brush": "subtract", "radius": 0.14, "strength": 0.9, "pose": "step.pose.json", "dabs": dabs}


def main():
    program, *folder = sys.argv[1:]
    folder = pathlib.Path(folder[0]) if folder else ROOT / "docs" / "images"
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        models = [temporary / name for name in ("bound.glb", "layer.glb", "mask.glb")]
        models[0].write_bytes(skirt())
        pose = temporary / "step.pose.json"
        run(program, "pose", models[0], "-o", pose, "--rotate", "UpperLeg.L=-40,0,0")
        for of, out, stroke, options in (
            (models[0], models[1], of_layer(), []),
            (models[1], models[2], of_mask(), ["--mask"]),
        ):
            strokes = temporary / "skirt.strokes.json"
            strokes.write_text(json.dumps({"schema": 1, "strokes": [stroke]}))
            run(program, "paint", of, "--strokes", strokes, "--layer", "Skirt", *options, "-o", out)
        pictures = []
        for model in models:
            pictures.append(model.with_suffix(".png"))
            run(program, "render", model, "-o", pictures[-1], "--pose", pose, "--heatmap", "UpperLeg.L", *CAMERA)
        strip(pictures, folder / "paint-skirt.png")


if __name__ == "__main__":
    main()
