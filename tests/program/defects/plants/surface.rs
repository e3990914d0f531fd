//! Defects of the surface: vertices on edges, seams whose sides have different weights.

use glam::DVec3;
use serde_json::json;

use crate::defects::document::Document;
use crate::defects::file::{Column, F32};
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::Rig;
use crate::defects::weights::Weights;

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("t-junction", "in the middle, weights of one end", |r, n| junction(r, n, &Junction { at: 0.5, ..ONE })),
    &defect("t-junction", "near one end", |r, n| junction(r, n, &Junction { at: 0.2, ..ONE })),
    &defect("t-junction", "another joint", |r, n| junction(r, n, &Junction { moved_by: MovedBy::Other, ..ONE })),
    &defect("t-junction", "in another primitive", |r, n| junction(r, n, &Junction { apart: true, ..ONE })),
    &defect("t-junction", "several", |r, n| junction(r, n, &Junction { count: 5, ..ONE })),
    &near_miss("t-junction", "both triangles are split", |r, n| junction(r, n, &Junction { whole: true, ..ONE })),
    &near_miss("t-junction", "one joint moves the edge and the vertex", rigid_junction),
    &near_miss("t-junction", "beside the edge", |r, n| junction(r, n, &Junction { beside: 0.15, ..ONE })),
    &defect("seam-weights", "one side of a new seam, a little", |r, n| seam(r, n, 0.1, false, 1)),
    &defect("seam-weights", "one side of a new seam, much", |r, n| seam(r, n, 0.7, false, 1)),
    &defect("seam-weights", "a seam of many vertices", |r, n| seam(r, n, 0.3, false, 8)),
    &defect("seam-weights", "between primitives", |r, n| seam(r, n, 0.4, true, 1)),
    &defect("seam-weights", "at a seam that the file has", old_seam),
    &near_miss("seam-weights", "split with the same weights", split_everywhere),
    &near_miss("seam-weights", "in another order", shuffled),
    &near_miss("seam-weights", "off by a rounding", |r, n| seam(r, n, 0.001, false, 1)),
];

/// A primitive of its own in a mesh.
pub fn add_primitive(
    file: &mut Document,
    mesh: usize,
    positions: &[DVec3],
    pairs: &[Vec<(u32, f64)>],
    triangles: &[[u32; 3]],
    component: u32,
) -> (usize, usize) {
    let list = file.root["meshes"][mesh]["primitives"].as_array_mut().unwrap();
    list.push(json!({ "attributes": {} }));
    let place = (mesh, list.len() - 1);
    let stored = positions.iter().flat_map(|p| p.to_array()).collect();
    file.set_attribute(place, "POSITION", &Column::new(F32, 3, stored));
    Weights::of(pairs, component).write(file, place);
    file.set_triangles(place, triangles);
    place
}

/// Every attribute but the weights gets another element: a point between two vertices.
fn add_vertex(file: &mut Document, place: (usize, usize), (a, b): (u32, u32), at: f64, move_by: DVec3) -> DVec3 {
    let mut point = DVec3::ZERO;
    for name in file.attribute_names(place) {
        if name.starts_with("JOINTS") || name.starts_with("WEIGHTS") {
            continue;
        }
        let mut column = file.attribute(place, &name).unwrap();
        let (width, float) = (column.width, column.component == F32);
        for i in 0..width {
            let [x, y] = [a, b].map(|v| column.values[v as usize * width + i]);
            let mut value = if float { x + (y - x) * at } else { x };
            if name == "POSITION" {
                value += move_by[i];
                point[i] = value;
            }
            column.values.push(value);
        }
        file.set_attribute(place, &name, &column);
    }
    point
}

enum MovedBy {
    OneEnd,
    Other,
}

struct Junction {
    /// From one end (0) to the other (1).
    at: f64,
    moved_by: MovedBy,
    /// The new triangles are a primitive of their own.
    apart: bool,
    count: usize,
    /// Both triangles of the edge get the vertex: no junction.
    whole: bool,
    /// How far from the edge, in its lengths.
    beside: f64,
}

