//! Traces: time lines of host and device in the Trace Event Format, for Perfetto and `chrome://tracing`.
//!
//! [`TraceLayer`] collects the events of [`timeline`]; [`Trace::write`] writes them to a file. The format is JSON,
//! times are microseconds: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
//!
//! The host is process 1 and has a track for each thread. The device is process 2, with a track for submissions and one
//! for their passes. A pass whose first stamp was taken before the last one of the pass before it goes to one more
//! track of its own, because pieces of one track must not overlap.

use super::file::OutputFile;
use crate::error::Result;
use serde_json::{Map, Value, json};
use starlings::vk::timeline;
use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Spans and passes that a trace keeps: about five minutes of a window at 60 frames a second, in a file of some 60 MB.
/// Older ones are dropped first.
pub const MOST_PIECES: usize = 500_000;

const HOST: u32 = 1;
const DEVICE: u32 = 2;
/// Tracks of the device. Perfetto needs unique track numbers across processes.
const SUBMISSIONS: u32 = 101;
const PASSES: u32 = 102;

/// Something that took time. Nanoseconds since [`timeline::start`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    name: u16,
    place: Place,
    submission: Option<u64>,
    /// Of a pass.
    step: Option<u32>,
    begin: u64,
    end: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// On this thread of the host, in the order in which threads were first seen.
    Host(u16),
    /// A pass on the device.
    Device,
}

#[derive(Debug, Default)]
struct Recording {
    pieces: VecDeque<Piece>,
    dropped: u64,
    names: Vec<String>,
    /// With their names, if they have some.
    threads: Vec<(ThreadId, Option<String>)>,
    /// Counts of boids, and when each came to be.
    boids: VecDeque<(u64, u64)>,
    device: String,
    clock: String,
    error_ns: u64,
}

/// The events collected so far.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Recording>>);

/// Collects events for a [`Trace`].
pub struct TraceLayer(Trace);

impl Trace {
    /// An empty trace, and what fills it once it listens to the target [`timeline::TARGET`].
    pub fn new() -> (Self, TraceLayer) {
        timeline::start();
        let trace = Trace::default();
        (trace.clone(), TraceLayer(trace))
    }

