//! Matches the meshes of two models and their vertices, and finds where surfaces differ.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{DVec3, Vec3};
use skinscope_model::{Instance, InstanceId, Mesh, MeshId, Model};

use super::nodes::Nodes;
use super::pairing::{Matched, Order, matched, space};
use super::places::Space;
use super::pose::Posed;
use super::vertices::Vertices;
use super::{SurfaceDifference, by_name};

/// A mesh of each model.
#[derive(Debug)]
pub(super) struct Pair<'m> {
    /// The mesh in each model.
    pub meshes: [MeshId; 2],
    /// The instances that draw it in each model.
    pub instances: Vec<[usize; 2]>,
    /// The vertices of each.
    pub lists: [Vertices<'m>; 2],
    /// The vertices in pairs.
    pub matched: Matched,
    /// Where the vertices were compared.
    pub space: Space,
    /// Whether that is where they are shown in the rest pose, and not where the files have them.
    pub is_shown: bool,
}

impl<'m> Pair<'m> {
    /// Returns all meshes that both models have; [`differing`] reports those that only one of them has.
    pub fn all(a: &'m Model, b: &'m Model, nodes: &Nodes, meshes: &[[usize; 2]]) -> Vec<Self> {
        let mut posed = [Posed::new(a), Posed::new(b)];
        posed.iter_mut().for_each(|posed| posed.set(None));
        let pair = |&[here, there]: &[usize; 2]| {
            let lists = [Vertices::of(&a.meshes[here]), Vertices::of(&b.meshes[there])];
            let instances = instances(a, b, [here, there], nodes);
            let meshes = [here, there].map(MeshId::from_index);
            let order = Order::of(&lists);
            let stored = stored(&lists);
            let mut out = Self {
                meshes,
                instances,
                matched: matched(&lists, &order, &stored),
                lists,
                space: stored,
                is_shown: false,
            };
            // Where quantised positions are put right by a node or by inverse bind matrices, only what is shown is alike.
            if !out.matched.is_exact()
                && let Some(rest) = out.at_rest(&posed)
            {
                let shown = matched(&out.lists, &order, &rest);
                if shown.is_better_than(&out.matched) {
                    (out.matched, out.space, out.is_shown) = (shown, rest, true);
                }
            }
            out
        };
        meshes.iter().map(pair).collect()
    }

    /// Returns the space in which both meshes rest, as the first of their instances shows them; `None` where no node shows both.
    fn at_rest(&self, posed: &[Posed; 2]) -> Option<Space> {
        let instances = *self.instances.first()?;
        let origin = |side: usize| {
            posed[side].shift + posed[side].model.origin_of_instance(InstanceId::from_index(instances[side]))
        };
        let own = self.positions(0, &posed[0], instances[0], DVec3::ZERO);
        let other = self.positions(1, &posed[1], instances[1], origin(1) - origin(0));
        Some(space(&self.lists, [own, other]))
    }

    /// Returns where an instance shows the vertices of a mesh, by their numbers, `by` added to each.
    pub fn positions(&self, side: usize, posed: &Posed, instance: usize, by: DVec3) -> Vec<Vec3> {
        let mut out = Vec::with_capacity(self.lists[side].len());
        for p in 0..self.lists[side].mesh.primitives.len() {
            posed.add_positions(instance, p, &mut out);
        }
        if by != DVec3::ZERO {
            out.iter_mut().for_each(|p| *p = (p.as_dvec3() + by).as_vec3());
        }
        out
    }

    /// Returns the primitive of the first mesh that what a primitive of either has is reported of.
    fn reported(&self, side: usize, primitive: usize) -> usize {
        let last = self.lists[0].mesh.primitives.len().saturating_sub(1);
        if side == 0 { primitive } else { primitive.min(last) }
    }

    /// Returns how the surface differs, for each primitive of the first mesh that does.
    fn differences(&self) -> Vec<SurfaceDifference> {
        let Matched { pairs, is_moved, lost, unlike, .. } = &self.matched;
        let mesh = self.meshes[0].index();
        let mut out: BTreeMap<usize, SurfaceDifference> = BTreeMap::new();
        let mut count = |side: usize, primitive: usize, add: &dyn Fn(&mut SurfaceDifference)| {
            let primitive = self.reported(side, primitive);
            let empty = SurfaceDifference { mesh, primitive, ..SurfaceDifference::default() };
            add(out.entry(primitive).or_insert(empty));
        };
        let mut last = None;
        for [v, _] in pairs.iter().zip(is_moved).filter(|(_, is_moved)| **is_moved).map(|(pair, _)| pair) {
            // One that has several counterparts is in several pairs, which follow each other.
            if last.replace(*v) != Some(*v) {
                count(0, self.lists[0].at(*v).0, &|part| part.moved += 1);
            }
        }
        for side in 0..2 {
            for v in &lost[side] {
                count(side, self.lists[side].at(*v).0, &|part| part.unmatched[side] += 1);
            }
            unlike[side].iter().for_each(|shape| count(side, shape.primitive as usize, &|part| part.shapes += 1));
        }
        out.into_values().collect()
    }
}

