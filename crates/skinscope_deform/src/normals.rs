//! The source of the normals of a deformed surface: formulas of textbooks and engines for linear blending, which agree
//! where joints only rotate and vertices have one joint, and the normals of the deformed triangles, which all of them
//! approximate.

use glam::{Affine3A, Mat3A, Vec3, Vec3A};
use skinscope_base::math::cofactor;
use skinscope_base::parallel::in_pieces;
use skinscope_model::{InstanceId, MorphTarget, NormalGroups};

use super::{Deformed, Surface, SurfaceInput};

/// A way to compute normals: an entry of [`NORMAL_MODES`].
#[derive(Debug)]
pub struct NormalMode {
    /// The name on the command line, such as `cofactor`.
    pub id: &'static str,
    /// The name in the window.
    pub label: &'static str,
    /// A sentence that says what it does, and where it comes from.
    pub help: &'static str,
    /// Whether it can follow every method; the others belong to linear blending.
    pub fits_all: bool,
    /// The computation.
    pub source: NormalSource,
}

/// The computation of a [`NormalMode`].
#[derive(Clone, Copy, Debug)]
pub enum NormalSource {
    /// The method transforms the stored normals.
    Method,
    /// The stored normal is transformed by the joints of its vertex.
    Joints(TurnNormal),
    /// The normal is computed from the deformed triangles around the vertex.
    Triangles,
}

/// Transforms a normal (mesh space) by the joints of its vertex. The arguments are the joints of the skin, the vertex's
/// joints (indices into them) and weights, and the normal. The result is in model space and has any length; it is zero
/// where there is no direction.
pub type TurnNormal = fn(&[JointNormals], (&[u16], &[f32]), Vec3A) -> Vec3A;

impl NormalSource {
    /// Replaces the normals of all parts that skins move.
    pub(super) fn apply(self, input: &SurfaceInput, surface: &mut Surface) {
        match self {
            Self::Method => {}
            Self::Joints(turn) => each(input, surface, turn),
            Self::Triangles => from_triangles(input, surface),
        }
    }
}

/// All ways to compute normals; the first is the default.
pub static NORMAL_MODES: &[&NormalMode] = &[
    &NormalMode {
        id: "cofactor",
        label: "Of the blend",
        help: "The cofactors (the inverse transpose) of the blended matrix carry the normal: exact for each vertex alone",
        fits_all: true,
        source: NormalSource::Method,
    },
    &NormalMode {
        id: "blended-inverse-transpose",
        label: "Blended inverse transposes",
        help: "The inverse transposes of the joints are blended (Larsen et al. 2001, eq. 9)",
        fits_all: false,
        source: NormalSource::Joints(|joints, pairs, n| blended(pairs, |joint| joints[joint].inverse_transpose * n)),
    },
    &NormalMode {
        id: "normalise-before-blend",
        label: "Normalised before the blend",
        help: "Each joint's inverse transpose carries the normal, which is normalised before the blend: no joint counts more by its scale",
        fits_all: false,
        source: NormalSource::Joints(|joints, pairs, n| {
            blended(pairs, |joint| (joints[joint].inverse_transpose * n).normalize_or_zero())
        }),
    },
    &NormalMode {
        id: "largest-weight",
        label: "Heaviest joint alone",
        help: "The heaviest joint alone carries the normal: cheap, and it breaks where another joint takes over",
        fits_all: false,
        source: NormalSource::Joints(of_heaviest),
    },
    &NormalMode {
        id: "rotation-only",
        label: "Matrix without translation",
        help: "The blended matrix itself carries the normal, as many shaders do: wrong where scale is uneven",
        fits_all: false,
        source: NormalSource::Joints(|joints, pairs, n| blended(pairs, |joint| joints[joint].matrix * n)),
    },
    &NormalMode {
        id: "from-triangles",
        label: "Of the triangles",
        help: "The normals of the deformed triangles around the vertex, weighted by area: the truth that the others approximate",
        fits_all: true,
        source: NormalSource::Triangles,
    },
];

/// Finds a mode by [`NormalMode::id`]; `None` where there is none.
#[must_use]
pub fn normal_mode(id: &str) -> Option<&'static NormalMode> {
    NORMAL_MODES.iter().copied().find(|mode| mode.id == id)
}

/// The matrices of a joint that transform normals.
#[derive(Clone, Copy, Debug)]
pub struct JointNormals {
    matrix: Mat3A,
    /// The inverse transpose; zero where the matrix flattens space.
    inverse_transpose: Mat3A,
    /// The cofactor matrix, negated where the determinant is negative.
    carries: Mat3A,
}

impl JointNormals {
    /// Computes them from a skinning matrix `model_from_mesh`.
    #[must_use]
    pub fn of(matrix: &Affine3A) -> Self {
        let matrix = matrix.matrix3;
        let (cofactors, determinant) = (cofactor(matrix), matrix.determinant());
        let squared = matrix.to_cols_array().iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
        let is_flat = f64::from(determinant).abs() <= 1e-12 * squared.powf(1.5);
        let inverse_transpose = if is_flat { Mat3A::ZERO } else { cofactors * (1.0 / determinant) };
        Self { matrix, inverse_transpose, carries: cofactors * if determinant < 0.0 { -1.0 } else { 1.0 } }
    }
}

