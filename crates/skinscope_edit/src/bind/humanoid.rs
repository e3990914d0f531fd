//! Joints of a standing figure, placed by sections through it and by the usual proportions, and the names of joints of both sides.

use std::collections::BTreeSet;

use glam::{Vec2, Vec3};
use skinscope_base::math::{Aabb, Ray, length};
use skinscope_inspect::symmetry::plane_of_points;
use skinscope_model::{Model, Side, side};

use super::figure::{Figure, feet_ahead};
use super::main_body::MainBody;
use super::middle::middles_in;
use super::placed_joint::PlacedJoint;

/// How much deeper than wide a figure is that looks along the X axis, since its arms are spread along Z.
const TURNED: f32 = 1.2;
/// How far from the middle of its box the plane of symmetry may be at 0, as a share of the width.
const OFF_CENTRE: f32 = 0.05;

/// By how much farther than behind the legs feet reach before them to say where a figure looks, as a share of its height.
const TOES: f32 = 0.03;
/// Of legs and feet that lies this far from the middle of the body, as shares of how far the ankles do: no tail, and no train of a dress.
const OF_LEGS: [f32; 2] = [0.3, 2.5];

/// By how much the share of vertices that one plane mirrors has to be larger than that of another to be believed before the box.
const SURELY: f32 = 0.02;

