//! Captures of gfxreconstruct, as `gfxrecon-convert` writes them, to entries of a journal; and those of RenderDoc, as
//! `crates/barrier-proof/converters/renderdoc.py` does.
//!
//! Followed are copies, fills, clears, dispatches, draws with dynamic rendering, pipeline barriers, and waits of the
//! host for all that was submitted; command buffers are placed where they are submitted. What a shader does with a
//! storage buffer or image is known if its module is there; else it is taken to read and write it. A capture with
//! render passes, secondary command buffers, events or ray tracing is refused. All queues are taken for one.

use barrier_proof::kernels::{Kernel, Modules, Variable};
use serde_json::{Value, json};
use starlings::input::{self, Bounded};
use starlings::vk::Resource;
use std::collections::HashMap;
use std::path::Path;

/// Commands that would change the result and are not followed.
const REFUSED: [&str; 6] = [
    "vkCmdBeginRenderPass",
    "vkCmdBeginRenderPass2",
    "vkCmdExecuteCommands",
    "vkCmdSetEvent",
    "vkCmdSetEvent2",
    "vkCmdTraceRaysKHR",
];

/// What a capture has made so far.
#[derive(Default)]
struct Capture {
    /// Buffers and images by their handles.
    names: HashMap<u64, String>,
    /// Bytes of buffers.
    sizes: HashMap<u64, u64>,
    /// Images of views.
    views: HashMap<u64, u64>,
    /// What descriptor sets have in each binding: the type, and the buffer or image with its layout or range.
    sets: HashMap<u64, HashMap<u64, Value>>,
    commands: HashMap<u64, Commands>,
    /// The stages and modules of pipelines.
    pipelines: HashMap<u64, Vec<(&'static str, u64)>>,
    /// What modules do with what is at "set.binding": whether they read it, and whether they write it.
    shaders: HashMap<u64, HashMap<String, (bool, bool)>>,
    /// The fence of the last submission.
    fence: Option<u64>,
    passes: usize,
    /// Bytes of entries that the last call has made.
    made: u64,
    barriers: usize,
}

/// Bytes of a module at most.
const MOST_SHADER: u64 = 16 << 20;

/// Names what a shader accesses by its place.
struct Places;

impl Modules for Places {
    fn words(&self, _: &str) -> Option<Vec<u32>> {
        None
    }

