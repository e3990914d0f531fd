//! The operation that copies the weights of one side to the other.

use std::collections::HashMap;

use glam::Vec3;

use super::surface::Surface;
use super::weld::{RowShares, mean, unit_shares};
use super::{Axis, Operation, Settings, Sheet};
use skinscope_base::math::Aabb;
use skinscope_model::{JointPairs, Model, NodeId};

/// The operation that copies the weights of one side to the other.
pub static MIRROR: Operation = Operation {
    id: "mirror",
    label: "Mirror weights",
    tool: "Mirror",
    help: "Copy the weights of one side of the mesh to the other, with the joints that are their partners there",
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
        let partners = partners(sheet, surface, &settings.pairs);
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

/// Returns for each key that of its partner on the other side.
fn partners(sheet: &Sheet, surface: &Surface, told: &[[NodeId; 2]]) -> HashMap<u32, u32> {
    let keys = surface.parts.iter().flat_map(|p| sheet.tables[p.table].keys.iter().copied());
    let nodes = keys.filter(|key| (*key as usize) < sheet.model.skeleton.len()).map(NodeId).collect();
    let pairs = joint_pairs(sheet.model, nodes, told);
    pairs.into_iter().flat_map(|[a, b]| [(a.0, b.0), (b.0, a.0)]).collect()
}

/// Returns the pairs of some joints that mirroring exchanges: those that are `told`, and of the others those that have the
/// same name on the other side. Each pair comes once, the lower node first, rising.
#[must_use]
pub fn joint_pairs(model: &Model, mut nodes: Vec<NodeId>, told: &[[NodeId; 2]]) -> Vec<[NodeId; 2]> {
    nodes.sort_unstable();
    nodes.dedup();
    let named = JointPairs::of(&model.skeleton, &nodes, vec![None; nodes.len()]);
    let of = |(j, node): (usize, &NodeId)| Some([*node, nodes[usize::from(named.told(j)?)]]);
    let is_told = |node: &NodeId| told.iter().flatten().any(|other| other == node);
    let by_name = nodes.iter().enumerate().filter_map(of).filter(|pair| !pair.iter().any(is_told));
    let mut out: Vec<[NodeId; 2]> = Vec::new();
    for [a, b] in told.iter().copied().filter(|pair| pair.iter().all(|node| nodes.contains(node))).chain(by_name) {
        let pair = [a.min(b), a.max(b)];
        // Of two pairs that are told of one joint the first counts.
        if !out.iter().flatten().any(|node| pair.contains(node)) {
            out.push(pair);
        }
    }
    out.sort_unstable();
    out
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
