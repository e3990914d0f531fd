//! Inverse bind matrices: broken ones, those that do not fit the rest pose, those that are not rigid.

use glam::{DMat4, DQuat, DVec3};
use serde_json::json;

use super::nodes::{set_local, wrap};
use crate::defects::document::Document;
use crate::defects::file::{Column, F32};
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::{Rig, local};

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("inverse-bind-singular", "all zero", |r, n| broken(r, n, |_| DMat4::ZERO)),
    &defect("inverse-bind-singular", "flat", |r, n| broken(r, n, |m| DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0)) * m)),
    &defect("inverse-bind-singular", "a line", |r, n| broken(r, n, |m| DMat4::from_scale(DVec3::X) * m)),
    &defect("inverse-bind-singular", "NaN", |r, n| broken(r, n, |m| with(m, 5, f64::NAN))),
    &defect("inverse-bind-singular", "infinite translation", |r, n| broken(r, n, |m| with(m, 13, f64::INFINITY))),
    &near_miss("inverse-bind-singular", "very small", |r, _| everywhere(r, DMat4::from_scale(DVec3::splat(1e-3)))),
    &near_miss("inverse-bind-singular", "very large", |r, _| everywhere(r, DMat4::from_scale(DVec3::splat(1e3)))),
    &defect("inverse-bind-mismatch", "moved a little", |r, n| moved(r, n, 0.02, 0.0, 1)),
    &defect("inverse-bind-mismatch", "moved far", |r, n| moved(r, n, 0.3, 0.0, 1)),
    &defect("inverse-bind-mismatch", "turned a little", |r, n| moved(r, n, 0.0, 3.0, 1)),
    &defect("inverse-bind-mismatch", "turned far", |r, n| moved(r, n, 0.0, 90.0, 1)),
    &defect("inverse-bind-mismatch", "several", |r, n| moved(r, n, 0.05, 15.0, 3)),
    &defect("inverse-bind-mismatch", "another rest rotation", |r, n| rested(r, n, 20.0)),
    &defect("inverse-bind-mismatch", "two are swapped", swapped),
    &defect("inverse-bind-mismatch", "the whole skin", another_pose),
    &near_miss("inverse-bind-mismatch", "less than one can see", |r, n| moved(r, n, 0.001, 0.2, 1)),
    &near_miss("inverse-bind-mismatch", "moved for all", |r, _| {
        everywhere(r, DMat4::from_translation(DVec3::ONE * r.size))
    }),
    &near_miss("inverse-bind-mismatch", "turned and scaled for all", shared),
    &near_miss("inverse-bind-mismatch", "a node above all joints", |r, _| above(r)),
    &defect("inverse-bind-non-rigid", "one axis a little longer", |r, n| {
        bent(r, n, DMat4::from_scale(DVec3::new(1.0, 1.04, 1.0)))
    }),
    &defect("inverse-bind-non-rigid", "one axis twice as long", |r, n| {
        bent(r, n, DMat4::from_scale(DVec3::new(2.0, 1.0, 1.0)))
    }),
    &defect("inverse-bind-non-rigid", "sheared", |r, n| bent(r, n, shear(0.4))),
    &defect("inverse-bind-non-rigid", "sheared a little", |r, n| bent(r, n, shear(0.05))),
    &defect("inverse-bind-non-rigid", "sheared for all", |r, _| sheared_for_all(r)),
    &near_miss("inverse-bind-non-rigid", "a mirror", |r, _| {
        everywhere(r, DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0)))
    }),
    &near_miss("inverse-bind-non-rigid", "one uniform scale, made up for", one_scaled),
];

fn shear(by: f64) -> DMat4 {
    with(DMat4::IDENTITY, 4, by)
}

fn with(m: DMat4, at: usize, value: f64) -> DMat4 {
    let mut all = m.to_cols_array();
    all[at] = value;
    DMat4::from_cols_array(&all)
}

