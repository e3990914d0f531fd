//! The joints of the character: names, parents, rest pose. Knows nothing of the surface.
//!
//! The character faces +Z, its left is +X. Every joint but the upper arms rests unturned. From the upper arm down, the
//! local axis along the arm is X, so a slider on Y bends the elbow and one on X twists the forearm.

use glam::{Affine3A, Quat, Vec3};

/// How far the arms hang below the horizontal at rest, radians: an A-pose.
pub const ARM_DROP: f32 = 0.84;

/// Centre of the shoulder joint.
pub const SHOULDER: Vec3 = Vec3::new(0.160, 1.212, -0.008);

/// A point given along the left arm: metres from the shoulder, up (back of the hand), forward (thumb side).
pub fn arm_point(along: f32, up: f32, forward: f32) -> Vec3 {
    SHOULDER + arm_rotation() * Vec3::new(along, up, forward)
}

/// Turns +X to the direction of the left arm.
pub fn arm_rotation() -> Quat {
    Quat::from_rotation_z(-ARM_DROP)
}

/// A joint of the rest pose.
pub struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    /// Metres, model space.
    pub position: Vec3,
    /// Model space.
    pub rotation: Quat,
    /// The joint on the other side, or itself.
    pub mirror: usize,
}

/// All joints, parents first.
pub struct Skeleton {
    pub joints: Vec<Joint>,
}

/// Name (of the left side, where there are two), parent, position.
fn table() -> Vec<(&'static str, &'static str, Vec3)> {
    let v = Vec3::new;
    vec![
        ("Hips", "", v(0.0, 0.895, 0.0)),
        ("Spine", "Hips", v(0.0, 0.970, 0.0)),
        ("Chest", "Spine", v(0.0, 1.055, 0.0)),
        ("UpperChest", "Chest", v(0.0, 1.145, -0.005)),
        ("Neck", "UpperChest", v(0.0, 1.285, -0.012)),
        ("Head", "Neck", v(0.0, 1.362, 0.0)),
        ("Eyes", "Head", v(0.0, 1.505, 0.146)),
        ("Shoulder.L", "UpperChest", v(0.035, 1.228, -0.002)),
        ("UpperArm.L", "Shoulder.L", SHOULDER),
        ("LowerArm.L", "UpperArm.L", arm_point(0.255, 0.0, -0.008)),
        ("Hand.L", "LowerArm.L", arm_point(0.490, 0.0, 0.0)),
        ("Thumb1.L", "Hand.L", arm_point(0.522, -0.006, 0.030)),
        ("Thumb2.L", "Thumb1.L", arm_point(0.547, -0.010, 0.063)),
        ("Index1.L", "Hand.L", arm_point(0.585, 0.0, 0.031)),
        ("Index2.L", "Index1.L", arm_point(0.625, 0.0, 0.035)),
        ("Middle1.L", "Hand.L", arm_point(0.590, 0.0, 0.0)),
        ("Middle2.L", "Middle1.L", arm_point(0.633, 0.0, 0.0)),
        ("Pinky1.L", "Hand.L", arm_point(0.583, 0.0, -0.031)),
        ("Pinky2.L", "Pinky1.L", arm_point(0.620, 0.0, -0.035)),
        ("UpperLeg.L", "Hips", v(0.090, 0.865, 0.0)),
        ("LowerLeg.L", "UpperLeg.L", v(0.098, 0.478, 0.012)),
        ("Foot.L", "LowerLeg.L", v(0.104, 0.095, -0.012)),
        ("Toes.L", "Foot.L", v(0.114, 0.036, 0.108)),
    ]
}

impl Skeleton {
    /// The character at rest.
    pub fn new() -> Self {
        let table = table();
        let mut joints: Vec<Joint> = Vec::new();
        // Depth first, the right side of a branch after its whole left side.
        let mut at = 0;
        while at < table.len() {
            let sided = table[at].0.ends_with(".L");
            let next_branch = |i: usize| !table[i].1.ends_with(".L");
            let end = (at + 1..table.len()).find(|&i| next_branch(i)).unwrap_or(table.len());
            let end = if sided { end } else { at + 1 };
            push_branch(&mut joints, &table[at..end], Side::Left);
            if sided {
                push_branch(&mut joints, &table[at..end], Side::Right);
            }
            at = end;
        }
        let mirrors: Vec<usize> = joints
            .iter()
            .map(|j| {
                let other = flip_name(&j.name);
                joints.iter().position(|o| o.name == other).unwrap_or(0)
            })
            .collect();
        for (joint, mirror) in joints.iter_mut().zip(mirrors) {
            joint.mirror = mirror;
        }
        Self { joints }
    }

    /// Index of a joint that is known to be there.
    pub fn id(&self, name: &str) -> usize {
        self.joints.iter().position(|j| j.name == name).unwrap_or_else(|| unreachable!("no joint is called {name}"))
    }

    /// Rest rotation relative to the parent.
    pub fn local_rotation(&self, joint: usize) -> Quat {
        let j = &self.joints[joint];
        j.parent.map_or(j.rotation, |p| self.joints[p].rotation.inverse() * j.rotation)
    }

    /// Rest translation relative to the parent.
    pub fn local_translation(&self, joint: usize) -> Vec3 {
        let j = &self.joints[joint];
        j.parent.map_or(j.position, |p| {
            let parent = &self.joints[p];
            parent.rotation.inverse() * (j.position - parent.position)
        })
    }

    /// `joint_from_mesh` at rest; the mesh is stored in model space.
    pub fn inverse_bind(&self, joint: usize) -> Affine3A {
        let j = &self.joints[joint];
        Affine3A::from_rotation_translation(j.rotation, j.position).inverse()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

fn push_branch(joints: &mut Vec<Joint>, rows: &[(&str, &str, Vec3)], side: Side) {
    for (name, parent, position) in rows {
        let own = |n: &str| if side == Side::Right { flip_name(n) } else { n.to_owned() };
        let parent = joints.iter().position(|j| j.name == own(parent));
        let starts_arm = name.starts_with("UpperArm");
        let rotation = match parent {
            _ if starts_arm && side == Side::Left => arm_rotation(),
            _ if starts_arm => arm_rotation().inverse(),
            Some(p) => joints[p].rotation,
            None => Quat::IDENTITY,
        };
        let position = if side == Side::Right { flip(*position) } else { *position };
        joints.push(Joint { name: own(name), parent, position, rotation, mirror: 0 });
    }
}

/// The mirror image of a point.
pub fn flip(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// The mirror image of a rotation.
pub fn flip_rotation(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

fn flip_name(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, "L")) => format!("{stem}.R"),
        Some((stem, "R")) => format!("{stem}.L"),
        _ => name.to_owned(),
    }
}
