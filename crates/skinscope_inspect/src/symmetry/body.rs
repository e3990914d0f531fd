//! A body: the points, weights and joints that some skins move, as they were bound.

use std::collections::{BTreeSet, HashMap};

use glam::{Affine3A, DAffine3, Vec3};
use skinscope_base::math::{Aabb, Plane};
use skinscope_model::{MeshId, Model, NodeId, PrimitiveId, PrimitiveRef, Skin, SkinId};

use crate::rig;

/// A primitive's vertices among those of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPart {
    /// The mesh.
    pub mesh: MeshId,
    /// The primitive's number in the mesh.
    pub primitive: usize,
    /// The number of its first vertex.
    pub start: usize,
    /// How many stored vertices it has.
    pub len: usize,
    /// `body_from_mesh`, where it is not the identity.
    pub(super) from_mesh: Option<Affine3A>,
}

impl BodyPart {
    /// Returns a plane of the body's space in the space of this mesh, with a normal of unit length.
    #[must_use]
    pub fn in_mesh(&self, plane: Plane) -> Plane {
        let Some(m) = self.from_mesh else { return plane };
        let normal = m.matrix3.transpose() * plane.normal;
        let length = normal.length();
        let offset = (plane.offset - plane.normal.dot(m.translation.into())) / length;
        // Where axes stay axes the normal is one to the bit.
        let snapped = (normal / length).to_array().map(|v| if (v.abs() - 1.0).abs() < 1e-6 { v.signum() } else { v });
        let axis = snapped.iter().position(|v| v.abs() == 1.0);
        match axis {
            Some(axis) => Plane { normal: Vec3::AXES[axis], offset: offset * snapped[axis] },
            None => Plane { normal: normal / length, offset },
        }
    }
}

/// All stored vertices that some skins move, in one space in which they bind their joints: that of the first mesh.
#[derive(Debug)]
pub(super) struct Body {
    /// The skin of the first mesh.
    pub skin: SkinId,
    /// The joints of all its skins, each once. The indices of joints are indices in this list.
    pub nodes: Vec<NodeId>,
    /// The primitives by mesh and primitive.
    pub parts: Vec<BodyPart>,
    pub points: Vec<Vec3>,
    /// For each point, where its weights start in `weights`; one more at the end.
    starts: Vec<u32>,
    /// The weights as [`Body::weights`] gives them; none is 0, none comes twice.
    weights: Vec<(u16, f32)>,
    /// For each joint: where it was bound; `None` where its matrix cannot be inverted.
    pub joints: Vec<Option<Vec3>>,
    /// For each joint: whether it moves a vertex.
    pub moves: Vec<bool>,
    /// The diagonal of the box around the mass of the points.
    pub size: f32,
}

impl Body {
    /// Makes the body of some skins; `None` where they move nothing that has a size. Each mesh counts once, with the
    /// first skin that moves it.
    pub(super) fn of(model: &Model, skins: &[BodySkin], meshes: &[Vec<MeshId>]) -> Option<Self> {
        let mut out = Self {
            skin: skins.first()?.skin,
            nodes: Vec::new(),
            parts: Vec::new(),
            points: Vec::new(),
            starts: vec![0],
            weights: Vec::new(),
            joints: Vec::new(),
            moves: Vec::new(),
            size: 0.0,
        };
        let (mut known, mut seen) = (HashMap::new(), BTreeSet::new());
        for BodySkin { skin: id, from_mesh } in skins {
            let skin = &model.skins[id.index()];
            // A node that a skin lists twice, or that several skins list, is one joint.
            let index_of: Vec<u16> =
                (0..skin.joints.len()).map(|j| out.index_of(skin, j, *from_mesh, &mut known)).collect();
            for mesh in meshes[id.index()].iter().filter(|mesh| seen.insert(**mesh)) {
                for (primitive, source) in model.primitives(*mesh).enumerate() {
                    out.add(PrimitiveId::new(*mesh, primitive), source, &index_of, *from_mesh);
                }
            }
        }
        out.size = Aabb::around_mass(&out.points).diagonal();
        (!out.points.is_empty() && out.size > 0.0 && out.size.is_finite()).then_some(out)
    }

