//! How much of each shape there is in a pose, by the rotations of some joints.

use glam::{DQuat, Quat};
use skinscope_model::{LocalPose, NodeId};

/// Poses whose rotations differ by less than this, radians, are one: a shape between them would jump. It is one degree.
const ALIKE: f64 = std::f64::consts::PI / 180.0;

/// Returns how much of each shape there is in a pose, by how near the rotations of some joints are to those of the examples: the poses that
/// the shapes were sculpted in, and the rest pose, in which there is none.
///
/// The distance of two poses is the root of the sum of the squares of the angles between the rotations of each joint; a quaternion and its
/// opposite are one rotation. An example at distance `d` counts by `e^(−d²/σ²) / d²`, where `σ` is the mean distance of each example from the
/// one next to it, divided by the sum of all examples: the shares are never below 0, and sum to 1 with that of the rest pose. So no share
/// runs away, whatever the pose and however the examples lie, and in the pose of an example its own is 1 and all others are 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    joints: Vec<NodeId>,
    /// The rotations of the joints in each example; the first is the rest pose, and the last ones are those without a shape.
    examples: Vec<Vec<Quat>>,
    /// How many examples have a shape.
    shapes: usize,
    width: f64,
}

/// Why some joints cannot drive shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverError {
    /// There are no joints, or an example has another number of rotations than there are joints.
    Count,
    /// A rotation is no number.
    NoRotation,
    /// Two examples, by their numbers from 0, have the same rotations. Without the second number it is the rest pose that the first one is like.
    Alike(usize, Option<usize>),
}

impl std::fmt::Display for DriverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count => write!(f, "it needs joints, and a rotation of each in every example"),
            Self::NoRotation => write!(f, "a rotation is no number"),
            Self::Alike(one, None) => {
                write!(
                    f,
                    "the driving joints have the same rotations in example {one} as at rest, so that it would never show"
                )
            }
            Self::Alike(one, Some(other)) => {
                write!(f, "the driving joints have the same rotations in the examples {other} and {one}")
            }
        }
    }
}

impl std::error::Error for DriverError {}

impl Driver {
    /// Makes a driver of the rotations of its joints at rest and in each example, in the order of the joints.
    ///
    /// # Errors
    /// The rotations do not tell the examples apart, or there is not one of each joint.
    pub fn new(joints: Vec<NodeId>, rest: Vec<Quat>, examples: Vec<Vec<Quat>>) -> Result<Self, DriverError> {
        let all: Vec<Vec<Quat>> = std::iter::once(rest).chain(examples).collect();
        if joints.is_empty() || all.iter().any(|rotations| rotations.len() != joints.len()) {
            return Err(DriverError::Count);
        }
        if all.iter().flatten().any(|rotation| !rotation.is_finite() || rotation.length_squared() == 0.0) {
            return Err(DriverError::NoRotation);
        }
        for one in 1..all.len() {
            if let Some(other) = (0..one).find(|other| are_alike(&all[one], &all[*other])) {
                return Err(DriverError::Alike(one - 1, other.checked_sub(1)));
            }
        }
        Ok(Self { joints, shapes: all.len() - 1, width: width(&all), examples: all })
    }

    /// Returns the same driver with examples of which it has no shape: in these poses there is none of its shapes, so that what is right there
    /// stays so. Those whose rotations are like the ones of an example that it has, or of the rest pose, count nothing.
    #[must_use]
    pub fn without(mut self, others: impl IntoIterator<Item = Vec<Quat>>) -> Self {
        let is_usable = |rotation: &Quat| rotation.is_finite() && rotation.length_squared() > 0.0;
        for other in others {
            let fits = other.len() == self.joints.len() && other.iter().all(is_usable);
            if fits && !self.examples.iter().any(|own| are_alike(own, &other)) {
                self.examples.push(other);
            }
        }
        self.width = width(&self.examples);
        self
    }

    /// Makes a driver of poses.
    ///
    /// # Errors
    /// The same as of [`Driver::new`].
    pub fn of_poses(joints: Vec<NodeId>, rest: &LocalPose, examples: &[&LocalPose]) -> Result<Self, DriverError> {
        let of = |pose: &LocalPose| -> Vec<Quat> {
            joints.iter().filter_map(|joint| Some(pose.transforms.get(joint.index())?.rotation)).collect()
        };
        let (rest, examples) = (of(rest), examples.iter().map(|pose| of(pose)).collect());
        Self::new(joints, rest, examples)
    }

    /// Returns the joints whose rotations drive it.
    #[must_use]
    pub fn joints(&self) -> &[NodeId] {
        &self.joints
    }

    /// Returns the rotations of the joints at rest, and in each example of a shape.
    #[must_use]
    pub fn rotations(&self) -> (&[Quat], &[Vec<Quat>]) {
        match self.examples.split_first() {
            Some((rest, examples)) => (rest, &examples[..self.shapes.min(examples.len())]),
            None => (&[], &[]),
        }
    }

