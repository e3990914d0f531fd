//! How much of the way from linear blending to another method some weights go.

use std::collections::BTreeMap;

use skinscope_base::parallel::JobContext;
use skinscope_model::PrimitiveId;
use skinscope_weights::Table;

use crate::example::{Deviation, Example};
use crate::meshes::table_of;
use crate::spread::Spread;
use crate::whole::PrimitiveExamples;

/// What new weights have gained over old ones: how far each leaves the surface from where it should be. The distances that 95 of 100 do not
/// exceed are rounded to single precision.
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
}

/// How far the weights of a primitive leave each of its vertices from where examples have it, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOver {
    /// The primitive.
    pub primitive: PrimitiveId,
    /// The root of the mean of the squares over the examples, by vertex of the file.
    pub rms: Vec<f32>,
    /// The largest distance in any example.
    pub largest: Vec<f32>,
}

/// Compares weights of before and after over examples of several primitives: returns what was gained, and what the weights of after leave of
/// the way, of each primitive that has an example. Each vertex has sums over its examples, and no list of all distances is kept. Returns `None`
/// where the job was cancelled.
#[must_use]
pub fn gained(
    examples: &[PrimitiveExamples],
    [before, after]: [&[Table]; 2],
    context: &JobContext,
) -> Option<(Gain, Vec<LeftOver>)> {
    let compared = examples.iter().filter_map(|(primitive, examples)| {
        let tables = [table_of(before, *primitive)?, table_of(after, *primitive)?];
        (!examples.is_empty()).then_some(Compared { primitive: *primitive, examples, tables })
    });
    let compared: Vec<Compared> = compared.collect();
    let mut spreads = [Spread::default(), Spread::default()];
    let (mut joints, mut left) = (BTreeMap::new(), Vec::new());
    for part in &compared {
        let sums = part.sums(&mut spreads, context)?;
        part.add_joints(&sums, &mut joints);
        left.push(part.left(&sums));
    }
    spreads.iter_mut().for_each(Spread::find_rank);
    for part in &compared {
        part.each(context, &mut |own| {
            spreads.iter_mut().zip(own).for_each(|(spread, own)| own.iter().for_each(|one| spread.add_again(*one)));
        })?;
    }
    let [before, after] = spreads.map(|spread| spread.deviation());
    let root = |squares: f64, weight: f64| (squares / weight).sqrt();
    let joint = |(key, [weight, was, is]): (u32, [f64; 3])| JointGain {
        key,
        before: root(was, weight),
        after: root(is, weight),
    };
    Some((Gain { before, after, joints: joints.into_iter().map(joint).collect() }, left))
}

/// A primitive with examples, and its weights of before and after.
struct Compared<'a> {
    primitive: PrimitiveId,
    examples: &'a [Example<'a>],
    tables: [&'a Table; 2],
}

/// What is summed up of a vertex over all examples.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The squares of the distances before and after.
    squares: [f64; 2],
    /// The largest distance after.
    largest: f64,
}

