"""Deformed surfaces beside the references of the corpus, which other implementations have made."""

from __future__ import annotations

import json

import numpy as np
import skinscope

# This one stores rotations rounded to three digits.
ROUNDED = "SimpleSkin"


def test_deformed_surfaces_are_those_of_the_references(corpus):
    index = json.loads((corpus / "reference" / "index.json").read_text())
    assert len(index) > 50
    models, normals_compared = {}, 0
    for entry in index:
        head = json.loads((corpus / "reference" / f"{entry['reference']}.json").read_text())
        numbers = np.fromfile(corpus / "reference" / f"{entry['reference']}.f32", "<f4")
        model = models.setdefault(entry["model"], skinscope.open(corpus / entry["model"]))
        clip = None if entry["clip"] < 0 else entry["clip"]
        positions, normals = model.deform("linear", clip=clip, seconds=entry["time"])
        diagonal = np.linalg.norm(np.subtract(*head["bbox"]))
        tolerance = diagonal * (1e-3 if ROUNDED in entry["model"] else 1e-5)
        expected = np.concatenate([_vectors(numbers, one, "positionOffset") for one in head["primitives"]])
        assert positions.dtype == np.float32 and positions.shape == expected.shape, entry
        assert np.abs(positions - expected).max() <= tolerance, entry
        at = 0
        for one in head["primitives"]:
            own = normals[at : at + one["vertexCount"]]
            at += one["vertexCount"]
            if "normalOffset" in one:
                assert np.abs(own - _vectors(numbers, one, "normalOffset")).max() <= 2e-3, entry
                normals_compared += 1
    assert normals_compared > 30


def _vectors(numbers, primitive, offset):
    start = primitive[offset]
    return numbers[start : start + 3 * primitive["vertexCount"]].reshape(-1, 3)


def test_linear_blending_of_the_arrays_is_what_the_library_computes(corpus):
    compared = 0
    for path in sorted((corpus / "models").glob("*.glb")):
        model = skinscope.open(path)
        if not model.clips or any(node.mesh is not None and node.skin is None for node in model.nodes):
            continue
        pose = model.pose(0, model.clips[0].end / 2)
        for primitive in model.primitives:
            if len(primitive.skins) != 1 or any(primitive.offset):
                continue
            palette = pose.palette(primitive.skins[0])
            points = np.c_[primitive.positions, np.ones(primitive.vertex_count)]
            moved = np.einsum("jab,vb->vja", palette[:, :3], points)
            by_hand = np.einsum("vj,vja->va", primitive.weights(), moved)
            own, _ = pose.deform("linear", primitive=primitive)
            size = np.ptp(own, axis=0).max()
            if np.abs(by_hand - own).max() > 1e-5 * size:
                # Morph targets act before the skin.
                assert "morph_targets" in str(model.info()["meshes"][primitive.mesh]), path
                continue
            compared += 1
    assert compared >= 3


def test_every_method_deforms_and_the_pass_after_it_changes_the_surface(figure):
    rest, _ = figure.deform("linear")
    linear, normals = figure.deform("linear", clip="Walk", seconds=0.3)
    assert np.abs(linear - rest).max() > 0.01
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-3)
    assert len(skinscope.methods) > 3 and skinscope.methods[0] == "linear"
    for method in skinscope.methods:
        surface = figure.deform(method, clip=0, seconds=0.3, primitive=(0, 0))
        assert surface.positions.shape == linear.shape and np.isfinite(surface.positions).all(), method
        assert surface.normals.shape == linear.shape
    mushed = figure.deform("linear", clip=0, seconds=0.3, mush=(10, 0.5))
    assert np.abs(mushed.positions - linear).max() > 1e-4
