//! Layers of weights that the file of a model keeps in its extras, and what tells whether they still make the weights that it has.
//!
//! Beside the layers stand the number of vertices of each table of weights and two fingerprints of their positions: one in their order, and one
//! that is the same in any order. Whether another program has
//! changed the weights needs none: what the layers make together is rounded as it would be stored, and compared with what is stored.

use serde::{Deserialize, Serialize};
use skinscope_anim::pose::Keys;
use skinscope_edit::Sheet;
use skinscope_model::{Model, NodeId};
use skinscope_weights::{Stored, Table, TableRow};

use super::canvas::Painted;
use super::layers::{LayerRow, LayerStack, LayersForm};

/// The version of the form.
const SCHEMA: u32 = 1;

/// What stands in the extras of a file.
#[derive(Serialize, Deserialize)]
struct KeptForm {
    schema: u32,
    /// The vertices of each table.
    tables: Vec<PlacesForm>,
    weights: LayersForm,
}

/// Where the vertices of a table are.
#[derive(PartialEq, Serialize, Deserialize)]
struct PlacesForm {
    vertices: usize,
    /// In their order.
    places: String,
    /// In any order.
    #[serde(default)]
    unordered: String,
}

impl PlacesForm {
    /// Whether the same places stand in another order.
    fn is_other_order(&self, now: &Self) -> bool {
        self.places != now.places && self.unordered == now.unordered
    }
}

/// The version alone, which is read first.
#[derive(Deserialize)]
struct SchemaForm {
    schema: u32,
}

/// Layers that a file keeps.
#[derive(Clone, Debug)]
pub struct KeptLayers {
    /// The layers.
    pub layers: LayerStack,
    /// How many vertices that they know have other weights in the file than they make.
    pub changed: usize,
    /// Whether vertices are elsewhere than they were, and may have another order.
    pub moved: bool,
}

/// What becomes of layers whose file was changed by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptChoice {
    /// The weights stay as they are: what was changed is a layer of its own over the others.
    Changes,
    /// The layers lie over the weights that the file has now.
    Bottom,
    /// The weights stay as they are, and the layers go.
    Drop,
}

/// The reason why the layers that a file keeps cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptError {
    /// They are of a newer version of the program.
    #[error("the layers of weights that the file keeps have the schema {0}, and not 1: they were not taken")]
    Schema(u32),
    /// They are not in the form in which they are written.
    #[error("the layers of weights that the file keeps cannot be read, so that they were not taken: {0}")]
    Form(String),
    /// The meshes have other vertices.
    #[error("the layers of weights that the file keeps are for other numbers of vertices: they were not taken")]
    Counts,
    /// The meshes have the same vertices in another order.
    #[error(
        "the vertices have another order than the layers of weights that the file keeps, so that they were not taken"
    )]
    Order,
    /// They name what the model does not have.
    #[error(
        "the layers of weights that the file keeps name joints or vertices that the model does not have, or numbers that no layer can have: they were not taken"
    )]
    Unknown,
}

impl KeptLayers {
    /// Returns whether the file has the weights that they make.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.changed == 0 && !self.moved
    }

    /// Says what is another than when they were kept.
    #[must_use]
    pub fn difference(&self) -> String {
        let changed = skinscope_base::words::counted(self.changed, "vertex has", "vertices have");
        match (self.changed, self.moved) {
            (_, false) => format!("{changed} other weights"),
            (0, true) => "vertices are elsewhere or in another order".to_owned(),
            (_, true) => format!("vertices are elsewhere or in another order, and {changed} other weights"),
        }
    }

    /// Returns the layers after a choice, for the weights that a model has now; no layers where they are dropped.
    #[must_use]
    pub fn chosen(&self, choice: KeptChoice, model: &Model) -> LayerStack {
        let (mut layers, sheet) = (self.layers.clone(), Sheet::of(model));
        let row = |at: TableRow| LayerRow::of_table(&sheet.tables[at.table], at.row);
        match choice {
            KeptChoice::Changes => {
                // With one layer alone what is changed would go into the base.
                layers.set_solo(None);
                let rows = differing((model, Sheet::of(model)), &layers);
                layers.take_others(rows.into_iter().map(|at| (at, row(at))).collect());
            }
            KeptChoice::Bottom => layers.put_over(&row),
            KeptChoice::Drop => layers = LayerStack::default(),
        }
        layers
    }
}

