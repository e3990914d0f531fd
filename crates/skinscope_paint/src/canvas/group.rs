//! Several joints that are painted as one: a brush changes the sum of their weights, and each keeps its share of it.

use std::collections::BTreeSet;

use skinscope_weights::brush::{Asked, Painted, Task};
use skinscope_weights::{Effect, Shares, share_of};

/// Paints a row where the painted joint stands for others too. Locked ones keep their weights; what no joint of them has yet goes to the painted
/// one.
pub(super) fn paint_as_one(task: &Task<'_>, asked: &Asked<'_>, with: &BTreeSet<u32>) -> Painted {
    let is_other = |key: u32| with.contains(&key) && !task.locked.contains(&key) && key != asked.to;
    let is_one = |key: u32| key == asked.joint || is_other(key);
    if !asked.own.iter().any(|(key, _)| *key != asked.joint && is_other(*key)) {
        return task.paint(asked);
    }
    let mut members: Shares = asked.own.iter().copied().filter(|(key, _)| is_one(*key)).collect();
    let whole: f64 = members.iter().map(|(_, weight)| weight).sum();
    // Where there is not even room for all of them, the greatest stay.
    members.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    members.truncate(task.most.max(1));
    let kept: f64 = members.iter().map(|(_, weight)| weight).sum();
    let mut own: Shares = asked.own.iter().copied().filter(|(key, _)| !is_one(*key)).collect();
    own.push((asked.joint, whole));
    let most = task.most.saturating_sub(members.len() - 1).max(1);
    let Painted { effect, mut row } = Task { most, ..*task }.paint(&Asked { own: &own, ..*asked });
    if matches!(effect, Effect::Same | Effect::Stuck(_)) || kept <= 0.0 {
        return Painted { effect, row: asked.own.to_vec() };
    }
    let now = share_of(&row, asked.joint);
    row.retain(|(key, _)| *key != asked.joint);
    row.extend(members.iter().map(|(key, weight)| (*key, now * (weight / kept))).filter(|(_, weight)| *weight > 0.0));
    Painted { effect, row }
}

#[cfg(test)]
mod tests {
    use skinscope_weights::brush::{ADD, GIVE, SUBTRACT};
    use skinscope_weights::{Brush, difference};

    use super::*;

    fn painted(brush: &'static Brush, own: &[(u32, f64)], locked: &[u32], most: usize) -> Painted {
        let locked = locked.iter().copied().collect();
        let joints = [0, 1, 2, 3, 4, 5];
        let task = Task { brush, locked: &locked, normalise: true, most, is_integer: false, joints: &joints };
        let asked = Asked {
            own,
            toward: &[],
            strength: 0.2,
            joint: 1,
            to: if brush.id == "give" { 5 } else { u32::MAX },
            value: 0.0,
            factor: 1.0,
            floor: 0.0,
            ceiling: 1.0,
        };
        paint_as_one(&task, &asked, &BTreeSet::from([2, 3]))
    }

    #[test]
    fn the_sum_changes_and_each_keeps_its_share() {
        let own = [(1, 0.1), (2, 0.3), (4, 0.6)];
        let near = |done: &Painted, wanted: &[(u32, f64)]| assert!(difference(&done.row, wanted) < 1e-12, "{done:?}");
        near(&painted(&ADD, &own, &[], 4), &[(1, 0.15), (2, 0.45), (4, 0.4)]);
        near(&painted(&SUBTRACT, &own, &[], 4), &[(1, 0.05), (2, 0.15), (4, 0.8)]);
        near(&painted(&GIVE, &own, &[], 4), &[(1, 0.05), (2, 0.15), (4, 0.6), (5, 0.2)]);
        // What none of them has goes to the painted one, and a locked one keeps its own.
        near(&painted(&ADD, &[(4, 1.0)], &[], 4), &[(1, 0.2), (4, 0.8)]);
        near(&painted(&ADD, &own, &[2], 4), &[(1, 0.3), (2, 0.3), (4, 0.4)]);
        // They count one by one where there is no room for more.
        let full = [(2, 0.2), (3, 0.2), (4, 0.3), (5, 0.3)];
        let done = painted(&ADD, &full, &[], 3);
        assert!(done.row.len() == 3 && (share_of(&done.row, 2) - 0.3).abs() < 1e-12, "{done:?}");
        // What cannot change stays to the bit, in its order.
        let alone = [(3, 0.5), (1, 0.5)];
        let done = painted(&ADD, &alone, &[], 4);
        assert_eq!((done.effect, done.row), (Effect::Same, alone.to_vec()));
    }
}
