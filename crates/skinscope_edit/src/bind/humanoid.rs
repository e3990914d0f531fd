//! Joints of a standing figure, placed by the proportions of its box, and the names of joints of both sides.

use std::collections::BTreeSet;

use glam::{Vec2, Vec3};
use skinscope_base::math::{Aabb, Ray};
use skinscope_model::{Model, Side, side};

use super::middle::{bare_bounds_of, middles_of_body};
use super::placed::PlacedJoint;

/// How much deeper than wide a figure is that looks along the X axis, since its arms are spread along Z.
const TURNED: f32 = 1.2;
/// How far from the middle of its box the plane of symmetry may be at 0, as a share of the width.
const OFF_CENTRE: f32 = 0.05;

/// Where a standing figure has its left, and the plane between both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// The box of the figure.
    pub bounds: Aabb,
    /// The unit vector to its left: it looks along Z, or along X where it is much deeper than wide.
    pub left: Vec3,
    /// The plane of symmetry: `left · point` of its points.
    pub offset: f32,
}

impl BodyFrame {
    /// Returns the frame of a figure by its box.
    #[must_use]
    pub fn of(bounds: Aabb) -> Self {
        let bounds = if bounds.is_empty() { Aabb { min: Vec3::ZERO, max: Vec3::ONE } } else { bounds };
        let size = bounds.size();
        let left = if size.z > TURNED * size.x { Vec3::NEG_Z } else { Vec3::X };
        let (centre, width) = (bounds.center().dot(left), size.dot(left).abs());
        let offset = if centre.abs() <= OFF_CENTRE * width { 0.0 } else { centre };
        Self { bounds, left, offset }
    }

    /// Returns how far to the left of the plane of symmetry a point is, metres.
    #[must_use]
    pub fn to_left(&self, point: Vec3) -> f32 {
        point.dot(self.left) - self.offset
    }

    /// Returns a point mirrored by the plane of symmetry.
    #[must_use]
    pub fn mirrored(&self, point: Vec3) -> Vec3 {
        point - 2.0 * self.to_left(point) * self.left
    }

    /// Returns whether a point is so near to the plane of symmetry that it belongs to both sides.
    #[must_use]
    pub fn is_middle(&self, point: Vec3) -> bool {
        self.to_left(point).abs() <= 0.01 * self.bounds.diagonal()
    }
}

/// The joints of the middle, from the hips up: the name, and the height as a share of the figure's.
const MIDDLE: [(&str, f32); 5] = [("Hips", 0.53), ("Spine", 0.59), ("Chest", 0.69), ("Neck", 0.82), ("Head", 0.87)];
/// The length from the upper arm to the hand, as a share of the height.
const ARM: f32 = 0.3;

/// Returns the 19 joints of a humanoid, placed into a box by the proportions of a standing figure whose arms are spread as wide as the box is.
/// Retargeting knows their names. They are within the box, and the same on both sides of its middle.
#[must_use]
pub fn humanoid(bounds: Aabb) -> Vec<PlacedJoint> {
    let frame = BodyFrame::of(bounds);
    let (size, centre) = (frame.bounds.size(), frame.bounds.center());
    let height = size.y;
    // The plane of symmetry need not be in the middle of the box.
    let off = frame.to_left(centre);
    let half = (0.5 * size.dot(frame.left).abs() - off.abs()).max(0.0);
    let middle = centre - off * frame.left;
    let mut out: Vec<PlacedJoint> = Vec::with_capacity(19);
    let mut add = |name: String, place: Vec2, parent: Option<usize>| {
        let position = Vec3 { y: frame.bounds.min.y + place.y * height, ..middle } + place.x * frame.left;
        let position = position.clamp(frame.bounds.min, frame.bounds.max);
        out.push(PlacedJoint { name, position, parent });
        out.len() - 1
    };
    for (number, (name, up)) in MIDDLE.into_iter().enumerate() {
        add(name.to_owned(), Vec2::new(0.0, up), number.checked_sub(1));
    }
    let [hips, chest] = [0, 2];
    let arm = arm(height, half);
    let (leg, inner) = ((0.055 * height).min(0.5 * half), (0.03 * height).min(0.2 * half));
    for (sign, end) in [(1.0, "L"), (-1.0, "R")] {
        let mut chain = |root: usize, joints: &[(&str, Vec2)]| {
            let mut parent = root;
            for (name, place) in joints {
                parent = add(format!("{name}.{end}"), Vec2::new(sign * place.x, place.y), Some(parent));
            }
        };
        let [upper, lower, hand] = arm;
        let shoulder = Vec2::new(inner, 0.8);
        chain(chest, &[("Shoulder", shoulder), ("UpperArm", upper), ("LowerArm", lower), ("Hand", hand)]);
        let place = |up: f32| Vec2::new(leg, up);
        chain(hips, &[("UpperLeg", place(0.51)), ("LowerLeg", place(0.28)), ("Foot", place(0.045))]);
    }
    out
}

