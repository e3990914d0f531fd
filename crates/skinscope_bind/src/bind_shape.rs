//! What a method looks at beside the surface, as shapes that can be drawn.

use glam::{DAffine3, DVec3};

/// A shape by which a method shares the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindShape {
    /// The joint that it belongs to.
    pub joint: u32,
    /// What it is.
    pub form: ShapeForm,
}

/// What a shape is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeForm {
    /// The envelope of a bone.
    Capsule(Capsule),
    /// The plane between a bone and the one before it.
    Plane(JointPlane),
}

/// A bone with two radii around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Both ends of the bone.
    pub ends: [DVec3; 2],
    /// The radius that follows from the surface around the bone.
    pub radius: f64,
    /// The inner and the outer radius, as shares of that one.
    pub shares: [f64; 2],
    /// How many points of the surface have no bone nearer.
    pub next: usize,
    /// How many of these lie within the outer radius.
    pub within: usize,
}

/// A plane through a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPlane {
    /// The joint.
    pub at: DVec3,
    /// The normal, of length 1, along the bone.
    pub normal: DVec3,
    /// About how far the surface is from the joint.
    pub size: f64,
}

impl ShapeForm {
    /// Returns the shape as it is once a matrix has moved it. Where the matrix does not scale alike along all axes, lengths follow the mean.
    #[must_use]
    pub fn moved(&self, matrix: &DAffine3) -> Self {
        let scale = matrix.matrix3.determinant().abs().cbrt();
        match self {
            Self::Capsule(capsule) => {
                let ends = capsule.ends.map(|end| matrix.transform_point3(end));
                Self::Capsule(Capsule { ends, radius: capsule.radius * scale, ..*capsule })
            }
            Self::Plane(plane) => Self::Plane(JointPlane {
                at: matrix.transform_point3(plane.at),
                normal: (matrix.matrix3.inverse().transpose() * plane.normal).normalize_or_zero(),
                size: plane.size * scale,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_base::parallel::JobContext;

    use super::*;
    use crate::{BindProblem, BindSettings, Bound, Joint, RULES, bind};

    const SIDES: usize = 8;
    const RINGS: usize = 31;

    /// A tube along Y from 0 to 3 of radius 0.2, with joints at 0, 1 and 2.
    fn tube() -> BindProblem {
        let joint = |at: usize| Joint {
            name: format!("Joint {at}"),
            parent: at.checked_sub(1),
            head: DVec3::Y * at as f64,
            may_bind: true,
            ..Joint::default()
        };
        let point = |at: usize| {
            let angle = std::f64::consts::TAU * (at % SIDES) as f64 / SIDES as f64;
            DVec3::new(0.2 * angle.cos(), 3.0 * (at / SIDES) as f64 / (RINGS - 1) as f64, 0.2 * angle.sin())
        };
        let mut triangles = Vec::new();
        for ring in 0..RINGS - 1 {
            for side in 0..SIDES {
                let [a, b] = [side, (side + 1) % SIDES].map(|side| (ring * SIDES + side) as u32);
                let [c, d] = [a, b].map(|corner| corner + SIDES as u32);
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
        BindProblem { joints: (0..3).map(joint).collect(), points: (0..RINGS * SIDES).map(point).collect(), triangles }
    }

    /// Settings without any rule, so that weights are those of the method.
    fn by(method: &str) -> BindSettings {
        let rules_off = RULES.iter().map(|rule| rule.id.to_owned()).collect();
        BindSettings { method: method.to_owned(), rules_off, ..BindSettings::default() }
    }

    fn bound(settings: &BindSettings) -> Bound {
        bind(&tube(), settings, &JobContext::of_waiting()).unwrap()
    }

    fn capsules(bound: &Bound) -> Vec<(u32, Capsule)> {
        let of = |shape: &BindShape| match shape.form {
            ShapeForm::Capsule(capsule) => Some((shape.joint, capsule)),
            ShapeForm::Plane(_) => None,
        };
        bound.shapes.iter().filter_map(of).collect()
    }

    /// How far a point is from the bone of a capsule, in radii.
    fn ratio(capsule: &Capsule, point: DVec3) -> f64 {
        let [from, to] = capsule.ends;
        let share = ((point - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
        (from + (to - from) * share).distance(point) / capsule.radius
    }

    #[test]
    fn the_shapes_of_envelopes_are_what_shares_the_surface() {
        let problem = tube();
        let bound = bound(&by("envelope"));
        let capsules = capsules(&bound);
        assert_eq!(capsules.iter().map(|(joint, _)| *joint).collect::<Vec<_>>(), [0, 1, 2]);
        for (joint, capsule) in &capsules {
            assert!(capsule.ends[0].distance(problem.joints[*joint as usize].head) < 1e-9);
            assert!((capsule.radius - 0.2).abs() < 0.01, "{}", capsule.radius);
            assert!(capsule.within > 0 && capsule.within <= capsule.next);
        }
        assert_eq!(capsules.iter().map(|(_, capsule)| capsule.next).sum::<usize>(), problem.points.len());
        for (row, point) in bound.rows.iter().zip(&problem.points) {
            // The shares of the capsules that reach the point are those of its row.
            let of = |(joint, capsule): &(u32, Capsule)| {
                let [inner, outer] = capsule.shares;
                let t = ((outer - ratio(capsule, *point)) / (outer - inner)).clamp(0.0, 1.0);
                (*joint, t * t * (3.0 - 2.0 * t))
            };
            let own: Vec<(u32, f64)> = capsules.iter().map(of).filter(|(_, share)| *share > 0.0).collect();
            let sum: f64 = own.iter().map(|(_, share)| share).sum();
            // Small shares are pruned.
            if own.iter().all(|(_, share)| *share > 0.1 * sum) {
                for (joint, share) in own {
                    let found = row.iter().find(|(other, _)| *other == joint).map_or(0.0, |(_, share)| *share);
                    assert!((found - share / sum).abs() < 1e-6, "joint {joint} at {point}: {found}");
                }
            }
        }
    }

    #[test]
    fn radii_of_a_joint_change_the_weights_of_what_they_reach_and_no_others() {
        let (problem, usual) = (tube(), by("envelope"));
        let before = bound(&usual);
        let wide = BindSettings { envelopes: [("Joint 1".to_owned(), [1.0, 2.0])].into(), ..usual.clone() };
        let after = bound(&wide);
        let of = |bound: &Bound| capsules(bound).iter().map(|(_, capsule)| capsule.shares).collect::<Vec<_>>();
        assert_eq!(of(&before), [[0.5, 1.2]; 3]);
        assert_eq!(of(&after), [[0.5, 1.2], [1.0, 2.0], [0.5, 1.2]]);
        let all = capsules(&before);
        let mut changed = 0;
        for (at, point) in problem.points.iter().enumerate() {
            let reached = |joint: usize, outer: f64| ratio(&all[joint].1, *point) < outer;
            if !reached(1, 2.0) && (reached(0, 1.2) || reached(2, 1.2)) {
                assert_eq!(before.rows[at], after.rows[at], "{point}");
            }
            changed += usize::from(before.rows[at] != after.rows[at]);
        }
        assert!(changed > 0 && changed < problem.points.len(), "{changed}");
        let narrow = BindSettings { envelopes: [("Joint 1".to_owned(), [0.1, 0.5])].into(), ..usual };
        let [(_, usual), (_, narrow)] = [&before, &bound(&narrow)].map(|bound| capsules(bound)[1]);
        assert!(narrow.next == usual.next && narrow.within < usual.within);
    }

    #[test]
    fn radii_that_make_no_capsule_are_refused() {
        for [inner, outer] in [[0.5, 0.5], [-1.0, 1.0], [0.5, 99.0], [f64::NAN, 1.0]] {
            let wrong = BindSettings { envelopes: [("Joint 1".to_owned(), [inner, outer])].into(), ..by("envelope") };
            let found = bind(&tube(), &wrong, &JobContext::of_waiting());
            assert!(matches!(found, Err(crate::BindError::Setting(_))), "{inner}, {outer}");
        }
    }

    #[test]
    fn planes_stand_at_the_joints_between_two_bones_and_other_methods_have_no_shapes() {
        let lined = bound(&by("line"));
        let planes: Vec<(u32, ShapeForm)> = lined.shapes.iter().map(|shape| (shape.joint, shape.form)).collect();
        assert_eq!(planes.len(), 2);
        for (joint, form) in planes {
            let ShapeForm::Plane(plane) = form else { panic!("no plane") };
            assert!(plane.at.distance(DVec3::Y * f64::from(joint)) < 1e-9 && plane.normal.distance(DVec3::Y) < 1e-9);
            assert!((plane.size - 0.2).abs() < 0.03, "{}", plane.size);
        }
        assert!(bound(&by("nearest")).shapes.is_empty());
    }

    #[test]
    fn a_shape_follows_a_matrix() {
        let turn = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let matrix = DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), turn, DVec3::X);
        let plane = ShapeForm::Plane(JointPlane { at: DVec3::Y, normal: DVec3::Y, size: 1.0 });
        let ShapeForm::Plane(moved) = plane.moved(&matrix) else { panic!("no plane") };
        assert!(moved.at.distance(DVec3::NEG_X) < 1e-12 && moved.normal.distance(DVec3::NEG_X) < 1e-12);
        assert!((moved.size - 2.0).abs() < 1e-12);
    }
}
