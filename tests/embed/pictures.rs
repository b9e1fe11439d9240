//! Frames with pictures in a host's command buffer, drawn into an image of the host.

use super::{Host, adopt, host_with, settings};
use ash::vk;
use starlings::flock::BoidState;
use starlings::frame::{FrameView, ImageUse, Output, record_frame};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Canvas, Look, Scene, View, canvas};
use starlings::vk::{Access, Buffer, BufferInfo, BufferUsage, Fault, Layout, MemoryLocation, Resource, Stage, Target};
use starlings::{Device, Flock, RecordOptions, Recorder, Requirements};
use std::sync::Arc;

const EDGE: u32 = 64;
const FRAMES: usize = 2;

/// The host copies the image to its buffer, after each frame.
const COPIED: ImageUse =
    ImageUse { stage: Stage::COPY, access: Access::TRANSFER_READ, layout: Layout::TRANSFER_SRC_OPTIMAL };

/// The pixels of the last frame, and the state that it shows; each frame takes so many steps, and has no barrier of
/// these names.
fn drawn(host: &Host, device: &Arc<Device>, look: &Look, count: u32, omitted: &[&str]) -> (Vec<u8>, BoidState) {
    let settings = settings();
    let mut flock = Flock::new(device, &settings, 1).expect("a small flock fits");
    let mut scene =
        Scene::with_look(device, &flock, look.clone(), canvas::PICTURE_FORMAT, 1).expect("a small scene fits");
    let canvas = Canvas::new(device, EDGE, EDGE).expect("a small canvas fits");
    let image = canvas::picture(device, EDGE, EDGE).expect("a small image fits");
    let handles = image.reference(Resource::new("picture"));
    let (size, usage) = (u64::from(4 * EDGE * EDGE), BufferUsage::TRANSFER_DST);
    let info = BufferInfo { name: "copy", size, usage, location: MemoryLocation::GpuToCpu };
    let copy = Buffer::new(device, &info).expect("a small buffer fits");
    let faults: Vec<Fault> = omitted.iter().map(|name| Fault::Omit((*name).to_owned())).collect();
    for _ in 0..FRAMES {
        let commands = host.begin().expect("a command buffer");
        let steps = flock.prepare_steps(0, count);
        let slot = scene.prepare(0, &flock, &steps, &View::of(Camera::of(&settings, 1.0), EDGE, EDGE));
        let view = FrameView {
            scene: &scene,
            slot,
            canvas: &canvas,
            target: Target::of_host(handles.raw, handles.view, EDGE, EDGE),
            overlay: None,
            boids: None,
            output: Output::Image(COPIED),
        };
        let options = RecordOptions { journal: false, faults: &faults };
        // SAFETY: the commands are in the recording state, and submitted once to the queue of the adopted device.
        let mut rec = unsafe { Recorder::adopt(device, commands, options) };
        record_frame(&mut rec, &flock, &steps, &view);
        rec.finish().expect("nothing is ended");
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let extent = vk::Extent3D { width: EDGE, height: EDGE, depth: 1 };
        let region = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)];
        let all = [vk::MemoryBarrier2::default()
            .src_stage_mask(Stage::COPY)
            .src_access_mask(Access::TRANSFER_WRITE)
            .dst_stage_mask(Stage::COPY | Stage::HOST)
            .dst_access_mask(Access::TRANSFER_WRITE | Access::HOST_READ)];
        let device = host.handles().device;
        // SAFETY: the commands are in the recording state; image and buffer live until the frame is waited for.
        unsafe {
            device.cmd_copy_image_to_buffer(commands, handles.raw, COPIED.layout, copy.handle(), &region);
            device.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().memory_barriers(&all));
        }
        host.submit_and_wait(commands).expect("the commands run");
    }
    (copy.read(0, size as usize), flock.state().expect("the device lives"))
}

/// With a look that has trails, too, which are drawn over the picture in the image. Without a step there is none yet,
/// as in the picture that it is compared with.
#[test]
fn a_host_gets_the_picture_in_its_image() {
    let Some(host) = host_with(Requirements::for_pictures()) else { return };
    let device = adopt(&host.handles()).expect("the device has all");
    // Shadows take the cells of a step.
    let plain = Look { trail: 0.0, shadow: 0.0, ..Look::of(&settings()) };
    for (look, steps) in [(plain.clone(), 1), (Look { trail: 1.0, ..plain }, 0)] {
        let (pixels, state) = drawn(&host, &device, &look, steps, &[]);
        let mut offscreen =
            Offscreen::with_look(&device, &settings(), look.clone(), EDGE, EDGE).expect("a small picture fits");
        offscreen.resume(&state, FRAMES as u32 * steps).expect("the device lives");
        let shot = Shot { camera: Camera::of(&settings(), 1.0), steps: 0, options: RecordOptions::default() };
        let expected = offscreen.draw(&shot).expect("the device lives").0;
        let different = pixels.iter().zip(&expected).filter(|(one, other)| one != other).count();
        assert_eq!(different, 0, "of {} bytes, with a trail of {}", expected.len(), look.trail);
    }
    drop(device);
    assert_eq!(host.close(), [""; 0]);
}

#[test]
fn the_layer_sees_that_a_host_s_image_lacks_a_barrier() {
    for omitted in ["embedder-to-copy", "picture-to-embedder"] {
        let Some(host) = host_with(Requirements::for_pictures()) else { return };
        let device = adopt(&host.handles()).expect("the device has all");
        drawn(&host, &device, &Look { trail: 0.0, ..Look::of(&settings()) }, 1, &[omitted]);
        drop(device);
        assert_ne!(host.close(), [""; 0], "without {omitted}");
    }
}
