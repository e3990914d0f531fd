//! Weights that are typed in: for one joint of many vertices, or for single cells of a table. The other joints of a vertex follow.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{MeshId, Model, NodeId, PrimitiveId, WeightChange};

use super::locks::Bounds;
use super::table::clean;
use super::{Operation, Settings, Sheet, Table, TableRow, sheet};

/// The operation that sets the weight of a joint.
pub static SET: Operation = Operation {
    id: "set",
    label: "Set weight",
    tool: "Set weight",
    help: "Set the weight of a joint: 0.3 or 30%, +0.1, -0.1, *2; the other joints of a vertex follow, so that its sum stays",
    argument: "JOINT=VALUE",
    repairs: &[],
    run: set,
};

/// Weights that differ by no more than this are equal: it is what rounding to 32 bits makes of a number below one.
const SAME: f64 = 1e-7;

/// A weight as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Amount {
    /// The weight becomes this number, 0 to 1.
    To(#[serde(with = "super::text_form::exact")] f64),
    /// This number is added to the weight; a negative one is subtracted.
    Add(#[serde(with = "super::text_form::exact")] f64),
    /// The weight is multiplied by this number.
    Times(#[serde(with = "super::text_form::exact")] f64),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Times(1.0)
    }
}

impl Amount {
    /// Reads `0.3`, `30%`, `+0.1`, `-0.1` or `*2`; a comma counts as a point. Returns `None` for any other text, and for a
    /// weight above 1, which no vertex can have.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().replace(',', ".").replace('−', "-").replace('×', "*");
        let (rest, make): (&str, fn(f64) -> Self) = match text.chars().next()? {
            '+' => (&text[1..], Self::Add),
            '-' => (&text[1..], |v| Self::Add(-v)),
            '*' => (&text[1..], Self::Times),
            _ => (&text, Self::To),
        };
        let (number, unit) = match rest.trim().strip_suffix('%') {
            Some(number) => (number.trim(), 0.01),
            None => (rest.trim(), 1.0),
        };
        if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let value: f64 = number.parse().ok()?;
        let amount = (value.is_finite() && value >= 0.0).then(|| make(value * unit))?;
        (!matches!(amount, Self::To(weight) if weight > 1.0 + SAME)).then_some(amount)
    }

    /// Returns whether a weight is another one than what is asked for in place of the weight `now`. To take away more than there is leaves
    /// nothing, as was asked.
    fn is_unmet(self, now: f64, got: f64) -> bool {
        let wanted = match self {
            Self::To(weight) => weight,
            Self::Add(more) => now + more,
            Self::Times(times) => now * times,
        };
        got < wanted - super::table::SAME || got > self.of(now) + super::table::SAME
    }

    /// Returns the new weight, 0 to 1, in place of the weight `now`.
    #[must_use]
    pub fn of(self, now: f64) -> f64 {
        match self {
            Self::To(weight) => weight,
            Self::Add(more) => now + more,
            Self::Times(times) => now * times,
        }
        .clamp(0.0, 1.0)
    }
}

/// A new weight for one joint of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellEdit {
    /// The mesh of the vertex.
    pub mesh: MeshId,
    /// The number of its primitive in the mesh.
    pub primitive: usize,
    /// Its number in the primitive.
    pub vertex: u32,
    /// The joint whose weight is set.
    pub joint: NodeId,
    /// The new weight, or the change of the present one.
    pub amount: Amount,
}

/// The result of weights that were typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellOutcome {
    /// The new weights, for every primitive that has the vertices.
    pub changes: Vec<WeightChange>,
    /// Vertices that stay as they are, because their joints are locked, or no other joint can take what is left.
    pub unchanged: usize,
    /// Vertices that change, but get another weight than was asked for: the other joints have no more to give, or are locked.
    pub unmet: usize,
    /// Vertices that lose a joint, since they have no pair left for it.
    pub without_pair: usize,
}

/// The new amounts of the joints of each vertex of a primitive.
type PartEdits = BTreeMap<u32, Vec<(u32, Amount)>>;

