//! What the frame is without a dependency, found by a thread beside the window's frames: the queue over time, and the
//! damage that the specification allows, played on a small flock of the same settings.

use crate::damage::replay::{MutantReplay, Replays};
use crate::sync::FrameSpec;
use crate::sync::queue::{Queue, Sequence, Sequences, sequences};
use starlings::flock::Settings;
use starlings::vk::Journal;
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

/// What was played without a dependency.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The frames of so many boids.
    Replayed(u32, Box<MutantReplay>),
    /// It is in none of the frames that are played.
    Absent,
    /// Why nothing was played.
    Failed(String),
}

struct Request {
    /// Counts the frames that were asked about, and the settings.
    serial: (u64, u64),
    frame: Journal,
    /// The kind of that frame.
    spec: Option<FrameSpec>,
    /// The dependency that is left out, and the flock to play.
    left_out: Option<(&'static str, Settings)>,
}

enum Answer {
    Frame(Queue),
    Queue(&'static str, (Queue, Sequence)),
    Outcome(&'static str, Outcome),
}

/// An answer, with the serial of its request.
type Reply = ((u64, u64), Answer);

/// A thread, and the ways to it and from it. It ends when this is dropped, after what it is at: nobody waits for it,
/// and what it holds is the host's memory.
struct Line {
    asked: Sender<Request>,
    answers: Receiver<Reply>,
    thread: JoinHandle<()>,
}

impl Line {
    fn new(work: impl FnOnce(&Receiver<Request>, &Sender<Reply>) + Send + 'static) -> io::Result<Line> {
        let ((asked, requests), (say, answers)) = (channel(), channel());
        let thread = thread::Builder::new().name("study".into()).spawn(move || work(&requests, &say))?;
        Ok(Line { asked, answers, thread })
    }

    /// Why a thread has ended that was not to: it has panicked.
    fn fault(self) -> String {
        // It is past its last answer.
        let panic = self.thread.join().err();
        let text = panic.as_ref().and_then(|panic| {
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied())
        });
        format!("a fault in the program, {}", text.unwrap_or("without a word"))
    }
}

/// Questions to the thread, and what it has answered so far.
#[derive(Default)]
pub struct Study {
    line: Option<Line>,
    /// Why there will be no answer, if that is so.
    fault: Option<String>,
    serial: (u64, u64),
    frame: Journal,
    spec: Option<FrameSpec>,
    settings: Option<Settings>,
    /// What was asked for last.
    pending: Option<(&'static str, (u64, u64))>,
    /// With nothing left out.
    whole: Option<Queue>,
    queues: BTreeMap<&'static str, (Queue, Sequence)>,
    outcomes: BTreeMap<&'static str, Outcome>,
}

impl Study {
    /// The window's frame is now this one, of this kind.
    pub fn frame(&mut self, frame: Journal, spec: FrameSpec) {
        (self.frame, self.spec) = (frame, Some(spec));
        self.serial.0 += 1;
        self.queues.clear();
        self.ask(None);
    }

    /// The dependency of this name is left out of the frames of such a flock.
    pub fn left_out(&mut self, name: &'static str, settings: &Settings) {
        if self.settings.as_ref() != Some(settings) {
            self.settings = Some(settings.clone());
            self.serial.1 += 1;
            self.outcomes.clear();
        } else if self.queues.contains_key(name) && self.outcomes.contains_key(name) {
            return;
        }
        if self.pending.replace((name, self.serial)) != Some((name, self.serial)) {
            self.ask(Some((name, settings.clone())));
        }
    }

    /// Takes what has arrived. Whether that is anything.
    pub fn arrive(&mut self) -> bool {
        let mut some = false;
        while let Some(line) = &self.line {
            let ((frame, flock), answer) = match line.answers.try_recv() {
                Ok(reply) => reply,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    let fault = self.line.take().map(Line::fault);
                    self.fail(fault.unwrap_or_default());
                    return true;
                }
            };
            match answer {
                Answer::Frame(queue) if frame == self.serial.0 => self.whole = Some(queue),
                Answer::Queue(name, queue) if frame == self.serial.0 => drop(self.queues.insert(name, queue)),
                Answer::Outcome(name, outcome) if flock == self.serial.1 => drop(self.outcomes.insert(name, outcome)),
                _ => continue,
            }
            some = true;
        }
        some
    }

