use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_base::parallel::JobContext;

use crate::meshes_for_tests::{corpus, read};
use crate::{BINDERS, BindError, BindProblem, BindSettings, Bound, Joint, bind};

const FILES: [&str; 9] =
    ["two_legs", "elbow", "inside_out", "box_closed", "box_seams", "box_cracked", "box_holes", "shells", "dirty"];

fn file(name: &str) -> Option<BindProblem> {
    corpus(&format!("bind/{name}.glb")).map(|path| read(&path))
}

fn by(method: &str) -> BindSettings {
    BindSettings { method: method.to_owned(), ..BindSettings::default() }
}

fn bound(problem: &BindProblem, settings: &BindSettings) -> Bound {
    bind(problem, settings, &JobContext::of_waiting()).unwrap()
}

fn share(bound: &Bound, point: usize, joint: usize) -> f64 {
    bound.rows[point].iter().filter(|(j, _)| *j as usize == joint).map(|(_, share)| *share).sum()
}

/// The largest difference of a share, and the mean over points of the largest of each.
fn difference(a: &Bound, b: &Bound, pairs: &[(usize, usize)], joints: usize) -> (f64, f64) {
    let of = |(x, y): &(usize, usize)| {
        (0..joints).map(|joint| (share(a, *x, joint) - share(b, *y, joint)).abs()).fold(0.0, f64::max)
    };
    let all: Vec<f64> = pairs.iter().map(of).collect();
    (all.iter().copied().fold(0.0, f64::max), all.iter().sum::<f64>() / all.len() as f64)
}

fn same(problem: &BindProblem) -> Vec<(usize, usize)> {
    (0..problem.points.len()).map(|point| (point, point)).collect()
}

#[test]
fn every_point_has_weights_that_sum_to_one_of_no_more_joints_than_allowed() {
    for problem in FILES.iter().filter_map(|name| file(name)) {
        for binder in BINDERS {
            // What limits the number of joints is the same for all methods.
            let limits: &[usize] = if binder.id == "heat" { &[1, 2, 4] } else { &[4] };
            for most in limits.iter().copied() {
                let bound = bound(&problem, &BindSettings { most, ..by(binder.id) });
                assert_eq!(bound.rows.len(), problem.points.len());
                for row in &bound.rows {
                    let sum: f64 = row.iter().map(|(_, share)| share).sum();
                    assert!((sum - 1.0).abs() < 1e-12 && row.len() <= most, "{}: {row:?}", binder.id);
                    assert!(row.iter().all(|(joint, share)| *share > 0.0 && (*joint as usize) < problem.joints.len()));
                }
            }
        }
    }
}

#[test]
fn points_of_one_place_have_one_row() {
    let Some(problem) = file("box_seams") else { return };
    for binder in BINDERS {
        let bound = bound(&problem, &by(binder.id));
        for (a, at) in problem.points.iter().enumerate() {
            for b in (0..a).filter(|b| problem.points[*b] == *at) {
                assert_eq!(bound.rows[a], bound.rows[b], "{}", binder.id);
            }
        }
    }
}

