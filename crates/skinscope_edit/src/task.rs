//! Carries an operation out on a copy of a model's weights, to tell what it would change before it is done.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_inspect::{PerVertex, VertexSet, rogue_values, symmetry};
use skinscope_model::{BindChange, BindingChange, MeshId, Model, NodeId, PrimitiveId, SkinningChange, WeightChange};

use super::{
    Baked, BoundSkin, Mirroring, Operation, Partly, Refusal, Settings, Sheet, SolvedExamples, TableRow, Transferred,
    apply, binds, check, check_applied, make_room, rogues, value,
};
use crate::bind::limit_to_meshes;
use skinscope_weights::{Table, clean};

/// An operation with everything that it needs except the weights.
#[derive(Clone, Debug)]
pub struct Task {
    /// The operation.
    pub operation: &'static Operation,
    /// The settings of the operation.
    pub settings: Settings,
    /// The vertices that may change; `None` where all may.
    pub within: Option<Arc<VertexSet>>,
    /// The joints whose weights stay.
    pub locked: Arc<BTreeSet<NodeId>>,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.operation, other.operation)
            && self.settings == other.settings
            && self.within == other.within
            && self.locked == other.locked
    }
}

/// The weights of some vertices in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The number of vertices.
    pub vertices: usize,
    /// The sum of their numbers of joints.
    pub influences: usize,
    /// The most joints that one of them has.
    pub most: usize,
    /// The number of vertices whose weights do not sum to one, without those that have none.
    pub off: usize,
    /// The number of vertices without any weight.
    pub none: usize,
}

/// The effect that an operation would have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The new weights of the vertices that would change, for every primitive that has them.
    pub changes: Vec<WeightChange>,
    /// The inverse bind matrices that would change.
    pub binds: Vec<BindChange>,
    /// How many vertices would change. Those of primitives that share their weights count once.
    pub vertices: usize,
    /// The largest change of a joint's weight.
    pub largest: f64,
    /// How many vertices would stay as they are because their locked joints leave nothing to change.
    pub unchanged: usize,
    /// How many others would stay although something else is asked for: [`super::Applied::stuck`].
    pub stuck: usize,
    /// How many others would get only a part of what is asked for.
    pub partly: Partly,
    /// The figures of the vertices that the operation may change, before and after it.
    pub figures: [Figures; 2],
    /// For each rule of the checker whose findings the operation repairs, its id, and in how many of those vertices (or
    /// joints, for a rule about joints) it finds a fault before and after.
    pub found: Vec<(&'static str, [usize; 2])>,
    /// How far away the surface is whose weights are taken.
    pub transferred: Option<Transferred>,
    /// The planes across which weights are mirrored, the pairs of joints, and what stays.
    pub mirrored: Option<Mirroring>,
    /// How far the surface is from each example before and after, where weights were found from some.
    pub solved: Option<SolvedExamples>,
    /// The skins whose weights were found.
    pub bound: Vec<BoundSkin>,
    /// What baking a method into the weights would reach.
    pub baked: Option<Arc<Baked>>,
    /// The skins that meshes without one would gain; then no other weights change.
    pub gained: Option<Arc<BindingChange>>,
    /// The differences of all vertices from their mirror images as they would be then ([`symmetry::differences`]); `None`
    /// where nothing changes.
    pub asymmetry: Option<PerVertex>,
    /// The weights of rogue vertices as they would be then ([`rogue_values`]); `None` where nothing changes.
    pub rogue: Option<PerVertex>,
    /// Why the operation cannot be done; then nothing would change.
    pub refused: Option<Refusal>,
}

impl Outcome {
    /// Returns whether nothing would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.binds.is_empty() && self.gained.is_none()
    }

    /// Returns the weights and matrices that would change, as one change that can be applied.
    #[must_use]
    pub fn change(&self) -> SkinningChange {
        SkinningChange { weights: self.changes.clone(), binds: self.binds.clone() }
    }
}

