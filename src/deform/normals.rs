//! Where the normals of a deformed surface come from: the formulas that books and engines have for linear blending, which agree where
//! joints only turn and vertices have one joint, and the normals of the deformed triangles, which all of them approximate.

use std::collections::HashMap;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

use super::{Surface, SurfaceInput};
use crate::math::cofactor;
use crate::model::{InstanceId, MorphTarget, SkinId, Topology};

/// One way to work out normals: a row of [`NORMAL_MODES`].
#[derive(Debug)]
pub struct NormalMode {
    /// The name on the command line: `cofactor`.
    pub id: &'static str,
    /// The name in the window.
    pub label: &'static str,
    /// One sentence: what it does, and where it comes from.
    pub help: &'static str,
    /// Whether it makes sense after every method; the others are modes of linear blending.
    pub fits_all: bool,
    /// Replaces the normals of what skins move. `None`: those of the method stay.
    pub run: Option<fn(&SurfaceInput, &mut Surface)>,
}

/// All ways to work out normals; the first is the default.
pub static NORMAL_MODES: &[&NormalMode] = &[
    &NormalMode {
        id: "cofactor",
        label: "Of the blend",
        help: "The cofactors (the inverse transpose) of the blended matrix carry the normal: exact for each vertex alone",
        fits_all: true,
        run: None,
    },
    &NormalMode {
        id: "blended-inverse-transpose",
        label: "Blended inverse transposes",
        help: "The inverse transposes of the joints are blended (Larsen et al. 2001, eq. 9)",
        fits_all: false,
        run: Some(|input, surface| blended(input, surface, &|joint, n| joint.inverse_transpose * n)),
    },
    &NormalMode {
        id: "normalise-before-blend",
        label: "Normalised before the blend",
        help: "Each joint's inverse transpose carries the normal, which is normalised before the blend: no joint counts more by its scale",
        fits_all: false,
        run: Some(|input, surface| {
            blended(input, surface, &|joint, n| (joint.inverse_transpose * n).normalize_or_zero())
        }),
    },
    &NormalMode {
        id: "largest-weight",
        label: "Heaviest joint alone",
        help: "The heaviest joint alone carries the normal: cheap, and it breaks where another joint takes over",
        fits_all: false,
        run: Some(of_heaviest),
    },
    &NormalMode {
        id: "rotation-only",
        label: "Matrix without translation",
        help: "The blended matrix itself carries the normal, as many shaders do: wrong where scale is uneven",
        fits_all: false,
        run: Some(|input, surface| blended(input, surface, &|joint, n| joint.matrix * n)),
    },
    &NormalMode {
        id: "from-triangles",
        label: "Of the triangles",
        help: "The normals of the deformed triangles around the vertex, weighted by area: the truth that the others approximate",
        fits_all: true,
        run: Some(from_triangles),
    },
];

/// Finds a mode by [`NormalMode::id`].
#[must_use]
pub fn normal_mode(id: &str) -> Option<&'static NormalMode> {
    NORMAL_MODES.iter().copied().find(|mode| mode.id == id)
}

/// A joint as normals see it.
struct Joint {
    matrix: Mat3A,
    /// Zero where the matrix flattens.
    inverse_transpose: Mat3A,
    /// What carries a normal: the cofactors, to the side that the determinant says.
    carries: Mat3A,
}

impl Joint {
    fn of(matrix: &Affine3A) -> Self {
        let matrix = matrix.matrix3;
        let (cofactors, determinant) = (cofactor(matrix), matrix.determinant());
        let squared = matrix.to_cols_array().iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
        let is_flat = f64::from(determinant).abs() <= 1e-12 * squared.powf(1.5);
        let inverse_transpose = if is_flat { Mat3A::ZERO } else { cofactors * (1.0 / determinant) };
        Self { matrix, inverse_transpose, carries: cofactors * if determinant < 0.0 { -1.0 } else { 1.0 } }
    }
}

/// Turns one normal with the joints of its vertex, whose indices and weights are given.
type TurnNormal<'a> = &'a dyn Fn(&[Joint], (&[u16], &[f32]), Vec3A) -> Vec3A;

