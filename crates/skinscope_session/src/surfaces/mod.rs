//! The deformed surfaces of the pose that is shown: each is computed when it is first asked for, on all cores, and
//! shared by all that ask while the pose stays.

pub(crate) mod deforming;
mod subdivided;
pub(crate) mod tangents;

pub use self::deforming::{Deforming, MethodChoice, Subdivide};

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use glam::{Affine3A, Vec2};
use skinscope_deform::{self as deform, Deformation, Surface, SurfaceInput};
use skinscope_inspect::{PerVertex, PosedModel};
use skinscope_model::Model;

use crate::{
    ComparedSurfaces, Comparison, ComparisonLayout, CrowdPose, MeasureKey, MeasuredPose, Pose, SideWeights, View,
};

/// How it is deformed, a member of the crowd (0 is the model itself), and which weights it has.
type SurfaceKey = (MethodChoice, usize, SideWeights);

/// The surfaces of one pose, one for each way to deform it (and member of a crowd) that was asked for.
#[derive(Debug, Default)]
pub(super) struct SurfaceCache {
    cached: Mutex<Vec<(SurfaceKey, Arc<Surface>)>>,
    /// Two of them that were compared.
    compared: Mutex<Option<Arc<ComparedSurfaces>>>,
    /// How far the surface is from that of the stored weights.
    changed: Mutex<Option<(MethodChoice, Arc<PerVertex>)>>,
    /// What was measured of them last: of both sides of a comparison, at most.
    measured: Mutex<Vec<Arc<MeasuredPose>>>,
    /// What was subdivided.
    subdivided: subdivided::SubdividedCache,
    made: AtomicUsize,
}

impl Clone for SurfaceCache {
    /// Copies the cache; both share the surfaces that exist and are independent afterwards.
    fn clone(&self) -> Self {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self {
            cached: Mutex::new(cached),
            compared: Mutex::new(compared),
            changed: Mutex::default(),
            measured: Mutex::default(),
            subdivided: subdivided::SubdividedCache::default(),
            made: AtomicUsize::new(self.made.load(Ordering::Relaxed)),
        }
    }
}

impl SurfaceCache {
    /// Forgets all surfaces, since the pose has changed.
    pub fn forget(&mut self) {
        self.cached.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        *self.compared.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        *self.changed.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        self.subdivided.forget();
    }

    /// Returns how far the surface is from that of the stored weights; a second caller waits while it is
    /// computed.
    pub fn changed(&self, choice: MethodChoice, make: impl FnOnce() -> PerVertex) -> Arc<PerVertex> {
        let mut cached = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = cached.as_ref().filter(|(by, _)| *by == choice) {
            return Arc::clone(known);
        }
        let made = Arc::new(make());
        *cached = Some((choice, Arc::clone(&made)));
        made
    }

    /// Returns the surface that is deformed by `choice`, if it has been computed.
    pub(crate) fn at_hand(&self, choice: MethodChoice) -> Option<Arc<Surface>> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.iter().find(|(key, _)| *key == (choice, 0, SideWeights::Shown)).map(|(_, surface)| Arc::clone(surface))
    }

    /// Returns the surface of `key`; a second caller waits while it is computed.
    fn get(&self, key: SurfaceKey, make: impl FnOnce() -> Surface) -> Arc<Surface> {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, surface)) = cached.iter().find(|(other, _)| *other == key) {
            return Arc::clone(surface);
        }
        let surface = Arc::new(make());
        self.made.fetch_add(1, Ordering::Relaxed);
        cached.push((key, Arc::clone(&surface)));
        surface
    }

    /// Returns the measures that belong to `key`, if they are known.
    pub fn measured(&self, key: &MeasureKey) -> Option<Arc<MeasuredPose>> {
        let measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        measured.iter().find(|measured| measured.key == *key).map(Arc::clone)
    }

    /// Keeps the measures of the pose.
    pub(crate) fn keep_measured(&self, measured: &Arc<MeasuredPose>) {
        let mut cached = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        cached.truncate(1);
        cached.insert(0, Arc::clone(measured));
    }

    /// What two surfaces are when they are compared; `make` works it out where that has not been done.
    pub fn compared(&self, of: &[Arc<Surface>; 2], make: impl FnOnce() -> ComparedSurfaces) -> Arc<ComparedSurfaces> {
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |cached: &&Arc<ComparedSurfaces>| cached.surfaces.iter().zip(of).all(|(a, b)| Arc::ptr_eq(a, b));
        if let Some(cached) = compared.as_ref().filter(is_it) {
            return Arc::clone(cached);
        }
        Arc::clone(compared.insert(Arc::new(make())))
    }
}

