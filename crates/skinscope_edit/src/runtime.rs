//! The weights that a runtime makes of a model's: fewer joints for each vertex, in fewer bits.
//!
//! A runtime reads all sets of joints and weights or the first one alone ([`Sets`]), divides them by their sum or leaves them as they are
//! ([`Sums`]), keeps the largest joints of each vertex and divides by their sum, as [`super::OPERATIONS`] *limit* does, and stores what is
//! left in its own format, as *quantise* does; one that only divides what is stored rounds each weight for itself, so that their sum may be
//! off by some steps. Where all sets are read and sums are left, what is predicted here is what these two
//! operations write into a file. `docs/compare.md` says which source each row of [`RUNTIMES`] was taken from.

use skinscope_base::parallel::JobContext;
use skinscope_model::{InfluencesRef, MeshId, Model, WeightChange, WeightFormat};

use super::limit::LIMIT;
use super::quantise::QUANTISE;
use super::task::{Outcome, changes};
use super::{Settings, Sheet, apply};

/// The sets of joints and weights that a runtime reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Sets {
    /// Every set of the file.
    #[default]
    All,
    /// `JOINTS_0` and `WEIGHTS_0`, the first four joints in stored order.
    First,
}

/// What a runtime does about the sum of a vertex' weights when it reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Sums {
    /// It uses the weights as they are stored.
    #[default]
    AsStored,
    /// It divides the weights by their sum; a vertex without weight keeps none.
    Divided,
    /// It divides the weights by their sum, and gives a vertex without weight to its first joint.
    DividedOrFirst,
    /// It blends with the weights as they are stored, and divides the place by their sum afterwards, as the fourth coordinate of a place
    /// does. A vertex without weight has no place then, and keeps none.
    DividedAfterwards,
}

/// What a runtime does about the skin of a mesh that a node has many copies of (`EXT_mesh_gpu_instancing`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SkinOfCopies {
    /// The skin moves each copy.
    #[default]
    Used,
    /// It draws the copies without the skin, as the mesh is stored.
    Ignored,
}

/// How a runtime stores weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Packing {
    /// The most joints that move a vertex.
    pub influences: usize,
    /// The format of a weight; `None`: that of the file.
    pub format: Option<WeightFormat>,
    /// The most joints that one draw can have; `None`: any number.
    pub joints: Option<usize>,
    /// The sets that it reads.
    pub sets: Sets,
    /// What it does about the sum of weights.
    pub sums: Sums,
    /// What it does about the skin of copies.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skin_of_copies: SkinOfCopies,
}

/// Returns whether a value need not be written, since it is what is read where nothing is written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A runtime by its name.
#[derive(Debug)]
pub struct Runtime {
    /// Its name on the command line and in JSON.
    pub id: &'static str,
    /// The name that people see.
    pub label: &'static str,
    /// A sentence that says what it does to weights.
    pub help: &'static str,
    /// How it stores weights.
    pub packing: Packing,
}

const fn row(id: &'static str, label: &'static str, help: &'static str, packing: Packing) -> Runtime {
    Runtime { id, label, help, packing }
}

/// A runtime that reads all sets and divides each vertex by its sum.
const fn unreal(influences: usize) -> Packing {
    Packing { sums: Sums::Divided, ..Packing::of(influences, Some(WeightFormat::U8), None) }
}

/// A runtime that reads the first set, divides each vertex by its sum and keeps the largest joints as floats.
const fn unity(influences: usize) -> Packing {
    let packing = Packing::of(influences, Some(WeightFormat::F32), None);
    Packing { sets: Sets::First, sums: Sums::Divided, ..packing }
}

