//! The devices of a process, each opened once, and what a fork means for them.

use crate::cli::devices::object;
use crate::cli::machine::GpuArg;
use crate::{Error, Result};
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, Validation};
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Which device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its index, UUID or a part of its name; the best one without.
    pub gpu: Option<String>,
    /// Whether flocks on it share their state with other APIs.
    pub shared: bool,
}

/// The device at each place.
static DEVICES: Mutex<Vec<(Place, Arc<Device>)>> = Mutex::new(Vec::new());

/// The process that began, and how that went.
static BEGUN: OnceLock<(u32, Result<(), String>)> = OnceLock::new();

fn devices_open() -> MutexGuard<'static, Vec<(Place, Arc<Device>)>> {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins with the first call: starts the threads of host loops. Fails in a process that was forked after that, which
/// has neither these threads nor those of a driver.
pub fn here() -> Result<()> {
    let begin = || (std::process::id(), starlings::threads::start().map_err(|error| error.to_string()));
    match BEGUN.get_or_init(begin) {
        (process, _) if *process != std::process::id() => Err(starlings::Error::NoDevice(
            "this process was forked after starlings was used, and has no threads; start processes by 'spawn', as \
             multiprocessing.set_start_method('spawn') does"
                .into(),
        )
        .into()),
        (_, Err(reason)) => Err(starlings::Error::Threads(reason.clone()).into()),
        _ => Ok(()),
    }
}

/// What only the process that made it drops: after a fork, the other has no threads that it could wait for.
pub struct Here<T>(Option<T>);

impl<T> Here<T> {
    pub fn new(value: T) -> Self {
        Here(Some(value))
    }
}

impl<T> Deref for Here<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl<T> DerefMut for Here<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is there until it is dropped")
    }
}

impl<T> Drop for Here<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        if here().is_err() {
            mem::forget(value);
        }
    }
}

/// The device at `place`.
pub fn device(place: &Place) -> Result<Arc<Device>> {
    here()?;
    let mut open = devices_open();
    if let Some((_, device)) = open.iter().find(|(other, _)| other == place) {
        return Ok(device.clone());
    }
    let options = DeviceOptions { share: place.shared, ..DeviceOptions::default() };
    let device = GpuArg { gpu: place.gpu.clone() }.open(Validation::Off, false, options)?;
    open.push((place.clone(), device.clone()));
    Ok(device)
}

/// The same result. After a lost device, the next flock opens it anew.
pub fn noted<T>(result: Result<T, impl Into<Error>>) -> Result<T> {
    let result = result.map_err(Into::into);
    if result.as_ref().is_err_and(Error::is_device_lost) {
        devices_open().clear();
    }
    result
}

/// Closes the devices that no flock uses any more, and writes their caches of pipelines. To be called at the end.
pub fn close() {
    if BEGUN.get().is_none() {
        return;
    }
    let open = mem::take(&mut *devices_open());
    if here().is_err() {
        mem::forget(open);
    }
}

/// The devices of this machine as JSON, like `starlings devices --json`.
pub fn devices() -> Result<String> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let list: Vec<_> = instance.devices()?.iter().map(|device| object(device, instance.instead())).collect();
    Ok(serde_json::Value::from(list).to_string())
}