/// How far beside a joint the body is looked for, as a share of its size.
const ASIDE: f32 = 7e-4;

/// Returns the joints of [`humanoid`] for the meshes without a skin with these numbers (`None`: all), each as deep as the middle of the body is
/// where the joint is seen from before the figure, so that feet, a nose or a tail take no joint out of the body. One that the body is not
/// behind is as deep as its parent.
#[must_use]
pub fn humanoid_in(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Vec<PlacedJoint> {
    let frame = BodyFrame::of(bare_bounds_of(model, meshes));
    let mut joints = humanoid(frame.bounds);
    let ahead = frame.left.cross(Vec3::Y);
    let size = frame.bounds.diagonal();
    // A ray in the plane of symmetry would meet edges, and might slip between two triangles.
    let away = size * (ahead + ASIDE * (frame.left + Vec3::Y));
    let rays: Vec<Ray> = joints.iter().map(|joint| Ray { origin: joint.position + away, direction: -ahead }).collect();
    let met: Vec<Option<f32>> =
        middles_of_body(model, meshes, &rays).into_iter().map(|at| Some(at?.dot(ahead))).collect();
    for index in 0..joints.len() {
        // Both sides get one depth.
        let partner = mirrored_name(&joints[index].name);
        let partner = partner.and_then(|name| joints.iter().position(|joint| joint.name == name));
        let depths: Vec<f32> = [Some(index), partner].into_iter().flatten().filter_map(|at| met[at]).collect();
        let depth = match (depths.is_empty(), joints[index].parent) {
            (false, _) => depths.iter().sum::<f32>() / depths.len() as f32,
            // Parents come before what hangs on them.
            (true, Some(parent)) => joints[parent].position.dot(ahead),
            (true, None) => continue,
        };
        let position = &mut joints[index].position;
        *position += (depth - position.dot(ahead)) * ahead;
    }
    joints
}

/// Returns upper arm, lower arm and hand: how far from the middle, metres, and how high as a share of the height.
fn arm(height: f32, half: f32) -> [Vec2; 3] {
    let (start, length) = ((0.1 * height).min(0.6 * half), ARM * height);
    // Arms that are not spread hang down.
    let out = (0.8 * half - start).clamp(0.0, length);
    let drop = (length * length - out * out).max(0.0).sqrt();
    [0.0, 0.5, 1.0].map(|share| Vec2::new(start + share * out, 0.8 - share * drop / height.max(f32::MIN_POSITIVE)))
}

/// The ends of names, for left and right.
const ENDS: [[&str; 2]; 8] = [
    [".L", ".R"],
    [".l", ".r"],
    ["_L", "_R"],
    ["_l", "_r"],
    ["Left", "Right"],
    [".left", ".right"],
    ["_left", "_right"],
    [" L", " R"],
];
/// The beginnings of names, for left and right.
const BEGINNINGS: [[&str; 2]; 4] = [["Left", "Right"], ["left", "right"], ["L_", "R_"], ["l_", "r_"]];

/// Returns the name that the joint on the other side has: `Arm.R` for `Arm.L`. `None` where the name tells no side.
#[must_use]
pub fn mirrored_name(name: &str) -> Option<String> {
    side(name)?;
    let both = |[a, b]: [&'static str; 2]| [[a, b], [b, a]];
    let end = ENDS.into_iter().flat_map(both).find_map(|[own, other]| Some(name.strip_suffix(own)?.to_owned() + other));
    end.or_else(|| {
        let mut begins = BEGINNINGS.into_iter().flat_map(both);
        begins.find_map(|[own, other]| Some(other.to_owned() + name.strip_prefix(own)?))
    })
}

/// Returns a name for a joint of a side: `Arm.L` for `Arm`. A name that tells a side already is turned to that side where that can be done.
#[must_use]
pub fn sided_name(name: &str, wanted: Side) -> String {
    match side(name) {
        Some((found, _)) if found == wanted => name.to_owned(),
        Some(_) => mirrored_name(name).unwrap_or_else(|| name.to_owned()),
        None => format!("{name}.{}", if wanted == Side::Left { "L" } else { "R" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_sides_are_those_of_one_pair() {
        for (left, right) in [
            ("Arm.L", "Arm.R"),
            ("arm_l", "arm_r"),
            ("LeftArm", "RightArm"),
            ("leftUpperArm", "rightUpperArm"),
            ("L_Arm", "R_Arm"),
            ("ArmLeft", "ArmRight"),
        ] {
            assert_eq!(mirrored_name(left).as_deref(), Some(right));
            assert_eq!(mirrored_name(right).as_deref(), Some(left));
            assert_eq!(sided_name(left, Side::Right), right);
            assert_eq!(sided_name(left, Side::Left), left);
        }
        for name in ["Hips", "Lamp", "Collar", ""] {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
        assert_eq!([Side::Left, Side::Right].map(|side| sided_name("Arm", side)), ["Arm.L", "Arm.R"]);
    }

    #[test]
    fn a_humanoid_is_within_its_box_and_the_same_on_both_sides() {
        let boxes = [
            // Arms spread, hanging, a figure that looks along X, one beside the origin, and flat ones.
            ([-0.9, 0.0, -0.2], [0.9, 1.8, 0.3]),
            ([-0.3, 0.0, -0.2], [0.3, 1.8, 0.2]),
            ([-0.2, 0.0, -0.9], [0.2, 1.8, 0.9]),
            ([4.0, 10.0, -0.2], [5.0, 11.8, 0.2]),
            ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
            ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0]),
        ];
        for (min, max) in boxes {
            let bounds = Aabb { min: Vec3::from(min), max: Vec3::from(max) };
            let (joints, frame) = (humanoid(bounds), BodyFrame::of(bounds));
            assert_eq!(joints.len(), 19);
            let slack = 1e-5 * (1.0 + bounds.farthest());
            for joint in &joints {
                let at = joint.position;
                assert!(bounds.distance(at) <= f64::from(slack), "{} at {at}", joint.name);
                match mirrored_name(&joint.name) {
                    Some(name) => {
                        let other = joints.iter().find(|other| other.name == name).unwrap();
                        assert!(frame.mirrored(at).distance(other.position) <= slack, "{}", joint.name);
                        assert!(frame.to_left(at) * frame.to_left(other.position) <= 0.0);
                    }
                    None => assert!(frame.to_left(at).abs() <= slack, "{}", joint.name),
                }
            }
        }
        let left = BodyFrame::of(Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) });
        assert!(left.to_left(Vec3::X) > 0.0, "a figure that looks along Z has its left at X");
    }

    #[test]
    fn spread_arms_are_level_and_others_hang() {
        let height_of = |half: f32| {
            let bounds = Aabb { min: Vec3::new(-half, 0.0, -0.1), max: Vec3::new(half, 2.0, 0.1) };
            let joints = humanoid(bounds);
            let find = |name: &str| joints.iter().find(|joint| joint.name == name).unwrap().position;
            (find("UpperArm.L").y, find("Hand.L").y, find("Hand.L").x)
        };
        let (shoulder, hand, out) = height_of(1.0);
        assert!((shoulder - hand).abs() < 1e-3 && out > 0.6);
        let (shoulder, hand, out) = height_of(0.3);
        assert!(shoulder - hand > 0.5 && out < 0.3);
    }
}