/// Where a standing figure has its left, and the plane between both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// The box of the figure.
    pub bounds: Aabb,
    /// The unit vector to its left. It looks where its feet point; where they do not tell, along +Z, or along +X where it is much deeper than wide.
    pub left: Vec3,
    /// The plane of symmetry: `left · point` of its points.
    pub offset: f32,
    /// Whether that plane mirrors the mesh. Else it is the middle of the box.
    pub is_of_mesh: bool,
    /// Whether feet tell where it looks.
    pub is_by_feet: bool,
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
        Self { bounds, left, offset, is_of_mesh: false, is_by_feet: false }
    }

    /// Says where the plane of symmetry is and where the figure looks, and what tells it.
    #[must_use]
    pub fn words(&self) -> String {
        let axis = if self.left.x == 0.0 { "Z" } else { "X" };
        // To add to nothing leaves no minus before it.
        let at = if self.left.element_sum() < 0.0 { 0.0 - self.offset } else { self.offset };
        let at = format!("{axis} = {}", length(f64::from(at)));
        let sides = match self.is_of_mesh {
            true => format!("Sides by the plane of symmetry of the mesh, {at}"),
            false => format!("Sides by the middle of the bounds, {at}: the mesh has no plane of symmetry"),
        };
        let faces = self.faces().replace('-', "−");
        match self.is_by_feet {
            true => format!("{sides}; faces {faces} by its feet"),
            false => format!("{sides}; taken to face {faces}, since no feet tell"),
        }
    }

    /// Returns the axis along which the figure looks.
    #[must_use]
    pub fn faces(&self) -> &'static str {
        let ahead = self.left.cross(Vec3::Y);
        match ahead.z.abs() > ahead.x.abs() {
            true if ahead.z > 0.0 => "+Z",
            true => "-Z",
            false if ahead.x > 0.0 => "+X",
            false => "-X",
        }
    }

    /// Returns the same of a figure that looks the other way.
    fn turned(self) -> Self {
        Self { left: -self.left, offset: 0.0 - self.offset, ..self }
    }

    /// Lets the figure look where its feet point.
    fn by_feet(self, body: &MainBody) -> Self {
        let (ground, height) = (self.bounds.min.y, self.bounds.size().y);
        let Some([.., ankles]) = figure_of(body, &self).legs else { return self };
        let ahead = self.left.cross(Vec3::Y);
        let [least, most] = OF_LEGS.map(|share| share * ankles * height);
        let is_of_legs = |corners: &&[Vec3; 3]| {
            let aside = corners.iter().map(|at| self.to_left(*at).abs()).sum::<f32>() / 3.0;
            (least..most).contains(&aside)
        };
        let flat = |at: Vec3| Vec2::new(at.dot(ahead), at.y - ground) / height;
        let legs: Vec<[Vec2; 3]> = body.triangles.iter().filter(is_of_legs).map(|corners| corners.map(flat)).collect();
        match feet_ahead(&legs).filter(|more| more.abs() > TOES) {
            Some(more) if more < 0.0 => Self { is_by_feet: true, ..self.turned() },
            Some(_) => Self { is_by_feet: true, ..self },
            None => self,
        }
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

/// Returns where the meshes without a skin with these numbers (`None`: all) have their sides: by the plane that mirrors most of their vertices,
/// across X or Z; by the box around them where there is none. Where planes across both axes mirror as many, the box says which. The figure looks
/// where its feet point. Props that stand apart from it do not count.
#[must_use]
pub fn body_frame(model: &Model, meshes: Option<&BTreeSet<u32>>) -> BodyFrame {
    frame_of(model, &MainBody::of(model, meshes))
}

fn frame_of(model: &Model, body: &MainBody) -> BodyFrame {
    let by_box = BodyFrame::of(body.bounds);
    let other = if by_box.left == Vec3::X { Vec3::NEG_Z } else { Vec3::X };
    let mirrored = |left: Vec3| {
        let (plane, share) = plane_of_points(model, body.points.clone(), left.abs())?;
        // What is off by rounding alone is at 0.
        let is_off = plane.offset.abs() > 1e-5 * by_box.bounds.diagonal();
        let offset = if is_off { plane.offset * left.dot(plane.normal) } else { 0.0 };
        Some((share, BodyFrame { left, offset, is_of_mesh: true, ..by_box }))
    };
    let frame = match (mirrored(by_box.left), mirrored(other)) {
        (Some((share, _)), Some((more, other))) if more > share + SURELY => other,
        (Some((_, frame)), _) | (None, Some((_, frame))) => frame,
        (None, None) => by_box,
    };
    frame.by_feet(body)
}

/// The joints of the middle, from the hips up: the name, and the height as a share of the figure's.
const MIDDLE: [(&str, f32); 5] = [("Hips", 0.53), ("Spine", 0.59), ("Chest", 0.69), ("Neck", 0.82), ("Head", 0.87)];
/// How high the shoulders are.
const SHOULDERS: f32 = 0.8;
/// The length from the upper arm to the hand, as a share of the height.
const ARM: f32 = 0.3;

/// The joints of a humanoid, and what tells where they are.
#[derive(Clone, Debug)]
pub struct Humanoid {
    /// The 19 joints.
    pub joints: Vec<PlacedJoint>,
    /// Where the figure has its sides.
    pub frame: BodyFrame,
    /// The parts that sections through the mesh tell of: some of hips, neck, legs and arms. The others have the proportions of a grown person.
    pub sections: Vec<&'static str>,
}

impl Humanoid {
    /// Says what tells where the joints are.
    #[must_use]
    pub fn words(&self) -> String {
        let sections = match self.sections.as_slice() {
            [] => "all by the usual proportions".to_owned(),
            told => format!("{} from sections through the mesh", told.join(", ")),
        };
        format!("{}; {sections}", self.frame.words())
    }
}

/// Returns the 19 joints of a humanoid, placed into a box by the proportions of a standing figure whose arms are spread as wide as the box is.
/// Retargeting knows their names. They are within the box, and the same on both sides of its middle.
#[must_use]
pub fn humanoid(bounds: Aabb) -> Vec<PlacedJoint> {
    joints_in(&BodyFrame::of(bounds), &Figure::default())
}

/// Places the 19 joints where a figure has them, all in the middle of its box before and behind.
fn joints_in(frame: &BodyFrame, figure: &Figure) -> Vec<PlacedJoint> {
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
        add(name.to_owned(), Vec2::new(0.0, figure.height(up)), number.checked_sub(1));
    }
    let [hips, chest] = [0, 2];
    let arm = match figure.arms {
        Some(arms) => arms.map(|at| Vec2::new(height * at.x, at.y)),
        None => arm(height, half, figure),
    };
    let legs = figure.legs.map_or([(0.055 * height).min(0.5 * half); 3], |legs| legs.map(|aside| height * aside));
    let inner = (0.03 * height).min(0.2 * half).min(0.4 * arm[0].x);
    for (sign, end) in [(1.0, "L"), (-1.0, "R")] {
        let mut chain = |root: usize, joints: &[(&str, Vec2)]| {
            let mut parent = root;
            for (name, place) in joints {
                parent = add(format!("{name}.{end}"), Vec2::new(sign * place.x, place.y), Some(parent));
            }
        };
        let [upper, lower, hand] = arm;
        let shoulder = Vec2::new(inner, upper.y);
        chain(chest, &[("Shoulder", shoulder), ("UpperArm", upper), ("LowerArm", lower), ("Hand", hand)]);
        let place = |aside: f32, up: f32| Vec2::new(aside, figure.height(up));
        let [upper, lower, foot] = [place(legs[0], 0.51), place(legs[1], 0.28), place(legs[2], 0.045)];
        chain(hips, &[("UpperLeg", upper), ("LowerLeg", lower), ("Foot", foot)]);
    }
    out
}