/// The deformed surfaces of the pose that is shown, on both sides of the picture.
#[derive(Clone, Copy, Debug)]
pub struct Surfaces<'a> {
    pub(super) deforming: Deforming<'a>,
    pub(super) view: &'a View,
    pub(super) pose: &'a Pose,
}

impl<'a> Surfaces<'a> {
    /// Returns the surface of the open model as it is posed and deformed; of a crowd, that of the first member. It is
    /// deformed once for a pose, however often it is asked for. `None` where nothing is open.
    #[must_use]
    pub fn surface(self) -> Option<Arc<Surface>> {
        self.member_surface(0)
    }

    /// Returns the surface of one member of the crowd, by the method that is shown; number 0 is the model itself.
    #[must_use]
    pub(crate) fn member_surface(self, member: usize) -> Option<Arc<Surface>> {
        self.surface_of(self.view.choice(), member, SideWeights::Shown)
    }

    /// The surface of one member of the crowd, deformed by `choice`, with these weights.
    pub(super) fn surface_of(self, choice: MethodChoice, member: usize, weights: SideWeights) -> Option<Arc<Surface>> {
        let mut input = self.surface_input(choice)?;
        let length = input.palettes.len();
        let other = if weights == SideWeights::Shown { None } else { self.deforming.compared_model() };
        let other_model = other.filter(|other| !std::ptr::eq(&raw const ***other, input.model));
        let weights = if other_model.is_some() { weights } else { SideWeights::Shown };
        let (of_other, crowd_of_other);
        let CrowdPose { palettes, morph_weights, .. } = &self.pose.crowd;
        let mut crowd = &palettes[..];
        if let Some(other) = other_model {
            (input.model, input.method) = (other, self.deforming.deformation_of(choice, Some(other)));
            (of_other, crowd_of_other) = (self.palettes_of(other), self.crowd_palettes_of(other));
            (input.palettes, crowd) = (&of_other, &crowd_of_other);
        }
        let choice = self.deforming.ready(choice, other_model.or(self.deforming.shown_model()));
        let other = |i: usize| SurfaceInput {
            palettes: &crowd[i * length..][..length],
            morph_weights: &morph_weights[i * input.morph_weights.len()..][..input.morph_weights.len()],
            ..input
        };
        let make = || Surface::of(&member.checked_sub(1).map_or(input, other));
        (member < self.pose.formation.members).then(|| self.pose.surfaces.get((choice, member, weights), make))
    }

