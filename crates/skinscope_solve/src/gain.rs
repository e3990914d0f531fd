//! How much of the way from linear blending to another method some weights go.

use skinscope_base::parallel::JobContext;
use skinscope_weights::Table;

use crate::example::{Deviation, Example};

/// What new weights have gained over old ones: how far each leaves the surface from where it should be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gain {
    /// Before.
    pub before: Deviation,
    /// After.
    pub after: Deviation,
    /// The gain of each joint with weight, by rising key. A vertex counts by the weight that the joint had of it before.
    pub joints: Vec<JointGain>,
}

/// What new weights have gained at the vertices of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGain {
    /// The key of the joint.
    pub key: u32,
    /// The root of the mean of the squares of the distances before, metres.
    pub before: f64,
    /// That after.
    pub after: f64,
}

/// Distances whose mean is less than this are rounding, metres: there is nothing to gain.
const NOTHING: f64 = 1e-7;

/// Returns the share of a distance that was gained, percent; negative where it has grown. `None` where there was nothing to gain.
fn percent(before: f64, after: f64) -> Option<f64> {
    (before > NOTHING).then(|| 100.0 * (1.0 - after / before))
}

impl JointGain {
    /// Returns the share of the distance that was gained, percent; `None` where there was nothing to gain.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        percent(self.before, self.after)
    }
}

impl Gain {
    /// Returns the share of the distance that was gained in all, percent; `None` where there was nothing to gain.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        percent(self.before.rms, self.after.rms)
    }

    /// Compares the weights of before and after over the examples of several primitives. Returns `None` where the job was cancelled.
    #[must_use]
    pub fn of<'a>(
        parts: impl Iterator<Item = (&'a [Example<'a>], &'a Table, &'a Table)>,
        context: &JobContext,
    ) -> Option<Self> {
        let (mut all, mut own) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        // By key: the sum of the weights, and of the squares before and after times the weight.
        let mut sums: Vec<(u32, [f64; 3])> = Vec::new();
        let mut shares = Vec::new();
        for (examples, before, after) in parts {
            for example in examples {
                if context.is_cancelled() {
                    return None;
                }
                for (list, table) in own.iter_mut().zip([before, after]) {
                    list.clear();
                    example.distances(table, list);
                }
                let [was, is] = &own;
                for (vertex, (was, is)) in was.iter().zip(is).enumerate() {
                    before.shares(vertex, &mut shares);
                    for (key, weight) in &shares {
                        let more = [*weight, weight * was * was, weight * is * is];
                        let at = sums.binary_search_by_key(key, |(key, _)| *key).unwrap_or_else(|at| {
                            sums.insert(at, (*key, [0.0; 3]));
                            at
                        });
                        sums[at].1.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                    }
                }
                all.iter_mut().zip(&own).for_each(|(all, own)| all.extend_from_slice(own));
            }
        }
        let [mut before, mut after] = all;
        let root = |squares: f64, weight: f64| (squares / weight).sqrt();
        let joint = |(key, [weight, was, is]): (u32, [f64; 3])| JointGain {
            key,
            before: root(was, weight),
            after: root(is, weight),
        };
        let joints = sums.into_iter().map(joint).collect();
        Some(Self { before: Deviation::of(&mut before), after: Deviation::of(&mut after), joints })
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, NodeId};

    use super::*;
    use crate::Posed;
    use crate::tests::table_of;

    #[test]
    fn half_of_the_way_is_half_of_the_gain() {
        let model = tube(Tube::default());
        let mut pose = model.skeleton.rest.clone();
        skinscope_anim::pose::rotate(&mut pose, NodeId(2), glam::Vec3::X * 60.0);
        let motion = Posed::new(&model, &pose).motion(InstanceId::from_index(0), 0).unwrap();
        // All weight is to go to joint 1, which one table has done for half, the other in full.
        let before = table_of(&model);
        let targets: Vec<glam::DVec3> = (0..motion.vertices()).map(|vertex| motion.ghost(1, vertex)).collect();
        let examples = [Example::new(motion, &targets)];
        let moved = |share: f64| {
            let mut table = before.clone();
            for row in 0..table.vertices() {
                let mut shares = Vec::new();
                before.shares(row, &mut shares);
                shares = skinscope_weights::blend(&shares, &[(2, 1.0)], share);
                table.put(row, &shares);
            }
            table
        };
        for share in [0.0, 0.5, 1.0] {
            let after = moved(share);
            let parts = [(&examples[..], &before, &after)];
            let gain = Gain::of(parts.into_iter(), &JobContext::of_waiting()).unwrap();
            assert!((gain.percent().unwrap() - 100.0 * share).abs() < 1e-3, "{:?}", gain.percent());
            let keys: Vec<u32> = gain.joints.iter().map(|joint| joint.key).collect();
            assert!(keys == [1, 2] && gain.joints.iter().all(|j| (j.percent().unwrap() - 100.0 * share).abs() < 1e-3));
        }
        assert_eq!(Gain::default().percent(), None);
    }
}
