//! Compares what vertices have beside their place and their weights, and the materials of triangles.

use std::collections::{BTreeMap, HashSet};

use glam::{Vec3, Vec4};
use skinscope_base::math::Aabb;
use skinscope_model::{MeshId, Model, Primitive};

use super::pairing::shared_places;
use super::places::same_uv;
use super::surfaces::Pair;
use super::vertices::{Vertices, in_order, materials};
use super::{AttributeDifference, by_name};

/// Normals and colours that differ by less than this are equal.
const SAME_VALUE: f32 = 1e-3;

/// Returns by how much something differs between a vertex of a primitive of the first mesh and one of the second, if it does.
type Gap<'a> = dyn Fn(&Primitive, usize, &Primitive, usize) -> Option<f64> + 'a;

/// One kind of data of a vertex.
struct Attribute<'a> {
    name: String,
    differs: Box<Gap<'a>>,
    /// Whether it is reported though no vertex differs.
    is_named: bool,
}

/// Returns what differs between the vertices of a pair of meshes, for each primitive of the first and each attribute.
pub(super) fn of_pair(a: &Model, b: &Model, pair: &Pair) -> Vec<AttributeDifference> {
    let mesh = pair.meshes[0].index();
    let mut out = Vec::new();
    for attribute in plain().into_iter().chain(morphs(pair)) {
        let mut parts: BTreeMap<usize, AttributeDifference> = BTreeMap::new();
        let part = |primitive: usize| {
            let what = attribute.name.clone();
            AttributeDifference { mesh, primitive, what, count: 0, largest: 0.0 }
        };
        if attribute.is_named {
            parts.insert(0, part(0));
        }
        let mut last = None;
        for [v, w] in &pair.matched.pairs {
            let ((p, own), (q, other)) = (pair.lists[0].at(*v), pair.lists[1].at(*w));
            let [x, y] = [&pair.lists[0].mesh.primitives[p], &pair.lists[1].mesh.primitives[q]];
            if let Some(gap) = (attribute.differs)(x, own, y, other) {
                let part = parts.entry(p).or_insert_with(|| part(p));
                // One that has several counterparts is in several pairs, which follow each other.
                part.count += usize::from(last.replace(*v) != Some(*v));
                part.largest = part.largest.max(gap);
            }
        }
        out.extend(parts.into_values());
    }
    out.extend(drawn(a, b, pair));
    out
}

/// Returns how far two values of two lists are apart, if they are farther than `most`; 0 where only one of the lists has any.
fn gap<T: Copy>(x: Option<&T>, y: Option<&T>, most: f32, distance: impl Fn(T, T) -> f32) -> Option<f64> {
    match (x, y) {
        (Some(x), Some(y)) => Some(distance(*x, *y)).filter(|gap| *gap > most || gap.is_nan()).map(f64::from),
        (None, None) => None,
        _ => Some(0.0),
    }
}

/// The attributes that every mesh may have.
fn plain() -> [Attribute<'static>; 3] {
    let far = |x: Vec4, y: Vec4| (x - y).abs().max_element();
    let attribute = |name: &str, differs| Attribute { name: name.to_owned(), differs, is_named: false };
    [
        attribute(
            "normals",
            Box::new(|x, v, y, w| gap(x.normals.get(v), y.normals.get(w), SAME_VALUE, |x: Vec3, y| x.distance(y))),
        ),
        attribute(
            "texture coordinates",
            Box::new(|x, v, y, w| {
                let sets = || x.uvs.iter().zip(&y.uvs).map(|(x, y)| gap(x.get(v), y.get(w), 0.0, glam::Vec2::distance));
                let is_same = same_uv(x, v, y, w) && !sets().any(|gap| gap == Some(0.0));
                (!is_same).then(|| sets().flatten().fold(0.0, f64::max))
            }),
        ),
        attribute("colours", Box::new(move |x, v, y, w| gap(x.colors.get(v), y.colors.get(w), SAME_VALUE, far))),
    ]
}

