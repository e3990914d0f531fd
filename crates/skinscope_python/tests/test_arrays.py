"""Positions, indices and weights as arrays, beside what other libraries read."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.sparse
import skinscope
import trimesh
from conftest import FIXTURES


def test_positions_and_triangles_are_those_that_trimesh_reads(corpus):
    compared = 0
    names = ["figure.glb", *sorted(path.name for path in (corpus / "models").glob("*.glb"))]
    for name in names:
        path = FIXTURES / name if name == "figure.glb" else corpus / "models" / name
        model = skinscope.open(path)
        if {"KHR_draco_mesh_compression", "EXT_meshopt_compression"} & set(model.info()["extensions"]["used"]):
            # It has no decoders.
            continue
        try:
            scene = trimesh.load(path, process=False, force="scene")
        except Exception:
            # It does not read every topology.
            continue
        others = [np.asarray(mesh.vertices) for mesh in scene.geometry.values() if hasattr(mesh, "faces")]
        for primitive in model.primitives:
            if primitive.topology != "triangles" or any(primitive.offset):
                continue
            own = primitive.positions
            same = [other for other in others if other.shape == own.shape and np.allclose(other, own, atol=1e-6)]
            assert same, f"{name}: no mesh of trimesh has the positions of {primitive!r}"
            compared += 1
    assert compared >= 10


def test_arrays_of_a_primitive_are_read_only_views_that_keep_the_model(figure):
    primitive = figure.primitives[0]
    count = primitive.vertex_count
    for array, shape, dtype in [
        (primitive.positions, (count, 3), np.float32),
        (primitive.normals, (count, 3), np.float32),
        (primitive.indices, (1056 * 3,), np.uint32),
        (primitive.triangles, (1056, 3), np.uint32),
    ]:
        assert (array.shape, array.dtype) == (shape, dtype)
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[0] = 0
        with pytest.raises(ValueError):
            array.flags.writeable = True
    first, second = primitive.positions, primitive.positions
    assert first.__array_interface__["data"] == second.__array_interface__["data"], "nothing is copied"
    kept = first.copy()
    del figure, primitive, second
    gc.collect()
    np.testing.assert_array_equal(first, kept)
    assert (primitive_indices := skinscope.open(FIXTURES / "figure.glb").primitives[0].indices).max() < count
    assert primitive_indices.min() == 0


def test_dense_weights_and_rows_of_pairs_are_one_matrix(corpus):
    models = [FIXTURES / "figure.glb", *sorted((corpus / "models").glob("*.glb"))]
    for path in models:
        for primitive in skinscope.open(path).primitives:
            for skin in primitive.skins:
                dense = primitive.weights(skin=skin)
                indptr, indices, data = primitive.weights("csr", skin=skin)
                assert (indptr.dtype, indices.dtype, data.dtype) == (np.int64, np.int32, np.float32)
                matrix = scipy.sparse.csr_array((data, indices, indptr), shape=dense.shape)
                assert matrix.has_sorted_indices and matrix.has_canonical_format
                assert np.count_nonzero(data) == len(data)
                np.testing.assert_array_equal(matrix.toarray(), dense)


def test_weights_are_the_numbers_of_the_file(figure):
    from conftest import parts_of

    document, buffer = parts_of((FIXTURES / "figure.glb").read_bytes())
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    types = {5121: ("<u1", 255), 5123: ("<u2", 65535), 5126: ("<f4", 1)}

    def stored(name):
        accessor = document["accessors"][attributes[name]]
        view = document["bufferViews"][accessor["bufferView"]]
        kind, one = types[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        item = np.dtype(kind).itemsize * 4
        stride = view.get("byteStride", item)
        rows = [np.frombuffer(buffer, kind, 4, start + stride * i) for i in range(accessor["count"])]
        return np.array(rows), one

    joints, _ = stored("JOINTS_0")
    numbers, one = stored("WEIGHTS_0")
    expected = np.zeros((len(joints), 39))
    for vertex, (own, weights) in enumerate(zip(joints, numbers, strict=True)):
        np.add.at(expected[vertex], own, weights / one)
    np.testing.assert_allclose(figure.primitives[0].weights(), expected, atol=1e-7)


def test_what_is_asked_of_a_primitive_that_it_does_not_have_is_an_error(figure):
    primitive = figure.primitives[0]
    with pytest.raises(skinscope.Error, match="dense or csr"):
        primitive.weights("coo")
    with pytest.raises(skinscope.Error, match="skin 7"):
        primitive.weights(skin=7)
    for mesh, index in [(1, 0), (0, 1), (-1, 0), (0, -1)]:
        with pytest.raises(skinscope.Error, match="no primitive"):
            figure.primitive(mesh, index)
    with pytest.raises(skinscope.Error, match="no skin 1"):
        figure.pose().palette(1)


def test_a_mesh_that_two_skins_show_has_weights_for_each(corpus):
    path = corpus.parent / "cases" / "06-one-mesh-two-skins"
    files = sorted(path.glob("*.gl*")) if path.is_dir() else []
    if not files:
        pytest.skip("the case is missing")
    model = skinscope.open(files[0])
    both = [primitive for primitive in model.primitives if len(primitive.skins) > 1]
    for primitive in both:
        sums = [primitive.weights(skin=skin).sum() for skin in primitive.skins]
        assert np.allclose(sums, sums[0])
