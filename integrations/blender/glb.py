"""Reads the arrays of a `.glb` file and adds others, with numpy alone."""

import json
import struct

import numpy as np

from .errors import Refused
from .files import digest_of

MAGIC = 0x46546C67
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
DTYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FLOAT, BYTE, SHORT = 5126, 5121, 5123
VERTICES = 34962


class Glb:
    """A `.glb` file in memory: `json`, as parsed, and `binary`, the buffer that is stored in it."""

    def __init__(self, data):
        """Takes the bytes of a file. Raises `Refused` where they are no whole `.glb` of version 2."""
        if len(data) < 20 or struct.unpack_from("<2I", data) != (MAGIC, 2):
            raise Refused("The file is no .glb of version 2.")
        chunks, at = {}, 12
        while at + 8 <= len(data):
            length, kind = struct.unpack_from("<2I", data, at)
            if at + 8 + length > len(data):
                raise Refused("The file ends too early.")
            chunks.setdefault(kind, data[at + 8 : at + 8 + length])
            at += 8 + length
        if JSON_CHUNK not in chunks:
            raise Refused("The file has no JSON.")
        self.json = json.loads(chunks[JSON_CHUNK])
        self.binary = bytearray(chunks.get(BINARY_CHUNK, b""))

    def array(self, accessor):
        """Returns the numbers of an accessor as they are stored, `(count,)` or `(count, components)`. A copy."""
        accessor = self.json["accessors"][accessor]
        width, dtype = COMPONENTS[accessor["type"]], np.dtype(DTYPES[accessor["componentType"]]).newbyteorder("<")
        count = accessor["count"]
        view = self.json["bufferViews"][accessor["bufferView"]]
        if view.get("buffer", 0) != 0 or "uri" in self.json["buffers"][0] or "sparse" in accessor:
            raise Refused("The file stores its vertices in a way that Blender does not write.")
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", width * dtype.itemsize)
        rows = np.ndarray((count, width), dtype, bytes(self.binary), start, (step, dtype.itemsize))
        return rows[:, 0].copy() if width == 1 else rows.copy()

    def besides_weights(self):
        """Returns what the file has besides the weights of vertices: its JSON, with digests of the arrays in place of their numbers.

        Two files of equal results differ in weights alone. Files that only store the same in another order may have other results.
        """
        out = {name: self._inlined(value) for name, value in self.json.items() if name not in ("accessors", "bufferViews", "buffers")}
        for primitive in (primitive for mesh in out.get("meshes", ()) for primitive in mesh["primitives"]):
            primitive["attributes"] = {
                name: self._stored(number) for name, number in primitive["attributes"].items() if not name.startswith(("JOINTS_", "WEIGHTS_"))
            }
            primitive["targets"] = [{name: self._stored(number) for name, number in one.items()} for one in primitive.get("targets", ())]
            primitive["indices"] = self._stored(primitive.get("indices"))
        for skin in out.get("skins", ()):
            skin["inverseBindMatrices"] = self._stored(skin.get("inverseBindMatrices"))
        for sampler in (sampler for animation in out.get("animations", ()) for sampler in animation["samplers"]):
            sampler.update({name: self._stored(sampler[name]) for name in ("input", "output")})
        return out

    def _stored(self, accessor):
        """An accessor with what it stores; `None` where there is none."""
        return None if accessor is None else self._inlined(self.json["accessors"][accessor])

    def _inlined(self, value):
        """A copy of a part of the JSON, in which each buffer view is a digest of its bytes."""
        if isinstance(value, list):
            return [self._inlined(one) for one in value]
        if isinstance(value, dict):
            return {name: self._view(one) if name == "bufferView" else self._inlined(one) for name, one in value.items()}
        return value

    def _view(self, number):
        view = self.json["bufferViews"][number]
        start = view.get("byteOffset", 0)
        return view.get("byteStride"), digest_of(memoryview(self.binary)[start : start + view["byteLength"]])

    def add(self, array, kind, component, target=None):
        """Appends an array `(count, components)` and returns the number of its accessor.

        `kind` is the accessor's type, `component` its componentType, `target` that of its buffer view.
        """
        rows = np.ascontiguousarray(array, np.dtype(DTYPES[component]).newbyteorder("<"))
        self.binary += bytes(-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": rows.nbytes}
        if target is not None:
            view["target"] = target
        self.binary += rows.tobytes()
        self.json["bufferViews"].append(view)
        self.json["accessors"].append(
            {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component, "count": len(rows), "type": kind}
        )
        return len(self.json["accessors"]) - 1

    def to_bytes(self):
        """Returns the bytes of the whole file."""
        binary = bytes(self.binary) + bytes(-len(self.binary) % 4)
        self.json["buffers"][0]["byteLength"] = len(binary)
        text = json.dumps(self.json, separators=(",", ":"), ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<3I", MAGIC, 2, 28 + len(text) + len(binary))
        json_chunk = struct.pack("<2I", len(text), JSON_CHUNK) + text
        return head + json_chunk + struct.pack("<2I", len(binary), BINARY_CHUNK) + binary
