//! The Python module `starlings._starlings`, which the package `starlings` in `python/` wraps: a flock, and the
//! program.
//!
//! Unsafe code is that of pyo3's macros only.

mod arrays;
mod flock;

use numpy::{PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use starlings_cli::scripted::{self, Kind, line};
use std::ffi::OsString;
use std::path::PathBuf;

pyo3::create_exception!(starlings, DeviceError, PyRuntimeError, "The machine lacks a Vulkan device, or it has failed.");

/// The Python exception for `error`.
fn raised(error: starlings_cli::Error) -> PyErr {
    let line = line(&error);
    match Kind::of(&error) {
        Kind::Value => PyValueError::new_err(line),
        Kind::Memory => PyMemoryError::new_err(line),
        Kind::Device => DeviceError::new_err(line),
        Kind::File => PyOSError::new_err(line),
        Kind::Interrupted | Kind::Other => PyRuntimeError::new_err(line),
    }
}

/// Runs the program `starlings` on arguments, whose first is its name. Returns its exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| starlings_cli::main_with(arguments))
}

/// Takes the driver in this library where the system has no device that lacks nothing.
#[pyfunction]
fn bundle(library: PathBuf) {
    ::starlings::vk::bundle(library);
}

/// Closes devices that no flock uses.
#[pyfunction]
fn close(py: Python<'_>) {
    py.detach(scripted::close);
}

/// The devices of this machine, as JSON.
#[pyfunction]
fn devices(py: Python<'_>) -> PyResult<String> {
    py.detach(scripted::devices).map_err(raised)
}

/// Every setting: its name with hyphens, what separates numbers in it (empty for one value), its meaning and its unit.
#[pyfunction]
fn settings() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let row = |info: scripted::SettingInfo| {
        (info.name, info.separator.map_or_else(String::new, String::from), info.about, info.unit)
    };
    scripted::settings().map(row).collect()
}

/// Every preset: its name, its count of boids, and what it is.
#[pyfunction]
fn presets() -> Vec<(&'static str, u32, &'static str)> {
    ::starlings::flock::PRESETS.iter().map(|preset| (preset.name, preset.settings().boids, preset.about)).collect()
}

/// The PNG file of a picture: uint8 (height, width, 4), sRGB.
#[pyfunction]
fn png(py: Python<'_>, rgba: PyReadonlyArray3<'_, u8>) -> PyResult<Vec<u8>> {
    let &[height, width, 4] = rgba.shape() else {
        return Err(PyValueError::new_err(format!(
            "a picture has the shape (height, width, 4), not {:?}",
            rgba.shape()
        )));
    };
    let pixels = rgba.as_slice()?.to_vec();
    let encode = move || {
        let mut file = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(::png::ColorType::Rgba);
        encoder.set_depth(::png::BitDepth::Eight);
        encoder.set_compression(::png::Compression::Fast);
        encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&pixels)?;
        writer.finish()?;
        Ok(file)
    };
    py.detach(encode).map_err(|error: ::png::EncodingError| PyValueError::new_err(error.to_string()))
}

#[pymodule]
mod _starlings {
    use super::*;

    #[pymodule_export]
    use super::{DeviceError, bundle, close, devices, flock::Core, main, png, presets, settings};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
