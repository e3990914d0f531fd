//! The numbers that accessors are to hold.

use std::collections::BTreeMap;

use glam::DAffine3;
use skinscope_model::{ComponentType, MeshId, Model, NodeId, Origins, PrimitiveId, Skin, WeightFormat};

use super::homes::Homes;
use crate::{Sheet, Stored, Table};

/// A user of an accessor, in the terms of the JSON text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum User {
    /// An attribute of a primitive: mesh, primitive, name.
    Attribute(usize, usize, String),
    /// The inverse bind matrices of a skin.
    Binds(usize),
    /// Anything else.
    Other,
}

/// The numbers of an accessor as bytes, element after element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub component: ComponentType,
    pub kind: &'static str,
    /// How many components an element has.
    pub width: usize,
    pub bytes: Vec<u8>,
}

impl Data {
    /// Returns the bytes of an element.
    pub fn size(&self) -> usize {
        self.width * self.component.bytes()
    }

    pub fn count(&self) -> usize {
        self.bytes.len() / self.size()
    }

    pub fn element(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.size()..(index + 1) * self.size()]
    }

    /// Returns the least and the greatest value of each component, as JSON has them; normalised integers count as
    /// integers.
    pub fn bounds(&self) -> [Vec<f64>; 2] {
        let mut out = [vec![f64::INFINITY; self.width], vec![f64::NEG_INFINITY; self.width]];
        for (i, bytes) in self.bytes.chunks_exact(self.component.bytes()).enumerate() {
            let value = match *bytes {
                [a] => f64::from(a),
                [a, b] => f64::from(u16::from_le_bytes([a, b])),
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                _ => f64::NAN,
            };
            let [least, most] = &mut out;
            least[i % self.width] = least[i % self.width].min(value);
            most[i % self.width] = most[i % self.width].max(value);
        }
        out
    }
}

/// The numbers that one accessor is to hold for some users.
#[derive(Clone, Debug)]
pub(super) struct Want {
    /// The index of the accessor; `None` where the file has none yet.
    pub accessor: Option<usize>,
    pub users: Vec<User>,
    /// The numbers of all elements.
    pub data: Data,
    /// The elements that differ from those of the file, rising; the others are as in the file.
    pub changed: Vec<u32>,
    /// Whether the component type is another than the file's, or there are more elements.
    pub is_retyped: bool,
    /// Whether the elements come from a Draco stream.
    pub is_draco: bool,
}

impl Want {
    pub(crate) fn is_of_binds(&self) -> bool {
        self.users.iter().any(|user| matches!(user, User::Binds(_)))
    }

    pub fn changes(&self) -> bool {
        self.is_retyped || !self.changed.is_empty()
    }
}

/// Returns what all accessors of joints, weights and matrices are to hold, also those that do not change; and how many
/// vertices of which meshes change.
pub(super) fn of(sheet: &Sheet, homes: &Homes) -> (Vec<Want>, BTreeMap<MeshId, usize>) {
    let model = sheet.model;
    let before = Sheet::of_file(model).tables;
    let mut out = Vec::new();
    let mut changed = BTreeMap::new();
    let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && sheet.tables[a].has_same(&sheet.tables[b]);
    for (number, (old, new)) in before.iter().zip(&sheet.tables).enumerate() {
        // Primitives of the file that share their vertices name the same accessors.
        let at = |p: &PrimitiveId| {
            let home = homes.home(p.mesh.index());
            let parts = model.meshes[p.mesh.index()].parts(p.primitive);
            parts.filter_map(move |part| Some((home?, part.primitive)))
        };
        let users: Vec<(usize, usize)> = new.primitives.iter().flat_map(at).collect();
        if users.is_empty() {
            continue;
        }
        let mut old = old.clone();
        old.widen(new.per_vertex);
        let stored = [old.stored(), new.stored()];
        if !sheet.is_counted_before(number, &is_same) {
            let vertices = match is_gained(model, new) {
                true => new.vertices(),
                false => stored[1].changed_vertices(&stored[0], new.per_vertex).len(),
            };
            if let Some(first) = new.primitives.first().filter(|_| vertices > 0) {
                *changed.entry(first.mesh).or_default() += vertices;
            }
        }
        for set in 0..new.per_vertex / 4 {
            for is_weights in [false, true] {
                out.extend(of_set(model, (new, &users), set, is_weights, &stored));
            }
        }
    }
    for (index, skin) in model.stored_skins().iter().enumerate() {
        out.extend(of_skin(sheet, index, skin));
    }
    (out, changed)
}

/// Returns whether the file has no weights for what a table is of, since it gained a skin after it was read.
pub(super) fn is_gained(model: &Model, table: &Table) -> bool {
    let origin = |at: &PrimitiveId| {
        let mesh = model.source.origins.primitives.get(model.file_mesh(at.mesh).index())?;
        mesh.get(at.primitive)
    };
    table.primitives.first().and_then(origin).is_some_and(|origin| origin.sets.is_empty())
}

