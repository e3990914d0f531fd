//! Skinned surfaces in the form that range of motion needs, and the part of them that a joint bends.

use std::collections::HashSet;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_anim::local_to_model;
use skinscope_base::math::{Aabb, WeldRule};
use skinscope_deform::{self as deform, Batch, BatchInfluences, BatchOut, MeshTopology, Method, MethodInput};
use skinscope_model::{InfluencesRef, Instance, InstanceId, Mesh, MeshId, Model, NodeId, Primitive, Skin, SkinId};

use crate::surface_source::SurfaceSource;

/// The surface of a mesh that a skin moves, however it is cut into primitives. A mesh that is drawn several times with one
/// skin counts once.
pub(super) struct Skinned<'a> {
    pub(super) mesh: MeshId,
    pub(super) surface: SurfaceSource,
    pub(super) instance: &'a Instance,
    pub(super) skin: &'a Skin,
    of: &'a Mesh,
    /// The weights of the first primitive of the surface.
    own: InfluencesRef<'a>,
    pub(super) topology: MeshTopology,
    /// The index of the skin's first matrix among all palettes.
    pub(super) first: usize,
    /// The positions in mesh space, rest morphs included.
    pub(super) base: Vec<Vec3>,
    /// The positions in model space, in the stored pose.
    pub(super) rest: Vec<Vec3>,
    /// Edges shorter than this are not measured: a ten-thousandth of the box around `rest`.
    pub(super) least: f32,
}

/// Some vertices of a primitive, with their joints and weights.
pub(super) struct SampledVertices {
    pub(super) vertices: Vec<u32>,
    per_vertex: usize,
    joints: Vec<u16>,
    weights: Vec<f32>,
}

impl SampledVertices {
    pub(super) fn new(influences: InfluencesRef<'_>, vertices: Vec<u32>) -> Self {
        let (joints, weights) = influences.gathered(&vertices);
        Self { vertices, per_vertex: influences.per_vertex, joints, weights }
    }

    fn movers(&self) -> BatchInfluences<'_> {
        BatchInfluences::Each { per_vertex: self.per_vertex, joints: &self.joints, weights: &self.weights }
    }
}

/// Reusable memory.
#[derive(Default)]
pub(super) struct Scratch {
    from: Vec<Vec3>,
    to: Vec<Vec3>,
    normals: Vec<Vec3>,
    carried: Vec<Vec3>,
}

/// The relation of a vertex to a joint that turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointShare {
    /// Nothing at or below the joint moves it.
    Stays,
    /// It moves as the joint does.
    Follows,
    /// Joints that turn and joints that stay share it.
    Blends,
}

