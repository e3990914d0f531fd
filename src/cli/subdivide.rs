//! `--subdivide`: the open model as a cage that is subdivided after it was skinned, or before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::CliError;
use crate::deform::{Deformer, MOST_LEVELS, Subdivision, Surface, SurfaceInput};
use crate::frame::Frame;
use crate::inspect::VertexRef;
use crate::model::{ClipId, InstanceId, Model};
use crate::parallel::JobContext;
use crate::session::Session;

/// How often a model may be subdivided.
pub(super) fn levels() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST_LEVELS))
}

/// Subdivides what a session shows so often.
///
/// # Errors
/// There is nothing to subdivide, or too much of it.
pub(super) fn subdivided(session: &Session, levels: u32) -> Result<Subdivision, CliError> {
    let refused = |why: &str| CliError::Usage(format!("--subdivide: {why}"));
    let model = shown(session).ok_or_else(|| refused("no model is open"))?;
    if session.deforming().deformation().data.is_some_and(|data| data.split.is_some()) {
        return Err(refused("the surface of rigid parts comes apart, so that it is not subdivided"));
    }
    if let Some(why) = Subdivision::refusal(model, levels) {
        return Err(refused(&why));
    }
    Subdivision::of(model, levels, &JobContext::of_waiting()).ok_or_else(|| refused("this model cannot be subdivided"))
}

fn shown(session: &Session) -> Option<&Arc<Model>> {
    session.deforming().shown_model()
}

/// Returns the surface of the pose that a session has: skinned, then subdivided, or where it is `first` subdivided, then skinned.
fn surface(session: &Session, subdivision: &Subdivision, first: bool) -> Option<Surface> {
    let pose = session.pose();
    if !first {
        return session.surfaces().surface().map(|cage| subdivision.after(&cage));
    }
    let input = SurfaceInput {
        model: shown(session)?,
        draws: &pose.draws,
        palettes: &pose.palettes,
        morph_weights: &pose.local.morph_weights,
        method: session.deforming().deformation(),
    };
    Some(subdivision.before(&input))
}

/// Makes a frame show the subdivided surface in place of the cage.
pub(super) fn show(frame: &mut Frame, session: &Session, subdivision: &Subdivision, first: bool) {
    let Some(surface) = surface(session, subdivision, first) else { return };
    frame.model = Some(Arc::clone(subdivision.model()));
    frame.surfaces = vec![Arc::new(surface)];
    frame.deformer = Deformer::Processor;
    frame.needs_processor = Some("each vertex is a mean of others, which a shader does not have");
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
    /// Where that is: the clip and its time, if it is of one, and the nearest vertex of the cage.
    pub at: Option<(Option<(ClipId, f32)>, VertexRef)>,
}

impl Difference {
    /// Looks at the pose that a session has, which is that of a clip at a time, if of any.
    pub(super) fn add(&mut self, session: &Session, subdivision: &Subdivision, moment: Option<(ClipId, f32)>) {
        let both = [false, true].map(|first| surface(session, subdivision, first));
        let [Some(after), Some(before)] = both else { return };
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
                        Some((moment, VertexRef { instance: part.instance, primitive: part.primitive, vertex: near }));
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