    /// Returns the rotations of the joints in each example without a shape.
    #[must_use]
    pub fn others(&self) -> &[Vec<Quat>] {
        self.examples.get(1 + self.shapes..).unwrap_or_default()
    }

    /// Returns the rotations that its joints have in an example of another driver, with those at rest that the other one lacks; `None` where it
    /// lacks all of them.
    #[must_use]
    pub fn rotations_in(&self, other: &Self, example: &[Quat]) -> Option<Vec<Quat>> {
        let in_other = |joint: &NodeId| example.get(other.joints.iter().position(|own| own == joint)?).copied();
        let is_there = self.joints.iter().any(|joint| in_other(joint).is_some());
        let all = self.joints.iter().zip(self.rotations().0);
        is_there.then(|| all.map(|(joint, rest)| in_other(joint).unwrap_or(*rest)).collect())
    }

    /// Writes how much of each shape there is in a pose to `out`, whose previous contents are removed.
    pub fn weights(&self, pose: &LocalPose, out: &mut Vec<f64>) {
        let at = |joint: &NodeId| pose.transforms.get(joint.index()).map_or(Quat::IDENTITY, |t| t.rotation);
        self.shares(self.joints.iter().map(at), out);
        out.remove(0);
        out.truncate(self.shapes);
    }

    /// Writes the shares of the rest pose and of all examples.
    fn shares(&self, rotations: impl Iterator<Item = Quat> + Clone, out: &mut Vec<f64>) {
        out.clear();
        let counts = self.examples.iter().map(|example| {
            let squared = squared(example, rotations.clone());
            // The logarithm, so that no share of a far pose is too small for a number.
            -squared / (self.width * self.width) - squared.ln()
        });
        out.extend(counts);
        let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_met = most == f64::INFINITY;
        for share in out.iter_mut() {
            *share = if is_met { f64::from(*share == most) } else { (*share - most).exp() };
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|share| *share /= sum);
    }
}

/// Returns whether rotations do not tell two examples apart.
fn are_alike(a: &[Quat], b: &[Quat]) -> bool {
    squared(a, b.iter().copied()).sqrt() < ALIKE
}

/// Returns the mean distance of each example from the one next to it.
fn width(all: &[Vec<Quat>]) -> f64 {
    let apart = |one: usize, other: usize| squared(&all[one], all[other].iter().copied()).sqrt();
    let nearest = |one: usize| {
        let others = (0..all.len()).filter(|other| *other != one);
        others.map(|other| apart(one, other)).fold(f64::INFINITY, f64::min)
    };
    if all.len() > 1 { (0..all.len()).map(nearest).sum::<f64>() / all.len() as f64 } else { 1.0 }
}

/// Returns the square of the distance of two poses: the sum of the squares of the angles between the rotations of each joint, radians.
fn squared(a: &[Quat], b: impl Iterator<Item = Quat>) -> f64 {
    a.iter().zip(b).map(|(a, b)| angle(*a, b).powi(2)).sum()
}

