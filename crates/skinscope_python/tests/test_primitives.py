"""Primitives: objects that show their model as it is now, their attributes, their weights and locks, and how they are written out."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest
import skinscope
from conftest import FIXTURES, glb_of, parts_of

FIGURE = FIXTURES / "figure.glb"
DATA = FIGURE.read_bytes()
WEIGHTS = skinscope.open(DATA).primitives[0].weights()
V, J = WEIGHTS.shape


def one_joint(joint: int, rows: int = V) -> np.ndarray:
    out = np.zeros((rows, J))
    out[:, joint] = 1
    return out


class Builder:
    """Adds accessors to the figure."""

    def __init__(self) -> None:
        self.document, self.buffer = parts_of(DATA)
        self.primitive = self.document["meshes"][0]["primitives"][0]

    def add(self, array: np.ndarray) -> int:
        self.buffer += b"\0" * (-len(self.buffer) % 4)
        data = np.ascontiguousarray(array, "<f4").tobytes()
        views, accessors = self.document["bufferViews"], self.document["accessors"]
        views.append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)})
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": 5126, "count": len(array), "type": f"VEC{array.shape[1]}"}
        )
        self.buffer += data
        return len(accessors) - 1

    def open(self) -> skinscope.Model:
        return skinscope.open(glb_of(self.document, self.buffer))


def numbers(columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((V, columns), np.float32)


def is_view(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    with pytest.raises(ValueError):
        array.flags.writeable = True
    return array.dtype == np.float32 and array.shape == shape and not array.flags.writeable


def test_attributes_are_those_of_the_file():
    builder = Builder()
    attributes = builder.primitive["attributes"]
    uvs, second, colors = numbers(2, 1), numbers(2, 2) - 0.5, numbers(4, 3)
    tangents = np.c_[np.eye(3, dtype=np.float32)[np.arange(V) % 3], np.where(np.arange(V) % 2, 1, -1)]
    for name, array in [("TEXCOORD_0", uvs), ("TEXCOORD_1", second), ("COLOR_0", colors), ("TANGENT", tangents)]:
        attributes[name] = builder.add(array)
    model = builder.open()
    primitive = model.primitives[0]
    for found, expected in zip([*primitive.texcoords, *primitive.colors, primitive.tangents], [uvs, second, colors, tangents], strict=True):
        np.testing.assert_array_equal(found, np.float32(expected))
        assert is_view(found, expected.shape)
    kept = primitive.colors[0]
    model.fix(limit=1)
    model.close()
    del model, primitive
    np.testing.assert_array_equal(kept, colors)


def test_attributes_that_the_file_lacks_are_none_or_empty():
    builder = Builder()
    attributes = builder.primitive["attributes"]
    for name in ["NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0"]:
        attributes.pop(name, None)
    builder.primitive.pop("targets")
    builder.document["meshes"][0].pop("weights")
    primitive = builder.open().primitives[0]
    assert (primitive.normals, primitive.tangents) == (None, None)
    assert (primitive.texcoords, primitive.colors, primitive.morph_targets) == ((), (), ())
    attributes["TEXCOORD_1"] = builder.add(numbers(2, 4))
    attributes["COLOR_0"] = builder.add(numbers(3, 5))
    primitive = builder.open().primitives[0]
    none, second = primitive.texcoords
    assert none is None and is_view(second, (V, 2)), "an item is the set of its number"
    np.testing.assert_array_equal(primitive.colors[0], np.c_[numbers(3, 5), np.ones(V)].astype(np.float32))


def test_morph_targets_have_their_names_and_displacements():
    builder = Builder()
    smile, turn = numbers(3, 6) - 0.5, numbers(3, 7) - 0.5
    builder.primitive["targets"] = [
        {"POSITION": builder.add(smile), "NORMAL": builder.add(turn)},
        {"POSITION": builder.add(turn)},
    ]
    builder.document["meshes"][0].update(extras={"targetNames": ["Smile"]}, weights=[0, 0])
    model = builder.open()
    first, second = model.primitives[0].morph_targets
    assert (first.name, second.name) == ("Smile", "target 1")
    assert (second.normals, first.tangents) == (None, None)
    for found, expected in [(first.positions, smile), (first.normals, turn), (second.positions, turn)]:
        np.testing.assert_array_equal(found, expected)
        assert is_view(found, (V, 3))
    # They are what acts before the skin does.
    rest, _ = model.deform("linear", primitive=(0, 0))
    moved, _ = model.deform("linear", primitive=(0, 0), morph={"Smile": 1})
    pose = model.pose()
    palette = pose.palette(0)[:, :3, :3]
    by_hand = np.einsum("vj,jab,vb->va", WEIGHTS.astype(np.float64), palette.astype(np.float64), smile.astype(np.float64))
    np.testing.assert_allclose(moved - rest, by_hand, atol=1e-4)


def test_attributes_of_every_model_have_a_row_for_each_vertex(corpus):
    files = sorted((corpus / "models").glob("*.glb"))
    seen = set()
    for path in files:
        model = skinscope.open(path)
        document = parts_of(path.read_bytes())[0]
        for primitive in model.primitives:
            attributes: dict[str, Any] = document["meshes"][primitive.mesh]["primitives"][primitive.index]["attributes"]
            found = {"NORMAL": primitive.normals, "TANGENT": primitive.tangents}
            found.update({f"TEXCOORD_{number}": uvs for number, uvs in enumerate(primitive.texcoords)})
            found.update({f"COLOR_{number}": colors for number, colors in enumerate(primitive.colors)})
            for name, columns in [("NORMAL", 3), ("TANGENT", 4), ("TEXCOORD_0", 2), ("TEXCOORD_1", 2), ("COLOR_0", 4)]:
                array = found.get(name)
                if array is not None:
                    seen.add(name)
                    assert is_view(array, (primitive.vertex_count, columns)), (path, name)
                if name not in ("TANGENT", "NORMAL"):
                    assert (array is not None) == (name in attributes), (path, name)
            for target in primitive.morph_targets:
                assert target.positions is None or is_view(target.positions, (primitive.vertex_count, 3)), path
    assert {"NORMAL", "TEXCOORD_0"} <= seen


def test_weights_that_a_primitive_is_given_are_seen_wherever_they_are_asked_for():
    model = skinscope.open(DATA)
    first, second = model.primitives[0], model.primitive(0, 0)
    before = first.weights()
    changed = first.set_weights(one_joint(3))["changed"]["vertices"]
    assert changed > 500
    for primitive in [first, second, model.primitives[0], model.primitive(0, 0)]:
        np.testing.assert_array_equal(primitive.weights(), one_joint(3))
    np.testing.assert_array_equal(before, WEIGHTS)
    twin = model.copy()
    twin.primitives[0].set_weights(WEIGHTS)
    np.testing.assert_array_equal(first.weights(), one_joint(3), "a copy is a model of its own")
    same = skinscope.open(DATA)
    same.set_weights(0, 0, one_joint(3))
    assert model.to_bytes() == same.to_bytes()


def test_a_primitive_follows_edits_of_several_files(split, tmp_path):
    model = skinscope.open(split)
    primitive = model.primitives[0]
    primitive.set_weights(one_joint(5))
    np.testing.assert_array_equal(primitive.weights(), one_joint(5))
    model.save(tmp_path / "a.gltf")
    np.testing.assert_array_equal(skinscope.open(tmp_path / "a.gltf").primitives[0].weights(), one_joint(5))


def test_pairs_are_the_weights_and_are_taken_back():
    model = skinscope.open(DATA)
    primitive = model.primitives[0]
    joints, weights = primitive.weights("pairs")
    assert (joints.dtype, weights.dtype, joints.shape) == (np.int32, np.float32, weights.shape)
    assert weights.shape[1] == np.diff(primitive.weights("csr")[0]).max()
    dense = np.zeros_like(WEIGHTS)
    np.add.at(dense, (np.arange(V)[:, None], joints), weights)
    np.testing.assert_array_equal(dense, WEIGHTS)
    assert primitive.set_weights((joints, weights))["changed"]["vertices"] == 0 and model.to_bytes() == DATA
    # Pairs of weight 0 have any joint, also one that is there already, or that no skin has.
    wide = np.pad(joints, ((0, 0), (0, 2)), constant_values=J + 5), np.pad(weights, ((0, 0), (0, 2)))
    assert primitive.set_weights(wide)["changed"]["vertices"] == 0 and model.to_bytes() == DATA
    rows = np.array([[3, 4], [5, 0]]), np.array([[0.25, 0.75], [1.0, 0.0]])
    primitive.set_weights(rows, vertices=[7, 2])
    after = primitive.weights()
    np.testing.assert_allclose(after[7, [3, 4]], [0.25, 0.75], atol=2 / 65535)
    assert after[2, 5] == 1


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ((np.zeros((V, 2), int), np.zeros((V, 3))), "one shape"),
        ((np.zeros((V - 1, 2), int), np.zeros((V - 1, 2))), "rows of weights"),
        ((np.zeros(V, int), np.zeros(V)), "dimensions"),
        ((np.zeros((V, 2)), np.zeros((V, 2))), "whole numbers"),
        ((np.full((V, 1), -1), np.ones((V, 1))), "joint -1"),
        ((np.full((V, 1), J), np.ones((V, 1))), f"joint {J}"),
        ((np.zeros((V, 2), int), np.full((V, 2), 0.5)), "joint 0 is there twice"),
        ((np.zeros((V, 1), int), np.full((V, 1), np.nan)), "finite"),
        ((np.zeros((V, 0), int), np.zeros((V, 0))), "no weight"),
        ((np.broadcast_to(1, (1 << 40, 4)), np.broadcast_to(1.0, (1 << 40, 4))), "rows of weights"),
    ],
)
def test_pairs_that_are_wrong_change_nothing(weights, match):
    model = skinscope.open(DATA)
    with pytest.raises(skinscope.Error, match=match):
        model.primitives[0].set_weights(weights)
    assert model.to_bytes() == DATA


def test_locks_of_a_primitive_are_those_of_the_model_among_its_joints():
    model = skinscope.open(DATA)
    primitive, joints = model.primitives[0], model.skins[0].joints
    head, hips = (joints[model.skins[0].joint_names.index(name)] for name in ("Head", "Hips"))
    model.locks = "Head"
    assert primitive.locks == {head}
    primitive.locks |= {hips}
    assert primitive.locks == model.locks == {head, hips}
    with pytest.raises(skinscope.Error, match="locked"):
        primitive.set_weights(one_joint(joints.index(hips)))
    primitive.locks = np.int64(head)
    assert model.primitives[0].locks == model.locks == {head}
    for wrong in [["Nobody"], 99999, None, 1.5, True, np.array(3), [[head]], model.nodes[0].name]:
        with pytest.raises(skinscope.Error):
            primitive.locks = wrong
    assert model.locks == {head}
    primitive.locks = []
    assert not model.locks and model.to_bytes() == DATA


def test_locks_of_joints_that_a_primitive_does_not_have_stay():
    builder = Builder()
    document = builder.document
    skin = document["skins"][0]
    # A second mesh, which one joint alone moves.
    document["skins"].append({"joints": skin["joints"][:1]})
    mesh = {"primitives": [{"attributes": {"POSITION": builder.primitive["attributes"]["POSITION"]}}]}
    mesh["primitives"][0]["attributes"]["WEIGHTS_0"] = builder.add(np.eye(4)[np.zeros(V, int)])
    builder.buffer += bytes(4 * V)
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(builder.buffer) - 4 * V, "byteLength": 4 * V})
    view = len(document["bufferViews"]) - 1
    document["accessors"].append({"bufferView": view, "componentType": 5121, "count": V, "type": "VEC4"})
    mesh["primitives"][0]["attributes"]["JOINTS_0"] = len(document["accessors"]) - 1
    document["meshes"].append(mesh)
    document["nodes"].append({"mesh": 1, "skin": 1, "name": "Second"})
    document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
    model = builder.open()
    root, other = skin["joints"][0], skin["joints"][4]
    second = model.primitive(1, 0)
    model.locks = [root, other]
    assert second.locks == {root}
    second.locks = []
    assert model.locks == {other}, "it is no joint of the second mesh"
    with pytest.raises(skinscope.Error, match="no joint of a skin of primitive 1,0"):
        second.locks = [other]
    second.locks = [root]
    assert model.locks == {root, other} and model.primitive(0, 0).locks == {root, other}


def test_a_block_closes_its_model_and_arrays_stay():
    with skinscope.open(FIGURE) as model:
        primitive = model.primitives[0]
        positions, weights = primitive.positions, primitive.weights()
        pose = model.pose(0, 0.2)
    assert positions.shape == (V, 3) and np.array_equal(weights, WEIGHTS)
    assert pose.deform(primitive=primitive).positions.shape == (V, 3), "a pose has what it was taken of"
    for call in [
        lambda: primitive.positions,
        lambda: primitive.set_weights(WEIGHTS),
        lambda: repr(primitive),
        lambda: model.name,
        lambda: model.check(),
        lambda: model.fix(limit=1),
        lambda: model.save("closed.glb"),
        lambda: model.save(in_place=True),
        lambda: model.copy(),
        lambda: model.to_bytes(),
    ]:
        with pytest.raises(skinscope.Error, match="figure.glb: this model is closed"):
            call()
    model.close()
    assert "closed" in repr(model)


def test_folders_of_a_closed_model_are_removed(split):
    with skinscope.open(split) as model:
        model.fix(limit=2)
        folder = split.parent.__class__(model._content.file).parent
        assert folder.is_dir()
    assert not folder.exists()


def test_memory_that_is_bytes_opens_whatever_object_has_it():
    with FIGURE.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        model = skinscope.open(mapped)
    for source in [np.frombuffer(DATA, np.uint8), memoryview(bytearray(DATA) * 2)[: len(DATA)]]:
        assert skinscope.open(source).to_bytes() == model.to_bytes() == DATA


def test_objects_are_written_out_in_a_line(figure):
    findings = figure.check(limit=1)
    for thing, parts in [
        (figure, ["Model", "figure.glb", "1 skin", "39 joints", "1 primitive", "587 vertices", "1 clip"]),
        (figure.primitives[0], ["Primitive 0,0", "587 vertices", "1056 triangles", "39 joints of skin 0"]),
        (figure.skins[0], ["Skin 0", "39 joints", figure.skins[0].joint_names[0]]),
        (figure.nodes[1], ["Node 1", figure.nodes[1].name]),
        (figure.clips[0], ["Clip", "Walk"]),
        (figure.pose(0, 0.25), ["Pose", "figure.glb", "0.25"]),
        (findings[0], [findings[0].rule, findings[0].severity, findings[0].message]),
    ]:
        text = repr(thing)
        assert all(part in text for part in parts), text
        assert "array" not in text and "\n" not in text
    lines = repr(findings).splitlines()
    assert lines[0].startswith("<Findings: ") and len(lines) == 1 + len(findings)
    assert repr(skinscope.open(FIGURE).check(rules="weights-zero")) == "<Findings: none>"
