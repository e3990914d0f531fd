//! `--subdivide`: the open model as a cage that is subdivided after it was skinned, or before.

use std::collections::BTreeMap;

use super::CliError;
use crate::deform::MOST_LEVELS;
use crate::inspect::VertexRef;
use crate::inspect::check::FindingPose;
use crate::model::InstanceId;
use crate::session::{Session, ViewCommand};

/// How often a model may be subdivided.
pub(super) fn levels() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST_LEVELS))
}

/// Lets a session show its model subdivided so often, after it was skinned or `first`.
///
/// # Errors
/// There is nothing to subdivide, or too much of it.
pub(super) fn subdivide(session: &mut Session, levels: u32, first: bool) -> Result<(), CliError> {
    // Whether the surface comes apart is known once the data of its method is.
    session.prepare();
    let refused = session.deforming().subdivision_refusal(levels);
    session.apply(ViewCommand::SetSubdivision(levels));
    if session.view().subdivision.is_first != first {
        session.apply(ViewCommand::ToggleSubdivideFirst);
    }
    session.prepare();
    let failed = || session.deforming().subdivision().is_none().then(|| "this model cannot be subdivided".to_owned());
    match refused.or_else(failed) {
        Some(why) => Err(CliError::Usage(format!("--subdivide: {why}"))),
        None => Ok(()),
    }
}

/// How far apart both orders carry the vertices of the subdivided model, over all poses that were looked at.
#[derive(Default)]
pub(super) struct Difference {
    /// The largest distance of each vertex, metres, by instance and primitive.
    largest: BTreeMap<(InstanceId, usize), Vec<f32>>,
    /// The sum of the squares of all distances, and how many there are.
    squares: f64,
    count: usize,
    /// How many poses were looked at.
    pub moments: usize,
    /// The largest distance of all, metres.
    pub worst: f64,
    /// Where that is: the pose, and the nearest vertex of the cage.
    pub at: Option<(FindingPose, VertexRef)>,
}

impl Difference {
    /// Looks at the pose that a session has, which is this one.
    pub(super) fn add(&mut self, session: &Session, pose: FindingPose) {
        let Some([after, before]) = session.surfaces().both_orders() else { return };
        self.moments += 1;
        // All copies of an instance are rigid, and stand alike in both.
        for part in after.parts.iter().filter(|part| part.copies.is_empty()) {
            let Some(other) = before.part(part.instance, part.primitive) else { continue };
            let largest = self.largest.entry((part.instance, part.primitive)).or_default();
            largest.resize(part.deformed.positions.len(), 0.0);
            let pairs = part.deformed.positions.iter().zip(&other.deformed.positions);
            for (vertex, ((a, b), largest)) in pairs.zip(largest.iter_mut()).enumerate() {
                let distance = a.as_dvec3().distance(b.as_dvec3());
                if !distance.is_finite() {
                    continue;
                }
                self.squares += distance * distance;
                self.count += 1;
                *largest = largest.max(distance as f32);
                if distance > self.worst || self.at.is_none() {
                    self.worst = distance;
                    let near = after.original(part.instance, part.primitive, vertex);
                    self.at =
                        Some((pose, VertexRef { instance: part.instance, primitive: part.primitive, vertex: near }));
                }
            }
        }
    }

    /// Returns the root of the mean square of all distances, metres.
    pub(super) fn rms(&self) -> f64 {
        if self.count == 0 { 0.0 } else { (self.squares / self.count as f64).sqrt() }
    }

    /// Returns how many vertices were looked at.
    pub(super) fn vertices(&self) -> usize {
        self.largest.values().map(Vec::len).sum()
    }

    /// Returns the distance that 95 of 100 vertices never exceed, metres.
    pub(super) fn p95(&self) -> f64 {
        let mut all: Vec<f32> = self.largest.values().flatten().copied().collect();
        let Some(rank) = (all.len() * 95).div_ceil(100).checked_sub(1) else { return 0.0 };
        f64::from(*all.select_nth_unstable_by(rank, f32::total_cmp).1)
    }
}
