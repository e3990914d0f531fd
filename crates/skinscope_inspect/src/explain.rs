//! Explains why a vertex is where it is: every term of the sum that moves it, with numbers.
//!
//! Larsen, Petersen and Jakobsen, "Deformable Skinning on Bones" (2001): a vertex `v` is the offset `v' = R₀⁻¹ (v −
//! b₀)` in the space of a joint at bind (eq. 1), and moves to `Σ w M v` with `M` the joint now times its inverse bind
//! (eq. 4, 5). Lewis, "Skinning math tutorial" (2005): where each joint alone would carry it (`transformed-by`), and
//! the skinned position in the space of any joint, `p' = W⁻¹ p`. Everything is computed in double precision from the
//! numbers that the picture uses.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DVec3};
use skinscope_deform::{Deformation, ExactDeformation, ExactInfluence, MethodInput, Readout, Surface, SurfaceInput};
use skinscope_model::{Instance, InstanceId, MeshId, Model, NodeId};

use super::{NoQuaternionForm, QuaternionForm, VertexRef};

/// The explanation of one vertex in one pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The vertex that is explained.
    pub vertex: VertexRef,
    /// Its mesh.
    pub mesh: MeshId,
    /// Its number in the file.
    pub number: usize,
    /// The stored position, mesh space, metres.
    pub stored: DVec3,
    /// The morph targets that displace it now, in the order of the mesh.
    pub morphs: Vec<MorphTerm>,
    /// The position with the morph targets, which the joints move; mesh space.
    pub rest: DVec3,
    /// The influences, heaviest first; a rigid vertex has one, with weight 1.
    pub terms: Vec<Term>,
    /// Whether a skin moves it; else it follows its node, whether or not that is a joint.
    pub skinned: bool,
    /// The sum of the weights.
    pub sum: f64,
    /// The steps from the terms to the position, in the words of the method.
    pub readout: Readout,
    /// The blended matrix, `world_from_mesh`, which takes `rest` to `position`.
    pub map: DAffine3,
    /// The position as drawn, world space, metres.
    pub position: DVec3,
}

/// A morph target with a weight other than zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphTerm {
    /// The target's index in the mesh's list.
    pub target: usize,
    /// The weight of the target in the pose.
    pub weight: f64,
    /// The displacement that the target adds, weight included; mesh space, metres.
    pub displacement: DVec3,
}

/// One influence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The joint.
    pub node: NodeId,
    /// The number of the vertex's pair, see [`skinscope_model::Influences::of`].
    pub slot: usize,
    /// The weight as the method uses it.
    pub weight: f64,
    /// `inverse_bind · v`: the vertex seen from the joint as both were bound.
    pub offset: DVec3,
    /// `world_from_joint · inverse_bind`: the skinning matrix.
    pub matrix: DAffine3,
    /// `M v`: the position to which this joint alone would carry the vertex, world space.
    pub alone: DVec3,
    /// The same by a quaternion, `b + R (S v')`, or why there is none.
    pub quaternion: Result<QuaternionForm, NoQuaternionForm>,
}

/// A model in a pose, about which an [`Explanation`] and other questions are asked.
#[derive(Clone, Debug)]
pub struct PosedModel<'a> {
    /// The model that is shown.
    pub model: &'a Model,
    /// The skinning matrices `model_from_mesh`, laid out by [`Model::palette_layout`].
    pub palettes: &'a [Affine3A],
    /// The morph weights of the whole pose.
    pub morph_weights: &'a [f32],
    /// The method that deforms vertices.
    pub method: Deformation<'a>,
    /// The deformed surface, where it is at hand; vertices are then read from it. `None`: questions deform the vertices
    /// that they are about, or all of them where the method needs that.
    pub surface: Option<Arc<Surface>>,
}

impl PosedModel<'_> {
    /// Returns the deformed surface of at least `draws`: the one at hand, or one that is made now because the method
    /// needs all of it. `None` where each vertex can be deformed alone.
    #[must_use]
    pub(super) fn whole(&self, draws: &[InstanceId]) -> Option<Arc<Surface>> {
        let PosedModel { model, palettes, morph_weights, method, .. } = *self;
        let make = || Arc::new(Surface::of(&SurfaceInput { model, draws, palettes, morph_weights, method }));
        self.surface.clone().or_else(|| method.needs_surface().then(make))
    }
}

