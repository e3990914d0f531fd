//! What warms a place: the joints of the bones that it sees or lies nearest to.

/// The power of the ratio of distances by which bones take part.
const STEEPNESS: i32 = 600;
/// What that is at the largest ratio at which a bone takes part.
const AT_ALSO: f64 = 0.01;

/// What warms a place: the strength `c / d²`, 0 where no bone does, and the joints that share it. Their shares sum to 1.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The strength.
    pub strength: f64,
    /// The joint that is first among them, and its share.
    first: (u32, f64),
    /// The others, which hardly ever are, so that most sources take no memory of their own.
    others: Box<[(u32, f64)]>,
    /// Whether the place sees a bone. What sees none follows what it lies on.
    pub sees: bool,
}

impl Source {
    /// Makes a source from the distances of joints, each of which may come several times.
    pub fn of(distances: &[(f64, u32)], warmth: f64, sees: bool) -> Self {
        let best = distances.iter().map(|(distance, _)| *distance).fold(f64::INFINITY, f64::min);
        if !best.is_finite() {
            return Self::default();
        }
        let mut joints: Vec<(u32, f64)> = Vec::new();
        for (distance, joint) in distances {
            let share = ((best / distance).powi(STEEPNESS) - AT_ALSO) / (1.0 - AT_ALSO);
            match joints.iter_mut().find(|(other, _)| other == joint) {
                Some((_, before)) => *before = before.max(share),
                None => joints.push((*joint, share)),
            }
        }
        joints.retain(|(_, share)| *share > 0.0);
        let sum: f64 = joints.iter().map(|(_, share)| share).sum();
        joints.iter_mut().for_each(|(_, share)| *share /= sum);
        let Some((first, others)) = joints.split_first() else { return Self::default() };
        Self { strength: warmth / (best * best), first: *first, others: others.into(), sees }
    }

    /// Returns the joints with their shares; none where no bone warms the place.
    pub fn joints(&self) -> impl Iterator<Item = (u32, f64)> {
        let first = (self.strength > 0.0).then_some(self.first);
        first.into_iter().chain(self.others.iter().copied())
    }
}
