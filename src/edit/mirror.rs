//! The operation that copies the weights of one side to the other.

use std::collections::HashMap;

use glam::Vec3;

use super::surface::Surface;
use super::weld::{RowShares, mean, unit_shares};
use super::{Axis, Operation, Settings, Sheet};
use crate::math::Aabb;
use crate::model::{JointPairs, NodeId};

/// The operation that copies the weights of one side to the other.
pub static MIRROR: Operation = Operation {
    id: "mirror",
    label: "Mirror weights",
    tool: "Mirror",
    help: "Copy the weights of one side of the mesh to the other, with the joints that have the same name there",
    argument: "AXIS",
    repairs: &["asymmetry"],
    run: mirror,
};

/// How near to the mirror image of another a vertex must be, as a share of the surface's size.
const REACH: f32 = 1e-3;

fn mirror(sheet: &mut Sheet, settings: &Settings) {
    let surfaces = sheet.surfaces().to_vec();
    let mut new: Vec<RowShares> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for surface in &surfaces {
        let partners = partners(sheet, surface);
        let across = |shares: &[(u32, f64)]| -> Vec<(u32, f64)> {
            shares.iter().map(|(key, weight)| (partners.get(key).copied().unwrap_or(*key), *weight)).collect()
        };
        let images = Images::of(surface, settings.axis);
        for vertex in 0..surface.place.len() as u32 {
            let row = surface.row(vertex);
            let own = surface.place[vertex as usize];
            let Some(image) = images.of_place(own) else { continue };
            let shares = if image == own {
                let shares = unit_shares(&sheet.tables[row.0], row.1);
                mean([&shares[..], &across(&shares)[..]].into_iter())
            } else if (images.side(own) < 0.0) == settings.from_negative {
                continue;
            } else {
                let Some(from) = alike(sheet, surface, vertex, image, settings.axis) else { continue };
                let (table, row) = surface.row(from);
                across(&unit_shares(&sheet.tables[table], row))
            };
            if !shares.is_empty() && seen.insert(row) {
                new.push((row, shares));
            }
        }
    }
    for ((table, row), shares) in new {
        let table = &mut sheet.tables[table];
        // Weights that are already right stay as they are stored.
        if super::weld::difference(&unit_shares(table, row), &shares) > 1e-9 {
            table.put_in_order(row, &shares);
        }
    }
}

/// Returns for each key the joint of the same name on the other side.
fn partners(sheet: &Sheet, surface: &Surface) -> HashMap<u32, u32> {
    let mut keys: Vec<u32> = surface.parts.iter().flat_map(|p| sheet.tables[p.table].keys.iter().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let skeleton = &sheet.model.skeleton;
    keys.retain(|key| (*key as usize) < skeleton.len());
    let nodes: Vec<NodeId> = keys.iter().map(|key| NodeId(*key)).collect();
    let pairs = JointPairs::of(skeleton, &nodes, vec![None; nodes.len()]);
    keys.iter().enumerate().filter_map(|(j, key)| Some((*key, keys[usize::from(pairs.told(j)?)]))).collect()
}

/// Returns the vertex at a place whose normal fits best; the first where none has a normal.
fn alike(sheet: &Sheet, surface: &Surface, vertex: u32, image: u32, axis: Axis) -> Option<u32> {
    let normal = |vertex: u32| {
        let (part, stored) = surface.stored(vertex);
        let (mesh, primitive) = part.primitive;
        sheet.model.meshes[mesh].primitives[primitive].normals.get(stored).copied()
    };
    let wanted = normal(vertex).map(|n| mirrored(n, axis));
    let fit = |other: u32| wanted.zip(normal(other)).map_or(0, |(a, b)| (a.dot(b) * 1000.0) as i32);
    let has_weight = |other: &u32| {
        let (table, row) = surface.row(*other);
        sheet.tables[table].sum(row) > 0.0
    };
    let members = surface.members(image).iter().copied().filter(has_weight);
    members.rev().max_by_key(|other| fit(*other))
}

fn mirrored(p: Vec3, axis: Axis) -> Vec3 {
    match axis {
        Axis::X => Vec3::new(-p.x, p.y, p.z),
        Axis::Y => Vec3::new(p.x, -p.y, p.z),
        Axis::Z => Vec3::new(p.x, p.y, -p.z),
    }
}

/// The mirror images of the places of a surface.
struct Images<'s> {
    surface: &'s Surface,
    axis: Axis,
    reach: f32,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'s> Images<'s> {
    fn of(surface: &'s Surface, axis: Axis) -> Self {
        let bounds = Aabb::around_mass(&surface.positions);
        let size = if bounds.is_empty() { 0.0 } else { bounds.diagonal() };
        let reach = (size * REACH).max(f32::MIN_POSITIVE);
        let mut out = Self { surface, axis, reach, cells: HashMap::new() };
        for (place, position) in (0..).zip(&surface.positions) {
            let cell = out.cell(*position);
            out.cells.entry(cell).or_default().push(place);
        }
        out
    }

    fn cell(&self, p: Vec3) -> [i64; 3] {
        (p / self.reach).floor().to_array().map(|c| c as i64)
    }

    /// Returns the coordinate that is mirrored.
    fn side(&self, place: u32) -> f32 {
        let p = self.surface.positions[place as usize];
        match self.axis {
            Axis::X => p.x,
            Axis::Y => p.y,
            Axis::Z => p.z,
        }
    }

    /// Returns the place nearest to the mirror image of a place; itself on the plane, `None` where nothing is near.
    fn of_place(&self, place: u32) -> Option<u32> {
        let wanted = mirrored(self.surface.positions[place as usize], self.axis);
        let [x, y, z] = self.cell(wanted);
        let mut best: Option<(f32, u32)> = None;
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let near = [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz)];
                    let Some(cell) = self.cells.get(&near) else { continue };
                    for other in cell {
                        let candidate = (self.surface.positions[*other as usize].distance(wanted), *other);
                        if candidate.0 <= self.reach && best.is_none_or(|b| candidate < b) {
                            best = Some(candidate);
                        }
                    }
                }
            }
        }
        best.map(|(_, other)| other)
    }
}
