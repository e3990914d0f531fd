//! The operation that takes the weights of another model: those of the closest point on its surface that faces the same way.
//!
//! Both surfaces are compared where they rest in the world. The weights at a point of a triangle are those of its corners in the point's
//! barycentric shares, and joints are matched as for clips, by the bones of humanoids and by name. Welded vertices for which there is no such point take their weights
//! from those around them (Abdrashitov, Raichstat, Monsen and Hill, "Robust Skin Weights Transfer via Weight Inpainting", 2023).

mod change;
mod layers;
mod placing;
mod report;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use glam::{DAffine3, DVec3};
use skinscope_anim::local_to_model;
use skinscope_anim::pose::{Keys, MapError, NameMap, NodeMap, counterparts, may_be_one, nearest_names};
use skinscope_base::parallel::JobContext;
use skinscope_inspect::rig::SkinBinding;
use skinscope_model::{Model, NodeId};
use skinscope_weights::{Laplacian, RestSurface, Shares, Table, TableRow, cut_noting, difference, unit_shares};

use super::closest::{Found, TriangleTree};
use super::limbs::Limbs;
use super::matching::{self, Matches, Rest, Source};
use super::operation_row::vertices_get;
use super::places::{self, Member, Places};
use super::refusal::name;
use super::{Group, JointNumbers, Operation, Parameter, ParameterKind, Refusal, Settings, Sheet, surface};

pub use self::change::{CarriedChange, carry_change};
pub(super) use self::placing::Placing;
use self::report::{Missing, Report, Taken};

/// The model whose weights are taken, and which of its joints are which.
static DONOR: Parameter = Parameter {
    id: "donor",
    label: "From",
    help: "The file whose weights are taken",
    kind: ParameterKind::Donor,
    ..Parameter::ROW
};

/// The operation that takes the weights of another model.
pub static TRANSFER: Operation = Operation {
    id: "transfer",
    label: "Transfer weights",
    tool: "Transfer",
    icon: "ARROWS_LEFT_RIGHT",
    group: Group::Copy,
    place: 2,
    help: "Give every vertex the weights of the closest point on the surface of another file that faces as it does, or of the vertices around it; joints are matched by the bones of humanoids and by name",
    more: ". Both are compared where they rest",
    argument: "FILE",
    parameters: &[&DONOR],
    refuse: has_counterparts,
    numbers: JointNumbers::Any,
    room: |vertices| {
        format!("{} only a part of the weights: some of the joints have no counterpart here", vertices_get(vertices))
    },
    run: transfer,
    ..Operation::ROW
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

/// So many joints are named where none has a counterpart.
const MOST_NAMED: usize = 3;

/// The share of weights that counts as none, as 32-bit floats round it.
const SAME: f64 = 1e-9;

fn transfer(sheet: &mut Sheet, settings: &Settings) {
    let Some(Donor(donor)) = &settings.donor else { return };
    // A mapping that does not fit was refused before.
    let mapping = settings.names.find(donor, sheet.model).unwrap_or_default();
    let names = names_of(sheet, donor, &mapping);
    let worlds = turned_alike(sheet.model, donor);
    transfer_placed(sheet, donor, &Placing { worlds, names, distance: None, is_whole: false });
}

/// Returns for each table of a sheet which of its joints the nodes of a donor are.
pub(super) fn names_of(sheet: &Sheet, donor: &Model, mapping: &NodeMap) -> Vec<HashMap<u32, u32>> {
    let named = |table: &Table| with_lacking(sheet.model, donor, mapping, by_name(sheet.model, table, donor, mapping));
    sheet.tables.iter().map(named).collect()
}

/// Gives the vertices of a sheet that may change the weights of a donor, and reports on it in the sheet.
pub(super) fn transfer_placed(sheet: &mut Sheet, donor: &Model, placing: &Placing) {
    let Some(given) = Given::of(donor, &sheet.context) else { return };
    let surfaces = surface::all_apart(sheet.model, &sheet.tables);
    let mut out = Report::default();
    let mut seen: Vec<Vec<bool>> = sheet.tables.iter().map(|table| vec![false; table.vertices()]).collect();
    for (number, surface) in surfaces.iter().enumerate() {
        let done = |number: usize| 0.2 + 0.6 * number as f32 / surfaces.len() as f32;
        let context = sheet.context.part(done(number), done(number + 1));
        context.set_fraction(0.0);
        let Some(first) = surface.parts.first() else { continue };
        let world = placing.worlds[first.primitive.mesh.index()];
        let mut rest = resting(surface, world);
        rest.reach = placing.distance;
        let others = out.report.islands;
        out.report.islands += rest.pieces;
        let names = (&placing.names[first.table], placing.is_whole);
        let shares = given.shares_of((sheet.model, world), &rest, names, &mut out, &context);
        if context.is_cancelled() {
            return;
        }
        for (welded, taken) in (0..).zip(&shares) {
            for (number, vertex) in surface.members(welded).iter().enumerate() {
                let at @ TableRow { table, row } = surface.row(*vertex);
                if sheet.bounds.has(table, row) && !std::mem::replace(&mut seen[table][row], true) {
                    let first = sheet.tables[table].primitives.first().map(|first| (*first, row));
                    out.count(taken, first, others + rest.piece[welded as usize] as usize);
                    let shares = taken.own.get(number).unwrap_or(&taken.shares);
                    let (change, is_cut) = take(&mut sheet.tables[table], row, shares);
                    out.report.change = out.report.change.max(change);
                    sheet.lacks.pairs.extend(is_cut.then_some(at));
                    sheet.lacks.room.extend(taken.is_partial.then_some(at));
                }
            }
        }
    }
    out.report.mean = out.sum / out.report.vertices.max(1) as f64;
    let missing = out.missing.nodes.iter().filter_map(|node| donor.skeleton.names.get(*node as usize));
    out.report.missing = missing.cloned().collect();
    sheet.transferred = Some(out.report);
}

/// Gives a vertex some weights; returns the largest change, and whether it has no pair for some of them.
fn take(table: &mut Table, row: usize, shares: &Shares) -> (f64, bool) {
    let (shares, is_cut) = cut_noting(shares.clone(), table.per_vertex);
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    let unit: Shares = shares.iter().map(|(key, share)| (*key, share / sum)).collect();
    if unit.is_empty() {
        return (0.0, false);
    }
    let change = difference(&unit_shares(table, row), &unit);
    if change <= SAME {
        return (0.0, is_cut);
    }
    table.put_in_order(row, &unit);
    (change, is_cut)
}

/// The surface whose weights are taken, in the world.
struct Given<'d> {
    source: Source,
    sheet: Sheet<'d>,
    /// For each triangle the row of each of its corners.
    rows: Vec<[TableRow; 3]>,
    places: Places,
    limbs: Limbs,
}

