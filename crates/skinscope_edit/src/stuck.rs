//! Vertices at which an operation cannot do what is asked of it, and why: another joint would have to take what one gives
//! up, and there is none, or it is locked.

use std::collections::BTreeSet;

use skinscope_base::words::counted;

use skinscope_weights::{Partly, Table, TableRow};

use super::partly::explain_partly;
use super::{Applied, Operation, Refusal, Settings, Sheet, Stays};

/// Returns the vertices that have not got what was asked for and are as they were `before`: they keep a joint that was to be removed or
/// replaced, or another weight than the one that was set.
pub(super) fn rows(operation: &Operation, sheet: &Sheet, before: &[Table], settings: &Settings) -> BTreeSet<TableRow> {
    let mut stuck = BTreeSet::new();
    let (Some(stays), Some(joint)) = (operation.stays, settings.joint.map(|node| node.0)) else { return stuck };
    let weight = |table: &Table, row: usize| {
        let mut shares = Vec::new();
        table.shares(row, &mut shares);
        shares.iter().filter(|(key, _)| *key == joint).map(|(_, weight)| *weight).sum::<f64>()
    };
    for (number, (table, old)) in sheet.tables.iter().zip(before).enumerate() {
        if !table.keys.contains(&joint) {
            continue;
        }
        let is_stuck = |row: &usize| {
            let stays_so = sheet.bounds.has(number, *row) && table.has_same_pairs(*row, old);
            stays_so && !(stays.is_as_asked)(weight(table, *row), settings)
        };
        stuck.extend((0..table.vertices()).filter(is_stuck).map(|row| TableRow { table: number, row }));
    }
    stuck
}

/// Returns why an operation that was carried out on a sheet has done nothing, where that is since it cannot be done.
///
/// # Errors
/// No vertex has changed, and at least one should have.
pub fn check_applied(
    operation: &Operation,
    sheet: &Sheet,
    settings: &Settings,
    applied: &Applied,
) -> Result<(), Refusal> {
    if let Some(why) = &sheet.not_done {
        return Err(why.clone());
    }
    if sheet.transferred.as_ref().is_some_and(|report| report.vertices > 0 && report.unmatched == report.vertices) {
        return Err(Refusal::NoneThere);
    }
    let is_undone = applied.vertices == 0 && applied.unchanged + applied.stuck > 0;
    let asked = operation.stays.zip(settings.joint).filter(|_| is_undone);
    let Some((stays, joint)) = asked else { return Ok(()) };
    let name = sheet.model.skeleton.names.get(joint.index()).cloned().unwrap_or_default();
    let is_locked = sheet.bounds.locked.contains(&joint.0);
    Err(if is_locked { Refusal::Locked(name) } else { (stays.refusal)(name) })
}