/// The morph targets of two meshes, in pairs of one name; those that are left over in order.
fn morphs<'p>(pair: &'p Pair) -> Vec<Attribute<'p>> {
    let names = |side: usize| pair.lists[side].mesh.morph_names.iter().map(String::as_str);
    let (mut pairs, mut removed, mut added) = by_name(names(0), names(1));
    let both = removed.len().min(added.len());
    pairs.extend(removed.drain(..both).zip(added.drain(..both)).map(|(here, there)| [here, there]));
    let name = |side: usize, target: usize| &pair.lists[side].mesh.morph_names[target];
    let scales = scales(pair);
    let reach = pair.space.reach;
    let at = |primitive: &Primitive, target: usize, v: usize| {
        let moved = primitive.morphs.get(target).and_then(|morph| morph.positions.get(v).copied());
        moved.unwrap_or(Vec3::ZERO)
    };
    let own = move |x: &Primitive, target, v| at(x, target, v) * scales[0];
    let other = move |y: &Primitive, target, w| at(y, target, w) * scales[1];
    let both = pairs.into_iter().map(|[here, there]| {
        let is_named = name(0, here) != name(1, there);
        let name = match is_named {
            true => format!("morph target \"{}\" → \"{}\"", name(0, here), name(1, there)),
            false => format!("morph target \"{}\"", name(0, here)),
        };
        let differs = Box::new(move |x: &Primitive, v: usize, y: &Primitive, w: usize| {
            let distance = own(x, here, v).distance(other(y, there, w));
            (distance > reach || distance.is_nan()).then_some(f64::from(distance))
        });
        Attribute { name, differs, is_named }
    });
    let alone = |side: usize, target: usize| {
        let how = if side == 0 { "removed" } else { "added" };
        let name = format!("morph target \"{}\" {how}", name(side, target));
        let differs = Box::new(move |x: &Primitive, v: usize, y: &Primitive, w: usize| {
            let moved = if side == 0 { own(x, target, v) } else { other(y, target, w) };
            Some(f64::from(moved.length())).filter(|distance| *distance > 0.0)
        });
        Attribute { name, differs, is_named: true } as Attribute<'p>
    };
    let removed = removed.into_iter().map(|target| alone(0, target));
    let added = added.into_iter().map(|target| alone(1, target));
    both.chain(removed).chain(added).collect()
}

/// Returns what brings displacements of each mesh to the unit of the space in which their vertices were compared: the ratio of its size there to
/// its stored size, where that space is not the one of the files.
fn scales(pair: &Pair) -> [f32; 2] {
    if !pair.is_shown {
        return [1.0; 2];
    }
    [0, 1].map(|side| {
        let list: &Vertices = &pair.lists[side];
        let stored = Aabb::around_mass(&list.positions(glam::DVec3::ZERO)).diagonal();
        let ratio = Aabb::around_mass(&pair.space.points[side]).diagonal() / stored;
        if ratio.is_finite() { ratio } else { 1.0 }
    })
}

/// Returns how many shapes are drawn with another material, of those that both meshes have. A material whose name only one file has says
/// nothing: it is reported as added or removed.
fn drawn(a: &Model, b: &Model, pair: &Pair) -> Vec<AttributeDifference> {
    let numbers = materials([a, b], &pair.lists);
    let named = |model: &Model| -> HashSet<Option<String>> {
        let names = model.materials.iter().map(|m| Some(m.name.clone()));
        names.chain([None]).collect()
    };
    let names = [named(a), named(b)];
    let is_known = |side: usize, primitive: u32| {
        let material = pair.lists[side].mesh.primitives[primitive as usize].material;
        let model = if side == 0 { a } else { b };
        let name = material.and_then(|m| model.materials.get(m.index())).map(|m| m.name.clone());
        names[1 - side].contains(&name)
    };
    let places = shared_places(&pair.lists, &pair.space, &pair.matched.pairs);
    let shapes = |side: usize| {
        let place = |corner: u32| if corner == u32::MAX { corner } else { places[side][corner as usize] };
        let all = pair.lists[side].shapes();
        let mut out: Vec<([u32; 3], u32, u32)> = all
            .filter_map(|shape| {
                let material = numbers[side][shape.primitive as usize];
                Some((in_order(shape.corners.map(place))?, material, shape.primitive))
            })
            .collect();
        out.sort_unstable();
        out
    };
    let (own, other) = (shapes(0), shapes(1));
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let mut next = 0;
    for here in own.chunk_by(|x, y| x.0 == y.0) {
        while next < other.len() && other[next].0 < here[0].0 {
            next += 1;
        }
        let there: Vec<_> = other[next..].iter().take_while(|shape| shape.0 == here[0].0).collect();
        for ((_, own, primitive), (_, other, partner)) in here.iter().zip(there) {
            if own != other && (is_known(0, *primitive) || is_known(1, *partner)) {
                *counts.entry(*primitive).or_default() += 1;
            }
        }
    }
    let mesh = MeshId::index(pair.meshes[0]);
    let part = |(primitive, count)| AttributeDifference {
        mesh,
        primitive: primitive as usize,
        what: "materials".to_owned(),
        count,
        largest: 0.0,
    };
    counts.into_iter().map(part).collect()
}