/// Returns the space of the positions that the files store. From the positions of a mesh far away another origin may have been subtracted.
fn stored(lists: &[Vertices; 2]) -> Space {
    let apart = lists[1].mesh.offset - lists[0].mesh.offset;
    space(lists, [lists[0].positions(DVec3::ZERO), lists[1].positions(apart)])
}

/// Matches meshes by name, of several with one name those that are shown at nodes of one name first; and those that are left over
/// by order.
pub(super) fn meshes(a: &Model, b: &Model, nodes: &Nodes) -> Vec<[usize; 2]> {
    let mut pairs = of_one_node(a, b, nodes);
    let left_over = |model: &Model, side: usize| -> Vec<usize> {
        (0..model.meshes.len()).filter(|m| !pairs.iter().any(|pair| pair[side] == *m)).collect()
    };
    let (own, other) = (left_over(a, 0), left_over(b, 1));
    let names = |m: &usize| a.meshes[*m].name.as_str();
    let other_names = |m: &usize| b.meshes[*m].name.as_str();
    let (named, removed, added) = by_name(own.iter().map(names), other.iter().map(other_names));
    let left = removed.into_iter().zip(added).map(|(x, y)| [x, y]);
    let more: Vec<[usize; 2]> = named.into_iter().chain(left).map(|[x, y]| [own[x], other[y]]).collect();
    pairs.extend(more);
    pairs.sort_unstable();
    pairs
}

/// Matches meshes of one name that either model has several of, by the nodes that show them.
fn of_one_node(a: &Model, b: &Model, nodes: &Nodes) -> Vec<[usize; 2]> {
    let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
    for (side, model) in [a, b].into_iter().enumerate() {
        model.meshes.iter().for_each(|mesh| counts.entry(&mesh.name).or_default()[side] += 1);
    }
    let mut shows: HashMap<usize, usize> = HashMap::new();
    b.instances.iter().for_each(|instance| _ = shows.insert(instance.node.index(), instance.mesh.index()));
    let (mut taken, mut out) = ([HashSet::new(), HashSet::new()], Vec::new());
    for instance in &a.instances {
        let here = instance.mesh.index();
        let there = nodes.there[instance.node.index()].and_then(|node| shows.get(&node)).copied();
        let name = a.meshes[here].name.as_str();
        let fits = |there: &usize| b.meshes[*there].name == name && counts[name].iter().any(|count| *count > 1);
        let Some(there) = there.filter(fits) else { continue };
        if !taken[0].contains(&here) && !taken[1].contains(&there) {
            taken[0].insert(here);
            taken[1].insert(there);
            out.push([here, there]);
        }
    }
    out
}

/// Returns whether two meshes have the same vertices and triangles.
pub(super) fn is_same_mesh(a: &Mesh, b: &Mesh) -> bool {
    let same_count = a.primitives.len() == b.primitives.len();
    let pairs = || a.primitives.iter().zip(&b.primitives);
    // Most that differ differ in their numbers of vertices.
    if !same_count || pairs().any(|(p, q)| p.stored_vertices != q.stored_vertices || p.indices.len() != q.indices.len())
    {
        return false;
    }
    let lists = [a, b].map(Vertices::of);
    let mut stored = stored(&lists);
    stored.limit = stored.reach;
    matched(&lists, &Order::of(&lists), &stored).is_same()
}

/// Matches the instances of two meshes, those at nodes of one name first.
fn instances(a: &Model, b: &Model, [here, there]: [usize; 2], nodes: &Nodes) -> Vec<[usize; 2]> {
    let of = |model: &Model, mesh: usize| {
        let draws = |(_, i): &(usize, &Instance)| i.mesh.index() == mesh;
        model.instances.iter().enumerate().filter(draws).map(|(index, _)| index).collect::<Vec<_>>()
    };
    let (own, mut other) = (of(a, here), of(b, there));
    let mut out = Vec::new();
    let mut left = Vec::new();
    for index in own {
        let partner = nodes.there[a.instances[index].node.index()];
        match other.iter().position(|o| Some(b.instances[*o].node.index()) == partner) {
            Some(at) => out.push([index, other.remove(at)]),
            None => left.push(index),
        }
    }
    out.extend(left.into_iter().zip(other).map(|(x, y)| [x, y]));
    out
}

/// Returns the surfaces that differ. Meshes that only one model has are among them.
pub(super) fn differing(a: &Model, b: &Model, pairs: &[Pair]) -> Vec<SurfaceDifference> {
    let mut out: Vec<SurfaceDifference> = pairs.iter().flat_map(Pair::differences).collect();
    for (side, model) in [a, b].into_iter().enumerate() {
        for (id, mesh) in model.file_meshes() {
            if pairs.iter().any(|pair| pair.meshes[side] == id) {
                continue;
            }
            let list = Vertices::of(mesh);
            let is_used = list.used();
            for (primitive, _) in mesh.vertex_lists() {
                let mut lone = SurfaceDifference { mesh: id.index(), primitive, ..SurfaceDifference::default() };
                lone.unmatched[side] = is_used[list.numbers(primitive)].iter().filter(|is_used| **is_used).count();
                // What has no vertices is missing all the same.
                lone.shapes = usize::from(lone.unmatched[side] == 0);
                out.push(lone);
            }
        }
    }
    out
}
