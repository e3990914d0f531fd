//! Matches the nodes of two models: by name, of several with one name by position in the tree, and those that were renamed by position in
//! the tree, rest transform and inverse bind matrix.

use std::collections::HashMap;

use glam::{Affine3A, DVec3};
use skinscope_base::math::{Aabb, Transform};
use skinscope_model::{Mesh, MeshId, Model, NodeId, Primitive};

use super::Named;

/// Transforms that differ by less than this, relative to their numbers, are equal.
const SAME: f32 = 2e-6;

/// The nodes of two models, matched.
#[derive(Debug)]
pub(super) struct Nodes {
    /// For each node of the first model: the node of the second.
    pub there: Vec<Option<usize>>,
    /// For each node of the second model: a number that its partner in the first has too; others have numbers beyond
    /// all of the first.
    pub key: Vec<usize>,
}

impl Nodes {
    pub fn of(a: &Model, b: &Model) -> Self {
        let mut matching = Matching::new(a, b);
        matching.pair_lone_names();
        loop {
            while matching.pair_children(false) {}
            if !matching.pair_children(true) {
                break;
            }
        }
        matching.pair_in_order();
        Self { there: matching.there, key: matching.key }
    }

    pub fn named(&self, a: &Model, b: &Model) -> Named {
        let name = |model: &Model, node: usize| model.skeleton.names[node].clone();
        let pairs = || self.there.iter().enumerate().filter_map(|(node, there)| Some((node, (*there)?)));
        let is_renamed = |(here, there): &(usize, usize)| given_name(a, *here) != given_name(b, *there);
        let moved = |(here, there): &(usize, usize)| self.differs(a, b, *here, *there);
        let count = a.skeleton.len();
        Named {
            added: (0..b.skeleton.len()).filter(|node| self.key[*node] >= count).map(|node| name(b, node)).collect(),
            removed: (0..count).filter(|node| self.there[*node].is_none()).map(|node| name(a, node)).collect(),
            changed: pairs().filter(moved).map(|(here, _)| name(a, here)).collect(),
            renamed: pairs().filter(is_renamed).map(|(here, there)| [name(a, here), name(b, there)]).collect(),
        }
    }

    fn differs(&self, a: &Model, b: &Model, here: usize, there: usize) -> bool {
        let other = parent(b, there).map(|p| self.key[p]);
        parent(a, here) != other || !same_rest(a, b, here, there)
    }
}

fn parent(model: &Model, node: usize) -> Option<usize> {
    model.skeleton.parents[node].map(NodeId::index)
}

/// Returns the name that the file gives a node; empty where it gives none.
fn given_name(model: &Model, node: usize) -> &str {
    let name = &model.skeleton.names[node];
    let is_made = name.strip_prefix("node ").and_then(|n| n.parse().ok()) == Some(model.skeleton.file_index[node]);
    if is_made { "" } else { name }
}

/// Returns whether two nodes have the same transform at rest.
fn same_rest(a: &Model, b: &Model, here: usize, there: usize) -> bool {
    let sheared = match (a.skeleton.residual(here), b.skeleton.residual(there)) {
        (None, None) => false,
        (Some(x), Some(y)) => !x.abs_diff_eq(y, 1e-5),
        _ => true,
    };
    let apart = a.skeleton.base(here) - b.skeleton.base(there);
    !sheared && same(a.skeleton.rest.transforms[here], b.skeleton.rest.transforms[there], apart)
}

/// What of a node does not depend on its name.
#[derive(Clone, Debug, Default)]
struct Role {
    /// Its inverse bind matrix in the first skin that has it.
    bind: Option<Affine3A>,
    /// The mesh that it shows.
    mesh: Option<MeshId>,
    children: Vec<usize>,
}

