//! The weights that a runtime makes of a model's: fewer joints for each vertex, in fewer bits.
//!
//! A runtime reads all sets of joints and weights or the first one alone ([`Sets`]), divides them by their sum or leaves them as they are
//! ([`Sums`]), keeps the largest joints of each vertex and divides by their sum, as [`super::OPERATIONS`] *limit* does, and stores what is
//! left in its own format, as *quantise* does. Where all sets are read and sums are left, what is predicted here is what these two
//! operations write into a file. `docs/compare.md` says which source each row of [`RUNTIMES`] was taken from.

use skinscope_base::parallel::JobContext;
use skinscope_model::{InfluencesRef, MeshId, Model, WeightChange, WeightFormat};

use super::task::{Outcome, changes};
use super::{OPERATIONS, Settings, Sheet, apply};

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
        "The four joints of the first set, divided by their sum, in the format of the file; the first joint where the sum is 0",
        Packing { sets: Sets::First, sums: Sums::DividedOrFirst, ..Packing::of(4, None, None) },
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
        Self { influences, format, joints, sets: Sets::All, sums: Sums::AsStored }
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
/// of the file each is rounded to the nearest.
fn divide(row: &mut [f32], packing: Packing, influences: InfluencesRef<'_>, vertex: usize) -> bool {
    if packing.sums == Sums::AsStored || row.is_empty() {
        return false;
    }
    let sum: f64 = row.iter().map(|weight| f64::from(weight.abs())).sum();
    if sum == 0.0 {
        row[0] = if packing.sums == Sums::DividedOrFirst { 1.0 } else { 0.0 };
        return row[0] != 0.0;
    }
    // Floats take part in what follows in the runtime's own format.
    let stored = influences.formats.first().copied().unwrap_or(influences.format);
    let is_stored = packing.format.is_none() && !influences.is_edited(vertex);
    let one = Some(stored).filter(|_| is_stored).and_then(WeightFormat::one);
    let mut changed = false;
    for weight in row {
        let divided = f64::from(*weight) / sum;
        let new = one.map_or(divided, |one| (divided * f64::from(one)).round() / f64::from(one)) as f32;
        if (new - *weight).abs() > SAME {
            (*weight, changed) = (new, true);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use skinscope_model::shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

    use super::*;

    #[test]
    fn packings_are_read_by_name_or_number_and_written_so() {
        for runtime in RUNTIMES {
            assert_eq!(Packing::parse(runtime.id), Some(runtime.packing), "{}", runtime.id);
            assert_eq!(Packing::parse(&runtime.packing.id()), Some(runtime.packing), "{}", runtime.id);
        }
        let own = Packing::of(3, Some(WeightFormat::U16), Some(64));
        assert_eq!((Packing::parse("3:u16:64"), own.id()), (Some(own), "3:u16:64".to_owned()));
        assert_eq!(Packing::parse("6"), Some(Packing::of(6, None, None)));
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
            let figures = made(&model, packing).1;
            let got = [figures.index_bits, figures.vertex_bits, figures.implied_bits, figures.count_bits];
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
                (figures.counted_bits - mean).abs() < 1e-9,
                "{joints} joints, {packing}: {} {mean}",
                figures.counted_bits
            );
            assert!(figures.counted_bits <= (want[2] + want[3]) as f64);
        }
    }

    /// A tube of which vertex 5 sums to 0.6, vertex 6 has weights in two sets and vertex 7 has none.
    fn uneven() -> Model {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 8);
        change.push(5, &[1, 2], &[0.45, 0.15]);
        change.push(6, &[1, 2, 3, 4, 5], &[0.1, 0.1, 0.1, 0.1, 0.6]);
        change.push(7, &[4], &[0.0]);
        model.with_weights(&[change]).unwrap()
    }

    #[test]
    fn runtimes_divide_by_sums_and_read_sets_as_their_sources_say() {
        let model = uneven();
        let of = |model: &Model, vertex: usize| {
            let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex);
            let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
            used.map(|(joint, weight)| (*joint, (f64::from(*weight) * 1e5).round() / 1e5)).collect::<Vec<_>>()
        };
        // Weights of vertex 5 and 7, the joint with most of vertex 6, and how many vertices are divided by their sum.
        let (as_is, whole) = (vec![(1, 0.45), (2, 0.15)], vec![(1, 0.75), (2, 0.25)]);
        let first_set = vec![(1, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)];
        for (runtime, five, seven, six, normalised) in [
            ("three", &whole, vec![(4, 1.0)], first_set.clone(), 3),
            ("unity-4", &whole, vec![], first_set.clone(), 2),
            ("unity-1", &vec![(1, 1.0)], vec![], vec![(1, 1.0)], 2),
            ("bevy", &as_is, vec![], vec![(1, 0.1), (2, 0.1), (3, 0.1), (4, 0.1)], 0),
            ("8:f32", &as_is, vec![], vec![(1, 0.1), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.6)], 0),
        ] {
            let (packed, figures) = made(&model, runtime);
            assert_eq!((&of(&packed, 5), of(&packed, 7), of(&packed, 6)), (five, seven, six), "{runtime}");
            assert_eq!(figures.normalised, normalised, "{runtime}");
            // The first set of vertex 6 has 0.4 of its weight.
            let loses = figures.losing > 0 && figures.largest_loss > 0.59;
            assert_eq!(loses, runtime != "8:f32", "{runtime}: {figures:?}");
        }
        let (packed, _) = made(&model, "unreal-8");
        assert_eq!(of(&packed, 5).iter().map(|(_, weight)| (weight * 255.0).round()).sum::<f64>(), 255.0);
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
