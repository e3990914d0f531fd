//! Writes down how much of each shape there is over a clip, as keys of the weights of morph targets.

use skinscope_anim::{SampleScratch, reset_to_rest, sample};
use skinscope_model::{Channel, Clip, InstanceId, Interpolation, LocalPose, Model, NodeId, Path, Values};

use super::driver::Driver;

/// Keys are no closer than this, seconds, but for those of the clip.
const CLOSEST: f32 = 1e-3;
/// No more keys than this are added between those of the clip.
const MOST: usize = 50_000;
/// Weights that differ by less are one.
const SAME: f32 = 1e-6;

/// A driver of some of the shapes that an instance gains.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDriver {
    /// The driver.
    pub driver: Driver,
    /// The number of each of its shapes among those that are new.
    pub shapes: Vec<usize>,
}

/// The shapes that an instance gains after the morph targets that it has.
#[derive(Clone, Copy, Debug)]
pub struct KeyedShapes<'d> {
    /// The instance of the model, as it is without the new shapes.
    pub instance: InstanceId,
    /// What says how much of each new shape there is. Each shape has one driver.
    pub drivers: &'d [ShapeDriver],
    /// By how much a weight between two keys may differ from what it should be.
    pub tolerance: f64,
}

/// Keys of the weights of all morph targets of an instance, the new ones last.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightKeys {
    /// The times, seconds, rising.
    pub times: Vec<f32>,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// The weights, one for each target, key after key (with splines: in-tangent, value, out-tangent).
    pub values: Vec<f32>,
    /// The largest weight of each new shape in the clip.
    pub most: Vec<f64>,
    /// The largest difference of a weight between keys from what it should be, where that was looked at: four times between two keys.
    pub error: f64,
}

/// The weights of all targets at a time.
type Row = Vec<f32>;

/// Samples a clip.
struct Sampler<'a> {
    model: &'a Model,
    clip: &'a Clip,
    shapes: KeyedShapes<'a>,
    scratch: SampleScratch,
    pose: LocalPose,
    driven: Vec<f64>,
    /// The keys so far, and how far others are from what lies between them.
    keys: Vec<(f32, Row)>,
    error: f64,
}

/// Returns the keys of the weights of an instance over a clip, as they have to be once it has the new shapes; `None` where the clip needs none:
/// it has no keys of weights, and never comes near an example.
#[must_use]
pub fn keys_of_weights(model: &Model, clip: &Clip, shapes: KeyedShapes<'_>) -> Option<WeightKeys> {
    let instance = model.instances.get(shapes.instance.index())?;
    let is_of = |node: NodeId, path: Path| move |channel: &&Channel| channel.node == node && channel.path == path;
    // Of several channels with one target the last one counts.
    let own = clip.channels.iter().rev().find(is_of(instance.node, Path::Weights)).map(|channel| channel.sampler);
    let joints = shapes.drivers.iter().flat_map(|of| of.driver.joints());
    let turns = joints.filter_map(|joint| {
        let found = clip.channels.iter().rev().find(is_of(*joint, Path::Rotation));
        Some(found?.sampler)
    });
    let samplers: Vec<usize> = own.into_iter().chain(turns).collect();
    let times = times_of(clip, &samplers);
    let mut sampler = Sampler::new(model, clip, shapes);
    let rows: Vec<(f32, Row)> = times.iter().map(|time| (*time, sampler.row(*time))).collect();
    let (_, first) = rows.first()?;
    let old = instance.morph_weights.len();
    for pair in rows.windows(2) {
        sampler.between(&pair[0], &pair[1]);
    }
    sampler.keys.extend(rows.last().cloned());
    let count = first.len();
    let most = (old..count).map(|at| {
        let of_keys = sampler.keys.iter().map(|(_, row)| f64::from(row[at]));
        of_keys.fold(0.0, f64::max)
    });
    let most: Vec<f64> = most.collect();
    let is_constant = sampler.keys.iter().all(|(_, row)| row[old..].iter().zip(&first[old..]).all(is_same));
    if is_constant {
        let is_none = first[old..].iter().all(|weight| *weight < SAME);
        return match own {
            Some(own) => Some(widened(clip, own, (old, &first[old..]), most)),
            None if is_none => None,
            None => {
                let (times, values) = (vec![times[0]], first.clone());
                Some(WeightKeys { times, interpolation: Interpolation::Linear, values, most, error: 0.0 })
            }
        };
    }
    let error = sampler.error;
    let (times, rows): (Vec<f32>, Vec<Row>) = sampler.keys.into_iter().unzip();
    Some(WeightKeys { times, interpolation: Interpolation::Linear, values: rows.concat(), most, error })
}

fn is_same((a, b): (&f32, &f32)) -> bool {
    (a - b).abs() < SAME
}