    /// Returns the skinning matrices that another model of the same joints has in the pose that is shown: those that are shown
    /// unless its inverse bind matrices are others.
    #[must_use]
    pub(crate) fn palettes_of(self, other: &Model) -> Cow<'a, [Affine3A]> {
        if self.deforming.is_bound_as_shown(other) {
            return Cow::Borrowed(&self.pose.palettes);
        }
        let mut out = Vec::new();
        deform::palettes(other, &self.pose.model, &mut out);
        Cow::Owned(out)
    }

    /// Does the same as [`crate::Surfaces::palettes_of`] for the members of a crowd but the first.
    #[must_use]
    pub(crate) fn crowd_palettes_of(self, other: &Model) -> Cow<'a, [Affine3A]> {
        let palettes = &self.pose.crowd.palettes;
        let shown =
            self.deforming.shown_model().filter(|_| !palettes.is_empty() && !self.deforming.is_bound_as_shown(other));
        let Some(shown) = shown else { return Cow::Borrowed(palettes) };
        let all = |model: &Model| -> Vec<Affine3A> {
            model.skins.iter().flat_map(|skin| skin.inverse_bind.iter().copied()).collect()
        };
        let rebound: Vec<Affine3A> = all(shown).iter().zip(all(other)).map(|(a, b)| a.inverse() * b).collect();
        let mut out = palettes.clone();
        for member in out.chunks_exact_mut(self.pose.palettes.len().max(1)) {
            // Skins come before what is rigid.
            member.iter_mut().zip(&rebound).for_each(|(matrix, rebound)| *matrix *= *rebound);
        }
        Cow::Owned(out)
    }

    /// Returns the surface where it has been computed already, or where the method needs all of it to deform one vertex.
    pub(super) fn surface_at_hand(self) -> Option<Arc<Surface>> {
        let needs_surface = self.deforming.deformation().needs_surface();
        let choice = self.deforming.ready(self.view.choice(), self.deforming.shown_model());
        self.pose.surfaces.at_hand(choice).or_else(|| needs_surface.then(|| self.surface()).flatten())
    }

    pub(super) fn surface_input(self, choice: MethodChoice) -> Option<SurfaceInput<'a>> {
        let Pose { local, palettes, draws, .. } = self.pose;
        let model = self.deforming.shown_model()?;
        let method = self.deforming.deformation_of(choice, Some(model));
        Some(SurfaceInput { model, draws, palettes, morph_weights: &local.morph_weights, method })
    }

    /// Returns the open model as it is posed.
    pub(super) fn posed(self) -> Option<PosedModel<'a>> {
        let SurfaceInput { model, palettes, morph_weights, method, .. } = self.surface_input(self.view.choice())?;
        Some(PosedModel { model, palettes, morph_weights, method, surface: self.surface_at_hand() })
    }

    /// Asks something of the open model as one side of a comparison has it: with its weights, its inverse bind matrices and its method.
    pub(super) fn on_side<R>(self, is_second: bool, ask: impl FnOnce(&PosedModel<'_>) -> R) -> Option<R> {
        let Some(comparison) = self.deforming.comparison().filter(|_| is_second) else {
            return self.posed().map(|p| ask(&p));
        };
        let SurfaceInput { morph_weights, .. } = self.surface_input(comparison.choice)?;
        let model = self.deforming.compared_model()?;
        let method = self.deforming.deformation_of(comparison.choice, Some(model));
        let surface = method.needs_surface().then(|| self.compared_surface(comparison, 0)).flatten();
        let palettes = self.palettes_of(model);
        Some(ask(&PosedModel { model, palettes: &palettes, morph_weights, method, surface }))
    }
}

impl<'a> Deforming<'a> {
    fn is_bound_as_shown(self, other: &Model) -> bool {
        self.shown_model().is_none_or(|shown| shown.has_binds_of(other))
    }

    /// Returns whether a point of the viewport shows the second side of a split picture.
    #[must_use]
    pub fn is_second_at(self, at: Vec2) -> bool {
        let is_second = |c: &Comparison| {
            c.layout == ComparisonLayout::Split && (at.x >= c.split * self.view.viewport.x) != c.swapped
        };
        self.comparison().is_some_and(is_second)
    }

    /// Returns the model of one side of a comparison; where nothing is compared, that which is shown.
    #[must_use]
    pub fn side_model(self, is_second: bool) -> Option<&'a Arc<Model>> {
        if is_second && self.comparison().is_some() { self.compared_model() } else { self.model }
    }

    /// Returns how one side of a comparison is deformed; where nothing is compared, what is shown.
    #[must_use]
    pub fn side_deformation(self, is_second: bool) -> Deformation<'a> {
        match self.comparison().filter(|_| is_second) {
            Some(comparison) => self.deformation_of(comparison.choice, self.compared_model()),
            None => self.deformation(),
        }
    }
}

