//! Where frames go: the surface of a window and its swapchain, which is made again whenever the window has changed.

use super::pane::Pane;
use crate::error::{Error, Result};
use starlings::frame::{ACQUIRE_STAGE, OpenFrame};
use starlings::vk::{Acquired, Device, Format, Instance, Presented, Surface, Swapchain, Target};
use std::sync::Arc;
use tracing::span::EnteredSpan;

/// Frames in a row that the window may have changed under: many more than while it is resized by hand.
const MOST_OUT_OF_DATE: u32 = 30;

/// The result of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Shown,
    /// The window changed under it: try again.
    Again,
    /// The window has no area, or the display does not hand out images: try again later.
    Hidden,
}

/// An image that a frame may draw to.
pub struct Acquisition {
    index: u32,
    pub target: Target,
    suboptimal: bool,
}

/// The surface of a window and its swapchain.
pub struct Display {
    /// Declared, and so destroyed, before its surface.
    swapchain: Option<Swapchain>,
    /// None once it was lost, until another is made.
    surface: Option<Surface>,
    device: Arc<Device>,
    pub instance: Arc<Instance>,
    pub pane: Pane,
    /// Of the window, as it last said itself: one that was destroyed cannot be asked.
    pub window_size: (u32, u32),
    vsync: bool,
    fit: Fit,
    /// The last surface was lost before it showed a frame.
    surface_was_lost: bool,
    /// Frames in a row that the window was reported to have changed under.
    out_of_date: u32,
    /// Made so far.
    pub swapchains: u64,
}

/// How a swapchain fits its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Fits,
    /// Another is to be made, because the window has changed.
    Stale,
    /// Another is to be made, because the driver calls this one suboptimal.
    Suboptimal,
    /// It was made for that reason: if the driver calls it suboptimal too, another would be no better.
    Retried,
}

impl Display {
    /// Of `surface`, which `device` can present to.
    pub fn new(
        device: &Arc<Device>,
        (instance, surface): (&Arc<Instance>, Surface),
        (pane, window_size): (&Pane, (u32, u32)),
        vsync: bool,
    ) -> Display {
        Display {
            swapchain: None,
            surface: Some(surface),
            device: device.clone(),
            instance: instance.clone(),
            pane: pane.clone(),
            window_size,
            vsync,
            fit: Fit::Stale,
            surface_was_lost: false,
            out_of_date: 0,
            swapchains: 0,
        }
    }

    /// Width and height of the frames, in pixels; none while the window has no area.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.swapchain.as_ref().map(Swapchain::size)
    }

    /// Of the images, while there are some.
    pub fn format(&self) -> Option<Format> {
        self.swapchain.as_ref().map(Swapchain::format)
    }

    /// The window was resized: the next frame makes another swapchain.
    pub fn resized(&mut self, size: (u32, u32)) {
        (self.window_size, self.fit) = (size, Fit::Stale);
    }

    /// The next frame makes another swapchain, with all that depends on it.
    pub fn renew(&mut self) {
        self.fit = Fit::Stale;
    }

    /// Makes the swapchain if there is none that fits, once the device is idle. False while the window has no area.
    pub fn prepare(&mut self) -> Result<bool> {
        if matches!(self.fit, Fit::Stale | Fit::Suboptimal) || self.swapchain.is_none() {
            match self.rebuild() {
                Ok(()) => self.fit = if self.fit == Fit::Suboptimal { Fit::Retried } else { Fit::Fits },
                Err(error) => self.recover(error)?,
            }
        }
        Ok(self.swapchain.is_some())
    }

    fn rebuild(&mut self) -> Result<()> {
        self.device.wait_idle()?;
        let surface = match self.surface.take() {
            Some(surface) => surface,
            // It was lost: a window that another program has destroyed gets no new one, whatever error the driver calls
            // that.
            None => self.pane.surface(&self.instance).map_err(|error| {
                tracing::warn!("{error}");
                Error::from(starlings::Error::surface_lost("making another surface"))
            })?,
        };
        let made = Swapchain::new(&self.device, &surface, self.window_size, self.vsync, self.swapchain.take());
        self.surface = Some(surface);
        self.swapchain = made?;
        self.swapchains += u64::from(self.swapchain.is_some());
        Ok(())
    }

    /// Makes another surface for one that was lost, unless the last one was lost before it showed a frame. Returns
    /// other errors.
    pub fn recover(&mut self, error: Error) -> Result<()> {
        if !error.is_surface_lost() || self.surface_was_lost {
            return Err(error);
        }
        tracing::warn!("{error}; recreating the surface");
        self.device.wait_idle()?;
        (self.surface_was_lost, self.fit) = (true, Fit::Stale);
        // In this order: a swapchain must be destroyed before its surface.
        self.swapchain = None;
        self.surface = None;
        Ok(())
    }

    /// Asks for the image that `frame` is drawn to; or says why there is none.
    pub fn acquire(&mut self, frame: &OpenFrame<'_>) -> Result<std::result::Result<Acquisition, Outcome>> {
        let Some(swapchain) = &self.swapchain else { return Ok(Err(Outcome::Hidden)) };
        Ok(match frame.acquire(swapchain)? {
            Acquired::Image { index, suboptimal } => {
                let (width, height) = swapchain.size();
                let target = Target { image: swapchain.image(index), width, height };
                Ok(Acquisition { index, target, suboptimal })
            }
            Acquired::NotYet => Err(Outcome::Hidden),
            Acquired::OutOfDate => Err(self.again("vkAcquireNextImageKHR")?),
        })
    }

    /// Submits `frame`, which draws to the acquired image. Returns its span.
    pub fn submit(&self, frame: OpenFrame<'_>, acquired: &Acquisition) -> Result<EnteredSpan> {
        let target = self.swapchain.as_ref().map(|swapchain| (swapchain, acquired.index, ACQUIRE_STAGE));
        Ok(frame.submit(target)?)
    }

    /// Hands the image to the display, once the frame that draws to it was submitted.
    pub fn present(&mut self, acquired: &Acquisition) -> Result<Outcome> {
        let Some(swapchain) = &self.swapchain else { return Ok(Outcome::Hidden) };
        if let Some(window) = self.pane.window() {
            window.pre_present_notify();
        }
        let suboptimal = match swapchain.present(acquired.index)? {
            Presented::Shown => acquired.suboptimal,
            Presented::Suboptimal => true,
            Presented::OutOfDate => return self.again("vkQueuePresentKHR"),
        };
        (self.out_of_date, self.surface_was_lost) = (0, false);
        self.fit = match (suboptimal, self.fit) {
            (false, _) => Fit::Fits,
            (true, Fit::Retried) => Fit::Retried,
            (true, _) => Fit::Suboptimal,
        };
        Ok(Outcome::Shown)
    }

    /// The window has changed under a frame, says `operation`. One that always has would keep the program busy for
    /// nothing.
    fn again(&mut self, operation: &'static str) -> Result<Outcome> {
        self.fit = Fit::Stale;
        self.out_of_date += 1;
        match self.out_of_date < MOST_OUT_OF_DATE {
            true => Ok(Outcome::Again),
            false => Err(starlings::Error::out_of_date(operation).into()),
        }
    }
}
