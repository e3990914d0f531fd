//! A change of weights that is carried to another model, as weights are transferred: each vertex takes what has changed at the closest point
//! of the other surface that faces as it does. What has not changed there stays as it is here.

use std::collections::{BTreeSet, HashMap};

use skinscope_base::parallel::JobContext;
use skinscope_model::Model;
use skinscope_weights::{Shares, Table, TableRow, difference, share_of, unit_shares};

use super::{Given, Missing, SAME, by_name, known, resting, turned_alike, with_lacking};
use crate::closest::Found;
use crate::{Sheet, matching, surface};

/// A change of weights that was carried to another model.
#[derive(Clone, Debug, Default)]
pub struct CarriedChange {
    /// The rows that get other weights, with these; they sum to one.
    pub rows: Vec<(TableRow, Shares)>,
    /// The names of the joints of the other model whose weights change and that have no counterpart here, in the order of that model.
    pub missing: Vec<String>,
    /// How many places stay as they are since no joint of what changes there has a counterpart.
    pub unmatched: usize,
}

/// Carries to a model what differs between the weights `before` and `after`, which are those of another model. Joints are matched as weights
/// are transferred; those that are locked, by their nodes, keep their weights. `context` hears of the progress; where it is cancelled, the result is
/// what was found so far.
#[must_use]
pub fn carry_change(
    model: &Model,
    [before, after]: [&Model; 2],
    locked: &BTreeSet<u32>,
    context: &JobContext,
) -> CarriedChange {
    let sheet = Sheet::of(model);
    let Some(given) = Given::of(before, context) else { return CarriedChange::default() };
    let after = Sheet::of(after);
    let own = turned_alike(model, before);
    let mapping = Default::default();
    let named = |table: &Table| with_lacking(model, before, &mapping, by_name(model, table, before, &mapping));
    let names: Vec<HashMap<u32, u32>> = sheet.tables.iter().map(named).collect();
    let (mut out, mut missing) = (CarriedChange::default(), Missing::default());
    let mut lost: BTreeSet<u32> = BTreeSet::new();
    let mut seen: BTreeSet<TableRow> = BTreeSet::new();
    let surfaces = surface::all_apart(model, &sheet.tables);
    for (number, surface) in surfaces.iter().enumerate() {
        if context.is_cancelled() {
            break;
        }
        let done = |number: usize| number as f32 / surfaces.len() as f32;
        let part = context.part(done(number), done(number + 1));
        part.set_fraction(0.0);
        let Some(first) = surface.parts.first() else { continue };
        let rest = resting(surface, own[first.primitive.mesh.index()]);
        let names = &names[first.table];
        let limb = |found: &Found| given.at(found).first().map(|(key, _)| given.limbs.limb(*key));
        let matches = matching::find(&rest, &given.source, &given.limbs, &limb, &part);
        for (welded, found) in (0..).zip(&matches.of).take_while(|_| !context.is_cancelled()) {
            let Some(found) = found else { continue };
            let (old, new) = (given.at(found), given.at_in(&after, found));
            if difference(&old, &new) <= SAME {
                continue;
            }
            let changes = |key: &u32| (share_of(&old, *key) - share_of(&new, *key)).abs() > SAME;
            let keys = old.iter().chain(&new).map(|(key, _)| *key);
            lost.extend(keys.filter(|key| !names.contains_key(key) && changes(key)));
            let [old, new] = [old, new].map(|shares| known(shares, names, &mut missing));
            if old.is_empty() || new.is_empty() {
                out.unmatched += 1;
                continue;
            }
            for vertex in surface.members(welded) {
                let at = surface.row(*vertex);
                if seen.insert(at) {
                    let row = unit_shares(&sheet.tables[at.table], at.row);
                    out.rows.extend(changed(&row, [&old, &new], locked).map(|row| (at, row)));
                }
            }
        }
    }
    let name = |node: &u32| before.skeleton.names.get(*node as usize).cloned();
    out.missing = lost.iter().filter_map(name).collect();
    out
}

