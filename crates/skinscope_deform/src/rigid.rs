//! Rigid parts: every triangle follows the joint with the largest weight in it, so that the surface comes apart between
//! joints, as before skinning was invented. A vertex may then have several positions. So the model is split once: a
//! vertex is copied for each joint that any triangle at it follows, and each copy stores the joint that it follows.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, DAffine3, DVec3, Vec4};
use skinscope_base::parallel::JobContext;
use skinscope_model::{Influences, InfluencesRef, MeshId, Model, ModelParts, Primitive, Topology};

use super::dominant::DOMINANT;
use super::linear::LINEAR;
use super::{
    Batch, BatchInfluences, BatchOut, DataSource, ExactDeformation, ExactInfluence, Method, MethodData,
    MethodExpectations, MethodInput, MethodText, Readout,
};

/// The entry of this method in [`super::METHODS`].
pub static RIGID: Method = Method {
    id: "rigid",
    label: "Rigid parts",
    help: "Every triangle follows the joint that holds most of it: keeps all lengths, and the surface comes apart between joints",
    text: MethodText {
        equation: "p = M v",
        explanation: "Nothing is blended: M is the matrix of the joint with the largest sum of weights at the corners of a triangle. \
                      Where the triangles at a vertex follow different joints, it stands in several places; this is one of them.",
        source: "Larsen, Petersen and Jakobsen, Deformable Skinning on Bones, 2001",
    },
    parameters: &[],
    data: Some(&PARTS),
    // The shader draws what follows one matrix.
    wgsl: LINEAR.wgsl,
    vec4s_per_joint: DOMINANT.vec4s_per_joint,
    pack: DOMINANT.pack,
    deform_all: all,
    exact,
    bounds: |_, _| None,
    preserves_orientation: DOMINANT.preserves_orientation,
    pass: None,
    expects: MethodExpectations { ..DOMINANT.expects },
};

/// Returns the joint of each vertex as `x` of its vector; `w` is 0 where no joint has a positive weight.
static PARTS: DataSource = DataSource { label: "rigid parts", make };

/// A model with copies of the vertices that have several positions by a method.
#[derive(Debug)]
pub struct SplitModel {
    /// The model, in which the copies follow the original vertices of each primitive.
    pub model: Arc<Model>,
    /// The original vertex of each copy, by mesh, then by primitive.
    pub copies_of: Vec<Vec<Vec<u32>>>,
}

/// Sums of weights that differ by no more than this count as equal.
const TIE: f64 = 1e-6;

fn all(palette: &[Vec4], batch: &Batch, out: &mut BatchOut) {
    if batch.vectors.is_empty() {
        return (DOMINANT.deform_all)(palette, batch, out);
    }
    let joints: Vec<u16> = batch.vectors.iter().map(|vector| vector.x as u16).collect();
    let weights: Vec<f32> = batch.vectors.iter().map(|vector| vector.w).collect();
    let movers = BatchInfluences::Each { per_vertex: 1, joints: &joints, weights: &weights };
    (DOMINANT.deform_all)(palette, &Batch { movers, vectors: &[], ..*batch }, out);
}

fn exact(movers: &[ExactInfluence], v: DVec3, input: &MethodInput) -> ExactDeformation {
    let Some(vector) = input.vector else { return (DOMINANT.exact)(movers, v, input) };
    let joint = vector.x as usize;
    let double = |m: &Affine3A| DAffine3::from_cols_array(&m.to_cols_array().map(f64::from));
    // The joint may be one that moves other corners of the triangle alone.
    let own = movers.iter().find(|m| m.joint == joint).map(|m| m.matrix);
    let matrix = own.or_else(|| input.matrices.get(joint).map(double)).filter(|_| vector.w != 0.0);
    let Some(map) = matrix else { return ExactDeformation::default() };
    let shares = movers.iter().map(|m| if m.joint == joint { 1.0 } else { 0.0 }).collect();
    ExactDeformation { map, normals: Vec::new(), readout: Readout::Sum(shares) }
}

fn make(model: &Model, job: &JobContext) -> Option<MethodData> {
    let mut parts = ModelParts::clone(model);
    let (mut copies_of, mut joints_of) = (Vec::new(), Vec::new());
    let count = parts.meshes.len();
    for (m, mesh) in parts.meshes.iter_mut().enumerate() {
        let (mut copies, mut joints) = (Vec::new(), Vec::new());
        for (p, primitive) in mesh.primitives.iter_mut().enumerate() {
            if job.is_cancelled() {
                return None;
            }
            let split = model.influences(MeshId::from_index(m), p).map(|influences| Split::of(primitive, influences));
            let split = split.unwrap_or_default();
            joints.push(
                split
                    .joints
                    .iter()
                    .map(|joint| joint.map_or(Vec4::ZERO, |j| Vec4::new(f32::from(j), 0.0, 0.0, 1.0)))
                    .collect(),
            );
            copies.push(split.copies_of);
        }
        if job.set_fraction((m + 1) as f32 / count as f32) {
            job.wake();
        }
        copies_of.push(copies);
        joints_of.push(joints);
    }
    let instances = model.instances.iter();
    let vectors = instances.map(|instance| Vec::<Arc<[Vec4]>>::clone(&joints_of[instance.mesh.index()])).collect();
    let model = Arc::new(Model::build(parts).ok()?);
    Some(MethodData { vectors, split: Some(Arc::new(SplitModel { model, copies_of })), ..MethodData::default() })
}