fn roles(model: &Model) -> Vec<Role> {
    let mut out = vec![Role::default(); model.skeleton.len()];
    for node in 0..model.skeleton.len() {
        if let Some(parent) = parent(model, node) {
            out[parent].children.push(node);
        }
    }
    for skin in model.skins.iter() {
        for (joint, bind) in skin.joints.iter().zip(&skin.inverse_bind) {
            out[joint.index()].bind.get_or_insert(*bind);
        }
    }
    model.instances.iter().for_each(|i| _ = out[i.node.index()].mesh.get_or_insert(i.mesh));
    out
}

/// Returns whether two meshes may be one: they have one name, or as many vertices in each primitive within the same space.
fn may_be_same_mesh(a: &Mesh, b: &Mesh) -> bool {
    let space = |primitive: &Primitive| Aabb::from_points(primitive.positions.iter().copied());
    let pairs = || a.primitives.iter().zip(&b.primitives);
    a.name == b.name && !a.name.is_empty()
        || a.primitives.len() == b.primitives.len()
            && pairs().all(|(p, q)| p.stored_vertices == q.stored_vertices)
            && pairs().all(|(p, q)| {
                let (p, q) = (space(p), space(q));
                near(p.min, q.min) && near(p.max, q.max)
            })
}

/// The search for partners.
struct Matching<'m> {
    models: [&'m Model; 2],
    roles: [Vec<Role>; 2],
    there: Vec<Option<usize>>,
    key: Vec<usize>,
}

impl<'m> Matching<'m> {
    fn new(a: &'m Model, b: &'m Model) -> Self {
        let count = a.skeleton.len();
        let key = (0..b.skeleton.len()).map(|node| count + node).collect();
        Self { models: [a, b], roles: [roles(a), roles(b)], there: vec![None; count], key }
    }

    fn pair(&mut self, here: usize, there: usize) {
        (self.there[here], self.key[there]) = (Some(there), here);
    }

    fn is_free(&self, side: usize, node: usize) -> bool {
        if side == 0 { self.there[node].is_none() } else { self.key[node] >= self.there.len() }
    }

