//! Weights are taken away from real models, and solved back from their posed surfaces.
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its corpus fails")]

use std::collections::BTreeSet;
use std::path::Path;

use glam::DVec3;
use skinscope::deform::METHODS;
use skinscope::edit::Sheet;
use skinscope::math::Aabb;
use skinscope::model::{InstanceId, Model, PrimitiveId};
use skinscope::parallel::JobContext;
use skinscope::solve::{
    Deviation, Drag, DragPose, DraggedRow, Follower, Hull, MethodSurface, PoseKind, Posed, PrimitiveExamples, Problem,
    SolveSettings, drag, hull, poses_of, shown_by, solve_all, solve_rows,
};
use skinscope::weights::{Bounds, Table};

use crate::common;

/// How far two ghosts of a vertex are apart, its number, the pose, and its weights.
type Best<'m> = (f64, usize, DragPose<'m>, Vec<(u32, f64)>);

/// In so many poses the surface is shown.
const POSES: usize = 48;
/// Of the diagonal of the bounds: how near the surface of the median model comes to that of its artist.
const NEAR: f64 = 1e-3;

/// The surface of the artist in some poses.
fn examples<'m>(model: &'m Model, of: &[(InstanceId, PrimitiveId)]) -> Vec<PrimitiveExamples<'m>> {
    let context = JobContext::of_waiting();
    let mut surface = MethodSurface::new(model, METHODS[0].into(), &context).unwrap();
    let drawn: Vec<(InstanceId, usize)> = of.iter().map(|(instance, at)| (*instance, at.primitive)).collect();
    let mut out: Vec<PrimitiveExamples<'m>> = of.iter().map(|(_, at)| (*at, Vec::new())).collect();
    for pose in poses_of(model, PoseKind::All, POSES) {
        for ((_, examples), example) in out.iter_mut().zip(surface.examples(&pose, &drawn)) {
            examples.extend(example);
        }
    }
    out.retain(|(_, examples)| !examples.is_empty());
    out
}

/// How far the weights of tables leave the surface from where it should be.
fn deviation(examples: &[PrimitiveExamples], tables: &[Table]) -> Deviation {
    let mut distances = Vec::new();
    for (at, examples) in examples {
        let table = tables.iter().find(|table| table.primitives.contains(at)).unwrap();
        examples.iter().for_each(|example| example.distances(table, &mut distances));
    }
    Deviation::of(&mut distances)
}

/// Returns how far the surface is from the artist's before and after solving, as shares of the diagonal; `None` without a skin.
fn solved_back(corpus: &Path, name: &str) -> Option<[f64; 2]> {
    let model = common::open(corpus, name);
    let mut sheet = Sheet::of(&model);
    let all = sheet.tables.iter().flat_map(|table| &table.primitives);
    let of: Vec<_> = all.filter_map(|at| Some((shown_by(&model, *at)?, *at))).collect();
    let examples = examples(&model, &of);
    let shown = examples.iter().flat_map(|(_, examples)| examples.first());
    let points = shown.flat_map(|first| (0..first.vertices()).map(move |vertex| first.target(vertex).as_vec3()));
    let bounds = Aabb::from_points(points);
    let diagonal = f64::from((bounds.max - bounds.min).length());
    if !(diagonal > 0.0 && diagonal.is_finite()) {
        return None;
    }
    let mut shares = Vec::new();
    for table in &mut sheet.tables {
        for row in 0..table.vertices() {
            table.shares(row, &mut shares);
            if let Some(most) = shares.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) {
                table.put(row, &[(most.0, 1.0)]);
            }
        }
    }
    let lost = deviation(&examples, &sheet.tables).rms / diagonal;
    let surfaces = sheet.surfaces().to_vec();
    let (settings, context) = (SolveSettings::default(), JobContext::of_waiting());
    solve_all(&model, (&surfaces, &mut sheet.tables), &examples, &Bounds::default(), &settings, &context).unwrap();
    Some([lost, deviation(&examples, &sheet.tables).rms / diagonal])
}

#[test]
fn weights_of_real_models_are_solved_back_from_their_posed_surfaces() {
    let Some(corpus) = common::corpus() else { return };
    let mut left = Vec::new();
    for file in common::models_in(vec![corpus.join("models")]) {
        let name = file.strip_prefix(&corpus).unwrap().to_str().unwrap();
        let Some([before, after]) = solved_back(&corpus, name) else { continue };
        assert!(after <= before + 1e-6, "{name}: {before} → {after}");
        left.push(after);
    }
    left.sort_by(f64::total_cmp);
    let median = left[left.len() / 2];
    assert!(left.len() > 5 && median < NEAR, "{median} of {}", left.len());
}

