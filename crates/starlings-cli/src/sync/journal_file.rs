//! Journals of any program in a file: one JSON object a line, each an entry as `starlings sync --json` prints it.
//!
//! `docs/files.md` has the format. What another tool has captured is read through `gfxreconstruct`.

use super::gfxreconstruct;
use crate::{Error, Result};
use barrier_proof::{Attachment, Part, PassEntry};
use serde_json::Value;
use starlings::input::Bounded;
use starlings::vk::{Access, DependencyEntry, Journal, JournalEntry, Layout, Masks, Resource, Stage, Use};
use std::path::Path;

/// Bytes that a JSON value takes, beyond its letters.
const A_VALUE: u64 = 2 * size_of::<Value>() as u64;

/// What a line cannot be read for.
type Fault = String;

/// The name of the dependency that stands for a wait of the host for all that was submitted.
pub const WAIT: &str = "wait of the host";

/// Reads the frames of a file's text, which is a journal or a capture; of a capture, with the modules of its shaders in
/// this folder.
///
/// # Errors
/// [`Error::Input`], with the number of the line that cannot be read, or what `bounded` refuses.
pub fn read(name: &str, text: &str, bounded: &Bounded, shaders: Option<&Path>) -> Result<Vec<Journal>> {
    let mut lines = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        // There is a comma between two values.
        let values = 1 + line.bytes().filter(|&byte| byte == b',').count() as u64;
        bounded.decoded(A_VALUE * values).map_err(|why| Error::Input(format!("{name} {why}")))?;
        let value = serde_json::from_str::<Value>(line)
            .map_err(|error| Error::Input(format!("{name}: line {number} is no JSON: {error}")))?;
        lines.push((number, value));
    }
    if lines.iter().any(|(_, value)| gfxreconstruct::call(value).is_some()) {
        lines = gfxreconstruct::entries(&lines, bounded, shaders)
            .map_err(|fault| Error::Input(format!("{name}: {fault}")))?;
    }
    let mut frames: Vec<Journal> = Vec::new();
    for (number, value) in &lines {
        if value["kind"] == "frame" {
            frames.push(Journal::default());
            continue;
        }
        let entry = entry(value, *number).map_err(|fault| Error::Input(format!("{name}: line {number}: {fault}")))?;
        if frames.is_empty() {
            frames.push(Journal::default());
        }
        frames.last_mut().expect("one was added").entries.push(entry);
    }
    match frames.iter().any(|frame| !frame.entries.is_empty()) {
        true => Ok(frames),
        false => Err(Error::Input(format!("{name} has no entries; accepted are lines as `starlings sync --json` has"))),
    }
}

fn entry(value: &Value, number: usize) -> std::result::Result<JournalEntry, Fault> {
    let kind = value["kind"].as_str().unwrap_or_default();
    Ok(match kind {
        "pass" => JournalEntry::Pass(PassEntry {
            name: name(value)?,
            uses: items(value, "uses")?.iter().map(one_use).collect::<std::result::Result<_, _>>()?,
            rendering: value["rendering"].as_u64().map(|rendering| rendering as u32),
            attachments: items(value, "attachments")?.iter().map(attachment).collect::<std::result::Result<_, _>>()?,
            dispatches: 0,
        }),
        "dependency" => {
            let guards =
                items(value, "guards")?.iter().filter_map(|guard| guard.as_str().map(Resource::named)).collect();
            let layouts = match (&value["oldLayout"], &value["newLayout"]) {
                (Value::Null, Value::Null) => None,
                (old, new) => Some((layout(old)?, layout(new)?)),
            };
            let entry = DependencyEntry {
                name: value["name"].as_str().map_or_else(
                    || barrier_proof::interned(&format!("barrier of line {number}")),
                    barrier_proof::interned,
                ),
                guards,
                masks: Masks {
                    src_stage: stages(&value["srcStageMask"])?,
                    src_access: accesses(&value["srcAccessMask"])?,
                    dst_stage: stages(&value["dstStageMask"])?,
                    dst_access: accesses(&value["dstAccessMask"])?,
                },
                layouts,
                same_command: value["sameCommand"] == true,
                ..DependencyEntry::default()
            };
            if entry.layouts.is_some() && entry.guards.len() != 1 {
                return Err("a dependency with layouts guards one image: \"guards\": [\"name\"]".to_owned());
            }
            JournalEntry::Dependency(entry)
        }
        "acquire" => JournalEntry::Acquire { image: resource(value, "image")?, stage: stages(&value["stages"])? },
        "present" => JournalEntry::Present { image: resource(value, "image")? },
        "wait" => {
            // What was available is visible to the next submission.
            let (all, memory) = (Stage::ALL_COMMANDS, starlings::vk::stages::MEMORY);
            let masks = Masks { src_stage: all, src_access: memory, dst_stage: all, dst_access: memory };
            JournalEntry::Dependency(DependencyEntry { name: WAIT, masks, ..DependencyEntry::default() })
        }
        "host-read" => JournalEntry::HostRead { buffer: resource(value, "buffer")? },
        _ => {
            return Err(format!(
                "the kind '{kind}' is not known; accepted is frame, pass, dependency, wait, acquire, present or \
                host-read"
            ));
        }
    })
}