/// Computes new weights for single cells. Where `follow` is set, the joints of a vertex that were not given a weight share what is
/// left of its sum in the proportions that they have; where too much was asked for, the given weights are scaled down to the sum.
/// Weights of `locked` joints stay. A vertex that has no free pair gives up its smallest one.
#[must_use]
pub fn set_cells(model: &Model, cells: &[CellEdit], follow: bool, locked: &BTreeSet<NodeId>) -> CellOutcome {
    let locked: BTreeSet<u32> = locked.iter().map(|node| node.0).collect();
    // Primitives that share their weights in the file stay alike: the first one stands for all of them.
    let mut by_part: BTreeMap<PrimitiveId, PartEdits> = BTreeMap::new();
    let mut sharing: BTreeMap<PrimitiveId, Vec<PrimitiveId>> = BTreeMap::new();
    for cell in cells {
        // The vertices of a primitive may be in another one.
        let holder = model.meshes.get(cell.mesh.index()).map(|mesh| mesh.holder(cell.primitive));
        let part = PrimitiveId::new(cell.mesh, holder.unwrap_or(cell.primitive));
        let all = sharing.entry(part).or_insert_with(|| sheet::sharing(model, part));
        let first = all.first().copied().unwrap_or(part);
        by_part.entry(first).or_default().entry(cell.vertex).or_default().push((cell.joint.0, cell.amount));
    }
    let mut out = CellOutcome::default();
    for (part, vertices) in by_part {
        let rows: Vec<u32> = vertices.keys().copied().collect();
        let Some(mut table) = sheet::rows(model, part, &rows) else { continue };
        let mut change = WeightChange::new(part.mesh, part.primitive, table.per_vertex);
        for (row, (vertex, given)) in vertices.iter().enumerate().take(table.vertices()) {
            match set_row(&mut table, row, given, follow, &locked) {
                RowOutcome::Same => {}
                RowOutcome::Unchanged => out.unchanged += 1,
                RowOutcome::Changed { is_unmet, has_lost } => {
                    (out.unmet, out.without_pair) =
                        (out.unmet + usize::from(is_unmet), out.without_pair + usize::from(has_lost));
                    let slots = table.slots(row);
                    let weights: Vec<f32> = table.weights[slots.clone()].iter().map(|w| *w as f32).collect();
                    change.push(*vertex, &table.joints[slots], &weights);
                }
            }
        }
        if !change.vertices.is_empty() {
            for PrimitiveId { mesh, primitive } in sheet::sharing(model, part) {
                out.changes.push(WeightChange { mesh, primitive, ..change.clone() });
            }
        }
    }
    out
}

fn set(sheet: &mut Sheet, settings: &Settings) {
    let Some(joint) = settings.joint else { return };
    let bounds: Bounds = sheet.bounds.clone();
    for (number, table) in sheet.tables.iter_mut().enumerate() {
        for row in (0..table.vertices()).filter(|row| bounds.has(number, *row)) {
            let given = [(joint.0, settings.amount)];
            let at = TableRow { table: number, row };
            if let RowOutcome::Changed { is_unmet, has_lost } =
                set_row(table, row, &given, settings.follow, &bounds.locked)
            {
                sheet.lacks.room.extend(is_unmet.then_some(at));
                sheet.lacks.pairs.extend(has_lost.then_some(at));
            }
        }
    }
}

/// The result for one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowOutcome {
    Changed {
        /// A joint has another weight than was asked for: nothing else has weight left to give, or that is locked.
        is_unmet: bool,
        /// It has lost a joint, since no pair is left for it.
        has_lost: bool,
    },
    /// It has these weights already, or its skin does not have the joints.
    Same,
    /// The cell cannot have this weight, and keeps its own.
    Unchanged,
}