/// Every runtime that has a name.
pub static RUNTIMES: &[Runtime] = &[
    row(
        "three",
        "three.js",
        "The four joints of the first set, divided by their sum, each rounded for itself in the format of the file; the first joint where the sum is 0. Instanced skins: no skin moves a mesh with EXT_mesh_gpu_instancing",
        Packing {
            sets: Sets::First,
            sums: Sums::DividedOrFirst,
            skin_of_copies: SkinOfCopies::Ignored,
            ..Packing::of(4, None, None)
        },
    ),
    row("unity-4", "Unity, 4 bones", "The four joints of the first set, divided by their sum, as floats", unity(4)),
    row(
        "unity-2",
        "Unity, 2 bones",
        "The two largest joints of the first set, divided by their sum, as floats",
        unity(2),
    ),
    row("unity-1", "Unity, 1 bone", "The largest joint of the first set alone", unity(1)),
    row(
        "bevy",
        "Bevy",
        "The four joints of the first set as they are, as floats, and no more than 256 joints in a mesh",
        Packing { sets: Sets::First, ..Packing::of(4, Some(WeightFormat::F32), Some(256)) },
    ),
    row(
        "vtk",
        "VTK, F3D",
        "The four joints of the first set alone; the place is divided by the sum of their weights",
        Packing { sets: Sets::First, sums: Sums::DividedAfterwards, ..Packing::of(4, Some(WeightFormat::F32), None) },
    ),
    row("unreal-8", "Unreal, 8", "The eight largest joints, divided by their sum, in 8 bits", unreal(8)),
    row("unreal-12", "Unreal, 12", "The twelve largest joints, divided by their sum, in 8 bits", unreal(12)),
    row("4xu8", "4 × u8", "The four largest joints, in 8 bits", Packing::of(4, Some(WeightFormat::U8), None)),
    row("8xu8", "8 × u8", "The eight largest joints, in 8 bits", Packing::of(8, Some(WeightFormat::U8), None)),
];

impl Packing {
    /// The most influences that can be asked for.
    pub const MOST: usize = 64;

    /// Makes the packing of a runtime that reads all sets and leaves sums as they are.
    #[must_use]
    pub const fn of(influences: usize, format: Option<WeightFormat>, joints: Option<usize>) -> Self {
        Self { influences, format, joints, sets: Sets::All, sums: Sums::AsStored, skin_of_copies: SkinOfCopies::Used }
    }

    /// Reads the name of a runtime, or numbers: `N`, `N:TYPE` or `N:TYPE:JOINTS`, where TYPE is `u8`, `u16`, `f32` or `stored`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(runtime) = RUNTIMES.iter().find(|runtime| runtime.id == text) {
            return Some(runtime.packing);
        }
        let mut parts = text.split(':');
        let influences = parts.next()?.parse().ok().filter(|n| (1..=Self::MOST).contains(n))?;
        let format = match parts.next() {
            None | Some("stored") => None,
            Some("u8") => Some(WeightFormat::U8),
            Some("u16") => Some(WeightFormat::U16),
            Some("f32") => Some(WeightFormat::F32),
            Some(_) => return None,
        };
        let joints = match parts.next() {
            None => None,
            Some(text) => Some(text.parse().ok().filter(|n| *n > 0)?),
        };
        parts.next().is_none().then_some(Self::of(influences, format, joints))
    }

    /// Returns the text that [`Packing::parse`] reads: the name of the first runtime with this packing, else its numbers.
    #[must_use]
    pub fn id(self) -> String {
        if let Some(runtime) = RUNTIMES.iter().find(|runtime| runtime.packing == self) {
            return runtime.id.to_owned();
        }
        let format = match self.format {
            None => "stored",
            Some(WeightFormat::U8) => "u8",
            Some(WeightFormat::U16) => "u16",
            Some(WeightFormat::F32) => "f32",
        };
        let joints = self.joints.map_or_else(String::new, |joints| format!(":{joints}"));
        format!("{}:{format}{joints}", self.influences)
    }

    /// Returns the name that the window shows.
    #[must_use]
    pub fn label(self) -> String {
        let named = RUNTIMES.iter().find(|runtime| runtime.packing == self);
        named.map_or_else(|| self.id(), |runtime| runtime.label.to_owned())
    }
}