/// The shares of the work on a task that is done when its operation begins and when that ends.
const RUN: [f32; 2] = [0.2, 0.8];

/// Returns what a task that binds does while this share of it is done, 0…1.
#[must_use]
pub fn stage_of_binding(fraction: f32) -> &'static str {
    skinscope_bind::stage((fraction - RUN[0]) / (RUN[1] - RUN[0]))
}

/// Computes what an operation would do to the weights and matrices that a model has now; `None` where that was cancelled.
#[must_use]
pub fn compute_outcome(model: &Model, task: &Task, context: &JobContext) -> Option<Outcome> {
    let mut sheet = Sheet::of(model);
    sheet.context = context.clone();
    sheet.bounds.locked = task.locked.iter().map(|node| node.0).collect();
    if let Some(within) = &task.within {
        sheet.limit_to(within);
    }
    if task.operation.finds_weights() {
        limit_to_meshes(&mut sheet, &task.settings);
    }
    let mut out = Outcome::default();
    make_room(task.operation, &mut sheet, &task.settings);
    let before = sheet.tables.clone();
    if let Err(refusal) = check(task.operation, &sheet, &task.settings) {
        out.figures = figures(&sheet, &before);
        out.mirrored = task.operation.report_refused.map(|report| report(&sheet, &task.settings));
        out.refused = Some(refusal);
        context.set_fraction(1.0);
        return (!context.is_cancelled()).then_some(out);
    }
    let rules = task.operation.rules(&task.settings);
    let before_found = count_found(&sheet, rules);
    context.set_fraction(RUN[0]);
    if context.is_cancelled() {
        return None;
    }
    let applied = apply(task.operation, &mut sheet, &task.settings);
    (out.unchanged, out.stuck, out.partly) = (applied.unchanged, applied.stuck, applied.partly);
    context.set_fraction(RUN[1]);
    if context.is_cancelled() {
        return None;
    }
    out.figures = figures(&sheet, &before);
    if let Err(refusal) = check_applied(task.operation, &sheet, &task.settings, &applied) {
        out.figures[1] = out.figures[0];
        out.refused = Some(refusal);
        context.set_fraction(1.0);
        return Some(out);
    }
    out.transferred = sheet.transferred.take();
    out.mirrored = sheet.mirroring.take();
    out.solved = sheet.solved.take();
    out.bound = std::mem::take(&mut sheet.bound);
    out.baked = sheet.baked.take().map(Arc::new);
    out.gained = sheet.gained.take().map(Arc::new);
    out.binds = binds::changes(&sheet);
    let rounds = task.operation.rounds;
    let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && sheet.tables[a].has_same(&sheet.tables[b]);
    for (number, (old, new)) in before.iter().zip(&sheet.tables).enumerate() {
        let counted = out.vertices;
        changes(old, new, rounds, &|row| sheet.bounds.has(number, row), &mut out);
        if sheet.is_counted_before(number, &is_same) {
            out.vertices = counted;
        }
    }
    if out.gained.is_some() {
        out.vertices = out.bound.iter().map(|skin| skin.vertices).sum();
    }
    if let Some(changed) = Some(&out)
        .filter(|out| !out.is_empty() && out.gained.is_none())
        .and_then(|out| model.with_skinning(&out.change()).ok())
    {
        out.asymmetry = Some(symmetry::differences(&changed, context.cancel_flag()));
        out.rogue = Some(rogue_values(&changed, context.cancel_flag()));
    }
    let after_found = count_found(&sheet, rules);
    out.found = rules.iter().zip(before_found.into_iter().zip(after_found)).map(|(r, (a, b))| (*r, [a, b])).collect();
    context.set_fraction(1.0);
    (!context.is_cancelled()).then_some(out)
}

