//! Vectors as numpy arrays.

use glam::Vec3;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The vectors as float32 (N, 3). They are not copied.
pub fn to_array(py: Python<'_>, vectors: Vec<Vec3>) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let count = vectors.len();
    PyArray1::from_vec(py, bytemuck::cast_vec::<Vec3, f32>(vectors)).reshape([count, 3])
}

/// The vectors of float32 (N, 3) in C order.
pub fn from_array(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Vec3>> {
    match array.as_slice() {
        Ok(numbers) if numbers.len() % 3 == 0 => Ok(bytemuck::cast_slice::<f32, Vec3>(numbers).to_vec()),
        _ => Err(PyValueError::new_err("an array of shape (N, 3) in C order is wanted")),
    }
}
