//! The dependencies of uploads and downloads, which are submitted and waited for one by one: the checker judges their
//! journals, between what may come before and what may come after.

use super::{Conflict, check};
use barrier_proof::between::faulty;
use barrier_proof::{PassEntry, Watch};
use starlings::Result;
use starlings::vk::{
    Buffer, BufferUsage, Device, Fault, Format, Image, ImageInfo, ImageUsage, Journal, JournalEntry, Layout, MaskBit,
    Resource, Stage, Use, fill_image,
};
use std::sync::Arc;

const TEXEL: Resource = Resource::new("transferred image");

/// A dependency of a transfer without one bit of its masks, or left out, and the conflict that this makes.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferMutant {
    /// The dependency.
    pub dependency: &'static str,
    /// The bit; none if it was left out.
    pub bit: Option<MaskBit>,
    /// What the checker finds; none if it is not needed.
    pub found: Option<Conflict>,
}

/// What is found in transfers, and every mutant of their dependencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfers {
    /// Conflicts of the transfers as they are.
    pub findings: Vec<String>,
    /// Every mutant.
    pub mutants: Vec<TransferMutant>,
}

impl Transfers {
    /// Mutants that were not found.
    pub fn survivors(&self) -> impl Iterator<Item = &TransferMutant> {
        self.mutants.iter().filter(|mutant| mutant.found.is_none())
    }
}

/// Uploads and downloads a few values and a texel, while the device is watched, and judges the journals.
pub fn transfers(device: &Arc<Device>) -> Result<Transfers> {
    let watch: &Watch = device.watch();
    watch.take_journals();
    watch.start();
    let moved = transfer(device);
    watch.stop();
    let journals = watch.take_journals();
    moved?;
    Ok(judge(&journals))
}

fn transfer(device: &Arc<Device>) -> Result<()> {
    let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC;
    let buffer = Buffer::with_data(device, "transferred", usage, &[1_u32, 2, 3, 4])?;
    buffer.download::<u32>(0, 4)?;
    buffer.download_at::<u32>(&[3, 1])?;
    let (format, usage) = (Format::R16G16B16A16_SFLOAT, ImageUsage::TRANSFER_DST | ImageUsage::SAMPLED);
    let info = ImageInfo { name: TEXEL.name(), width: 1, height: 1, mip_levels: 1, format, usage };
    fill_image(device, Image::new(device, &info)?.reference(TEXEL), [1, 1], &[0; 8], Stage::VERTEX_SHADER)
}

fn judge(journals: &[Journal]) -> Transfers {
    let mut all = Transfers::default();
    let conflicts = |journal: &Journal| -> Vec<Conflict> {
        let before = writers().into_iter();
        before.flat_map(|writer| check(&[writer, journal.clone(), readers(journal)])).collect()
    };
    for journal in journals {
        all.findings.extend(conflicts(journal).iter().map(|conflict| format!("a transfer: {conflict}")));
        for dependency in journal.dependencies() {
            for bit in std::iter::once(None).chain(dependency.masks.bits().into_iter().map(Some)) {
                let name = dependency.name.to_owned();
                let fault = bit.map_or(Fault::Omit(name.clone()), |bit| Fault::Weaken(name, bit));
                let found = conflicts(&faulty(journal, &fault)).into_iter().next();
                let same = |of: &&mut TransferMutant| (of.dependency, of.bit) == (dependency.name, bit);
                match all.mutants.iter_mut().find(same) {
                    Some(known) => known.found = known.found.take().or(found),
                    None => all.mutants.push(TransferMutant { dependency: dependency.name, bit, found }),
                }
            }
        }
    }
    all
}

fn journal(passes: &[(&'static str, Use)]) -> Journal {
    let pass = |&(name, of): &(&'static str, Use)| {
        JournalEntry::Pass(PassEntry { name, uses: vec![of], ..PassEntry::default() })
    };
    Journal { entries: passes.iter().map(pass).collect(), ..Journal::default() }
}

/// Who may have written what is downloaded.
fn writers() -> [Journal; 2] {
    let downloaded = Resource::new("downloaded buffer");
    let kernel = ("kernel", Use::write(Stage::COMPUTE_SHADER, downloaded));
    [journal(&[kernel]), journal(&[("copy", Use::copy_to(downloaded))])]
}

/// Who may read what is uploaded.
fn readers(transfer: &Journal) -> Journal {
    let uploaded = Resource::new("uploaded buffer");
    let mut passes = vec![
        ("kernel", Use::read(Stage::COMPUTE_SHADER, uploaded)),
        ("draw", Use::read(Stage::VERTEX_SHADER, uploaded)),
        ("vertices", Use::vertices(uploaded)),
        ("indices", Use::indices(uploaded)),
        ("copy", Use::copy_from(uploaded)),
    ];
    let images = transfer.passes().flat_map(|pass| &pass.uses).filter(|of| of.layout.is_some());
    passes.extend(images.map(|of| {
        let layout = Some(Layout::SHADER_READ_ONLY_OPTIMAL);
        ("sampling", Use { layout, ..Use::sampled(Stage::VERTEX_SHADER, of.resource) })
    }));
    journal(&passes)
}
