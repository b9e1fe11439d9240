//! The frame as JSON.

use super::frame::Frame;
use super::names;
use crate::sync::Conflict;
use serde_json::{Value, json};
use starlings::vk::{Attachment, DependencyEntry, JournalEntry, Part, PassEntry, Use};

/// The frame as JSON, with the full names of the specification.
pub fn json(frame: &Frame) -> String {
    let value = json!({
        "preset": frame.spec.settings.preset,
        "law": frame.spec.settings.law.name_in_files(),
        "search": frame.spec.settings.search.name(),
        "frame": frame.spec.kind.to_string(),
        "steps": frame.steps,
        "entries": frame.journal.entries.iter().map(|entry| self::entry(frame, entry)).collect::<Value>(),
    });
    format!("{value:#}")
}

fn entry(frame: &Frame, entry: &JournalEntry) -> Value {
    match entry {
        JournalEntry::Pass(pass) => self::pass(pass),
        JournalEntry::Dependency(dependency) => self::dependency(frame, dependency),
        JournalEntry::Acquire { image, stage } => {
            json!({ "kind": "acquire", "image": image.name(), "stages": stages(*stage) })
        }
        JournalEntry::Present { image } => json!({ "kind": "present", "image": image.name() }),
        JournalEntry::HostRead { buffer } => json!({ "kind": "host-read", "buffer": buffer.name() }),
    }
}

fn pass(pass: &PassEntry) -> Value {
    let of = |of: &Use| {
        json!({
            "resource": of.resource.name(),
            "stages": stages(of.stage),
            "accesses": accesses(of.access),
            "layout": of.layout.map(layout),
            "reads": of.reads(),
            "writes": of.writes(),
            "from": (of.part != Part::WHOLE).then_some(of.part.from),
            "to": (of.part != Part::WHOLE).then_some(of.part.to),
        })
    };
    let uses: Value = pass.uses.iter().map(of).collect();
    let attachment = |of: &Attachment| {
        let (load, store) = (format!("{:?}", of.load), format!("{:?}", of.store));
        json!({ "image": of.image.name(), "load": load, "store": store })
    };
    let attachments: Value = pass.attachments.iter().map(attachment).collect();
    json!({
        "kind": "pass",
        "name": pass.name,
        "rendering": pass.rendering,
        "attachments": attachments,
        "uses": uses,
    })
}

fn dependency(frame: &Frame, dependency: &DependencyEntry) -> Value {
    let conflicts = frame.between.get(dependency.name).into_iter().flatten();
    let between: Vec<Value> =
        conflicts.map(|of| conflict(of, "fromPreviousFrameOrStep", frame.is_from_before(of))).collect();
    let masks = &dependency.masks;
    json!({
        "kind": "dependency",
        "name": dependency.name,
        "hazards": dependency.hazards.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "guards": frame.guards(dependency),
        "reliesOn": frame.relies_on(dependency),
        "srcStageMask": stages(masks.src_stage),
        "srcAccessMask": accesses(masks.src_access),
        "dstStageMask": stages(masks.dst_stage),
        "dstAccessMask": accesses(masks.dst_access),
        "oldLayout": dependency.layouts.map(|(old, _)| layout(old)),
        "newLayout": dependency.layouts.map(|(_, new)| layout(new)),
        "sameCommand": dependency.same_command,
        "between": between,
        "reason": dependency.reason,
    })
}

/// A conflict, with `is_before` under the key `before`: whether its producer is of the frame before, or the step.
pub fn conflict(conflict: &Conflict, before: &str, is_before: bool) -> Value {
    json!({
        "hazard": conflict.hazard.to_string(),
        "resource": conflict.resource.name(),
        "producer": conflict.producer,
        "consumer": conflict.consumer,
        before: is_before,
    })
}

fn stages(mask: starlings::vk::Stage) -> Vec<String> {
    full(names::stages(mask), "VK_PIPELINE_STAGE_2_")
}

fn accesses(mask: starlings::vk::Access) -> Vec<String> {
    full(names::accesses(mask), "VK_ACCESS_2_")
}

fn layout(layout: starlings::vk::Layout) -> String {
    format!("VK_IMAGE_LAYOUT_{layout:?}")
}

/// `NONE` is the only name that is not a bit.
fn full(names: Vec<String>, prefix: &str) -> Vec<String> {
    names
        .into_iter()
        .map(|name| if name == "NONE" { prefix.to_owned() + "NONE" } else { format!("{prefix}{name}_BIT") })
        .collect()
}