/// The number of vertices whose normals one thread computes at a time.
const PIECE: usize = 4096;

/// Computes the normals of all vertices that skins move from the stored and morphed ones, each by `turn`.
fn each(input: &SurfaceInput, surface: &mut Surface, turn: TurnNormal) {
    let split = surface.split_model().cloned();
    let model = split.as_deref().unwrap_or(input.model);
    for part in &mut surface.parts {
        let instance = &model.instances[part.instance.index()];
        let primitive = &model.meshes[instance.mesh.index()].primitives[part.primitive];
        let (first, influences) = model.binding(part.instance, part.primitive);
        let Some((skin, influences)) = instance.skin.zip(influences) else { continue };
        let count = model.skins[skin.index()].joints.len();
        let Some(matrices) = input.palettes.get(first as usize..first as usize + count) else { continue };
        let joints: Vec<JointNormals> = matrices.iter().map(JointNormals::of).collect();
        let weights = &input.morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
        let targets = primitive.morphs.iter().zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0);
        let targets: Vec<(&MorphTarget, f32)> = targets.collect();
        let count = primitive.normals.len().min(part.deformed.normals.len());
        in_pieces(&mut part.deformed.normals[..count], PIECE, &|start, normals| {
            for (vertex, out) in (start..).zip(normals) {
                let by = |(t, weight): &(&MorphTarget, f32)| Some(*t.normals.get(vertex)? * *weight);
                let n = primitive.normals[vertex] + targets.iter().filter_map(by).sum::<Vec3>();
                *out = turn(&joints, influences.of(vertex), n.into()).normalize_or_zero().into();
            }
        });
    }
}

/// `Σ w f(joint)`, for what each joint makes of a normal.
#[inline(always)]
fn blended((slots, weights): (&[u16], &[f32]), of_joint: impl Fn(usize) -> Vec3A) -> Vec3A {
    let used = slots.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    used.map(|(joint, weight)| of_joint(usize::from(*joint)) * *weight).sum()
}

fn of_heaviest(joints: &[JointNormals], (slots, weights): (&[u16], &[f32]), n: Vec3A) -> Vec3A {
    let sum = |joint: u16| slots.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>();
    let first_most = |best: Option<(u16, f32)>, joint: &u16| {
        let sum = sum(*joint);
        if sum > best.map_or(0.0, |(_, most)| most) { Some((*joint, sum)) } else { best }
    };
    slots.iter().fold(None, first_most).map_or(Vec3A::ZERO, |(joint, _)| joints[usize::from(joint)].carries * n)
}

fn from_triangles(input: &SurfaceInput, surface: &mut Surface) {
    let split = surface.split_model().cloned();
    let model = split.as_deref().unwrap_or(input.model);
    // Copies that a method has moved apart are apart.
    let deformed = |id: InstanceId, p: usize| surface.part(id, p).map(|part| &part.deformed.positions[..]);
    let of_copies = split.as_ref().map(|split| NormalGroups::new(split, &deformed));
    let groups = of_copies.as_ref().unwrap_or_else(|| model.normal_groups());
    let mut normals = vec![Vec3::ZERO; groups.triangles()];
    for part in &surface.parts {
        let Some(range) = groups.triangles_of(part.instance, part.primitive) else { continue };
        let mesh = model.instances[part.instance.index()].mesh;
        let triangles = model.meshes[mesh.index()].primitives[part.primitive].indices.as_chunks::<3>().0;
        let Deformed { positions, determinants, .. } = &part.deformed;
        let is_mirrored = determinants.iter().any(|determinant| *determinant < 0.0);
        in_pieces(&mut normals[range], PIECE, &|start, normals| {
            for (normal, triangle) in normals.iter_mut().zip(&triangles[start..]) {
                let [a, b, c] = triangle.map(|v| positions[v as usize]);
                let side = if is_mirrored && part.deformed.is_mirrored(*triangle) { -1.0 } else { 1.0 };
                *normal = (b - a).cross(c - a) * side;
            }
        });
    }
    let mut sums = vec![Vec3::ZERO; groups.count()];
    in_pieces(&mut sums, PIECE, &|start, sums| {
        for (group, sum) in (start..).zip(sums) {
            let around = groups.around(group).iter();
            *sum = around.map(|triangle| normals[*triangle as usize]).sum::<Vec3>().normalize_or_zero();
        }
    });
    for part in &mut surface.parts {
        let Some(of) = groups.of(part.instance, part.primitive) else { continue };
        in_pieces(&mut part.deformed.normals, PIECE, &|start, normals| {
            for (normal, group) in normals.iter_mut().zip(&of[start..]) {
                *normal = sums[*group as usize];
            }
        });
    }
}