/// Returns the times at which some samplers of a clip have keys, rising, and a moment before each at which one of them jumps.
fn times_of(clip: &Clip, samplers: &[usize]) -> Vec<f32> {
    let mut out = Vec::new();
    for sampler in samplers {
        let sampler = &clip.samplers[*sampler];
        let times = &clip.times[sampler.times];
        out.extend_from_slice(times);
        if sampler.interpolation == Interpolation::Step {
            out.extend(times.iter().skip(1).map(|time| time.next_down()));
        }
    }
    out.sort_unstable_by(f32::total_cmp);
    out.dedup();
    out
}

/// Returns the keys that a clip has, each with the same weights of the new shapes after those of the old ones.
fn widened(clip: &Clip, own: usize, (old, new): (usize, &[f32]), most: Vec<f64>) -> WeightKeys {
    let sampler = &clip.samplers[own];
    let mut values = Vec::new();
    if let Values::Weights { count, values: stored } = &sampler.values {
        for (entry, row) in stored.chunks(*count.max(&1)).enumerate() {
            values.extend_from_slice(&row[..row.len().min(old)]);
            // The tangents of a spline that stays where it is are zero.
            let is_tangent = sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
            values.extend(new.iter().map(|weight| if is_tangent { 0.0 } else { *weight }));
        }
    }
    let times = clip.times[sampler.times].clone();
    WeightKeys { times, interpolation: sampler.interpolation, values, most, error: 0.0 }
}

impl<'a> Sampler<'a> {
    fn new(model: &'a Model, clip: &'a Clip, shapes: KeyedShapes<'a>) -> Self {
        let mut pose = LocalPose::default();
        reset_to_rest(&model.skeleton, &mut pose);
        let (scratch, driven, keys) = Default::default();
        Self { model, clip, shapes, scratch, pose, driven, keys, error: 0.0 }
    }

    /// Returns the weights at a time.
    fn row(&mut self, time: f32) -> Row {
        sample(self.model, self.clip, time, &mut self.scratch, &mut self.pose);
        let instance = &self.model.instances[self.shapes.instance.index()];
        let old = instance.morph_weights.len();
        let mut row = self.pose.morph_weights[instance.morph_offset..][..old].to_vec();
        row.resize(old + self.shapes.drivers.iter().map(|of| of.shapes.len()).sum::<usize>(), 0.0);
        for of in self.shapes.drivers {
            of.driver.weights(&self.pose, &mut self.driven);
            for (shape, weight) in of.shapes.iter().zip(&self.driven) {
                row[old + shape] = *weight as f32;
            }
        }
        row
    }

    /// Adds the first of two keys, and as many between them as it needs.
    fn between(&mut self, from: &(f32, Row), to: &(f32, Row)) {
        let at = |share: f32| from.0 + (to.0 - from.0) * share;
        let mut off = 0.0_f64;
        let mut middle = None;
        for share in [0.25, 0.5, 0.75] {
            let time = at(share);
            if time <= from.0 || time >= to.0 {
                continue;
            }
            let row = self.row(time);
            // The time was rounded.
            let share = f64::from(time - from.0) / f64::from(to.0 - from.0);
            for ((weight, a), b) in row.iter().zip(&from.1).zip(&to.1) {
                let straight = f64::from(*a) + (f64::from(*b) - f64::from(*a)) * share;
                off = off.max((f64::from(*weight) - straight).abs());
            }
            if time == at(0.5) {
                middle = Some((time, row));
            }
        }
        let is_close = to.0 - from.0 <= CLOSEST || self.keys.len() >= MOST;
        match middle.filter(|_| off > self.shapes.tolerance && !is_close) {
            Some(middle) => {
                self.between(from, &middle);
                self.between(&middle, to);
            }
            None => {
                self.error = self.error.max(off);
                self.keys.push(from.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};

    use super::*;

    /// A driver of a model by one joint that is turned by some degrees about X.
    fn driver(model: &Model, joint: NodeId, degrees: f32) -> Vec<ShapeDriver> {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, joint, Vec3::X * degrees);
        let driver = Driver::of_poses(vec![joint], &model.skeleton.rest, &[&pose]).unwrap();
        vec![ShapeDriver { driver, shapes: vec![0] }]
    }

    fn shapes(drivers: &[ShapeDriver]) -> KeyedShapes<'_> {
        KeyedShapes { instance: InstanceId::from_index(0), drivers, tolerance: 1e-3 }
    }

    /// Returns what keys say at a time.
    fn played(keys: &WeightKeys, time: f32) -> Vec<f32> {
        let count = keys.values.len() / keys.times.len();
        let row = |at: usize| &keys.values[at * count..][..count];
        let after = keys.times.partition_point(|key| *key <= time);
        let (from, to) = (after.max(1) - 1, after.min(keys.times.len() - 1));
        if from == to {
            return row(from).to_vec();
        }
        let share = (time - keys.times[from]) / (keys.times[to] - keys.times[from]);
        row(from).iter().zip(row(to)).map(|(a, b)| a + (b - a) * share).collect()
    }

    #[test]
    fn the_keys_of_a_clip_follow_the_driver_and_meet_the_example() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let clip = &model.clips[0];
        // The clip turns this joint by 30° at 0.5 s.
        let driver = driver(&model, NodeId(2), 30.0);
        let keys = keys_of_weights(&model, clip, shapes(&driver)).unwrap();
        assert_eq!(keys.interpolation, Interpolation::Linear);
        assert!(keys.times.windows(2).all(|two| two[0] < two[1]) && keys.times.len() == keys.values.len());
        assert!(keys.error <= 1e-3 && keys.times.len() < 400, "{} {}", keys.error, keys.times.len());
        assert!((keys.most[0] - 1.0).abs() < 1e-4, "{:?}", keys.most);
        let mut sampler = Sampler::new(&model, clip, shapes(&driver));
        for step in 0..=1000 {
            let time = step as f32 * 1e-3;
            let (should, is) = (sampler.row(time)[0], played(&keys, time)[0]);
            assert!((should - is).abs() < 2e-3, "{time} s: {is} for {should}");
        }
        let [at_rest, met] = [0.0, 0.5].map(|time| played(&keys, time)[0]);
        assert!(at_rest.abs() < 1e-6 && (met - 1.0).abs() < 1e-4, "{at_rest} {met}");
    }