/// Returns for each rule the number of vertices that may change in which it finds a fault.
fn count_found(sheet: &Sheet, rules: &[&'static str]) -> Vec<usize> {
    let of = |rule: &&'static str| {
        let mut rows: BTreeSet<(usize, u32)> = BTreeSet::new();
        let mut joints = BTreeSet::new();
        for finding in rogues::found(sheet, rule) {
            let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else {
                joints.extend(finding.joints);
                continue;
            };
            let Some(table) = sheet.table_of(PrimitiveId { mesh, primitive }) else { continue };
            let inside = finding.vertices.iter().filter(|v| sheet.bounds.has(table, **v as usize));
            rows.extend(inside.map(|v| (table, *v)));
        }
        rows.len() + joints.len()
    };
    rules.iter().map(of).collect()
}

/// Returns the figures of the vertices that may change, as they were `before` and as they are. What is stored at one location counts once
/// where it was and is the same for every skin.
fn figures(sheet: &Sheet, before: &[Table]) -> [Figures; 2] {
    let is_open = |table: usize| move |row: &usize| sheet.bounds.has(table, *row);
    let rows = sheet.tables.iter().enumerate();
    let rows = rows
        .flat_map(|(n, table)| (0..table.vertices()).filter(is_open(n)).map(move |row| TableRow { table: n, row }))
        .collect();
    let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && sheet.tables[a].has_same(&sheet.tables[b]);
    let mut out = [Figures::default(); 2];
    let mut shares = Vec::new();
    for TableRow { table, row } in sheet.once(&rows, &is_same) {
        for (out, table) in out.iter_mut().zip([&before[table], &sheet.tables[table]]) {
            table.shares(row, &mut shares);
            out.vertices += 1;
            out.influences += shares.len();
            out.most = out.most.max(shares.len());
            out.none += usize::from(shares.is_empty());
            out.off += usize::from(!shares.is_empty() && !table.is_normal(row));
        }
    }
    out
}

/// Adds the vertices of a table whose weights differ to `out`. With `rounds` weights are compared as they would be
/// stored.
pub(super) fn changes(old: &Table, new: &Table, rounds: bool, open: &dyn Fn(usize) -> bool, out: &mut Outcome) {
    let stored = rounds.then(|| new.stored());
    let weight = |slot: usize| match &stored {
        Some(stored) => value(stored.numbers[slot], new.formats[slot % new.per_vertex / 4]) as f32,
        None => clean(new.weights[slot]) as f32,
    };
    let mut change = WeightChange::new(MeshId(0), 0, new.per_vertex);
    let (mut own, mut wanted) = (Vec::new(), Vec::new());
    for row in 0..new.vertices() {
        if rounds && !open(row) {
            continue;
        }
        let is_rounded = stored.is_some()
            && new.slots(row).any(|slot| f64::from(weight(slot)) != f64::from(old.weights[slot] as f32));
        if new.has_same_pairs(row, old) && !is_rounded {
            continue;
        }
        let joints: Vec<u16> =
            new.slots(row).map(|slot| if weight(slot) > 0.0 { new.shown_joint(slot) } else { 0 }).collect();
        let weights: Vec<f32> = new.slots(row).map(weight).collect();
        old.shares(row, &mut own);
        wanted.clear();
        for (joint, weight) in joints.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            wanted.push((new.key(*joint), f64::from(*weight)));
        }
        let sum = |list: &[(u32, f64)], key| list.iter().filter(|(k, _)| *k == key).map(|(_, w)| *w).sum::<f64>();
        for (key, _) in own.iter().chain(&wanted) {
            out.largest = out.largest.max((sum(&own, *key) - sum(&wanted, *key)).abs());
        }
        change.push(row as u32, &joints, &weights);
    }
    if change.vertices.is_empty() {
        return;
    }
    out.vertices += change.vertices.len();
    for PrimitiveId { mesh, primitive } in new.primitives.iter().copied() {
        out.changes.push(WeightChange { mesh, primitive, ..change.clone() });
    }
}