/// A vertex as the definition of its method in double precision moves it.
struct Defined {
    stored: DVec3,
    morphs: Vec<MorphTerm>,
    rest: DVec3,
    /// The influences whose weight is not zero, and the number of each one's pair.
    movers: Vec<ExactInfluence>,
    slots: Vec<usize>,
    /// The sum of all weights.
    sum: f64,
    exact: ExactDeformation,
}

impl Defined {
    /// Moves `vertex` of copy number `copy` (0 where its instance has none); `None` where the model has no such vertex.
    fn of(posed: &PosedModel, vertex: VertexRef, copy: usize) -> Option<Self> {
        let PosedModel { model, palettes, .. } = *posed;
        let instance = model.instances.get(vertex.instance.index())?;
        let primitive = model.meshes[instance.mesh.index()].primitives.get(vertex.primitive)?;
        let stored = primitive.positions.get(vertex.vertex)?.as_dvec3();
        let morphs = morphs(posed, instance, vertex);
        let rest = stored + morphs.iter().map(|m| m.displacement).sum::<DVec3>();
        let (first, influences) = model.binding(vertex.instance, vertex.primitive);
        let copy = if copy < instance.copies.len() { copy } else { 0 };
        let first = first as usize + if influences.is_none() { copy } else { 0 };
        let (joints, weights) = influences.map_or((&[0_u16][..], &[1.0_f32][..]), |i| i.of(vertex.vertex));
        let skin = influences.and(instance.skin).map(|s| &model.skins[s.index()]);
        let (mut movers, mut slots) = (Vec::new(), Vec::new());
        for (slot, (joint, weight)) in joints.iter().zip(weights).enumerate().filter(|(_, (_, w))| **w != 0.0) {
            let joint = usize::from(*joint);
            let matrix = double(palettes.get(first + joint)?);
            movers.push(ExactInfluence { joint, weight: f64::from(*weight), matrix });
            slots.push(slot);
        }
        let joints_of = skin.map_or(0, |skin| skin.joints.len());
        let matrices = palettes.get(first..first + joints_of).unwrap_or_default();
        let vectors = posed.method.data.map_or(&[][..], |data| data.vectors_of(vertex.instance, vertex.primitive));
        let input = MethodInput { values: posed.method.values, vector: vectors.get(vertex.vertex).copied(), matrices };
        let exact = (posed.method.exact)(&movers, rest, &input);
        let sum = weights.iter().map(|w| f64::from(*w)).sum();
        Some(Self { stored, morphs, rest, movers, slots, sum, exact })
    }
}

impl Explanation {
    /// Returns where the definition of the method puts `vertex` (of the first copy) in double precision, world space, metres: from the
    /// skinning matrices of the pose, and without passes over the whole surface. `None` where the model has no such vertex.
    #[must_use]
    pub fn definition(posed: &PosedModel, vertex: VertexRef) -> Option<DVec3> {
        Defined::of(posed, vertex, 0).map(|defined| defined.exact.map.transform_point3(defined.rest))
    }

    /// Explains `vertex` of copy number `copy` (0 where its instance has none); `None` where the model has no such vertex.
    #[must_use]
    pub fn of(posed: &PosedModel, vertex: VertexRef, copy: usize) -> Option<Self> {
        let model = posed.model;
        let instance = model.instances.get(vertex.instance.index())?;
        let primitive = model.meshes[instance.mesh.index()].primitives.get(vertex.primitive)?;
        let Defined { stored, morphs, rest, movers, slots, sum, exact } = Defined::of(posed, vertex, copy)?;
        let ExactDeformation { map, mut readout, .. } = exact;
        let skin = model.influences(instance.mesh, vertex.primitive).and(instance.skin);
        let skin = skin.map(|skin| &model.skins[skin.index()]);
        let mut terms = Vec::new();
        for (ExactInfluence { joint, weight, matrix }, slot) in movers.into_iter().zip(slots) {
            let (node, inverse_bind) = match skin {
                Some(skin) => (skin.joints[joint], double(&skin.inverse_bind[joint])),
                None => (instance.node, DAffine3::IDENTITY),
            };
            let offset = inverse_bind.transform_point3(rest);
            let alone = matrix.transform_point3(rest);
            let quaternion = QuaternionForm::of(&matrix, &inverse_bind, offset);
            terms.push(Term { node, slot, weight, offset, matrix, alone, quaternion });
        }
        let mut position = map.transform_point3(rest);
        if posed.method.needs_surface() {
            // The vertex's neighbours have an effect too, which no equation of one vertex shows.
            let surface = posed.whole(&[vertex.instance])?;
            position = surface.part(vertex.instance, vertex.primitive)?.position(vertex.vertex, copy)?.as_dvec3();
        }
        // Terms are sorted, heaviest first; shares move with their terms.
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by(|a, b| terms[*b].weight.total_cmp(&terms[*a].weight));
        if let Readout::Sum(shares) = &mut readout {
            *shares = order.iter().map(|i| shares.get(*i).copied().unwrap_or(0.0)).collect();
        }
        let terms = order.into_iter().map(|i| terms[i]).collect();
        Some(Self {
            vertex,
            mesh: instance.mesh,
            number: vertex.stored(primitive),
            stored,
            morphs,
            rest,
            skinned: skin.is_some(),
            sum,
            terms,
            readout,
            map,
            position,
        })
    }