/// How far beside a joint the body is looked for, as a share of its size.
const ASIDE: f32 = 7e-4;

/// Returns the joints of a humanoid for the meshes without a skin with these numbers (`None`: all): as high and as far aside as sections through
/// the mesh tell, and else as in [`humanoid`], and each as deep as the middle of the body is where the joint is seen from before the figure, so
/// that feet, a nose or a tail take no joint out of the body. One that the body is not behind is as deep as its parent.
#[must_use]
pub fn humanoid_in(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Humanoid {
    let body = MainBody::of(model, meshes);
    let frame = frame_of(model, &body);
    let figure = figure_of(&body, &frame);
    let mut joints = joints_in(&frame, &figure);
    let ahead = frame.left.cross(Vec3::Y);
    let size = frame.bounds.diagonal();
    // A ray in the plane of symmetry would meet edges, and might slip between two triangles.
    let away = size * (ahead + ASIDE * (frame.left + Vec3::Y));
    let rays: Vec<Ray> = joints.iter().map(|joint| Ray { origin: joint.position + away, direction: -ahead }).collect();
    let middles = middles_in(body.triangles.iter().copied(), size, &rays);
    let met: Vec<Option<f32>> = middles.into_iter().map(|at| Some(at?.dot(ahead))).collect();
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
    Humanoid { joints, frame, sections: figure.told() }
}

/// Looks at the sections through the body.
fn figure_of(body: &MainBody, frame: &BodyFrame) -> Figure {
    let (ground, height) = (frame.bounds.min.y, frame.bounds.size().y);
    if height <= 0.0 {
        return Figure::default();
    }
    let flat = |at: Vec3| Vec2::new(frame.to_left(at), at.y - ground) / height;
    let triangles: Vec<[Vec2; 3]> = body.triangles.iter().map(|corners| corners.map(flat)).collect();
    Figure::of(&triangles)
}

/// Returns upper arm, lower arm and hand by the usual proportions: how far from the middle, metres, and how high as a share of the height.
fn arm(height: f32, half: f32, figure: &Figure) -> [Vec2; 3] {
    let (start, length) = ((0.1 * height).min(0.6 * half), ARM * height);
    // Arms that are not spread hang down.
    let out = (0.8 * half - start).clamp(0.0, length);
    let drop = (length * length - out * out).max(0.0).sqrt();
    let shoulder = figure.height(SHOULDERS);
    [0.0, 0.5, 1.0].map(|share| {
        let up = shoulder - share * drop / height.max(f32::MIN_POSITIVE);
        Vec2::new(start + share * out, up.max(0.0))
    })
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
