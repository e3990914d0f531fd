//! Compares weights and inverse bind matrices.

use std::collections::{BTreeMap, HashMap};

use glam::Affine3A;
use skinscope_model::{Influences, MeshId, Model, Skin, SkinId};

use super::nodes::Nodes;
use super::surfaces::Pair;
use super::{PrimitiveDifference, by_name};

/// Weights that differ by no more than this are equal.
const SAME_WEIGHT: f64 = 1e-6;

/// Returns the primitives of the first mesh of a pair that have vertices whose weights differ; none where a skin moves the mesh in one model
/// alone, so that its weights have a meaning only there.
pub(super) fn of_pair(a: &Model, b: &Model, pair: &Pair, nodes: &Nodes) -> Vec<PrimitiveDifference> {
    let [mesh, there] = pair.meshes.map(MeshId::index);
    if skin_of(a, mesh).is_some() != skin_of(b, there).is_some() {
        return Vec::new();
    }
    let (keys, other_keys) = (keys(a, mesh, &|node| node), keys(b, there, &|node| nodes.key[node]));
    let mut out: BTreeMap<usize, PrimitiveDifference> = BTreeMap::new();
    let mut shares: HashMap<usize, f64> = HashMap::new();
    let mut last = None;
    for [v, w] in &pair.matched.pairs {
        let ((primitive, own), (other, theirs)) = (pair.lists[0].at(*v), pair.lists[1].at(*w));
        let (stored, others) = (
            &pair.lists[0].mesh.primitives[primitive].stored_influences,
            &pair.lists[1].mesh.primitives[other].stored_influences,
        );
        shares.clear();
        let broken = stored.as_ref().is_some_and(|i| add(i, own, &keys, 1.0, &mut shares))
            | others.as_ref().is_some_and(|i| add(i, theirs, &other_keys, -1.0, &mut shares));
        let gap = shares.values().fold(0.0_f64, |most, s| most.max(s.abs()));
        if broken || gap > SAME_WEIGHT {
            let none = PrimitiveDifference { mesh, primitive, vertices: 0, largest: 0.0 };
            let part = out.entry(primitive).or_insert(none);
            // One that has several counterparts is in several pairs, which follow each other.
            part.vertices += usize::from(last.replace(*v) != Some(*v));
            part.largest = part.largest.max(gap);
        }
    }
    out.into_values().collect()
}

/// Adds weights up by joint; returns whether one of them is NaN.
fn add(influences: &Influences, vertex: usize, keys: &[usize], sign: f64, out: &mut HashMap<usize, f64>) -> bool {
    let (joints, weights) = influences.of(vertex);
    for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let key = keys.get(usize::from(*joint)).copied().unwrap_or(usize::MAX - usize::from(*joint));
        *out.entry(key).or_default() += sign * f64::from(*weight);
    }
    influences.not_finite.binary_search_by_key(&vertex, |n| n.vertex as usize).is_ok()
}

fn skin_of(model: &Model, mesh: usize) -> Option<SkinId> {
    model.instances.iter().filter(|i| i.mesh.index() == mesh).find_map(|i| i.skin)
}

/// Returns for each joint of the first skin that moves a mesh the number of the joint that both models share.
fn keys(model: &Model, mesh: usize, key: &dyn Fn(usize) -> usize) -> Vec<usize> {
    skin_of(model, mesh)
        .map(|s| model.skins[s.index()].joints.iter().map(|node| key(node.index())).collect())
        .unwrap_or_default()
}

/// Pairs skins by name; those that have no partner of their name in the order of the file. Also returns those of each model that are
/// left over.
fn all_skins(a: &Model, b: &Model) -> (Vec<[usize; 2]>, Vec<usize>, Vec<usize>) {
    let names = |model: &Model| model.skins.iter().map(|skin| skin.name.clone()).collect::<Vec<_>>();
    let (own, other) = (names(a), names(b));
    let (mut pairs, mut removed, mut added) = by_name(own.iter().map(String::as_str), other.iter().map(String::as_str));
    let both = removed.len().min(added.len());
    pairs.extend(removed.drain(..both).zip(added.drain(..both)).map(|(own, other)| [own, other]));
    (pairs, removed, added)
}

/// Returns the pairs of skins whose matrices are compared.
pub(super) fn paired_skins(a: &Model, b: &Model) -> Vec<[usize; 2]> {
    all_skins(a, b).0
}

/// Returns whether two nodes are moved by the same skin: by two of a pair, or by two that do not differ.
pub(super) fn is_same_skin(
    a: &Model,
    b: &Model,
    skins: [Option<SkinId>; 2],
    paired: &[[usize; 2]],
    nodes: &Nodes,
) -> bool {
    match skins.map(|skin| skin.map(SkinId::index)) {
        [Some(own), Some(other)] => {
            paired.contains(&[own, other]) || differing(&a.skins[own], &b.skins[other], nodes) == 0
        }
        [own, other] => own == other,
    }
}

/// Returns how many inverse bind matrices differ, or are in one model only.
pub(super) fn inverse_binds(a: &Model, b: &Model, nodes: &Nodes) -> usize {
    let none = Skin::default();
    let (pairs, removed, added) = all_skins(a, b);
    let paired = pairs.iter().map(|[own, other]| differing(&a.skins[*own], &b.skins[*other], nodes));
    let removed = removed.iter().map(|own| differing(&a.skins[*own], &none, nodes));
    let added = added.iter().map(|other| differing(&none, &b.skins[*other], nodes));
    paired.chain(removed).chain(added).sum()
}

/// Returns whether two matrices are equal but for rounding.
pub(super) fn is_same_matrix(a: Affine3A, b: Affine3A) -> bool {
    let (x, y) = (a.to_cols_array(), b.to_cols_array());
    let size = x.iter().chain(&y).fold(1e-3_f32, |most, v| most.max(v.abs()));
    !x.iter().zip(&y).any(|(p, q)| (p - q).abs() > 1e-6 * size)
}

fn differing(a: &Skin, b: &Skin, nodes: &Nodes) -> usize {
    // A joint that is listed twice has two matrices.
    let mut left: Vec<(usize, usize)> = b.joints.iter().enumerate().map(|(j, n)| (nodes.key[n.index()], j)).collect();
    let mut count = 0;
    for (j, node) in a.joints.iter().enumerate() {
        let Some(at) = left.iter().position(|(key, _)| *key == node.index()) else {
            count += 1;
            continue;
        };
        let (_, other) = left.swap_remove(at);
        let broken = a.not_finite.contains(&j) || b.not_finite.contains(&other);
        let stored = |skin: &Skin, joint: usize| skin.stored_bind(joint).as_affine3a();
        count += usize::from(broken || !is_same_matrix(stored(a, j), stored(b, other)));
    }
    count + left.len()
}