    fn resource(&self, of: &Variable<'_>) -> Option<Resource> {
        Some(Resource::named(&format!("{}.{}", of.binding.0, of.binding.1)))
    }
}

/// What the module in a file does with each resource; nothing if it cannot be analyzed.
fn shader(path: &Path) -> Option<HashMap<String, (bool, bool)>> {
    let bytes = input::read(path, MOST_SHADER).ok()?;
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let uses = Kernel::read(&words, &[], &Places).ok()?.uses();
    Some(uses.into_iter().map(|(resource, of)| (resource.name().to_owned(), of)).collect())
}

/// A command buffer.
#[derive(Clone, Default)]
struct Commands {
    entries: Vec<Value>,
    /// Their bytes.
    size: u64,
    /// The sets that are bound, by bind point and number.
    bound: HashMap<(String, u64), u64>,
    /// The pipelines that are bound, by bind point.
    pipelines: HashMap<String, u64>,
    labels: Vec<String>,
    rendering: Vec<Value>,
    renderings: u64,
}

/// A call, by its name and arguments. Converters before version 1.0 name it otherwise.
pub fn call(line: &Value) -> Option<&Value> {
    line.get("function").or_else(|| line.get("vkFunc"))
}

/// The entries of a capture's lines, with the lines that they come from. `shaders` has a file `shN` for each module N,
/// as `gfxrecon-extract` writes them.
///
/// # Errors
/// What is not followed, or decodes to too much: each command may have all that is bound, and each submission all
/// commands.
pub fn entries(
    lines: &[(usize, Value)],
    bounded: &Bounded,
    shaders: Option<&Path>,
) -> Result<Vec<(usize, Value)>, String> {
    let (mut capture, mut all) = (Capture::default(), Vec::new());
    for (number, line) in lines {
        let Some(function) = call(line) else { continue };
        let Some(name) = function["name"].as_str() else { continue };
        let name = name.trim_end_matches("KHR").trim_end_matches("EXT");
        if REFUSED.iter().any(|refused| refused.trim_end_matches("KHR") == name) {
            return Err(format!("line {number}: {name} is not followed"));
        }
        let args = &function["args"];
        match name {
            "vkQueueSubmit" | "vkQueueSubmit2" => {
                capture.fence = handle(&args["fence"]);
                for commands in list(&args["pSubmits"]).iter().flat_map(submitted) {
                    all.push((*number, json!({ "kind": "frame" })));
                    if let Some(of) = capture.commands.get(&commands) {
                        bounded.decoded(of.size)?;
                        all.extend(of.entries.iter().map(|entry| (*number, entry.clone())));
                    }
                }
            }
            "vkWaitForFences" => {
                let last = list(&args["pFences"]).iter().any(|fence| handle(fence) == capture.fence);
                let done = function["return"].as_str().is_none_or(|result| result == "VK_SUCCESS");
                if last && done && capture.fence.is_some() {
                    all.push((*number, json!({ "kind": "wait" })));
                }
            }
            "vkQueueWaitIdle" | "vkDeviceWaitIdle" => all.push((*number, json!({ "kind": "wait" }))),
            "vkCreateShaderModule" => {
                let module = handle(&args["pShaderModule"]);
                let read = |module: &u64| shaders.and_then(|folder| shader(&folder.join(format!("sh{module}"))));
                capture.shaders.extend(module.and_then(|module| Some((module, read(&module)?))));
            }
            _ => {
                capture.call(name, args);
                bounded.decoded(std::mem::take(&mut capture.made))?;
            }
        }
    }
    Ok(all)
}

/// The command buffers of a submission.
fn submitted(submit: &Value) -> Vec<u64> {
    let first = list(&submit["pCommandBuffers"]).iter().filter_map(handle).collect::<Vec<_>>();
    let infos = list(&submit["pCommandBufferInfos"]);
    first.into_iter().chain(infos.iter().filter_map(|info| handle(&info["commandBuffer"]))).collect()
}

/// About the bytes that a value takes.
fn size(value: &Value) -> u64 {
    const ONE: u64 = size_of::<Value>() as u64;
    ONE + match value {
        Value::String(text) => text.len() as u64,
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.iter().map(|(key, value)| ONE + key.len() as u64 + size(value)).sum(),
        _ => 0,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A handle: a number, or one as text.
fn handle(value: &Value) -> Option<u64> {
    number(value).filter(|&handle| handle != 0)
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let text = value.as_str()?;
        text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok())
    })
}

impl Capture {
    fn call(&mut self, name: &str, args: &Value) {
        match name {
            "vkCreateBuffer" => {
                self.made("buffer", &args["pBuffer"]);
                self.sizes.extend(handle(&args["pBuffer"]).zip(number(&args["pCreateInfo"]["size"])));
            }
            "vkCreateImage" => self.made("image", &args["pImage"]),
            "vkCreateImageView" => {
                let of = handle(&args["pView"]).zip(handle(&args["pCreateInfo"]["image"]));
                self.views.extend(of);
            }
            "vkGetSwapchainImages" => {
                list(&args["pSwapchainImages"]).iter().for_each(|image| self.made("swapchain image", image))
            }
            "vkSetDebugUtilsObjectName" => {
                let info = &args["pNameInfo"];
                if let (Some(object), Some(name)) = (handle(&info["objectHandle"]), info["pObjectName"].as_str())
                    && let Some(known) = self.names.get_mut(&object)
                {
                    *known = name.to_owned();
                }
            }
            "vkUpdateDescriptorSets" => {
                for write in list(&args["pDescriptorWrites"]) {
                    if let (Some(set), Some(binding)) = (handle(&write["dstSet"]), number(&write["dstBinding"])) {
                        self.sets.entry(set).or_default().insert(binding, write.clone());
                    }
                }
            }
            "vkCreateComputePipelines" | "vkCreateGraphicsPipelines" => {
                for (info, pipeline) in list(&args["pCreateInfos"]).iter().zip(list(&args["pPipelines"])) {
                    let one = std::slice::from_ref(&info["stage"]);
                    let stages = if info["pStages"].is_null() { one } else { list(&info["pStages"]) };
                    let stage = |of: &Value| {
                        let stage = match of["stage"].as_str()? {
                            "VK_SHADER_STAGE_COMPUTE_BIT" => "COMPUTE_SHADER",
                            "VK_SHADER_STAGE_VERTEX_BIT" => "VERTEX_SHADER",
                            "VK_SHADER_STAGE_FRAGMENT_BIT" => "FRAGMENT_SHADER",
                            _ => return None,
                        };
                        Some((stage, handle(&of["module"])?))
                    };
                    let stages = stages.iter().filter_map(stage).collect();
                    self.pipelines.extend(handle(pipeline).map(|pipeline| (pipeline, stages)));
                }
            }
            "vkBeginCommandBuffer" => {
                let commands = handle(&args["commandBuffer"]).unwrap_or_default();
                self.commands.insert(commands, Commands::default());
            }
            _ => {
                let Some(key) = handle(&args["commandBuffer"]) else { return };
                let mut commands = self.commands.remove(&key).unwrap_or_default();
                let before = commands.entries.len();
                self.command(&mut commands, name, args);
                self.made = commands.entries[before..].iter().map(size).sum();
                commands.size += self.made;
                self.commands.insert(key, commands);
            }
        }
    }