/// A vertex of the built-in character that several joints move, the pose in which they would take it farthest apart, and its weights by
/// index in the skin.
fn bent<'m>(model: &'m Model, sheet: &Sheet) -> (usize, DragPose<'m>, Vec<(u32, f64)>) {
    let table = &sheet.tables[0];
    let at = table.primitives[0];
    let instance = shown_by(model, at).unwrap();
    let rows: Vec<(usize, Vec<(u32, f64)>)> = (0..table.vertices())
        .map(|row| {
            let mut shares = Vec::new();
            table.shares(row, &mut shares);
            let own = shares.iter().map(|(key, weight)| (u32::from(table.joint_of(*key).unwrap()), *weight));
            (row, own.collect::<Vec<_>>())
        })
        .filter(|(_, own)| own.len() > 1)
        .step_by(7)
        .collect();
    let mut best: Option<Best<'m>> = None;
    for pose in poses_of(model, PoseKind::All, 40) {
        let motion = Posed::new(model, &pose).motion(instance, at.primitive).unwrap();
        for (row, own) in &rows {
            let [a, b] = [own[0].0, own[1].0].map(|joint| motion.ghost(joint as usize, *row));
            if best.as_ref().is_none_or(|(far, ..)| a.distance(b) > *far) {
                let pinned = DragPose { motion: motion.clone(), target: a.lerp(b, 0.7) };
                best = Some((a.distance(b), *row, pinned, own.clone()));
            }
        }
    }
    let (far, row, pinned, own) = best.unwrap();
    assert!(far > 0.01, "its joints move it apart: {far}");
    (row, pinned, own)
}

#[test]
fn a_vertex_of_the_built_in_character_is_dragged_to_where_its_joints_can_take_it() {
    let model = common::open(Path::new(env!("CARGO_MANIFEST_DIR")), "assets/character.glb");
    let sheet = Sheet::of(&model);
    let (vertex, pinned, before) = bent(&model, &sheet);
    let joints: Vec<u32> = before.iter().map(|(joint, _)| *joint).collect();
    let indices: Vec<usize> = joints.iter().map(|joint| *joint as usize).collect();
    let ghosts: Vec<DVec3> = pinned.motion.ghosts(&indices, vertex).collect();
    let Hull { weights, distance, .. } = hull(&ghosts, pinned.target);
    assert!(distance < 1e-5 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{distance} {weights:?}");
    let own = Follower { vertex, strength: 1.0, before: &before, joints: &joints };
    let none = BTreeSet::new();
    let drawn = |target: DVec3| {
        let poses = [DragPose { target, ..pinned.clone() }];
        let asked =
            Drag { poses: &poses, vertex: own, followers: &[own], locked: &none, most: 4, keep: 1e-9, size: 1.7 };
        drag(&asked)
    };
    let inside = drawn(pinned.target);
    assert!(inside.away[0] < 2e-4 && inside.outside[0] < 1e-5, "{:?}", inside.away);
    // The dragged vertex, and one at the same place that goes all the way along.
    let sums = |DraggedRow { shares, .. }: &DraggedRow| shares.iter().map(|(_, weight)| *weight).sum::<f64>();
    assert!(inside.rows.len() == 2 && inside.rows.iter().all(|row| (sums(row) - 1.0).abs() < 1e-9));
    let outside = drawn(pinned.target + DVec3::Y);
    assert!((outside.away[0] - outside.outside[0]).abs() < 1e-3 && outside.outside[0] > 0.1);
}

#[test]
fn a_surface_without_examples_stays() {
    let model = common::open(Path::new(env!("CARGO_MANIFEST_DIR")), "assets/character.glb");
    let sheet = Sheet::of(&model);
    let mut tables = sheet.tables.clone();
    for surface in sheet.surfaces() {
        let examples = vec![&[][..]; surface.parts.len()];
        let (tables_before, bounds) = (&sheet.tables[..], Bounds::default());
        let problem = Problem { model: &model, surface, tables: tables_before, examples: &examples, bounds: &bounds };
        let found = solve_rows(&problem, &SolveSettings::default(), &JobContext::of_waiting()).unwrap();
        assert_eq!((found.apply(surface, &mut tables), found.stuck, found.unproven), (0, 0, 0));
    }
    assert!(tables == sheet.tables);
}