/// What a packing costs and saves: vertices that change, bytes and bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PackedFigures {
    /// How many vertices have weights.
    pub vertices: usize,
    /// How many vertices lose joints.
    pub losing: usize,
    /// The largest sum of weights that one of them loses.
    pub largest_loss: f64,
    /// How many vertices have other weights because they are divided by their sum, or had none and follow their first joint.
    pub normalised: usize,
    /// The bytes of the joints and weights of a vertex; the most of all primitives.
    pub vertex_bytes: usize,
    /// The bytes without the last weight, which is what the others leave of one.
    pub implied_bytes: usize,
    /// The bits of the joints and weights of a vertex, as many as `vertex_bytes`: N (index + weight) for N joints.
    pub vertex_bits: usize,
    /// The bits without the last weight: N index + (N − 1) weight. Four joints of 8 + 8 bits become 56 bits of 64.
    pub implied_bits: usize,
    /// The bits of the index of a joint: 8 for up to 256 joints, else 16.
    pub index_bits: usize,
    /// The bits that say how many joints a vertex has, one to N: two for up to four.
    pub count_bits: usize,
    /// The mean bits of a vertex that says how many joints it has and stores these alone, without the last weight.
    pub counted_bits: f64,
    /// The most joints that a skin has.
    pub joints: usize,
    /// The bytes of that skin's matrices, of 3×4 floats each.
    pub palette_bytes: usize,
    /// Whether a skin has more joints than one draw can have.
    pub overflows: bool,
    /// How many nodes have copies of a mesh that the runtime draws without their skin ([`SkinOfCopies::Ignored`]).
    pub unskinned: usize,
}

/// Returns the model with the weights that a runtime makes of them, and what that costs; `None` where the job was cancelled. The
/// result shares all but weights with `model`.
#[must_use]
pub fn packed(model: &Model, packing: Packing, context: &JobContext) -> Option<(Model, PackedFigures)> {
    // The share of the work that is done after each of its parts.
    let goes_on = |done: f32| {
        if context.set_fraction(done) {
            context.wake();
        }
        !context.is_cancelled()
    };
    let mut figures = PackedFigures::default();
    let read = read(model, packing, &mut figures);
    let mut sheet = Sheet::of(&read);
    sheet.context = context.clone();
    if !goes_on(0.2) {
        return None;
    }
    let before = sheet.tables.clone();
    let (mut shares, mut retained, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for table in &Sheet::of(model).tables {
        let slots = if packing.sets == Sets::First { FIRST } else { table.per_vertex };
        for row in 0..table.vertices() {
            table.shares(row, &mut shares);
            figures.vertices += usize::from(!shares.is_empty());
            table.shares_of(row, slots, &mut retained);
            retained.sort_by(|a, b| b.1.total_cmp(&a.1));
            retained.truncate(packing.influences);
            if shares.len() > retained.len() {
                figures.losing += 1;
                let [sum, retained] =
                    [&shares, &retained].map(|list| list.iter().map(|(_, weight)| weight).sum::<f64>());
                figures.largest_loss = figures.largest_loss.max((sum - retained) / sum);
            }
        }
        let format = packing.format.or(table.formats.first().copied()).unwrap_or_default();
        let weight = match format {
            WeightFormat::U8 => 1,
            WeightFormat::U16 => 2,
            WeightFormat::F32 => 4,
        };
        let joint = if table.keys.len() > 256 { 2 } else { 1 };
        let bytes = packing.influences * (weight + joint);
        if bytes > figures.vertex_bytes {
            (figures.vertex_bytes, figures.implied_bytes) = (bytes, bytes - weight);
            (figures.vertex_bits, figures.implied_bits) = (8 * bytes, 8 * (bytes - weight));
            figures.index_bits = 8 * joint;
        }
        sizes.push((8 * weight, 8 * joint));
    }
    figures.joints = model.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
    figures.palette_bytes = figures.joints * 48;
    figures.overflows = packing.joints.is_some_and(|most| figures.joints > most);
    if packing.skin_of_copies == SkinOfCopies::Ignored {
        figures.unskinned = model.instanced_skins.len();
    }
    let format = packing.format.unwrap_or_default();
    let settings = Settings { limit: packing.influences, format, ..Settings::default() };
    apply(&LIMIT, &mut sheet, &settings);
    if !goes_on(0.5) {
        return None;
    }
    if packing.format.is_some() {
        apply(&QUANTISE, &mut sheet, &settings);
        if !goes_on(0.8) {
            return None;
        }
    }
    figures.count_bits = packing.influences.next_power_of_two().trailing_zeros() as usize;
    let mut bits = 0;
    for (table, (weight, joint)) in sheet.tables.iter().zip(sizes) {
        for row in 0..table.vertices() {
            table.shares(row, &mut shares);
            if !shares.is_empty() {
                bits += figures.count_bits + shares.len() * joint + (shares.len() - 1) * weight;
            }
        }
    }
    figures.counted_bits = bits as f64 / figures.vertices.max(1) as f64;
    // Numbers are compared as they will be stored, whatever rounds them. Those that the runtime stores in the format of the file were rounded
    // when they were divided, and nothing is taken off any of them afterwards.
    let rounds = packing.format.is_some() || packing.sums == Sums::AsStored;
    let mut outcome = Outcome::default();
    for (old, new) in before.iter().zip(&sheet.tables) {
        changes(old, new, rounds, &|_| true, &mut outcome);
    }
    let edited = read.with_weights(&outcome.changes).unwrap_or_else(|_| model.without_edits());
    (!context.is_cancelled()).then_some((edited, figures))
}

/// How many joints a set has.
const FIRST: usize = 4;

/// Weights that change by less than this when they are divided by their sum are left as they are: it is rounding.
const SAME: f32 = 1e-6;

/// Returns the model with the weights as a runtime reads them: of the sets that it reads, divided by their sum where it does that.
fn read(model: &Model, packing: Packing, figures: &mut PackedFigures) -> Model {
    let mut changes = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let mesh = MeshId::from_index(m);
            let Some(influences) = model.influences(mesh, p) else { continue };
            let mut change = WeightChange::new(mesh, p, influences.per_vertex);
            for vertex in 0..primitive.stored_vertices {
                let (joints, weights) = influences.of(vertex);
                let count = if packing.sets == Sets::First { weights.len().min(FIRST) } else { weights.len() };
                let (joints, mut row) = (&joints[..count], weights[..count].to_vec());
                let is_divided = divide(&mut row, packing, influences, vertex);
                figures.normalised += usize::from(is_divided);
                if is_divided || weights[count..].iter().any(|weight| *weight != 0.0) {
                    change.push(vertex as u32, joints, &row);
                }
            }
            if !change.vertices.is_empty() {
                changes.push(change);
            }
        }
    }
    model.with_weights(&changes).unwrap_or_else(|_| model.without_edits())
}

