//! Matches the vertices of two models, and finds where surfaces differ.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{DVec3, Vec2, Vec3};
use skinscope_base::math::{Aabb, BoxTree};
use skinscope_model::{Instance, Mesh, MeshId, Model, Primitive, PrimitiveId};

use super::nodes::Nodes;
use super::{PrimitiveDifference, by_name};

/// Positions that are nearer to each other than this are one, as a share of the surface's size.
const SAME_PLACE: f32 = 2e-6;
/// Texture coordinates that differ by less than this are equal.
const SAME_UV: f32 = 1e-5;

/// A primitive of each model.
#[derive(Debug)]
pub(super) struct Pair {
    /// The primitive in each model.
    pub at: [PrimitiveId; 2],
    /// The instances that draw it in each model.
    pub instances: Vec<[usize; 2]>,
    /// For each stored vertex of the first: the vertex of the second.
    pub vertices: Vec<Option<u32>>,
    /// How many vertices of either have no partner, plus how many triangles of one the other does not have.
    pub unlike: usize,
}

impl Pair {
    /// Returns all primitives of meshes that both models have; [`differing`] reports those that only one of them has.
    pub fn all(a: &Model, b: &Model, nodes: &Nodes, meshes: &[[usize; 2]]) -> Vec<Self> {
        let mut out = Vec::new();
        for &[here, there] in meshes {
            let instances = instances(a, b, [here, there], nodes);
            let count = a.meshes[here].primitives.len().min(b.meshes[there].primitives.len());
            for p in 0..count {
                let (own, other) = (&a.meshes[here].primitives[p], &b.meshes[there].primitives[p]);
                let apart = b.meshes[there].offset - a.meshes[here].offset;
                let (vertices, unlike) = match apart == DVec3::ZERO {
                    true => matched(own, other),
                    false => matched(own, &moved(other, apart)),
                };
                out.push(Self {
                    at: [here, there].map(|mesh| PrimitiveId::new(MeshId::from_index(mesh), p)),
                    instances: instances.clone(),
                    vertices,
                    unlike,
                });
            }
        }
        out
    }
}

/// Returns a primitive whose positions are those of the file, in the space of a mesh from whose positions another origin was subtracted.
fn moved(primitive: &Primitive, by: DVec3) -> Primitive {
    let positions = primitive.positions.iter().map(|position| (position.as_dvec3() + by).as_vec3()).collect();
    Primitive { positions, ..primitive.clone() }
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
    same_count
        && pairs().all(|(p, q)| p.stored_vertices == q.stored_vertices && p.indices.len() == q.indices.len())
        && pairs().all(|(p, q)| matched(p, q).1 == 0)
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

/// Returns the surfaces that differ, with how many of their vertices and triangles do. Primitives that only one model
/// has are among them.
pub(super) fn differing(a: &Model, b: &Model, pairs: &[Pair]) -> Vec<PrimitiveDifference> {
    let part = |at: PrimitiveId, vertices: usize| PrimitiveDifference {
        mesh: at.mesh.index(),
        primitive: at.primitive,
        vertices,
        largest: 0.0,
    };
    let mut out: Vec<PrimitiveDifference> =
        pairs.iter().filter(|p| p.unlike > 0).map(|p| part(p.at[0], p.unlike)).collect();
    for (side, model) in [a, b].into_iter().enumerate() {
        for (id, mesh) in model.file_meshes() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let at = PrimitiveId::new(id, p);
                if !pairs.iter().any(|pair| pair.at[side] == at) {
                    out.push(part(at, primitive.stored_vertices.max(1)));
                }
            }
        }
    }
    out
}

fn stored(primitive: &Primitive) -> &[Vec3] {
    &primitive.positions[..primitive.stored_vertices]
}

/// Matches vertices by order where all lie at the same positions, else by position and texture coordinates.
fn matched(a: &Primitive, b: &Primitive) -> (Vec<Option<u32>>, usize) {
    let (own, other) = (stored(a), stored(b));
    let size = Aabb::around_mass(own).diagonal().max(Aabb::around_mass(other).diagonal());
    let reach = if size.is_finite() { (size * SAME_PLACE).max(f32::MIN_POSITIVE) } else { f32::MIN_POSITIVE };
    let near = |x: Vec3, y: Vec3| x == y || x.distance(y) <= reach;
    if own.len() == other.len() && own.iter().zip(other).all(|(x, y)| near(*x, *y)) {
        let identity: Vec<Option<u32>> = (0..own.len() as u32).map(Some).collect();
        let unlike = unlike_triangles(a, b, &identity, reach);
        return (identity, unlike);
    }
    let tree = PointTree::new(other, reach);
    let mut used = vec![0_u32; other.len()];
    let mut out = Vec::with_capacity(own.len());
    for (v, position) in own.iter().enumerate() {
        // Texture coordinates tell vertices at one position apart, then normals, then weights.
        let fit = |w: usize| (!same_uv(a, v, b, w), used[w], turn(a, v, b, w), weight_gap(a, v, b, w));
        let mut best = None;
        tree.near(*position, |w| {
            let candidate = (fit(w as usize), w);
            best = Some(best.map_or(candidate, |best| candidate.min(best)));
        });
        out.push(best.map(|(_, w)| w));
        if let Some((_, w)) = best {
            used[w as usize] += 1;
        }
    }
    let backward = PointTree::new(own, reach);
    let is_lonely = |position: &Vec3| {
        let mut is_lonely = true;
        backward.near(*position, |_| is_lonely = false);
        is_lonely
    };
    let lost = out.iter().filter(|w| w.is_none()).count() + other.iter().filter(|p| is_lonely(p)).count();
    let unlike = lost + if lost == 0 { unlike_triangles(a, b, &out, reach) } else { 0 };
    (out, unlike)
}