#[cfg(test)]
impl Pose {
    /// Returns how many surfaces this session has deformed.
    pub(crate) fn surfaces_made(&self) -> usize {
        self.surfaces.made.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};
    use skinscope_anim as anim;
    use skinscope_deform as deform;
    use skinscope_deform::{METHODS, Method};
    use skinscope_export as export;
    use skinscope_inspect as inspect;
    use skinscope_inspect::VertexRef;
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{InstanceId, Model, NodeId};

    use super::*;
    use crate::{
        CameraCommand, ChannelValue, Document, EditCommand, PlaybackCommand, PoseSource, SelectionCommand, Session,
        Toggle, ViewCommand,
    };

    /// A method that moves every vertex to the middle of the triangles around it, which depends on its neighbours.
    static SMOOTHED: Method = Method { id: "smoothed", pass: Some(smooth), ..*METHODS[0] };

    fn smooth(input: &SurfaceInput, surface: &mut Surface) {
        for part in &mut surface.parts {
            let mesh = input.model.instances[part.instance.index()].mesh;
            let p = &input.model.meshes[mesh.index()].primitives[part.primitive];
            if p.stored_influences.is_none() {
                continue;
            }
            let mut sums = vec![(Vec3::ZERO, 0.0); p.positions.len()];
            for corners in p.indices.as_chunks::<3>().0 {
                let sum: Vec3 = corners.iter().map(|v| part.deformed.positions[*v as usize]).sum();
                for v in corners {
                    sums[*v as usize] = (sums[*v as usize].0 + sum, sums[*v as usize].1 + 3.0);
                }
            }
            for (at, (sum, count)) in part.deformed.positions.iter_mut().zip(sums).filter(|(_, (_, n))| *n > 0.0) {
                *at = sum / count;
            }
        }
    }

    fn open(model: Model, method: &'static Method) -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(model), Vec::new(), None));
        session.view.method = method;
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(CameraCommand::SetViewport(Vec2::new(400.0, 400.0)));
        session.update_pose();
        session.apply(CameraCommand::FrameAll);
        session
    }

