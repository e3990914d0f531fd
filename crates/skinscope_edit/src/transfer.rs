//! The operation that takes the weights of another model: those of the closest point on its surface.
//!
//! Both surfaces are compared where they rest in the world. The weights at a point of a triangle are those of its corners in
//! the point's barycentric shares, and joints are matched by name.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::closest::Tree;
use super::surface::triangles;
use super::transferred::Transferred;
use super::weld::{difference, unit_shares};
use super::{Operation, Settings, Sheet};
use skinscope_anim::local_to_model;
use skinscope_inspect::rig::SkinBinding;
use skinscope_model::Model;

/// The operation that takes the weights of another model.
pub static TRANSFER: Operation = Operation {
    id: "transfer",
    label: "Transfer weights",
    tool: "Transfer",
    help: "Give every vertex the weights of the closest point on the surface of another file; joints are matched by name",
    argument: "FILE",
    repairs: &[],
    run: transfer,
};

/// A model whose weights others take.
#[derive(Clone, Debug)]
pub struct Donor(pub Arc<Model>);

impl PartialEq for Donor {
    /// Two are the same only where they are one piece of memory.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The share of weights that counts as none, as 32-bit floats round it.
const SAME: f64 = 1e-9;

fn transfer(sheet: &mut Sheet, settings: &Settings) {
    let Some(Donor(donor)) = &settings.donor else { return };
    let source = Sheet::of(donor);
    let factors = factors(donor);
    // Each triangle with the table and the rows of its corners.
    let mut corners: Vec<[DVec3; 3]> = Vec::new();
    let mut rows: Vec<(usize, [usize; 3])> = Vec::new();
    for (number, table) in source.tables.iter().enumerate() {
        for (mesh, primitive) in &table.primitives {
            let (world, primitive) = (factors[*mesh], &donor.meshes[*mesh].primitives[*primitive]);
            for triangle in triangles(primitive) {
                let triangle = triangle.map(|v| v as usize);
                corners.push(triangle.map(|v| world.transform_point3(primitive.positions[v].as_dvec3())));
                rows.push((number, triangle));
            }
        }
    }
    let tree = Tree::new(corners);
    let own = self::factors(sheet.model);
    let mut out = Transferred::default();
    let mut sum = 0.0;
    let count = sheet.tables.len();
    for number in 0..count {
        if sheet.context.is_cancelled() {
            return;
        }
        sheet.context.set_fraction(0.2 + 0.6 * number as f32 / count as f32);
        let Some((mesh, primitive)) = sheet.tables[number].primitives.first().copied() else { continue };
        let positions = &sheet.model.meshes[mesh].primitives[primitive].positions;
        let named = by_name(sheet, number, donor);
        for (row, position) in positions.iter().enumerate().take(sheet.tables[number].vertices()) {
            if !sheet.bounds.has(number, row) {
                continue;
            }
            let Some(found) = tree.closest(own[mesh].transform_point3(position.as_dvec3())) else { continue };
            out.vertices += 1;
            sum += found.distance;
            if out.at.is_none() || found.distance > out.largest {
                (out.largest, out.at) = (found.distance, Some((mesh, primitive, row)));
            }
            let (table, triangle) = rows[found.triangle as usize];
            let mut shares: Vec<(u32, f64)> = Vec::new();
            for (vertex, share) in triangle.iter().zip(found.shares).filter(|(_, share)| *share > 0.0) {
                for (key, weight) in unit_shares(&source.tables[table], *vertex) {
                    let Some(key) = named.get(&key).copied() else { continue };
                    match shares.iter_mut().find(|(k, _)| *k == key) {
                        Some((_, sum)) => *sum += weight * share,
                        None => shares.push((key, weight * share)),
                    }
                }
            }
            // The largest stands first; of equal ones the one that the first corner has first.
            shares.sort_by(|a, b| b.1.total_cmp(&a.1));
            let whole: f64 = shares.iter().map(|(_, weight)| weight).sum();
            if whole <= SAME {
                out.unmatched += 1;
                continue;
            }
            shares.iter_mut().for_each(|(_, weight)| *weight /= whole);
            let table = &mut sheet.tables[number];
            if difference(&unit_shares(table, row), &shares) > SAME {
                table.put_in_order(row, &shares);
            }
        }
    }
    out.mean = sum / out.vertices.max(1) as f64;
    sheet.transferred = Some(out);
}

/// Returns for each node of the donor the key of the joint of the same name in a table; of several the first.
fn by_name(sheet: &Sheet, table: usize, donor: &Model) -> HashMap<u32, u32> {
    let names = &sheet.model.skeleton.names;
    let mut own: HashMap<&str, u32> = HashMap::new();
    for key in &sheet.tables[table].keys {
        if let Some(name) = names.get(*key as usize) {
            own.entry(name).or_insert(*key);
        }
    }
    let same = |(node, name): (u32, &String)| Some((node, *own.get(name.as_str())?));
    (0..).zip(&donor.skeleton.names).filter_map(same).collect()
}

/// Returns for each mesh what brings it to where it rests in the world: what the joints of its skin share, or the transform of
/// its node where no skin moves it.
fn factors(model: &Model) -> Vec<DAffine3> {
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let skins = SkinBinding::of_all(model, &rest);
    let of = |mesh: usize| {
        let instances = || model.instances.iter().filter(move |i| i.mesh.index() == mesh);
        let skinned = instances().find_map(|i| i.skin);
        let node = |node: skinscope_model::NodeId| rest.get(node.index()).map(|world| super::sheet::double(*world));
        match skinned {
            Some(skin) => skins.get(skin.index()).and_then(|binding| binding.common),
            None => instances().next().and_then(|i| node(i.node)),
        }
        .unwrap_or(DAffine3::IDENTITY)
    };
    (0..model.meshes.len()).map(of).collect()
}