    /// Makes the body of points that no joint moves; `None` where they have no size.
    pub(super) fn of_points(points: Vec<Vec3>) -> Option<Self> {
        let size = Aabb::around_mass(&points).diagonal();
        (!points.is_empty() && size > 0.0 && size.is_finite()).then(|| Self {
            skin: SkinId::default(),
            nodes: Vec::new(),
            parts: Vec::new(),
            starts: vec![0; points.len() + 1],
            points,
            weights: Vec::new(),
            joints: Vec::new(),
            moves: Vec::new(),
            size,
        })
    }

    /// Returns the index of a joint of a skin; the last index where there are more joints than can be numbered.
    fn index_of(
        &mut self,
        skin: &Skin,
        j: usize,
        from_mesh: Option<DAffine3>,
        known: &mut HashMap<NodeId, u16>,
    ) -> u16 {
        let to_body = |m: DAffine3| from_mesh.map_or(m.translation, |f| f.transform_point3(m.translation));
        let bound = || bind(skin, j).map(|m| to_body(m).as_vec3()).filter(|p| p.is_finite());
        *known.entry(skin.joints[j]).or_insert_with(|| {
            if self.nodes.len() < usize::from(u16::MAX) {
                self.nodes.push(skin.joints[j]);
                self.joints.push(bound());
                self.moves.push(false);
            }
            (self.nodes.len() - 1) as u16
        })
    }

    fn add(
        &mut self,
        PrimitiveId { mesh, primitive }: PrimitiveId,
        source: PrimitiveRef<'_>,
        indices: &[u16],
        from_mesh: Option<DAffine3>,
    ) {
        let Some(influences) = source.influences else { return };
        let len = source.stored_vertices;
        let single = from_mesh.map(|m| Affine3A::from_cols_array(&m.to_cols_array().map(|v| v as f32)));
        self.parts.push(BodyPart { mesh, primitive, start: self.points.len(), len, from_mesh: single });
        let to_body = |p: &Vec3| from_mesh.map_or(*p, |from_mesh| from_mesh.transform_point3(p.as_dvec3()).as_vec3());
        self.points.extend(source.positions[..len].iter().map(to_body));
        let mut of_vertex: Vec<(u16, f32)> = Vec::new();
        let mut not_finite = influences.not_finite.iter().map(|n| n.vertex as usize).peekable();
        for vertex in 0..len {
            let (joints, weights) = influences.of(vertex);
            let mut is_broken = weights.iter().any(|w| *w < 0.0);
            while not_finite.next_if(|v| *v <= vertex).is_some_and(|v| v == vertex) {
                is_broken = true;
            }
            let sum = influences.sum(vertex) as f32;
            of_vertex.clear();
            let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
            of_vertex.extend(used.map(|(j, w)| (indices[usize::from(*j)], *w / sum)));
            of_vertex.iter().for_each(|(joint, _)| self.moves[usize::from(*joint)] = true);
            if is_broken || sum <= 0.0 {
                of_vertex.clear();
            }
            of_vertex.sort_unstable_by_key(|(j, _)| *j);
            let start = self.weights.len();
            for (joint, weight) in &of_vertex {
                match self.weights[start..].last_mut() {
                    Some(last) if last.0 == *joint => last.1 += weight,
                    _ => self.weights.push((*joint, *weight)),
                }
            }
            self.starts.push(self.weights.len() as u32);
        }
    }

