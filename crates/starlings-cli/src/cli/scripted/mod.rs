//! A flock that a script drives: what the Python module has. Its settings are the flags of the command line, by the
//! same parser and with the same checks; names have hyphens here.

mod devices;
mod failure;
mod pictures;
mod running;

pub use devices::{close, devices};
pub use failure::{Kind, line};
pub use pictures::{Film, Picture, Shown};

use super::config::file::parse;
use super::config::text;
use super::flags::{self, FLAGS, Flag};
use super::look::DrawnArgs;
use super::machine::GpuArg;
use super::origin::{LastCheckpoint, OF_THE_START, OriginArgs};
use super::output::{create, existing};
use super::parsed;
use super::request::Request;
use super::viewpoint::Viewpoint;
use crate::export::digest;
use crate::running::Running;
use crate::{Error, Result};
use clap::{CommandFactory, FromArgMatches, Parser};
use devices::{Here, Place, device, here, noted};
use glam::Vec3;
use pictures::Painter;
use starlings::flock::buffers::{BOID_ID, POSITION_VX, VELOCITY_YZ};
use starlings::flock::{BoidState, Observation, OrderParameters, Settings, Start};
use starlings::render::Look;
use starlings::simulation::Simulation;
use std::collections::BTreeMap;
use std::ffi::OsString;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::Path;

/// Values of flags by their names, as a command line has them.
pub type Flags = BTreeMap<String, String>;

/// What a flock is made of.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct OpenArgs {
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    drawn: DrawnArgs,
    #[command(flatten)]
    device: GpuArg,
    /// Share the state with other APIs on the same GPU
    #[arg(long, default_value_t, action = clap::ArgAction::Set)]
    shared: bool,
}

/// The state of a flock in memory of its device: a file descriptor for each array, which whoever imports it closes, and
/// the bytes of its memory. Boids are in the order of the last sort.
#[cfg(unix)]
#[derive(Debug)]
pub struct SharedState {
    /// The device, as 32 hexadecimal digits.
    pub uuid: String,
    /// Four floats a boid: its position in world units, its x velocity.
    pub position_vx: (OwnedFd, u64),
    /// Two floats a boid: its y and z velocity.
    pub velocity_yz: (OwnedFd, u64),
    /// Its identity, 32 bits.
    pub boid_id: (OwnedFd, u64),
}

/// A flock, on a device or stepped by the CPU.
pub struct ScriptedFlock {
    request: Request,
    /// The flags of look and camera.
    drawn: Flags,
    place: Place,
    /// Whether the settings alone lead to the state.
    replayable: bool,
    // Before the flock, whose buffers it draws.
    painter: Here<Option<Painter>>,
    /// A second flock, whose steps are observed.
    probe: Here<Option<Simulation>>,
    running: Here<Running>,
}

impl ScriptedFlock {
    /// The flock that `flags` describe: those of a flock, its look and its camera; and `config`, `weights`, `gpu`,
    /// `shared`, `resume` (a checkpoint) and `from` (a picture, whose flock is flown to its step). `ask` is asked every
    /// now and then whether to go on.
    ///
    /// # Errors
    /// As the command line; [`Error::Interrupted`] if `ask` said no.
    pub fn open(flags: &Flags, ask: &mut dyn FnMut() -> bool) -> Result<Self> {
        here()?;
        let words: Vec<OsString> = flags.iter().map(|(name, value)| format!("--{name}={value}").into()).collect();
        let args = OpenArgs::from_arg_matches(&parsed(&mut OpenArgs::command(), &words)?)?;
        let mut origin = args.origin.open(&args.drawn.flock)?;
        let (request, look) = origin.drawn(&args.drawn)?;
        request.check_count()?;
        request.camera(&args.drawn.camera, 1.0)?;
        let place = Place { gpu: args.device.gpu, shared: args.shared };
        let state = origin.checkpoint().map(|checkpoint| (&checkpoint.state, checkpoint.step));
        let flight = origin.flight_to(&request);
        let mut running = Running::asked(&request, flight.first(), &place)?;
        if let Some((state, step)) = state {
            running.resume(state, step)?;
        }
        let (mut course, steps) = (flight.course(), origin.step.unwrap_or(0));
        while let Some(step) = course.stop().filter(|&step| step <= steps) {
            noted(running.advance(step - running.step(), ask))?;
            if let Some(settings) = course.due(step) {
                let device = if settings.engine.is_cpu() { None } else { Some(device(&place)?) };
                noted(running.go_on(device.as_ref(), settings))?;
            }
        }
        running.show(&look)?;
        let of_flock = |name: &String| flag(name).is_none_or(Flag::is_of_flock);
        let drawn = flags.iter().filter(|(name, _)| !of_flock(name));
        let mut flock = ScriptedFlock {
            drawn: drawn.map(|(name, value)| (name.clone(), value.clone())).collect(),
            request,
            place,
            replayable: origin.is_of_settings(),
            painter: Here::new(None),
            probe: Here::new(None),
            running: Here::new(running),
        };
        flock.advance(steps.saturating_sub(flock.step()), ask)?;
        Ok(flock)
    }

