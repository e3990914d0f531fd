//! Measures how far two posed surfaces are apart: in the rest pose, and at moments of all clips that both have.

use glam::{Affine3A, DVec3, Vec3};
use skinscope_anim::{SampleScratch, local_to_model, origin_shift, reset_to_rest, sample};
use skinscope_base::math::Aabb;
use skinscope_deform::palettes;
use skinscope_model::{Clip, Instance, InstanceId, LocalPose, Model, Primitive, PrimitiveId};

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
}

/// A model in one pose.
struct Posed<'m> {
    model: &'m Model,
    local: LocalPose,
    palette: Vec<Affine3A>,
    scratch: SampleScratch,
    nodes: Vec<Affine3A>,
    /// How far the origin of the pose is from that of the rest pose, metres.
    shift: DVec3,
}

impl<'m> Posed<'m> {
    fn new(model: &'m Model) -> Self {
        let (local, scratch) = (LocalPose::default(), SampleScratch::default());
        Self { model, local, palette: Vec::new(), scratch, nodes: Vec::new(), shift: DVec3::ZERO }
    }

    fn set(&mut self, clip: Option<(&Clip, f32)>) {
        reset_to_rest(&self.model.skeleton, &mut self.local);
        if let Some((clip, time)) = clip {
            sample(self.model, clip, time, &mut self.scratch, &mut self.local);
        }
        local_to_model(&self.model.skeleton, &self.local, &mut self.nodes);
        self.shift = origin_shift(&self.model.skeleton, &self.local);
        palettes(self.model, &self.nodes, &mut self.palette);
    }

    /// Writes the positions of the stored vertices of a primitive, in the world.
    fn posed_positions(&self, instance: usize, primitive: PrimitiveId, out: &mut Vec<Vec3>) {
        let source: &Primitive = &self.model.meshes[primitive.mesh.index()].primitives[primitive.primitive];
        let drawn: &Instance = &self.model.instances[instance];
        let count = drawn.morph_weights.len();
        let morphs = self.local.morph_weights.get(drawn.morph_offset..drawn.morph_offset + count).unwrap_or_default();
        let (first, influences) = self.model.binding(InstanceId::from_index(instance), primitive.primitive);
        let matrices = self.palette.get(first as usize..).unwrap_or_default();
        out.clear();
        for v in 0..source.stored_vertices {
            let mut p = source.positions[v];
            for (target, weight) in source.morphs.iter().zip(morphs).filter(|(_, w)| **w != 0.0) {
                p += target.positions.get(v).copied().unwrap_or(Vec3::ZERO) * *weight;
            }
            let moved = match influences {
                None => matrices.first().map_or(p, |m| m.transform_point3(p)),
                Some(influences) => {
                    let (joints, weights) = influences.of(v);
                    let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
                    used.map(|(j, w)| matrices.get(usize::from(*j)).map_or(Vec3::ZERO, |m| m.transform_point3(p)) * *w)
                        .sum()
                }
            };
            out.push(moved);
        }
    }
}

/// Returns the largest distance over the rest pose and all clips that both models have, in pairs.
pub(super) fn farthest(a: &Model, b: &Model, pairs: &[Pair], clips: &[[usize; 2]]) -> Apart {
    let mut out = Apart::default();
    let (mut own, mut other) = (Posed::new(a), Posed::new(b));
    let size = look(&mut own, &mut other, pairs, [None, None], &mut out);
    for [x, y] in clips {
        let (x, y) = (&a.clips[*x], &b.clips[*y]);
        let start = f64::from(x.start_secs.min(y.start_secs));
        let length = f64::from(x.end_secs.max(y.end_secs)) - start;
        let moments = if length > 0.0 { MOMENTS } else { 1 };
        for moment in 0..moments {
            let time = (start + length * moment as f64 / (moments - 1).max(1) as f64) as f32;
            look(&mut own, &mut other, pairs, [Some((x, time)), Some((y, time))], &mut out);
        }
    }
    out.is_seen = out.metres > size * ROUNDING;
    if !out.is_seen {
        // Of rounding errors none is the farthest.
        (out.clip, out.vertex) = (None, None);
    }
    out
}

/// Compares one pose; returns the size of the first model in it.
fn look(a: &mut Posed, b: &mut Posed, pairs: &[Pair], clips: [Option<(&Clip, f32)>; 2], out: &mut Apart) -> f64 {
    a.set(clips[0]);
    b.set(clips[1]);
    let (mut own, mut other) = (Vec::new(), Vec::new());
    let mut bounds = Aabb::from_points([]);
    for pair in pairs {
        for [here, there] in &pair.instances {
            a.posed_positions(*here, pair.at[0], &mut own);
            b.posed_positions(*there, pair.at[1], &mut other);
            let [here, there] = [(&*a, here), (&*b, there)]
                .map(|(posed, at)| posed.shift + posed.model.origin_of_instance(InstanceId::from_index(*at)));
            own.iter().filter(|p| p.is_finite()).for_each(|p| bounds.include(*p));
            for (v, w) in pair.vertices.iter().enumerate() {
                let Some((p, q)) = w.and_then(|w| Some((own.get(v)?, other.get(w as usize)?))) else { continue };
                let metres = (p.as_dvec3() + (here - there)).distance(q.as_dvec3());
                if metres.is_finite() && (metres > out.metres || out.vertex.is_none()) {
                    out.metres = metres;
                    out.clip = clips[0].map(|(clip, time)| (clip.name.clone(), time));
                    let PrimitiveId { mesh, primitive } = pair.at[0];
                    out.vertex = Some((PrimitiveId::new(a.model.file_mesh(mesh), primitive), v as u32));
                }
            }
        }
    }
    if bounds.is_empty() { 0.0 } else { f64::from(bounds.diagonal()) }
}
