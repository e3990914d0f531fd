//! Delta mush (Mancewicz, Derksen, Rijpkema and Wilson, "Delta Mush: Smoothing Deformations While Preserving Detail",
//! 2014), in the form of Blender's modifier *Corrective Smooth*: the deformed surface is smoothed, and the details that
//! the same smoothing removes from the rest surface are added again, in the frames of its triangles.
//!
//! With `x` the rest surface (morph targets included), `y` the deformed one, and `x°` and `y°` both after the same
//! steps of smoothing: `p = y° + h G (x − x°)`. `G` is the mean of the rotations from the frames of the vertex's
//! corners in `x°` to those in `y°`, each weighted by the angle of its corner, and `h` is the mean stretch of the
//! joints.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use glam::{DMat3, Vec3, Vec3A, Vec4};
use skinscope_base::parallel::in_pieces;
use skinscope_model::{InstanceId, Model, Primitive, Topology};

use super::corner_fans::{Eight, numbers};
use super::joint_rotation::nearest_rotation;
use super::lanes::{Halves, LANES, Lanes};
use super::neighbours::{MushScratch, NEIGHBOURS, Neighbours, RestSurface, Restored, Rings};
use super::surface::normals_from_triangles;
use super::{
    Deformed, DeformedAttributes, MethodText, Parameter, Pass, Surface, SurfaceInput, deform_primitive, morphed, pack,
};

/// The entry of delta mush in [`super::PASSES`].
pub(crate) static DELTA_MUSH: Pass = Pass {
    id: "mush",
    usage: "N,STEP",
    label: "Delta mush",
    help: "Smooths the deformed surface and puts the details of the rest surface back: evens out creases, bulges and poor weights",
    text: MethodText {
        equation: "p = y° + h G (x − x°)",
        explanation: "y° is where smoothing takes the vertex from where the method has it, x° where it takes it at rest. What it \
                      loses there, x − x°, is turned by G as the triangles around it have turned, stretched by h as its joints \
                      stretch, and put back.",
        source: "Mancewicz, Derksen, Rijpkema and Wilson, Delta Mush: Smoothing Deformations While Preserving Detail, 2014",
    },
    parameters: &[
        Parameter {
            id: "mush-iterations",
            label: "Iterations",
            help: "How often each vertex moves towards the mean of its neighbours",
            range: [0.0, 100.0],
            default: 10.0,
            is_whole: true,
        },
        Parameter {
            id: "mush-step",
            label: "Step",
            help: "How far it moves there each time: 0 stays, 1 is the mean",
            range: [0.0, 1.0],
            default: 0.5,
            is_whole: false,
        },
    ],
    data: Some(&NEIGHBOURS),
    run,
};

/// How many vertices one thread works on at a time.
const PIECE: usize = 4096;

fn run(input: &SurfaceInput, surface: &mut Surface) {
    let Some(applied) = input.method.pass else { return };
    let [iterations, step, ..] = applied.values;
    if iterations < 1.0 || step == 0.0 {
        return;
    }
    for neighbours in applied.data.iter().flat_map(|data| &data.neighbours) {
        let is_drawn = neighbours.primitives.iter().any(|(id, p)| surface.part(*id, *p).is_some());
        if is_drawn {
            mush(input, surface, neighbours, (iterations as usize, step));
        }
    }
}

fn mush(input: &SurfaceInput, surface: &mut Surface, neighbours: &Neighbours, (iterations, step): (usize, f32)) {
    // Who deforms another surface of the model at the same time has memory of its own.
    let mut scratch = std::mem::take(&mut *neighbours.scratch.lock().unwrap_or_else(PoisonError::into_inner));
    let rest = rest_surface(input, neighbours, (iterations, step));
    posed(input, surface, neighbours, &mut scratch.now);
    smooth(&neighbours.rings, &mut scratch, iterations, step);
    let stretches = stretches(input, neighbours);
    let (smoothed, restored) = (&scratch.now, &mut scratch.restored);
    restored.resize(LANES * rest.details.len(), Restored::default());
    let posed = PosedFans { neighbours, rest: &rest, smoothed, stretches: stretches.as_deref() };
    in_pieces(restored.as_chunks_mut::<LANES>().0, PIECE / LANES, &|start, restored| posed.restore(start, restored));
    let split = surface.split_model().cloned();
    let model = split.as_deref().unwrap_or(input.model);
    for (&(id, p), welded) in neighbours.primitives.iter().zip(&neighbours.welded) {
        let welded = with_copies(surface, (id, p), welded);
        let Some(part) = surface.part_mut(id, p) else { continue };
        write(model, input, (id, p), &welded, &scratch.restored, &mut part.deformed);
    }
    *neighbours.scratch.lock().unwrap_or_else(PoisonError::into_inner) = scratch;
}

