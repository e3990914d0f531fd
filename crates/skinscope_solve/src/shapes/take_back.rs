//! Takes a sculpt of a posed surface back through the skin: which places at rest the method of the pose puts there.

use glam::{DMat3, DVec3, Mat3A, Vec3, Vec4};
use skinscope_anim::local_to_model;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{Batch, BatchInfluences, BatchOut, Deformation, Deformed, MethodData, morphed, pack, palettes};
use skinscope_model::{InstanceId, LocalPose, Model, MorphTarget, Primitive};

use crate::motion::diagonal;

/// A vertex is left alone where its place at rest would have to change by up to this many times what its place in the pose changes by, as
/// measured by the condition of its matrix: the skin is folded flat there.
const FLATTEST: f64 = 1e3;
/// Changes of less than this share of the diagonal of the bounds are none.
const NOTHING: f64 = 1e-6;
/// A vertex that is farther from where it should be than this share of the diagonal is not there.
const REACHED: f64 = 1e-5;
/// How often what single precision has left is taken back too.
const ROUNDS: usize = 3;

/// A primitive in a pose, as a method deforms it: from where a vertex is at rest to where it is in the pose.
#[derive(Debug)]
pub struct PosedSkin<'a> {
    method: Deformation<'a>,
    /// The matrices of the skin, packed for the method.
    palette: Vec<Vec4>,
    /// How many pairs of a joint and a weight each vertex has, and all of them.
    per_vertex: usize,
    joints: Vec<u16>,
    weights: Vec<f32>,
    /// What the method has worked out for each vertex in advance; empty where it needs nothing.
    vectors: Vec<Vec4>,
    /// Where each vertex of the file is at rest, in mesh space, with the morph targets of the pose.
    rest: Vec<Vec3>,
    /// The normals at rest with those targets, and the tangents; each list is empty where the primitive has none.
    directions: [Vec<Vec3>; 2],
}

/// A sculpt that was taken back to rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenBack {
    /// What is added to each vertex of the file at rest, in mesh space; zero where nothing changes.
    pub offsets: Vec<Vec3>,
    /// The vertices, rising, that the sculpt moves and that stay all the same, since the skin is folded flat there: no place at rest, or none
    /// that is near, gets to where they should be. So do those that should be at no number.
    pub flat: Vec<u32>,
    /// The largest distance of the other vertices from where they should be, metres, after they were taken forward again.
    pub left: f64,
}

impl TakenBack {
    /// Returns the length of the longest offset.
    #[must_use]
    pub fn longest(&self) -> f64 {
        self.offsets.iter().map(|offset| f64::from(offset.length())).fold(0.0, f64::max)
    }

    /// Returns how many vertices have an offset.
    #[must_use]
    pub fn moved(&self) -> usize {
        self.offsets.iter().filter(|offset| **offset != Vec3::ZERO).count()
    }
}

impl<'a> PosedSkin<'a> {
    /// Poses a primitive of an instance. Returns `None` where no skin moves it, where the method moves no vertex alone ([`Deformation::has_pass`]),
    /// and where the job was cancelled.
    #[must_use]
    pub fn new(
        model: &Model,
        pose: &LocalPose,
        (instance, primitive): (InstanceId, usize),
        method: Deformation<'a>,
        context: &JobContext,
    ) -> Option<Self> {
        let source = model.instances.get(instance.index())?;
        let skin = model.skins.get(source.skin?.index())?;
        let mesh = model.meshes[source.mesh.index()].primitives.get(primitive)?;
        let (first, influences) = model.binding(instance, primitive);
        let influences = influences.filter(|_| !method.has_pass())?;
        let (mut nodes, mut matrices, mut palette) = (Vec::new(), Vec::new(), Vec::new());
        let mut driven = pose.clone();
        model.drive_links(&mut driven);
        local_to_model(&model.skeleton, &driven, &mut nodes);
        palettes(model, &nodes, &mut matrices);
        let own = matrices.get(first as usize..first as usize + skin.joints.len())?;
        pack(&method, own, &mut palette);
        let stored = mesh.stored_vertices;
        let vertices: Vec<u32> = (0..stored as u32).collect();
        let (joints, weights) = influences.gathered(&vertices);
        let made = match (method.method.data, method.data) {
            (Some(source), None) => Some((source.make)(model, context)?),
            _ => None,
        };
        let data: Option<&MethodData> = method.data.or(made.as_ref());
        let vectors = data.map_or(&[][..], |data| data.vectors_of(instance, primitive));
        let vectors = vectors.iter().take(stored).copied().collect();
        let morphs = pose.morph_weights.get(source.morph_offset..).unwrap_or_default();
        let morphs = &morphs[..morphs.len().min(source.morph_weights.len())];
        let mut rest = Vec::new();
        morphed(mesh, morphs, &mut rest);
        rest.truncate(stored);
        let tangents = mesh.tangents.iter().map(|tangent| tangent.truncate());
        let directions = [
            directions_of(mesh, mesh.normals.iter().copied(), morphs, |target| &target.normals),
            directions_of(mesh, tangents, morphs, |target| &target.tangents),
        ];
        let per_vertex = influences.per_vertex;
        Some(Self { method, palette, per_vertex, joints, weights, vectors, rest, directions })
    }