/// Gives some joints of a vertex, by their keys, new weights.
fn set_row(table: &mut Table, row: usize, given: &[(u32, Amount)], follow: bool, locked: &BTreeSet<u32>) -> RowOutcome {
    let mut own = Vec::new();
    table.shares(row, &mut own);
    let now = |key: u32| own.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, weight)| *weight);
    let mut targets: BTreeMap<u32, f64> = BTreeMap::new();
    let mut is_locked = false;
    for (key, amount) in given.iter().filter(|(key, _)| table.keys.contains(key)) {
        if locked.contains(key) {
            is_locked |= (amount.of(now(*key)) - now(*key)).abs() > SAME;
        } else {
            targets.insert(*key, amount.of(now(*key)));
        }
    }
    if targets.iter().all(|(key, target)| (target - now(*key)).abs() <= SAME) {
        return if is_locked { RowOutcome::Unchanged } else { RowOutcome::Same };
    }
    let fixed: Vec<(u32, f64)> = own.iter().copied().filter(|(key, _)| locked.contains(key)).collect();
    let mut free: Vec<(u32, f64)> = own.iter().copied().filter(|(key, _)| !locked.contains(key)).collect();
    free.retain(|(key, _)| !targets.contains_key(key));
    let pairs = fixed.len() + targets.values().filter(|target| **target > 0.0).count();
    if pairs > table.per_vertex {
        return RowOutcome::Unchanged;
    }
    free.sort_by(|a, b| b.1.total_cmp(&a.1));
    let has_lost = free.len() > table.per_vertex - pairs;
    free.truncate(table.per_vertex - pairs);
    if follow {
        let sum: f64 = own.iter().map(|(_, weight)| *weight).sum();
        let whole = if sum > 0.0 { sum } else { 1.0 };
        let room = (whole - fixed.iter().map(|(_, weight)| *weight).sum::<f64>()).max(0.0);
        let (wanted, rest): (f64, f64) = (targets.values().sum(), free.iter().map(|(_, weight)| *weight).sum());
        if wanted > room || rest <= 0.0 {
            // Nothing else can take what one joint gives up.
            let is_short = wanted < room - SAME;
            if is_short && (targets.len() < 2 || wanted <= 0.0) {
                return RowOutcome::Unchanged;
            }
            let factor = if wanted > 0.0 { room / wanted } else { 0.0 };
            targets.values_mut().for_each(|target| *target *= factor);
            free.clear();
        } else {
            let factor = (room - wanted) / rest;
            free.iter_mut().for_each(|(_, weight)| *weight *= factor);
        }
    }
    let mut new: BTreeMap<u32, f64> = fixed.into_iter().chain(free).chain(targets).collect();
    new.retain(|_, weight| *weight > 0.0);
    if new.len() == own.len()
        && own.iter().all(|(key, weight)| new.get(key).is_some_and(|n| (n - weight).abs() <= SAME))
    {
        return RowOutcome::Unchanged;
    }
    let got = |key: &u32| new.get(key).copied().unwrap_or_default();
    let known = given.iter().filter(|(key, _)| table.keys.contains(key));
    let is_unmet = known.into_iter().any(|(key, amount)| amount.is_unmet(now(*key), got(key)));
    write(table, row, new);
    RowOutcome::Changed { is_unmet, has_lost }
}

/// Writes the weights of a vertex, of which each joint has one pair; joints that it had stay in their pairs.
fn write(table: &mut Table, row: usize, mut new: BTreeMap<u32, f64>) {
    let mut empty = Vec::new();
    for slot in table.slots(row) {
        let existing = (clean(table.weights[slot]) > 0.0).then(|| new.remove(&table.key(table.joints[slot]))).flatten();
        match existing {
            Some(weight) => table.weights[slot] = weight,
            None => {
                table.empty(row, slot);
                empty.push(slot);
            }
        }
    }
    for ((key, weight), slot) in new.into_iter().zip(empty) {
        if let Some(joint) = table.joint_of(key) {
            (table.joints[slot], table.weights[slot]) = (joint, weight);
        }
    }
    table.touched[row] = true;
}

#[cfg(test)]
mod tests {
    use skinscope_model::shapes::{Tube, tube};

    use super::*;

    #[test]
    fn weights_are_read_as_they_are_typed() {
        let read = |text| Amount::parse(text);
        assert_eq!(read(" 0.3"), Some(Amount::To(0.3)));
        assert_eq!((read("30 %"), read("0,5")), (Some(Amount::To(0.3)), Some(Amount::To(0.5))));
        assert_eq!((read("+0.1"), read("-0.25")), (Some(Amount::Add(0.1)), Some(Amount::Add(-0.25))));
        assert_eq!((read("1"), read("100%")), (Some(Amount::To(1.0)), Some(Amount::To(1.0))));
        assert_eq!((read("*2"), read("* 50%")), (Some(Amount::Times(2.0)), Some(Amount::Times(0.5))));
        for text in ["", "x", "nan", "+-1", "inf", "1e999", "+", "%", "Hips", "1.5", "101%", "2"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    fn typed(cells: &[(u32, &str)], follow: bool, locked: &[u32]) -> Option<Vec<(u32, f64)>> {
        let mut table = Table {
            per_vertex: 4,
            joints: vec![0, 1, 2, 0],
            weights: vec![0.5, 0.3, 0.2, 0.0],
            formats: vec![skinscope_model::WeightFormat::F32],
            keys: vec![10, 11, 12, 13, 14],
            touched: vec![false],
            ..Table::default()
        };
        let given: Vec<_> = cells.iter().map(|(key, text)| (*key, Amount::parse(text).unwrap())).collect();
        let done = set_row(&mut table, 0, &given, follow, &locked.iter().copied().collect());
        let mut shares = Vec::new();
        table.shares(0, &mut shares);
        shares.sort_by_key(|(key, _)| *key);
        let is_changed = matches!(done, RowOutcome::Changed { .. });
        assert_eq!(table.touched[0], is_changed);
        is_changed.then_some(shares)
    }

    #[track_caller]
    fn same(a: Option<Vec<(u32, f64)>>, b: &[(u32, f64)]) {
        let a = a.unwrap();
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12), "{a:?}");
    }