    /// Takes `steps` steps, and waits for them. `ask` is asked every now and then whether to go on.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if it said no, after some of the steps; or that of the device.
    pub fn advance(&mut self, steps: u32, ask: &mut dyn FnMut() -> bool) -> Result<()> {
        here()?;
        let (taken, most) = (self.running.step(), u32::MAX - self.running.step());
        if steps > most {
            let accepted = format!("a whole number up to {most}: the flock has taken {taken} steps");
            return Err(Error::flag("count", steps, accepted));
        }
        noted(self.running.advance(steps, ask))
    }

    /// Steps taken since the start.
    pub fn step(&self) -> u32 {
        self.running.step()
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.request.settings
    }

    /// What steps it: a device, or threads.
    pub fn place(&self) -> String {
        self.running.place()
    }

    /// Its state on the device, for other APIs on the same GPU.
    ///
    /// # Errors
    /// [`starlings::Error::Setting`] if it was not made `shared`, or the device cannot share.
    #[cfg(unix)]
    pub fn shared(&self) -> Result<SharedState> {
        here()?;
        let Running::Device(simulation) = &*self.running else {
            return Err(Error::flag("shared", "false", "a flock that a device steps"));
        };
        let (buffers, info) = (simulation.flock().buffers(), simulation.flock().device().info());
        let part = |buffer| {
            let accepted = if self.place.shared {
                format!("a device with VK_KHR_external_memory_fd, which {} lacks", info.name)
            } else {
                "true, when the flock is made".into()
            };
            buffers[buffer].share()?.ok_or_else(|| Error::flag("shared", self.place.shared, accepted))
        };
        Ok(SharedState {
            uuid: info.uuid.clone(),
            position_vx: part(POSITION_VX)?,
            velocity_yz: part(VELOCITY_YZ)?,
            boid_id: part(BOID_ID)?,
        })
    }

    /// The position of every boid in world units, in the order of identities.
    pub fn positions(&self) -> Result<Vec<Vec3>> {
        here()?;
        noted(self.running.positions())
    }

    /// The velocity of every boid in world units per second, in the order of identities.
    pub fn velocities(&self) -> Result<Vec<Vec3>> {
        here()?;
        noted(self.running.velocities(self.settings()))
    }

    /// Sets positions in world units and velocities in world units per second, in the order of identities; those that
    /// are not given stay. On a plane, they are put into it. A law with a constant speed takes the directions.
    ///
    /// # Errors
    /// [`starlings::Error::Setting`] names a vector that is not finite, or a count that is not the flock's.
    pub fn set_state(&mut self, positions: Option<Vec<Vec3>>, velocities: Option<Vec<Vec3>>) -> Result<()> {
        here()?;
        let settings = &self.request.settings;
        for (name, vectors) in [("positions", &positions), ("velocities", &velocities)] {
            let Some(vectors) = vectors else { continue };
            let boids = settings.boids as usize;
            if vectors.len() != boids {
                return Err(Error::flag(
                    name,
                    format!("{} vectors", vectors.len()),
                    format!("{boids} of three numbers"),
                ));
            }
            if let Some(boid) = vectors.iter().position(|vector| !vector.is_finite()) {
                let value = format!("{} for boid {boid}", vectors[boid]);
                return Err(Error::flag(name, value, "three finite numbers for each boid"));
            }
        }
        let uses_heading = settings.law.info().uses_heading;
        if let (true, Some(velocities)) = (uses_heading, &velocities)
            && let Some(boid) = velocities.iter().position(|velocity| velocity.try_normalize().is_none())
        {
            let accepted = format!("a direction for each boid: those of {} never rest", settings.preset);
            return Err(Error::flag("velocities", format!("zero for boid {boid}"), accepted));
        }
        let mut position = positions.map_or_else(|| self.running.positions(), Ok)?;
        let mut velocity = velocities.map_or_else(|| self.running.velocities(settings), Ok)?;
        if settings.plane {
            position.iter_mut().for_each(|position| position.y = settings.world.center.y);
            velocity.iter_mut().for_each(|velocity| velocity.y = 0.0);
        }
        if uses_heading {
            velocity.iter_mut().for_each(|velocity| *velocity = velocity.normalize_or(Vec3::X));
        }
        let id = (0..settings.boids).collect();
        self.replayable = false;
        noted(self.running.set_state(&BoidState { position, velocity, id }))
    }

