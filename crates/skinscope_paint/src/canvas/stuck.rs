//! What stands where a dab could change nothing: the joints there and around, for whoever says why and what can be done about it.

use std::collections::BTreeSet;

use skinscope_model::NodeId;
use skinscope_weights::{Shares, Stuck};

use super::rows::{Place, WeightedMean};
use super::{Brushing, Canvas};

/// How many rings of neighbours are looked at for joints that a place does not have.
const RINGS: usize = 8;

/// A place that stays as it is although something else was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StuckPlace {
    /// The joints that move it, the one with the greatest weight first.
    pub joints: Vec<NodeId>,
    /// The joints of the nearest places that have others which are not locked, the one with the greatest weight first.
    pub around: Vec<NodeId>,
}

impl Canvas {
    /// Returns the place where a stroke was strongest of those that stay for a reason; `None` where there is none.
    #[must_use]
    pub fn stuck_place(&self, brushing: &Brushing, why: Stuck) -> Option<StuckPlace> {
        let place = brushing.touched.strongest_stuck(why)?;
        let own = self.rows.of_place(&self.surfaces, place, &mut Shares::new()).to_vec();
        let around = self.others_around(brushing, place, &own);
        Some(StuckPlace { joints: by_weight(own), around: by_weight(around) })
    }

    /// Returns the mean weights of joints that are neither locked nor of a place itself, in the nearest ring of places around it that has some.
    fn others_around(&self, brushing: &Brushing, place: Place, own: &Shares) -> Shares {
        let surface = &self.surfaces[place.surface];
        let mut seen = BTreeSet::from([place.point]);
        let mut ring = vec![place.point];
        for _ in 0..RINGS {
            let next = ring.iter().flat_map(|point| surface.neighbours(*point)).copied();
            ring = next.filter(|point| seen.insert(*point)).collect::<Vec<u32>>();
            let (mut mean, mut space) = (WeightedMean::default(), Shares::new());
            for point in ring.iter().copied() {
                mean.add(self.rows.of_place(&self.surfaces, Place { point, ..place }, &mut space), 1.0);
            }
            let mut found = mean.finish();
            found.retain(|(key, _)| !brushing.locked.contains(key) && own.iter().all(|(other, _)| other != key));
            if !found.is_empty() {
                return found;
            }
        }
        Shares::new()
    }
}

/// Returns the joints of a row that have weight, the greatest first.
pub(super) fn by_weight(mut row: Shares) -> Vec<NodeId> {
    row.retain(|(_, weight)| *weight > 0.0);
    row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.into_iter().map(|(key, _)| NodeId(key)).collect()
}
