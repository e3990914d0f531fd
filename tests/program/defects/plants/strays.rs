//! Vertices far outside of the model, and near misses that are far away for a good reason.

use glam::DVec3;
use serde_json::json;

use super::places;
use super::surface::add_primitive;
use crate::defects::document::Document;
use crate::defects::file::{Column, F32};
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::Rig;

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("stray-vertices", "a hundred sizes away", |r, n| strays(r, n, 1, 100.0)),
    &defect("stray-vertices", "a million sizes away", |r, n| strays(r, n, 1, 1e6)),
    &defect("stray-vertices", "several, each to another side", |r, n| strays(r, n, 3, 3000.0)),
    &defect("stray-vertices", "where numbers end", |r, n| strays(r, n, 1, 1e25)),
    &near_miss("stray-vertices", "a sword", |r, n| strays(r, n, 1, 4.0)),
    &near_miss("stray-vertices", "a long tail", tail),
    &near_miss("stray-vertices", "another object", |r, n| object(r, n, 1.0, 300.0)),
    &near_miss("stray-vertices", "a wide ground", |r, n| object(r, n, 1000.0, 0.0)),
];

/// One of the axes, either way.
fn direction(random: &mut Random) -> DVec3 {
    let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
    if random.once_in(2) { axis } else { -axis }
}

/// Moves all vertices of some places by so many sizes of the rig.
fn strays(rig: &Rig, random: &mut Random, count: usize, sizes: f64) -> Case {
    let mut edit = Edit::new(rig);
    // Its mirror image has none any more, and long triangles may pass anything.
    edit.plant.also = vec!["asymmetry", "t-junction", "seam-weights", "rogue-vertices", "far-influence"];
    let mut positions: Vec<Vec<DVec3>> = rig.parts.iter().map(|p| p.positions.clone()).collect();
    for _ in 0..count {
        let place = places(rig, random)[0];
        let away = direction(random) * rig.size * sizes;
        for (part, vertex) in &rig.copies[place] {
            positions[*part][*vertex as usize] = rig.parts[*part].positions[*vertex as usize] + away;
            edit.must_name(*part, *vertex);
        }
    }
    for (part, positions) in rig.parts.iter().zip(positions) {
        let stored = positions.iter().flat_map(|p| p.to_array()).collect();
        edit.file.set_attribute(part.place, "POSITION", &Column::new(F32, 3, stored));
    }
    edit.done()
}

/// A strip of triangles with the weights of one vertex, each half as long again as the one before: 200 sizes long.
fn tail(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    edit.plant.also = vec!["asymmetry", "t-junction", "seam-weights", "rogue-vertices", "far-influence"];
    let (part, vertex) = rig.copies[random.below(rig.copies.len())][0];
    let p = &rig.parts[part];
    let (root, along) = (p.positions[vertex as usize], direction(random));
    let side = along.any_orthonormal_vector() * rig.size * 0.001;
    let mut points = Vec::new();
    let mut length = rig.size * 0.01;
    while length < 200.0 * rig.size {
        points.extend([root + along * length + side, root + along * length - side]);
        length *= 1.5;
    }
    let pairs = vec![p.weights.shares(vertex).into_iter().collect::<Vec<_>>(); points.len()];
    let triangles: Vec<[u32; 3]> = (0..points.len() as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
    add_primitive(&mut edit.file, p.place.0, &points, &pairs, &triangles, p.weights.component);
    edit.done()
}

/// A square that nothing moves, so many sizes wide and away.
fn object(rig: &Rig, random: &mut Random, wide: f64, away: f64) -> Case {
    let mut edit = Edit::new(rig);
    let center = direction(random) * rig.size * away;
    let half = rig.size * wide * 0.5;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let stored = corners.iter().flat_map(|(x, z)| (center + DVec3::new(*x, 0.0, *z) * half).to_array()).collect();
    let mesh = edit.file.push("meshes", json!({ "primitives": [{ "attributes": {} }] }));
    edit.file.set_attribute((mesh, 0), "POSITION", &Column::new(F32, 3, stored));
    edit.file.set_triangles((mesh, 0), &[[0, 1, 2], [0, 2, 3]]);
    let node = edit.file.push("nodes", json!({ "name": "another object", "mesh": mesh }));
    let scene = edit.file.root["scene"].as_u64().unwrap_or(0) as usize;
    edit.file.root["scenes"][scene]["nodes"].as_array_mut()?.push(json!(node));
    edit.done()
}