const ONE: Junction =
    Junction { at: 0.5, moved_by: MovedBy::OneEnd, apart: false, count: 1, whole: false, beside: 0.0 };

fn difference(a: &std::collections::BTreeMap<u32, f64>, b: &std::collections::BTreeMap<u32, f64>) -> f64 {
    let joints: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
    joints.into_iter().map(|j| (a.get(j).unwrap_or(&0.0) - b.get(j).unwrap_or(&0.0)).abs()).sum::<f64>() / 2.0
}

/// Places in a part's triangles, by edge (as welded places).
fn triangles_at(rig: &Rig, part: usize, a: usize, b: usize) -> Vec<(usize, usize)> {
    let welded = &rig.parts[part].welded;
    let mut out = Vec::new();
    for (t, triangle) in rig.parts[part].triangles.iter().enumerate() {
        for i in 0..3 {
            let (x, y) = (welded[triangle[i] as usize], welded[triangle[(i + 1) % 3] as usize]);
            if (x, y) == (a, b) || (x, y) == (b, a) {
                out.push((t, i));
            }
        }
    }
    out
}

/// An edge inside a part, with the two triangles that share it: (triangle, which edge of it).
fn edge(rig: &Rig, part: usize, random: &mut Random, fits: impl Fn(f64) -> bool) -> Option<[(usize, usize); 2]> {
    (0..300).find_map(|_| {
        let p = &rig.parts[part];
        let t = random.below(p.triangles.len());
        let i = random.below(3);
        let [a, b] = [p.triangles[t][i], p.triangles[t][(i + 1) % 3]];
        let (wa, wb) = (p.welded[a as usize], p.welded[b as usize]);
        // An edge that is long enough to be one, and no other part's.
        let long = p.positions[a as usize].distance(p.positions[b as usize]) > rig.size * 0.003;
        let alone = [wa, wb].iter().all(|w| rig.copies[*w].iter().all(|(q, _)| *q == part));
        let unlike = difference(&p.weights.shares(a), &p.weights.shares(b));
        if wa == wb || !long || !alone || !fits(unlike) {
            return None;
        }
        let found = triangles_at(rig, part, wa, wb);
        let other = found.iter().find(|(o, _)| *o != t).copied()?;
        (found.len() == 2).then_some([(t, i), other])
    })
}

fn junction(rig: &Rig, random: &mut Random, how: &Junction) -> Case {
    let part = random.below(rig.parts.len());
    let place = rig.parts[part].place;
    let mut edit = Edit::new(rig);
    let mut triangles = rig.parts[part].triangles.clone();
    let mut done: Vec<usize> = Vec::new();
    for _ in 0..how.count {
        let [first, second] = edge(rig, part, random, |d| d > 0.2)?;
        if done.contains(&first.0) || done.contains(&second.0) {
            continue;
        }
        done.extend([first.0, second.0]);
        split(&mut edit, part, &mut triangles, [first, second], how, random);
    }
    edit.file.set_triangles(place, &triangles);
    edit.plant.also = vec!["rogue-vertices", "far-influence", "asymmetry"];
    edit.done()
}

