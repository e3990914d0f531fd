//! `view --benchmark N`: measures what a frame costs, from inside.

pub(super) mod device;

use std::time::{Duration, Instant};

use serde::Serialize;

/// Options of a benchmark.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// How many presented frames are measured.
    pub frames: u32,
    /// Whether to print JSON instead of text.
    pub json: bool,
}

/// The line that is printed.
#[derive(Clone, Debug, Serialize)]
struct BenchmarkReport {
    schema: u32,
    frames: u32,
    first_frame_ms: f64,
    frame_ms_median: f64,
    frame_ms_p95: f64,
    cpu_ms_per_frame: Option<f64>,
    peak_rss_mib: Option<f64>,
    instances: usize,
    /// How many samples a pixel had in the last frame.
    samples: u32,
    /// The kind of buffer that joint matrices were read from.
    palette: &'static str,
    /// How many poses a second were measured.
    measured_per_s: f64,
}

/// Counts presented frames.
#[derive(Debug)]
pub(crate) struct FrameTimer {
    wanted: Benchmark,
    started: Instant,
    first_frame: Option<Duration>,
    last: Instant,
    cpu_at_first: Option<Duration>,
    intervals: Vec<Duration>,
    presented: u32,
    /// How many poses were measured since the first frame.
    measured: u32,
    samples: u32,
    palette: &'static str,
}

impl FrameTimer {
    /// Starts to count; `started` is the time at which the process did.
    pub(crate) fn new(wanted: Benchmark, started: Instant) -> Self {
        let intervals = Vec::with_capacity(wanted.frames as usize);
        Self {
            wanted,
            started,
            first_frame: None,
            last: started,
            cpu_at_first: None,
            intervals,
            presented: 0,
            measured: 0,
            samples: 0,
            palette: "",
        }
    }

    /// Counts a frame that was presented, with the samples of its pixels and the buffer of its palette; returns true
    /// when it was the last one wanted.
    pub(crate) fn presented(&mut self, samples: u32, palette: &'static str) -> bool {
        (self.samples, self.palette) = (samples, palette);
        let now = Instant::now();
        self.presented += 1;
        if self.first_frame.is_none() {
            self.first_frame = Some(now - self.started);
            self.cpu_at_first = cpu_time();
        } else {
            self.intervals.push(now - self.last);
        }
        self.last = now;
        self.presented >= self.wanted.frames
    }

    /// Counts a pose that was measured beside the frames.
    pub(crate) fn measured(&mut self) {
        self.measured += u32::from(self.first_frame.is_some());
    }

    /// Returns the line to print; `instances` of the model were shown. The first frame has a figure of its own, since
    /// it includes start, load and compilation. With a single frame the other figures are that frame's.
    pub(crate) fn line(&self, instances: usize) -> String {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let first = self.first_frame.unwrap_or_default();
        let mut sorted = if self.intervals.is_empty() { vec![first] } else { self.intervals.clone() };
        sorted.sort();
        let at = |q: f64| ms(sorted[((sorted.len() - 1) as f64 * q).round() as usize]);
        let cpu = cpu_time().map(|now| {
            let since = if self.intervals.is_empty() { Duration::ZERO } else { self.cpu_at_first.unwrap_or_default() };
            ms(now.saturating_sub(since)) / sorted.len() as f64
        });
        let played: Duration = self.intervals.iter().sum();
        let line = BenchmarkReport {
            schema: 1,
            frames: self.presented,
            first_frame_ms: round(ms(first)),
            frame_ms_median: round(at(0.5)),
            frame_ms_p95: round(at(0.95)),
            cpu_ms_per_frame: cpu.map(round),
            peak_rss_mib: peak_rss_mib().map(round),
            instances,
            samples: self.samples,
            palette: self.palette,
            measured_per_s: round(f64::from(self.measured) / played.as_secs_f64().max(1e-9)),
        };
        if self.wanted.json {
            return serde_json::to_string(&line).unwrap_or_default();
        }
        let or_unknown = |v: Option<f64>| v.map_or_else(|| "unknown".to_owned(), |v| format!("{v:.1}"));
        format!(
            "schema {}  frames {}  first frame {:.1} ms  frame {:.2} ms median, {:.2} ms p95  cpu {} ms a frame  peak memory {} MiB  instances {}  samples {}  palette {}  measured {:.1} poses a second",
            line.schema,
            line.frames,
            line.first_frame_ms,
            line.frame_ms_median,
            line.frame_ms_p95,
            or_unknown(line.cpu_ms_per_frame),
            or_unknown(line.peak_rss_mib),
            line.instances,
            line.samples,
            line.palette,
            line.measured_per_s,
        )
    }
}

fn round(v: f64) -> f64 {
    (v * 1000.0).round() / 1000.0
}

/// Returns user and system time of all threads, where the system tells it (Linux, in ticks of 10 ms).
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in brackets may hold spaces; fields 14 and 15 count from after it.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// Returns the largest resident set in MiB, where the system tells it (Linux).
fn peak_rss_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_promised_fields() {
        let mut frame_timer = FrameTimer::new(Benchmark { frames: 3, json: true }, Instant::now());
        frame_timer.measured();
        assert_eq!([1, 1, 4].map(|samples| frame_timer.presented(samples, "storage")), [false, false, true]);
        assert_eq!(frame_timer.measured, 0, "before the first frame nothing counts");
        frame_timer.measured();
        let line: serde_json::Value = serde_json::from_str(&frame_timer.line(7)).unwrap();
        assert_eq!(line["schema"], 1);
        assert_eq!(line["frames"], 3);
        assert_eq!(line["instances"], 7);
        assert_eq!(line["samples"], 4);
        assert!(line["measured_per_s"].as_f64() > Some(0.0));
        for field in ["first_frame_ms", "frame_ms_median", "frame_ms_p95"] {
            assert!(line[field].is_f64(), "{field}");
        }
        if cfg!(target_os = "linux") {
            assert!(line["cpu_ms_per_frame"].is_f64() && line["peak_rss_mib"].as_f64() > Some(1.0));
        }
    }
}