/// Moves each vertex of `scratch.now` a step towards the mean of its neighbours, as often as asked for.
fn smooth(rings: &Rings, scratch: &mut MushScratch, iterations: usize, step: f32) {
    let MushScratch { now, next, .. } = scratch;
    next.resize(now.len(), Vec3A::ZERO);
    for _ in 0..iterations {
        in_pieces(next.as_chunks_mut::<4>().0, PIECE / 4, &|start, next| {
            let mut first = rings.first[start] as usize;
            let here = now.as_chunks::<4>().0[start..].iter().zip(&rings.per_count[start..]);
            for ((out, (here, per_count)), end) in next.iter_mut().zip(here).zip(&rings.first[start + 1..]) {
                let mut sums = [Vec3A::ZERO; 4];
                for others in &rings.others[first..*end as usize] {
                    for (sum, other) in sums.iter_mut().zip(others) {
                        *sum += now[*other as usize];
                    }
                }
                for (((out, here), sum), per_count) in out.iter_mut().zip(here).zip(sums).zip(per_count) {
                    // Vertices without an edge stay.
                    let step = if *per_count == 0.0 { 0.0 } else { step };
                    *out = *here + (sum * *per_count - *here) * step;
                }
                first = *end as usize;
            }
        });
        std::mem::swap(now, next);
    }
}

/// Restores the details of a smoothed posed surface.
struct PosedFans<'a> {
    neighbours: &'a Neighbours,
    rest: &'a RestSurface,
    smoothed: &'a [Vec3A],
    /// See [`stretches`].
    stretches: Option<&'a [(f32, f32)]>,
}

impl PosedFans<'_> {
    /// Restores the details of eight vertices at a time, from number `8 * start` on.
    fn restore(&self, start: usize, restored: &mut [[Restored; LANES]]) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
            // SAFETY: the processor has AVX2.
            return unsafe { self.restore_wide(start, restored) };
        }
        self.restore_by::<Halves>(start, restored);
    }

    /// Does the same with registers of eight numbers: it takes six tenths of the time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn restore_wide(&self, start: usize, restored: &mut [[Restored; LANES]]) {
        self.restore_by::<super::lanes::Whole>(start, restored);
    }

    #[inline(always)]
    fn restore_by<T: Lanes>(&self, start: usize, restored: &mut [[Restored; LANES]]) {
        let (zero, nowhere) = (T::splat(0.0), T::splat(f32::NAN));
        for (group, out) in (start..).zip(restored) {
            let [size, side] = self.stretch(group);
            let (size, side) = (T::load(&size), T::load(&side));
            let at = T::gather(&numbers(group), self.smoothed);
            let turned = self.neighbours.fans.turned(&self.rest.frames, group, at, self.smoothed, side);
            let [x, y, z] = &self.rest.details[group];
            let detail = turned.of([T::load(x), T::load(y), T::load(z)]);
            let has_frame = zero.less(turned.weights);
            let positions = T::scatter([
                T::select(has_frame, at[0] + detail[0] * size, nowhere),
                T::select(has_frame, at[1] + detail[1] * size, nowhere),
                T::select(has_frame, at[2] + detail[2] * size, nowhere),
            ]);
            for ((out, map), position) in out.iter_mut().zip(turned.matrices()).zip(positions) {
                *out = Restored { map, position };
            }
        }
    }

    /// Returns the stretch of eight vertices, and its signs.
    #[inline(always)]
    fn stretch(&self, group: usize) -> [[f32; LANES]; 2] {
        let mut out = [[1.0; LANES]; 2];
        if let Some(all) = self.stretches {
            for (lane, (size, side)) in all[LANES * group..].iter().take(LANES).enumerate() {
                (out[0][lane], out[1][lane]) = (*size, *side);
            }
        }
        out
    }
}

/// Returns a primitive as stored, and its morph weights.
fn source<'a>(input: &SurfaceInput<'a>, (id, p): (InstanceId, usize)) -> (&'a Primitive, &'a [f32]) {
    let instance = &input.model.instances[id.index()];
    let weights = &input.morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
    (&input.model.meshes[instance.mesh.index()].primitives[p], weights)
}