    /// Returns where the method puts the vertices with something added to their places at rest, counted as those of [`PosedSkin::as_it_is`].
    #[must_use]
    pub fn posed(&self, offsets: &[Vec3]) -> Vec<Vec3> {
        let from: Vec<Vec3> = self.rest.iter().zip(offsets).map(|(rest, offset)| *rest + *offset).collect();
        self.forward(&from)
    }

    /// Returns where the method puts the vertices as they are, metres, counted from the origin of the motion ([`crate::Motion::origin`]).
    #[must_use]
    pub fn as_it_is(&self) -> Vec<Vec3> {
        self.forward(&self.rest)
    }

    /// Returns where the vertices are at rest, in mesh space, with the morph targets of the pose.
    pub(super) fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Returns the normals and the tangents of the vertices at rest, with the morph targets of the pose.
    pub(super) fn directions(&self) -> &[Vec<Vec3>; 2] {
        &self.directions
    }

    /// Returns the surface with something added to the first vertices at rest: where they are, their determinants, and what carries normals.
    pub(super) fn surface(&self, offsets: &[Vec3]) -> Deformed {
        let by = |vertex: usize| offsets.get(vertex).copied().unwrap_or_default();
        let from: Vec<Vec3> = self.rest.iter().enumerate().map(|(vertex, rest)| *rest + by(vertex)).collect();
        let mut out = Deformed {
            positions: vec![Vec3::ZERO; from.len()],
            determinants: vec![0.0; from.len()],
            carries: vec![Mat3A::ZERO; from.len()],
            ..Deformed::default()
        };
        let Deformed { positions, determinants, carries, .. } = &mut out;
        self.deform(&from, &mut BatchOut { positions, determinants, carries, ..BatchOut::default() });
        out
    }