impl<'a> Skinned<'a> {
    /// Returns all skinned surfaces by mesh and skin; `None` soon after `stop` returns true.
    pub(super) fn all(model: &'a Model, method: &Method, stop: &dyn Fn() -> bool) -> Option<Vec<Self>> {
        let (mut pose, mut palettes, mut packed) = (Vec::new(), Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        deform::palettes(model, &pose, &mut palettes);
        deform::pack(method, &palettes, &mut packed);
        let instances = model.instances.iter().enumerate();
        let key = |(i, instance): (usize, &Instance)| Some((instance.mesh, instance.skin?, InstanceId::from_index(i)));
        let mut keys: Vec<(MeshId, SkinId, InstanceId)> = instances.filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup_by_key(|key| (key.0, key.1));
        let mut out = Vec::new();
        for key in keys {
            for surface in SurfaceSource::all(model, key.0, false, &|_| None) {
                let Some(own) = model.influences(key.0, surface.lists[0]) else { continue };
                let mesh = &model.meshes[key.0.index()];
                let topology = MeshTopology::of_primitive(surface.primitive(mesh), WeldRule::Exact, stop)?;
                out.push(Self::new(model, key, (surface, own, topology)).at_rest(&packed, method));
            }
        }
        (!stop()).then_some(out)
    }

    fn new(
        model: &'a Model,
        (mesh, skin, instance): (MeshId, SkinId, InstanceId),
        (surface, own, topology): (SurfaceSource, InfluencesRef<'a>, MeshTopology),
    ) -> Self {
        let of = &model.meshes[mesh.index()];
        let (first, _) = model.binding(instance, surface.lists[0]);
        let instance = &model.instances[instance.index()];
        let mut base = Vec::new();
        let weights = &model.skeleton.rest.morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
        deform::morphed(surface.primitive(of), weights, &mut base);
        Self {
            mesh,
            surface,
            instance,
            skin: &model.skins[skin.index()],
            of,
            own,
            topology,
            first: first as usize,
            base,
            rest: Vec::new(),
            least: 0.0,
        }
    }

    /// Returns the vertices and triangles of the surface.
    pub(super) fn source(&self) -> &Primitive {
        self.surface.primitive(self.of)
    }

    /// Returns the joints and weights of its vertices.
    pub(super) fn influences(&self) -> InfluencesRef<'_> {
        self.surface.influences(self.own)
    }

    fn at_rest(mut self, packed: &[Vec4], method: &Method) -> Self {
        let stored = self.source().stored_vertices;
        let mut rest = vec![Vec3::ZERO; stored];
        for run in self.influences().runs(0..stored) {
            let (positions, movers) = (&self.base[run.vertices.clone()], BatchInfluences::from(&run));
            let batch = Batch {
                positions,
                normals: &[],
                tangents: &[],
                movers,
                values: MethodInput::of(method).values,
                vectors: &[],
            };
            let mut out = BatchOut { positions: &mut rest[run.vertices.clone()], ..BatchOut::default() };
            (method.deform_all)(self.palette(packed, method), &batch, &mut out);
        }
        self.rest = rest;
        self.least = 1e-4 * Aabb::around_mass(&self.rest).diagonal();
        self
    }

    /// Returns the matrices of its skin.
    pub(super) fn palette<'p>(&self, packed: &'p [Vec4], method: &Method) -> &'p [Vec4] {
        let stride = method.vec4s_per_joint;
        &packed[self.first * stride..][..self.skin.joints.len() * stride]
    }

    /// Returns the directions in which the fronts of triangles should look: their normals in mesh space, carried by the
    /// blended matrix of each corner. `corners` holds three for each triangle.
    pub(super) fn facing(
        &self,
        corners: &SampledVertices,
        base: &[Vec3],
        (palette, method): (&[Vec4], &Method),
        scratch: &mut Scratch,
        out: &mut Vec<Vec3>,
    ) {
        scratch.normals.clear();
        for corners in corners.vertices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|v| base[v as usize]);
            scratch.normals.extend([(b - a).cross(c - a).normalize_or_zero(); 3]);
        }
        let count = scratch.normals.len();
        scratch.from.clear();
        scratch.from.resize(count, Vec3::ZERO);
        scratch.to.resize(count, Vec3::ZERO);
        scratch.carried.resize(count, Vec3::ZERO);
        let Scratch { from, to, normals, carried } = scratch;
        let batch = Batch {
            positions: from,
            normals,
            tangents: &[],
            movers: corners.movers(),
            values: MethodInput::of(method).values,
            vectors: &[],
        };
        let lists = &mut BatchOut { positions: to, normals: carried, ..BatchOut::default() };
        (method.deform_all)(palette, &batch, lists);
        out.clear();
        out.extend(carried.as_chunks::<3>().0.iter().map(|[a, b, c]| *a + *b + *c));
    }

    /// Moves some vertices, which lie at `base` in mesh space.
    pub(super) fn positions(
        &self,
        picked: &SampledVertices,
        base: &[Vec3],
        (palette, method): (&[Vec4], &Method),
        scratch: &mut Scratch,
        out: &mut [Vec3],
    ) {
        let Scratch { from, to, .. } = scratch;
        from.clear();
        from.extend(picked.vertices.iter().map(|v| base[*v as usize]));
        to.resize(from.len(), Vec3::ZERO);
        let batch = Batch {
            positions: from,
            normals: &[],
            tangents: &[],
            movers: picked.movers(),
            values: MethodInput::of(method).values,
            vectors: &[],
        };
        (method.deform_all)(palette, &batch, &mut BatchOut { positions: to, ..BatchOut::default() });
        for (v, position) in picked.vertices.iter().zip(to) {
            out[*v as usize] = *position;
        }
    }

    /// Returns the relation of each stored vertex to `joint`, or `None` where it moves none of them.
    pub(super) fn shares(&self, model: &Model, joint: NodeId) -> Option<Vec<JointShare>> {
        let below = joint.index()..model.skeleton.subtree_end(joint);
        let inside: Vec<bool> = self.skin.joints.iter().map(|j| below.contains(&j.index())).collect();
        if !inside.contains(&true) {
            return None;
        }
        let (mut any, influences) = (false, self.influences());
        let share = |vertex: usize| {
            let (joints, weights) = influences.of(vertex);
            let (mut here, mut elsewhere, mut sum) = (false, false, 0.0);
            for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                let inside = inside[*joint as usize];
                (here, elsewhere, sum) = (here || inside, elsewhere || !inside, sum + f64::from(*weight));
            }
            any |= here;
            match (here, elsewhere) {
                (false, _) => JointShare::Stays,
                // A vertex whose weights do not sum to one does not follow a motion as its neighbours do.
                (true, false) if (sum - 1.0).abs() < 1e-5 => JointShare::Follows,
                _ => JointShare::Blends,
            }
        };
        let shares = (0..self.source().stored_vertices).map(share).collect();
        any.then_some(shares)
    }
}

/// Returns whether everything below `joint` keeps its shape when the joint turns: nothing above it scales unevenly.
pub(super) fn turns_rigidly(model: &Model, rest: &[Affine3A], joint: NodeId) -> bool {
    let Some(parent) = model.skeleton.parents[joint.index()] else { return true };
    let m = rest[parent.index()].matrix3;
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let lengths = [x.length_squared(), y.length_squared(), z.length_squared()];
    let most = lengths.into_iter().fold(0.0_f32, f32::max);
    let even = lengths.into_iter().all(|l| l > 0.998 * most);
    even && [x.dot(y), y.dot(z), z.dot(x)].into_iter().all(|d| d.abs() < 1e-3 * most)
}

/// Returns the joints that move a vertex, themselves or by a joint below, rising by node.
pub(super) fn moving_joints(model: &Model) -> Vec<NodeId> {
    let mut moves = vec![false; model.skeleton.len()];
    let mut seen = HashSet::new();
    for instance in &model.instances {
        // A mesh that is drawn often with one skin gives the same result each time.
        let Some(skin) = instance.skin.filter(|skin| seen.insert((instance.mesh, *skin))) else { continue };
        let joints = &model.skins[skin.index()].joints;
        for influences in model.primitives(instance.mesh).filter_map(|p| p.influences) {
            for (joint, _) in influences.all().filter(|(_, w)| *w != 0.0) {
                moves[joints[joint as usize].index()] = true;
            }
        }
    }
    for n in (0..moves.len()).rev() {
        if let (true, Some(parent)) = (moves[n], model.skeleton.parents[n]) {
            moves[parent.index()] = true;
        }
    }
    (0..moves.len()).map(NodeId::from_index).filter(|n| moves[n.index()] && model.is_joint(*n)).collect()
}