impl Compared<'_> {
    /// Calls `each` with the distances of all vertices before and after, for one example after the other. What is no number counts as
    /// infinitely far. Returns `None` where the job was cancelled.
    fn each(&self, context: &JobContext, each: &mut dyn FnMut(&[Vec<f64>; 2])) -> Option<()> {
        let mut own = [Vec::new(), Vec::new()];
        for example in self.examples {
            if context.is_cancelled() {
                return None;
            }
            for (list, table) in own.iter_mut().zip(self.tables) {
                list.clear();
                example.distances(table, list);
                list.iter_mut().filter(|distance| distance.is_nan()).for_each(|distance| *distance = f64::INFINITY);
            }
            each(&own);
        }
        Some(())
    }

    /// Sums up the distances of each vertex over the examples, and adds all of them to those of the whole.
    fn sums(&self, spreads: &mut [Spread; 2], context: &JobContext) -> Option<Vec<Sums>> {
        let mut out: Vec<Sums> = Vec::new();
        self.each(context, &mut |own| {
            out.resize(own[0].len(), Sums::default());
            for (side, (spread, own)) in spreads.iter_mut().zip(own).enumerate() {
                for (sums, distance) in out.iter_mut().zip(own) {
                    spread.add(*distance);
                    sums.squares[side] += distance * distance;
                }
            }
            out.iter_mut().zip(&own[1]).for_each(|(sums, distance)| sums.largest = sums.largest.max(*distance));
        })?;
        Some(out)
    }

    /// Adds the sums of vertices to those of their joints: by key the weights, and the squares before and after times the weight.
    fn add_joints(&self, sums: &[Sums], joints: &mut BTreeMap<u32, [f64; 3]>) {
        let count = self.examples.len() as f64;
        let mut shares = Vec::new();
        for (vertex, Sums { squares: [was, is], .. }) in sums.iter().enumerate() {
            self.tables[0].shares(vertex, &mut shares);
            for (key, weight) in &shares {
                let of_joint = joints.entry(*key).or_default();
                let more = [weight * count, weight * was, weight * is];
                of_joint.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
    }

    /// Returns how far each vertex stays from where it should be.
    fn left(&self, sums: &[Sums]) -> LeftOver {
        let count = self.examples.len() as f64;
        let rms = sums.iter().map(|sums| (sums.squares[1] / count).sqrt() as f32).collect();
        let largest = sums.iter().map(|sums| sums.largest as f32).collect();
        LeftOver { primitive: self.primitive, rms, largest }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, Model, NodeId};

    use super::*;
    use crate::Posed;
    use crate::tests::table_of;

    /// The surface of a tube is to be where its first joint or, in the other example, its second one takes it.
    fn examples(model: &Model) -> Vec<PrimitiveExamples<'_>> {
        let example = |(degrees, to): (f32, usize)| {
            let mut pose = model.skeleton.rest.clone();
            skinscope_anim::pose::rotate(&mut pose, NodeId(2), glam::Vec3::X * degrees);
            let motion = Posed::new(model, &pose).motion(InstanceId::from_index(0), 0).unwrap();
            let targets: Vec<glam::DVec3> = (0..motion.vertices()).map(|vertex| motion.ghost(to, vertex)).collect();
            Example::new(motion, &targets)
        };
        vec![(PrimitiveId::default(), [(60.0, 1), (-20.0, 0)].map(example).into())]
    }

    /// The weights of a tube, of which a share has gone to its second joint.
    fn moved(before: &Table, share: f64) -> Table {
        let mut table = before.clone();
        for row in 0..table.vertices() {
            let mut shares = Vec::new();
            before.shares(row, &mut shares);
            shares = skinscope_weights::blend(&shares, &[(2, 1.0)], share);
            table.put(row, &shares);
        }
        table
    }

    fn compared(examples: &[PrimitiveExamples], before: &Table, after: &Table) -> (Gain, Vec<LeftOver>) {
        let tables = [std::slice::from_ref(before), std::slice::from_ref(after)];
        gained(examples, tables, &JobContext::of_waiting()).unwrap()
    }

    #[test]
    fn half_of_the_way_is_half_of_the_gain() {
        let model = tube(Tube::default());
        let mut examples = examples(&model);
        examples[0].1.truncate(1);
        let before = table_of(&model);
        for share in [0.0, 0.5, 1.0] {
            let (gain, _) = compared(&examples, &before, &moved(&before, share));
            assert!((gain.percent().unwrap() - 100.0 * share).abs() < 1e-3, "{:?}", gain.percent());
            let keys: Vec<u32> = gain.joints.iter().map(|joint| joint.key).collect();
            assert!(keys == [1, 2] && gain.joints.iter().all(|j| (j.percent().unwrap() - 100.0 * share).abs() < 1e-3));
        }
        assert_eq!(Gain::default().percent(), None);
    }

    #[test]
    fn sums_by_vertex_give_the_figures_of_a_list_of_all_distances() {
        let model = tube(Tube::default());
        let examples = examples(&model);
        let before = table_of(&model);
        let after = moved(&before, 0.3);
        let (gain, left) = compared(&examples, &before, &after);
        for (table, found) in [(&before, gain.before), (&after, gain.after)] {
            let mut all = Vec::new();
            examples[0].1.iter().for_each(|example| example.distances(table, &mut all));
            let exact = Deviation::of(&mut all);
            assert!((found.rms - exact.rms).abs() < 1e-12 && found.largest == exact.largest, "{found:?} {exact:?}");
            assert!((found.p95 - exact.p95).abs() <= 1e-7 * exact.p95, "{found:?} {exact:?}");
        }
        // Of a joint each distance counts by its weight before.
        let mut sums = [0.0; 2];
        let (mut shares, mut own) = (Vec::new(), Vec::new());
        for example in &examples[0].1 {
            own.clear();
            example.distances(&after, &mut own);
            for (vertex, distance) in own.iter().enumerate() {
                before.shares(vertex, &mut shares);
                let weight = skinscope_weights::share_of(&shares, 2);
                sums = [sums[0] + weight, sums[1] + weight * distance * distance];
            }
        }
        let joint = gain.joints.iter().find(|joint| joint.key == 2).unwrap();
        assert!((joint.after - (sums[1] / sums[0]).sqrt()).abs() < 1e-12, "{joint:?}");
        // A vertex has those of both examples.
        let vertex = before.vertices() / 2;
        let of_vertex = examples[0].1.iter().map(|example| {
            own.clear();
            example.distances(&after, &mut own);
            own[vertex]
        });
        let of_vertex: Vec<f64> = of_vertex.collect();
        let mean = of_vertex.iter().map(|distance| distance * distance).sum::<f64>() / 2.0;
        assert!((f64::from(left[0].rms[vertex]) - mean.sqrt()).abs() < 1e-6, "{of_vertex:?}");
        assert!((f64::from(left[0].largest[vertex]) - of_vertex[0].max(of_vertex[1])).abs() < 1e-6, "{of_vertex:?}");
        assert!(left.len() == 1 && left[0].rms.len() == before.vertices());
    }

    #[test]
    fn a_vertex_that_is_nowhere_is_infinitely_far_and_told_as_such() {
        let model = tube(Tube::default());
        let mut examples = examples(&model);
        let motion = examples[0].1[0].motion().clone();
        let nowhere = vec![glam::DVec3::NAN; motion.vertices()];
        examples[0].1.push(Example::new(motion, &nowhere));
        let before = table_of(&model);
        let (gain, left) = compared(&examples, &before, &before);
        assert!(gain.after.largest == f64::INFINITY && gain.after.rms == f64::INFINITY);
        assert!(left[0].rms.iter().chain(&left[0].largest).all(|metres| *metres == f32::INFINITY));
    }
}
