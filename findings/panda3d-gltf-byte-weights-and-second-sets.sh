#!/usr/bin/env bash
# panda3d-gltf 1.3.0 and Panda3D 1.10.16 (pip): where vertices stand that have their weights as normalised bytes or 16 bits, or
# that have a second set of weights, in valid files of core glTF, at rest.
#
# Guess: all three stand as the same vertices do with weights as floats; of eight weights perhaps the first four are taken.
# Seen: integers are taken as they are, so that a weight of 1 is 255, and the character stands 255 times as large, or 65535
# times. Of two sets of weights the second one is taken and the first is lost, and the rest is not made to sum to 1: a vertex
# with 0.75 in the first and 0.25 in the second stands at a quarter of its height.
#
# Fails if that changes. Needs Python 3.11 as python3.11 with pip, node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check panda3d==1.10.16 panda3d-gltf==1.3.0
npm install --silent --no-audit --no-fund gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > write.py <<'PYTHON'
import json
import struct

FLOAT, BYTE, SHORT = (5126, "f", 1), (5121, "B", 255), (5123, "H", 65535)
JOINT = (5121, "B", 1)
POINTS = [(0, 0, 0), (1, 0, 0), (0, 2, 0)]

def write(path, kind, weights):
    """A triangle on two joints at the origin. Each set of `weights` has a row of four for each vertex."""
    data, views, accessors = b"", [], []

    def add(rows, kind, type, **more):
        nonlocal data
        component, letter, one = kind
        values = [round(one * x) if one > 1 else x for row in rows for x in row]
        packed = struct.pack(f"<{len(values)}{letter}", *values)
        target = {} if type == "MAT4" else {"target": 34962}
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed), **target})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": type, **more})
        data += packed
        return len(accessors) - 1

    identity = [float(i % 5 == 0) for i in range(16)]
    attributes = {"POSITION": add(POINTS, FLOAT, "VEC3", min=[0, 0, 0], max=[1, 2, 0])}
    for number, rows in enumerate(weights):
        normalized = {"normalized": True} if kind is not FLOAT else {}
        attributes[f"WEIGHTS_{number}"] = add(rows, kind, "VEC4", **normalized)
        joints = [[int(number == 1 and row[0] > 0), 0, 0, 0] for row in rows]
        attributes[f"JOINTS_{number}"] = add(joints, JOINT, "VEC4")
    gltf = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
        "nodes": [{"name": "a", "children": [1]}, {"name": "b"}, {"name": "body", "mesh": 0, "skin": 0}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": add([identity, identity], FLOAT, "MAT4")}],
        "meshes": [{"primitives": [{"attributes": attributes, "material": 0}]}], "materials": [{}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A)
    open(path, "wb").write(header + text + struct.pack("<II", len(data), 0x004E4942) + data)

one, none = [1, 0, 0, 0], [0, 0, 0, 0]
write("floats.glb", FLOAT, [[one] * 3])
write("bytes.glb", BYTE, [[one] * 3])
write("shorts.glb", SHORT, [[one] * 3])
write("two sets.glb", FLOAT, [[one, one, [0.75, 0, 0, 0]], [none, none, [0.25, 0, 0, 0]]])
PYTHON
cat > check.js <<'JS'
const fs = require('fs');
const validator = require('gltf-validator');
(async () => {
  for (const name of ['floats', 'bytes', 'shorts', 'two sets']) {
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(`${name}.glb`)));
    console.log(`seen ${name}: ${issues.numErrors} errors and ${issues.numWarnings} warnings of the validator`);
  }
})();
JS
cat > load.py <<'PYTHON'
import gltf
from panda3d.core import GeomVertexReader, NodePath, Thread

for name in ("floats", "bytes", "shorts", "two sets"):
    (path,) = NodePath(gltf.load_model(f"{name}.glb")).find_all_matches("**/+GeomNode")
    data = path.node().get_geom(0).get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    reader, points = GeomVertexReader(data, "vertex"), []
    while not reader.is_at_end():
        x, y, z = reader.get_data3()
        points.append(f"{x:g} {y:g} {z + 0:g}")
    print(f"seen {name}:", ", ".join(points), flush=True)
PYTHON
venv/bin/python write.py
(node check.js && venv/bin/python load.py 2>&1) | sed -n 's/^seen //p' | tee seen.txt
cat > expected.txt <<'TEXT'
floats: 0 errors and 0 warnings of the validator
bytes: 0 errors and 0 warnings of the validator
shorts: 0 errors and 0 warnings of the validator
two sets: 0 errors and 0 warnings of the validator
floats: 0 0 0, 1 0 0, 0 0 2
bytes: 0 0 0, 255 0 0, 0 0 510
shorts: 0 0 0, 65535 0 0, 0 0 131070
two sets: 0 0 0, 1 0 0, 0 0 0.5
TEXT
diff -u expected.txt seen.txt