fn split(
    edit: &mut Edit,
    part: usize,
    triangles: &mut Vec<[u32; 3]>,
    [first, second]: [(usize, usize); 2],
    how: &Junction,
    random: &mut Random,
) {
    let rig = edit.rig;
    let p = &rig.parts[part];
    let turned = |(t, i): (usize, usize)| [0, 1, 2].map(|k| p.triangles[t][(i + k) % 3]);
    let [a, b, c] = turned(first);
    let other = match how.moved_by {
        MovedBy::OneEnd => None,
        MovedBy::Other => {
            Some(p.weights.pairs(a)[0].0).map(|j| rig.parent(j).unwrap_or(random.below(rig.joints.len()) as u32))
        }
    };
    let [pa, pb, pc] = [a, b, c].map(|v| p.positions[v as usize]);
    let move_by = (pc - pa.lerp(pb, how.at)).normalize_or_zero() * (pa.distance(pb) * how.beside);
    if how.apart {
        let point = pa.lerp(pb, how.at);
        let point = DVec3::from_array(point.to_array().map(|x| f64::from(x as f32)));
        let shares = |v: u32| p.weights.shares(v).into_iter().collect::<Vec<_>>();
        let pairs = [shares(a), shares(b), shares(c), shares(a)];
        let faces = [[0, 3, 2], [3, 1, 2]];
        let (mesh, _) = p.place;
        let place = add_primitive(&mut edit.file, mesh, &[pa, pb, pc, point], &pairs, &faces, p.weights.component);
        triangles.remove(first.0);
        edit.plant.vertices.insert(place, vec![3]);
        return;
    }
    add_vertex(&mut edit.file, p.place, (a, b), how.at, move_by);
    let new = edit.weights(part).copy(a);
    if let Some(joint) = other {
        edit.weights(part).give(new, joint, 0.8);
    }
    triangles[first.0] = [a, new, c];
    triangles.push([new, b, c]);
    if how.whole {
        let [a, b, c] = turned(second);
        triangles[second.0] = [a, new, c];
        triangles.push([new, b, c]);
    }
    edit.must_name(part, new);
}

fn rigid_junction(rig: &Rig, random: &mut Random) -> Case {
    let part = random.below(rig.parts.len());
    let pair = (0..50).find_map(|_| {
        let pair = edge(rig, part, random, |d| d < 1e-6)?;
        let (t, i) = pair[0];
        (rig.parts[part].weights.shares(rig.parts[part].triangles[t][i]).len() == 1).then_some(pair)
    })?;
    let mut edit = Edit::new(rig);
    let mut triangles = rig.parts[part].triangles.clone();
    split(&mut edit, part, &mut triangles, pair, &ONE, random);
    edit.file.set_triangles(rig.parts[part].place, &triangles);
    edit.done()
}

/// Cuts a triangle or a patch free along its border, and moves a share of the weights of its vertices there.
fn seam(rig: &Rig, random: &mut Random, share: f64, apart: bool, count: usize) -> Case {
    let part = random.below(rig.parts.len());
    let p = &rig.parts[part];
    let alone = |t: &[u32; 3]| t.iter().all(|v| rig.copies[p.welded[*v as usize]].len() == 1);
    let moved = |t: &[u32; 3]| (0..3).all(|i| p.weights.shares(t[i]).len() > 1);
    let start = (0..400)
        .map(|_| random.below(p.triangles.len()))
        .find(|t| alone(&p.triangles[*t]) && moved(&p.triangles[*t]))?;
    // More weight for the joint that has least of the first vertex: it moves all of them already, or their neighbours.
    let joint = *p.weights.shares(p.triangles[start][0]).iter().min_by(|a, b| a.1.total_cmp(b.1))?.0;
    let mut edit = Edit::new(rig);
    edit.plant.also = vec!["rogue-vertices", "asymmetry"];
    let mut triangles = p.triangles.clone();
    let more = |w: &mut Weights, v: u32| {
        let had = w.shares(v).get(&joint).copied().unwrap_or(0.0);
        w.give(v, joint, if had < 0.5 { (had + share).min(1.0) } else { (had - share).max(0.0) });
    };
    if apart {
        let corners = p.triangles[start];
        let mut changed = p.weights.clone();
        corners.iter().for_each(|v| more(&mut changed, *v));
        let pairs = corners.map(|v| changed.shares(v).into_iter().collect::<Vec<_>>());
        let positions = corners.map(|v| p.positions[v as usize]);
        triangles.remove(start);
        let place = add_primitive(&mut edit.file, p.place.0, &positions, &pairs, &[[0, 1, 2]], p.weights.component);
        corners.iter().for_each(|v| edit.must_name(part, *v));
        edit.plant.vertices.insert(place, vec![0, 1, 2]);
    } else {
        let cut = nearby(rig, part, start, count);
        cut_free(&mut edit, part, &mut triangles, &cut, more);
    }
    edit.file.set_triangles(p.place, &triangles);
    edit.done()
}

