//! Dresses a body: a garment takes the weights of the surface that it lies on.
//!
//! A garment without a skin gains the joints of the body as nodes, with the nodes above them, so that both play one clip. One that has a skin
//! keeps its joints, which are matched by name. The weights are those of the closest point of the body that faces alike and is near enough; all
//! others follow from those along the garment ([`crate::transfer`]).

mod align;
mod body;
mod choice;
mod deepest;
mod garment;
mod nodes;
mod skins;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use glam::{DAffine3, DVec3};
use skinscope_anim::pose::NameMap;
use skinscope_base::math::length;
use skinscope_base::parallel::JobContext;
use skinscope_bind::BindError;
use skinscope_model::{BindingChange, InstanceId, Model, PrimitiveId, SkinId};
use skinscope_weights::{Shares, TableRow, cut, unit_shares};

pub use self::align::{ALIGNS, Align, Aligned};
use self::body::BodySurface;
pub use self::choice::{dress_align, set_dress_align};
pub use self::deepest::{Deepest, Depths, words_of_pose};
use self::deepest::{DeepestOfMeshes, Worn};
pub use self::garment::{DressedGarment, LeftOut, dress};
use self::nodes::Copied;
pub use self::skins::DressedSkin;
use super::bare::bare_instances;
use crate::transfer::{self, Placing};
use crate::{MeshBinding, Refusal, Sheet, Transferred};

/// How a body is dressed.
#[derive(Clone, Debug, PartialEq)]
pub struct DressSettings {
    /// How far a point of the body may lie whose weights a vertex takes, metres; `None`: [`REACH`] of the body's size.
    pub distance: Option<f64>,
    /// How the garment is brought to where it is worn.
    pub align: Align,
    /// Whether joints without weight are left out, with the nodes that only they hang on.
    pub drops_unused: bool,
    /// The most joints of a vertex.
    pub most: usize,
    /// Which joints of the body are which of the garment, where names do not say it.
    pub names: NameMap,
}

impl Default for DressSettings {
    fn default() -> Self {
        Self { distance: None, align: Align::None, drops_unused: false, most: 4, names: NameMap::default() }
    }
}

/// How far a point of the body may lie, as a share of the diagonal of the box around the body, where nothing else is said.
pub const REACH: f64 = 0.05;

/// What is reported of a garment.
#[derive(Clone, Debug, PartialEq)]
pub struct Dressed {
    /// The skin that it has; the first of several.
    pub skin: SkinId,
    /// How many vertices were compared.
    pub vertices: usize,
    /// How many joints the skin has, or all skins of the garment together.
    pub joints: usize,
    /// How many of them have weight.
    pub joints_used: usize,
    /// How far the garment lies from the body, and what took its weights from around it.
    pub transferred: Transferred,
    /// Where it is worn.
    pub aligned: Aligned,
    /// How much deeper it goes into the body than at rest.
    pub depths: Depths,
    /// Names of joints and of nodes above them that other nodes of the garment have too, so that a clip could mean either.
    pub known_names: Vec<String>,
    /// The names of the meshes without a skin that gained the joints of the garment, since other meshes of it have a skin.
    pub joined: Vec<String>,
    /// The meshes that stay as they are.
    pub left_out: Vec<LeftOut>,
    /// The deepest vertex of each mesh in clips, and with joints turned.
    deepest_of_meshes: [DeepestOfMeshes; 2],
}

/// What a garment without a skin would gain, and what is reported of it.
#[derive(Clone, Debug)]
struct DressedBare {
    /// The joints, the skin, which shows it where it is worn, and the weights of all vertices.
    change: BindingChange,
    /// The report of it.
    dressed: Dressed,
}

/// A garment at rest over its body.
struct Fitting {
    surface: BodySurface,
    aligned: Aligned,
    /// How far a point may lie, metres.
    reach: f64,
    /// The vertices, which follow nothing yet.
    worn: Vec<Worn>,
}