    /// Returns `Σ w (b + R (S v'))` (Larsen et al., eq. 3), world space, metres, with the shares of the method where that adds up
    /// positions, else with the weights, as linear blending has it. `None` where a joint that has a part in it has no such form.
    #[must_use]
    pub fn quaternion_sum(&self) -> Option<DVec3> {
        let share = |i: usize| match &self.readout {
            Readout::Sum(shares) => shares[i],
            Readout::Motion { .. } | Readout::Terms(_) => self.terms[i].weight,
        };
        let parts = self.terms.iter().enumerate().map(|(i, term)| (term, share(i))).filter(|(_, share)| *share != 0.0);
        parts.map(|(term, share)| term.quaternion.ok().map(|form| form.carried() * share)).sum()
    }
}

fn morphs(posed: &PosedModel, instance: &Instance, vertex: VertexRef) -> Vec<MorphTerm> {
    let primitive = &posed.model.meshes[instance.mesh.index()].primitives[vertex.primitive];
    let weights = posed.morph_weights.get(instance.morph_offset..).unwrap_or_default();
    let weights = &weights[..instance.morph_weights.len().min(weights.len())];
    let all = primitive.morphs.iter().zip(weights).enumerate();
    let moved = all.filter_map(|(target, (morph, weight))| {
        let weight = f64::from(*weight);
        let displacement = morph.positions.get(vertex.vertex)?.as_dvec3() * weight;
        (displacement != DVec3::ZERO).then_some(MorphTerm { target, weight, displacement })
    });
    moved.collect()
}

/// Returns `p' = W⁻¹ p`: a world position in the space of a node that stands at `world_from_node`; `None` where that
/// cannot be inverted.
#[must_use]
pub fn in_space(world_from_node: &Affine3A, position: DVec3) -> Option<DVec3> {
    let inverse = double(world_from_node).inverse();
    let inside = inverse.transform_point3(position);
    (inverse.is_finite() && inside.is_finite()).then_some(inside)
}