    /// The bytes of a part of a buffer that begins at `from`; none after the first for the rest of it.
    fn part(&self, buffer: &Value, from: &Value, size: &Value) -> (u64, Option<u64>) {
        let from = number(from).unwrap_or_default();
        let all = handle(buffer).and_then(|buffer| self.sizes.get(&buffer).copied());
        let to = number(size).and_then(|size| from.checked_add(size));
        (from, to.filter(|&to| all.is_none_or(|all| to < all)))
    }

    fn made(&mut self, what: &str, object: &Value) {
        if let Some(object) = handle(object) {
            self.names.entry(object).or_insert_with(|| format!("{what} {object}"));
        }
    }

    fn name(&self, object: &Value) -> String {
        let known = handle(object).and_then(|object| self.names.get(&object).cloned());
        known.unwrap_or_else(|| format!("object {object}"))
    }

    fn command(&mut self, of: &mut Commands, name: &str, args: &Value) {
        match name {
            "vkCmdBeginDebugUtilsLabel" => {
                of.labels.push(args["pLabelInfo"]["pLabelName"].as_str().unwrap_or("label").to_owned());
            }
            "vkCmdEndDebugUtilsLabel" => drop(of.labels.pop()),
            "vkCmdBindDescriptorSets" => {
                let point = args["pipelineBindPoint"].as_str().unwrap_or_default();
                let first = number(&args["firstSet"]).unwrap_or_default();
                for (set, at) in list(&args["pDescriptorSets"]).iter().zip(first..) {
                    of.bound.extend(handle(set).map(|set| ((point.to_owned(), at), set)));
                }
            }
            "vkCmdBindPipeline" => {
                let point = args["pipelineBindPoint"].as_str().unwrap_or_default();
                of.pipelines.extend(handle(&args["pipeline"]).map(|pipeline| (point.to_owned(), pipeline)));
            }
            "vkCmdPipelineBarrier" | "vkCmdPipelineBarrier2" => self.barriers(of, args),
            "vkCmdBeginRendering" => {
                of.renderings += 1;
                of.rendering = list(&args["pRenderingInfo"]["pColorAttachments"]).to_vec();
            }
            "vkCmdEndRendering" => of.rendering.clear(),
            _ => {
                let uses = self.uses(of, name, args);
                if !uses.is_empty() {
                    self.passes += 1;
                    let short = name.trim_start_matches("vkCmd");
                    let label = of.labels.last().map_or(short, String::as_str);
                    let inside = (!of.rendering.is_empty()).then_some(of.renderings);
                    let attachments: Vec<Value> = of.rendering.iter().map(|of| self.attachment(of)).collect();
                    of.entries.push(json!({
                        "kind": "pass",
                        "name": format!("{label} {}", self.passes),
                        "uses": uses,
                        "rendering": inside,
                        "attachments": attachments,
                    }));
                }
            }
        }
    }

    fn image_of(&self, view: &Value) -> String {
        let image = handle(view).and_then(|view| self.views.get(&view).copied()).unwrap_or_default();
        self.name(&json!(image))
    }

    fn attachment(&self, of: &Value) -> Value {
        let short =
            |field: &str, prefix: &str| of[field].as_str().unwrap_or_default().trim_start_matches(prefix).to_owned();
        json!({
            "image": self.image_of(&of["imageView"]),
            "load": short("loadOp", "VK_ATTACHMENT_LOAD_OP_"),
            "store": short("storeOp", "VK_ATTACHMENT_STORE_OP_"),
        })
    }

