//! Exercises whose answers are masks.

use super::Verdict;
use crate::error::{Error, Result};
use crate::sync::between::faulty;
use crate::sync::journal_file::layout;
use crate::sync::width::excess;
use crate::sync::{Conflict, Width, check, names, widths};
use starlings::vk::{Access, Fault, Hazard, Journal, MaskBit, Masks, Stage, stages};

/// Judges the masks in `answer` as those of the dependency `name` in these frames.
pub fn judge(name: &'static str, frames: &[Journal], answer: &[String]) -> Result<Verdict> {
    let [from, to] = answer else {
        return Err(Error::Input(
            "the answer must be two words STAGES:ACCESSES, the first scope and the second".into(),
        ));
    };
    let ((src_stage, src_access), (dst_stage, dst_access)) = (scope(from)?, scope(to)?);
    let masks = Masks { src_stage, src_access, dst_stage, dst_access };
    let answered = with(frames, name, masks);
    let mut conflicts: Vec<Conflict> = check(&answered).into_iter().collect();
    // Those that follow from others, or that are the same one frame later, say less.
    let clearness = |conflict: &Conflict| (!conflict.direct, conflict.across_frames);
    let clearest = conflicts.iter().map(clearness).min();
    conflicts.retain(|conflict| Some(clearness(conflict)) == clearest);
    if !conflicts.is_empty() {
        let why = |conflict: &Conflict| format!("{conflict}: {}", why(frames, name, masks, conflict));
        return Ok(Verdict::Wrong(conflicts.iter().map(why).collect()));
    }
    let all = widths(&[answered]);
    let wide = |width: &Width| {
        format!("{} more than needed.", excess(width).into_iter().map(bit).collect::<Vec<_>>().join(", "))
    };
    if let Some(width) = all.iter().find(|width| width.name == name && !width.is_exact()) {
        return Ok(Verdict::Wide(vec![format!("No hazard remains, but of {name} there is {}", wide(width))]));
    }
    Ok(match all.iter().any(|width| !width.is_exact()) {
        true => Verdict::Wrong(vec!["No hazard remains, but another dependency has more than it needs.".into()]),
        false => Verdict::Right("No hazard remains, and each bit is needed.".into()),
    })
}

/// Judges an answer that names the faulty dependency of these frames, and has its right masks.
pub fn judge_mended(frames: &[Journal], answer: &[String]) -> Result<Verdict> {
    let [name, masks @ ..] = answer else {
        return Err(Error::Input("the answer must be a dependency and its masks".into()));
    };
    let known: Vec<&'static str> = frames[0].dependencies().map(|of| of.name).collect();
    match known.iter().find(|known| *known == name) {
        Some(name) => judge(name, frames, masks),
        None => Err(Error::Input(format!(
            "'{name}' is no dependency of this frame; accepted is one of {}",
            known.join(", ")
        ))),
    }
}

/// Judges old and new layouts of these dependencies, in order.
pub fn judge_layouts(names: &[&'static str], frames: &[Journal], answer: &[String]) -> Result<Verdict> {
    if answer.len() != 2 * names.len() {
        return Err(Error::Input(format!(
            "the answer must be {} layouts, old and new of each barrier",
            2 * names.len()
        )));
    }
    let named = |word: &String| layout(&word.to_uppercase().into()).map_err(Error::Input);
    let layouts = answer.iter().map(named).collect::<Result<Vec<_>>>()?;
    let answered: Vec<Journal> = frames
        .iter()
        .map(|frame| {
            frame.changed(|of| {
                if let Some(at) = names.iter().position(|name| *name == of.name) {
                    of.layouts = Some((layouts[2 * at], layouts[2 * at + 1]));
                }
            })
        })
        .collect();
    let mut conflicts: Vec<Conflict> = check(&answered).into_iter().filter(|of| of.direct).collect();
    conflicts.sort_by_key(|conflict| conflict.across_frames);
    Ok(match conflicts.is_empty() {
        true => Verdict::Right(
            "Each access finds the layout that it needs, and what was written is kept as long as it is read.".into(),
        ),
        false => Verdict::Wrong(conflicts.iter().map(|of| format!("{of}: {}", why_layout(of))).collect()),
    })
}

fn why_layout(conflict: &Conflict) -> &'static str {
    match conflict.hazard {
        Hazard::Layout => "the image has another layout there, or its contents were dropped",
        _ => "the transition itself is not in order",
    }
}

