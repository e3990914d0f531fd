//! Measures what frames cost, while the panel *Statistics* is shown or a file is written (`view --trace FILE`). Otherwise nothing is
//! measured.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::ui::{FrameCost, FrameCosts};
use crate::output::{LineLog, say};
use crate::trace::{self, DevicePass, DeviceSpan, Part, Span};

/// Two frames that are farther apart have no interval: nothing moved in between.
const LONGEST_INTERVAL: Duration = Duration::from_millis(500);

/// How often what the panel shows is brought up to date: nobody reads figures faster, and a panel in which nothing changes need not be
/// painted.
const READ: Duration = Duration::from_millis(500);

/// The tracks of a trace: the thread of the window, and the graphics device.
const WINDOW: u32 = 1;
const DEVICE: u32 = 2;

/// The costs of the frames so far.
#[derive(Debug)]
pub(super) struct Statistics {
    costs: Arc<FrameCosts>,
    /// What the panel shows of them, and since when.
    shown: (Arc<FrameCosts>, Instant),
    file: Option<TraceFile>,
    is_on: bool,
    /// When the first frame, the last one and the current one began.
    first: Instant,
    last: Option<Instant>,
    begun: Instant,
    number: u64,
    /// How many bytes had been uploaded after the last frame.
    uploaded: u64,
}

/// What else is known of a frame at its end.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameEnd {
    /// How many bytes were uploaded since the device was opened.
    pub uploaded: u64,
    /// True where the device has a clock.
    pub has_device_clock: bool,
    /// What passes took on the device, of the last pictures that are known, each once.
    pub passes: Vec<DeviceSpan>,
}

impl Statistics {
    pub(super) fn new(file: Option<TraceFile>) -> Self {
        let now = Instant::now();
        let (costs, shown) = (Arc::default(), (Arc::default(), now));
        Self { costs, shown, file, is_on: false, first: now, last: None, begun: now, number: 0, uploaded: 0 }
    }

    /// Begins a frame. `is_shown`: the panel is.
    pub(super) fn begin_frame(&mut self, is_shown: bool, now: Instant) {
        let is_on = is_shown || self.file.is_some();
        if is_on != self.is_on {
            trace::begin(is_on);
            (self.is_on, self.last) = (is_on, None);
            if !is_on {
                self.costs = Arc::default();
                self.shown.0 = Arc::default();
            }
        }
        let is_due = self.shown.0.frames().len() == 0 || now.saturating_duration_since(self.shown.1) >= READ;
        if is_on && is_due {
            self.shown = (Arc::clone(&self.costs), now);
        }
        self.begun = now;
    }

    /// Returns whether frames are measured.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Ends a frame.
    pub(super) fn end_frame(&mut self, end: FrameEnd) {
        if !self.is_on {
            return;
        }
        let (spans, draw_calls) = trace::take();
        self.number += 1;
        let interval = self.last.map(|last| self.begun - last).filter(|interval| *interval <= LONGEST_INTERVAL);
        let (device_ms, passes_ms) = passes(&end.passes);
        let frame = FrameCost {
            number: self.number,
            interval_ms: interval.map_or(0.0, milliseconds),
            parts_ms: parts(&spans),
            device_ms,
            passes_ms,
            draw_calls,
            uploaded_bytes: end.uploaded.saturating_sub(self.uploaded),
        };
        (self.uploaded, self.last) = (end.uploaded, Some(self.begun));
        let whole = (self.begun - self.first, self.begun.elapsed());
        if let Some(file) = &mut self.file
            && let Err(error) = file.add(&frame, (&spans, &end.passes), self.first, whole)
        {
            say(format_args!("the trace ends here: {}: {error}", file.name));
            self.file = None;
        }
        let costs = Arc::make_mut(&mut self.costs);
        costs.has_device_clock = end.has_device_clock;
        costs.push(frame);
    }

    /// Returns the costs up to a moment ago, while they are measured.
    pub(super) fn costs(&self) -> Option<Arc<FrameCosts>> {
        self.is_on.then(|| Arc::clone(&self.shown.0))
    }

    /// Ends the file.
    pub(super) fn close(&mut self) {
        if let Some(error) = self.file.take().and_then(|file| file.end().err()) {
            say(format_args!("the trace could not be ended: {error}"));
        }
    }
}