/// Computes the normals of all vertices that skins move from the stored and morphed ones, each by `normal`.
fn each(input: &SurfaceInput, surface: &mut Surface, normal: TurnNormal<'_>) {
    let split = surface.split_model().cloned();
    let model = split.as_deref().unwrap_or(input.model);
    for part in &mut surface.parts {
        let instance = &model.instances[part.instance.index()];
        let primitive = &model.meshes[instance.mesh.index()].primitives[part.primitive];
        let (first, influences) = model.binding(part.instance, part.primitive);
        let Some((skin, influences)) = instance.skin.zip(influences) else { continue };
        let count = model.skins[skin.index()].joints.len();
        let Some(matrices) = input.palettes.get(first as usize..first as usize + count) else { continue };
        let joints: Vec<Joint> = matrices.iter().map(Joint::of).collect();
        let weights = &input.morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
        let targets: Vec<(&MorphTarget, f32)> = primitive.morphs.iter().zip(weights.iter().copied()).collect();
        for (vertex, (out, stored)) in part.deformed.normals.iter_mut().zip(&primitive.normals).enumerate() {
            let by = |(t, weight): &(&MorphTarget, f32)| Some(*t.normals.get(vertex)? * *weight);
            let n = *stored + targets.iter().filter_map(by).sum::<Vec3>();
            *out = normal(&joints, influences.of(vertex), n.into()).normalize_or_zero().into();
        }
    }
}

/// `Σ w f(joint, n)`.
fn blended(input: &SurfaceInput, surface: &mut Surface, of_joint: &dyn Fn(&Joint, Vec3A) -> Vec3A) {
    each(input, surface, &|joints, (slots, weights), n| {
        let used = slots.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        used.map(|(joint, weight)| of_joint(&joints[usize::from(*joint)], n) * *weight).sum()
    });
}

fn of_heaviest(input: &SurfaceInput, surface: &mut Surface) {
    each(input, surface, &|joints, (slots, weights), n| {
        let sum = |joint: u16| slots.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>();
        let first_most = |best: Option<(u16, f32)>, joint: &u16| {
            let sum = sum(*joint);
            if sum > best.map_or(0.0, |(_, most)| most) { Some((*joint, sum)) } else { best }
        };
        slots.iter().fold(None, first_most).map_or(Vec3A::ZERO, |(joint, _)| joints[usize::from(joint)].carries * n)
    });
}

/// What vertices of one place have in common: skin, stored position and stored normal; where the file has no normals, each vertex is a
/// place of its own.
type Place = (SkinId, [[u32; 3]; 2], (u32, u32));

fn from_triangles(input: &SurfaceInput, surface: &mut Surface) {
    let split = surface.split_model().cloned();
    let model = split.as_deref().unwrap_or(input.model);
    let bits = |v: Vec3| (v + Vec3::ZERO).to_array().map(f32::to_bits);
    let (mut known, mut sums) = (HashMap::<Place, u32>::new(), Vec::new());
    let mut places: Vec<Vec<u32>> = Vec::new();
    for part in &surface.parts {
        let instance = &model.instances[part.instance.index()];
        let primitive = &model.meshes[instance.mesh.index()].primitives[part.primitive];
        let Some(skin) = instance.skin.filter(|_| model.binding(part.instance, part.primitive).1.is_some()) else {
            places.push(Vec::new());
            continue;
        };
        let InstanceId(id) = part.instance;
        let place = |vertex: usize| -> Place {
            let own = (id * 0x1_0000 + part.primitive as u32, vertex as u32);
            match primitive.normals.get(vertex) {
                // Copies that a method has moved apart are apart.
                Some(_) if split.is_some() => {
                    (skin, [bits(part.deformed.positions[vertex]), bits(primitive.normals[vertex])], (0, 0))
                }
                Some(normal) => (skin, [bits(primitive.positions[vertex]), bits(*normal)], (0, 0)),
                None => (skin, [[0; 3]; 2], own),
            }
        };
        let number = |vertex: usize| {
            let next = known.len() as u32;
            *known.entry(place(vertex)).or_insert(next)
        };
        let numbers: Vec<u32> = (0..part.deformed.positions.len()).map(number).collect();
        sums.resize(known.len(), Vec3::ZERO);
        if primitive.topology == Topology::Triangles {
            for triangle in primitive.indices.as_chunks().0 {
                let [a, b, c] = triangle.map(|v| part.deformed.positions[v as usize]);
                let normal = (b - a).cross(c - a) * if part.deformed.is_mirrored(*triangle) { -1.0 } else { 1.0 };
                triangle.iter().for_each(|v| sums[numbers[*v as usize] as usize] += normal);
            }
        }
        places.push(numbers);
    }
    for (part, numbers) in surface.parts.iter_mut().zip(&places) {
        for (normal, number) in part.deformed.normals.iter_mut().zip(numbers) {
            *normal = sums[*number as usize].normalize_or_zero();
        }
    }
}
