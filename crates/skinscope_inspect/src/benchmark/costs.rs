//! What each method and each mode of normals costs for a vertex, as the program deforms on all cores, and how far its positions are from
//! the definition of the method in double precision.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::{Affine3A, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_deform::{Deformation, DeformedAttributes, METHODS, MethodData, NORMAL_MODES, Surface, SurfaceInput};
use skinscope_model::{InstanceId, Model};

use super::{ROUNDS, TURN_SECS, quartiles};
use crate::{Explanation, PosedModel, VertexRef};

/// The most vertices that are compared with the definition; of more, evenly spaced ones are.
const MOST_EXACT: usize = 20_000;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostOf {
    /// A method, with the normals that it makes itself.
    Method,
    /// A mode of the normals of linear blending, with linear blending.
    Normals,
}

/// The time that a vertex takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// What is timed.
    pub of: CostOf,
    /// The id of the method or of the mode of normals.
    pub id: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// Nanoseconds for a vertex: the least of all turns, the lower quartile, the median, the upper quartile and the greatest.
    pub ns: [f64; 5],
    /// The largest distance of a vertex from where the definition of the method in double precision puts it, metres. `None` for modes of
    /// normals, which move no vertex, and for a method that has a vertex at several positions.
    pub from_exact: Option<f64>,
}

impl Cost {
    /// Writes the median with its quartiles, such as `12.3 ns (half of all turns 11.9–13.0)`.
    #[must_use]
    pub fn text(&self) -> String {
        let [_, lower, median, upper, _] = self.ns;
        format!("{median:.1} ns (half of all turns {lower:.1}–{upper:.1})")
    }
}

/// One row while it is timed.
struct Row<'a> {
    cost: Cost,
    input: SurfaceInput<'a>,
    surface: Surface,
    repeats: usize,
    turns: Vec<f64>,
}

/// Times those of the methods and modes that `wanted` asks for, for a model with these skinning matrices and morph weights; all take
/// turns. Empty where the model has no vertices; `None` where it was cancelled.
#[must_use]
pub fn costs(
    model: &Model,
    (palettes, morph_weights): (&[Affine3A], &[f32]),
    wanted: &[CostOf],
    cancel: &AtomicBool,
) -> Option<Vec<Cost>> {
    let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
    let vertices = vertices_of(model);
    if vertices == 0 {
        return Some(Vec::new());
    }
    let waiting = JobContext::of_waiting();
    let mut data: Vec<Option<MethodData>> = Vec::new();
    for method in METHODS {
        let source = method.data.filter(|_| wanted.contains(&CostOf::Method));
        data.push(source.and_then(|source| (source.make)(model, &waiting)));
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
    }
    let of_methods = METHODS.iter().zip(&data).map(|(method, data)| {
        (CostOf::Method, method.id, method.label, Deformation { data: data.as_ref(), ..Deformation::from(method) })
    });
    let of_normals = NORMAL_MODES.iter().map(|mode| {
        (CostOf::Normals, mode.id, mode.label, Deformation { normals: mode, ..Deformation::from(METHODS[0]) })
    });
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (of, id, label, method) in of_methods.chain(of_normals).filter(|(of, ..)| wanted.contains(of)) {
        let input = SurfaceInput { model, draws: &draws, palettes, morph_weights, method };
        let mut surface = Surface::default();
        // The first time it takes its memory.
        timed(&input, &mut surface, 1);
        let repeats = (TURN_SECS / timed(&input, &mut surface, 1).max(1e-9)).clamp(1.0, 10_000.0) as usize;
        let from_exact = (of == CostOf::Method).then(|| distance_of_surface(&input, &surface)).flatten();
        let cost = Cost { of, id, label, ns: [0.0; 5], from_exact };
        rows.push(Row { cost, input, surface, repeats, turns: Vec::new() });
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            let secs = timed(&row.input, &mut row.surface, row.repeats);
            row.turns.push(1e9 * secs / vertices as f64);
        }
    }
    Some(rows.into_iter().map(|row| Cost { ns: quartiles(row.turns), ..row.cost }).collect())
}

/// Deforms so many times. Returns the seconds of one time.
fn timed(input: &SurfaceInput<'_>, surface: &mut Surface, times: usize) -> f64 {
    let begin = Instant::now();
    for _ in 0..times {
        std::hint::black_box(&mut *surface).deform(input, DeformedAttributes::ALL);
    }
    begin.elapsed().as_secs_f64() / times as f64
}

/// Counts the vertices of all instances, of one with copies once.
fn vertices_of(model: &Model) -> usize {
    model.instances.iter().flat_map(|i| model.primitives(i.mesh)).map(|p| p.positions.len()).sum()
}