impl Fitting {
    /// Lays a garment over a body. `placed` are its vertices where they rest in its own world.
    fn of(
        model: &Model,
        body: &Model,
        placed: Vec<((PrimitiveId, usize), DVec3)>,
        settings: &DressSettings,
    ) -> Result<Self, Refusal> {
        let surface = BodySurface::of(body);
        if surface.is_empty() {
            return Err(Refusal::NoSurface);
        }
        if body.skeleton.far.is_some() {
            return Err(Refusal::BodyAfar);
        }
        // What is said of names has to fit, whether it is needed or not.
        settings.names.find(body, model)?;
        let points: Vec<DVec3> = placed.iter().map(|(_, point)| *point).collect();
        let aligned = align::find((model, &points[..]), (body, &surface), settings.align, &settings.names)?;
        let reach = settings.distance.unwrap_or(REACH * surface.size());
        let at_rest = surface.at_rest();
        let wear = |(at, point): ((PrimitiveId, usize), DVec3)| {
            let rest = aligned.body_from_garment.transform_point3(point);
            let depth = at_rest.depth(rest, &|_| true)?;
            Some(Worn { at, rest, depth, shares: Shares::new() })
        };
        let worn: Vec<Worn> = placed.into_iter().filter_map(wear).collect();
        let nearest = worn.iter().map(|worn| worn.depth.distance).fold(f64::INFINITY, f64::min);
        if nearest > reach {
            return Err(Refusal::FarFromBody { reach: length(reach), nearest: length(nearest) });
        }
        drop(at_rest);
        Ok(Self { surface, aligned, reach, worn })
    }

    /// Measures the garment, whose vertices follow the nodes of the body that `shares` returns, and each of its meshes.
    fn depths(
        &mut self,
        body: &Model,
        shares: &dyn Fn((PrimitiveId, usize)) -> Shares,
        context: &JobContext,
    ) -> Result<(Depths, [DeepestOfMeshes; 2]), Refusal> {
        self.worn.iter_mut().for_each(|worn| worn.shares = shares(worn.at));
        deepest::measure(body, &self.surface, &self.worn, context).ok_or(Refusal::NotBound(BindError::Cancelled))
    }
}

/// Gives the meshes of a garment that have no skin the joints of a body and the weights of its surface.
///
/// # Errors
/// The body has no surface that a skin moves, the garment stands too far from it or has no mesh without a skin, or it cannot gain one.
fn dress_bare(
    model: &Model,
    body: &Model,
    settings: &DressSettings,
    context: &JobContext,
) -> Result<DressedBare, Refusal> {
    let instances = bare_instances(model, None)?;
    let mut fitting = Fitting::of(model, body, placed(model, &instances), settings)?;
    let first = model.skeleton.len();
    let whole = Copied::of(body, nodes::joints_of(body));
    let most = settings.most.clamp(1, 255);
    // To walk on its surface, it is bound to the first joint as a whole.
    let provisional = binding(model, body, &instances, &whole, &|_, _| vec![(0, 1.0)])?;
    let provisional = model.with_bindings(&provisional.change(model)?)?;
    let mut sheet = Sheet::of(&provisional);
    sheet.context = context.part(0.0, 0.5);
    sheet.tables.iter_mut().for_each(|table| table.widen(most.next_multiple_of(4)));
    let names: HashMap<u32, u32> = whole.pairs(first).collect();
    let mut worlds = vec![DAffine3::IDENTITY; provisional.meshes.len()];
    let rest = model.skeleton.worlds(&model.skeleton.rest);
    for instance in instances.iter().map(|id| &model.instances[id.index()]) {
        worlds[instance.mesh.index()] = fitting.aligned.body_from_garment * rest[instance.node.index()];
    }
    let names = vec![names; sheet.tables.len()];
    let placing = Placing { worlds, names, distance: Some(fitting.reach), is_whole: true };
    transfer::transfer_placed(&mut sheet, body, &placing);
    join_places(&mut sheet);
    // Weights are by nodes of the body from here on.
    let shares = |(id, vertex): (PrimitiveId, usize)| -> Shares {
        let table = sheet.table_of(id).map(|table| &sheet.tables[table]);
        let row = table.map(|table| cut(unit_shares(table, vertex), most)).unwrap_or_default();
        row.iter().filter_map(|(copy, share)| Some((whole.original(first, *copy)?.0, *share))).collect()
    };
    let transferred = sheet.transferred.clone().ok_or(Refusal::NotBound(BindError::Cancelled))?;
    let (depths, deepest_of_meshes) = fitting.depths(body, &shares, &context.part(0.5, 1.0))?;
    let used: BTreeSet<u32> = all_vertices(model, &instances).flat_map(&shares).map(|(node, _)| node).collect();
    let copied = if settings.drops_unused {
        Copied::of(body, whole.joints.iter().copied().filter(|joint| used.contains(&joint.0)).collect())
    } else {
        whole.clone()
    };
    let numbers: HashMap<u32, u32> = copied.joints.iter().zip(0..).map(|(joint, number)| (joint.0, number)).collect();
    let row = |id: PrimitiveId, vertex: usize| -> Shares {
        shares((id, vertex)).iter().filter_map(|(node, share)| Some((*numbers.get(node)?, *share))).collect()
    };
    let aligned = fitting.aligned;
    let binding = MeshBinding { most, worn: aligned.worn(), ..binding(model, body, &instances, &copied, &row)? };
    let change = binding.change(model)?;
    let dressed = Dressed {
        skin: SkinId::from_index(model.skins.len()),
        vertices: transferred.vertices,
        joints: copied.joints.len(),
        joints_used: used.len(),
        transferred,
        aligned,
        depths,
        known_names: copied.names_known_to(model, body),
        joined: Vec::new(),
        left_out: Vec::new(),
        deepest_of_meshes,
    };
    Ok(DressedBare { change, dressed })
}

