"""Folders of models to check: sound ones, ones with planted defects, and ones that do not load."""

import json
import os
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parents[3]
MOST_BYTES = 80_000
"""Larger models are left out, so that thousands are written and checked in seconds."""
WIDTHS = {"VEC4": 4, "MAT4": 16}
FORMATS = {5121: "B", 5123: "H", 5126: "f"}


def corpus():
    """Returns the folder of real and of malformed models, and None where there is none."""
    folder = pathlib.Path(os.environ.get("SKINSCOPE_CORPUS") or ROOT.parent / "shared/corpus")
    return folder if folder.is_dir() else None


def chunks(glb):
    """Takes a .glb apart into its JSON and its bytes."""
    length = struct.unpack_from("<I", glb, 12)[0]
    return json.loads(glb[20 : 20 + length]), bytearray(glb[28 + length :])


def packed(root, data):
    """Puts a .glb together."""
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    data = bytes(data) + bytes(-len(data) % 4)
    parts = [struct.pack("<II", len(text), 0x4E4F534A), text, struct.pack("<II", len(data), 0x004E4942), data]
    return struct.pack("<III", 0x46546C67, 2, 12 + sum(map(len, parts))) + b"".join(parts)


def changed(glb, accessor, change):
    """Returns a .glb with an accessor changed, which `accessor` picks from the JSON: `change` takes the number and the values of an element."""
    root, data = chunks(glb)
    accessor = root["accessors"][accessor(root)]
    view = root["bufferViews"][accessor["bufferView"]]
    form = struct.Struct(f"<{WIDTHS[accessor['type']]}{FORMATS[accessor['componentType']]}")
    first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    for i in range(accessor["count"]):
        at = first + i * view.get("byteStride", form.size)
        form.pack_into(data, at, *change(i, form.unpack_from(data, at)))
    return packed(root, data)


def attribute(name):
    """Picks an attribute of the first primitive."""
    return lambda root: root["meshes"][0]["primitives"][0]["attributes"][name]


def small(folder):
    """Returns the small models of a folder as (name, bytes). A .gltf, whose buffers may lie beside it, says something else without its folder."""
    return [(path.name, path.read_bytes()) for path in sorted(folder.glob("*.glb")) if path.stat().st_size <= MOST_BYTES]


def kinds():
    """Returns two lists of (name, bytes): models that load, some with defects planted in them, and files of which most do not load. Those of the
    corpus are among them where it is there."""
    loading = small(ROOT / "tests/fixtures")
    sound = dict(loading)["figure.glb"]
    loading += [
        ("without_weights.glb", changed(sound, attribute("WEIGHTS_0"), lambda i, w: [0] * 4 if i % 50 == 7 else w)),
        ("sums.glb", changed(sound, attribute("WEIGHTS_0"), lambda i, w: [x // 2 for x in w] if i % 30 == 3 else w)),
        ("flat_matrix.glb", changed(sound, lambda root: root["skins"][0]["inverseBindMatrices"], lambda i, m: m if i else [0] * 16)),
    ]
    bad = [
        ("no_such_joint.glb", changed(sound, attribute("JOINTS_0"), lambda i, joints: [255] * 4 if i == 11 else joints)),
        ("cut_off.glb", sound[:5000]),
        ("empty.glb", b""),
        ("text.glb", b"not a model"),
    ]
    if corpus():
        loading += small(corpus() / "models")
        bad += small(corpus() / "malformed")
    return loading, bad


def write_models(folder, count):
    """Writes so many models into folders below this one, under names that differ, and returns their paths. One of five is of those that most often do not
    load."""
    loading, bad = kinds()
    paths = []
    for i in range(count):
        of_kind = bad if i % 5 == 4 else loading
        name, data = of_kind[i // 5 % len(of_kind)]
        path = folder / f"set {i % 7}" / f"{i:05}_ü#{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(str(path))
    return paths