    /// The queue without this dependency, or whole. None until it is known; what the dependency orders may follow.
    pub fn queue(&self, left_out: Option<&'static str>) -> Option<(Queue, Sequence)> {
        let whole = self.whole.as_ref()?;
        let Some(name) = left_out else { return Some((whole.clone(), Sequence::Frames)) };
        Some(self.queues.get(name).cloned().unwrap_or_else(|| (whole.highlighting(name), Sequence::Frames)))
    }

    /// Whether it is known what this dependency orders.
    pub fn knows(&self, name: &str) -> bool {
        self.queues.contains_key(name)
    }

    /// What was played without this dependency; none until it is known.
    pub fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.outcomes.get(name)
    }

    /// Why nothing more is found out about this frame and this choice, if that is so.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    fn fail(&mut self, fault: String) {
        let failed = self.pending.map(|(name, _)| (name, Outcome::Failed(fault.clone())));
        self.outcomes.extend(failed);
        self.fault = Some(fault);
    }

    fn ask(&mut self, left_out: Option<(&'static str, Settings)>) {
        self.fault = None;
        if self.line.is_none() {
            match Line::new(work) {
                Ok(line) => self.line = Some(line),
                Err(error) => return self.fail(error.to_string()),
            }
        }
        let request = Request { serial: self.serial, frame: self.frame.clone(), spec: self.spec.clone(), left_out };
        if let Some(line) = &self.line {
            // If it has panicked, `arrive` says so.
            let _ = line.asked.send(request);
        }
    }
}

/// Answers requests until nobody asks any more; of several that wait, the last.
fn work(requests: &Receiver<Request>, say: &Sender<Reply>) {
    let mut known: Option<(u64, Sequences)> = None;
    let mut replays: Option<(u64, Replays)> = None;
    let mut next = None;
    while let Some(request) = next.take().or_else(|| requests.recv().ok()) {
        let request = requests.try_iter().last().unwrap_or(request);
        let (frame, flock) = request.serial;
        let tell = |answer| say.send((request.serial, answer)).is_ok();
        if known.as_ref().is_none_or(|(of, ..)| *of != frame) {
            let queue = Queue::new(&request.frame);
            if !tell(Answer::Frame(queue.clone())) {
                return;
            }
            known = Some((frame, sequences(queue, request.spec.as_ref())));
        }
        let (Some((_, known)), Some((name, settings))) = (&known, &request.left_out) else { continue };
        if !tell(Answer::Queue(name, known.without(name))) {
            return;
        }
        // The picture of another choice comes before the damage of this one.
        next = requests.try_iter().last();
        if next.is_some() {
            continue;
        }
        if replays.as_ref().is_none_or(|(of, _)| *of != flock) {
            replays = match Replays::new(settings) {
                Ok(made) => Some((flock, made)),
                Err(error) => {
                    tell(Answer::Outcome(name, Outcome::Failed(error.to_string())));
                    continue;
                }
            };
        }
        let Some((_, replays)) = &replays else { continue };
        let outcome = match replays.dependencies().iter().find(|of| of.name == *name) {
            Some(dependency) => Outcome::Replayed(replays.boids, Box::new(replays.replay(dependency, None))),
            None => Outcome::Absent,
        };
        tell(Answer::Outcome(name, outcome));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::FrameKind;
    use starlings::flock::buffers::POSITION_VX;
    use std::time::{Duration, Instant};

    fn wait(study: &mut Study, done: impl Fn(&Study) -> bool) {
        let begun = Instant::now();
        while !done(study) {
            assert!(begun.elapsed() < Duration::from_secs(60), "no answer");
            study.arrive();
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A windowed frame of so many steps, recorded with the null driver.
    fn frame(settings: &Settings, steps: u32) -> (Journal, FrameSpec) {
        let spec = FrameSpec::new(settings, FrameKind::Windowed);
        (spec.journals(&[steps]).expect("a journal").remove(0), spec)
    }

    fn flock() -> Settings {
        Settings::preset("reynolds").expect("a known preset").with_boids(60)
    }

    #[test]
    fn it_finds_what_slides_and_what_is_hurt() {
        let (settings, mut study) = (flock(), Study::default());
        let (frame, spec) = frame(&settings, 1);
        study.frame(frame, spec);
        wait(&mut study, |study| study.queue(None).is_some());
        assert_eq!(study.queue(Some("steer-to-count")).expect("lit at once").0.lit.waits, []);
        study.left_out("steer-to-count", &settings);
        wait(&mut study, |study| study.outcome("steer-to-count").is_some());
        // A picture between two steps does its work.
        let (queue, among) = study.queue(Some("steer-to-count")).expect("a queue");
        assert_eq!((among, queue.frame().passes().count()), (Sequence::Steps, 8));
        assert!(queue.title().is_some_and(|title| title.starts_with("steer of the previous frame → grid_count")));
        let Some(Outcome::Replayed(60, scene)) = study.outcome("steer-to-count") else { panic!("nothing played") };
        let (.., played) = scene.worst.as_ref().expect("something bad");
        assert_eq!((played.corrupt[0].resource, played.corrupt[0].elements), (POSITION_VX, Some((60, 60))));
        assert_eq!(played.damage.flock.len(), 60);
        // Of every dependency it is known where it is missing.
        let whole = study.queue(None).expect("a queue").0;
        let known = sequences(whole.clone(), study.spec.as_ref());
        let names: Vec<_> = whole.frame().dependencies().map(|of| of.name).collect();
        let among =
            |one: Sequence| names.iter().copied().filter(|name| known.without(name).1 == one).collect::<Vec<_>>();
        assert_eq!(among(Sequence::Steps), ["downsweep-to-clear", "steer-to-count"]);
        assert_eq!(among(Sequence::Stepless), ["compose-to-clear", "copy-to-compose"]);
        let idle: Vec<_> = names.iter().filter(|name| known.without(name).0.lit.waits.is_empty()).collect();
        assert!(idle.is_empty(), "{idle:?}");
        // Another flock is played anew, and what is not in its frames is said.
        study.left_out("steer-to-count", &settings.clone().with_boids(50));
        assert!(study.outcome("steer-to-count").is_none());
        wait(&mut study, |study| matches!(study.outcome("steer-to-count"), Some(Outcome::Replayed(50, _))));
        study.left_out("no-such-dependency", &settings.with_boids(50));
        wait(&mut study, |study| matches!(study.outcome("no-such-dependency"), Some(Outcome::Absent)));
    }

    #[test]
    fn a_panic_of_the_thread_is_reported_and_the_next_question_answered() {
        let (settings, mut study) = (flock(), Study::default());
        let (frame, spec) = frame(&settings, 1);
        let panics = |requests: &Receiver<Request>, _: &Sender<Reply>| {
            let request = requests.recv().expect("a request");
            panic!("serial {}, for a test", request.serial.0)
        };
        study.line = Some(Line::new(panics).expect("a thread"));
        study.frame(frame, spec);
        study.left_out("steer-to-count", &settings);
        wait(&mut study, |study| study.fault().is_some());
        let fault = "a fault in the program, serial 1, for a test";
        assert_eq!(study.fault(), Some(fault));
        let outcome = study.outcome("steer-to-count");
        assert!(matches!(outcome, Some(Outcome::Failed(reason)) if reason == fault), "{outcome:?}");
        assert!(study.queue(None).is_none());
        study.left_out("clear-to-count", &settings);
        assert_eq!(study.fault(), None);
        wait(&mut study, |study| matches!(study.outcome("clear-to-count"), Some(Outcome::Replayed(..))));
        assert!(study.queue(Some("clear-to-count")).is_some());
    }

    /// Many questions in a row: only the last is played, and an end meanwhile is no fault.
    #[test]
    fn the_last_choice_is_answered_and_the_thread_ends_when_nobody_asks() {
        let (settings, mut study) = (flock(), Study::default());
        let (frame, spec) = frame(&settings, 1);
        study.frame(frame, spec);
        for name in ["downsweep-to-clear", "clear-to-count", "steer-to-count", "count-to-reduce"] {
            study.left_out(name, &settings);
        }
        wait(&mut study, |study| study.outcome("count-to-reduce").is_some());
        study.left_out("cull-to-draw", &settings);
        let line = study.line.take().expect("a thread");
        let (asked, thread) = (line.asked, line.thread);
        drop((asked, line.answers));
        thread.join().expect("it ends by itself, without a panic");
    }
}
