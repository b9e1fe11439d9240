//! All raw Vulkan: instance, device, memory, pipelines, the recorder and the swapchain.
//!
//! It is independent of boids. Every object is destroyed by its owner in `Drop`; an owner of work in flight waits for
//! the device first. Each object keeps the [`Device`] alive, and the device the [`Instance`].
//!
//! Functions that call Vulkan fail with [`Error::Vulkan`](crate::Error::Vulkan) when the device or the surface is lost,
//! or memory is exhausted; those that allocate memory fail with [`Error::Allocation`](crate::Error::Allocation). Both
//! name the object. Other errors are documented at the functions.

#![allow(unsafe_code)]

mod adopt;
mod buffer;
#[cfg_attr(not(feature = "capture"), path = "no_capture.rs")]
mod capture;
mod clock;
mod copying;
mod descriptors;
mod device;
mod dispatch;
mod drawing;
mod drivers;
mod events;
mod fault_info;
mod flights;
mod image;
mod instance;
mod layouts;
mod lost;
mod memory;
mod messages;
mod open;
mod owned;
mod physical;
mod pipeline;
mod pipeline_cache;
mod present_extension;
mod present_fences;
mod recorder;
mod requirements;
pub(crate) mod room;
mod submit;
mod surface;
mod swapchain;
pub mod timeline;
mod timestamps;
mod transfers;

pub use adopt::{AdoptOptions, HostDevice};
pub(crate) use barrier_proof::uses;
pub use barrier_proof::{
    Access, Attachment, BoundShader, Bytes, Dependency, DependencyEntry, Dispatch, Fault, Group, Hazard, HostEvent,
    ImageDependency, ImageRef, Journal, JournalEntry, Layout, MaskBit, Masks, Message, Part, Pass, PassEntry,
    PlannedFrame, RecordOptions, Resource, Seen, Shader, Stage, Use, Used, Uses, Watch, stages,
};
pub use buffer::{Buffer, BufferInfo, BufferUsage, MemoryLocation};
pub use capture::Capture;
#[cfg(feature = "capture")]
pub use capture::Recording;
pub use descriptors::{Descriptor, DescriptorSet, SetLayout};
pub use device::{Device, DeviceOptions};
pub use drawing::Target;
pub use drivers::{bundle, bundled};
pub use image::{Format, Image, ImageInfo, ImageUsage};
pub use instance::{Instance, InstanceOptions, Validation};
pub use layouts::{Binding, ShaderStages};
pub use messages::Messages;
pub use physical::{DeviceInfo, DeviceKind};
pub use pipeline::{
    ComputePipeline, GraphicsInfo, GraphicsPipeline, PipelineFlags, ShaderModule, VertexAttribute, pipelines_made,
};
pub use recorder::Recorder;
pub use requirements::{Enabled, Features, Requirements};
pub use submit::{FrameSlot, FrameSlots};
pub use surface::Surface;
pub use swapchain::{ACQUIRE_TIMEOUT, Acquired, Presented, SWAPCHAIN_IMAGE, Swapchain};
pub use timestamps::{FrameTimes, PassStatistics, PassTimings, Spread};
pub use transfers::{STAGING, fill_image};