    fn forward(&self, from: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; from.len()];
        self.deform(from, &mut BatchOut { positions: &mut out, ..BatchOut::default() });
        out
    }

    fn deform(&self, from: &[Vec3], out: &mut BatchOut<'_>) {
        let count = from.len() * self.per_vertex;
        let (joints, weights) = (&self.joints[..count], &self.weights[..count]);
        let movers = BatchInfluences::Each { per_vertex: self.per_vertex, joints, weights };
        let vectors = &self.vectors[..];
        let values = self.method.values;
        let batch = Batch { positions: from, normals: &[], tangents: &[], movers, values, vectors };
        (self.method.deform_all)(&self.palette, &batch, out);
    }

    /// Returns the linear part of what the method does to each vertex, by taking it forward with three offsets, one along each axis, each as
    /// long as the model is large.
    fn matrices(&self, posed: &[Vec3], by: f32) -> Vec<DMat3> {
        let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| self.posed(&vec![axis * by; self.rest.len()]));
        let by = f64::from(by);
        let column = |axis: usize, v: usize| (columns[axis][v].as_dvec3() - posed[v].as_dvec3()) / by;
        (0..posed.len()).map(|v| DMat3::from_cols(column(0, v), column(1, v), column(2, v))).collect()
    }

    /// Finds what has to be added to the vertices at rest, so that the method puts each of them where it should be. The targets are metres,
    /// counted as those of [`PosedSkin::as_it_is`], one for each vertex of the file; where there are fewer, the other vertices stay.
    #[must_use]
    pub fn take_back(&self, targets: &[DVec3]) -> TakenBack {
        let size = diagonal(self.rest.iter().map(|point| point.as_dvec3()));
        let posed = self.as_it_is();
        let large = diagonal(posed.iter().map(|point| point.as_dvec3()));
        let mut out = TakenBack { offsets: vec![Vec3::ZERO; self.rest.len()], ..TakenBack::default() };
        let is_moved = |(vertex, target): &(usize, &DVec3)| {
            let by = target.distance(posed[*vertex].as_dvec3());
            // What is not finite is told as what cannot be reached.
            by.is_nan() || by > NOTHING * large
        };
        let moved: Vec<(usize, &DVec3)> = targets.iter().take(posed.len()).enumerate().filter(is_moved).collect();
        if moved.is_empty() {
            return out;
        }
        let matrices = self.matrices(&posed, size as f32);
        let mut reached: Vec<(usize, DVec3, DMat3)> = Vec::with_capacity(moved.len());
        for (vertex, target) in moved {
            match inverse(matrices[vertex]).filter(|_| target.is_finite()) {
                Some(inverse) => reached.push((vertex, *target, inverse)),
                None => out.flat.push(vertex as u32),
            }
        }
        let mut now = posed;
        for _ in 0..ROUNDS {
            for (vertex, target, inverse) in &reached {
                let by = *inverse * (*target - now[*vertex].as_dvec3());
                out.offsets[*vertex] = (out.offsets[*vertex].as_dvec3() + by).as_vec3();
            }
            now = self.posed(&out.offsets);
        }
        for (vertex, target, _) in reached {
            let left = target.distance(now[vertex].as_dvec3());
            if left <= REACHED * large {
                out.left = out.left.max(left);
            } else {
                // The skin is so flat there that single precision does not get it near enough.
                out.offsets[vertex] = Vec3::ZERO;
                out.flat.push(vertex as u32);
            }
        }
        out.flat.sort_unstable();
        out
    }
}

/// Returns directions of the vertices of the file with some morph targets; none where the primitive has none of them.
fn directions_of(
    mesh: &Primitive,
    stored: impl Iterator<Item = Vec3>,
    morphs: &[f32],
    of: fn(&MorphTarget) -> &[Vec3],
) -> Vec<Vec3> {
    let mut out: Vec<Vec3> = stored.take(mesh.stored_vertices).collect();
    for (target, weight) in mesh.morphs.iter().zip(morphs).filter(|(_, weight)| **weight != 0.0) {
        for (direction, by) in out.iter_mut().zip(of(target)) {
            *direction += *by * *weight;
        }
    }
    out
}

