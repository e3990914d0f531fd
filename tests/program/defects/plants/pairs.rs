//! Weights that are well-formed and wrong: rogues, joints of other limbs, sides that differ.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{change, patch};
use crate::defects::document::Document;
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::Rig;

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("rogue-vertices", "one vertex, all of it", |r, n| rogue(r, n, 0, 1.0)),
    &defect("rogue-vertices", "one vertex, some of it", |r, n| rogue(r, n, 0, 0.3)),
    &defect("rogue-vertices", "a patch, much of it", |r, n| rogue(r, n, 1, 0.6)),
    &defect("rogue-vertices", "a large patch, a little", |r, n| rogue(r, n, 2, 0.15)),
    &defect("rogue-vertices", "two patches", two_rogues),
    &near_miss("rogue-vertices", "the region grows by one ring", grown),
    &near_miss("rogue-vertices", "a shell of its own", own_shell),
    &near_miss("rogue-vertices", "split along an edge", super::surface::split_everywhere),
    &defect("far-influence", "one vertex", |r, n| far(r, n, 0, 0.3)),
    &defect("far-influence", "one vertex, wholly", |r, n| far(r, n, 0, 1.0)),
    &defect("far-influence", "a patch", |r, n| far(r, n, 1, 0.5)),
    &defect("far-influence", "a large patch", |r, n| far(r, n, 2, 0.2)),
    &near_miss("far-influence", "the joint above", close),
    &defect("asymmetry", "some of it to the joint above", |r, n| lopsided(r, n, 1, 0.3)),
    &defect("asymmetry", "one vertex", |r, n| lopsided(r, n, 0, 0.5)),
    &defect("asymmetry", "a large patch", |r, n| lopsided(r, n, 3, 0.25)),
    &defect("asymmetry", "most of it", |r, n| lopsided(r, n, 2, 0.8)),
    &near_miss("asymmetry", "less than one can see", |r, n| lopsided(r, n, 2, 0.002)),
    &near_miss("asymmetry", "both sides alike", both_sides),
];

/// Steps from a joint's own region that make a vertex a rogue for certain.
const APART: usize = 4;

/// Places that could be rogues of a joint: of the shell that holds all it moves, not near any of these, and farther from
/// its bone than they are.
fn rogue_places(rig: &Rig, joint: u32) -> Vec<usize> {
    let region = rig.region(joint);
    let Some(first) = region.first() else { return Vec::new() };
    if region.len() < 8 || region.iter().any(|p| rig.shell[*p] != rig.shell[*first]) {
        return Vec::new();
    }
    let steps = rig.steps(&region, APART + 3);
    let distance = |p: usize| rig.bone_distance(joint, rig.position(p));
    let near = region.iter().map(|p| distance(*p)).fold(f64::INFINITY, f64::min);
    let fits = |p: &usize| {
        steps[*p] > APART + 2 && rig.shell[*p] == rig.shell[*first] && distance(*p) > near * 2.0 + rig.size * 0.05
    };
    (0..rig.copies.len()).filter(fits).collect()
}

/// A joint and its possible rogues.
fn rogues(rig: &Rig, random: &mut Random) -> Option<(u32, Vec<usize>)> {
    (0..20).find_map(|_| {
        let joint = random.below(rig.joints.len()) as u32;
        let places = rogue_places(rig, joint);
        (!places.is_empty()).then_some((joint, places))
    })
}

fn rogue(rig: &Rig, random: &mut Random, steps: usize, share: f64) -> Case {
    let (joint, places) = rogues(rig, random)?;
    let mut edit = Edit::new(rig);
    let start = random.pick(&places);
    change(&mut edit, &patch(rig, start, steps), |w, v| w.give(v, joint, share));
    edit.plant.joints = vec![rig.joints[joint as usize]];
    edit.plant.also = vec!["far-influence", "asymmetry"];
    edit.done()
}

fn two_rogues(rig: &Rig, random: &mut Random) -> Case {
    let (joint, places) = rogues(rig, random)?;
    let mut edit = Edit::new(rig);
    for steps in [0, 1] {
        let start = random.pick(&places);
        change(&mut edit, &patch(rig, start, steps), |w, v| w.give(v, joint, 0.4));
    }
    edit.plant.joints = vec![rig.joints[joint as usize]];
    edit.plant.also = vec!["far-influence", "asymmetry"];
    edit.done()
}

/// What a joint moves grows over its own border: not a rogue, whatever else it is.
fn grown(rig: &Rig, random: &mut Random) -> Case {
    let (joint, _) = rogues(rig, random)?;
    let steps = rig.steps(&rig.region(joint), 1);
    let ring: Vec<usize> = (0..steps.len()).filter(|p| steps[*p] == 1).collect();
    let mut edit = Edit::new(rig);
    change(&mut edit, &ring, |w, v| w.give(v, joint, 0.2));
    edit.plant.also = vec!["asymmetry"];
    edit.done()
}