    /// Returns (index, share of the sum of weights) of a vertex, rising by index. Empty for one whose weights are zero,
    /// negative or not finite, which other rules find.
    pub(super) fn weights(&self, point: usize) -> &[(u16, f32)] {
        &self.weights[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}

/// Returns `mesh_from_joint` as bound; `None` where it is not known.
fn bind(skin: &Skin, j: usize) -> Option<DAffine3> {
    rig::inverse_bind(skin, j).filter(|m| !rig::is_singular(m)).map(|m| m.inverse())
}

/// Returns for each skin the meshes that it moves, each once.
fn meshes(model: &Model) -> Vec<Vec<MeshId>> {
    let mut out: Vec<Vec<MeshId>> = vec![Vec::new(); model.skins.len()];
    for instance in &model.instances {
        if let Some(skin) = instance.skin {
            out[skin.index()].push(instance.mesh);
        }
    }
    for of_skin in &mut out {
        of_skin.sort_unstable();
        of_skin.dedup();
    }
    out
}

/// A skin of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySkin {
    /// The skin.
    pub skin: SkinId,
    /// `body_from_mesh` of what it moves, where that is not the identity.
    pub from_mesh: Option<DAffine3>,
}

/// Looks for something in each body of a model as a whole, and in those where that fails mesh by mesh. Returns what was found,
/// and the meshes where nothing was, each with the reason; `None` where it has no size.
pub(super) fn each_found<T, E: Copy>(
    model: &Model,
    mut find: impl FnMut(Body) -> Result<T, E>,
) -> (Vec<T>, Vec<(MeshId, Option<E>)>) {
    let (mut found, mut without) = (Vec::new(), Vec::new());
    let meshes = meshes(model);
    let mut of =
        |skins: &[BodySkin], meshes: &[Vec<MeshId>]| find(Body::of(model, skins, meshes).ok_or(None)?).map_err(Some);
    for skins in bodies(model) {
        let mut seen = BTreeSet::new();
        let all = skins.iter().flat_map(|skin| meshes[skin.skin.index()].iter().map(|mesh| (*skin, *mesh)));
        let each: Vec<(BodySkin, MeshId)> = all.filter(|(_, mesh)| seen.insert(*mesh)).collect();
        match of(&skins, &meshes) {
            Ok(one) => found.push(one),
            Err(_) if each.len() > 1 => {
                for (skin, mesh) in each {
                    let mut only = vec![Vec::new(); meshes.len()];
                    only[skin.skin.index()] = vec![mesh];
                    match of(&[BodySkin { from_mesh: None, ..skin }], &only) {
                        Ok(one) => found.push(one),
                        Err(why) => without.push((mesh, why)),
                    }
                }
            }
            Err(why) => without.extend(each.into_iter().map(|(_, mesh)| (mesh, why))),
        }
    }
    (found, without)
}

/// Groups skins into bodies. Skins that bind the joints they share at the same positions are one body, such as the head
/// and the hands of a character whose parts were exported each with a skin; a turn, scale and shift that all these joints
/// have in common does not count, as that of meshes that are stored as integers. Skins that share no joint are bodies of
/// their own. Takes time linear in joints.
fn bodies(model: &Model) -> Vec<Vec<BodySkin>> {
    let mut out: Vec<Vec<BodySkin>> = Vec::new();
    // The first body that has each node, and where that body binds it.
    let mut known: HashMap<NodeId, (usize, Option<DAffine3>)> = HashMap::new();
    for (i, skin) in model.skins.iter().enumerate() {
        let binds: Vec<_> = (0..skin.joints.len()).map(|j| (skin.joints[j], bind(skin, j))).collect();
        let met = |(node, _): &(NodeId, Option<DAffine3>)| known.get(node).map(|(body, _)| *body);
        let found = binds.iter().find_map(met).and_then(|body| {
            let shared = binds.iter().filter_map(|(node, bind)| Some((known.get(node)?, bind)));
            let of_body = shared.filter(|((other, _), _)| *other == body);
            let both: Vec<[DAffine3; 2]> = of_body.filter_map(|((_, a), b)| Some([(*a)?, (*b)?])).collect();
            Some((body, shift(&both)?))
        });
        let (body, from_mesh) = found.unwrap_or_else(|| {
            out.push(Vec::new());
            (out.len() - 1, None)
        });
        out[body].push(BodySkin { skin: SkinId::from_index(i), from_mesh });
        for (node, bind) in binds {
            let bind = bind.map(|bind| from_mesh.map_or(bind, |from_mesh| from_mesh * bind));
            known.entry(node).or_insert((body, bind));
        }
    }
    out
}

/// Returns `body_from_mesh` for joints that are bound in a body and in a mesh (inner `None`: the identity); `None` where
/// they are bound at other positions.
fn shift(both: &[[DAffine3; 2]]) -> Option<Option<DAffine3>> {
    if both.iter().all(|[a, b]| is_same_position(a, b, 1e-5)) {
        return Some(None);
    }
    let [a, b] = both.first()?;
    let shift = *a * b.inverse();
    let is_sound = shift.is_finite() && !rig::is_singular(&shift);
    (is_sound && both.iter().all(|[a, b]| is_same_position(a, &(shift * *b), 1e-4))).then_some(Some(shift))
}

/// Returns whether two matrices are equal but for rounding, a share of their size.
fn is_same_position(a: &DAffine3, b: &DAffine3, rounding: f64) -> bool {
    let size = a.translation.length().max(a.matrix3.col(0).length());
    a.abs_diff_eq(*b, rounding * size.max(f64::MIN_POSITIVE))
}
