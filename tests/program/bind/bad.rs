//! Meshes and skeletons with all that can be wrong with them: bound whole, or refused with the reason before anything is written.

use glam::Vec3;
use skinscope::bind::BINDERS;

use super::made::Rig;
use super::{bound, refused, with};
use crate::fix::run::captured;
use crate::fix::said;

/// What is done to the tube.
type Change = fn(&mut Rig);

/// What all methods bind whole, with a skin and without.
const BOUND: &[(&str, Change)] = &[
    ("inside out", |rig| rig.triangles.iter_mut().for_each(|t| t.swap(0, 1))),
    ("turned here and there", |rig| rig.triangles.iter_mut().step_by(3).for_each(|t| t.swap(1, 2))),
    ("slivers", |rig| {
        let first = rig.points.len() as u32;
        let [a, b] = [rig.points[20], rig.points[90]];
        rig.points.extend([a, b, 0.5 * (a + b) + Vec3::Z * 1e-6]);
        rig.triangles.push([first, first + 1, first + 2]);
        rig.triangles.extend([[20, 90, first + 2], [30, 100, 21]]);
    }),
    ("specks", |rig| {
        for (middle, half) in
            [(Vec3::new(0.5, 1.0, 0.0), 1e-5), (Vec3::new(0.5, 1.0, 0.0), 2e-6), (Vec3::new(3.0, 5.0, 0.0), 1e-4)]
        {
            rig.add_box(middle, half);
        }
    }),
    ("edges of three and four triangles", |rig| {
        let first = rig.points.len() as u32;
        rig.points.extend([Vec3::new(0.7, 1.2, 0.0), Vec3::new(0.7, 1.2, 0.3)]);
        rig.triangles.extend([[33, 44, first], [33, 44, first + 1], [44, 55, first]]);
    }),
    ("doubled and without area", |rig| {
        let again: Vec<[u32; 3]> = rig.triangles.iter().step_by(5).copied().collect();
        rig.triangles.extend(again);
        rig.triangles.extend([[7, 7, 7], [3, 3, 9], [0, 10, 0]]);
    }),
    ("holes", |rig| {
        let kept = (0..).zip(&rig.triangles).filter(|(at, _): &(usize, _)| at % 7 != 3).map(|(_, t)| *t);
        rig.triangles = kept.collect();
    }),
    ("hardly anything left", |rig| rig.triangles.truncate(3)),
    ("one triangle", |rig| {
        rig.points.truncate(24);
        rig.triangles = vec![[0, 5, 13]];
    }),
    ("a crack", |rig| rig.points.iter_mut().step_by(11).for_each(|point| *point += Vec3::new(0.004, 0.0, 0.003))),
    ("triangles that share no vertex", |rig| {
        let points: Vec<Vec3> = rig.triangles.iter().flatten().map(|corner| rig.points[*corner as usize]).collect();
        rig.points = points;
        rig.triangles = (0..rig.points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    }),
    ("triangles that stand apart", |rig| {
        let soup = rig.triangles.iter().flat_map(|corners| {
            let [a, b, c] = corners.map(|corner| rig.points[corner as usize]);
            let middle = (a + b + c) / 3.0;
            [a, b, c].map(|point| middle + 0.8 * (point - middle))
        });
        rig.points = soup.collect();
        rig.triangles = (0..rig.points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    }),
    ("vertices of no triangle", |rig| {
        rig.points.extend([Vec3::ZERO, Vec3::new(0.1, 1.0, 0.0), Vec3::splat(40.0)]);
    }),
    ("flat", |rig| rig.points.iter_mut().for_each(|point| point.z = 0.0)),
    ("joints outside", |rig| rig.joints.iter_mut().for_each(|joint| joint.head += Vec3::new(50.0, -7.0, 3.0))),
    ("one joint outside", |rig| rig.joints[3].head = Vec3::new(-20.0, 0.0, 0.0)),
    ("joints on the surface", |rig| {
        for (at, vertex) in [(1, 40), (2, 90), (3, 150)] {
            rig.joints[at].head = rig.points[vertex];
        }
    }),
    ("joints at one place", |rig| rig.joints.iter_mut().for_each(|joint| joint.head = Vec3::new(0.0, 1.0, 0.0))),
    ("one joint", |rig| *rig = Rig { is_skinned: rig.is_skinned, ..Rig::chain(1) }),
    ("joints without parents", |rig| rig.joints.iter_mut().for_each(|joint| joint.parent = None)),
    ("helpers alone", |rig| {
        for joint in &mut rig.joints {
            joint.name = format!("ik target {}", joint.head.y);
        }
    }),
];

#[test]
fn what_is_wrong_with_a_skinned_mesh_is_bound_whole() {
    for (what, change) in BOUND {
        let mut rig = Rig::tube();
        change(&mut rig);
        let folder = with(&format!("bad {what}"), &rig);
        for binder in BINDERS {
            bound(&folder, &["--method", binder.id]);
        }
    }
}

#[test]
fn what_is_wrong_with_a_mesh_without_a_skin_is_bound_whole() {
    for (what, change) in BOUND {
        let mut rig = Rig::bare();
        change(&mut rig);
        let root = rig.joints[0].name.clone();
        let folder = with(&format!("bare {what}"), &rig);
        for binder in BINDERS {
            bound(&folder, &["--method", binder.id, "--joints", &root]);
        }
    }
}

#[test]
fn a_joint_of_scale_0_gets_no_weight_or_is_refused() {
    // Where the skin says how the joint was bound, its scale at rest is no matter.
    let mut rig = Rig::tube();
    rig.joints[3].scale = 0.0;
    let folder = with("scale", &rig);
    bound(&folder, &["--without", "helpers"]);
    // Where it does not, nothing undoes the scale.
    rig.is_skinned = false;
    rig.write(&folder.join("a.glb"));
    std::fs::remove_file(folder.join("out.glb")).unwrap();
    refused(&folder, &["--joints", "root"], "tip");
    let mut rig = Rig::tube();
    rig.joints[2].bind = 0.0;
    let folder = with("bind", &rig);
    bound(&folder, &[]);
    let rows = super::rows(&folder, "out.glb");
    assert!(rows.iter().all(|row| super::weight(row, 2) == 0.0), "a joint that stands nowhere moves something");
    rig.joints.iter_mut().for_each(|joint| joint.bind = 0.0);
    rig.write(&folder.join("a.glb"));
    refused(&folder, &[], "inverse bind matrix");
}

#[test]
fn more_than_a_thousand_joints_are_bound() {
    for is_skinned in [true, false] {
        let folder = with(&format!("many joints {is_skinned}"), &Rig { is_skinned, ..Rig::chain(1500) });
        let root: &[&str] = if is_skinned { &[] } else { &["--joints", "bone 0"] };
        for binder in BINDERS {
            let told = bound(&folder, &[&["--method", binder.id], root].concat());
            assert_eq!(told["skins"][0]["joints"], 1500, "{}", binder.id);
        }
    }
}

#[test]
fn a_mesh_without_a_surface_is_refused() {
    let no_area: Change = |rig| rig.triangles.iter_mut().for_each(|t| t[2] = t[1]);
    let on_a_line: Change = |rig| rig.points.iter_mut().for_each(|point| *point = Vec3::Y * point.y);
    let at_a_point: Change = |rig| rig.points.fill(Vec3::ONE);
    for (what, change) in [("no area", no_area), ("on a line", on_a_line), ("at a point", at_a_point)] {
        let mut rig = Rig::tube();
        change(&mut rig);
        let folder = with(&format!("no surface {what}"), &rig);
        for binder in BINDERS {
            refused(&folder, &["--method", binder.id], "no triangles that have an area");
        }
        rig.is_skinned = false;
        rig.write(&folder.join("a.glb"));
        refused(&folder, &["--joints", "root"], "no triangles that have an area");
    }
    // Points are no surface either, whatever is said of them.
    for is_skinned in [true, false] {
        let folder = with(&format!("points {is_skinned}"), &Rig { mode: 0, is_skinned, ..Rig::tube() });
        let root: &[&str] = if is_skinned { &[] } else { &["--joints", "root"] };
        refused(&folder, root, "");
    }
}

#[test]
fn a_position_that_is_no_number_is_told_and_all_is_bound() {
    for bad in [f32::NAN, f32::INFINITY] {
        let mut rig = Rig::tube();
        rig.points[60].y = bad;
        for is_skinned in [true, false] {
            rig.is_skinned = is_skinned;
            let folder = with(&format!("position {bad} {is_skinned}"), &rig);
            let root: &[&str] = if is_skinned { &[] } else { &["--joints", "root"] };
            for binder in BINDERS {
                bound(&folder, &[&["--method", binder.id], root].concat());
            }
            let done = captured(&folder, &[&["bind", "a.glb", "-o", "out.glb"], root].concat());
            assert!(said(&done).contains("not finite"), "{}", said(&done));
        }
    }
}

#[test]
fn a_mesh_that_two_nodes_show_is_bound_once_or_refused() {
    let folder = with("two nodes", &Rig { shown: 2, ..Rig::tube() });
    bound(&folder, &[]);
    let folder = with("two nodes bare", &Rig { shown: 2, ..Rig::bare() });
    refused(&folder, &["--joints", "root"], "is shown by “show 0” and by “show 1”");
}

#[test]
fn a_mesh_without_a_skin_needs_a_root_and_one_with_a_skin_has_one() {
    let folder = with("no skin", &Rig::bare());
    refused(&folder, &[], "--joints ROOT");
    refused(&folder, &["--joints", "pelvis"], "pelvis");
    refused(&folder, &["--joints", "root", "--mesh", "3"], "the file has no mesh 3");
    refused(&folder, &["--humanoid", "--lock", "lower"], "--lock");
    refused(&folder, &["--joints", "lower", "--lock", "root"], "“root” is none of the joints that the meshes gain");
    let folder = with("skin", &Rig::tube());
    refused(&folder, &["--joints", "root"], "no mesh is without a skin");
}