impl<'d> Given<'d> {
    /// Takes the surface of a donor; `None` where the work is cancelled meanwhile.
    fn of(donor: &'d Model, context: &JobContext) -> Option<Self> {
        let sheet = Sheet::of(donor);
        let factors = factors(donor);
        let (mut positions, mut rows, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        let (mut pieces, mut stored, mut count) = (Vec::new(), Vec::new(), 0);
        let mut places = Places::default();
        for surface in surface::all_apart(donor, &sheet.tables) {
            if context.is_cancelled() {
                return None;
            }
            let Some(first) = surface.parts.first() else { continue };
            let rest = resting(&surface, factors[first.primitive.mesh.index()]);
            let turned = factors[first.primitive.mesh.index()].matrix3.determinant() < 0.0;
            for (triangle, corners) in surface.mesh.triangles.iter().zip(&surface.triangles) {
                let at = corners.map(|welded| rest.positions[welded as usize]);
                let own = (at[1] - at[0]).cross(at[2] - at[0]).normalize_or_zero();
                positions.push(at);
                normals.push((corners.map(|welded| rest.normals[welded as usize]), if turned { -own } else { own }));
                rows.push(triangle.map(|vertex| surface.row(vertex)));
                pieces.push(count + rest.piece[corners[0] as usize]);
                stored.push(triangle.map(|vertex| {
                    let (part, number) = surface.stored(vertex);
                    (part.primitive, number as u32)
                }));
            }
            places.add(donor, &rest, factors[first.primitive.mesh.index()], count);
            count += rest.pieces as u32;
        }
        if context.is_cancelled() {
            return None;
        }
        places.sort();
        let limbs = Limbs::of(donor, &weighted(&sheet));
        let source = Source { tree: TriangleTree::new(positions), normals, pieces, stored };
        Some(Self { source, sheet, rows, places, limbs })
    }

    /// Returns the shares of the joints of the donor at a point, the largest first; of equal ones the one that the first corner has first.
    fn at(&self, found: &Found) -> Shares {
        self.at_in(&self.sheet, found)
    }

    /// Returns the same of other weights of the donor.
    fn at_in(&self, sheet: &Sheet<'_>, found: &Found) -> Shares {
        let mut out: Shares = Vec::new();
        let corners = self.rows[found.triangle as usize].iter().zip(found.shares);
        for (at, share) in corners.filter(|(_, share)| *share > 0.0) {
            for (key, weight) in unit_shares(&sheet.tables[at.table], at.row) {
                match out.iter_mut().find(|(k, _)| *k == key) {
                    Some((_, sum)) => *sum += weight * share,
                    None => out.push((key, weight * share)),
                }
            }
        }
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    /// Returns the weights that the welded vertices of a surface take; `own` is its model and its `world_from_mesh`, `named` has the key of the
    /// joint here for each node of the donor, and `is_whole` is as in [`Placing`]. Where the work is cancelled there are fewer.
    fn shares_of(
        &self,
        own: (&Model, DAffine3),
        rest: &Rest,
        (named, is_whole): (&HashMap<u32, u32>, bool),
        out: &mut Report,
        context: &JobContext,
    ) -> Vec<Taken> {
        let limb = |found: &Found| self.at(found).first().map(|(key, _)| self.limbs.limb(*key));
        let matches = matching::find(rest, &self.source, &self.limbs, &limb, context);
        let mut taken: Vec<Taken> = Vec::with_capacity(matches.of.len());
        let mut certain: Vec<Option<Shares>> = Vec::with_capacity(matches.of.len());
        let mut unknown: Vec<u32> = Vec::new();
        for (welded, (found, closest)) in (0..).zip(matches.of.iter().zip(&matches.closest)) {
            if context.is_cancelled() {
                return taken;
            }
            out.missing.is_partial = false;
            let own = self.own(own, (rest, welded), &matches, named, out);
            let shares = match own.first() {
                Some(first) => Some(first.clone()),
                None => found.as_ref().map(|found| known(self.at(found), named, &mut out.missing)),
            };
            unknown.extend((shares.is_none() && closest.is_some()).then_some(welded));
            certain.push(shares.clone().filter(|shares| !shares.is_empty()));
            let distance = found.filter(|_| own.is_empty()).or(*closest).map(|found| found.distance);
            let shares = shares.unwrap_or_default();
            let is_partial = out.missing.is_partial && !shares.is_empty();
            taken.push(Taken { shares, is_partial, distance, own, ..Taken::default() });
        }
        if !unknown.is_empty() {
            let filled = Laplacian::of(&rest.positions, &rest.surface.triangles).fill(&certain, &unknown);
            for (welded, mut shares) in unknown.iter().zip(filled) {
                shares.sort_by(|a, b| b.1.total_cmp(&a.1));
                let entry = &mut taken[*welded as usize];
                (entry.is_inpainted, entry.shares) = (!shares.is_empty(), shares);
            }
        }
        if is_whole {
            layers::follow(rest, &matches, &mut taken);
            for (entry, closest) in taken.iter_mut().zip(&matches.closest).filter(|(entry, _)| entry.shares.is_empty())
            {
                entry.shares = closest.map(|found| known(self.at(&found), named, &mut out.missing)).unwrap_or_default();
            }
        }
        taken
    }

    /// Returns what the members of a welded vertex take of the vertices of the donor that are at its place and face alike; none where there
    /// are no such vertices, or no joint of one of them has a counterpart.
    fn own(
        &self,
        (model, world): (&Model, DAffine3),
        (rest, welded): (&Rest, u32),
        matches: &Matches,
        named: &HashMap<u32, u32>,
        out: &mut Report,
    ) -> Vec<Shares> {
        let same = matches.same[rest.piece[welded as usize] as usize];
        let (at, way) = (rest.positions[welded as usize], matches.ways[welded as usize]);
        let Some(there) = self.places.at(at, rest.tie(), same, way) else { return Vec::new() };
        let mut all = Vec::new();
        for here in places::members(model, rest, world, welded) {
            let rank = |other: &&Member| ((other.normal.dot(here.normal) * 1e3) as i32, other.stored == here.stored);
            // Of several that are alike the first.
            let best = there.iter().rev().max_by_key(rank);
            let row = best.and_then(|best| Some((self.sheet.table_of(best.stored.0)?, best.stored.1 as usize)));
            let Some((table, row)) = row else { return Vec::new() };
            all.push(known(unit_shares(&self.sheet.tables[table], row), named, &mut out.missing));
        }
        if all.iter().any(Vec::is_empty) { Vec::new() } else { all }
    }
}

/// Returns the shares of the joints here for shares of joints of the donor; they sum to one, and there are none where no joint has a
/// counterpart. Those without one are added to `missing`.
fn known(shares: Shares, named: &HashMap<u32, u32>, missing: &mut Missing) -> Shares {
    let mut out: Shares = Vec::new();
    let mut lost = 0.0;
    for (node, share) in shares {
        match named.get(&node) {
            Some(key) => match out.iter_mut().find(|(k, _)| k == key) {
                Some((_, sum)) => *sum += share,
                None => out.push((*key, share)),
            },
            None => {
                missing.nodes.insert(node);
                lost += share;
            }
        }
    }
    missing.is_partial |= lost > skinscope_weights::SAME;
    let whole: f64 = out.iter().map(|(_, share)| share).sum();
    if whole <= SAME {
        return Vec::new();
    }
    out.iter_mut().for_each(|(_, share)| *share /= whole);
    out
}

/// Returns the `world_from_mesh` of each mesh of a model, turned about the vertical so that its character faces as that of the
/// donor does: one of VRM 0.x faces −Z, others +Z.
fn turned_alike(model: &Model, donor: &Model) -> Vec<DAffine3> {
    let half = if model.front() == donor.front() { DVec3::ONE } else { DVec3::new(-1.0, 1.0, -1.0) };
    let turn = DAffine3::from_scale(half);
    factors(model).into_iter().map(|factor| turn * factor).collect()
}

/// Returns a surface in the world.
pub(super) fn resting(surface: &RestSurface, world: DAffine3) -> Rest<'_> {
    let positions: Vec<DVec3> = surface.positions.iter().map(|p| world.transform_point3(p.as_dvec3())).collect();
    Rest::new(surface, positions, world.matrix3.determinant() < 0.0)
}

/// Returns the joints that move a vertex, as nodes.
fn weighted(sheet: &Sheet) -> BTreeSet<u32> {
    let mut out = BTreeSet::new();
    let mut shares = Vec::new();
    for table in &sheet.tables {
        for row in 0..table.vertices() {
            table.shares(row, &mut shares);
            out.extend(shares.iter().map(|(key, _)| *key));
        }
    }
    let nodes = sheet.model.skeleton.len() as u32;
    out.retain(|key| *key < nodes);
    out
}

/// Returns for each node of the donor the key of its counterpart in a table: the one that people say, else the same bone of a humanoid, else
/// the only joint there of the same name, else the one that clips find ([`counterparts`]).
fn by_name(model: &Model, table: &Table, donor: &Model, mapping: &NodeMap) -> HashMap<u32, u32> {
    let keys: BTreeSet<u32> = table.keys.iter().copied().filter(|key| (*key as usize) < model.skeleton.len()).collect();
    by_keys(model, &keys, donor, mapping)
}

/// Adds the bones of the donor that the humanoid here lacks, such as the third joint of a spine of two: their weights go to the nearest
/// joint above them that has a counterpart. What the user has stated stays.
fn with_lacking(model: &Model, donor: &Model, mapping: &NodeMap, named: HashMap<u32, u32>) -> HashMap<u32, u32> {
    let Some(rig) = donor.rig().filter(|_| model.rig().is_some()) else { return named };
    let mut out = named.clone();
    let lacking = |node: &NodeId| rig.knows(*node) && !named.contains_key(&node.0) && !mapping.contains_key(node);
    for node in (0..donor.skeleton.len()).map(NodeId::from_index).filter(lacking) {
        let mut above = std::iter::successors(Some(node), |node| donor.skeleton.parents[node.index()]);
        out.extend(above.find_map(|node| named.get(&node.0)).map(|key| (node.0, *key)));
    }
    out
}

/// Returns the joints of a donor's skins, by their keys in pose files, with those of their counterparts among the joints of a model, as
/// transferring weights would find them; `names` says what the user states.
///
/// # Errors
/// A name is in neither model, or two joints have one counterpart.
pub fn transfer_pairs(
    model: &Model,
    donor: &Model,
    names: &NameMap,
) -> Result<Vec<(String, Option<String>)>, MapError> {
    let mapping = names.find(donor, model)?;
    let joints = |model: &Model| -> BTreeSet<u32> {
        model.skins.iter().flat_map(|skin| &skin.joints).map(|node| node.0).collect()
    };
    let found = by_keys(model, &joints(model), donor, &mapping);
    let (theirs, ours) = (Keys::of(donor), Keys::of(model));
    let row = |node: u32| {
        let here = found.get(&node).map(|key| ours.key(NodeId(*key)).to_owned());
        (theirs.key(NodeId(node)).to_owned(), here)
    };
    Ok(joints(donor).into_iter().map(row).collect())
}

/// Does the same as [`by_name`] for the joints of a model with these keys.
fn by_keys(model: &Model, keys: &BTreeSet<u32>, donor: &Model, mapping: &NodeMap) -> HashMap<u32, u32> {
    let mut own: HashMap<&str, Option<u32>> = HashMap::new();
    for key in keys {
        own.entry(&model.skeleton.names[*key as usize]).and_modify(|only| *only = None).or_insert(Some(*key));
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let joints: BTreeSet<usize> = donor.skins.iter().flat_map(|skin| &skin.joints).map(|node| node.index()).collect();
    joints.iter().for_each(|node| *counts.entry(&donor.skeleton.names[*node]).or_default() += 1);
    let found = counterparts(donor, model, mapping);
    let mapped_here: BTreeSet<u32> = mapping.values().flatten().map(|node| node.0).collect();
    let mut out = HashMap::new();
    for node in &joints {
        let name = donor.skeleton.names[*node].as_str();
        let same =
            own.get(name).copied().flatten().filter(|key| counts.get(name) == Some(&1) && !mapped_here.contains(key));
        let there = NodeId::from_index(*node);
        let same = same.filter(|key| !mapping.contains_key(&there) && may_be_one(donor, there, model, NodeId(*key)));
        let found = found[*node].map(|node| node.0).filter(|key| keys.contains(key));
        let is_bone = donor.rig().is_some_and(|rig| model.rig().is_some() && rig.knows(there));
        let counterpart = if is_bone { found.or(same) } else { same.or(found) };
        out.extend(counterpart.map(|key| (*node as u32, key)));
    }
    out
}

/// Returns for each mesh what brings it to where it rests in the world: what the joints of its skin share, or the transform of
/// its node where no skin moves it.
pub(super) fn factors(model: &Model) -> Vec<DAffine3> {
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let skins = SkinBinding::of_all(model, &rest);
    let of = |mesh: usize| {
        let instances = || model.instances.iter().filter(move |i| i.mesh.index() == mesh);
        // Of several skins that show one mesh the first counts, whichever node comes first.
        let skinned = instances().filter_map(|i| i.skin).min();
        let node = |node: NodeId| rest.get(node.index()).map(|world| world.as_daffine3());
        match skinned {
            Some(skin) => skins.get(skin.index()).and_then(|binding| binding.common),
            None => instances().next().and_then(|i| node(i.node)),
        }
        .unwrap_or(DAffine3::IDENTITY)
    };
    (0..model.meshes.len()).map(of).collect()
}

/// Checks that some joint here has the name of one that moves the other model.
fn has_counterparts(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let Some(Donor(donor)) = &settings.donor else { return Ok(()) };
    check_counterparts(sheet, donor, &settings.names)
}

/// Checks the same of a donor; `names` says what the user states.
pub(super) fn check_counterparts(sheet: &Sheet, donor: &Model, names: &NameMap) -> Result<(), Refusal> {
    let given = Sheet::of(donor);
    if given.surfaces().iter().all(|surface| surface.triangles.is_empty()) {
        return Err(Refusal::NoSurface);
    }
    let moving = weighted(&given);
    let mapping = names.find(donor, sheet.model)?;
    let finds = |table: &Table| by_name(sheet.model, table, donor, &mapping).keys().any(|node| moving.contains(node));
    if sheet.tables.iter().any(finds) {
        return Ok(());
    }
    let joints: BTreeSet<u32> = sheet.tables.iter().flat_map(|table| table.keys.iter().copied()).collect();
    let names = || joints.iter().filter_map(|key| sheet.model.skeleton.names.get(*key as usize)).map(String::as_str);
    let one = |node: &u32| {
        let there = name(donor, NodeId(*node));
        format!("“{there}” (nearest here: {})", nearest_names(&there, names()).join(", "))
    };
    Err(Refusal::NoCounterpart(moving.iter().take(MOST_NAMED).map(one).collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;
