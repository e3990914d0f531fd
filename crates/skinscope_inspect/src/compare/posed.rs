//! Measures how far two posed surfaces are apart: in the rest pose, and at moments of all clips that both have.

use skinscope_base::math::Aabb;
use skinscope_model::{Clip, InstanceId, Model, PrimitiveId};

use super::moments;
use super::pose::Posed;
use super::surfaces::Pair;

/// How many moments of each clip are compared, its ends included.
const MOMENTS: usize = 33;
/// Distances below this share of the model's size are rounding errors.
const ROUNDING: f64 = 2e-6;

/// The largest distance between a vertex and its partner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Apart {
    /// The distance in metres.
    pub metres: f64,
    /// The clip, and the time in seconds on its own timeline; `None`: in the rest pose, or nothing is apart.
    pub clip: Option<(String, f32)>,
    /// The primitive of the first model, numbered as in its file, and the vertex there; `None` where nothing is apart but for rounding.
    pub vertex: Option<(PrimitiveId, u32)>,
    /// Whether it is more than a rounding error.
    pub is_seen: bool,
    /// How many pairs of vertices were compared.
    pub compared: usize,
    /// How many of them have no finite position in one of the models, in the pose in which most have none.
    pub not_finite: usize,
}

/// Returns the largest distance over the rest pose and all clips that both models have, in pairs; each with whether the clips differ.
pub(super) fn farthest(a: &Model, b: &Model, pairs: &[Pair], clips: &[([usize; 2], bool)]) -> Apart {
    let shown = || pairs.iter().filter(|pair| !pair.instances.is_empty());
    let mut out = Apart { compared: shown().map(|pair| pair.matched.pairs.len()).sum(), ..Apart::default() };
    let (mut own, mut other) = (Posed::new(a), Posed::new(b));
    let size = look(&mut own, &mut other, pairs, [None, None], &mut out);
    for ([x, y], differ) in clips {
        let clips = [&a.clips[*x], &b.clips[*y]];
        let mut times = even(clips);
        // Between these moments clips that differ may be farther apart.
        times.extend(differ.then(|| moments::farthest(a, b, pairs, clips)).into_iter().flatten());
        for time in times {
            look(&mut own, &mut other, pairs, clips.map(|clip| Some((clip, time))), &mut out);
        }
    }
    out.is_seen = out.metres > size * ROUNDING || out.not_finite > 0;
    if out.metres <= size * ROUNDING {
        // Of rounding errors none is the farthest.
        (out.clip, out.vertex) = (None, None);
    }
    out
}

/// Returns even times over two clips, seconds.
fn even(clips: [&Clip; 2]) -> Vec<f32> {
    let start = f64::from(clips[0].start_secs.min(clips[1].start_secs));
    let length = f64::from(clips[0].end_secs.max(clips[1].end_secs)) - start;
    let moments = if length > 0.0 { MOMENTS } else { 1 };
    (0..moments).map(|moment| (start + length * moment as f64 / (moments - 1).max(1) as f64) as f32).collect()
}

/// Compares one pose; returns the size of the first model in it.
fn look(a: &mut Posed, b: &mut Posed, pairs: &[Pair], clips: [Option<(&Clip, f32)>; 2], out: &mut Apart) -> f64 {
    a.set(clips[0]);
    b.set(clips[1]);
    let mut bounds = Aabb::from_points([]);
    let mut not_finite = 0;
    for pair in pairs {
        for [here, there] in &pair.instances {
            let own = pair.positions(0, a, *here, glam::DVec3::ZERO);
            let other = pair.positions(1, b, *there, glam::DVec3::ZERO);
            let [here, there] = [(&*a, here), (&*b, there)]
                .map(|(posed, at)| posed.shift + posed.model.origin_of_instance(InstanceId::from_index(*at)));
            own.iter().filter(|p| p.is_finite()).for_each(|p| bounds.include(*p));
            for [v, w] in &pair.matched.pairs {
                let (p, q) = (own[*v as usize], other[*w as usize]);
                let metres = (p.as_dvec3() + (here - there)).distance(q.as_dvec3());
                not_finite += usize::from(p.is_finite() != q.is_finite());
                if metres.is_finite() && (metres > out.metres || out.vertex.is_none()) {
                    out.metres = metres;
                    out.clip = clips[0].map(|(clip, time)| (clip.name.clone(), time));
                    let (primitive, vertex) = pair.lists[0].at(*v);
                    out.vertex = Some((PrimitiveId::new(a.model.file_mesh(pair.meshes[0]), primitive), vertex as u32));
                }
            }
        }
    }
    out.not_finite = out.not_finite.max(not_finite);
    if bounds.is_empty() { 0.0 } else { f64::from(bounds.diagonal()) }
}