    fn uses(&self, of: &Commands, name: &str, args: &Value) -> Vec<Value> {
        let part = |object: &Value, access: &str, stage: &str, from: &Value, size: &Value| {
            let (from, to) = self.part(object, from, size);
            json!({
                "resource": self.name(object),
                "stages": [stage],
                "accesses": [access],
                "from": from,
                "to": to,
            })
        };
        let image = |object: &Value, access: &str, stage: &str, layout: &Value| {
            let resource = self.name(object);
            json!({ "resource": resource, "stages": [stage], "accesses": [access], "layout": layout })
        };
        let (read, write, none) = ("TRANSFER_READ", "TRANSFER_WRITE", Value::Null);
        match name {
            "vkCmdFillBuffer" => vec![part(&args["dstBuffer"], write, "CLEAR", &args["dstOffset"], &args["size"])],
            "vkCmdUpdateBuffer" => {
                vec![part(&args["dstBuffer"], write, "CLEAR", &args["dstOffset"], &args["dataSize"])]
            }
            "vkCmdCopyBuffer" | "vkCmdCopyBuffer2" => {
                let args = if args["pCopyBufferInfo"].is_null() { args } else { &args["pCopyBufferInfo"] };
                let both = |region: &Value| {
                    let of = |object: &str, access, offset: &str| {
                        part(&args[object], access, "COPY", &region[offset], &region["size"])
                    };
                    [of("srcBuffer", read, "srcOffset"), of("dstBuffer", write, "dstOffset")]
                };
                list(&args["pRegions"]).iter().flat_map(both).collect()
            }
            "vkCmdCopyBufferToImage" => vec![
                part(&args["srcBuffer"], read, "COPY", &none, &none),
                image(&args["dstImage"], write, "COPY", &args["dstImageLayout"]),
            ],
            "vkCmdCopyImageToBuffer" => vec![
                image(&args["srcImage"], read, "COPY", &args["srcImageLayout"]),
                part(&args["dstBuffer"], write, "COPY", &none, &none),
            ],
            "vkCmdCopyImage" => vec![
                image(&args["srcImage"], read, "COPY", &args["srcImageLayout"]),
                image(&args["dstImage"], write, "COPY", &args["dstImageLayout"]),
            ],
            "vkCmdClearColorImage" => vec![image(&args["image"], write, "CLEAR", &args["imageLayout"])],
            _ if name.starts_with("vkCmdDispatch") => {
                let mut uses = self.bound(of, "VK_PIPELINE_BIND_POINT_COMPUTE", &["COMPUTE_SHADER"]);
                uses.extend(self.indirect(args));
                uses
            }
            _ if name.starts_with("vkCmdDraw") => {
                let shaders = ["VERTEX_SHADER", "FRAGMENT_SHADER"];
                let mut uses = self.bound(of, "VK_PIPELINE_BIND_POINT_GRAPHICS", &shaders);
                uses.extend(self.indirect(args));
                uses.extend(of.rendering.iter().map(|attachment| {
                    json!({
                        "resource": self.image_of(&attachment["imageView"]),
                        "stages": ["COLOR_ATTACHMENT_OUTPUT"],
                        "accesses": ["COLOR_ATTACHMENT_READ", "COLOR_ATTACHMENT_WRITE"],
                        "layout": attachment["imageLayout"],
                    })
                }));
                uses
            }
            _ => Vec::new(),
        }
    }

    /// The arguments of an indirect command.
    fn indirect(&self, args: &Value) -> Option<Value> {
        handle(&args["buffer"]).map(|_| {
            let name = self.name(&args["buffer"]);
            json!({ "resource": name, "stages": ["DRAW_INDIRECT"], "accesses": ["INDIRECT_COMMAND_READ"] })
        })
    }

