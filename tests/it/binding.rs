//! Automatic binding of meshes and skeletons that nobody would make: no method ends badly, and every point has a row that is whole.

#![expect(clippy::panic, reason = "a test's helpers may stop the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{PI, TAU};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use glam::{DMat3, DQuat, DVec3, EulerRot};
use skinscope::bind::{BINDERS, BindError, BindProblem, BindSettings, Binder, Bound, Joint, RULES, bind};
use skinscope::parallel::JobContext;

/// Names of joints; some say that they are helpers, roots, or of a side.
const NAMES: [&str; 10] =
    ["", "bone", "Root", "IK_target", "arm.L", "arm.R", "hips", "tip_end", "骨", "mixamorig:LeftArm"];

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.below(1 << 24) as f64 / f64::from(1 << 24)
    }

    fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn point(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.between(-size, size)))
    }
}

/// Points and triangles.
type Mesh = (Vec<DVec3>, Vec<[u32; 3]>);

/// The triangles of a grid of so many points in each row, with those of its last row.
fn grid(rows: u32, columns: u32) -> Vec<[u32; 3]> {
    let squares = (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| row * columns + column));
    squares.flat_map(|a| [[a, a + 1, a + columns], [a + 1, a + columns + 1, a + columns]]).collect()
}

/// A ball with bumps; its seam and its poles have several points at one place.
fn blob(random: &mut Random) -> Mesh {
    let (rows, columns) = (3 + random.below(8) as u32, 4 + random.below(9) as u32);
    let stretched = DVec3::from_array([(); 3].map(|()| random.between(0.2, 2.0)));
    let bumps = [(); 3].map(|()| random.between(0.0, 0.3));
    let point = |at: u32| {
        let (row, column) = (at / columns, at % columns % (columns - 1));
        let (polar, around) =
            (PI * f64::from(row) / f64::from(rows - 1), TAU * f64::from(column) / f64::from(columns - 1));
        let around = if row == 0 || row == rows - 1 { 0.0 } else { around };
        let (a, b, c) = ((3.0 * around).sin(), (2.0 * polar).cos(), (around + polar).cos());
        let far = 1.0 + bumps[0] * a + bumps[1] * b + bumps[2] * c * polar.sin();
        far * stretched * DVec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin())
    };
    ((0..rows * columns).map(point).collect(), grid(rows, columns))
}

/// Two boxes that may cross, some triangles of which are missing.
fn boxes(random: &mut Random) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let (middle, half) = (random.point(0.7), DVec3::splat(0.2) + random.point(0.1));
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let first = points.len() as u32;
                let corner = |at: u32| {
                    let [u, v] = [at % 4, at / 4].map(|n| f64::from(n) / 1.5 - 1.0);
                    let of = [side, u, v];
                    middle + half * DVec3::new(of[(3 - axis) % 3], of[(4 - axis) % 3], of[(5 - axis) % 3])
                };
                points.extend((0..16).map(corner));
                triangles.extend(grid(4, 4).into_iter().map(|t| t.map(|corner| first + corner)));
            }
        }
    }
    triangles.retain(|_| !random.is(12));
    (points, triangles)
}

/// Triangles between any points.
fn soup(random: &mut Random) -> Mesh {
    let points: Vec<DVec3> = (0..3 + random.below(40)).map(|_| random.point(1.0)).collect();
    let count = 1 + random.below(60);
    let triangles = (0..count).map(|_| [(); 3].map(|()| random.below(points.len()) as u32)).collect();
    (points, triangles)
}

/// A mesh of one of the kinds, turned, scaled, and with faults.
fn mesh(random: &mut Random) -> Mesh {
    let (mut points, mut triangles) = match random.below(3) {
        0 => blob(random),
        1 => boxes(random),
        _ => soup(random),
    };
    if random.is(30) {
        triangles.iter_mut().step_by(2).for_each(|t| t.swap(0, 2));
    }
    if random.is(30) {
        let again: Vec<[u32; 3]> = triangles.iter().step_by(3).copied().collect();
        triangles.extend(again);
    }
    if random.is(30) {
        triangles.push([0, 0, 1]);
        points.push(random.point(3.0));
    }
    if random.is(20) {
        let flat = random.below(3);
        points.iter_mut().for_each(|point| point[flat] = 0.0);
    }
    let scale = [1.0, 1e-3, 1e3][random.below(3)];
    let turn = DQuat::from_euler(EulerRot::XYZ, random.between(-PI, PI), random.between(-1.0, 1.0), 0.0);
    let way = random.point(2.0) * scale;
    points.iter_mut().for_each(|point| *point = scale * (turn * *point) + way);
    (points, triangles)
}