    #[test]
    fn the_others_follow_and_locked_ones_stay() {
        same(typed(&[(10, "0.75")], true, &[]), &[(10, 0.75), (11, 0.15), (12, 0.1)]);
        same(typed(&[(11, "+0.1")], true, &[]), &[(10, 3.0 / 7.0), (11, 0.4), (12, 1.2 / 7.0)]);
        same(typed(&[(12, "*2")], true, &[10]), &[(10, 0.5), (11, 0.1), (12, 0.4)]);
        // No more than the locked ones leave.
        same(typed(&[(12, "0.9")], true, &[10]), &[(10, 0.5), (12, 0.5)]);
        same(typed(&[(13, "0.4")], true, &[]), &[(10, 0.3), (11, 0.18), (12, 0.12), (13, 0.4)]);
        same(typed(&[(11, "0")], true, &[]), &[(10, 5.0 / 7.0), (12, 2.0 / 7.0)]);
        same(typed(&[(11, "0.1")], false, &[]), &[(10, 0.5), (11, 0.1), (12, 0.2)]);
        assert_eq!(typed(&[(10, "0.9")], true, &[10]), None);
        assert_eq!(typed(&[(10, "0.2")], true, &[11, 12]), None, "nobody can take the rest");
        assert_eq!(typed(&[(10, "0.5")], true, &[]), None, "it has that weight");
        assert_eq!(typed(&[(99, "0.5")], true, &[]), None, "its skin has no such joint");
    }

    #[test]
    fn several_cells_of_a_vertex_are_given_at_once() {
        same(typed(&[(10, "0.2"), (11, "0.2")], true, &[]), &[(10, 0.2), (11, 0.2), (12, 0.6)]);
        same(typed(&[(10, "0.2"), (11, "0.2"), (12, "0.4")], true, &[]), &[(10, 0.25), (11, 0.25), (12, 0.5)]);
        same(typed(&[(10, "0.8"), (13, "0.8")], true, &[]), &[(10, 0.5), (13, 0.5)]);
        // Where there is no pair left the smallest joint gives its own.
        same(typed(&[(13, "0.1"), (14, "0.1")], true, &[]), &[(10, 0.5), (11, 0.3), (13, 0.1), (14, 0.1)]);
    }

    #[test]
    fn cells_of_a_model_change_those_vertices_alone() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let cell = |vertex, joint, text| CellEdit {
            mesh: MeshId(0),
            primitive: 0,
            vertex,
            joint: model.skins[0].joints[joint],
            amount: Amount::parse(text).unwrap(),
        };
        let none = BTreeSet::new();
        let out = set_cells(&model, &[cell(4, 11, "0.25"), cell(9, 11, "1")], true, &none);
        assert_eq!((out.unchanged, out.changes.len(), &out.changes[0].vertices), (0, 1, &vec![4, 9]));
        let edited = model.with_weights(&out.changes).unwrap();
        let weight = |vertex: usize, joint: u16| {
            let (joints, weights) = edited.influences(MeshId(0), 0).unwrap().of(vertex);
            joints.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>()
        };
        assert!((weight(4, 11) - 0.25).abs() < 1e-6 && (weight(9, 11) - 1.0).abs() < 1e-6);
        let sum: f32 = (0..12).map(|joint| weight(4, joint)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        let locked = BTreeSet::from([model.skins[0].joints[11]]);
        assert_eq!(
            set_cells(&model, &[cell(4, 11, "0.25")], true, &locked),
            CellOutcome { unchanged: 1, ..Default::default() }
        );
        assert_eq!(set_cells(&model, &[cell(99_999, 11, "0.25")], true, &none), CellOutcome::default());
    }
}
