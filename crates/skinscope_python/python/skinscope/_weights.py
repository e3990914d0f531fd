"""Weights that are given as arrays: their form. Their numbers are checked by the library, row by row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._edits import Edit, Report
from ._error import Error, counted


class Rows(NamedTuple):
    """Weights as rows of pairs, in the types that the library takes."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int64]
    data: npt.NDArray[np.float64]


def _numbers(values: Any, what: str, dimensions: int) -> npt.NDArray[Any]:
    """Returns numbers as an array of so many dimensions."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise Error(f"{what}: {error}") from None
    if np.ma.is_masked(values):
        raise Error(f"{what} has masked numbers; `filled` gives them values")
    if array.dtype.kind not in "fiu":
        raise Error(f"{what} has numbers, and not {array.dtype}")
    if array.ndim != dimensions:
        raise Error(f"{what} has {dimensions} dimensions, and not {array.ndim}: {array.shape}")
    return array


def _whole(values: Any, what: str, dimensions: int = 1) -> npt.NDArray[np.int64]:
    """Returns whole numbers that fit into 64 bits."""
    array = _numbers(values, what, dimensions)
    if array.dtype.kind == "f":
        if array.size:
            raise Error(f"{what} has whole numbers, and not {array.dtype}")
        array = array.astype(np.int64)
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise Error(f"{what}: {array.max()} is no number of a row or a column")
    return _plain(array, np.int64)


def _plain(array: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    """Returns a copy, one number after the other: what the caller does with its array later changes nothing, and each number stands where the
    processor wants it, which it may not in an array of a buffer's bytes.
    """
    return np.array(array, dtype=dtype, order="C", copy=True, subok=False)


def _data(values: Any, dimensions: int) -> npt.NDArray[np.float64]:
    return _plain(_numbers(values, "weights", dimensions), np.float64)


def rows_of(weights: Any, count: int, joints: int) -> Rows:
    """Returns dense weights of ``count`` rows, ``(indptr, indices, data)``, ``(joints, weights)``, or a matrix of scipy as rows of pairs."""
    if isinstance(weights, tuple):
        if len(weights) == 2:
            return _of_pairs(*weights, count)
        if len(weights) != 3:
            parts = f"this tuple has {len(weights)} parts"
            raise Error(f"weights are (V, J), (indptr, indices, data), or (joints, weights); {parts}")
        indptr, indices, data = weights
        return _csr(indptr, indices, data)
    if hasattr(weights, "tocsr"):
        _shape(weights.shape, count, joints)
        matrix = weights.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return _csr(matrix.indptr, matrix.indices, matrix.data)
    dense = _numbers(weights, "weights", 2)
    # A wrong shape is refused before anything of that size is made.
    _shape(dense.shape, count, joints)
    # What is not finite is no zero either, so that it is seen.
    at, columns = np.nonzero(dense)
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(dense, axis=1))))
    return Rows(indptr.astype(np.int64), columns.astype(np.int64), _plain(dense[at, columns], np.float64))


def _shape(shape: tuple[int, ...], count: int, joints: int) -> None:
    if len(shape) != 2 or shape[1] != joints:
        raise Error(f"weights have a column for each of the {joints} joints of the skin; their shape is {tuple(shape)}")
    if shape[0] != count:
        raise Error(f"there are {shape[0]} rows of weights for {count} vertices")


def _csr(indptr: Any, indices: Any, data: Any) -> Rows:
    return Rows(_whole(indptr, "indptr"), _whole(indices, "indices"), _data(data, 1))


def _of_pairs(joints: Any, weights: Any, count: int) -> Rows:
    """Returns pairs of joints and weights, both (count, K). Pairs with weight 0 are none, whatever their joint."""
    shapes = _numbers(joints, "joints", 2).shape, _numbers(weights, "weights", 2).shape
    # A wrong shape is refused before anything of that size is made.
    if shapes[0] != shapes[1]:
        raise Error(f"joints and weights have one shape, and not {shapes[0]} and {shapes[1]}")
    if shapes[0][0] != count:
        raise Error(f"there are {shapes[0][0]} rows of weights for {count} vertices")
    columns, data = _whole(joints, "joints", 2), _data(weights, 2)
    # What is not finite is no zero either, so that it is seen.
    used = data != 0
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(used, axis=1))))
    return Rows(indptr.astype(np.int64), columns[used], data[used])


def vertices_of(vertices: Any, count: int) -> npt.NDArray[np.int64] | None:
    """Returns the vertices that rows are for, of ``count`` that there are: their numbers, or a mask that says of each whether it is one."""
    if vertices is None:
        return None
    if getattr(vertices, "dtype", None) == np.bool_ or (isinstance(vertices, (list, tuple)) and _are_bools(vertices)):
        if np.ma.is_masked(vertices):
            raise Error("vertices has masked values; `filled` gives them values")
        mask = np.asarray(vertices)
        if mask.ndim != 1:
            raise Error(f"vertices has 1 dimension, and not {mask.ndim}: {mask.shape}")
        if len(mask) != count:
            has = counted(count, "vertex", "vertices")
            raise Error(f"vertices is a mask of {len(mask)} values, and the primitive has {has}")
        return np.flatnonzero(mask).astype(np.int64)
    return _whole(vertices, "vertices")


def _are_bools(values: list[Any] | tuple[Any, ...]) -> bool:
    return bool(values) and all(isinstance(value, (bool, np.bool_)) for value in values)


def setting(
    at: tuple[int, int, int | None],
    rows: Rows,
    vertices: npt.NDArray[np.int64] | None,
    normalise: bool,
    locks: Sequence[int],
) -> Edit:
    """Returns the edit that gives rows to a primitive: ``at`` is its mesh, its number in it, and the skin whose joints the columns are."""

    def make(content: _native.Content, out: str, saving: bool | None) -> tuple[_native.Content, Report]:
        if saving:
            raise Error("weights that are set are written without hard links")
        done, report = content.set_weights(at, *rows, vertices, normalise, locks, out)
        return done, json.loads(report)

    return make
