//! The nearest bone that a place sees, blended along the edges of the mesh.

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::islands::NONE;
use crate::progress::Progress;
use crate::rows::Rows;
use crate::sight::see;
use crate::source::Source;
use crate::{BindError, BindSettings};

/// The method *nearest*.
pub static NEAREST: Binder = Binder {
    id: "nearest",
    label: "Nearest bone",
    help: "Each place follows the bone that is nearest to it among those that it sees; then weights are blended along the edges of the mesh",
    source: "",
    parameters: &[BLEND],
    run,
};

const BLEND: BinderParameter = BinderParameter {
    id: "blend",
    label: "Blend",
    help: "How many times each place goes half the way to the mean of its neighbours",
    range: [0.0, 50.0],
    default: 3.0,
    decimals: 0,
};

fn run(body: &mut Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let body = &*body;
    let of = |range: std::ops::Range<usize>| {
        let (mut near, mut seen) = (Vec::new(), Vec::new());
        let one = |place: usize| {
            if body.islands.of[place] == NONE {
                return Vec::new();
            }
            see(body, place, &mut near, &mut seen);
            if seen.is_empty() {
                return body
                    .bones
                    .nearest(body.shape.points[place])
                    .map_or_else(Vec::new, |(joint, _)| vec![(joint, 1.0)]);
            }
            Source::of(&seen, 1.0, true).joints().collect()
        };
        range.map(one).collect()
    };
    let mut rows: Rows = progress.part(0.0, 0.5).by_chunk(body.shape.points.len(), 256, &of)?;
    let rounds = settings.value(&BLEND).round() as usize;
    for round in 0..rounds {
        let part = progress.part(0.5 + 0.5 * round as f32 / rounds as f32, 1.0);
        rows = body.smoothed(&rows, &|_| 1.0, part)?;
    }
    Ok(Found { rows, ..Found::default() })
}