    #[test]
    fn shapes_of_several_drivers_have_the_order_that_they_are_given() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let mut both = driver(&model, NodeId(2), 30.0);
        both.extend(driver(&model, NodeId(1), 30.0));
        both[0].shapes = vec![1];
        let keys = keys_of_weights(&model, &model.clips[0], shapes(&both)).unwrap();
        assert_eq!(keys.values.len(), 2 * keys.times.len());
        assert!(keys.most[0] < 1e-6 && keys.most[1] > 0.99, "{:?}", keys.most);
    }

    #[test]
    fn a_clip_that_does_not_turn_the_driving_joints_needs_no_keys() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let driver = driver(&model, NodeId(1), 30.0);
        assert_eq!(keys_of_weights(&model, &model.clips[0], shapes(&driver)), None);
    }

    #[test]
    fn the_keys_of_other_targets_stay_and_jumps_stay_jumps() {
        let model = obstacle_course();
        let clip = &model.clips[0];
        let instance = &model.instances[0];
        let weights = |channel: &&Channel| channel.path == Path::Weights && channel.node == instance.node;
        let own = clip.channels.iter().find(weights).unwrap().sampler;
        let still = driver(&model, NodeId(8), 170.0);
        let turned: Vec<NodeId> =
            clip.channels.iter().filter(|c| c.path == Path::Rotation).map(|channel| channel.node).collect();
        assert!(!turned.contains(&NodeId(8)));
        let kept = keys_of_weights(&model, clip, shapes(&still)).unwrap();
        let sampler = &clip.samplers[own];
        assert_eq!((kept.interpolation, &kept.times), (sampler.interpolation, &clip.times[sampler.times]));
        let Values::Weights { values, .. } = &sampler.values else { panic!("weights") };
        let of_old: Vec<f32> = kept.values.chunks(3).flat_map(|row| row[..2].to_vec()).collect();
        assert!(of_old == *values && kept.values.chunks(3).all(|row| row[2].abs() < 1e-6));
        for joint in turned {
            let driver = driver(&model, joint, 60.0);
            let keys = keys_of_weights(&model, clip, shapes(&driver)).unwrap();
            let mut sampler = Sampler::new(&model, clip, shapes(&driver));
            for time in &keys.times {
                let (should, is) = (sampler.row(*time), played(&keys, *time));
                assert!(keys.interpolation != Interpolation::Linear || should.iter().zip(&is).all(is_same), "{time} s");
            }
        }
    }

    #[test]
    fn a_joint_that_jumps_has_a_key_a_moment_before() {
        let mut parts = (*tube(Tube::default())).clone();
        let sampler = &mut parts.clips[0].samplers[0];
        sampler.interpolation = Interpolation::Step;
        sampler.values = Values::Quat(vec![Quat::IDENTITY, Quat::from_rotation_x(1.0), Quat::IDENTITY].into());
        let model = Model::build(parts).unwrap();
        let driver = driver(&model, NodeId(2), 1.0_f32.to_degrees());
        let keys = keys_of_weights(&model, &model.clips[0], shapes(&driver)).unwrap();
        assert_eq!(keys.times, [0.0, 0.5_f32.next_down(), 0.5, 1.0_f32.next_down(), 1.0]);
        assert!(keys.error < 1e-6, "{}", keys.error);
        assert!((played(&keys, 0.499)[0]).abs() < 1e-5 && (played(&keys, 0.75)[0] - 1.0).abs() < 1e-5);
    }
}
