//! Messages of synchronization validation, as statements about two passes and a resource.

use crate::recorder::NO_PASS;
use crate::{Conflict, Hazard};
use ash::vk;
use std::ffi::CStr;
use std::fmt;

/// One message of the validation layer.
#[derive(Clone, Debug)]
pub struct Message {
    /// The layer's name for the rule, e.g. `SYNC-HAZARD-READ-AFTER-WRITE`.
    pub id: String,
    /// The whole text.
    pub text: String,
    /// Labels that enclose the command being recorded, and of barriers before it.
    pub labels: Vec<String>,
}

impl Message {
    /// What a debug messenger was told.
    ///
    /// # Safety
    /// `data` is as the specification says.
    pub unsafe fn of(data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>) -> Message {
        let text = |name: Option<&CStr>| name.unwrap_or_default().to_string_lossy().into_owned();
        let labels = match data.cmd_buf_label_count {
            0 => &[],
            // SAFETY: there are as many labels as it says.
            count => unsafe { std::slice::from_raw_parts(data.p_cmd_buf_labels, count as usize) },
        };
        // SAFETY: names are zero-terminated, or none.
        unsafe {
            Message {
                id: text(data.message_id_name_as_c_str()),
                text: text(data.message_as_c_str()),
                labels: labels.iter().map(|label| text(label.label_name_as_c_str())).collect(),
            }
        }
    }

    /// The passes of a hazard, the earlier first, if the layer names them: in its extra properties, or by the label of
    /// the command that is being recorded.
    pub fn passes(&self) -> [Option<&str>; 2] {
        let region = |name: &str| self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        // The innermost is last. Groups and barriers have labels, too.
        let innermost = |name| region(name).and_then(|region| region.rsplit("::").next()).map(str::trim);
        let is_pass = |label: &&str| !label.starts_with(NO_PASS);
        let label = || self.labels.iter().map(String::as_str).rfind(is_pass);
        [innermost("prior_debug_region").filter(is_pass), innermost("debug_region").filter(is_pass).or_else(label)]
    }
}

/// A message of the validation layer about the frame's synchronization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The hazard, if the message is about one.
    pub hazard: Option<Hazard>,
    /// Names of all objects in the message.
    objects: Vec<String>,
    /// The pass that accesses the resource first, if the layer names it: a layout transition has none.
    producer: Option<String>,
    /// The pass that accesses it next, likewise.
    consumer: Option<String>,
    /// The layer's name for the rule.
    rule: String,
}

impl Report {
    /// Parses a message.
    pub fn read(message: &Message) -> Report {
        let [producer, consumer] = message.passes().map(|pass| pass.map(str::to_owned));
        let (hazard, objects) = (hazard(message), named(&message.text));
        Report { hazard, objects, producer, consumer, rule: message.id.clone() }
    }

    /// The two passes, as far as the layer names them, the earlier first.
    pub fn parties(&self) -> [Option<&str>; 2] {
        [self.producer.as_deref(), self.consumer.as_deref()]
    }

    /// Whether it reports `conflict`: the hazard, the resource, and the two passes if it names them.
    pub fn says(&self, conflict: &Conflict) -> bool {
        let same = |pass: &Option<String>, party: &str| pass.as_deref().is_none_or(|pass| pass == party);
        // The images of a swapchain are numbered.
        let resource = conflict.resource.name().replace('_', " ");
        let about = |object: &String| conflict.resource == **object || object.starts_with(&resource);
        let layout = conflict.hazard == Hazard::Layout;
        self.hazard == Some(conflict.hazard)
            && self.objects.iter().any(about)
            // For a layout, the layer names at most the pass that finds it wrong.
            && (layout || same(&self.producer, conflict.producer))
            && same(&self.consumer, conflict.consumer)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let party = |pass: &Option<String>| pass.clone().unwrap_or_else(|| "?".to_owned());
        write!(f, "{}: {} → {}", self.rule, party(&self.producer), party(&self.consumer))?;
        write!(f, " ({})", self.objects.join(", "))
    }
}

fn hazard(message: &Message) -> Option<Hazard> {
    match message.id.strip_prefix("SYNC-HAZARD-") {
        Some("READ-AFTER-WRITE" | "PRESENT-AFTER-WRITE") => Some(Hazard::Raw),
        Some("WRITE-AFTER-READ" | "WRITE-AFTER-PRESENT") => Some(Hazard::War),
        Some("WRITE-AFTER-WRITE") => Some(Hazard::Waw),
        Some(_) => None,
        None => {
            (message.id.starts_with("VUID-") && message.text.contains("VK_IMAGE_LAYOUT_")).then_some(Hazard::Layout)
        }
    }
}

/// The names in `VkBuffer 0x1234[counts]`, as the layer writes objects that were named.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in text.split("0x").skip(1) {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
        if let Some((name, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;

    #[test]
    fn groups_and_barriers_are_no_passes() {
        let text = "what\nprior_debug_region = [step 12]::steer\ndebug_region = [picture]::cull\n";
        let message = message("SYNC-HAZARD-READ-AFTER-WRITE", text, &["[picture]", "cull"]);
        assert_eq!(message.passes(), [Some("steer"), Some("cull")]);
        for (labels, pass) in
            [(&["[picture]"][..], None), (&["cull", "[picture]", "[RAW] steer-to-cull"], Some("cull"))]
        {
            let message =
                super::tests::message("SYNC-HAZARD-READ-AFTER-WRITE", "what\ndebug_region = [picture]", labels);
            assert_eq!(message.passes(), [None, pass]);
        }
    }

    fn message(id: &str, text: &str, labels: &[&str]) -> Message {
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        Message { id: id.into(), text: text.into(), labels }
    }

    #[test]
    fn messages_speak_of_passes_and_resources() {
        let text = "vkCmdDispatch(): hazard. reads VkBuffer 0xd0d[counts], previously written by \
                    vkCmdDispatch[count].\nprior_debug_region = count\n";
        let report = Report::read(&message("SYNC-HAZARD-READ-AFTER-WRITE", text, &["reduce"]));
        let conflict = Conflict {
            hazard: Hazard::Raw,
            resource: Resource::new("counts"),
            producer: "count",
            consumer: "reduce",
            across_frames: false,
            direct: true,
        };
        assert!(report.says(&conflict));
        assert!(!report.says(&Conflict { resource: Resource::new("ranks"), ..conflict.clone() }));
        assert!(!report.says(&Conflict { consumer: "spine", ..conflict.clone() }));
        assert!(!report.says(&Conflict { producer: "clear", ..conflict.clone() }));
        assert!(!report.says(&Conflict { hazard: Hazard::War, ..conflict.clone() }));
        assert_eq!(report.to_string(), "SYNC-HAZARD-READ-AFTER-WRITE: count → reduce (counts)");

        let text = "expects VkImage 0x32[swapchain image 0] in layout VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL";
        let report = Report::read(&message("VUID-vkCmdBeginRendering-pRenderingInfo-09592", text, &[]));
        let layout =
            Conflict { hazard: Hazard::Layout, resource: Resource::new("swapchain_image"), ..conflict.clone() };
        assert!(report.says(&layout));
        assert!(!report.says(&conflict));
    }
}