/// Writes the inverse binds of the rig's skin, or of all skins.
pub fn set_binds(rig: &Rig, file: &mut Document, binds: &[DMat4], all_skins: bool) {
    let values = binds.iter().flat_map(|m| m.to_cols_array()).collect();
    let accessor = file.add(&Column::new(F32, 16, values), false);
    for skin in 0..file.list("skins").len() {
        if all_skins || skin == rig.skin {
            file.root["skins"][skin]["inverseBindMatrices"] = json!(accessor);
        }
    }
}

fn broken(rig: &Rig, random: &mut Random, how: fn(DMat4) -> DMat4) -> Case {
    let mut edit = Edit::new(rig);
    let mut binds = rig.inverse_bind.clone();
    for _ in 0..random.pick(&[1, 1, 2]) {
        let joint = random.below(binds.len());
        binds[joint] = how(binds[joint]);
        edit.plant.joints.push(rig.joints[joint]);
    }
    set_binds(rig, &mut edit.file, &binds, false);
    edit.done()
}

/// Moves the vertices to another mesh space, and the inverse binds with them: nothing is seen to move.
fn everywhere(rig: &Rig, m: DMat4) -> Case {
    let mut edit = Edit::new(rig);
    let binds: Vec<DMat4> = rig.inverse_bind.iter().map(|b| *b * m.inverse()).collect();
    set_binds(rig, &mut edit.file, &binds, true);
    for part in &rig.parts {
        let points = part.positions.iter().flat_map(|p| m.transform_point3(*p).to_array()).collect();
        edit.file.set_attribute(part.place, "POSITION", &Column::new(F32, 3, points));
    }
    edit.done()
}

/// All inverse binds hide the same transform, which stands in the rest pose: the skin shows elsewhere, and fits.
fn shared(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let turn = DQuat::from_rotation_y(random.below(6) as f64) * DQuat::from_rotation_x(1.0);
    let m = DMat4::from_scale_rotation_translation(DVec3::splat(3.0), turn, DVec3::new(1.0, 2.0, 3.0) * rig.size);
    let binds: Vec<DMat4> = rig.inverse_bind.iter().map(|b| *b * m).collect();
    set_binds(rig, &mut edit.file, &binds, true);
    edit.done()
}

fn above(rig: &Rig) -> Case {
    let mut edit = Edit::new(rig);
    let m = DMat4::from_scale_rotation_translation(DVec3::splat(2.0), DQuat::from_rotation_z(0.7), DVec3::ONE);
    wrap(&mut edit.file, m);
    edit.done()
}

/// Whether all joints rest as they were bound: where they do not, one more that does not is no news.
fn fits(rig: &Rig) -> bool {
    let of = |j: usize| rig.world[rig.joints[j]] * rig.inverse_bind[j];
    let (first, size) = (of(0), rig.size * of(0).x_axis.truncate().length());
    (1..rig.joints.len()).all(|j| {
        let other = of(j);
        let head = rig.heads[j];
        let moved = first.transform_point3(head).distance(other.transform_point3(head));
        let along = |m: DMat4| m.transform_vector3(DVec3::ONE).normalize_or_zero();
        moved < size * 0.01 && along(first).angle_between(along(other)) < 0.02
    })
}