/// Joints in and around a mesh: chains, trees and flat lists, some at one place, some far off.
fn skeleton(random: &mut Random, points: &[DVec3]) -> Vec<Joint> {
    let count = 1 + random.below(24);
    let is_flat = random.is(15);
    let mut joints: Vec<Joint> = Vec::new();
    for at in 0..count {
        let parent = if at == 0 || is_flat || random.is(5) { None } else { Some(random.below(at)) };
        let [a, b] = [(); 2].map(|()| points[random.below(points.len())]);
        let head = match random.below(10) {
            0 => joints.last().map_or(a, |joint| joint.head),
            1 => a,
            2 => a + 20.0 * (b - a),
            _ => 0.5 * (a + b),
        };
        let turn = DQuat::from_euler(EulerRot::XYZ, random.between(-PI, PI), random.between(-1.0, 1.0), 0.0);
        let axes = if random.is(10) { DMat3::ZERO } else { DMat3::from_quat(turn) };
        let name = NAMES[random.below(NAMES.len())].to_owned();
        joints.push(Joint { name, parent, head, axes, may_bind: !random.is(15) });
    }
    joints
}

/// A method with its numbers as they are, but with voxels as coarse as they may be, so that many meshes take little time.
fn coarse(binder: &Binder) -> BindSettings {
    let values = binder.parameters.iter().filter(|parameter| parameter.id == "resolution");
    let values = values.map(|parameter| (parameter.id.to_owned(), parameter.range[0])).collect();
    BindSettings { method: binder.id.to_owned(), values, ..BindSettings::default() }
}

fn settings(random: &mut Random, binder: &Binder) -> BindSettings {
    BindSettings {
        most: 1 + random.below(8),
        smooth: if random.is(30) { random.below(4) } else { 0 },
        rigid_pieces: random.is(20),
        rules_off: RULES.iter().filter(|_| random.is(25)).map(|rule| rule.id.to_owned()).collect(),
        ..coarse(binder)
    }
}

fn bound(what: &str, problem: &BindProblem, settings: &BindSettings) -> Result<Bound, BindError> {
    let run = AssertUnwindSafe(|| bind(problem, settings, &JobContext::of_waiting()));
    catch_unwind(run).unwrap_or_else(|_| panic!("{what}: it panicked"))
}

/// Every point has shares above 0 that sum to 1, largest first, of no more joints than asked for, all of which may have weight; points of one
/// place have one row.
fn look_at_rows(what: &str, problem: &BindProblem, settings: &BindSettings, bound: &Bound) {
    assert_eq!(bound.rows.len(), problem.points.len(), "{what}");
    let mut at_place: BTreeMap<[u64; 3], &[(u32, f64)]> = BTreeMap::new();
    for (point, (row, at)) in bound.rows.iter().zip(&problem.points).enumerate() {
        let sum: f64 = row.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{what}: point {point} sums to {sum}");
        assert!(row.len() <= settings.most, "{what}: point {point} has {} joints", row.len());
        for (joint, share) in row {
            let may_bind = problem.joints.get(*joint as usize).is_some_and(|joint| joint.may_bind);
            assert!(*share > 0.0 && may_bind, "{what}: point {point} has {share} of joint {joint}");
        }
        assert!(row.is_sorted_by(|a, b| a.1 >= b.1), "{what}: point {point} is not in order");
        let joints: BTreeSet<u32> = row.iter().map(|(joint, _)| *joint).collect();
        assert_eq!(joints.len(), row.len(), "{what}: point {point} has a joint twice");
        let first = at_place.entry((*at + DVec3::ZERO).to_array().map(f64::to_bits)).or_insert(row);
        assert!(*first == &row[..], "{what}: point {point} has another row than one at its place");
    }
}