    /// What shaders access by the sets that are bound.
    fn bound(&self, of: &Commands, point: &str, stages: &[&str]) -> Vec<Value> {
        let sets = of.bound.iter().filter(|((of, _), _)| of == point);
        let writes = sets.filter_map(|((_, at), set)| Some((at, self.sets.get(set)?)));
        let mut uses = Vec::new();
        for (at, binding, write) in writes.flat_map(|(at, set)| set.iter().map(move |(to, write)| (at, to, write))) {
            let kind = write["descriptorType"].as_str().unwrap_or_default();
            let all: &[&str] = match kind.trim_start_matches("VK_DESCRIPTOR_TYPE_") {
                "STORAGE_BUFFER" | "STORAGE_BUFFER_DYNAMIC" | "STORAGE_IMAGE" => {
                    &["SHADER_STORAGE_READ", "SHADER_STORAGE_WRITE"]
                }
                "UNIFORM_BUFFER" | "UNIFORM_BUFFER_DYNAMIC" => &["UNIFORM_READ"],
                "SAMPLED_IMAGE" | "COMBINED_IMAGE_SAMPLER" => &["SHADER_SAMPLED_READ"],
                _ => continue,
            };
            for (stages, accesses) in self.accesses(of, point, stages, &format!("{at}.{binding}"), all) {
                for info in list(&write["pBufferInfo"]) {
                    // Offsets of dynamic buffers are added by the command.
                    let (from, to) = match kind.ends_with("DYNAMIC") {
                        true => (0, None),
                        false => self.part(&info["buffer"], &info["offset"], &info["range"]),
                    };
                    let name = self.name(&info["buffer"]);
                    uses.push(
                        json!({ "resource": name, "stages": stages, "accesses": accesses, "from": from, "to": to }),
                    );
                }
                for info in list(&write["pImageInfo"]).iter().filter(|info| handle(&info["imageView"]).is_some()) {
                    let (name, layout) = (self.image_of(&info["imageView"]), &info["imageLayout"]);
                    uses.push(json!({ "resource": name, "stages": stages, "accesses": accesses, "layout": layout }));
                }
            }
        }
        uses.sort_by_key(|of| of["resource"].to_string());
        uses
    }

    /// The stages that access what is at a place, with their accesses out of `all`; all of them where a module of the
    /// pipeline is not known.
    fn accesses<'a>(
        &self,
        of: &Commands,
        point: &str,
        stages: &[&'a str],
        place: &str,
        all: &[&'a str],
    ) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
        let pipeline = of.pipelines.get(point).and_then(|pipeline| self.pipelines.get(pipeline));
        let known = pipeline.filter(|of| of.iter().all(|(_, module)| self.shaders.contains_key(module)));
        let Some(modules) = known else { return vec![(stages.to_vec(), all.to_vec())] };
        let mut found = Vec::new();
        for (stage, module) in modules {
            let Some(&(reads, writes)) = self.shaders[module].get(place) else { continue };
            let does = |access: &&&str| if access.ends_with("WRITE") { writes } else { reads };
            let stage = stages.iter().filter(|of| *of == stage).copied().collect();
            found.push((stage, all.iter().filter(does).copied().collect()));
        }
        found
    }

    fn barriers(&mut self, of: &mut Commands, args: &Value) {
        let after = of.entries.iter().rev().find(|entry| entry["kind"] == "pass");
        let after = after.and_then(|pass| pass["name"].as_str()).unwrap_or("the beginning").to_owned();
        let mut count = self.barriers;
        let mut named = || {
            count += 1;
            format!("barrier {count} after {after}")
        };
        let info = if args["pDependencyInfo"].is_null() { args } else { &args["pDependencyInfo"] };
        let mut first = true;
        for barrier in ["pMemoryBarriers", "pBufferMemoryBarriers", "pImageMemoryBarriers"]
            .iter()
            .flat_map(|field| list(&info[*field]))
        {
            // One command of the first version has the stages of all of its barriers.
            let stage = |field: &str| if barrier[field].is_null() { &info[field] } else { &barrier[field] };
            let (image, buffer) = (handle(&barrier["image"]), handle(&barrier["buffer"]));
            let guards: Vec<String> = image.or(buffer).iter().map(|object| self.name(&json!(object))).collect();
            // Two equal layouts are no transition: they say whose memory it is.
            let layouts = match (image, buffer) {
                (Some(_), _) => (barrier["oldLayout"].clone(), barrier["newLayout"].clone()),
                (None, Some(_)) => (json!("GENERAL"), json!("GENERAL")),
                _ => (Value::Null, Value::Null),
            };
            of.entries.push(json!({
                "kind": "dependency",
                "name": named(),
                "guards": guards,
                "srcStageMask": stage("srcStageMask"),
                "srcAccessMask": barrier["srcAccessMask"],
                "dstStageMask": stage("dstStageMask"),
                "dstAccessMask": barrier["dstAccessMask"],
                "oldLayout": layouts.0,
                "newLayout": layouts.1,
                "sameCommand": !std::mem::take(&mut first),
            }));
        }
        if first && !info["srcStageMask"].is_null() {
            // Execution alone.
            let (from, to) = (&info["srcStageMask"], &info["dstStageMask"]);
            let name = named();
            of.entries.push(json!({ "kind": "dependency", "name": name, "srcStageMask": from, "dstStageMask": to }));
        }
        self.barriers = count;
    }
}
