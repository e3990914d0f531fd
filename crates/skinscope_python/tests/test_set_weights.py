"""Weights that are given: what is refused changes nothing, and what is taken is stored."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import skinscope
from conftest import FIXTURES, glb_of, parts_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numbers

DATA = (FIXTURES / "figure.glb").read_bytes()
MODEL = skinscope.open(DATA)
WEIGHTS = MODEL.primitives[0].weights()
V, J = WEIGHTS.shape
# It stores weights in 16 bits: what is rounded so that a row sums to 1 is off by one step more.
STEP = 2 / 65535
QUICK = settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def refused(weights, match="", **options):
    """Asks that weights are refused, and that nothing has changed."""
    with pytest.raises(skinscope.Error, match=match):
        MODEL.set_weights(0, 0, weights, **options)
    assert MODEL.to_bytes() == DATA


def random_rows(generator: np.random.Generator, rows: int, most: int = 4) -> np.ndarray:
    out = np.zeros((rows, J))
    for row in out:
        columns = generator.choice(J, generator.integers(1, most + 1), replace=False)
        row[columns] = generator.random(len(columns)) + 0.05
    return out / out.sum(axis=1, keepdims=True)


def test_the_weights_that_it_has_change_no_byte():
    for weights in [WEIGHTS, MODEL.primitives[0].weights("csr"), WEIGHTS.astype(">f8"), np.asfortranarray(WEIGHTS)]:
        model = skinscope.open(DATA)
        assert model.set_weights(0, 0, weights)["changed"]["vertices"] == 0
        assert model.to_bytes() == DATA


@pytest.mark.parametrize("form", ["dense", "csr", "scipy", "coo", "big endian", "fortran", "strided", "float16"])
def test_new_weights_are_stored_whatever_their_form(form):
    wanted = random_rows(np.random.default_rng(7), V)
    wanted = wanted.astype(np.float16).astype(np.float64) if form == "float16" else wanted
    matrix = scipy.sparse.csr_array(wanted)
    given_as = {
        "dense": wanted,
        "csr": (matrix.indptr, matrix.indices, matrix.data),
        "scipy": matrix,
        "coo": scipy.sparse.coo_array(wanted),
        "big endian": wanted.astype(">f4"),
        "fortran": np.asfortranarray(wanted),
        "strided": np.repeat(wanted, 2, axis=1)[:, ::2],
        "float16": wanted.astype(np.float16),
    }[form]
    model = skinscope.open(DATA)
    model.set_weights(0, 0, given_as, normalise=form == "float16")
    expected = wanted / wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.primitives[0].weights(), expected, atol=3e-3 if form == "float16" else STEP)
    again = skinscope.open(model.to_bytes())
    np.testing.assert_array_equal(again.primitives[0].weights(), model.primitives[0].weights())


def test_only_the_rows_that_are_named_change():
    vertices = np.array([500, 3, 12])
    rows = random_rows(np.random.default_rng(3), 3)
    model = skinscope.open(DATA)
    assert model.set_weights(0, 0, rows, vertices=vertices)["changed"]["vertices"] == 3
    after = model.primitives[0].weights()
    np.testing.assert_allclose(after[vertices], rows, atol=STEP)
    others = np.setdiff1d(np.arange(V), vertices)
    np.testing.assert_array_equal(after[others], WEIGHTS[others])


@pytest.mark.parametrize("form", ["array", "list"])
def test_a_mask_names_the_vertices_that_it_is_true_for(form):
    mask = np.zeros(V, bool)
    mask[[500, 3, 12]] = True
    rows = random_rows(np.random.default_rng(4), 3)
    model = skinscope.open(DATA)
    given_as = mask.tolist() if form == "list" else mask
    assert model.set_weights(0, 0, rows, vertices=given_as)["changed"]["vertices"] == 3
    after = model.primitives[0].weights()
    np.testing.assert_allclose(after[mask], rows, atol=STEP)
    np.testing.assert_array_equal(after[~mask], WEIGHTS[~mask])
    nobody = model.set_weights(0, 0, rows[:0], vertices=np.zeros(V, bool))
    assert nobody["changed"]["vertices"] == 0


def test_a_mask_of_another_length_says_both():
    rows = random_rows(np.random.default_rng(4), 2)
    for length in [0, 2, V - 1, V + 1]:
        mask = np.arange(length) < 2
        refused(rows, f"{length} values.*{V} vertices", vertices=mask)
    refused(rows, "dimension", vertices=np.ones((1, V), bool))
    refused(rows, "dimension", vertices=np.True_)
    refused(rows, "masked", vertices=np.ma.masked_array(np.ones(V, bool), np.arange(V) == 3))
    mask = np.zeros(V, bool)
    mask[7] = True
    refused(rows, "2 rows of weights for 1", vertices=mask)


def test_more_joints_than_the_file_has_room_for_get_room():
    rows = random_rows(np.random.default_rng(5), V, most=7)
    model = skinscope.open(DATA)
    model.set_weights(0, 0, rows)
    np.testing.assert_allclose(model.primitives[0].weights(), rows, atol=STEP)
    assert np.diff(model.primitives[0].weights("csr")[0]).max() > 4


def test_an_edited_model_has_nothing_else_changed():
    model = skinscope.open(DATA)
    positions, weights = model.primitives[0].positions, model.primitives[0].weights()
    kept = positions.copy()
    model.set_weights(0, 0, random_rows(np.random.default_rng(1), V))
    np.testing.assert_array_equal(weights, WEIGHTS, "what was taken before stays")
    np.testing.assert_array_equal(positions, kept)
    np.testing.assert_array_equal(model.primitives[0].positions, positions)
    document, old = parts_of(model.to_bytes())[0], parts_of(DATA)[0]
    for part in ["nodes", "skins", "animations", "materials"]:
        assert document.get(part) == old.get(part)


def test_locked_joints_keep_their_weights():
    model = skinscope.open(DATA)
    column = int(np.argmax((WEIGHTS > 0).sum(axis=0)))
    joint = model.skins[0].joints[column]
    model.locks = [joint]
    assert model.locks == {joint}
    vertex = int(np.argmax((WEIGHTS[:, column] > 0.1) & (WEIGHTS[:, column] < 0.9)))
    row = np.zeros((1, J))
    row[0, (column + 1) % J] = 1.0
    with pytest.raises(skinscope.Error, match="locked"):
        model.set_weights(0, 0, row, vertices=[vertex])
    assert model.to_bytes() == DATA
    row[0] = 0
    row[0, column] = WEIGHTS[vertex, column]
    row[0, (column + 1) % J] = 1 - WEIGHTS[vertex, column]
    model.set_weights(0, 0, row, vertices=[vertex])
    np.testing.assert_allclose(model.primitives[0].weights()[vertex], row[0], atol=STEP)
    model.fix(limit=1)
    assert (model.primitives[0].weights()[:, column] == pytest.approx(WEIGHTS[:, column], abs=STEP))
    for wrong in [["Nobody"], [99999], ["Armature"]]:
        with pytest.raises(skinscope.Error):
            model.locks = wrong


def test_each_kind_of_wrong_weights_is_named():
    def row(**columns):
        out = np.zeros((1, J))
        for column, weight in columns.items():
            out[0, int(column[1:])] = weight
        return out

    one = {"vertices": [5]}
    refused(WEIGHTS[:-1], "rows of weights")
    refused(WEIGHTS[:, :-1], "column for each")
    refused(WEIGHTS[0], "dimensions")
    refused("weights", "numbers|dimensions")
    refused(WEIGHTS.astype(complex), "numbers")
    refused(WEIGHTS.astype(object), "numbers")
    refused(WEIGHTS > 0, "numbers")
    refused(None, "numbers")
    refused((1, 2), "dimensions")
    refused((1, 2, 3, 4), "4 parts")
    refused(row(_0=np.nan), "vertex 5.*finite", **one)
    refused(row(_0=np.inf), "vertex 5.*finite", **one)
    refused(row(_0=1.5, _1=-0.5), "vertex 5.*below 0", **one)
    refused(row(), "vertex 5.*no weight", **one)
    refused(row(_0=0.5), "vertex 5.*sum to 0.5", **one)
    refused(row(), "vertex 5.*no weight", normalise=True, **one)
    refused(([0, 1], [J], [1.0]), f"vertex 5: joint {J} is none", **one)
    refused(([0, 1], [-1], [1.0]), "joint -1", **one)
    refused(([0, 1], [2**62], [1.0]), "is none", **one)
    refused(([0, 1], np.array([2**63], np.uint64), [1.0]), "no number", **one)
    refused(([0, 2], [3, 3], [0.5, 0.5]), "joint 3 is there twice", **one)
    refused(([0, 2], [3], [1.0]), "indptr", **one)
    refused(([1, 1], [3], [1.0]), "indptr", **one)
    refused(([0, 1], [3, 4], [1.0]), "2 joints for 1", **one)
    refused(([0, 1], [3.5], [1.0]), "whole numbers", **one)
    refused(row(_0=1), "no vertex", vertices=[V])
    refused(row(_0=1), "no vertex", vertices=[-1])
    refused(np.vstack([row(_0=1)] * 2), "named twice", vertices=[4, 4])
    refused(WEIGHTS, "skin 9", skin=9)
    for mesh, primitive in [(1, 0), (0, 1)]:
        with pytest.raises(skinscope.Error, match="no primitive"):
            MODEL.set_weights(mesh, primitive, WEIGHTS)


@QUICK
@given(
    numbers.arrays(
        st.sampled_from([np.float32, np.float64, np.int32, np.uint8, ">f8", np.complex64, np.bool_]),
        st.tuples(st.integers(0, 3), st.integers(0, J + 1)) | st.tuples(st.integers(0, 4)),
    ),
    st.booleans(),
)
def test_no_array_does_harm(array, normalise):
    model = skinscope.open(DATA)
    vertices = list(range(array.shape[0]))
    try:
        model.set_weights(0, 0, array, vertices=vertices, normalise=normalise)
    except skinscope.Error:
        assert model.to_bytes() == DATA
    else:
        sums = model.primitives[0].weights().sum(axis=1)
        assert np.allclose(sums, 1, atol=1e-3)


@QUICK
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 8), max_size=6),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1, J), max_size=6),
    st.lists(st.floats(width=64) | st.floats(-0.5, 1.5), max_size=6),
    st.lists(st.integers(-2, V), max_size=4),
)
def test_no_rows_of_pairs_do_harm(indptr, indices, data, vertices):
    model = skinscope.open(DATA)
    arrays = (np.array(indptr, np.int64), np.array(indices, np.int64), np.array(data, np.float64))
    try:
        model.set_weights(0, 0, arrays, vertices=np.array(vertices, np.int64))
    except skinscope.Error:
        assert model.to_bytes() == DATA
    else:
        assert np.allclose(model.primitives[0].weights().sum(axis=1), 1, atol=1e-3)


@QUICK
@given(
    numbers.arrays(np.bool_, st.one_of(st.integers(0, V + 2), st.just(V), st.tuples(st.integers(0, 2), st.just(V)))),
    st.integers(0, 4),
)
def test_no_mask_does_harm(mask, count):
    model = skinscope.open(DATA)
    rows = random_rows(np.random.default_rng(9), count)
    try:
        model.set_weights(0, 0, rows, vertices=mask)
    except skinscope.Error:
        assert model.to_bytes() == DATA
    else:
        assert mask.shape == (V,) and mask.sum() == count


@QUICK
@given(
    numbers.arrays(
        st.sampled_from([np.int64, np.int32, np.uint8, ">i4", np.uint64, np.float32, np.bool_]),
        st.tuples(st.integers(0, 3), st.integers(0, 4)) | st.tuples(st.integers(0, 3)),
    ),
    numbers.arrays(
        st.sampled_from([np.float32, np.float64, np.float16, np.int32, np.complex64]),
        st.tuples(st.integers(0, 3), st.integers(0, 4)) | st.tuples(st.integers(0, 3)),
    ),
    st.booleans(),
)
def test_no_pairs_do_harm(joints, weights, normalise):
    model = skinscope.open(DATA)
    vertices = list(range(len(weights)))
    try:
        model.primitives[0].set_weights((joints, weights), vertices=vertices, normalise=normalise)
    except skinscope.Error:
        assert model.to_bytes() == DATA
    else:
        assert np.allclose(model.primitives[0].weights().sum(axis=1), 1, atol=1e-3)


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 8))
def test_whatever_is_right_is_taken(seed, count, most):
    generator = np.random.default_rng(seed)
    vertices = generator.choice(V, count, replace=False)
    rows = random_rows(generator, count, most)
    model = skinscope.open(DATA)
    model.set_weights(0, 0, rows, vertices=vertices)
    np.testing.assert_allclose(model.primitives[0].weights()[vertices], rows, atol=STEP)


def test_weights_of_integers_are_rounded_to_their_steps():
    model = skinscope.open(FIXTURES / "figure_quantized.glb")
    primitive = model.primitives[0]
    own = primitive.weights()
    rows = random_rows(np.random.default_rng(2), len(own))
    model.set_weights(0, 0, rows)
    after = model.primitives[0].weights()
    np.testing.assert_allclose(after, rows, atol=4 / 255)
    np.testing.assert_allclose(after.sum(axis=1), 1, atol=1e-6)


def test_a_primitive_without_skin_or_weights_says_so():
    document, buffer = parts_of(DATA)
    del document["nodes"][1]["skin"]
    if document["nodes"][1].get("mesh") is None:
        pytest.fail("the fixture has another order of nodes")
    model = skinscope.open(glb_of(document, buffer))
    with pytest.raises(skinscope.Error, match="no skin"):
        model.set_weights(0, 0, WEIGHTS)
    with pytest.raises(skinscope.Error, match="no skin"):
        model.primitives[0].weights()