#[test]
fn random_meshes_and_skeletons_are_bound_whole_by_every_method() {
    for seed in 0..60 {
        let mut random = Random(seed * 7919 + 1);
        let (points, triangles) = mesh(&mut random);
        let joints = skeleton(&mut random, &points);
        let problem = BindProblem { joints, points, triangles };
        for binder in BINDERS {
            let what = format!("seed {seed}, {}", binder.id);
            let settings = settings(&mut random, binder);
            match bound(&what, &problem, &settings) {
                Ok(bound) => look_at_rows(&what, &problem, &settings, &bound),
                Err(BindError::NoFreeJoint(_)) => assert!(problem.joints.iter().all(|joint| !joint.may_bind), "{what}"),
                Err(BindError::NoSurface) => assert!(area(&problem) < 1e-12, "{what}: it has a surface"),
                Err(why) => panic!("{what}: {why}"),
            }
        }
    }
}

/// The area of all triangles, as a share of the square of the size.
fn area(problem: &BindProblem) -> f64 {
    let at = |corner: &u32| problem.points[*corner as usize];
    let of = |[a, b, c]: &[u32; 3]| (at(b) - at(a)).cross(at(c) - at(a)).length();
    let size = problem.points.iter().map(|point| point.distance_squared(problem.points[0])).fold(0.0, f64::max);
    problem.triangles.iter().map(of).sum::<f64>() / size.max(f64::MIN_POSITIVE)
}

/// Each number of each method at both ends of its range.
#[test]
fn no_number_of_a_method_ends_badly() {
    for seed in 0..6 {
        let mut random = Random(seed * 104_729 + 5);
        let (points, triangles) = mesh(&mut random);
        let mut joints = skeleton(&mut random, &points);
        joints[0].may_bind = true;
        let problem = BindProblem { joints, points, triangles };
        for binder in BINDERS {
            for parameter in binder.parameters {
                let [least, most] = parameter.range;
                // The finest voxels take long, and find the same.
                let most = if parameter.id == "resolution" { parameter.default } else { most };
                for value in [least, most] {
                    let what = format!("seed {seed}, {} of {value}", parameter.id);
                    let values = [(parameter.id.to_owned(), value)].into();
                    let settings = BindSettings { method: binder.id.to_owned(), values, ..BindSettings::default() };
                    match bound(&what, &problem, &settings) {
                        Ok(bound) => look_at_rows(&what, &problem, &settings, &bound),
                        Err(why) => assert_eq!(why, BindError::NoSurface, "{what}"),
                    }
                }
            }
        }
    }
}

/// The weights do not depend on how points and triangles are numbered, nor on which corner a triangle begins with.
#[test]
fn the_numbering_of_random_meshes_changes_nothing() {
    for seed in 0..30 {
        let mut random = Random(seed * 6151 + 3);
        let (points, triangles) = mesh(&mut random);
        let joints = skeleton(&mut random, &points);
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_cached_key(|_| random.below(1 << 30));
        let mut new = vec![0; points.len()];
        order.iter().enumerate().for_each(|(at, old)| new[*old] = at as u32);
        let turned = triangles.iter().rev().map(|[a, b, c]| [*b, *c, *a].map(|corner| new[corner as usize]));
        let other = BindProblem {
            joints: joints.clone(),
            points: order.iter().map(|old| points[*old]).collect(),
            triangles: turned.collect(),
        };
        let problem = BindProblem { joints, points, triangles };
        for binder in BINDERS {
            let what = format!("seed {seed}, {}", binder.id);
            let settings = coarse(binder);
            let [first, second] = [&problem, &other].map(|problem| bound(&what, problem, &settings));
            let (Ok(first), Ok(second)) = (first, second) else { continue };
            for (row, old) in second.rows.iter().zip(&order) {
                assert_eq!(row, &first.rows[*old], "{what}: point {old}");
            }
        }
    }
}

#[test]
fn a_binding_that_is_cancelled_ends_without_weights() {
    let mut random = Random(11);
    let (points, triangles) = blob(&mut random);
    let joints = vec![
        Joint { may_bind: true, ..Joint::default() },
        Joint { head: DVec3::Y, may_bind: true, ..Joint::default() },
    ];
    let problem = BindProblem { joints, points, triangles };
    for binder in BINDERS {
        let settings = BindSettings { method: binder.id.to_owned(), ..BindSettings::default() };
        let context = JobContext::of_waiting();
        context.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(bind(&problem, &settings, &context).unwrap_err(), BindError::Cancelled, "{}", binder.id);
    }
}