/// The problem with its points, triangles and corners in another order: point `i` is point `order[i]` of the first one.
fn renumbered(problem: &BindProblem) -> (BindProblem, Vec<usize>) {
    let count = problem.points.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|point| (*point as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
    let mut new = vec![0; count];
    order.iter().enumerate().for_each(|(at, old)| new[*old] = at as u32);
    let mut out = problem.clone();
    out.points = order.iter().map(|old| problem.points[*old]).collect();
    out.triangles.reverse();
    out.triangles.iter_mut().for_each(|t| *t = [t[2], t[0], t[1]].map(|corner| new[corner as usize]));
    (out, order)
}

#[test]
fn the_order_of_points_and_triangles_changes_nothing() {
    for problem in ["two_legs", "shells", "dirty"].iter().filter_map(|name| file(name)) {
        let (other, order) = renumbered(&problem);
        for binder in BINDERS {
            let (a, b) = (bound(&problem, &by(binder.id)), bound(&other, &by(binder.id)));
            for (point, old) in order.iter().enumerate() {
                assert_eq!(b.rows[point], a.rows[*old], "{}", binder.id);
            }
        }
    }
}

#[test]
fn a_rigid_motion_or_a_scale_changes_no_weight() {
    for name in ["two_legs", "elbow", "shells", "box_holes"] {
        let Some(problem) = file(name) else { return };
        for binder in BINDERS {
            let before = bound(&problem, &by(binder.id));
            let motions =
                [(0.01, DVec3::new(1.0, 0.4, 0.7), 2.0, 1.0), (100.0, DVec3::Z, 0.0, 0.0), (1.0, DVec3::ONE, 1.1, 3.0)];
            // Methods share what a scale or a turn alone could change.
            let count = if binder.id == "heat" { motions.len() } else { 1 };
            for (scale, axis, angle, far) in motions.into_iter().take(count) {
                let turn = DQuat::from_axis_angle(axis.normalize(), angle);
                let moved = DAffine3::from_scale_rotation_translation(
                    DVec3::splat(scale),
                    turn,
                    DVec3::new(far, -far, 2.0 * far),
                );
                let mut other = problem.clone();
                other.points.iter_mut().for_each(|p| *p = moved.transform_point3(*p));
                for joint in &mut other.joints {
                    joint.head = moved.transform_point3(joint.head);
                    joint.axes = DMat3::from_quat(turn) * joint.axes;
                }
                let (largest, _) = difference(&before, &bound(&other, &by(binder.id)), &same(&problem), 4);
                assert!(largest <= 1e-4, "{name}, {}: {largest}", binder.id);
            }
        }
    }
}

#[test]
fn no_leg_moves_the_other_one() {
    let Some(problem) = file("two_legs") else { return };
    let sides: Vec<f64> = problem.joints.iter().map(|joint| joint.head.x).collect();
    for binder in BINDERS {
        let bound = bound(&problem, &by(binder.id));
        for (point, at) in problem.points.iter().enumerate().filter(|(_, at)| at.y < 0.74) {
            let other: f64 = (0..sides.len()).filter(|j| sides[*j] * at.x < 0.0).map(|j| share(&bound, point, j)).sum();
            assert!(other <= 1e-3, "{}: {other} at {at}", binder.id);
        }
    }
}

/// The volume around the joint `lower` when it is bent by a right angle, as a share of what it is at rest.
fn bent_volume(problem: &BindProblem, bound: &Bound, axis: DVec3) -> f64 {
    let lower = problem.joints.iter().position(|joint| joint.name == "lower").unwrap();
    let at = problem.joints[lower].head;
    let below = |joint: usize| {
        std::iter::successors(Some(joint), |joint| problem.joints[*joint].parent).any(|above| above == lower)
    };
    let turn = DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_2);
    let posed: Vec<DVec3> = problem
        .points
        .iter()
        .enumerate()
        .map(|(point, rest)| {
            let moved: f64 = (0..problem.joints.len()).filter(|j| below(*j)).map(|j| share(bound, point, j)).sum();
            *rest * (1.0 - moved) + (at + turn * (*rest - at)) * moved
        })
        .collect();
    // Two radii to both sides of the joint.
    let off = |corner: u32| (problem.points[corner as usize] - at).dot(direction(problem, lower)).abs();
    let is_near = |t: &&[u32; 3]| t.iter().all(|corner| off(*corner) <= 0.24);
    let near: Vec<[u32; 3]> = problem.triangles.iter().filter(is_near).copied().collect();
    let key = |point: u32| problem.points[point as usize].to_array().map(f64::to_bits);
    let volume = |points: &[DVec3]| {
        let corner = |t: &[u32; 3]| t.map(|corner| points[corner as usize] - at);
        let own: f64 = near.iter().map(corner).map(|[a, b, c]| a.dot(b.cross(c))).sum();
        // Each end is closed by a fan around its middle.
        let mut sides: std::collections::BTreeMap<[[u64; 3]; 2], [u32; 2]> = std::collections::BTreeMap::new();
        for [a, b, c] in &near {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                if sides.remove(&[key(to), key(from)]).is_none() {
                    sides.insert([key(from), key(to)], [from, to]);
                }
            }
        }
        let ends = [-1.0, 1.0].map(|end| {
            let is_there =
                |side: &&[u32; 2]| (problem.points[side[0] as usize] - at).dot(direction(problem, lower)) * end > 0.0;
            let all: Vec<[u32; 2]> = sides.values().filter(is_there).copied().collect();
            let middle = all.iter().map(|side| points[side[0] as usize] - at).sum::<DVec3>() / all.len() as f64;
            let fan =
                |[from, to]: &[u32; 2]| (points[*to as usize] - at).dot((points[*from as usize] - at).cross(middle));
            all.iter().map(fan).sum::<f64>()
        });
        (own + ends[0] + ends[1]).abs()
    };
    volume(&posed) / volume(&problem.points)
}