/// Returns the largest distance of a surface from the definition of its method; `None` where vertices stand at several positions, or a pass
/// changes them all.
fn distance_of_surface(input: &SurfaceInput<'_>, surface: &Surface) -> Option<f64> {
    if input.method.has_pass() || surface.split_model().is_some() {
        return None;
    }
    Some(distance_from_definition(input, &|instance, primitive, vertex| {
        surface.part(instance, primitive).filter(|part| part.copies.is_empty())?.deformed.positions.get(vertex).copied()
    }))
}

/// Returns the largest distance of vertices from where the definition of the method in double precision puts them, with the same skinning
/// matrices; metres. `position` returns where a vertex (its instance, the number of its primitive, its own) stands; those without
/// one are left out. Of many vertices evenly spaced ones are compared.
#[must_use]
pub fn distance_from_definition(
    input: &SurfaceInput<'_>,
    position: &dyn Fn(InstanceId, usize, usize) -> Option<Vec3>,
) -> f64 {
    let SurfaceInput { model, draws, palettes, morph_weights, method } = *input;
    let step = vertices_of(model).div_ceil(MOST_EXACT).max(1);
    // What the definition needs of its neighbours it has in its data; no surface is made for that.
    let posed = PosedModel { model, palettes, morph_weights, method, surface: None };
    let mut most = 0.0_f64;
    let mut number = 0_usize;
    for instance in draws {
        let mesh = model.instances[instance.index()].mesh;
        for (primitive, source) in model.primitives(mesh).enumerate() {
            for vertex in 0..source.positions.len() {
                number += 1;
                if !number.is_multiple_of(step) {
                    continue;
                }
                let at = VertexRef { instance: *instance, primitive, vertex };
                let Some(found) = position(*instance, primitive, vertex) else { continue };
                let Some(exact) = Explanation::definition(&posed, at) else { continue };
                let distance = found.as_dvec3().distance(exact);
                // What is not a number is as far away as can be.
                most = most.max(if distance.is_nan() { f64::INFINITY } else { distance });
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::benchmark::tests::posed;

    #[test]
    fn every_method_and_every_mode_of_normals_has_its_time() {
        let model = tube(Tube { joints: 4, rings: 9, influences: 2, ..Tube::default() });
        let palettes = posed(&model);
        let both = [CostOf::Method, CostOf::Normals];
        let all = costs(&model, (&palettes, &[]), &both, &AtomicBool::new(false)).unwrap();
        let ids = |of: CostOf| all.iter().filter(|cost| cost.of == of).map(|cost| cost.id).collect::<Vec<_>>();
        assert_eq!(ids(CostOf::Method), METHODS.iter().map(|method| method.id).collect::<Vec<_>>());
        assert_eq!(ids(CostOf::Normals), NORMAL_MODES.iter().map(|mode| mode.id).collect::<Vec<_>>());
        for cost in &all {
            assert!(cost.ns.is_sorted() && cost.ns[0] > 0.0, "{cost:?}");
            assert!(cost.text().starts_with(&format!("{:.1} ns (half of all turns ", cost.ns[2])), "{}", cost.text());
            // Rounding of single precision, and no more; a rigid vertex stands at several positions.
            assert_eq!(cost.from_exact.is_some(), cost.of == CostOf::Method && cost.id != "rigid", "{cost:?}");
            assert!(cost.from_exact.is_none_or(|metres| metres < 1e-4), "{cost:?}");
        }
        assert!(all.iter().any(|cost| cost.from_exact.is_some_and(|metres| metres > 0.0)), "{all:?}");
        assert_eq!(costs(&model, (&palettes, &[]), &both, &AtomicBool::new(true)), None);
    }

    #[test]
    fn the_distance_from_the_definition_is_that_of_the_vertex_that_is_farthest_off() {
        let model = tube(Tube { joints: 3, rings: 5, influences: 2, ..Tube::default() });
        let palettes = posed(&model);
        let draws = [InstanceId(0)];
        let method = Deformation::from(METHODS[0]);
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
        let surface = Surface::of(&input);
        let off = |by: f32| {
            distance_from_definition(&input, &|_, _, vertex| {
                let at = surface.parts[0].deformed.positions[vertex];
                Some(at + Vec3::Y * if vertex == 7 { by } else { 0.0 })
            })
        };
        assert!(off(0.0) < 1e-6 && (off(0.25) - 0.25).abs() < 1e-6, "{} {}", off(0.0), off(0.25));
        assert_eq!(distance_from_definition(&input, &|_, _, _| Some(Vec3::NAN)), f64::INFINITY);
    }
}