    /// Returns the nodes of one model that have no partner yet, by the names that the file gives them.
    fn free(&self, side: usize) -> HashMap<&'m str, Vec<usize>> {
        let mut out: HashMap<&str, Vec<usize>> = HashMap::new();
        for node in (0..self.roles[side].len()).filter(|node| self.is_free(side, *node)) {
            out.entry(given_name(self.models[side], node)).or_default().push(node);
        }
        out
    }

    /// Pairs nodes whose name only one node of each model has.
    fn pair_lone_names(&mut self) {
        let [own, other] = [0, 1].map(|side| self.free(side));
        for (name, nodes) in own.iter().filter(|(name, _)| !name.is_empty()) {
            if let ([here], Some([there])) = (&nodes[..], other.get(name).map(|list| &list[..])) {
                self.pair(*here, *there);
            }
        }
    }

    /// Pairs nodes below partners, or at the roots: those of one name, or where `renamed` is set those that have another name that no
    /// free node of the other model has. Returns whether any were paired.
    fn pair_children(&mut self, renamed: bool) -> bool {
        let [own, other] = [0, 1].map(|side| self.free(side));
        if own.is_empty() || other.is_empty() {
            return false;
        }
        let mut by_parent: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for node in other.values().flatten() {
            by_parent.entry(parent(self.models[1], *node)).or_default().push(*node);
        }
        by_parent.values_mut().for_each(|list| list.sort_unstable());
        let mut nodes: Vec<usize> = own.values().flatten().copied().collect();
        nodes.sort_unstable();
        let mut any = false;
        for here in nodes {
            let name = given_name(self.models[0], here);
            let above = parent(self.models[0], here).map(|p| self.there[p]);
            let Some(list) = by_parent.get(&above.flatten()).filter(|_| above != Some(None)) else { continue };
            let fits = |there: &&usize| {
                let theirs = given_name(self.models[1], **there);
                let has_name = if renamed {
                    (name.is_empty() || !other.contains_key(name)) && (theirs.is_empty() || !own.contains_key(theirs))
                } else {
                    name == theirs
                };
                has_name && self.is_free(1, **there)
            };
            let likeness = |there: &usize| self.likeness(here, *there);
            let best = list.iter().filter(fits).map(|there| (likeness(there), *there));
            // Of equal ones the first.
            let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
            if let Some((_, there)) = best.filter(|(likeness, _)| !renamed && !name.is_empty() || *likeness > 0) {
                self.pair(here, there);
                any = true;
            }
        }
        any
    }

    /// Returns how much speaks for it that two nodes below partners are one node; 0: nothing does.
    fn likeness(&self, here: usize, there: usize) -> usize {
        let ([a, b], [own, theirs]) = (self.models, [&self.roles[0][here], &self.roles[1][there]]);
        let meshes = own.mesh.zip(theirs.mesh).map(|(x, y)| (&a.meshes[x.index()], &b.meshes[y.index()]));
        let same_mesh = meshes.is_some_and(|(x, y)| may_be_same_mesh(x, y));
        let other_mesh = own.mesh.is_some() != theirs.mesh.is_some() || meshes.is_some() && !same_mesh;
        if own.bind.is_some() != theirs.bind.is_some() || other_mesh {
            return 0;
        }
        let same_bind = own.bind.zip(theirs.bind).is_some_and(|(x, y)| {
            let (x, y) = (x.to_cols_array(), y.to_cols_array());
            let size = x.iter().chain(&y).fold(1e-3_f32, |most, v| most.max(v.abs()));
            x.iter().zip(&y).all(|(p, q)| (p - q).abs() <= 1e-6 * size)
        });
        let keeps_children = !own.children.is_empty()
            && own.children.len() == theirs.children.len()
            && own.children.iter().all(|child| self.there[*child].is_some_and(|c| theirs.children.contains(&c)));
        // Many nodes stay where their parent is, so that this says something only together with something else.
        let is_anywhere = |model: &Model, node| {
            model.skeleton.rest.transforms[node] == Transform::IDENTITY && model.skeleton.residual(node).is_none()
        };
        let has_children = !own.children.is_empty() && !theirs.children.is_empty();
        let speaks = same_bind || same_mesh || has_children || !is_anywhere(a, here);
        let same_rest = speaks && same_rest(a, b, here, there);
        4 * usize::from(same_bind) + 2 * usize::from(same_rest) + usize::from(keeps_children)
    }

    /// Pairs the nodes that are left by name: of several with one name the first with the first, and so on.
    fn pair_in_order(&mut self) {
        let [own, other] = [0, 1].map(|side| self.free(side));
        for (name, nodes) in own {
            let others = other.get(name).into_iter().flatten();
            nodes.into_iter().zip(others).for_each(|(here, there)| self.pair(here, *there));
        }
    }
}

/// Returns whether two transforms are equal but for rounding; a quaternion and its negative are one rotation. `apart` is added to the first
/// translation.
fn same(a: Transform, b: Transform, apart: DVec3) -> bool {
    near_with(a.translation, b.translation, apart) && near(a.scale, b.scale) && same_turn(a.rotation, b.rotation)
}

/// Returns whether two translations or scales are equal but for rounding.
pub(super) fn near(a: glam::Vec3, b: glam::Vec3) -> bool {
    near_with(a, b, DVec3::ZERO)
}

/// Does the same with a translation to which something is added in f64 ([`skinscope_model::Skeleton::base`]).
pub(super) fn near_with(a: glam::Vec3, b: glam::Vec3, apart: DVec3) -> bool {
    let whole = (a.as_dvec3() - b.as_dvec3() + apart).as_vec3();
    let size = a.abs().max_element().max(b.abs().max_element());
    whole.abs().max_element() <= SAME * size.max(1e-3)
}

/// Returns whether two quaternions are one rotation but for rounding.
pub(super) fn same_turn(a: glam::Quat, b: glam::Quat) -> bool {
    let apart = (a - b).length().min((a + b).length());
    a.dot(b).is_finite() && apart <= 1e-5
}