fn direction(problem: &BindProblem, joint: usize) -> DVec3 {
    let parent = problem.joints[joint].parent.unwrap();
    (problem.joints[joint].head - problem.joints[parent].head).normalize()
}

#[test]
fn a_bent_elbow_keeps_its_volume_whichever_way_triangles_are_turned() {
    for name in ["elbow", "inside_out"] {
        let Some(problem) = file(name) else { return };
        let bound = bound(&problem, &by("heat"));
        let lower = problem.joints.iter().position(|joint| joint.name == "lower").unwrap();
        let along = direction(&problem, lower);
        let across = along.any_orthonormal_vector();
        for axis in [across, along.cross(across)] {
            let volume = bent_volume(&problem, &bound, axis);
            assert!((0.92..1.1).contains(&volume), "{name}: {volume}");
        }
    }
}

/// For each point of one mesh the nearest of another one.
fn nearest(a: &BindProblem, b: &BindProblem) -> Vec<(usize, usize)> {
    let of = |(number, at): (usize, &DVec3)| {
        let distance = |other: &usize| b.points[*other].distance_squared(*at);
        (number, (0..b.points.len()).min_by(|x, y| distance(x).total_cmp(&distance(y))).unwrap())
    };
    a.points.iter().enumerate().map(of).collect()
}

#[test]
fn seams_cracks_and_holes_hardly_change_the_weights() {
    let Some(closed) = file("box_closed") else { return };
    for (method, limits) in
        [("heat", [[1e-6, 1e-6], [0.08, 0.01], [0.08, 0.01]]), ("voxel", [[1e-6, 1e-6], [0.08, 0.01], [0.08, 0.01]])]
    {
        let whole = bound(&closed, &by(method));
        for (name, [largest, mean]) in ["box_seams", "box_cracked", "box_holes"].iter().zip(limits) {
            let Some(problem) = file(name) else { return };
            let pairs = nearest(&problem, &closed);
            let found = difference(&bound(&problem, &by(method)), &whole, &pairs, closed.joints.len());
            assert!(found.0 <= largest && found.1 <= mean, "{method}, {name}: {found:?}");
        }
    }
}

#[test]
fn cloth_and_buttons_follow_the_arm_below() {
    let Some(problem) = file("shells") else { return };
    let heat = bound(&problem, &by("heat"));
    assert_eq!(heat.islands, 8);
    assert!(heat.fallback.is_empty(), "{:?}", heat.fallback);
    // The arm is the piece with the most points.
    let count = |island: u32| heat.island_of.iter().filter(|of| **of == island).count();
    let arm = (0..8).max_by_key(|island| count(*island)).unwrap();
    let (below, above): (Vec<usize>, Vec<usize>) =
        (0..problem.points.len()).partition(|point| heat.island_of[*point] == arm);
    let part = |points: &[usize]| BindProblem {
        points: points.iter().map(|p| problem.points[*p]).collect(),
        ..BindProblem::default()
    };
    let pairs = nearest(&part(&above), &part(&below)).into_iter().map(|(a, b)| (above[a], below[b]));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    for method in ["heat", "voxel"] {
        let bound = bound(&problem, &by(method));
        let (largest, mean) = difference(&bound, &bound, &pairs, problem.joints.len());
        assert!(largest <= 0.15 && mean <= 0.02, "{method}: {largest}, {mean}");
    }
}

