//! The weights that a runtime makes of a model's: fewer joints for each vertex, in fewer bits.
//!
//! A runtime keeps the largest joints of each vertex and divides by their sum, as [`super::OPERATIONS`] *limit* does, and
//! stores what is left in its own format, as *quantise* does. What is predicted here is therefore what these two operations
//! write into a file.

use super::task::{Outcome, changes};
use super::{OPERATIONS, Settings, Sheet, apply};
use skinscope_base::parallel::JobContext;
use skinscope_model::{Model, WeightFormat};

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
    let mut sheet = Sheet::of(model);
    sheet.context = context.clone();
    if !goes_on(0.2) {
        return None;
    }
    let before = sheet.tables.clone();
    let mut figures = PackedFigures::default();
    let (mut shares, mut sizes) = (Vec::new(), Vec::new());
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
            (figures.vertex_bits, figures.implied_bits) = (8 * bytes, 8 * (bytes - weight));
            figures.index_bits = 8 * joint;
        }
        sizes.push((8 * weight, 8 * joint));
    }
    figures.joints = model.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
    figures.palette_bytes = figures.joints * 48;
    figures.overflows = packing.joints.is_some_and(|most| figures.joints > most);
    let format = packing.format.unwrap_or_default();
    let settings = Settings { limit: packing.influences, format, ..Settings::default() };
    for operation in OPERATIONS {
        if operation.id == "limit" || operation.id == "quantise" && packing.format.is_some() {
            apply(operation, &mut sheet, &settings);
            if !goes_on(if operation.id == "limit" { 0.5 } else { 0.8 }) {
                return None;
            }
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
    // Numbers are compared as they will be stored, whatever rounds them.
    let mut outcome = Outcome::default();
    for (old, new) in before.iter().zip(&sheet.tables) {
        changes(old, new, true, &|_| true, &mut outcome);
    }
    let edited = model.with_weights(&outcome.changes).unwrap_or_else(|_| model.without_edits());
    (!context.is_cancelled()).then_some((edited, figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skinscope_model::shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

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

    fn made(model: &Model, packing: &str) -> (Model, PackedFigures) {
        packed(model, Packing::parse(packing).unwrap(), &JobContext::of_waiting()).unwrap()
    }

    #[test]
    fn bits_of_a_vertex_are_those_of_the_formulas() {
        // Joints of a skin, packing, and then what the formulas say: index, all, last weight implied, count.
        for (joints, packing, want) in [
            (12, "4xu8", [8, 64, 56, 2]),
            (12, "8xu8", [8, 128, 120, 3]),
            (256, "4xu8", [8, 64, 56, 2]),
            (257, "4xu8", [16, 96, 88, 2]),
            (12, "unreal-12", [8, 192, 184, 4]),
            (12, "4:u16", [8, 96, 80, 2]),
            (12, "bevy", [8, 160, 128, 2]),
            (12, "unity-1", [8, 40, 8, 0]),
            (12, "3:u8", [8, 48, 40, 2]),
        ] {
            let model = tube(Tube { joints, ..Tube::default() });
            let told = made(&model, packing).1;
            let got = [told.index_bits, told.vertex_bits, told.implied_bits, told.count_bits];
            assert_eq!(got, want, "{joints} joints, {packing}");
            let runtime = Packing::parse(packing).unwrap();
            let weight = want[1] / runtime.influences - want[0];
            let i = model.influences(MeshId(0), 0).unwrap();
            let stored = model.meshes[0].primitives[0].stored_vertices;
            let bits = |v: usize| {
                let used = i.used(v).min(runtime.influences);
                want[3] + used * want[0] + (used - 1) * weight
            };
            let mean = (0..stored).map(bits).sum::<usize>() as f64 / stored as f64;
            assert!(
                (told.counted_bits - mean).abs() < 1e-9,
                "{joints} joints, {packing}: {} {mean}",
                told.counted_bits
            );
            assert!(told.counted_bits <= (want[2] + want[3]) as f64);
        }
    }

    #[test]
    fn a_job_that_was_given_up_makes_nothing() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let wake = std::sync::Arc::new(|| ());
        let job = skinscope_base::parallel::Job::start("test", wake, move |context: &JobContext| {
            while !context.is_cancelled() {
                std::thread::yield_now();
            }
            packed(&model, Packing::parse("4xu8").unwrap(), context).is_none()
        });
        job.cancel();
        while !job.is_done() {
            std::thread::yield_now();
        }
        assert_eq!(job.take(), Some(true));
    }

    #[test]
    fn what_is_lost_and_what_it_costs_is_counted() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 8);
        change.push(5, &[1, 2, 3, 4, 5], &[0.4, 0.3, 0.15, 0.1, 0.05]);
        let model = model.with_weights(&[change]).unwrap();
        let (two, figures) = made(&model, "2:u8:8");
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
        let (same, figures) = made(&model, "8:f32");
        assert_eq!((figures.losing, same.weight_edits() == model.weight_edits()), (0, true));
    }
}
