//! The weights that a runtime makes of a model's: fewer joints for each vertex, in fewer bits.
//!
//! A runtime keeps the largest joints of each vertex and divides by their sum, as [`super::OPERATIONS`] *limit* does, and
//! stores what is left in its own format, as *quantise* does. What is predicted here is therefore what these two operations
//! write into a file.

use super::task::{Outcome, changes};
use super::{OPERATIONS, Settings, Sheet, apply};
use crate::model::{Model, WeightFormat};

/// How a runtime holds weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The most joints that move a vertex.
    pub influences: usize,
    /// The format of a weight; `None`: that of the file.
    pub format: Option<WeightFormat>,
    /// The most joints that one draw can have; `None`: any number.
    pub joints: Option<usize>,
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
    /// How it holds weights.
    pub packing: Packing,
}

const fn row(
    id: &'static str,
    label: &'static str,
    help: &'static str,
    influences: usize,
    format: Option<WeightFormat>,
    joints: Option<usize>,
) -> Runtime {
    Runtime { id, label, help, packing: Packing { influences, format, joints } }
}

/// Every runtime that has a name.
pub static RUNTIMES: &[Runtime] = &[
    row("three", "three.js", "Four joints, weights as the file stores them", 4, None, None),
    row("unity-4", "Unity, 4 bones", "The four largest joints, as floats", 4, Some(WeightFormat::F32), None),
    row("unity-2", "Unity, 2 bones", "The two largest joints, as floats", 2, Some(WeightFormat::F32), None),
    row("unity-1", "Unity, 1 bone", "The largest joint alone", 1, Some(WeightFormat::F32), None),
    row(
        "bevy",
        "Bevy",
        "Four joints as floats, and no more than 256 joints in a mesh",
        4,
        Some(WeightFormat::F32),
        Some(256),
    ),
    row("unreal-8", "Unreal, 8", "The eight largest joints, in 8 bits", 8, Some(WeightFormat::U8), None),
    row("unreal-12", "Unreal, 12", "The twelve largest joints, in 8 bits", 12, Some(WeightFormat::U8), None),
    row("4xu8", "4 × u8", "Four joints, in 8 bits", 4, Some(WeightFormat::U8), None),
    row("8xu8", "8 × u8", "Eight joints, in 8 bits", 8, Some(WeightFormat::U8), None),
];

impl Packing {
    /// The most influences that can be asked for.
    pub const MOST: usize = 64;

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
        parts.next().is_none().then_some(Self { influences, format, joints })
    }

    /// The text that [`Packing::parse`] reads: the name of the first runtime with these numbers, else the numbers.
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

    /// What it is called in the window.
    #[must_use]
    pub fn label(self) -> String {
        let named = RUNTIMES.iter().find(|runtime| runtime.packing == self);
        named.map_or_else(|| self.id(), |runtime| runtime.label.to_owned())
    }
}

/// What a packing costs and saves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PackedFigures {
    /// Vertices with weights.
    pub vertices: usize,
    /// How many vertices lose joints.
    pub losing: usize,
    /// The largest sum of weights that one of them loses.
    pub largest_loss: f64,
    /// The bytes of the joints and weights of a vertex; the most of all primitives.
    pub vertex_bytes: usize,
    /// The bytes without the last weight, which is what the others leave of one.
    pub implied_bytes: usize,
    /// The most joints that a skin has.
    pub joints: usize,
    /// The bytes of that skin's matrices, of 3×4 floats each.
    pub palette_bytes: usize,
    /// Whether a skin has more joints than one draw can have.
    pub overflows: bool,
}

/// Returns the model with the weights that a runtime makes of them, and what that costs. The result shares all but weights with
/// `model`.
#[must_use]
pub fn packed(model: &Model, packing: Packing) -> (Model, PackedFigures) {
    let mut sheet = Sheet::of(model);
    let before = sheet.tables.clone();
    let mut figures = PackedFigures::default();
    let mut shares = Vec::new();
    for table in &before {
        for row in 0..table.vertices() {
            table.shares(row, &mut shares);
            figures.vertices += usize::from(!shares.is_empty());
            if shares.len() > packing.influences {
                figures.losing += 1;
                shares.sort_by(|a, b| b.1.total_cmp(&a.1));
                let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
                let lost: f64 = shares[packing.influences..].iter().map(|(_, weight)| weight).sum();
                figures.largest_loss = figures.largest_loss.max(lost / sum);
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
        }
    }
    figures.joints = model.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
    figures.palette_bytes = figures.joints * 48;
    figures.overflows = packing.joints.is_some_and(|most| figures.joints > most);
    let format = packing.format.unwrap_or_default();
    let settings = Settings { limit: packing.influences, format, ..Settings::default() };
    for operation in OPERATIONS {
        if operation.id == "limit" || operation.id == "quantise" && packing.format.is_some() {
            apply(operation, &mut sheet, &settings);
        }
    }
    // Numbers are compared as they will be stored, whatever rounds them.
    let mut outcome = Outcome::default();
    for (old, new) in before.iter().zip(&sheet.tables) {
        changes(old, new, true, &|_| true, &mut outcome);
    }
    let edited = model.with_weights(&outcome.changes).unwrap_or_else(|_| model.without_edits());
    (edited, figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shapes::{Tube, tube};
    use crate::model::{MeshId, WeightChange};

    #[test]
    fn packings_are_read_by_name_or_number_and_written_so() {
        for runtime in RUNTIMES {
            assert_eq!(Packing::parse(runtime.id), Some(runtime.packing), "{}", runtime.id);
            assert_eq!(Packing::parse(&runtime.packing.id()), Some(runtime.packing), "{}", runtime.id);
        }
        let own = Packing { influences: 3, format: Some(WeightFormat::U16), joints: Some(64) };
        assert_eq!((Packing::parse("3:u16:64"), own.id()), (Some(own), "3:u16:64".to_owned()));
        assert_eq!(Packing::parse("6"), Some(Packing { influences: 6, format: None, joints: None }));
        for text in ["", "0", "65", "4:u7", "4:u8:0", "4:u8:9:1", "unity", "four", "4:"] {
            assert_eq!(Packing::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_lost_and_what_it_costs_is_counted() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 8);
        change.push(5, &[1, 2, 3, 4, 5], &[0.4, 0.3, 0.15, 0.1, 0.05]);
        let model = model.with_weights(&[change]).unwrap();
        let (two, figures) = packed(&model, Packing::parse("2:u8:8").unwrap());
        // Of the rest of the tube no vertex has more than two joints.
        assert_eq!((figures.losing, figures.overflows, figures.joints), (1, true, 12));
        assert!((figures.largest_loss - 0.3).abs() < 1e-6);
        assert_eq!((figures.vertex_bytes, figures.implied_bytes, figures.palette_bytes), (4, 3, 12 * 48));
        let (joints, weights) = two.influences(MeshId(0), 0).unwrap().of(5);
        assert_eq!((&joints[..2], weights[2]), (&[1, 2][..], 0.0));
        // 4/7 and 3/7 of 255 are 145.71 and 109.29.
        assert_eq!((weights[0], weights[1]), (146.0 / 255.0, 109.0 / 255.0));
        assert!(two.shares_all_but_edits(&model));
        // As they are: nothing changes.
        let (same, figures) = packed(&model, Packing::parse("8:f32").unwrap());
        assert_eq!((figures.losing, same.weight_edits() == model.weight_edits()), (0, true));
    }
}