    /// Writes the trace into `out` and gives it its name. Returns the count of spans and passes in it.
    pub fn write(&self, out: OutputFile) -> Result<usize> {
        let recording = self.recording();
        out.fill(|file| recording.write(file))?;
        Ok(recording.pieces.len())
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    fn name(&mut self, name: &str) -> u16 {
        place(&mut self.names, |known| known == name, || name.to_owned())
    }

    fn thread(&mut self) -> u16 {
        let current = thread::current();
        let named = || (current.id(), current.name().map(str::to_owned));
        place(&mut self.threads, |known| known.0 == current.id(), named)
    }

    fn push(&mut self, piece: Piece) {
        if self.pieces.len() == MOST_PIECES {
            self.pieces.pop_front();
            self.dropped += 1;
        }
        self.pieces.push_back(piece);
    }

    /// Takes the count of boids of now, if it is another than the last.
    fn count(&mut self, boids: u64) {
        if self.boids.back().is_none_or(|&(_, last)| last != boids) {
            if self.boids.len() == MOST_PIECES {
                self.boids.pop_front();
            }
            self.boids.push_back((timeline::now(), boids));
        }
    }

    fn write(&self, file: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(file);
        let about = json!({
            "device": self.device,
            "clock": self.clock,
            "clock_error_us": micros(self.error_ns),
            "dropped": self.dropped,
            "version": env!("CARGO_PKG_VERSION"),
        });
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{about},\"traceEvents\":[")?;
        let mut comma = "\n";
        let mut event = |event: Value| {
            write!(out, "{comma}{event}")?;
            comma = ",\n";
            io::Result::Ok(())
        };
        let label = |kind: &str, pid, tid, name: &str| {
            let args = json!({ "name": name });
            json!({ "ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args })
        };
        event(label("process_name", HOST, 0, "host"))?;
        for (index, (_, name)) in self.threads.iter().enumerate() {
            let name = name.clone().unwrap_or_else(|| format!("thread {index}"));
            event(label("thread_name", HOST, index as u32 + 1, &name))?;
        }
        for &(at, boids) in &self.boids {
            event(counter("boids", HOST, at, boids))?;
        }
        event(label("process_name", DEVICE, 0, &format!("GPU: {}", self.device)))?;
        event(label("thread_name", DEVICE, SUBMISSIONS, "submissions"))?;

        let mut pieces: Vec<&Piece> = self.pieces.iter().collect();
        // An outer span before those in it, although it ended after them.
        pieces.sort_by_key(|piece| (piece.begin, u64::MAX - piece.end));
        let wholes = submissions(&pieces);
        let mut tracks = Tracks::default();
        for piece in &pieces {
            let name = &self.names[usize::from(piece.name)];
            let (category, pid, tid) = match piece.place {
                Place::Host(thread) => ("host", HOST, u32::from(thread) + 1),
                Place::Device => ("pass", DEVICE, PASSES + tracks.free(piece)),
            };
            event(slice(name, category, pid, tid, piece))?;
            let on_device = |&id: &u64| wholes.binary_search_by_key(&Some(id), |whole| whole.submission).is_ok();
            if let (Place::Host(_), Some(id)) = (piece.place, piece.submission.filter(on_device)) {
                event(arrow("s", id, pid, tid, piece.begin))?;
            }
        }
        for (track, _) in tracks.0.iter().enumerate() {
            let name = if track == 0 { "passes".to_owned() } else { format!("passes that overlap, {track}") };
            event(label("thread_name", DEVICE, PASSES + track as u32, &name))?;
        }
        for (at, count) in in_flight(&pieces, &wholes) {
            event(counter("submissions in flight", DEVICE, at, count))?;
        }
        for whole in wholes {
            let id = whole.submission.unwrap_or_default();
            event(slice(&format!("submission {id}"), "submission", DEVICE, SUBMISSIONS, &whole))?;
            event(arrow("f", id, DEVICE, SUBMISSIONS, whole.begin))?;
        }
        writeln!(out, "\n]}}")?;
        out.flush()
    }
}

/// The place of what `is` looks for in `list`, where it is added if it is not there.
fn place<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> u16 {
    let place = list.iter().position(is).unwrap_or(list.len());
    if place == list.len() {
        list.push(new());
    }
    place as u16
}

/// Tracks of passes, by the end of the last pass on each.
#[derive(Default)]
struct Tracks(Vec<u64>);

impl Tracks {
    /// The first track on which `piece` overlaps nothing.
    fn free(&mut self, piece: &Piece) -> u32 {
        let track = self.0.iter().position(|&end| end <= piece.begin).unwrap_or(self.0.len());
        self.0.resize(self.0.len().max(track + 1), 0);
        self.0[track] = piece.end;
        track as u32
    }
}

/// Each submission from its first pass to its last. The device runs them one after another, yet the stamps of two may
/// overlap by a pass that waits for nothing: there the later one begins when the earlier one ends.
fn submissions(pieces: &[&Piece]) -> Vec<Piece> {
    let mut wholes: Vec<Piece> = Vec::new();
    for &&piece in pieces.iter().filter(|piece| piece.place == Place::Device) {
        match wholes.iter_mut().rev().take(4).find(|whole| whole.submission == piece.submission) {
            Some(whole) => whole.end = whole.end.max(piece.end),
            None => wholes.push(piece),
        }
    }
    for index in 1..wholes.len() {
        let before = wholes[index - 1].end;
        wholes[index].begin = wholes[index].begin.max(before);
        wholes[index].end = wholes[index].end.max(before);
    }
    wholes
}

/// How many submissions are in flight from when on: each from its `submit` on the host to its last pass.
fn in_flight(pieces: &[&Piece], wholes: &[Piece]) -> Vec<(u64, u64)> {
    let submitted = pieces.iter().filter(|piece| matches!(piece.place, Place::Host(_)));
    let of = |id: Option<u64>| wholes.binary_search_by_key(&id, |whole| whole.submission).ok().map(|at| wholes[at].end);
    let spans = submitted.filter_map(|piece| Some((piece.end, of(piece.submission)?)));
    let mut changes: Vec<(u64, i64)> = spans.flat_map(|(from, to)| [(from, 1), (to.max(from), -1)]).collect();
    changes.sort_unstable();
    let mut count = 0;
    let counted = changes.into_iter().map(|(at, change)| {
        count += change;
        (at, count.max(0) as u64)
    });
    counted.collect()
}

/// A value from this moment on.
fn counter(name: &str, pid: u32, at: u64, value: u64) -> Value {
    json!({ "ph": "C", "name": name, "pid": pid, "tid": 0, "ts": micros(at), "args": { name: value } })
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

fn slice(name: &str, category: &str, pid: u32, tid: u32, piece: &Piece) -> Value {
    let mut event = json!({
        "ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid,
        "ts": micros(piece.begin), "dur": micros(piece.end - piece.begin),
    });
    let arguments = [("submission", piece.submission), ("step", piece.step.map(u64::from))];
    let given = arguments.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    let given: Map<String, Value> = given.collect();
    if !given.is_empty() {
        event["args"] = given.into();
    }
    event
}

/// One end of the arrow from the host's submission to the device's work.
fn arrow(phase: &str, id: u64, pid: u32, tid: u32, at: u64) -> Value {
    let ts = micros(at);
    json!({"ph": phase, "bp": "e", "name": "submission", "cat": "flow", "id": id, "pid": pid, "tid": tid, "ts": ts})
}

/// The fields of a span or an event, by their names.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Data of an open span.
struct Open {
    submission: Option<u64>,
    begin: u64,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Open { submission: fields.number("submission"), begin: timeline::now() });
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            open.begin = timeline::now();
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let end = timeline::now();
        let Some(span) = context.span(id) else { return };
        let Some(&Open { submission, begin }) = span.extensions().get::<Open>() else { return };
        let mut recording = self.0.recording();
        let (name, thread) = (recording.name(span.name()), recording.thread());
        recording.push(Piece { name, place: Place::Host(thread), submission, step: None, begin, end });
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut recording = self.0.recording();
        if let Some(pass) = fields.text("pass") {
            let begin = fields.number("begin").unwrap_or_default();
            let end = fields.number("end").unwrap_or_default().max(begin);
            let (name, submission) = (recording.name(pass), fields.number("submission"));
            let step = fields.number("step").and_then(|step| u32::try_from(step).ok());
            recording.push(Piece { name, place: Place::Device, submission, step, begin, end });
        } else if let Some(boids) = fields.number("boids") {
            recording.count(boids);
        } else if let Some(device) = fields.text("device") {
            device.clone_into(&mut recording.device);
            fields.text("clock").unwrap_or_default().clone_into(&mut recording.clock);
            recording.error_ns = recording.error_ns.max(fields.number("error_ns").unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(place: Place, submission: u64, begin: u64, end: u64) -> Piece {
        Piece { name: 0, place, submission: Some(submission), step: None, begin, end }
    }

    #[test]
    fn a_full_trace_drops_what_is_oldest_and_counts_it() {
        let mut recording = Recording::default();
        recording.name("steer");
        for index in 0..MOST_PIECES as u64 + 3 {
            recording.push(piece(Place::Device, index, 2 * index, 2 * index + 1));
        }
        assert_eq!((recording.pieces.len(), recording.dropped), (MOST_PIECES, 3));
        assert_eq!(recording.pieces[0].submission, Some(3));
        recording.pieces.truncate(1_000);
        let mut text = Vec::new();
        recording.write(&mut text).expect("memory takes it");
        let about: Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(about["otherData"]["dropped"], 3);
    }

    #[test]
    fn passes_that_overlap_go_to_tracks_of_their_own() {
        let mut tracks = Tracks::default();
        let passes = [(0, 10), (9, 12), (11, 20), (12, 13), (20, 21)];
        let tracks = passes.map(|(begin, end)| tracks.free(&piece(Place::Device, 1, begin, end)));
        assert_eq!(tracks, [0, 1, 0, 1, 0]);
    }

    #[test]
    fn submissions_span_their_passes_and_follow_each_other() {
        let passes = [(1, 0, 5), (1, 5, 12), (2, 11, 13), (2, 13, 14)]
            .map(|(submission, begin, end)| piece(Place::Device, submission, begin, end));
        let host = piece(Place::Host(0), 1, 0, 99);
        let found = submissions(&passes.iter().chain([&host]).collect::<Vec<_>>());
        let spans: Vec<_> = found.iter().map(|whole| (whole.submission, whole.begin, whole.end)).collect();
        assert_eq!(spans, [(Some(1), 0, 12), (Some(2), 12, 14)]);
    }

    #[test]
    fn a_submission_is_in_flight_from_the_host_to_its_last_pass() {
        let host = [(1, 0, 2), (2, 3, 5), (9, 0, 1)].map(|(id, begin, end)| piece(Place::Host(0), id, begin, end));
        let passes = [(1, 4, 10), (2, 10, 14)].map(|(id, begin, end)| piece(Place::Device, id, begin, end));
        let pieces: Vec<&Piece> = host.iter().chain(&passes).collect();
        let counts = in_flight(&pieces, &submissions(&pieces));
        assert_eq!(counts, [(2, 1), (5, 2), (10, 1), (14, 0)]);
    }
}