/// Returns a row with what changes from one row to another; `None` where nothing does, or where nothing would be left of it.
fn changed(own: &[(u32, f64)], [old, new]: [&[(u32, f64)]; 2], locked: &BTreeSet<u32>) -> Option<Shares> {
    let mut out = Shares::new();
    for (key, _) in own.iter().chain(old).chain(new) {
        if out.iter().any(|(known, _)| known == key) {
            continue;
        }
        let change = if locked.contains(key) { 0.0 } else { share_of(new, *key) - share_of(old, *key) };
        out.push((*key, (share_of(own, *key) + change).max(0.0)));
    }
    let is_locked = |(key, _): &&(u32, f64)| locked.contains(key);
    let room = 1.0 - out.iter().filter(is_locked).map(|(_, weight)| weight).sum::<f64>();
    let sum = out.iter().filter(|pair| !is_locked(pair)).map(|(_, weight)| weight).sum::<f64>();
    if sum <= SAME || room <= 0.0 {
        return None;
    }
    for (key, weight) in &mut out {
        *weight *= if locked.contains(key) { 1.0 } else { room / sum };
    }
    out.retain(|(_, weight)| *weight > 0.0);
    (difference(own, &out) > SAME).then_some(out)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::Ordering;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

    use super::*;

    /// A tube whose first vertices are moved by its last joint alone.
    fn with_change(model: &Model, vertices: u32) -> Model {
        let last = model.skins[0].joints.len() as u16 - 1;
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        (0..vertices).for_each(|vertex| change.push(vertex, &[last], &[1.0]));
        model.with_weights(&[change]).unwrap()
    }

    fn carried(model: &Model, change: [&Model; 2]) -> CarriedChange {
        carry_change(model, change, &BTreeSet::new(), &JobContext::of_waiting())
    }

    #[test]
    fn what_changes_is_carried_to_the_vertices_at_the_same_places_alone() {
        let donor = tube(Tube { joints: 4, ..Tube::default() });
        let finer = tube(Tube { joints: 4, rings: 17, ..Tube::default() });
        let after = with_change(&donor, 40);
        let found = carried(&finer, [&donor, &after]);
        assert!(found.missing.is_empty() && found.unmatched == 0 && !found.rows.is_empty());
        let last = donor.skins[0].joints[3].0;
        let highest = (0..40).map(|v| donor.meshes[0].primitives[0].positions[v].y).fold(0.0, f32::max);
        let step = 2.0 / 8.0;
        for (at, row) in &found.rows {
            let height = finer.meshes[0].primitives[0].positions[at.row].y;
            assert!(height < highest + step, "nothing has changed at {height}");
            assert!((row.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(share_of(row, last) > 0.0);
        }
        assert!(carried(&finer, [&donor; 2]).rows.is_empty());
        assert!(carried(&finer, [&after; 2]).rows.is_empty());
    }

    #[test]
    fn who_cancels_does_not_wait_for_the_rest_of_a_mesh() {
        let donor = tube(Tube { joints: 4, ..Tube::default() });
        let context = JobContext::of_waiting();
        let cancel = || context.cancel_flag().store(true, Ordering::Relaxed);
        let given = Given::of(&donor, &context).unwrap();
        let sheet = Sheet::of(&donor);
        let surfaces = surface::all_apart(&donor, &sheet.tables);
        let rest = resting(&surfaces[0], turned_alike(&donor, &donor)[0]);
        let asked = Cell::new(0);
        let limb = |_: &Found| -> Option<u32> {
            asked.set(asked.get() + 1);
            cancel();
            None
        };
        matching::find(&rest, &given.source, &given.limbs, &limb, &context);
        assert_eq!(asked.get(), 1, "no other vertex was looked at");
        let found = matching::find(&rest, &given.source, &given.limbs, &limb, &context);
        assert!(found.closest.iter().chain(&found.of).all(Option::is_none) && asked.get() == 1);
        assert!(Given::of(&donor, &context).is_none());
    }

    #[test]
    fn joints_that_are_not_there_are_named_and_locked_ones_keep_their_weights() {
        let donor = tube(Tube { joints: 4, ..Tube::default() });
        let after = with_change(&donor, 40);
        let shorter = tube(Tube { joints: 3, ..Tube::default() });
        let found = carried(&shorter, [&donor, &after]);
        assert_eq!((found.missing.as_slice(), found.unmatched > 0), (&["joint 3".to_owned()][..], true));
        let first = donor.skins[0].joints[0].0;
        let locked = carry_change(&donor, [&donor, &after], &BTreeSet::from([first]), &JobContext::of_waiting());
        let sheet = Sheet::of(&donor);
        for (at, row) in &locked.rows {
            let before = unit_shares(&sheet.tables[at.table], at.row);
            assert_eq!(share_of(row, first).to_bits(), share_of(&before, first).to_bits());
        }
        assert!(!locked.rows.is_empty());
    }
}