/// Triangles around one whose vertices have no copies yet.
fn nearby(rig: &Rig, part: usize, start: usize, count: usize) -> Vec<usize> {
    let p = &rig.parts[part];
    let mut out = vec![start];
    for (t, triangle) in p.triangles.iter().enumerate() {
        let shares_vertex = triangle.iter().any(|v| out.iter().any(|o| p.triangles[*o].contains(v)));
        let alone = triangle.iter().all(|v| rig.copies[p.welded[*v as usize]].len() == 1);
        if out.len() < count && t != start && shares_vertex && alone {
            out.push(t);
        }
    }
    out
}

fn cut_free(
    edit: &mut Edit,
    part: usize,
    triangles: &mut [[u32; 3]],
    cut: &[usize],
    mut change: impl FnMut(&mut Weights, u32),
) {
    let rig = edit.rig;
    let place = rig.parts[part].place;
    let vertices: std::collections::BTreeSet<u32> = cut.iter().flat_map(|t| triangles[*t]).collect();
    for v in vertices {
        let outside = (0..triangles.len()).any(|t| !cut.contains(&t) && triangles[t].contains(&v));
        add_vertex(&mut edit.file, place, (v, v), 0.0, DVec3::ZERO);
        let new = edit.weights(part).copy(v);
        change(edit.weights(part), new);
        let weights = edit.weights(part);
        let differ = difference(&weights.shares(v), &weights.shares(new)) > 0.05;
        for t in cut {
            triangles[*t] = triangles[*t].map(|old| if old == v { new } else { old });
        }
        // A vertex that one joint moves alone has nothing to give.
        if outside && differ {
            edit.must_name(part, v);
            edit.must_name(part, new);
        }
    }
}

/// Where the file has two vertices at one place, one of them changes.
fn old_seam(rig: &Rig, random: &mut Random) -> Case {
    let two = |w: usize| rig.copies[w].len() > 1 && rig.shares(w).len() > 1;
    let start = (0..400).map(|_| random.below(rig.copies.len())).find(|w| two(*w))?;
    let joint = *rig.shares(start).iter().min_by(|a, b| a.1.total_cmp(b.1))?.0;
    let had = rig.shares(start)[&joint];
    let mut edit = Edit::new(rig);
    let change = random.pick(&rig.copies[start]);
    edit.change(change, |w, v| w.give(v, joint, if had < 0.5 { had + 0.3 } else { had - 0.3 }));
    rig.copies[start].iter().for_each(|(part, v)| edit.must_name(*part, *v));
    edit.plant.also = vec!["asymmetry", "rogue-vertices"];
    edit.done()
}

/// Every vertex of some triangles becomes one of its own, with the same weights: as flat shading stores it.
pub fn split_everywhere(rig: &Rig, random: &mut Random) -> Case {
    let part = random.below(rig.parts.len());
    let mut edit = Edit::new(rig);
    let mut triangles = rig.parts[part].triangles.clone();
    for _ in 0..12 {
        let t = random.below(triangles.len());
        cut_free(&mut edit, part, &mut triangles, &[t], |_, _| ());
    }
    edit.plant.vertices.clear();
    edit.file.set_triangles(rig.parts[part].place, &triangles);
    edit.done()
}

/// A vertex that coincides with another lists the same pairs in another order, one of them as two halves.
fn shuffled(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    for part in 0..rig.parts.len() {
        let w = edit.weights(part);
        w.widen(w.sets + 1);
        for v in 0..w.vertices() as u32 {
            let mut pairs = w.pairs(v);
            let turn = random.below(pairs.len().max(1));
            pairs.rotate_left(turn);
            pairs.insert(0, (0, 0.0));
            w.set(v as usize, &pairs);
        }
    }
    edit.done()
}
