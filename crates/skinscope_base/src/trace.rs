//! What the parts of a frame cost on the thread that draws it. Nothing is measured until that thread asks for it ([`begin`]): until then a part
//! costs the reading of one flag.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// The parts of the work for a frame, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The clip is sampled: keys become local transforms.
    Sample,
    /// Local transforms are multiplied down the hierarchy.
    Kinematics,
    /// Matrices of joints become palettes.
    Palette,
    /// The panels are laid out and painted into shapes.
    Panels,
    /// What a picture reads is brought to the device.
    Upload,
    /// The commands of the picture are recorded and submitted.
    Record,
    /// The panels are drawn, and the window is given its new contents.
    Present,
}

crate::choices! {
    Part {
        /// Returns the word for files.
        id = 0;
        /// Returns a sentence about what the part does.
        help = 1;
    }
    Sample: "sample", "The clip is sampled: its keys become transforms of joints";
    Kinematics: "kinematics", "Transforms are multiplied down the hierarchy of joints";
    Palette: "palette", "Matrices of joints are multiplied by inverse bind matrices";
    Panels: "panels", "Panels, plates and dialogs are laid out";
    Upload: "upload", "What the picture reads is brought to the graphics device";
    Record: "record", "The commands of the picture are recorded and submitted";
    Present: "present", "The panels are drawn, and the window shows the frame";
}

/// The passes of a picture on the graphics device, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePass {
    /// Depths as the lights see them.
    Shadows,
    /// What lies behind glass, and its blurred versions.
    BehindGlass,
    /// The picture itself.
    Picture,
    /// The panels, and the copy of the picture to the window.
    Panels,
}

crate::choices! {
    DevicePass {
        /// Returns the word for files.
        id = 0;
        /// Returns a sentence about what the pass does.
        help = 1;
    }
    Shadows: "device_shadows", "Depths as the lights see them are drawn, which shadows are computed from";
    BehindGlass: "device_behind_glass", "What lies behind glass is drawn and blurred, where the picture has glass";
    Picture: "device_picture", "The picture itself is drawn";
    Panels: "device_panels", "The panels are drawn, and the picture is copied to the window";
}

/// A time that a pass took on the graphics device, by the device's own clock.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSpan {
    /// The pass.
    pub pass: DevicePass,
    /// When it began, as if the device had begun with the first pass at once when it was given the commands: the clocks of device and
    /// processor have no common origin.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}

/// A time that a part of a frame took.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The part.
    pub part: Part,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    static SPANS: RefCell<Vec<Span>> = const { RefCell::new(Vec::new()) };
    static DRAW_CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Begins or ends measuring the parts of frames on this thread.
pub fn begin(is_on: bool) {
    IS_ON.set(is_on);
    if !is_on {
        SPANS.take();
        DRAW_CALLS.set(0);
    }
}

/// Does `work`, which is a part of a frame, and notes how long it took where this thread measures that.
pub fn measured<T>(part: Part, work: impl FnOnce() -> T) -> T {
    if !IS_ON.get() {
        return work();
    }
    let start = Instant::now();
    let result = work();
    SPANS.with_borrow_mut(|spans| spans.push(Span { part, start, duration: start.elapsed() }));
    result
}

/// Counts draw calls that were recorded.
pub fn count_draws(count: u32) {
    if IS_ON.get() {
        DRAW_CALLS.set(DRAW_CALLS.get() + count);
    }
}

/// Takes what was measured on this thread since the last time: the spans in the order of their ends, and how many draw calls were recorded.
#[must_use]
pub fn take() -> (Vec<Span>, u32) {
    (SPANS.take(), DRAW_CALLS.take())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_measured_only_where_their_thread_asks_for_it() {
        let work = || {
            count_draws(2);
            measured(Part::Sample, || measured(Part::Palette, || 7))
        };
        assert_eq!(work(), 7);
        assert!(take().0.is_empty() && take().1 == 0);
        begin(true);
        std::thread::spawn(move || {
            work();
            assert!(take().0.is_empty(), "another thread does not ask");
        })
        .join()
        .unwrap();
        work();
        let (spans, draws) = take();
        let parts: Vec<_> = spans.iter().map(|span| span.part).collect();
        assert_eq!((parts, draws), (vec![Part::Palette, Part::Sample], 2));
        assert!(spans[1].start <= spans[0].start && spans[1].duration >= spans[0].duration);
        assert!(take().0.is_empty(), "it is taken once");
        work();
        begin(false);
        assert!(take().0.is_empty(), "what was not taken is forgotten");
    }
}