fn same_uv(a: &Primitive, v: usize, b: &Primitive, w: usize) -> bool {
    let near = |x: Option<&Vec2>, y: Option<&Vec2>| match (x, y) {
        (Some(x), Some(y)) => x.distance(*y) <= SAME_UV,
        _ => true,
    };
    (0..2).all(|set| near(a.uvs[set].get(v), b.uvs[set].get(w)))
}

/// Returns how far two normals are turned against each other, in steps.
fn turn(a: &Primitive, v: usize, b: &Primitive, w: usize) -> i32 {
    let normals = a.normals.get(v).zip(b.normals.get(w));
    normals.map_or(0, |(x, y)| ((1.0 - x.dot(*y)) * 1e3) as i32)
}

/// Returns how far apart the weights of two vertices are slot by slot, in steps.
fn weight_gap(a: &Primitive, v: usize, b: &Primitive, w: usize) -> i64 {
    let (Some(x), Some(y)) = (&a.stored_influences, &b.stored_influences) else { return 0 };
    let ((joints, weights), (other_joints, others)) = (x.of(v), y.of(w));
    let there = |joint: u16| {
        let pairs = other_joints.iter().zip(others);
        pairs.filter(|(j, _)| **j == joint).map(|(_, weight)| *weight).sum::<f32>()
    };
    let gap: f32 = joints.iter().zip(weights).map(|(j, weight)| (weight - there(*j)).abs()).sum();
    (f64::from(gap) * 1e6) as i64
}

/// Counts triangles, lines and points that only one of two primitives has; their corners are compared by position.
fn unlike_triangles(a: &Primitive, b: &Primitive, there: &[Option<u32>], reach: f32) -> usize {
    let width = |p: &Primitive| match p.topology {
        skinscope_model::Topology::Points => 1,
        skinscope_model::Topology::Lines => 2,
        skinscope_model::Topology::Triangles => 3,
    };
    if width(a) != width(b) {
        return a.indices.len().max(b.indices.len());
    }
    // For each vertex of the second the first one that lies at its position.
    let other = stored(b);
    let tree = PointTree::new(other, reach);
    let first_nearby = |w: u32| {
        let mut first = w;
        tree.near(other[w as usize], |o| first = first.min(o));
        first
    };
    let welded: Vec<u32> = (0..other.len() as u32).map(first_nearby).collect();
    let mut count: BTreeMap<[u32; 3], i64> = BTreeMap::new();
    let mut add = |corners: Vec<u32>, by: i64| {
        let mut corners = [corners[0], corners.get(1).copied().unwrap_or(0), corners.get(2).copied().unwrap_or(0)];
        // It does not matter which corner comes first, but the winding does.
        let first = (0..3).min_by_key(|i| corners[*i]).unwrap_or(0);
        corners.rotate_left(if width(a) == 3 { first } else { 0 });
        let flat = width(a) == 3 && (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]);
        if !flat {
            *count.entry(corners).or_default() += by;
        }
    };
    for shape in a.indices.chunks_exact(width(a)) {
        let at = |v: &u32| there.get(a.stored_vertex(*v) as usize).copied().flatten().map(|w| welded[w as usize]);
        if let Some(corners) = shape.iter().map(at).collect::<Option<Vec<u32>>>() {
            add(corners, 1);
        }
    }
    for shape in b.indices.chunks_exact(width(b)) {
        add(shape.iter().map(|v| welded[b.stored_vertex(*v) as usize]).collect(), -1);
    }
    count.values().map(|n| n.unsigned_abs() as usize).sum()
}

/// Points in a tree, to find those at one position.
struct PointTree<'a> {
    points: &'a [Vec3],
    reach: f32,
    tree: BoxTree,
}

impl<'a> PointTree<'a> {
    fn new(points: &'a [Vec3], reach: f32) -> Self {
        Self { points, reach, tree: BoxTree::of_points(points.iter().copied()) }
    }

    /// Visits the points within reach of `at`.
    fn near(&self, at: Vec3, mut visit: impl FnMut(u32)) {
        // The tree is asked for a little more than what rounding adds to a distance.
        let reach = f64::from(self.reach) * 1.001;
        self.tree.nearest(at.as_dvec3(), |point| {
            if self.points[point as usize].distance(at) <= self.reach {
                visit(point);
            }
            reach
        });
    }
}