/// Returns a sentence, without its full stop, for each number of vertices that stay as they are: `unchanged` is
/// [`Applied::unchanged`], `stuck` is [`Applied::stuck`]; and for those that got only a part of what was asked for ([`Applied::partly`]).
#[must_use]
pub fn explain_unchanged(operation: &Operation, unchanged: usize, stuck: usize, partly: &Partly) -> Vec<String> {
    let stay = |number: usize, why: &str| {
        let vertices = counted(number, "vertex stays", "vertices stay");
        (number > 0)
            .then(|| format!("{vertices} as they are: {why}").replacen("stays as they are", "stays as it is", 1))
    };
    let nothing = operation.stays.map_or(Stays::WHY, |stays| stays.why);
    let whole = [stay(unchanged, "locked joints have all of the weight"), stay(stuck, nothing)];
    whole.into_iter().flatten().chain(explain_partly(operation, partly)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_base::parallel::JobContext;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Model, NodeId};

    use super::*;
    use crate::{Amount, Task, apply, compute_outcome, operation};

    /// A tube whose first joint alone moves the first half of the vertices, and shares the others with the second one.
    fn halves() -> Model {
        let mut parts = (*tube(Tube { joints: 2, ..Tube::default() })).clone();
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        let count = influences.joints.len() / influences.per_vertex;
        for vertex in 0..count {
            let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            let shared = if vertex * 2 < count { 0.0 } else { 0.25 };
            influences.joints[slots.clone()].fill(0);
            influences.weights[slots.clone()].fill(0.0);
            influences.joints[slots.start + 1] = 1;
            (influences.weights[slots.start], influences.weights[slots.start + 1]) = (1.0 - shared, shared);
        }
        Model::build(parts).unwrap()
    }

    /// What is refused, how many vertices change and how many are stuck.
    fn asked(model: &Model, id: &str, settings: &Settings, locked: &[NodeId]) -> (Option<Refusal>, usize, usize) {
        let operation = operation(id).unwrap();
        let mut sheet = Sheet::of(model);
        sheet.bounds.locked = locked.iter().map(|node| node.0).collect();
        let applied = apply(operation, &mut sheet, settings);
        let refused = check_applied(operation, &sheet, settings, &applied).err();
        let locked: BTreeSet<NodeId> = locked.iter().copied().collect();
        let task = Task { operation, settings: settings.clone(), within: None, locked: Arc::new(locked) };
        let outcome = compute_outcome(model, &task, &JobContext::of_waiting()).unwrap();
        assert_eq!((&outcome.refused, outcome.stuck), (&refused, applied.stuck), "the window and the command line");
        assert!(refused.is_none() || outcome.is_empty());
        (refused, applied.vertices, applied.stuck)
    }

    #[test]
    fn a_weight_that_no_vertex_can_have_is_refused() {
        let model = halves();
        let [first, second] = [0, 1].map(|joint| model.skins[0].joints[joint]);
        let name = |node: NodeId| model.skeleton.names[node.index()].clone();
        let all = model.meshes[0].primitives[0].stored_vertices;
        let to = |joint, weight| Settings { joint: Some(joint), amount: Amount::To(weight), ..Settings::default() };
        // Where only the first joint moves a vertex, nothing takes what it gives up.
        let (refused, changed, stuck) = asked(&model, "set", &to(first, 0.5), &[]);
        assert_eq!((refused, changed + stuck), (None, all));
        assert!(changed > 0 && stuck > 0, "{changed} {stuck}");
        let alone = asked(&model, "set", &to(first, 0.5), &[second]);
        assert_eq!(alone, (Some(Refusal::NoSuchWeight(name(first))), 0, all));
        let locked = asked(&model, "set", &to(first, 0.5), &[first]);
        assert_eq!(locked, (Some(Refusal::Locked(name(first))), 0, all));
        let (refused, changed, stuck) = asked(&model, "set", &to(second, 0.25), &[]);
        assert!(refused.is_none() && changed > 0 && changed < all && stuck == 0, "half of them have it already");
        let as_it_is = Settings { amount: Amount::Times(1.0), ..to(first, 0.0) };
        assert_eq!(asked(&model, "set", &as_it_is, &[]), (None, 0, 0), "nothing was asked for");
    }

    #[test]
    fn a_joint_that_nothing_can_replace_is_not_removed() {
        let model = halves();
        let [first, second] = [0, 1].map(|joint| model.skins[0].joints[joint]);
        let name = |node: NodeId| model.skeleton.names[node.index()].clone();
        let of = |joint| Settings { joint: Some(joint), ..Settings::default() };
        let all = model.meshes[0].primitives[0].stored_vertices;
        let (refused, changed, stuck) = asked(&model, "remove-joint", &of(first), &[]);
        assert!(refused.is_none() && changed > 0 && stuck > 0 && changed + stuck == all, "{changed} {stuck}");
        let nothing = asked(&model, "remove-joint", &of(first), &[second]);
        assert_eq!(nothing, (Some(Refusal::NoHeir(name(first))), 0, all / 2), "of the others the second keeps all");
        let (refused, changed, stuck) = asked(&model, "remove-joint", &of(second), &[]);
        assert!(refused.is_none() && changed > 0 && stuck == 0);
        let other = Settings { other: Some(first), ..of(second) };
        let (refused, changed, _) = asked(&model, "replace-joint", &other, &[second]);
        assert_eq!((refused, changed), (Some(Refusal::Locked(name(second))), 0));
    }

    #[test]
    fn it_is_said_which_vertices_stay() {
        let set = operation("set").unwrap();
        let texts = explain_unchanged(set, 2, 1, &Partly::default());
        assert!(texts[0].starts_with("2 vertices stay as they are: locked joints"), "{texts:?}");
        assert!(texts[1].starts_with("1 vertex stays as it is: no other joint"), "{texts:?}");
        assert!(explain_unchanged(set, 0, 0, &Partly::default()).is_empty());
    }
}