/// Replaces the weights of a garment that has a skin by those of the body's surface. Its joints stay, and are matched by bones and names.
///
/// # Errors
/// The body has no surface that a skin moves, the garment stands too far from it, or none of its joints has a counterpart.
fn dress_skinned(sheet: &mut Sheet, body: &Model, settings: &DressSettings) -> Result<Dressed, Refusal> {
    let (model, context) = (sheet.model, sheet.context.clone());
    let own = transfer::factors(model);
    let ids = || sheet.tables.iter().flat_map(|table| table.primitives.iter().map(|id| (*id, table.vertices())));
    let place = |(id, count): (PrimitiveId, usize)| {
        let (own, primitive) = (own[id.mesh.index()], &model.meshes[id.mesh.index()].primitives[id.primitive]);
        let point = move |vertex: usize| own.transform_point3(primitive.positions[vertex].as_dvec3());
        (0..count).map(move |vertex| ((id, vertex), point(vertex)))
    };
    let placed: Vec<_> = ids().flat_map(place).collect();
    if placed.is_empty() {
        return Err(Refusal::NoSkin);
    }
    let mut fitting = Fitting::of(model, body, placed, settings)?;
    transfer::check_counterparts(sheet, body, &settings.names)?;
    let names = transfer::names_of(sheet, body, &settings.names.find(body, model)?);
    let worlds = own.iter().map(|own| fitting.aligned.body_from_garment * *own).collect();
    // Of several nodes of the body that are one joint here the first moves it.
    let mut backward: HashMap<u32, u32> = HashMap::new();
    let pairs: BTreeSet<(u32, u32)> = names.iter().flatten().map(|(there, here)| (*there, *here)).collect();
    pairs.iter().for_each(|(there, here)| _ = backward.entry(*here).or_insert(*there));
    sheet.context = context.part(0.0, 0.5);
    let most = settings.most.clamp(1, 255);
    sheet.tables.iter_mut().for_each(|table| table.widen(most.next_multiple_of(4)));
    transfer::transfer_placed(sheet, body, &Placing { worlds, names, distance: Some(fitting.reach), is_whole: true });
    sheet.context = context.clone();
    let transferred = sheet.transferred.clone().ok_or(Refusal::NotBound(BindError::Cancelled))?;
    cut_to(sheet, most);
    join_places(sheet);
    let tables = &sheet.tables;
    let row = |(id, vertex): (PrimitiveId, usize)| -> Shares {
        let table = tables.iter().find(|table| table.primitives.contains(&id));
        table.map(|table| unit_shares(table, vertex)).unwrap_or_default()
    };
    let shares = |at: (PrimitiveId, usize)| -> Shares {
        row(at).iter().filter_map(|(joint, share)| Some((*backward.get(joint)?, *share))).collect()
    };
    let (depths, deepest_of_meshes) = fitting.depths(body, &shares, &context.part(0.5, 1.0))?;
    let used: BTreeSet<u32> = fitting.worn.iter().flat_map(|worn| row(worn.at)).map(|(joint, _)| joint).collect();
    let skin = model.instances.iter().find_map(|instance| instance.skin).unwrap_or_default();
    Ok(Dressed {
        skin,
        vertices: transferred.vertices,
        joints: nodes::joints_of(model).len(),
        joints_used: used.len(),
        transferred,
        aligned: fitting.aligned,
        depths,
        known_names: Vec::new(),
        joined: Vec::new(),
        left_out: Vec::new(),
        deepest_of_meshes,
    })
}

