//! All raw Vulkan: instance, device, memory, pipelines, the recorder and the swapchain.
//!
//! It is independent of boids. Every object is destroyed by its owner in `Drop`; an owner of work in
//! flight waits for the device first. Each object keeps the [`Device`] alive, and the device the [`Instance`].
//!
//! Functions that call Vulkan fail with [`Error::Vulkan`](crate::Error::Vulkan) when the device or the surface is lost, or memory
//! is exhausted; those that allocate memory fail with [`Error::Allocation`](crate::Error::Allocation). Both name the object. Other
//! errors are documented at the functions.

#![allow(unsafe_code)]

mod adopt;
mod barrier;
mod buffer;
mod capture;
mod clock;
mod copying;
mod descriptors;
mod device;
mod dispatch;
mod drawing;
mod events;
mod fault;
mod fault_info;
mod flights;
pub(crate) mod heap;
mod image;
mod instance;
mod journal;
mod layouts;
mod lost;
mod memory;
mod messages;
mod open;
mod owned;
mod panels;
mod paper;
mod pass;
mod physical;
mod pipeline;
mod pipeline_cache;
mod present_extension;
mod present_fences;
mod presented;
mod recorder;
#[cfg(feature = "reload")]
pub mod reload;
mod requirements;
pub(crate) mod room;
pub mod shaders;
pub mod stages;
mod submit;
mod surface;
mod swapchain;
pub mod timeline;
mod timestamps;
mod transfers;
mod watch;
pub(crate) mod xlib;

pub use adopt::HostDevice;
pub use barrier::{Access, Dependency, Hazard, ImageDependency, ImageRef, Layout, Masks, Stage};
pub use buffer::{Buffer, BufferInfo, BufferUsage, MemoryLocation};
pub use capture::{Capture, Recording};
pub use descriptors::{DescriptorSet, Resource, SetLayout};
pub use device::{Device, DeviceOptions};
pub use drawing::Target;
pub use fault::{Fault, MaskBit};
pub use image::{Format, Image, ImageInfo, ImageUsage};
pub use instance::{Instance, InstanceOptions, Validation};
pub use journal::{BoundShader, DependencyEntry, Dispatch, Journal, JournalEntry, PassEntry, Shader};
pub use layouts::{Binding, ShaderStages};
pub use messages::{Message, Messages};
pub use panels::{PanelPicture, Panels};
pub use paper::PAPER;
pub use pass::{Pass, Use};
pub use physical::{DeviceInfo, DeviceKind};
pub use pipeline::{ComputePipeline, GraphicsInfo, GraphicsPipeline, PipelineFlags, VertexAttribute};
pub use presented::PresentedWindow;
pub use recorder::{RecordOptions, Recorder};
pub use requirements::{Enabled, Features, Requirements};
pub use submit::{FrameSlot, FrameSlots};
pub use surface::Surface;
pub use swapchain::{ACQUIRE_TIMEOUT, Acquired, Presented, Swapchain};
pub use timestamps::{FrameTimes, PassStatistics, PassTimings, Spread};
pub use transfers::{STAGING, fill_image};
pub use watch::{Bytes, HostEvent, PlannedFrame, Watch};