/// A small shell somewhere on the rig follows one joint that is not the one next to it.
fn own_shell(rig: &Rig, random: &mut Random) -> Case {
    let start = random.below(rig.copies.len());
    let shares = rig.shares(start);
    let most = *shares.iter().max_by(|a, b| a.1.total_cmp(b.1))?.0;
    let joint = rig.parent(most).unwrap_or(most);
    let mut edit = Edit::new(rig);
    let place = rig.parts[rig.copies[start][0].0].place;
    let size = rig.size * 0.02;
    let at = rig.position(start) + DVec3::splat(size * 3.0);
    let corners: Vec<DVec3> =
        [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]].map(|c| at + DVec3::from_array(c)).to_vec();
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let pairs = vec![vec![(joint, 1.0)]; 4];
    super::surface::add_primitive(
        &mut edit.file,
        place.0,
        &corners,
        &pairs,
        &triangles,
        rig.parts[0].weights.component,
    );
    edit.done()
}

/// Of two joints neither of which is above the other: steps between them over the skeleton.
fn apart(rig: &Rig, a: u32, b: u32) -> usize {
    let (a, b) = (rig.path(a), rig.path(b));
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.len() - shared, b.len() - shared);
    if a.min(b) == 0 { 0 } else { a + b }
}

fn far(rig: &Rig, random: &mut Random, steps: usize, share: f64) -> Case {
    let place_and_joint = (0..200).find_map(|_| {
        let place = random.below(rig.copies.len());
        let joint = random.below(rig.joints.len()) as u32;
        let of_other_limb = |p: usize| {
            let shares = rig.shares(p);
            rig.bone_distance(joint, rig.position(p)) > rig.size * 0.35
                && shares.keys().all(|j| apart(rig, joint, *j) >= 5 && limb(rig, joint, *j))
        };
        (!rig.region(joint).is_empty() && patch(rig, place, steps).into_iter().all(of_other_limb))
            .then_some((place, joint))
    });
    let (place, joint) = place_and_joint?;
    let mut edit = Edit::new(rig);
    change(&mut edit, &patch(rig, place, steps), |w, v| w.give(v, joint, share));
    edit.plant.joints = vec![rig.joints[joint as usize]];
    edit.plant.also = vec!["rogue-vertices", "asymmetry"];
    edit.done()
}

/// Whether both are two steps or more below where their paths part.
fn limb(rig: &Rig, a: u32, b: u32) -> bool {
    let (a, b) = (rig.path(a), rig.path(b));
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    a.len() >= shared + 2 && b.len() >= shared + 2
}

/// A joint gives some of what it moves to the joint above it, which moves it already.
fn close(rig: &Rig, random: &mut Random) -> Case {
    let moved = |p: &usize| {
        let shares = rig.shares(*p);
        shares.keys().find(|j| rig.parent(**j).is_some_and(|up| shares.contains_key(&up))).copied()
    };
    let place = (0..200).map(|_| random.below(rig.copies.len())).find(|p| moved(p).is_some())?;
    let up = rig.parent(moved(&place)?)?;
    let mut edit = Edit::new(rig);
    change(&mut edit, &[place], |w, v| w.give(v, up, 0.6));
    edit.plant.also = vec!["asymmetry"];
    edit.done()
}

/// The other side's name.
fn mirrored(name: &str) -> Option<String> {
    let pairs = [("Left", "Right"), ("left", "right"), ("_L", "_R"), (".L", ".R"), (".l", ".r"), ("_l", "_r")];
    for (left, right) in pairs.iter().flat_map(|(l, r)| [(l, r), (r, l)]) {
        if let Some(at) = name.find(left) {
            let end = &name[at + left.len()..];
            let whole_word = left.len() > 2 || end.is_empty() || end.starts_with(['_', '.', '-']);
            if whole_word {
                return Some(format!("{}{right}{end}", &name[..at]));
            }
        }
    }
    None
}

/// Pairs of joints by name (a joint of the middle pairs with itself), and of places across the plane that has most.
struct Mirror {
    joints: Vec<Option<u32>>,
    places: Vec<Option<usize>>,
}