/// Returns the layers that the file of a model keeps; `None` where it keeps none.
///
/// # Errors
/// They are not in their form, or do not fit the model.
pub fn kept_layers(model: &Model) -> Result<Option<KeptLayers>, KeptError> {
    let Some(text) = model.source.kept_layers.as_deref() else { return Ok(None) };
    let unreadable = |error: serde_json::Error| KeptError::Form(error.to_string());
    let SchemaForm { schema } = serde_json::from_str(text).map_err(unreadable)?;
    if schema != SCHEMA {
        return Err(KeptError::Schema(schema));
    }
    let form: KeptForm = serde_json::from_str(text).map_err(unreadable)?;
    let sheet = Sheet::of_file(model);
    let places = places(model, &sheet.tables);
    let counts = |places: &[PlacesForm]| places.iter().map(|table| table.vertices).collect::<Vec<_>>();
    if counts(&form.tables) != counts(&places) {
        return Err(KeptError::Counts);
    }
    if form.tables.iter().zip(&places).any(|(form, now)| form.is_other_order(now)) {
        return Err(KeptError::Order);
    }
    let layers = read_form(model, &sheet.tables, &form.weights).ok_or(KeptError::Unknown)?;
    if layers.is_empty() {
        return Ok(None);
    }
    let changed = differing((model, sheet), &layers).len();
    Ok(Some(KeptLayers { layers, changed, moved: form.tables != places }))
}

/// Returns the text that a file keeps of layers; `None` where there are none.
#[must_use]
pub fn kept_text(model: &Model, layers: &LayerStack) -> Option<String> {
    let keys = Keys::of(model);
    let name = |key: u32| {
        let node = NodeId(key);
        (node.index() < model.skeleton.len()).then(|| keys.key(node).to_owned())
    };
    let weights = LayersForm::of(layers, &name)?;
    let tables = places(model, &Sheet::of_file(model).tables);
    serde_json::to_string(&KeptForm { schema: SCHEMA, tables, weights }).ok()
}

fn read_form(model: &Model, tables: &[Table], form: &LayersForm) -> Option<LayerStack> {
    let keys = Keys::of(model);
    let has = |at: TableRow| tables.get(at.table).is_some_and(|table| at.row < table.vertices());
    let mut layers = form.stack(&mut |name: &str| keys.find(name).map(|node| node.0), &has)?;
    layers.keep_pairs_of(tables);
    Some(layers)
}

/// Returns the rows for which a sheet would store other weights with the layers than it does.
fn differing((model, mut sheet): (&Model, Sheet<'_>), layers: &LayerStack) -> Vec<TableRow> {
    let before: Vec<Stored> = sheet.tables.iter().map(Table::stored).collect();
    Painted::of_layers(model, sheet.tables.clone(), layers.clone()).write_into(&mut sheet);
    let after: Vec<Stored> = sheet.tables.iter().map(Table::stored).collect();
    let differs = |at: &TableRow| {
        let slots = sheet.tables[at.table].slots(at.row);
        pairs(&before[at.table], slots.clone()) != pairs(&after[at.table], slots)
    };
    layers.rows().filter(differs).collect()
}

/// Returns joints with what is stored of their weights, in an order of their own.
fn pairs(stored: &Stored, slots: std::ops::Range<usize>) -> Vec<(u16, u32)> {
    let all = slots.map(|slot| (stored.joints[slot], stored.numbers[slot]));
    let mut out: Vec<(u16, u32)> = all.filter(|(_, number)| *number != 0).collect();
    out.sort_unstable();
    out
}

/// What FNV-1a of 64 bits begins with.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Takes another byte into a fingerprint, by FNV-1a of 64 bits.
fn fnv(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn places(model: &Model, tables: &[Table]) -> Vec<PlacesForm> {
    let of = |table: &Table| {
        let primitive = table.primitives.first().map(|at| &model.meshes[at.mesh.index()].primitives[at.primitive]);
        let positions = primitive.into_iter().flat_map(|primitive| &primitive.positions).take(table.vertices());
        let (mut ordered, mut unordered) = (FNV_BASIS, 0_u64);
        for position in positions {
            let bytes = || position.to_array().into_iter().flat_map(f32::to_le_bytes);
            ordered = bytes().fold(ordered, fnv);
            unordered = unordered.wrapping_add(bytes().fold(FNV_BASIS, fnv));
        }
        let [places, unordered] = [ordered, unordered].map(|hash| format!("fnv1a64:{hash:016x}"));
        PlacesForm { vertices: table.vertices(), places, unordered }
    };
    tables.iter().map(of).collect()
}

#[cfg(test)]
mod tests;