/// Returns the rest surface after smoothing. The one that was computed last is returned again if the morph weights and parameters
/// are still the same.
fn rest_surface(input: &SurfaceInput, neighbours: &Neighbours, (iterations, step): (usize, f32)) -> Arc<RestSurface> {
    let mut key = vec![iterations as f32, step];
    neighbours.primitives.iter().for_each(|id| key.extend_from_slice(source(input, *id).1));
    let cached = neighbours.rest.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(rest) = cached.filter(|rest| rest.key == key) {
        return rest;
    }
    let mut rest = vec![Vec3A::ZERO; filled(neighbours)];
    let mut positions = Vec::new();
    for (&id, welded) in neighbours.primitives.iter().zip(&neighbours.welded) {
        let (primitive, weights) = source(input, id);
        morphed(primitive, weights, &mut positions);
        welded.iter().zip(&positions).for_each(|(number, at)| rest[*number as usize] = Vec3A::from(*at));
    }
    let mut scratch = MushScratch { now: rest.clone(), ..MushScratch::default() };
    smooth(&neighbours.rings, &mut scratch, iterations, step);
    let detail = |group: usize| -> Eight {
        let [from, to] = [&rest, &scratch.now].map(|list| numbers(group).map(|number| list[number as usize]));
        [0, 1, 2].map(|axis| std::array::from_fn(|lane| from[lane][axis] - to[lane][axis]))
    };
    let details = (0..neighbours.members.len().div_ceil(LANES)).map(detail).collect();
    let frames = neighbours.fans.frames(&scratch.now);
    let made = Arc::new(RestSurface { key, details, frames });
    *neighbours.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
    made
}

/// How many numbers a list of positions has: see [`MushScratch`].
fn filled(neighbours: &Neighbours) -> usize {
    neighbours.members.len().next_multiple_of(LANES) + 1
}

/// Writes to `out` where the method has put the welded vertices, those that are not drawn included.
fn posed(input: &SurfaceInput, surface: &Surface, neighbours: &Neighbours, out: &mut Vec<Vec3A>) {
    let mut packed: Vec<Vec4> = Vec::new();
    let mut of_primitive = |&(id, p): &(InstanceId, usize)| match surface.part(id, p) {
        Some(part) => Cow::Borrowed(&part.deformed.positions[..]),
        None => {
            if packed.is_empty() {
                pack(&input.method, input.palettes, &mut packed);
            }
            let mut hidden = Deformed::of(DeformedAttributes::NONE);
            deform_primitive(input.model, id, p, &packed, input.morph_weights, input.method, &mut hidden);
            Cow::Owned(hidden.positions)
        }
    };
    let positions: Vec<Cow<'_, [Vec3]>> = neighbours.primitives.iter().map(&mut of_primitive).collect();
    out.resize(filled(neighbours), Vec3A::ZERO);
    let (out, nothing) = out.split_at_mut(neighbours.members.len());
    nothing.fill(Vec3A::ZERO);
    in_pieces(out, PIECE, &|start, out| {
        for (out, (primitive, vertex)) in out.iter_mut().zip(&neighbours.members[start..]) {
            *out = positions[*primitive as usize][*vertex as usize].into();
        }
    });
    if let Some(model) = surface.split_model() {
        mean_of_corners(model, surface, neighbours, out);
    }
}

/// Returns the number of the welded vertex of each vertex of a primitive, copies that the method has made included.
fn with_copies<'a>(surface: &Surface, (id, p): (InstanceId, usize), welded: &'a [u32]) -> Cow<'a, [u32]> {
    let count = surface.part(id, p).map_or(0, |part| part.deformed.positions.len());
    if count <= welded.len() {
        return Cow::Borrowed(welded);
    }
    let copies = (welded.len()..count).map(|vertex| welded[surface.original(id, p, vertex)]);
    welded.iter().copied().chain(copies).collect()
}

/// Puts each welded vertex where the mean of its corners is: a method may have put them at several positions.
fn mean_of_corners(model: &Model, surface: &Surface, neighbours: &Neighbours, out: &mut [Vec3A]) {
    let mut sums = vec![(Vec3A::ZERO, 0.0); out.len()];
    for (&(id, p), welded) in neighbours.primitives.iter().zip(&neighbours.welded) {
        let Some(part) = surface.part(id, p) else { continue };
        let welded = with_copies(surface, (id, p), welded);
        let primitive = &model.meshes[model.instances[id.index()].mesh.index()].primitives[p];
        if primitive.topology != Topology::Triangles {
            continue;
        }
        for corner in &primitive.indices {
            let sum = &mut sums[welded[*corner as usize] as usize];
            *sum = (sum.0 + Vec3A::from(part.deformed.positions[*corner as usize]), sum.1 + 1.0);
        }
    }
    for (out, (sum, count)) in out.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
        *out = sum / count;
    }
}