fn of_set(
    model: &Model,
    (table, users): (&Table, &[(usize, usize)]),
    set: usize,
    is_weights: bool,
    [old, new]: &[Stored; 2],
) -> Option<Want> {
    let origins: &Origins = &model.source.origins;
    let first = *table.primitives.first()?;
    let mesh = model.file_mesh(first.mesh);
    let sets = &origins.primitives.get(mesh.index())?.get(first.primitive)?.sets;
    let attribute = sets.get(set).map(|origin| if is_weights { origin.weights } else { origin.joints });
    let stored = match attribute {
        Some(attribute) => Some(origins.accessors.get(attribute.accessor)?.component),
        None => None,
    };
    let slots = |vertex: usize| vertex * table.per_vertex + set * 4..vertex * table.per_vertex + set * 4 + 4;
    let component = match is_weights {
        true => component_of(new.formats[set]),
        false if new.joints.iter().any(|j| *j > 255) => ComponentType::U16,
        false => stored.unwrap_or(ComponentType::U8),
    };
    let mut bytes = Vec::with_capacity(table.vertices() * 4 * component.bytes());
    let mut changed = Vec::new();
    for vertex in 0..table.vertices() {
        for slot in slots(vertex) {
            let number = if is_weights { new.numbers[slot] } else { u32::from(new.joints[slot]) };
            bytes.extend_from_slice(&number.to_le_bytes()[..component.bytes()]);
        }
        let differs = match is_weights {
            _ if sets.is_empty() => true,
            true => old.numbers[slots(vertex)] != new.numbers[slots(vertex)],
            false => old.joints[slots(vertex)] != new.joints[slots(vertex)],
        };
        changed.extend(differs.then_some(vertex as u32));
    }
    // A set that the file does not have is added where some vertex uses it. What gained a skin has one at least.
    let is_in_use = |slot: usize| new.numbers[slot] != 0 || new.joints[slot] != 0;
    let is_first = sets.is_empty() && set == 0;
    if attribute.is_none() && !is_first && !(0..table.vertices()).any(|v| slots(v).any(is_in_use)) {
        return None;
    }
    let name = format!("{}_{set}", if is_weights { "WEIGHTS" } else { "JOINTS" });
    Some(Want {
        accessor: attribute.map(|attribute| attribute.accessor),
        users: users.iter().map(|(m, p)| User::Attribute(*m, *p, name.clone())).collect(),
        data: Data { component, kind: "VEC4", width: 4, bytes },
        changed,
        is_retyped: stored != Some(component),
        is_draco: attribute.is_some_and(|attribute| attribute.draco.is_some()),
    })
}

const fn component_of(format: WeightFormat) -> ComponentType {
    match format {
        WeightFormat::U8 => ComponentType::U8,
        WeightFormat::U16 => ComponentType::U16,
        WeightFormat::F32 => ComponentType::F32,
    }
}

/// Returns the wanted matrices of a skin.
fn of_skin(sheet: &Sheet, index: usize, skin: &Skin) -> Option<Want> {
    let of_file = sheet.model.source.origins.skins.get(index).copied();
    let accessor = of_file.flatten();
    let differs = |joint: &usize| {
        if of_file.is_none() {
            return true;
        }
        let new = sheet.binds.get(&(index, *joint)).map(|new| numbers(*new).map(f32::to_bits));
        let old = numbers(skin.inverse_bind[*joint].as_daffine3()).map(f32::to_bits);
        new.is_some_and(|new| new != old || skin.not_finite.contains(joint))
    };
    // Links that a skin gained have matrices after those of the file, which has no room for them there.
    let links: Vec<NodeId> = sheet.model.new_links().map(|link| link.node).collect();
    let is_new = |joint: &usize| of_file.is_some() && links.contains(&skin.joints[*joint]);
    let changed: Vec<u32> =
        (0..skin.joints.len()).filter(|joint| is_new(joint) || differs(joint)).map(|j| j as u32).collect();
    let is_retyped = accessor.is_some() && (0..skin.joints.len()).any(|joint| is_new(&joint));
    if accessor.is_none() && changed.is_empty() {
        return None;
    }
    let matrix = |joint: usize| {
        let stored = skin.far.as_ref().map_or(&skin.inverse_bind, |far| &far.stored);
        let new = sheet.binds.get(&(index, joint)).filter(|_| changed.contains(&(joint as u32)));
        new.map_or(stored[joint].as_daffine3(), |new| skin.bind_to_store(*new))
    };
    let bytes = (0..skin.joints.len()).flat_map(|joint| numbers(matrix(joint))).flat_map(f32::to_le_bytes).collect();
    Some(Want {
        accessor,
        users: vec![User::Binds(index)],
        data: Data { component: ComponentType::F32, kind: "MAT4", width: 16, bytes },
        changed,
        is_retyped,
        is_draco: false,
    })
}

/// Returns the numbers of a matrix, column after column.
fn numbers(m: DAffine3) -> [f32; 16] {
    glam::DMat4::from(m).to_cols_array().map(|v| v as f32)
}