fn milliseconds(time: Duration) -> f32 {
    time.as_secs_f32() * 1e3
}

/// Returns what each part took. Upload and record are parts of what presents, which has what remains.
fn parts(spans: &[Span]) -> [f32; Part::ALL.len()] {
    let mut out = [0.0; Part::ALL.len()];
    for span in spans {
        out[span.part as usize] += milliseconds(span.duration);
    }
    let within = out[Part::Upload as usize] + out[Part::Record as usize];
    out[Part::Present as usize] = (out[Part::Present as usize] - within).max(0.0);
    out
}

/// Returns what the passes of the picture took on the device together, and what each of [`DevicePass::ALL`] took.
fn passes(spans: &[DeviceSpan]) -> (Option<f32>, [Option<f32>; DevicePass::ALL.len()]) {
    let (mut whole, mut out) = (None, [None; DevicePass::ALL.len()]);
    for span in spans {
        let ms = milliseconds(span.duration);
        *out[span.pass as usize].get_or_insert(0.0) += ms;
        if span.pass != DevicePass::Panels {
            *whole.get_or_insert(0.0) += ms;
        }
    }
    (whole, out)
}

/// A file in which each frame is written as it ends.
#[derive(Debug)]
pub(super) struct TraceFile {
    log: LineLog,
    name: String,
    /// Whether it is a table of comma-separated values; else the JSON of Chrome's traces, which Perfetto opens.
    is_table: bool,
    /// When the last pass on the device ended, since the first frame.
    device_until: Duration,
}

