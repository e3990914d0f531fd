//! A model in one pose, whose vertices are placed one by one.

use glam::{Affine3A, DVec3, Vec3};
use skinscope_anim::{SampleScratch, local_to_model, origin_shift, reset_to_rest, sample};
use skinscope_deform::palettes;
use skinscope_model::{Clip, Instance, InstanceId, LocalPose, Model, Primitive};

/// A model in one pose.
pub(super) struct Posed<'m> {
    pub model: &'m Model,
    local: LocalPose,
    palette: Vec<Affine3A>,
    scratch: SampleScratch,
    nodes: Vec<Affine3A>,
    /// How far the origin of the pose is from that of the rest pose, metres.
    pub shift: DVec3,
}

impl<'m> Posed<'m> {
    pub fn new(model: &'m Model) -> Self {
        let (local, scratch) = (LocalPose::default(), SampleScratch::default());
        Self { model, local, palette: Vec::new(), scratch, nodes: Vec::new(), shift: DVec3::ZERO }
    }

    /// Takes the rest pose, or that of a clip at a time in seconds on its own timeline.
    pub fn set(&mut self, clip: Option<(&Clip, f32)>) {
        reset_to_rest(&self.model.skeleton, &mut self.local);
        if let Some((clip, time)) = clip {
            sample(self.model, clip, time, &mut self.scratch, &mut self.local);
        }
        local_to_model(&self.model.skeleton, &self.local, &mut self.nodes);
        self.shift = origin_shift(&self.model.skeleton, &self.local);
        palettes(self.model, &self.nodes, &mut self.palette);
    }

    /// Adds the positions of the stored vertices of a primitive to a list, in the world.
    pub(crate) fn add_positions(&self, instance: usize, primitive: usize, out: &mut Vec<Vec3>) {
        let place = self.place(instance, primitive);
        let drawn = &self.model.instances[instance];
        let count = self.model.meshes[drawn.mesh.index()].primitives[primitive].stored_vertices;
        out.extend((0..count).map(place));
    }

    /// Returns the positions of some stored vertices, each by its primitive and its index there, in the world.
    pub(crate) fn some_positions(&self, instance: usize, vertices: impl Iterator<Item = (usize, usize)>) -> Vec<Vec3> {
        let mut out = Vec::with_capacity(vertices.size_hint().0);
        let mut last: Option<(usize, _)> = None;
        for (primitive, vertex) in vertices {
            let is_last = last.as_ref().is_some_and(|(of, _)| *of == primitive);
            let (_, place) = match last.take() {
                Some(known) if is_last => last.insert(known),
                _ => last.insert((primitive, self.place(instance, primitive))),
            };
            out.push(place(vertex));
        }
        out
    }

    /// Returns what places a stored vertex of a primitive in the world.
    fn place(&self, instance: usize, primitive: usize) -> impl Fn(usize) -> Vec3 {
        let drawn: &Instance = &self.model.instances[instance];
        let source: &Primitive = &self.model.meshes[drawn.mesh.index()].primitives[primitive];
        let count = drawn.morph_weights.len();
        let morphs = self.local.morph_weights.get(drawn.morph_offset..drawn.morph_offset + count).unwrap_or_default();
        let (first, influences) = self.model.binding(InstanceId::from_index(instance), primitive);
        let matrices = self.palette.get(first as usize..).unwrap_or_default();
        move |v: usize| {
            let mut p = source.positions[v];
            for (target, weight) in source.morphs.iter().zip(morphs).filter(|(_, w)| **w != 0.0) {
                p += target.positions.get(v).copied().unwrap_or(Vec3::ZERO) * *weight;
            }
            match influences {
                None => matrices.first().map_or(p, |m| m.transform_point3(p)),
                Some(influences) => {
                    let (joints, weights) = influences.of(v);
                    let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
                    used.map(|(j, w)| matrices.get(usize::from(*j)).map_or(Vec3::ZERO, |m| m.transform_point3(p)) * *w)
                        .sum()
                }
            }
        }
    }
}
