//! A pose of the character and how to make one: named turns, mirrored sides, planted feet. Knows nothing of time.

use glam::{FloatExt, Mat3, Quat, Vec3};

use crate::skeleton::{Skeleton, flip, flip_rotation};

/// Local rotations, where the hips are (the only joint that is moved), and how open the eyes (the only one scaled).
#[derive(Clone)]
pub struct Pose<'a> {
    pub skeleton: &'a Skeleton,
    /// By joint, relative to the parent.
    pub rotations: Vec<Quat>,
    /// Relative to the armature, metres.
    pub hips: Vec3,
    /// Height of the eyes, 1 when open.
    pub eyes: f32,
}

/// One of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    /// With the ending of its joints.
    pub fn joint(self, stem: &str) -> String {
        format!("{stem}.{}", if self == Self::Left { "L" } else { "R" })
    }

    fn point(self, p: Vec3) -> Vec3 {
        if self == Self::Left { p } else { flip(p) }
    }
}

impl<'a> Pose<'a> {
    /// As stored in the file.
    pub fn rest(skeleton: &'a Skeleton) -> Self {
        let rotations = (0..skeleton.joints.len()).map(|j| skeleton.local_rotation(j)).collect();
        Self { skeleton, rotations, hips: skeleton.joints[0].position, eyes: 1.0 }
    }

    /// Sets a middle joint.
    pub fn turn(&mut self, name: &str, rotation: Quat) {
        let joint = self.skeleton.id(name);
        self.rotations[joint] = rotation;
    }

    /// Sets a joint of one side; the rotation is given as for the left one.
    pub fn turn_side(&mut self, side: Side, stem: &str, rotation: Quat) {
        let rotation = if side == Side::Left { rotation } else { flip_rotation(rotation) };
        self.turn(&side.joint(stem), rotation);
    }

    /// Rotation and position of a joint in model space.
    pub fn model(&self, joint: usize) -> (Quat, Vec3) {
        let translation = if joint == 0 { self.hips } else { self.skeleton.local_translation(joint) };
        match self.skeleton.joints[joint].parent {
            None => (self.rotations[joint], translation),
            Some(parent) => {
                let (rotation, position) = self.model(parent);
                (rotation * self.rotations[joint], position + rotation * translation)
            }
        }
    }

    /// Bends fingers towards the palm, radians: the inner joint by `curl`, the outer by half as much again.
    pub fn curl(&mut self, side: Side, curl: f32) {
        for (finger, factor) in [("Index", 0.9), ("Middle", 1.0), ("Pinky", 1.1)] {
            self.turn_side(side, &format!("{finger}1"), Quat::from_rotation_z(-curl * factor));
            self.turn_side(side, &format!("{finger}2"), Quat::from_rotation_z(-1.3 * curl * factor));
        }
        let thumb = Quat::from_rotation_y(0.35 * curl) * Quat::from_rotation_z(-0.5 * curl);
        self.turn_side(side, "Thumb1", thumb);
        self.turn_side(side, "Thumb2", Quat::from_rotation_y(0.5 * curl));
    }

    /// Brings the ankle of one leg to `ankle` (model space, as for the left leg) by turning hip and knee, the knee forward,
    /// and turns the foot to `foot` (model space). Reaches as far as the leg does.
    pub fn plant(&mut self, side: Side, ankle: Vec3, foot: Quat) {
        let [upper, lower, end] = ["UpperLeg", "LowerLeg", "Foot"].map(|s| self.skeleton.id(&side.joint(s)));
        let (thigh, shin) = (self.skeleton.local_translation(lower), self.skeleton.local_translation(end));
        let parent = self.skeleton.joints[upper].parent.map_or(Quat::IDENTITY, |p| self.model(p).0);
        let hip = self.model(upper).1;
        let (a, b) = (thigh.length(), shin.length());
        let reach = side.point(ankle) - hip;
        let distance = reach.length().clamp((a - b).abs() + 1e-3, (a + b) * 0.9998);
        let axis = reach.normalize();
        let along = (a * a - b * b + distance * distance) / (2.0 * distance);
        let forward = (parent * Vec3::Z).reject_from(axis).normalize();
        let knee = axis * along + forward * (a * a - along * along).max(0.0).sqrt();
        let upper_model = frame(knee, forward) * frame(thigh, Vec3::Z).inverse();
        let lower_model = frame(axis * distance - knee, forward) * frame(shin, Vec3::Z).inverse();
        let foot = if side == Side::Left { foot } else { flip_rotation(foot) };
        self.rotations[upper] = parent.inverse() * upper_model;
        self.rotations[lower] = upper_model.inverse() * lower_model;
        self.rotations[end] = lower_model.inverse() * foot;
    }

    /// Each joint turned part of the way to `other`.
    pub fn lerp(&self, other: &Self, t: f32) -> Self {
        let rotations = self.rotations.iter().zip(&other.rotations).map(|(a, b)| a.slerp(*b, t)).collect();
        Self {
            skeleton: self.skeleton,
            rotations,
            hips: self.hips.lerp(other.hips, t),
            eyes: self.eyes.lerp(other.eyes, t),
        }
    }
}

/// The rotation that takes −Y to `down` and +Z as near to `forward` as that allows.
fn frame(down: Vec3, forward: Vec3) -> Quat {
    let y = -down.normalize();
    let z = forward.reject_from(y).normalize();
    Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z))
}