    /// Opens a session that shows the bent tube by a method.
    fn bent(method: &'static Method) -> Session {
        let mut session = open(tube(Tube { joints: 3, ..Tube::default() }), method);
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 70.0)));
        session.update_pose();
        session
    }

    #[test]
    fn whoever_asks_reads_one_surface_which_is_deformed_once_for_a_pose() {
        let mut session = bent(&SMOOTHED);
        let before = session.pose().surfaces_made();
        let surface = session.surfaces().surface().unwrap();
        let model = Arc::clone(session.model().unwrap());
        let corners = model.meshes[0].primitives[0].indices[60..63].iter();
        let middle = corners.map(|v| surface.parts[0].deformed.positions[*v as usize] / 3.0).sum();
        let pixel = session.view().project(middle).unwrap();
        let hit = session.picking().vertex_at(pixel).unwrap();
        assert_eq!(Some(hit), inspect::pick(&model, &surface, session.view().ray(pixel)));
        for vertex in 0..40 {
            let pinned = VertexRef { instance: InstanceId(0), primitive: 0, vertex };
            session.apply(SelectionCommand::Pin(Some(pinned)));
            let said = session.picking().explanation().unwrap().position.as_vec3();
            assert_eq!(said, surface.parts[0].deformed.positions[vertex], "vertex {vertex}");
        }
        let around = skinscope_base::math::Aabb::from_points(surface.parts[0].deformed.positions.iter().copied());
        assert_eq!((session.surfaces().extent().all, session.extents().bounds()), (around, around));
        let everything =
            inspect::moved_bounds(&session.surfaces().posed().unwrap(), &session.pose.draws, NodeId(2), 0.5);
        assert!(around.union(everything) == around && everything != around, "a part of it");
        let baked = export::baked_primitives(&model, session.pose().shift, &session.surfaces().surface().unwrap());
        assert_eq!(baked[0].positions, surface.parts[0].deformed.positions);
        session.apply(ViewCommand::Toggle(Toggle::Wireframe));
        session.update_pose();
        assert!(Arc::ptr_eq(&surface, &session.surfaces().surface().unwrap()), "a look at it changes nothing");
        assert_eq!(session.pose().surfaces_made() - before, 1);
        // Another method and another pose have surfaces of their own.
        let choice = MethodChoice { method: METHODS[1], ..session.view().choice() };
        let by_other = || session.surfaces().surface_of(choice, 0, SideWeights::Shown).unwrap();
        assert!(Arc::ptr_eq(&by_other(), &by_other()));
        assert_eq!(session.pose().surfaces_made() - before, 2);
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 20.0)));
        session.update_pose();
        assert!(!Arc::ptr_eq(&surface, &session.surfaces().surface().unwrap()));
        assert_eq!(session.pose().surfaces_made() - before, 3);
    }

    #[test]
    fn a_method_of_single_vertices_deforms_no_surface_for_a_question_about_some() {
        let mut session = bent(METHODS[0]);
        let pixel = session.view().project(session.extents().bounds().center()).unwrap();
        session.apply(SelectionCommand::PickAt(pixel));
        assert!(
            session.view().pinned.is_some()
                && session.picking().explanation().is_some()
                && !session.extents().bounds().is_empty()
        );
        assert_eq!(session.pose().surfaces_made(), 0);
        // Once the surface exists it is read, and says the same.
        let (hit, extent) = (session.picking().vertex_at(pixel), session.surfaces().extent());
        let _surface = session.surfaces().surface();
        assert_eq!((hit, extent), (session.picking().vertex_at(pixel), session.surfaces().extent()));
        assert_eq!(session.pose().surfaces_made(), 1);
    }

    #[test]
    fn a_surface_is_what_each_primitive_is_deformed_to_copies_too() {
        let mut parts = (*obstacle_course()).clone();
        let turned = Affine3A::from_scale_rotation_translation(
            Vec3::new(-1.0, 2.0, 0.5),
            glam::Quat::from_rotation_y(0.7),
            Vec3::new(3.0, 1.0, 0.0),
        );
        parts.instances[1].copies = vec![Affine3A::IDENTITY, turned];
        let model = Model::build(parts).unwrap();
        for method in METHODS {
            let session = open(Model::build((*model).clone()).unwrap(), method);
            let surface = session.surfaces().surface().unwrap();
            let mut packed = Vec::new();
            deform::pack(method, &session.pose.palettes, &mut packed);
            assert_eq!(session.pose.draws, anim::drawn_at_rest(&model, 0));
            let mut seen = 0;
            for id in &session.pose.draws {
                let instance = &model.instances[id.index()];
                for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
                    let part = surface.part(*id, primitive).unwrap();
                    for copy in 0..instance.copy_count() {
                        let packed = &packed[copy * method.vec4s_per_joint..];
                        let (weights, mut want) = (&session.pose.local.morph_weights, deform::Deformed::default());
                        deform::deform_primitive(&model, *id, primitive, packed, weights, method, &mut want);
                        let got = if part.copies.is_empty() { part.deformed.clone() } else { part.copy(copy) };
                        let off =
                            |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                        assert!(off(&got.positions, &want.positions) < 1e-5, "{}", method.id);
                        assert!(off(&got.normals, &want.normals) < 1e-5, "{}: {id:?}", method.id);
                        let same = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * b.abs() && a * b > 0.0;
                        assert!(got.determinants.iter().zip(&want.determinants).all(same), "{}", method.id);
                        assert_eq!(got.tangents.len(), want.tangents.len());
                        let near = |(a, b): (&glam::Vec4, &glam::Vec4)| a.distance(*b) < 1e-4;
                        assert!(got.tangents.iter().zip(&want.tangents).all(near), "{}", method.id);
                        seen += 1;
                    }
                }
            }
            assert_eq!(seen, surface.parts.iter().map(|p| p.copies.len().max(1)).sum::<usize>());
            assert!(surface.part(InstanceId(99), 0).is_none() && surface.part(InstanceId(0), 9).is_none());
        }
    }
}