/// Returns for each welded vertex `∛|det S̄|` of the mean stretch of its joints, and the sign of that determinant; `None` where no
/// joint stretches.
fn stretches(input: &SurfaceInput, neighbours: &Neighbours) -> Option<Vec<(f32, f32)>> {
    let model: &Model = input.model;
    let (id, p) = *neighbours.primitives.first()?;
    let (first, _) = model.binding(id, p);
    let skin = model.instances[id.index()].skin?;
    let matrices = input.palettes.get(first as usize..)?.get(..model.skins[skin.index()].joints.len())?;
    let of_joint = |m: &glam::Affine3A| {
        let stretch = nearest_rotation(m.matrix3).transpose() * m.matrix3;
        DMat3::from_cols_array(&stretch.to_cols_array().map(f64::from))
    };
    let all: Vec<DMat3> = matrices.iter().map(of_joint).collect();
    let off = |m: &DMat3| (*m - DMat3::IDENTITY).to_cols_array().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    if all.iter().all(|m| off(m) < 1e-6) {
        return None;
    }
    let mut out = vec![(1.0, 1.0); neighbours.members.len()];
    in_pieces(&mut out, PIECE, &|start, out| {
        for (out, (primitive, vertex)) in out.iter_mut().zip(&neighbours.members[start..]) {
            let (id, p) = neighbours.primitives[*primitive as usize];
            let Some(influences) = model.influences(model.instances[id.index()].mesh, p) else { continue };
            let (joints, weights) = influences.of(*vertex as usize);
            let (mut sum, mut total) = (DMat3::ZERO, 0.0);
            for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                sum += all[usize::from(*joint)] * f64::from(*weight);
                total += f64::from(*weight);
            }
            if total != 0.0 {
                let determinant = (sum * (1.0 / total)).determinant();
                *out = (determinant.abs().cbrt() as f32, if determinant < 0.0 { -1.0 } else { 1.0 });
            }
        }
    });
    Some(out)
}

/// Writes the vertices of a primitive; those without a frame stay as they are.
fn write(
    model: &Model,
    input: &SurfaceInput,
    (id, p): (InstanceId, usize),
    welded: &[u32],
    restored: &[Restored],
    out: &mut Deformed,
) {
    let (_, weights) = source(input, (id, p));
    let primitive = &model.meshes[model.instances[id.index()].mesh.index()].primitives[p];
    let targets = || primitive.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    let displaced = |list: fn(&skinscope_model::MorphTarget) -> &Vec<Vec3>, vertex: usize| {
        targets().filter_map(|(t, weight)| Some(*list(t).get(vertex)? * *weight)).sum::<Vec3>()
    };
    in_pieces(&mut out.positions, PIECE, &|start, positions| {
        for (position, number) in positions.iter_mut().zip(&welded[start..]) {
            let restored = &restored[*number as usize];
            if !restored.position.x.is_nan() {
                *position = restored.position.into();
            }
        }
    });
    if primitive.normals.is_empty() {
        if !out.normals.is_empty() {
            normals_from_triangles(primitive, out);
        }
    } else {
        in_pieces(&mut out.normals, PIECE, &|start, normals| {
            for (i, normal) in normals.iter_mut().enumerate() {
                let restored = &restored[welded[start + i] as usize];
                if !restored.position.x.is_nan() {
                    let n = primitive.normals[start + i] + displaced(|t| &t.normals, start + i);
                    *normal = (restored.map * Vec3A::from(n)).normalize_or_zero().into();
                }
            }
        });
    }
    in_pieces(&mut out.tangents, PIECE, &|start, tangents| {
        for (i, tangent) in tangents.iter_mut().enumerate() {
            let restored = &restored[welded[start + i] as usize];
            if !restored.position.x.is_nan() {
                let t = primitive.tangents[start + i].truncate() + displaced(|t| &t.tangents, start + i);
                *tangent = (restored.map * Vec3A::from(t)).normalize_or_zero().extend(tangent.w);
            }
        }
    });
}