fn double(m: &Affine3A) -> DAffine3 {
    DAffine3::from_cols_array(&m.to_cols_array().map(f64::from))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_anim::{self as anim, SampleScratch, local_to_model};
    use skinscope_deform::{self as deform, Deformed, METHODS};
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{InstanceId, LocalPose, ModelParts};

    use super::*;

    /// A rotation about z and a translation, in double precision and without the crate's matrices.
    #[derive(Clone, Copy)]
    struct Turn {
        angle: f64,
        by: [f64; 3],
    }

    impl Turn {
        fn apply(self, p: [f64; 3]) -> [f64; 3] {
            let (s, c) = self.angle.sin_cos();
            [c * p[0] - s * p[1] + self.by[0], s * p[0] + c * p[1] + self.by[1], p[2] + self.by[2]]
        }

        fn undo(self, p: [f64; 3]) -> [f64; 3] {
            let (s, c) = self.angle.sin_cos();
            let d = [p[0] - self.by[0], p[1] - self.by[1], p[2] - self.by[2]];
            [c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]]
        }

        fn matrix(self) -> Affine3A {
            let by = Vec3::new(self.by[0] as f32, self.by[1] as f32, self.by[2] as f32);
            Affine3A::from_rotation_translation(Quat::from_rotation_z(self.angle as f32), by)
        }
    }

    fn close(a: DVec3, b: [f64; 3]) {
        assert!((a - DVec3::from_array(b)).length() < 1e-6, "{a} for {b:?}");
    }

    const VERTEX: VertexRef = VertexRef { instance: InstanceId(0), primitive: 0, vertex: 0 };

    /// Makes a skin of `bind.len()` joints in which vertex 0 lies at `at` and has these influences.
    fn skinned(bind: &[Turn], at: [f64; 3], influences: &[(u16, f32)]) -> Model {
        let shape = Tube { joints: bind.len(), rings: 2, sides: 3, ..Tube::default() };
        let mut parts: ModelParts = (*tube(shape)).clone();
        parts.skins[0].inverse_bind = bind.iter().map(|turn| turn.matrix().inverse()).collect();
        let primitive = &mut parts.meshes[0].primitives[0];
        primitive.positions[0] = DVec3::from_array(at).as_vec3();
        let lists = primitive.stored_influences.as_mut().unwrap();
        for slot in 0..lists.per_vertex {
            (lists.joints[slot], lists.weights[slot]) = influences.get(slot).copied().unwrap_or_default();
        }
        Model::build(parts).unwrap()
    }

    fn explained(model: &Model, now: &[Turn]) -> Explanation {
        let mut pose = vec![Affine3A::IDENTITY];
        pose.extend(now.iter().map(|turn| turn.matrix()));
        let mut palettes = Vec::new();
        deform::palettes(model, &pose, &mut palettes);
        let posed =
            PosedModel { model, palettes: &palettes, morph_weights: &[], method: METHODS[0].into(), surface: None };
        Explanation::of(&posed, VERTEX, 0).unwrap()
    }

    /// The example of a book chapter on smooth skinning: 60 % joint 37, 30 % joint 6, 10 % joint 14.
    #[test]
    fn the_worked_example_of_three_joints() {
        let joints = 0..40_u32;
        let turn = |i: u32, k: f64| {
            let i = f64::from(i);
            Turn { angle: k * (i * 0.37).sin(), by: [0.1 * i * k, 0.5 - 0.02 * i, 0.3 * k * (i * 0.9).cos()] }
        };
        let bind: Vec<Turn> = joints.clone().map(|i| turn(i, 0.4)).collect();
        let now: Vec<Turn> = joints.map(|i| turn(i, 1.3)).collect();
        let at = [0.25, 1.5, -0.125];
        // They are stored in another order than that of their weights.
        let said = explained(&skinned(&bind, at, &[(6, 0.3), (37, 0.6), (14, 0.1)]), &now);
        let nodes: Vec<u32> = said.terms.iter().map(|t| t.node.0 - 1).collect();
        assert_eq!(nodes, [37, 6, 14]);
        let mut sum = [0.0; 3];
        for (term, (joint, weight)) in said.terms.iter().zip([(37, 0.6), (6, 0.3), (14, 0.1)]) {
            let offset = bind[joint].undo(at);
            let alone = now[joint].apply(offset);
            close(term.offset, offset);
            close(term.alone, alone);
            close(term.matrix.transform_point3(DVec3::from_array(at)), alone);
            (0..3).for_each(|axis| sum[axis] += weight * alone[axis]);
        }
        close(said.position, sum);
        let Readout::Sum(shares) = &said.readout else { panic!("{:?}", said.readout) };
        close(said.terms.iter().zip(shares).map(|(term, share)| term.alone * *share).sum(), sum);
        // Without matrices: v = Σ w (b + R v').
        close(said.quaternion_sum().unwrap(), sum);
        for (term, joint) in said.terms.iter().zip([37, 6, 14]) {
            let form = term.quaternion.unwrap();
            close(form.translation, now[joint].by);
            close(form.carried(), term.alone.to_array());
            assert!((form.rotation.to_scaled_axis().z - now[joint].angle).abs() < 1e-6 && !form.scales());
        }
        assert!((said.sum - 1.0).abs() < 1e-7 && said.skinned);
    }

    #[test]
    fn a_vertex_that_was_split_for_tangents_has_the_number_of_the_one_that_it_copies() {
        let mut parts: ModelParts = (*tube(Tube { joints: 2, rings: 2, sides: 3, ..Tube::default() })).clone();
        let primitive = &mut parts.meshes[0].primitives[0];
        let count = primitive.stored_vertices;
        for list in [&mut primitive.positions, &mut primitive.normals] {
            list.extend_from_within(2..3);
        }
        primitive.uvs.iter_mut().filter(|uvs| !uvs.is_empty()).for_each(|uvs| uvs.extend_from_within(2..3));
        primitive.split_from = vec![2];
        let lists = primitive.stored_influences.as_mut().unwrap();
        let of = 2 * lists.per_vertex..3 * lists.per_vertex;
        lists.joints.extend_from_within(of.clone());
        lists.weights.extend_from_within(of);
        let model = Model::build(parts).unwrap();
        let mut palettes = Vec::new();
        deform::palettes(&model, &vec![Affine3A::IDENTITY; model.skeleton.len()], &mut palettes);
        let method = METHODS[0].into();
        let posed = PosedModel { model: &model, palettes: &palettes, morph_weights: &[], method, surface: None };
        let said = Explanation::of(&posed, VertexRef { vertex: count, ..VERTEX }, 0).unwrap();
        assert_eq!((said.vertex.vertex, said.number), (count, 2));
    }

    /// The figure of "Skinning math tutorial": three bones in a row; p is fixed to bone 1, b and c are where bones 2 and 3
    /// carry it, and p' is the skinned position in the space of bone 1. Here the bones are turned at rest too.
    #[test]
    fn ghosts_are_where_each_bone_alone_carries_the_vertex() {
        // Rest: W1 = A1, W2 = A1 A2, W3 = A1 A2 A3; now with other angles.
        let chain = |angles: [f64; 3]| {
            let mut by = [0.0; 3];
            let mut angle = 0.0;
            angles.map(|turned| {
                angle += turned;
                let world = Turn { angle, by };
                by = world.apply([1.0, 0.0, 0.0]);
                world
            })
        };
        let (rest, now) = (chain([0.2, -0.5, 0.3]), chain([0.7, 0.4, -0.9]));
        let p = rest[0].apply([0.8, 0.3, 0.1]);
        let said = explained(&skinned(&rest, p, &[(0, 0.5), (1, 0.3), (2, 0.2)]), &now);
        let ghosts = [0, 1, 2].map(|bone: usize| now[bone].apply(rest[bone].undo(p)));
        for (term, ghost) in said.terms.iter().zip(ghosts) {
            close(term.alone, ghost);
        }
        let blended: [f64; 3] = std::array::from_fn(|i| 0.5 * ghosts[0][i] + 0.3 * ghosts[1][i] + 0.2 * ghosts[2][i]);
        close(said.position, blended);
        for bone in now {
            close(in_space(&bone.matrix(), said.position).unwrap(), bone.undo(blended));
        }
        assert_eq!(in_space(&Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)), said.position), None);
    }

    #[test]
    fn what_is_said_is_what_is_drawn_for_every_method_and_vertex() {
        let model = obstacle_course();
        for time_secs in [0.0, 0.6, 1.1, 1.6] {
            let mut local = LocalPose::clone(&model.skeleton.rest);
            anim::sample(&model, &model.clips[0], time_secs, &mut SampleScratch::default(), &mut local);
            let (mut pose, mut palettes) = (Vec::new(), Vec::new());
            local_to_model(&model.skeleton, &local, &mut pose);
            deform::palettes(&model, &pose, &mut palettes);
            for method in METHODS {
                let morph_weights = &local.morph_weights;
                let data = method
                    .data
                    .and_then(|source| (source.make)(&model, &skinscope_base::parallel::JobContext::of_waiting()));
                let method = Deformation { data: data.as_ref(), ..Deformation::from(*method) };
                let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
                let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights, method };
                let surface = method.needs_surface().then(|| Arc::new(Surface::of(&input)));
                let posed = PosedModel { model: &model, palettes: &palettes, morph_weights, method, surface };
                let mut packed = Vec::new();
                deform::pack(&method, &palettes, &mut packed);
                for (i, instance) in model.instances.iter().enumerate() {
                    for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
                        let (id, mut drawn) = (InstanceId::from_index(i), Deformed::default());
                        deform::deform_primitive(&model, id, primitive, &packed, morph_weights, method, &mut drawn);
                        for (vertex, drawn) in drawn.positions.iter().enumerate() {
                            let said =
                                Explanation::of(&posed, VertexRef { instance: id, primitive, vertex }, 0).unwrap();
                            let off = said.position.as_vec3().distance(*drawn);
                            assert!(off < 2e-5, "{} at {time_secs} s, vertex {vertex}: {off}", method.id);
                        }
                    }
                }
                let beyond = VertexRef { vertex: 1 << 20, ..VERTEX };
                assert_eq!(Explanation::of(&posed, beyond, 0), None);
            }
        }
    }
}