#[test]
fn joints_near_no_surface_get_nothing_unless_there_are_no_others() {
    let Some(mut problem) = file("box_cracked") else { return };
    let joint = |name: &str, head| Joint { name: name.to_owned(), head, may_bind: true, ..Joint::default() };
    problem.joints.push(joint("pivot", DVec3::new(0.0, 0.5, 0.0)));
    let added = problem.joints.len() as u32 - 1;
    let far =
        |bound: &Bound| bound.rules.iter().filter(|a| a.rule == "near-nothing").map(|a| a.joint).collect::<Vec<_>>();
    for binder in BINDERS {
        let bound = bound(&problem, &by(binder.id));
        assert_eq!(far(&bound), [Some(added)], "{}", binder.id);
        assert!((0..problem.points.len()).all(|point| share(&bound, point, added as usize) == 0.0), "{}", binder.id);
    }
    problem.joints = vec![joint("pivot", DVec3::new(0.0, 5.0, 0.0))];
    let alone = bound(&problem, &by("heat"));
    assert_eq!((far(&alone), &alone.given_way[..]), (Vec::new(), &["near-nothing"][..]));
    assert!(alone.rows.iter().all(|row| row[..] == [(0, 1.0)]));
}

#[test]
fn what_cannot_be_bound_is_said() {
    let fails = |problem: &BindProblem, settings: &BindSettings| {
        bind(problem, settings, &JobContext::of_waiting()).unwrap_err()
    };
    let joint = |x: f64| Joint { head: DVec3::X * x, may_bind: true, ..Joint::default() };
    let triangle = BindProblem {
        joints: vec![joint(0.0), joint(1.0)],
        points: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        triangles: vec![[0, 1, 2]],
    };
    for binder in BINDERS {
        let settings = by(binder.id);
        let of = |change: &dyn Fn(&mut BindProblem)| {
            let mut problem = triangle.clone();
            change(&mut problem);
            fails(&problem, &settings)
        };
        assert_eq!(of(&|p| p.triangles.clear()), BindError::NoSurface);
        assert_eq!(of(&|p| p.points[2] = DVec3::X * 0.5), BindError::NoSurface);
        assert_eq!(of(&|p| p.joints.clear()), BindError::NoJoints);
        assert_eq!(of(&|p| p.joints.iter_mut().for_each(|j| j.may_bind = false)), BindError::NoFreeJoint(2));
        let not_finite = |what, first| BindError::NotFinite { what, count: 1, first };
        assert_eq!(of(&|p| p.points[1].y = f64::NAN), not_finite("points", 1));
        assert_eq!(of(&|p| p.joints[1].head.x = f64::INFINITY), not_finite("joints", 1));
        assert!(matches!(of(&|p| p.triangles[0][0] = 3), BindError::Malformed(_)));
        assert!(matches!(of(&|p| p.joints[0].parent = Some(0)), BindError::Malformed(_)));
        assert!(matches!(fails(&triangle, &BindSettings { most: 0, ..settings.clone() }), BindError::Setting(_)));
        let mut alone = triangle.clone();
        alone.joints.truncate(1);
        assert!(bound(&alone, &settings).rows.iter().all(|row| row[..] == [(0, 1.0)]), "{}", binder.id);
        // Joints far outside of the mesh, and several at one place.
        let mut outside = triangle.clone();
        outside.joints = vec![joint(50.0), joint(50.0), joint(90.0)];
        assert!(bound(&outside, &settings).rows.iter().all(|row| !row.is_empty()), "{}", binder.id);
    }
    assert!(matches!(fails(&triangle, &by("magic")), BindError::UnknownMethod(_)));
    let rule = BindSettings { rules_off: ["magic".to_owned()].into(), ..BindSettings::default() };
    assert!(matches!(fails(&triangle, &rule), BindError::UnknownRule(_)));
}