/// A few joints, not more than a quarter of all, and not the first: what most agree on stays.
fn few(rig: &Rig, random: &mut Random, count: usize) -> Vec<usize> {
    let most = (rig.joints.len() / 4).max(1);
    let mut out: Vec<usize> = (0..count.min(most)).map(|_| 1 + random.below(rig.joints.len() - 1)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn axis(random: &mut Random) -> DVec3 {
    let mut number = || random.below(2001) as f64 / 1000.0 - 1.0;
    DVec3::new(number(), number(), number()).try_normalize().unwrap_or(DVec3::X)
}

fn about(point: DVec3, m: DMat4) -> DMat4 {
    DMat4::from_translation(point) * m * DMat4::from_translation(-point)
}

fn moved(rig: &Rig, random: &mut Random, by: f64, degrees: f64, count: usize) -> Case {
    if !fits(rig) {
        return None;
    }
    let mut edit = Edit::new(rig);
    let mut binds = rig.inverse_bind.clone();
    for joint in few(rig, random, count) {
        let turn = DMat4::from_axis_angle(axis(random), degrees.to_radians());
        let step = DMat4::from_translation(axis(random) * by * rig.size);
        binds[joint] *= about(rig.heads[joint], turn) * step;
        edit.plant.joints.push(rig.joints[joint]);
    }
    set_binds(rig, &mut edit.file, &binds, true);
    edit.done()
}

/// A joint with few below it rests in another way: it and all below it no longer fit.
fn rested(rig: &Rig, random: &mut Random, degrees: f64) -> Case {
    if !fits(rig) {
        return None;
    }
    let small = |j: &u32| rig.subtree(*j).len() <= (rig.joints.len() / 5).max(1);
    let joint = (0..100).map(|_| random.below(rig.joints.len()) as u32).find(small)?;
    let mut edit = Edit::new(rig);
    let node = rig.joints[joint as usize];
    let now = local(&edit.file.list("nodes")[node]);
    set_local(&mut edit.file, node, now * DMat4::from_axis_angle(axis(random), degrees.to_radians()));
    edit.plant.joints = rig.subtree(joint).iter().map(|j| rig.joints[*j as usize]).collect();
    edit.done()
}

fn swapped(rig: &Rig, random: &mut Random) -> Case {
    if !fits(rig) {
        return None;
    }
    if rig.joints.len() < 8 {
        return None;
    }
    let far = |(a, b): &(usize, usize)| rig.heads[*a].distance(rig.heads[*b]) > rig.size * 0.1;
    let n = rig.joints.len();
    let (a, b) = (0..100).map(|_| (random.below(n), random.below(n))).find(far)?;
    let mut edit = Edit::new(rig);
    let mut binds = rig.inverse_bind.clone();
    binds.swap(a, b);
    set_binds(rig, &mut edit.file, &binds, true);
    edit.plant.joints = vec![rig.joints[a], rig.joints[b]];
    edit.done()
}

/// Every joint rests otherwise than it was bound.
fn another_pose(rig: &Rig, random: &mut Random) -> Case {
    if !fits(rig) {
        return None;
    }
    let mut edit = Edit::new(rig);
    for node in &rig.joints {
        let now = local(&edit.file.list("nodes")[*node]);
        let degrees = 8.0 + random.below(25) as f64;
        set_local(&mut edit.file, *node, now * DMat4::from_axis_angle(axis(random), degrees.to_radians()));
    }
    edit.plant.severity = Some("info");
    edit.done()
}

fn bent(rig: &Rig, random: &mut Random, how: DMat4) -> Case {
    let mut edit = Edit::new(rig);
    let mut binds = rig.inverse_bind.clone();
    for joint in few(rig, random, 2) {
        binds[joint] *= about(rig.heads[joint], how);
        edit.plant.joints.push(rig.joints[joint]);
    }
    set_binds(rig, &mut edit.file, &binds, true);
    edit.plant.also = vec!["inverse-bind-mismatch"];
    edit.done()
}

fn sheared_for_all(rig: &Rig) -> Case {
    let mut edit = Edit::new(rig);
    let binds: Vec<DMat4> = rig.inverse_bind.iter().map(|b| *b * shear(0.3)).collect();
    set_binds(rig, &mut edit.file, &binds, true);
    edit.plant.joints.clone_from(&rig.joints);
    edit.done()
}

/// A joint is scaled; its children and its inverse bind undo that.
fn one_scaled(rig: &Rig, random: &mut Random) -> Case {
    let joint = random.below(rig.joints.len());
    let node = rig.joints[joint];
    let mut edit = Edit::new(rig);
    let scale = DMat4::from_scale(DVec3::splat([0.01, 0.5, 100.0][random.below(3)]));
    let now = local(&edit.file.list("nodes")[node]);
    set_local(&mut edit.file, node, now * scale);
    for child in (0..rig.parents.len()).filter(|c| rig.parents[*c] == Some(node)) {
        let now = local(&edit.file.list("nodes")[child]);
        set_local(&mut edit.file, child, scale.inverse() * now);
    }
    let mut binds = rig.inverse_bind.clone();
    binds[joint] = scale.inverse() * binds[joint];
    set_binds(rig, &mut edit.file, &binds, true);
    edit.done()
}