/// Returns the inverse of a matrix; `None` where it is flat, or nearly so.
pub(super) fn inverse(matrix: DMat3) -> Option<DMat3> {
    let length = |m: &DMat3| m.to_cols_array().iter().map(|number| number * number).sum::<f64>().sqrt();
    let determinant = matrix.determinant();
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let inverse = matrix.inverse();
    // Both lengths of the identity are √3.
    let condition = length(&matrix) * length(&inverse) / 3.0;
    (condition <= FLATTEST).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_deform::{METHODS, PASSES, ParameterSettings};
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{MeshId, NodeId};

    use super::*;
    use crate::tests::Random;

    fn skin<'a>(model: &Model, pose: &LocalPose, method: Deformation<'a>) -> Option<PosedSkin<'a>> {
        let instance = model.instances.iter().position(|instance| instance.skin.is_some()).unwrap();
        PosedSkin::new(model, pose, (InstanceId::from_index(instance), 0), method, &JobContext::of_waiting())
    }

    /// Sculpts random dents by moving vertices at rest, and returns how far what was taken back is from these, and from the surface, as shares
    /// of the diagonal.
    fn taken_back(model: &Model, pose: &LocalPose, method: Deformation<'_>) -> (f64, f64, TakenBack) {
        let skin = skin(model, pose, method).unwrap();
        let size = diagonal(skin.rest.iter().map(|point| point.as_dvec3()));
        let mut random = Random::default();
        let dent = |_: &Vec3| (random.vector() * 0.05 * size).as_vec3();
        let dents: Vec<Vec3> = skin.rest.iter().map(dent).collect();
        let targets: Vec<DVec3> = skin.posed(&dents).iter().map(|point| point.as_dvec3()).collect();
        let back = skin.take_back(&targets);
        let is_flat = |vertex: &usize| back.flat.contains(&(*vertex as u32));
        let others = (0..dents.len()).filter(|vertex| !is_flat(vertex));
        let apart = others.map(|vertex| f64::from(dents[vertex].distance(back.offsets[vertex])));
        (apart.fold(0.0, f64::max) / size, back.left / size, back)
    }

    #[test]
    fn a_sculpt_goes_back_to_where_it_came_from_by_every_method() {
        let model = tube(Tube { joints: 4, rings: 25, influences: 3, ..Tube::default() });
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(3), Vec3::new(70.0, 20.0, -30.0));
        rotate(&mut pose, NodeId(4), Vec3::new(-40.0, 60.0, 10.0));
        for method in METHODS {
            let (apart, left, back) = taken_back(&model, &pose, method.into());
            assert!(back.flat.is_empty(), "{}: {} are flat", method.id, back.flat.len());
            assert!(apart < 1e-5 && left < 1e-6, "{}: {apart}, {left}", method.id);
        }
    }

    #[test]
    fn scaled_sheared_and_morphed_skins_are_taken_back_too() {
        let model = obstacle_course();
        let mut pose = model.skeleton.rest.clone();
        pose.morph_weights[1] = 0.8;
        rotate(&mut pose, NodeId(4), Vec3::new(25.0, 0.0, 10.0));
        for method in METHODS {
            let (_, left, back) = taken_back(&model, &pose, method.into());
            let reached = back.offsets.len() - back.flat.len();
            assert!(left < 1e-5 && reached * 10 > back.offsets.len() * 9, "{}: {left}, {reached}", method.id);
        }
    }

    #[test]
    fn where_the_skin_is_folded_flat_nothing_is_taken_back_and_that_is_said() {
        let model = tube(Tube::default());
        let influences = model.influences(MeshId::from_index(0), 0).unwrap();
        let count = model.meshes[0].primitives[0].stored_vertices;
        let halves: Vec<u32> =
            (0..count as u32).filter(|vertex| (influences.of(*vertex as usize).1[0] - 0.5).abs() < 1e-6).collect();
        let mut pose = model.skeleton.rest.clone();
        // Half of a turn about its own axis: the candy wrapper.
        rotate(&mut pose, NodeId(2), Vec3::Y * 180.0);
        let (_, left, back) = taken_back(&model, &pose, METHODS[0].into());
        assert!(!halves.is_empty() && back.flat == halves, "{} and {}", halves.len(), back.flat.len());
        assert!(halves.iter().all(|vertex| back.offsets[*vertex as usize] == Vec3::ZERO) && left < 1e-5, "{left}");
    }

    #[test]
    fn what_is_not_changed_has_no_offset_and_what_is_no_number_is_told() {
        let model = tube(Tube::default());
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::X * 50.0);
        let skin = skin(&model, &pose, METHODS[0].into()).unwrap();
        let mut targets: Vec<DVec3> = skin.as_it_is().iter().map(|point| point.as_dvec3()).collect();
        let none = skin.take_back(&targets);
        assert_eq!((none.moved(), none.longest(), none.flat.len()), (0, 0.0, 0));
        targets[5] += DVec3::new(0.0, 0.0, 0.1);
        targets[7].x = f64::NAN;
        let back = skin.take_back(&targets);
        assert_eq!((back.moved(), &back.flat[..]), (1, &[7][..]));
        assert!(back.longest() > 0.09 && back.left < 1e-6, "{}", back.longest());
        assert_eq!(skin.take_back(&targets[..5]).moved(), 0, "the others stay");
    }

    #[test]
    fn a_method_that_moves_no_vertex_alone_is_refused() {
        let model = tube(Tube::default());
        let mush = Deformation::from(METHODS[0]).then(PASSES[0], &ParameterSettings::default());
        assert!(skin(&model, &model.skeleton.rest, mush).is_none());
    }
}