/// Takes the smallest weights of vertices that follow more joints than they may.
fn cut_to(sheet: &mut Sheet, most: usize) {
    for table in &mut sheet.tables {
        for row in 0..table.vertices() {
            if table.filled(row) > most {
                let shares = cut(unit_shares(table, row), most);
                let sum: f64 = shares.iter().map(|(_, share)| share).sum();
                let unit: Shares = shares.iter().map(|(key, share)| (*key, share / sum)).collect();
                table.put_in_order(row, &unit);
            }
        }
    }
}

/// How far the sum of weights that are stored may be from one: what rounding explains.
const ROUNDING: f64 = 1e-6;

/// Gives points of one place the row of the first of them, as far as their skin has its joints, and lets every row sum to one. Two sides of one
/// cloth take the weights of different points of the body, and would part where it bends.
fn join_places(sheet: &mut Sheet) {
    let surfaces = sheet.surfaces().to_vec();
    let (mut first, mut other) = (Shares::new(), Shares::new());
    for surface in &surfaces {
        for welded in 0..surface.positions.len() as u32 {
            let rows: Vec<TableRow> = surface.members(welded).iter().map(|vertex| surface.row(*vertex)).collect();
            let Some(of_place) = rows.first() else { continue };
            sheet.tables[of_place.table].shares(of_place.row, &mut first);
            let differs = rows.iter().any(|at| {
                sheet.tables[at.table].shares(at.row, &mut other);
                other != first
            });
            if !differs || first.is_empty() {
                continue;
            }
            // All of them are written, so that all are rounded alike.
            let shares = unit_shares(&sheet.tables[of_place.table], of_place.row);
            for at in rows {
                let table = &mut sheet.tables[at.table];
                if shares.iter().all(|(key, _)| table.keys.contains(key)) {
                    table.put_in_order(at.row, &shares);
                }
            }
        }
    }
    for table in &mut sheet.tables {
        for row in 0..table.vertices() {
            let is_sound = table.weights[table.slots(row)].iter().all(|weight| *weight >= 0.0 && weight.is_finite());
            if !is_sound || (table.sum(row) - 1.0).abs() > ROUNDING {
                table.normalise(row);
            }
        }
    }
}

/// Returns the primitives of meshes that have vertices of their own, with how many.
fn own_primitives(model: &Model, instances: &[InstanceId]) -> impl Iterator<Item = (PrimitiveId, usize)> {
    instances.iter().flat_map(move |id| {
        let mesh = model.instances[id.index()].mesh;
        let primitives = model.meshes[mesh.index()].primitives.iter().enumerate();
        let own = primitives.filter(|(_, primitive)| primitive.shares.is_none());
        own.map(move |(number, primitive)| (PrimitiveId::new(mesh, number), primitive.stored_vertices))
    })
}

/// Returns all vertices of these meshes.
fn all_vertices(model: &Model, instances: &[InstanceId]) -> impl Iterator<Item = (PrimitiveId, usize)> {
    own_primitives(model, instances).flat_map(|(id, count)| (0..count).map(move |vertex| (id, vertex)))
}

/// Returns the vertices of meshes where they rest in the world.
fn placed(model: &Model, instances: &[InstanceId]) -> Vec<((PrimitiveId, usize), DVec3)> {
    let rest = model.skeleton.worlds(&model.skeleton.rest);
    let mut out = Vec::new();
    for id in instances {
        let world = rest[model.instances[id.index()].node.index()];
        for (id, vertex) in all_vertices(model, &[*id]) {
            let point = model.meshes[id.mesh.index()].primitives[id.primitive].positions[vertex];
            out.push(((id, vertex), world.transform_point3(point.as_dvec3())));
        }
    }
    out
}

/// Returns what binds meshes to copies of joints; `row` has the weights of a vertex by the numbers of the joints.
fn binding(
    model: &Model,
    body: &Model,
    instances: &[InstanceId],
    copied: &Copied,
    row: &dyn Fn(PrimitiveId, usize) -> Shares,
) -> Result<MeshBinding, Refusal> {
    let (joints, root) = copied.new_joints(model.skeleton.len());
    let rows = |(id, count): (PrimitiveId, usize)| -> (PrimitiveId, Vec<Shares>) {
        (id, (0..count).map(|vertex| row(id, vertex)).collect())
    };
    let skin = body.instances.iter().find_map(|instance| instance.skin);
    Ok(MeshBinding {
        instances: instances.to_vec(),
        name: skin.map(|skin| body.skins[skin.index()].name.clone()).unwrap_or_default(),
        nodes: copied.new_nodes(model, body)?,
        joints,
        root,
        most: 1,
        parts: own_primitives(model, instances).map(rows).collect(),
        ..MeshBinding::default()
    })
}