impl TraceFile {
    /// Makes the file, which does not exist yet. An ending `.csv` asks for a table.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn create(path: &Path) -> std::io::Result<Self> {
        let is_table = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let mut log = LineLog::create(path)?;
        log.add(if is_table { FrameCost::CSV_HEAD } else { "[" })?;
        Ok(Self { log, name: path.display().to_string(), is_table, device_until: Duration::ZERO })
    }

    /// Adds a frame that began at `whole.0` after the first one and took `whole.1`.
    fn add(
        &mut self,
        frame: &FrameCost,
        (spans, passes): (&[Span], &[DeviceSpan]),
        first: Instant,
        whole: (Duration, Duration),
    ) -> std::io::Result<()> {
        if self.is_table {
            return self.log.add(&frame.csv_line());
        }
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let slice = |track: u32, name: &str, start: Duration, duration: Duration| {
            let (ts, dur) = (micros(start), micros(duration));
            json!({ "name": name, "cat": "frame", "ph": "X", "ts": ts, "dur": dur, "pid": 1, "tid": track })
        };
        let counter = |name: &str, value: f64| json!({ "name": name, "ph": "C", "ts": micros(whole.0), "pid": 1, "args": { "value": value } });
        let mut events = vec![slice(WINDOW, "frame", whole.0, whole.1)];
        events.extend(
            spans
                .iter()
                .map(|span| slice(WINDOW, span.part.id(), span.start.saturating_duration_since(first), span.duration)),
        );
        for span in passes {
            // The device does one pass after the other, and may begin with one later than it was asked to.
            let start = span.start.saturating_duration_since(first).max(self.device_until);
            self.device_until = start + span.duration;
            events.push(slice(DEVICE, span.pass.id(), start, span.duration));
        }
        events.push(counter("draw calls", frame.draw_calls.into()));
        events.push(counter("bytes uploaded", frame.uploaded_bytes as f64));
        events.extend(frame.device_ms.map(|ms| counter("graphics device, ms", ms.into())));
        events.iter().try_for_each(|event| self.log.add(&format!("{event},")))
    }

    /// Writes the end.
    fn end(mut self) -> std::io::Result<()> {
        if self.is_table {
            return Ok(());
        }
        for (track, name) in [(WINDOW, "window"), (DEVICE, "graphics device")] {
            let name = json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": track, "args": { "name": name } });
            self.log.add(&format!("{name},"))?;
        }
        let name = json!({ "name": "process_name", "ph": "M", "pid": 1, "args": { "name": "skinscope" } });
        self.log.add(&format!("{name}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(statistics: &mut Statistics) {
        for uploaded in [1000, 1500] {
            statistics.begin_frame(false, Instant::now());
            trace::measured(Part::Present, || trace::measured(Part::Record, || trace::count_draws(7)));
            // Both pictures were given to the device before it ended the first one.
            let span = |pass, after: u64, micros| DeviceSpan {
                pass,
                start: statistics.first + Duration::from_micros(after),
                duration: Duration::from_micros(micros),
            };
            let passes = vec![
                span(DevicePass::Shadows, 0, 200),
                span(DevicePass::Picture, 200, 300),
                span(DevicePass::Panels, 250, 125),
            ];
            statistics.end_frame(FrameEnd { uploaded, has_device_clock: true, passes });
        }
    }

    #[test]
    fn nothing_is_measured_until_the_panel_is_shown() {
        let mut statistics = Statistics::new(None);
        frames(&mut statistics);
        assert!(statistics.costs().is_none());
        for is_shown in [true, true, false] {
            statistics.begin_frame(is_shown, Instant::now());
            trace::measured(Part::Sample, || ());
            statistics.end_frame(FrameEnd::default());
            assert_eq!(statistics.costs().is_some(), is_shown);
        }
        statistics.begin_frame(true, Instant::now());
        statistics.end_frame(FrameEnd::default());
        statistics.begin_frame(true, Instant::now());
        assert_eq!(statistics.costs().map(|costs| costs.frames().len()), Some(1), "it begins anew");
        trace::begin(false);
    }

    #[test]
    fn what_is_shown_changes_twice_a_second() {
        let mut statistics = Statistics::new(None);
        let start = Instant::now();
        let mut shown = Vec::new();
        for frame in 0..60 {
            statistics.begin_frame(true, start + Duration::from_millis(20 * frame));
            shown.push(statistics.costs().map_or(0, |costs| costs.frames().len()));
            statistics.end_frame(FrameEnd::default());
        }
        shown.dedup();
        assert_eq!(shown, [0, 1, 26, 51]);
        trace::begin(false);
    }

    #[test]
    fn a_trace_is_json_that_names_all_parts_and_a_table_has_a_line_for_each_frame() {
        let folder = std::env::temp_dir().join(format!("skinscope_trace_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [json, csv] = ["trace.json", "trace.csv"].map(|name| folder.join(name));
        for path in [&json, &csv] {
            let mut statistics = Statistics::new(Some(TraceFile::create(path).unwrap()));
            frames(&mut statistics);
            statistics.close();
            trace::begin(false);
        }
        assert!(TraceFile::create(&json).is_err(), "no file is overwritten");
        let text = std::fs::read_to_string(&json).unwrap();
        let events: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let of = |name: &str| events.iter().filter(|event| event["name"] == name).collect::<Vec<_>>();
        assert_eq!([of("frame").len(), of("record").len(), of("present").len(), of("draw calls").len()], [2; 4]);
        assert_eq!(of("bytes uploaded")[1]["args"]["value"], 500.0);
        let [frame, record] = [of("frame")[1], of("record")[1]].map(|event| {
            let number = |field: &str| event[field].as_f64().unwrap();
            (number("ts"), number("ts") + number("dur"))
        });
        assert!(frame.0 <= record.0 && record.1 <= frame.1, "a part lies in its frame: {frame:?} {record:?}");
        let on_device: Vec<_> = events.iter().filter(|event| event["tid"] == DEVICE && event["ph"] == "X").collect();
        let names: Vec<_> = on_device.iter().map(|event| event["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["device_shadows", "device_picture", "device_panels"].repeat(2));
        let numbers =
            |name: &str| -> Vec<f64> { on_device.iter().map(|event| event[name].as_f64().unwrap()).collect() };
        assert_eq!(numbers("ts"), [0.0, 200.0, 500.0, 625.0, 825.0, 1125.0], "no pass lies over another");
        assert_eq!(numbers("dur"), [200.0, 300.0, 125.0].repeat(2));
        let tracks: Vec<_> =
            of("thread_name").iter().map(|event| (event["tid"].clone(), event["args"]["name"].clone())).collect();
        assert_eq!(tracks, [(WINDOW.into(), "window".into()), (DEVICE.into(), "graphics device".into())]);
        let table = std::fs::read_to_string(&csv).unwrap();
        let lines: Vec<_> = table.lines().collect();
        assert!(
            lines.len() == 3
                && lines[0].starts_with("frame,")
                && lines[2].ends_with(",0.5000,0.2000,,0.3000,0.1250,7,500"),
            "{table}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