fn one_use(value: &Value) -> std::result::Result<Use, Fault> {
    let bytes = |field: &str, otherwise: u64| match &value[field] {
        Value::Null => Ok(otherwise),
        number => number.as_u64().ok_or_else(|| format!("\"{field}\" is {number}; accepted is a number of bytes")),
    };
    let part = Part { from: bytes("from", 0)?, to: bytes("to", u64::MAX)? };
    let layout = (!value["layout"].is_null()).then(|| layout(&value["layout"])).transpose()?;
    let (stage, access) = (stages(&value["stages"])?, accesses(&value["accesses"])?);
    if stage == Stage::NONE || access == Access::NONE {
        return Err(format!("the use of {} has no stage or no access", value["resource"]));
    }
    Ok(Use { resource: resource(value, "resource")?, stage, access, layout, part })
}

fn attachment(value: &Value) -> std::result::Result<Attachment, Fault> {
    use ash::vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};
    let load = match value["load"].as_str() {
        Some("LOAD") => Load::LOAD,
        Some("CLEAR") => Load::CLEAR,
        Some("DONT_CARE") => Load::DONT_CARE,
        _ => return Err(format!("\"load\" is {}; accepted is LOAD, CLEAR or DONT_CARE", value["load"])),
    };
    let store = match value["store"].as_str() {
        Some("STORE") => Store::STORE,
        Some("DONT_CARE") => Store::DONT_CARE,
        _ => return Err(format!("\"store\" is {}; accepted is STORE or DONT_CARE", value["store"])),
    };
    Ok(Attachment { image: resource(value, "image")?, load, store })
}

fn items(value: &Value, field: &str) -> std::result::Result<Vec<Value>, Fault> {
    match &value[field] {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => Ok(items.clone()),
        other => Err(format!("\"{field}\" is {other}; accepted is a list")),
    }
}

fn name(value: &Value) -> std::result::Result<&'static str, Fault> {
    value["name"].as_str().map(barrier_proof::interned).ok_or_else(|| "a pass needs a \"name\"".to_owned())
}

fn resource(value: &Value, field: &str) -> std::result::Result<Resource, Fault> {
    let named = value[field].as_str().map(Resource::named);
    named.ok_or_else(|| format!("\"{field}\" is {}; accepted is the name of a resource", value[field]))
}

fn stages(value: &Value) -> std::result::Result<Stage, Fault> {
    mask(value, "stage", &|bit| format!("{:?}", Stage::from_raw(bit))).map(Stage::from_raw)
}

fn accesses(value: &Value) -> std::result::Result<Access, Fault> {
    mask(value, "access", &|bit| format!("{:?}", Access::from_raw(bit))).map(Access::from_raw)
}

/// A mask: a list of names, names with `|` between them, or a number, also in hexadecimal.
fn mask(value: &Value, what: &str, name: &dyn Fn(u64) -> String) -> std::result::Result<u64, Fault> {
    let one = |word: &str| {
        let prefixes = ["VK_PIPELINE_STAGE_2_", "VK_PIPELINE_STAGE_", "VK_ACCESS_2_", "VK_ACCESS_"];
        let short = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word);
        let short = short.trim_end_matches("_KHR").trim_end_matches("_BIT");
        let short = if short == "TRANSFER" && what == "stage" { "ALL_TRANSFER" } else { short };
        match short {
            "NONE" | "0" => Some(0),
            _ => match short.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => (0..64).map(|bit| 1u64 << bit).find(|&bit| name(bit) == short),
            },
        }
    };
    let words: Vec<&str> = match value {
        Value::Null => Vec::new(),
        Value::Number(number) => return number.as_u64().ok_or_else(|| format!("{number} is no mask")),
        Value::String(text) => text.split('|').map(str::trim).filter(|word| !word.is_empty()).collect(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        other => return Err(format!("{other} is no {what}; accepted is a list of names")),
    };
    words.into_iter().try_fold(0, |all, word| {
        one(word).map(|bit| all | bit).ok_or_else(|| format!("'{word}' is no {what} of the specification"))
    })
}

/// A layout by its name.
pub(super) fn layout(value: &Value) -> std::result::Result<Layout, Fault> {
    let name = value.as_str().unwrap_or_default();
    let short = name.strip_prefix("VK_IMAGE_LAYOUT_").unwrap_or(name);
    let known = [
        Layout::UNDEFINED,
        Layout::GENERAL,
        Layout::COLOR_ATTACHMENT_OPTIMAL,
        Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
        Layout::SHADER_READ_ONLY_OPTIMAL,
        Layout::TRANSFER_SRC_OPTIMAL,
        Layout::TRANSFER_DST_OPTIMAL,
        Layout::PREINITIALIZED,
        Layout::DEPTH_ATTACHMENT_OPTIMAL,
        Layout::DEPTH_READ_ONLY_OPTIMAL,
        Layout::READ_ONLY_OPTIMAL,
        Layout::ATTACHMENT_OPTIMAL,
        Layout::PRESENT_SRC_KHR,
    ];
    let found = known.into_iter().find(|layout| format!("{layout:?}") == short);
    found.ok_or_else(|| format!("{value} is no layout of the specification"))
}