impl Mirror {
    fn of(rig: &Rig) -> Option<Self> {
        let names: Vec<&str> =
            rig.joints.iter().map(|j| rig.file.list("nodes")[*j]["name"].as_str().unwrap_or("")).collect();
        let pair = |name: &&str| match mirrored(name) {
            Some(other) => names.iter().position(|n| *n == other).map(|j| j as u32),
            None => names.iter().position(|n| n == name).map(|j| j as u32),
        };
        let joints: Vec<Option<u32>> = names.iter().map(pair).collect();
        let sides = joints.iter().enumerate().filter(|(j, o)| o.is_some_and(|o| o as usize != *j)).count();
        if sides < 4 {
            return None;
        }
        let grid = rig.size * 1e-4;
        let places = (0..3).map(|axis| pairs(rig, axis, grid)).max_by_key(|p| p.iter().flatten().count())?;
        let out = Self { joints, places };
        // Where the sides differ everywhere, one difference more is none.
        let paired = || out.places.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?)));
        let alike = paired().filter(|(a, b)| out.alike(rig, *a, *b)).count();
        (alike * 10 > paired().count() * 9).then_some(out)
    }

    /// Whether two places have mirrored weights.
    fn alike(&self, rig: &Rig, a: usize, b: usize) -> bool {
        let mirrored: Option<BTreeMap<u32, f64>> =
            rig.shares(a).into_iter().map(|(j, w)| Some((self.joints[j as usize]?, w))).collect();
        let other = rig.shares(b);
        mirrored.is_some_and(|m| {
            m.len() == other.len() && m.iter().all(|(j, w)| other.get(j).is_some_and(|o| (o - w).abs() < 0.01))
        })
    }
}

fn pairs(rig: &Rig, axis: usize, grid: f64) -> Vec<Option<usize>> {
    let key = |p: DVec3| p.to_array().map(|x| (x / grid).round() as i64);
    let all: BTreeMap<[i64; 3], usize> = (0..rig.copies.len()).map(|p| (key(rig.position(p)), p)).collect();
    let other = |p: usize| {
        let mut at = rig.position(p);
        at[axis] = -at[axis];
        let k = key(at);
        let mut near = (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])));
        near.find_map(|d| all.get(&[k[0] + d[0], k[1] + d[1], k[2] + d[2]]).copied()).filter(|o| *o != p)
    };
    (0..rig.copies.len()).map(other).collect()
}

/// A patch of one side gives a share of what a paired joint moves to the joint above it.
fn lopsided(rig: &Rig, random: &mut Random, steps: usize, share: f64) -> Case {
    let mirror = Mirror::of(rig)?;
    let (places, joint, up) = (0..400).find_map(|_| {
        let start = random.below(rig.copies.len());
        let joint = *rig.shares(start).iter().max_by(|a, b| a.1.total_cmp(b.1))?.0;
        let paired = mirror.joints[joint as usize].is_some_and(|o| o != joint);
        let up = rig.parent(joint).filter(|_| paired)?;
        let side = |p: usize| rig.shares(p).get(&joint).is_some_and(|w| *w > 0.5);
        let places: Vec<usize> = patch(rig, start, steps).into_iter().filter(|p| side(*p)).collect();
        let partners: Option<Vec<usize>> = places.iter().map(|p| mirror.places[*p]).collect();
        let partners = partners?;
        let alike = places.iter().zip(&partners).all(|(a, b)| mirror.alike(rig, *a, *b) && !places.contains(b));
        alike.then_some((places, joint, up))
    })?;
    let mut edit = Edit::new(rig);
    change(&mut edit, &places, |w, v| {
        let had = w.shares(v).get(&up).copied().unwrap_or(0.0);
        w.give(v, up, (had + share * (1.0 - had)).min(0.95));
    });
    for partner in places.iter().filter_map(|p| mirror.places[*p]) {
        rig.copies[partner].iter().for_each(|(part, v)| edit.must_name(*part, *v));
    }
    let nodes = [Some(joint), mirror.joints[joint as usize]].into_iter().flatten();
    edit.plant.joints = nodes.map(|j| rig.joints[j as usize]).collect();
    edit.plant.also = vec!["rogue-vertices"];
    edit.done()
}

/// The same change on both sides.
fn both_sides(rig: &Rig, random: &mut Random) -> Case {
    let mirror = Mirror::of(rig)?;
    let (start, joint, up) = (0..400).find_map(|_| {
        let start = random.below(rig.copies.len());
        let joint = *rig.shares(start).iter().max_by(|a, b| a.1.total_cmp(b.1))?.0;
        let up = rig.parent(joint).filter(|up| rig.shares(start).contains_key(up))?;
        let partner = mirror.places[start]?;
        (mirror.joints[joint as usize].is_some_and(|o| o != joint) && mirror.alike(rig, start, partner))
            .then_some((start, joint, up))
    })?;
    let (other, other_up) = (mirror.joints[joint as usize]?, mirror.joints[up as usize]?);
    let mut edit = Edit::new(rig);
    let share = rig.shares(start).get(&up).copied()? + 0.2;
    change(&mut edit, &[start], |w, v| w.give(v, up, share.min(0.9)));
    change(&mut edit, &[mirror.places[start]?], |w, v| w.give(v, other_up, share.min(0.9)));
    edit.plant.joints = vec![rig.joints[joint as usize], rig.joints[other as usize]];
    edit.done()
}
