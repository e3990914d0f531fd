"""Weights that are given as arrays: their form. Their numbers are checked by the library, row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._error import Error


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


def _whole(values: Any, what: str) -> npt.NDArray[np.int64]:
    """Returns whole numbers that fit into 64 bits."""
    array = _numbers(values, what, 1)
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
    """Returns dense weights of ``count`` rows, ``(indptr, indices, data)``, or a matrix of scipy as rows of pairs."""
    if isinstance(weights, tuple):
        if len(weights) != 3:
            raise Error(f"weights are (V, J), or (indptr, indices, data); this tuple has {len(weights)} parts")
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


def vertices_of(vertices: Any) -> npt.NDArray[np.int64] | None:
    """Returns the vertices that rows are for."""
    return None if vertices is None else _whole(vertices, "vertices")