/// Divides the weights of a vertex by their sum where the runtime does that; returns whether they changed. Where they stay in the integers
/// of the file each is rounded to the nearest for itself.
fn divide(row: &mut [f32], packing: Packing, influences: InfluencesRef<'_>, vertex: usize) -> bool {
    if packing.sums == Sums::AsStored || row.is_empty() {
        return false;
    }
    // Floats take part in what follows in the runtime's own format.
    let stored = influences.formats.first().copied().unwrap_or(influences.format);
    let is_stored = packing.format.is_none() && !influences.is_edited(vertex);
    let one = Some(stored).filter(|_| is_stored).and_then(WeightFormat::one).map(f64::from);
    // A half is rounded up or down by the last bit of a product, so that the steps are those of three.js, in double precision.
    let read = |weight: &f32| one.map_or(f64::from(*weight), |one| (f64::from(*weight) * one).round() / one);
    let sum: f64 = row.iter().map(|weight| read(weight).abs()).sum();
    if sum == 0.0 {
        row[0] = if packing.sums == Sums::DividedOrFirst { 1.0 } else { 0.0 };
        return row[0] != 0.0;
    }
    let scale = 1.0 / sum;
    let mut changed = false;
    for weight in row {
        let divided = read(weight) * scale;
        let new = one.map_or(divided, |one| (divided * one).round() / one) as f32;
        if (new - *weight).abs() > SAME {
            (*weight, changed) = (new, true);
        }
    }
    changed
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
