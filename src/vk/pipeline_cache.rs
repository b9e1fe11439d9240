//! The pipeline cache on disk.
//!
//! A file has this program's header (magic, format version, driver and device identity, length, checksum) and then the
//! driver's bytes. It is written to a temporary file and renamed, so that a crash leaves the old file or none. It is
//! discarded if the header does not verify, because drivers may crash on invalid data.

use super::physical::DeviceInfo;
use crate::input;
use ash::vk;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: [u8; 8] = *b"STARLPC1";
/// Bytes that are read at most. Drivers store some tens of megabytes.
const MOST_BYTES: u64 = 1 << 28;
/// Files that this process has stored.
static STORED: AtomicU64 = AtomicU64::new(0);
const HEADER: usize = 8 + 16 + 12 + 8 + 8;

pub(super) struct PipelineCache {
    pub raw: vk::PipelineCache,
    path: Option<PathBuf>,
    /// The driver and device that the bytes belong to.
    identity: Vec<u8>,
}

impl PipelineCache {
    /// The cache of this device: the stored one if it verifies, else an empty one. It does not fail: without a cache,
    /// pipelines are only slower to build. Without a `folder` it is empty and is not written to disk.
    pub fn open(device: &ash::Device, info: &DeviceInfo, folder: Option<&Path>) -> Self {
        let core = &info.properties;
        let numbers = [core.vendor_id, core.device_id, core.driver_version].map(u32::to_le_bytes);
        let identity = [&core.pipeline_cache_uuid[..], numbers.as_flattened()].concat();
        let path = folder.map(|folder| folder.join(format!("pipelines-{}.bin", info.uuid)));
        let data = path.as_deref().and_then(|path| load(path, &identity)).unwrap_or_default();
        let create = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the device is alive; the bytes were verified to be this driver's.
        let raw = unsafe { device.create_pipeline_cache(&create, None) }
            .or_else(|_| {
                // SAFETY: as above, without bytes.
                unsafe { device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) }
            })
            // A null cache is allowed in place of a cache.
            .unwrap_or(vk::PipelineCache::null());
        PipelineCache { raw, path, identity }
    }

    /// Stores the driver's bytes and destroys the cache.
    ///
    /// # Safety
    /// `device` is the one it was made from, no pipeline is being made, and this is called once.
    pub unsafe fn save_and_destroy(&mut self, device: &ash::Device) {
        if self.raw == vk::PipelineCache::null() {
            return;
        }
        // SAFETY: the cache belongs to the device and nothing else uses it.
        let data = unsafe { device.get_pipeline_cache_data(self.raw) };
        if let (Ok(data), Some(path)) = (data, &self.path)
            && let Err(error) = store(path, &self.identity, &data)
        {
            tracing::warn!("the pipeline cache {} was not stored: {error}", path.display());
        }
        // SAFETY: made from this device, destroyed once.
        unsafe { device.destroy_pipeline_cache(self.raw, None) };
    }
}

fn load(path: &Path, identity: &[u8]) -> Option<Vec<u8>> {
    let file = input::read(path, MOST_BYTES).inspect_err(|error| tracing::debug!("no pipeline cache: {error}")).ok()?;
    let data = verify(&file, identity);
    if data.is_none() {
        tracing::info!("the pipeline cache {} does not verify and is discarded", path.display());
        let _ = fs::remove_file(path);
    }
    data.map(<[u8]>::to_vec)
}

fn header(identity: &[u8], data: &[u8]) -> Vec<u8> {
    [&MAGIC[..], identity, &(data.len() as u64).to_le_bytes(), &checksum(data).to_le_bytes()].concat()
}

/// The driver's bytes in `file`, if the header verifies.
fn verify<'a>(file: &'a [u8], identity: &[u8]) -> Option<&'a [u8]> {
    let (head, data) = file.split_at_checked(HEADER)?;
    (head == header(identity, data)).then_some(data)
}

fn store(path: &Path, identity: &[u8], data: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    if path.exists() && !path.is_file() {
        return Err(std::io::Error::other("something that is not a regular file is in its place"));
    }
    fs::create_dir_all(folder)?;
    // No other process or thread has this name.
    let number = STORED.fetch_add(1, Ordering::Relaxed);
    let unfinished = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    let written = fs::write(&unfinished, [&header(identity, data), data].concat());
    let stored = written.and_then(|()| fs::rename(&unfinished, path));
    if stored.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    stored
}

/// FNV-1a, 64 bits: detects partially written and truncated files, not against an attacker.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const OURS: &[u8] = &[7; 28];

    proptest! {
        /// So many changes as `PROPTEST_CASES` says.
        #[test]
        fn a_changed_cache_does_not_verify(at in 0..=70usize, old in 0..=70usize, new in vec(any::<u8>(), 0..=70)) {
            let good = [&header(OURS, b"driver bytes"), &b"driver bytes"[..]].concat();
            let mut bytes = good.clone();
            let from = at.min(good.len());
            bytes.splice(from..(from + old).min(good.len()), new);
            prop_assert_eq!(verify(&bytes, OURS).is_some(), bytes == good);
        }
    }

    #[test]
    fn a_stored_cache_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper").join("cache.bin");
        store(&path, OURS, b"driver bytes").unwrap();
        assert_eq!(load(&path, OURS).as_deref(), Some(&b"driver bytes"[..]));
    }

    #[test]
    fn anything_that_does_not_verify_is_dropped_and_removed() {
        let good = [&header(OURS, b"driver bytes"), &b"driver bytes"[..]].concat();
        let flipped: Vec<Vec<u8>> = (0..good.len())
            .map(|at| {
                let mut bad = good.clone();
                bad[at] ^= 1;
                bad
            })
            .collect();
        let truncated: Vec<Vec<u8>> = (0..good.len()).map(|at| good[..at].to_vec()).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.bin");
        for bad in flipped.iter().chain(&truncated) {
            fs::write(&path, bad).unwrap();
            assert_eq!(load(&path, OURS), None);
            assert!(!path.exists());
        }
        let foreign = [&OURS[..27], &[8]].concat();
        fs::write(&path, &good).unwrap();
        assert_eq!(load(&path, &foreign), None);
    }
}