/// How the vertices of a primitive are split.
#[derive(Default)]
struct Split {
    /// The joint that each vertex follows, copies included.
    joints: Vec<Option<u16>>,
    copies_of: Vec<u32>,
}

impl Split {
    /// Splits the vertices of `primitive`, which has these influences.
    fn of(primitive: &mut Primitive, influences: InfluencesRef<'_>) -> Self {
        let count = primitive.positions.len();
        let corners = match primitive.topology {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        };
        let mut follows: Vec<Option<Option<u16>>> = vec![None; count];
        let (mut known, mut copies_of) = (HashMap::<(u32, Option<u16>), u32>::new(), Vec::new());
        let mut joints_of_copies = Vec::new();
        for face in primitive.indices.chunks_exact_mut(corners) {
            let joint = owner(face, influences);
            for vertex in face {
                if *follows[*vertex as usize].get_or_insert(joint) == joint {
                    continue;
                }
                *vertex = *known.entry((*vertex, joint)).or_insert_with(|| {
                    copies_of.push(*vertex);
                    joints_of_copies.push(joint);
                    (count + copies_of.len() - 1) as u32
                });
            }
        }
        let alone =
            |(vertex, joint): (usize, Option<Option<u16>>)| joint.unwrap_or_else(|| heaviest(influences, vertex));
        let mut joints: Vec<Option<u16>> = follows.into_iter().enumerate().map(alone).collect();
        joints.extend(joints_of_copies);
        copy_vertices(primitive, influences, &copies_of);
        Self { joints, copies_of }
    }
}

/// Returns the joint with the largest sum of weights at the corners; among equals the one that is first in the skin. `None` where no sum is
/// positive.
fn owner(face: &[u32], influences: InfluencesRef<'_>) -> Option<u16> {
    let mut sums: Vec<(u16, f64)> = Vec::new();
    for vertex in face.iter() {
        let (joints, weights) = influences.of(*vertex as usize);
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            match sums.iter_mut().find(|(j, _)| j == joint) {
                Some((_, sum)) => *sum += f64::from(*weight),
                None => sums.push((*joint, f64::from(*weight))),
            }
        }
    }
    let most = sums.iter().fold(0.0_f64, |most, (_, sum)| most.max(*sum));
    let tied = sums.iter().filter(|(_, sum)| *sum > 0.0 && *sum >= most - TIE);
    tied.map(|(joint, _)| *joint).min()
}

/// Returns the heaviest joint of a vertex that is in no triangle.
fn heaviest(influences: InfluencesRef<'_>, vertex: usize) -> Option<u16> {
    let (joints, weights) = influences.of(vertex);
    let sum = |joint: u16| joints.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>();
    let first_most = |best: Option<(u16, f32)>, joint: &u16| {
        let sum = sum(*joint);
        if sum > best.map_or(0.0, |(_, most)| most) { Some((*joint, sum)) } else { best }
    };
    joints.iter().fold(None, first_most).map(|(joint, _)| joint)
}

/// Adds copies of some vertices behind all others, with the influences that they have now.
fn copy_vertices(primitive: &mut Primitive, influences: InfluencesRef<'_>, copies_of: &[u32]) {
    fn extend<T: Copy>(list: &mut Vec<T>, copies_of: &[u32]) {
        if !list.is_empty() {
            let copies: Vec<T> = copies_of.iter().map(|v| list[*v as usize]).collect();
            list.extend(copies);
        }
    }
    let mut every: Vec<u32> = (0..primitive.positions.len() as u32).collect();
    every.extend_from_slice(copies_of);
    let (joints, weights) = influences.gathered(&every);
    if let Some(stored) = &primitive.stored_influences {
        let (format, mut formats) = (stored.format, stored.formats.clone());
        let per_vertex = influences.per_vertex;
        // An edit may have made room for more.
        if formats.len() * 4 != per_vertex {
            formats.clear();
        }
        primitive.stored_influences =
            Some(Influences { per_vertex, joints, weights, format, formats, ..Influences::default() });
    }
    extend(&mut primitive.positions, copies_of);
    extend(&mut primitive.normals, copies_of);
    extend(&mut primitive.tangents, copies_of);
    primitive.uvs.iter_mut().for_each(|uvs| extend(uvs, copies_of));
    extend(&mut primitive.colors, copies_of);
    for target in &mut primitive.morphs {
        extend(&mut target.positions, copies_of);
        extend(&mut target.normals, copies_of);
        extend(&mut target.tangents, copies_of);
    }
    let origins: Vec<u32> = copies_of.iter().map(|v| primitive.stored_vertex(*v)).collect();
    primitive.split_from.extend(origins);
}
