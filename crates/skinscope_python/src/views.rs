//! Lists of numbers as arrays: views of what a model has, and new ones.

#![expect(unsafe_code, reason = "an array that views memory of another object can be made in no other way")]

use bytemuck::NoUninit;
use glam::{DAffine3, Vec3};
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// Returns a read-only view of a list, which `owner` keeps alive and never changes.
pub(crate) fn view<'py, T: Element>(list: &[T], owner: &Bound<'py, PyAny>) -> Bound<'py, PyArray1<T>> {
    // SAFETY: `owner` is a frozen object that holds the list, and the array holds `owner`. Nothing writes into it: the array is read-only
    // from here on, and numpy makes no array writeable whose memory belongs to an object that has no buffer to write into.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(list), owner.clone()) };
    array.readwrite().make_nonwriteable();
    array
}

/// Returns a read-only view of a list of vectors, (n, c) for those of c numbers; the same holds.
pub(crate) fn view_rows<'py, T: NoUninit>(
    list: &[T],
    owner: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let numbers: &[f32] = bytemuck::cast_slice(list);
    let rows = ArrayView2::from_shape((list.len(), size_of::<T>() / size_of::<f32>()), numbers);
    let rows = rows.map_err(|error| crate::running::refused(error.to_string()))?;
    // SAFETY: as for `view`.
    let array = unsafe { PyArray2::borrow_from_array(&rows, owner.clone()) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// Returns vectors as a new array, (n, 3).
pub(crate) fn rows(py: Python<'_>, list: Vec<Vec3>) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let count = list.len();
    let numbers: Vec<f32> = bytemuck::cast_vec(list);
    numbers.into_pyarray(py).reshape([count, 3])
}

/// Returns matrices as a new array, (n, 4, 4): rows of each, for column vectors.
pub(crate) fn matrices<'py>(
    py: Python<'py>,
    all: impl Iterator<Item = DAffine3>,
) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let mut numbers: Vec<f32> = Vec::new();
    for matrix in all {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.translation].map(|axis| axis.to_array());
        for row in 0..3 {
            numbers.extend(columns.iter().map(|column| column[row] as f32));
        }
        numbers.extend([0.0, 0.0, 0.0, 1.0]);
    }
    let count = numbers.len() / 16;
    numbers.into_pyarray(py).reshape([count, 4, 4])
}