    /// The order parameters of the flock as it is. A flock on a device is copied for that, and its copy takes a step.
    ///
    /// # Errors
    /// [`starlings::Error::TooLarge`] for a flock that cannot be observed; or that of the device.
    pub fn order(&mut self) -> Result<OrderParameters> {
        here()?;
        let settings = &self.request.settings;
        let simulation = match &*self.running {
            Running::Cpu(engine) => return Ok(engine.order()),
            Running::Device(simulation) => simulation,
        };
        let (state, step, device) = (simulation.flock().state()?, self.running.step(), simulation.flock().device());
        let mut measured = || {
            let mut kept = self.probe.take();
            let serves = kept.as_mut().map_or(Ok(false), |probe| probe.flock_mut().adjust(settings))?;
            let mut probe = match kept.filter(|_| serves) {
                Some(probe) => probe,
                None => Simulation::new(device, settings)?,
            };
            probe.flock_mut().resume(&state, step)?;
            probe.advance_observed(1, Observation::Order)?;
            probe.wait()?;
            let order = probe.order();
            *self.probe = Some(probe);
            Ok::<_, Error>(order.expect("the step was observed"))
        };
        noted(measured())
    }

    /// The SHA-256 of positions and velocities: the line of `starlings simulate --hash` for this step.
    pub fn hash(&self) -> Result<String> {
        here()?;
        Ok(digest(self.settings(), &noted(self.running.state())?))
    }

    /// Writes a checkpoint, from which [`ScriptedFlock::open`] and `--resume` go on.
    pub fn save(&self, path: &Path, force: bool) -> Result<()> {
        here()?;
        let settings = self.settings();
        if settings.states.is_on() {
            let accepted = "nothing with states: a checkpoint has none";
            return Err(Error::flag("path", format!("'{}'", path.display()), accepted));
        }
        let file = create(path, "path", "npz", existing(force))?;
        let config = self.config()?;
        let state = noted(self.running.state())?;
        LastCheckpoint { file, replayable: self.replayable, config }.write(settings, state, self.step())
    }

    /// A config file of the flock, its look and its camera.
    pub fn config(&self) -> Result<String> {
        let (look, viewpoint) = self.look(&Flags::new())?;
        Ok(text(self.settings(), &look, &viewpoint))
    }

    /// The value of a setting as TOML, as a config file has it; none where the law does not read it or the camera is
    /// the preset's.
    pub fn get(&self, name: &str) -> Result<Option<String>> {
        let (look, viewpoint) = self.look(&Flags::new())?;
        Ok(known(name)?.value(self.settings(), &look, &viewpoint))
    }

    /// Changes a setting of the running flock.
    ///
    /// # Errors
    /// As the command line for the value; [`starlings::Error::Setting`] for what decides how a flock starts.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        here()?;
        if !known(name)?.is_of_flock() {
            let changed = Flags::from([(name.to_owned(), value.to_owned())]);
            let (look, _) = self.look(&changed)?;
            self.running.show(&look)?;
            self.drawn.extend(changed);
            return Ok(());
        }
        if OF_THE_START.contains(&name) {
            return Err(Error::flag(name, value, "nothing in a running flock: make another one"));
        }
        let args = parse(&[format!("--{name}={value}")])?;
        let settings = args.flock.settings_from(self.settings().clone(), None)?.settings;
        if settings == self.request.settings {
            return Ok(());
        }
        // Where boids are is drawn by what the scene was made for.
        *self.painter = None;
        if settings.engine != self.settings().engine || !noted(self.running.adjust(&settings))? {
            let (state, step) = (noted(self.running.state())?, self.step());
            let place = if settings.engine.is_cpu() { None } else { Some(device(&self.place)?) };
            let start = Start { state: &state, step, crowding: None };
            *self.running = noted(Running::new(place.as_ref(), &settings, Some(&start)))?;
        }
        self.request.settings = settings;
        self.replayable = false;
        Ok(())
    }

    /// The look and what is said about the camera, with `more` over the flock's own.
    fn look(&self, more: &Flags) -> Result<(Look, Viewpoint)> {
        let args = self.drawn_with(more)?;
        let mut look = self.request.look(&args.look)?;
        look.read_model()?;
        Ok((look, self.request.viewpoint(&args.camera)))
    }

    fn drawn_with(&self, more: &Flags) -> Result<DrawnArgs> {
        let all: BTreeMap<_, _> = self.drawn.iter().chain(more).collect();
        let words: Vec<String> = all.into_iter().map(|(name, value)| format!("--{name}={value}")).collect();
        Ok(parse(&words)?)
    }
}

/// A setting as scripts list it.
#[derive(Clone, Debug)]
pub struct SettingInfo {
    /// Its name, with hyphens.
    pub name: &'static str,
    /// Its meaning.
    pub about: &'static str,
    /// Its unit; empty for plain numbers and names.
    pub unit: &'static str,
    /// What separates numbers in its text, if it is a list of them.
    pub separator: Option<char>,
}

/// Every setting of a flock, its look and its camera.
pub fn settings() -> impl Iterator<Item = SettingInfo> {
    FLAGS.iter().map(|flag| SettingInfo {
        name: &flag.name,
        about: &flag.about,
        unit: flag.unit,
        separator: match flag.kind {
            flags::Kind::Vector(between) | flags::Kind::NumberOrVector(between) => Some(between),
            _ => None,
        },
    })
}

fn flag(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.name == name)
}

fn known(name: &str) -> Result<&'static Flag> {
    flag(name).ok_or_else(|| Error::Input(format!("there is no setting '{name}'")))
}