/// Which of the masks lets a conflict happen: the one that would prevent it if it were as wide as can be.
fn why(frames: &[Journal], name: &'static str, masks: Masks, conflict: &Conflict) -> &'static str {
    let everywhere = Stage::ALL_COMMANDS | Stage::HOST;
    let wider = [
        (
            Masks { src_access: stages::MEMORY, ..masks },
            "in order, but not made available: the first access scope lacks the write",
        ),
        (
            Masks { dst_access: stages::MEMORY, ..masks },
            "in order and available, but not visible: the second access scope lacks the access",
        ),
        (Masks { src_stage: everywhere, ..masks }, "the first scope does not include the first access's stage"),
        (Masks { dst_stage: everywhere, ..masks }, "the second scope does not include the second access's stage"),
        (
            Masks { src_stage: everywhere, src_access: stages::MEMORY, ..masks },
            "the first scope and the first access scope both lack something",
        ),
        (
            Masks { dst_stage: everywhere, dst_access: stages::MEMORY, ..masks },
            "the second scope and the second access scope both lack something",
        ),
    ];
    let found = wider.into_iter().find(|(masks, _)| !check(&with(frames, name, *masks)).contains(conflict));
    found.map_or("more than one of the masks lacks something", |(_, why)| why)
}

fn with(frames: &[Journal], name: &str, masks: Masks) -> Vec<Journal> {
    let fault = Fault::Replace(name.to_owned(), masks);
    frames.iter().map(|frame| faulty(frame, &fault)).collect()
}

/// Stages and accesses of `COPY:TRANSFER_WRITE`.
fn scope(text: &str) -> Result<(Stage, Access)> {
    let upper = text.to_uppercase();
    let Some((stages, accesses)) = upper.split_once(':') else {
        return Err(Error::Input(format!(
            "'{text}' has no colon; accepted is STAGES:ACCESSES, as COPY:TRANSFER_WRITE"
        )));
    };
    let stage = parse(stages, "a stage, as ALL_TRANSFER, of VkPipelineStageFlagBits2", &|bit| {
        format!("{:?}", Stage::from_raw(bit))
    })?;
    let access = parse(accesses, "an access, as TRANSFER_READ, of VkAccessFlagBits2", &|bit| {
        format!("{:?}", Access::from_raw(bit))
    })?;
    Ok((Stage::from_raw(stage), Access::from_raw(access)))
}

fn parse(names: &str, what: &str, name: &dyn Fn(u64) -> String) -> Result<u64> {
    if names == "NONE" {
        return Ok(0);
    }
    names.split(['+', '|']).try_fold(0, |all, wanted| {
        let bit = (0..63).map(|bit| 1u64 << bit).find(|&bit| name(bit) == wanted);
        let unknown =
            || Error::Input(format!("'{wanted}' is not known; accepted is {what} without its prefix and _BIT"));
        bit.map(|bit| all | bit).ok_or_else(unknown)
    })
}

/// Masks as an answer has them.
pub fn text(masks: &Masks) -> String {
    let scope = |stage, access| format!("{}:{}", names::stages(stage).join("+"), names::accesses(access).join("+"));
    format!("{} {}", scope(masks.src_stage, masks.src_access), scope(masks.dst_stage, masks.dst_access))
}

fn bit(bit: MaskBit) -> String {
    match bit {
        MaskBit::SourceStage(bit) => format!("{bit:?} in the first scope"),
        MaskBit::SourceAccess(bit) => format!("{bit:?} in the first access scope"),
        MaskBit::DestinationStage(bit) => format!("{bit:?} in the second scope"),
        MaskBit::DestinationAccess(bit) => format!("{bit:?} in the second access scope"),
    }
}
