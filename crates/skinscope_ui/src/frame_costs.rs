//! What the last frames cost, as the panel *Statistics*, tables and trace files have it.

use std::collections::VecDeque;

use skinscope_base::trace::{DevicePass, Part};

/// What a frame cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameCost {
    /// The number of the frame, counted from 1.
    pub number: u64,
    /// The time since the frame before, milliseconds; 0 where nothing was drawn in between for long.
    pub interval_ms: f32,
    /// What each of [`Part::ALL`] took on the thread of the window, milliseconds.
    pub parts_ms: [f32; Part::ALL.len()],
    /// What the picture took on the graphics device by its own clock, milliseconds; `None` where it has none.
    pub device_ms: Option<f32>,
    /// What each of [`DevicePass::ALL`] took on the graphics device, milliseconds; `None` where it was not drawn or not measured.
    pub passes_ms: [Option<f32>; DevicePass::ALL.len()],
    /// How many draw calls the picture had; 0 where an earlier picture was shown again.
    pub draw_calls: u32,
    /// How many bytes were uploaded to buffers.
    pub uploaded_bytes: u64,
}

/// The costs of the last frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameCosts {
    frames: VecDeque<FrameCost>,
    /// True where the graphics device has a clock for its passes.
    pub has_device_clock: bool,
}

impl FrameCosts {
    /// How many frames are kept: four seconds at 60 a second.
    pub const MOST: usize = 240;

    /// Adds a frame; the oldest one is dropped where there are too many.
    pub fn push(&mut self, frame: FrameCost) {
        if self.frames.len() == Self::MOST {
            self.frames.pop_front();
        }
        self.frames.push_back(frame);
    }

    /// Returns the frames, the oldest first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &FrameCost> {
        self.frames.iter()
    }

    /// Returns the median and the 95th percentile of a value of the frames, and the last one; `None` while there is none.
    #[must_use]
    pub fn summary(&self, value: impl Fn(&FrameCost) -> Option<f32>) -> Option<CostSummary> {
        let all: Vec<f32> = self.frames.iter().filter_map(value).collect();
        let last = *all.last()?;
        let mut sorted = all;
        sorted.sort_by(f32::total_cmp);
        let at = |q: f32| sorted[((sorted.len() - 1) as f32 * q).round() as usize];
        Some(CostSummary { last, median: at(0.5), p95: at(0.95) })
    }

    /// Writes the frames as comma-separated values, with a line of names.
    #[must_use]
    pub fn csv(&self) -> String {
        let lines = self.frames.iter().map(FrameCost::csv_line);
        std::iter::once(FrameCost::CSV_HEAD.to_owned()).chain(lines).map(|line| line + "\n").collect()
    }
}

/// Figures of a value over the last frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostSummary {
    /// That of the last frame.
    pub last: f32,
    /// The median.
    pub median: f32,
    /// The value that 95 of 100 frames do not exceed.
    pub p95: f32,
}

impl FrameCost {
    /// The names of the columns of [`FrameCost::csv_line`].
    pub const CSV_HEAD: &str = "frame,interval_ms,sample_ms,kinematics_ms,palette_ms,panels_ms,upload_ms,record_ms,present_ms,device_ms,device_shadows_ms,device_behind_glass_ms,device_picture_ms,device_panels_ms,draw_calls,uploaded_bytes";

    /// Returns the frame as a line of comma-separated values.
    #[must_use]
    pub fn csv_line(&self) -> String {
        let parts: Vec<String> = self.parts_ms.iter().map(|ms| format!("{ms:.4}")).collect();
        let device: Vec<String> = std::iter::once(self.device_ms)
            .chain(self.passes_ms)
            .map(|ms| ms.map_or_else(String::new, |ms| format!("{ms:.4}")))
            .collect();
        let Self { number, interval_ms, draw_calls, uploaded_bytes, .. } = self;
        format!("{number},{interval_ms:.4},{},{},{draw_calls},{uploaded_bytes}", parts.join(","), device.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frames_are_kept_and_summed_up() {
        let mut costs = FrameCosts::default();
        assert!(costs.summary(|frame| Some(frame.interval_ms)).is_none());
        for number in 1..=300 {
            costs.push(FrameCost { number, interval_ms: number as f32, ..FrameCost::default() });
        }
        assert_eq!((costs.frames().len(), costs.frames().next().unwrap().number), (FrameCosts::MOST, 61));
        let summary = costs.summary(|frame| Some(frame.interval_ms)).unwrap();
        assert_eq!(summary, CostSummary { last: 300.0, median: 181.0, p95: 288.0 });
        assert!(costs.summary(|frame| frame.device_ms).is_none());
    }

    #[test]
    fn a_table_has_a_column_for_each_name() {
        let mut costs = FrameCosts::default();
        let parts_ms = std::array::from_fn(|i| i as f32);
        costs.push(FrameCost { number: 3, interval_ms: 16.5, parts_ms, draw_calls: 4, ..FrameCost::default() });
        costs.push(FrameCost {
            device_ms: Some(0.25),
            passes_ms: [Some(0.125), None, None, Some(4.0)],
            uploaded_bytes: 1 << 40,
            ..FrameCost::default()
        });
        let text = costs.csv();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines.len(), 3);
        let parts: Vec<String> = Part::ALL.iter().map(|part| format!("{}_ms", part.id())).collect();
        assert_eq!(lines[0][2..2 + parts.len()], parts);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        let passes: Vec<String> = DevicePass::ALL.iter().map(|pass| format!("{}_ms", pass.id())).collect();
        assert_eq!(lines[0][3 + parts.len()..][..passes.len()], passes);
        let cell = |name: &str, line: usize| lines[line][lines[0].iter().position(|n| *n == name).unwrap()];
        assert_eq!([cell("frame", 1), cell("interval_ms", 1), cell("palette_ms", 1)], ["3", "16.5000", "2.0000"]);
        assert_eq!(
            [cell("device_ms", 1), cell("device_ms", 2), cell("uploaded_bytes", 2)],
            ["", "0.2500", "1099511627776"]
        );
        let cells = passes.iter().map(|name| cell(name, 2));
        assert_eq!(cells.collect::<Vec<_>>(), ["0.1250", "", "", "4.0000"]);
    }
}
