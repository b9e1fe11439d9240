//! The flock that the class `Flock` of the package wraps. While it works, Python's lock is released.

use super::arrays::{from_array, to_array};
use super::raised;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use starlings_cli::scripted::{Film, Flags, ScriptedFlock, Shown};
use starlings_cli::{Error, Result};
use std::os::fd::IntoRawFd;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A flock. Names of settings have hyphens here.
#[pyclass(frozen)]
pub struct Core {
    // Locked only while Python's lock is released: a thread that waits for this one does not hold the other.
    flock: Mutex<ScriptedFlock>,
}

/// Asks Python whether a signal has come, and keeps what its handler raised.
#[derive(Default)]
struct Signals(Option<PyErr>);

impl Signals {
    fn go_on(&mut self) -> bool {
        self.0 = Python::attach(|py| py.check_signals()).err();
        self.0.is_none()
    }

    /// The result; that of a signal where it has ended the work.
    fn result<T>(self, result: Result<T>) -> PyResult<T> {
        match (result, self.0) {
            (Err(Error::Interrupted), Some(raised)) => Err(raised),
            (result, _) => result.map_err(raised),
        }
    }
}

impl Core {
    fn lock(&self) -> MutexGuard<'_, ScriptedFlock> {
        self.flock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `work` makes of the flock, without Python's lock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut ScriptedFlock) -> Result<T> + Send) -> PyResult<T> {
        py.detach(|| work(&mut self.lock())).map_err(raised)
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(py: Python<'_>, flags: Flags) -> PyResult<Core> {
        let mut signals = Signals::default();
        let flock = py.detach(|| ScriptedFlock::open(&flags, &mut || signals.go_on()));
        Ok(Core { flock: Mutex::new(signals.result(flock)?) })
    }

    fn advance(&self, py: Python<'_>, steps: u32) -> PyResult<()> {
        let mut signals = Signals::default();
        let went = py.detach(|| self.lock().advance(steps, &mut || signals.go_on()));
        signals.result(went)
    }

    /// Steps taken, boids, and what steps them.
    fn state(&self, py: Python<'_>) -> PyResult<(u32, u32, String)> {
        self.with(py, |flock| Ok((flock.step(), flock.settings().boids, flock.place())))
    }

    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        to_array(py, self.with(py, |flock| flock.positions())?)
    }

    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        to_array(py, self.with(py, |flock| flock.velocities())?)
    }

    #[pyo3(signature = (positions, velocities))]
    fn set_state(
        &self,
        py: Python<'_>,
        positions: Option<PyReadonlyArray2<'_, f32>>,
        velocities: Option<PyReadonlyArray2<'_, f32>>,
    ) -> PyResult<()> {
        let positions = positions.as_ref().map(from_array).transpose()?;
        let velocities = velocities.as_ref().map(from_array).transpose()?;
        self.with(py, |flock| flock.set_state(positions, velocities))
    }

    fn order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let order = self.with(py, ScriptedFlock::order)?;
        let numbers = PyDict::new(py);
        numbers.set_item("step", order.step)?;
        numbers.set_item("polarization", order.polarization)?;
        numbers.set_item("milling", order.milling)?;
        numbers.set_item("center", order.center)?;
        numbers.set_item("nearest", order.nearest)?;
        numbers.set_item("neighbors", order.neighbors)?;
        numbers.set_item("most_neighbors", order.most_neighbors)?;
        numbers.set_item("alone", order.alone)?;
        numbers.set_item("non_finite", order.non_finite)?;
        numbers.set_item("speed", order.speed)?;
        numbers.set_item("least_speed", order.least_speed)?;
        numbers.set_item("most_speed", order.most_speed)?;
        Ok(numbers)
    }

    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |flock| flock.hash())
    }

    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        self.with(py, |flock| flock.save(&path, force))
    }

    fn config(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |flock| flock.config())
    }

    /// The device, and a file descriptor and the bytes of the memory of `position_vx`, `velocity_yz` and `boid_id`. The
    /// caller closes the descriptors.
    fn shared(&self, py: Python<'_>) -> PyResult<(String, Vec<(i32, u64)>)> {
        let state = self.with(py, |flock| flock.shared())?;
        let parts = [state.position_vx, state.velocity_yz, state.boid_id];
        Ok((state.uuid, parts.into_iter().map(|(file, bytes)| (file.into_raw_fd(), bytes)).collect()))
    }

    /// The value of a setting as TOML.
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        self.with(py, |flock| flock.get(name))
    }

    fn set(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        self.with(py, |flock| flock.set(name, value))
    }

    fn render<'py>(
        &self,
        py: Python<'py>,
        size: (u32, u32),
        samples: u32,
        near: bool,
        flags: Flags,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let picture = self.with(py, |flock| flock.render(&Shown { size, samples, near, flags }))?;
        let (width, height) = picture.size;
        PyArray1::from_vec(py, picture.rgba).reshape([height as usize, width as usize, 4])
    }

    /// `done` is called with the count of frames after each.
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn film(
        &self,
        py: Python<'_>,
        path: PathBuf,
        frames: u32,
        every: u32,
        force: bool,
        size: (u32, u32),
        samples: u32,
        near: bool,
        flags: Flags,
        done: Option<Py<PyAny>>,
    ) -> PyResult<PathBuf> {
        let mut signals = Signals::default();
        let mut ask = |frame: u32| {
            signals.go_on() && {
                let called = done.as_ref().map(|done| Python::attach(|py| done.call1(py, (frame,))));
                signals.0 = called.and_then(Result::err);
                signals.0.is_none()
            }
        };
        let film = Film { path: &path, frames, every, force };
        let shown = Shown { size, samples, near, flags };
        let went = py.detach(|| self.lock().film(&film, &shown, &mut ask));
        signals.result(went)
    }
}