/// Returns the angle between two rotations, radians, 0 to π. It is exact for small angles, and zero for equal numbers.
fn angle(a: Quat, b: Quat) -> f64 {
    let wide = |q: Quat| -> DQuat { q.as_dquat().normalize() };
    if a == b {
        return 0.0;
    }
    let (a, b) = (wide(a), wide(b));
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * (0.5 * (a - b).length()).clamp(0.0, 1.0).asin()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::Random;

    fn about_x(degrees: f32) -> Vec<Quat> {
        vec![Quat::from_rotation_x(degrees.to_radians())]
    }

    fn of_angles(angles: &[f32]) -> Driver {
        let examples = angles.iter().map(|degrees| about_x(*degrees)).collect();
        Driver::new(vec![NodeId(1)], about_x(0.0), examples).unwrap()
    }

    fn shares(driver: &Driver, rotations: &[Quat]) -> Vec<f64> {
        let mut out = Vec::new();
        driver.shares(rotations.iter().copied(), &mut out);
        out
    }

    #[test]
    fn each_example_is_met_exactly_and_its_quaternion_may_be_the_opposite() {
        let driver = of_angles(&[90.0, 100.0, -45.0]);
        for (number, degrees) in [0.0_f32, 90.0, 100.0, -45.0].into_iter().enumerate() {
            let rotation = about_x(degrees)[0];
            for rotation in [rotation, -rotation] {
                let met = shares(&driver, &[rotation]);
                let off = met.iter().enumerate().map(|(i, share)| (share - f64::from(i == number)).abs());
                assert!(off.fold(0.0, f64::max) < 1e-9, "{degrees}°");
            }
        }
    }

    #[test]
    fn where_an_example_has_no_shape_there_is_none() {
        let driver = of_angles(&[45.0]).without([about_x(90.0), about_x(45.2), about_x(0.1), about_x(-30.0)]);
        assert_eq!(
            (driver.rotations().1.len(), driver.others().len()),
            (1, 2),
            "those that are like others count nothing"
        );
        let mut weights = Vec::new();
        let mut pose = tube(Tube::default()).skeleton.rest.clone();
        for (degrees, wanted) in [(0.0, 0.0), (45.0, 1.0), (90.0, 0.0), (-30.0, 0.0)] {
            pose.transforms[1].rotation = about_x(degrees)[0];
            driver.weights(&pose, &mut weights);
            assert!(weights.len() == 1 && (weights[0] - wanted).abs() < 1e-9, "{degrees}°: {weights:?}");
        }
    }

    #[test]
    fn half_way_between_two_examples_there_is_half_of_each() {
        let driver = of_angles(&[90.0]);
        let [rest, shape] = shares(&driver, &about_x(45.0))[..] else { panic!("two shares") };
        assert!((rest - 0.5).abs() < 1e-6 && (shape - 0.5).abs() < 1e-6, "{rest} {shape}");
        // By the formula: e^(−(75/90)²)/75² and e^(−(15/90)²)/15².
        let [_, near] = shares(&driver, &about_x(75.0))[..] else { panic!("two shares") };
        let (a, b) =
            ((-(75.0_f64 / 90.0).powi(2)).exp() / 75.0 / 75.0, (-(15.0_f64 / 90.0).powi(2)).exp() / 15.0 / 15.0);
        assert!((near - b / (a + b)).abs() < 1e-6, "{near}");
        let [_, other_way] = shares(&driver, &about_x(-90.0))[..] else { panic!("two shares") };
        assert!(other_way < 0.02, "{other_way}");
    }

    #[test]
    fn shares_rise_on_the_way_to_an_example_without_jumps() {
        let driver = of_angles(&[60.0]);
        let along: Vec<f64> = (0..=600).map(|step| shares(&driver, &about_x(step as f32 * 0.1))[1]).collect();
        assert!(along.windows(2).all(|two| two[1] >= two[0] - 1e-9), "they rise");
        assert!(along.windows(2).all(|two| two[1] - two[0] < 0.006), "by little at a time");
    }

    #[test]
    fn shares_are_from_0_to_1_and_sum_to_1_in_any_pose_of_many_joints() {
        let mut random = Random::default();
        let mut turn = || Quat::from_scaled_axis((random.vector() * 3.0).as_vec3());
        let joints = vec![NodeId(1), NodeId(2), NodeId(3)];
        let mut pose = || (0..3).map(|_| turn()).collect::<Vec<Quat>>();
        let rest = vec![Quat::IDENTITY; 3];
        let examples: Vec<Vec<Quat>> = (0..12).map(|_| pose()).collect();
        let driver = Driver::new(joints, rest, examples.clone()).unwrap();
        for _ in 0..500 {
            let all = shares(&driver, &pose());
            assert!(all.iter().all(|share| (0.0..=1.0).contains(share)), "no share runs away");
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for (number, example) in examples.iter().enumerate() {
            assert_eq!(shares(&driver, example)[number + 1], 1.0);
        }
    }

    #[test]
    fn poses_drive_it_by_the_joints_that_were_chosen_alone() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let rest = &model.skeleton.rest;
        let mut bent = rest.clone();
        rotate(&mut bent, NodeId(2), Vec3::X * 80.0);
        let driver = Driver::of_poses(vec![NodeId(2)], rest, &[&bent]).unwrap();
        let mut out = Vec::new();
        driver.weights(&bent, &mut out);
        assert_eq!(out, [1.0]);
        rotate(&mut bent, NodeId(3), Vec3::Z * 80.0);
        driver.weights(&bent, &mut out);
        assert_eq!(out, [1.0], "the other joint has no say");
        driver.weights(rest, &mut out);
        assert_eq!(out, [0.0]);
        let (at_rest, examples) = driver.rotations();
        assert_eq!((at_rest.len(), examples.len(), driver.joints()), (1, 1, &[NodeId(2)][..]));
    }

    #[test]
    fn what_would_never_show_is_refused() {
        let of = |joints: usize, angles: &[f32]| {
            let examples = angles.iter().map(|degrees| about_x(*degrees)).collect();
            Driver::new(vec![NodeId(1); joints], about_x(0.0), examples).err()
        };
        assert_eq!(of(1, &[0.5]), Some(DriverError::Alike(0, None)));
        assert_eq!(of(1, &[90.0, 360.0]), Some(DriverError::Alike(1, None)));
        assert_eq!(of(1, &[30.0, 90.0, 90.2]), Some(DriverError::Alike(2, Some(1))));
        assert_eq!((of(0, &[90.0]), of(2, &[90.0])), (Some(DriverError::Count), Some(DriverError::Count)));
        assert_eq!((of(1, &[f32::NAN]), of(1, &[2.0])), (Some(DriverError::NoRotation), None));
    }
}
