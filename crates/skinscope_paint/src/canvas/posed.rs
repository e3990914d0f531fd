//! The surface as a pose and a method draw it while a dab is painted.

use glam::{Affine3A, DVec3, Vec3, Vec4};
use skinscope_anim::local_to_model;
use skinscope_base::math::closest_on_triangle;
use skinscope_deform::{
    Deformation, DeformedAttributes, Surface, SurfaceDistances, SurfaceInput, VertexDeformer, pack, palettes,
};
use skinscope_model::{InstanceId, Model, PrimitiveId};
use skinscope_weights::RestSurface;

use super::rows::Place;
use super::{Distance, Region, Stroke};
use crate::scene_origin;

/// How a model stands at one moment of a stroke.
#[derive(Debug)]
pub(super) struct Moment {
    /// The moment of the clip, seconds.
    pub time: f64,
    palettes: Vec<Affine3A>,
    packed: Vec<Vec4>,
    morph_weights: Vec<f32>,
    method: &'static skinscope_deform::Method,
    /// The origin of the matrices in the scene of the file, metres.
    origin: DVec3,
}

impl Moment {
    pub fn of(model: &Model, stroke: &Stroke, time: f64) -> Self {
        let pose = stroke.posing.at(model, Some(time));
        let (mut model_pose, mut matrices, mut packed) = (Vec::new(), Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &pose, &mut model_pose);
        palettes(model, &model_pose, &mut matrices);
        pack(stroke.method, &matrices, &mut packed);
        let origin = scene_origin(model, stroke.joint, &pose);
        let morph_weights = pose.morph_weights.clone();
        Self { time, palettes: matrices, packed, morph_weights, method: stroke.method, origin }
    }

    /// Brings a place in the scene of the file into the space of the matrices.
    pub fn to_model(&self, position: DVec3) -> DVec3 {
        position - self.origin
    }

    /// Brings a place in the space of the matrices into the scene of the file.
    pub fn to_scene(&self, position: Vec3) -> DVec3 {
        position.as_dvec3() + self.origin
    }
}

/// Where a dab touches a surface.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The place, model space, metres.
    pub at: Vec3,
    /// The surface.
    region: usize,
    /// Points of it with their distances from that place, metres.
    from: Vec<(u32, f32)>,
}

/// The surfaces that a stroke can touch, at one moment.
pub(super) struct PosedSurfaces<'a> {
    model: &'a Model,
    surfaces: &'a [RestSurface],
    regions: &'a [Region],
    parts: Vec<Vec<Option<PosedPart<'a>>>>,
    whole: Option<Surface>,
}

/// A part of a surface, whose vertices are deformed one by one.
struct PosedPart<'a> {
    instance: InstanceId,
    primitive: usize,
    deformer: Option<VertexDeformer<'a>>,
}

impl<'a> PosedSurfaces<'a> {
    pub fn new(model: &'a Model, surfaces: &'a [RestSurface], regions: &'a [Region], moment: &'a Moment) -> Self {
        let method = Deformation::from(moment.method);
        let Moment { palettes, packed, morph_weights, .. } = moment;
        let whole = method.needs_surface().then(|| {
            let mut draws: Vec<InstanceId> =
                regions.iter().flat_map(|r| r.shown_by.iter().copied().flatten()).collect();
            draws.sort_unstable();
            draws.dedup();
            let input = SurfaceInput { model, draws: &draws, palettes, morph_weights, method };
            let mut out = Surface::default();
            out.deform(&input, DeformedAttributes::ALL);
            out
        });
        let parts = |region: &Region| {
            let parts = region.shown_by.iter().zip(&surfaces[region.surface].parts);
            let part = |(instance, part): (&Option<InstanceId>, &skinscope_weights::RestPart)| {
                let (instance, primitive) = ((*instance)?, part.primitive.primitive);
                let alone = || VertexDeformer::new(model, (instance, primitive), packed, morph_weights, moment.method);
                let deformer = whole.is_none().then(alone);
                Some(PosedPart { instance, primitive, deformer })
            };
            parts.map(part).collect()
        };
        Self { model, surfaces, regions, parts: regions.iter().map(parts).collect(), whole }
    }

    fn surface(&self, region: usize) -> &'a RestSurface {
        &self.surfaces[self.regions[region].surface]
    }

    /// Returns the position of a numbered vertex, model space, metres; not finite where the stroke does not touch it.
    fn vertex(&self, region: usize, vertex: u32) -> Vec3 {
        let surface = self.surface(region);
        let number = surface.parts.partition_point(|part| part.first <= vertex).saturating_sub(1);
        let Some(part) = &self.parts[region][number] else { return Vec3::NAN };
        let vertex = (vertex - surface.parts[number].first) as usize;
        match (&part.deformer, &self.whole) {
            (Some(deformer), _) => deformer.position(vertex),
            (None, Some(whole)) => {
                let part = whole.part(part.instance, part.primitive);
                part.and_then(|part| part.deformed.positions.get(vertex)).copied().unwrap_or(Vec3::NAN)
            }
            (None, None) => Vec3::NAN,
        }
    }

    /// Returns the position of a point of a surface: that of its first vertex which the stroke touches.
    fn point(&self, region: usize, point: u32) -> Vec3 {
        let surface = self.surface(region);
        let first = self.vertex(region, surface.mesh.weld.first[point as usize]);
        if !first.is_nan() {
            return first;
        }
        let others = surface.members(point).iter().map(|vertex| self.vertex(region, *vertex));
        others.into_iter().find(|position| !position.is_nan()).unwrap_or(Vec3::NAN)
    }

    /// Returns where a vertex of the file is; `None` where the stroke does not touch its mesh.
    pub fn at_vertex(&self, primitive: PrimitiveId, vertex: u32) -> Option<Start> {
        let of = |region: usize| {
            let surface = self.surface(region);
            let of_file = |part: PrimitiveId| PrimitiveId::new(self.model.file_mesh(part.mesh), part.primitive);
            let parts = surface.parts.iter().zip(&self.parts[region]);
            let part = parts
                .into_iter()
                .position(|(part, is_there)| is_there.is_some() && of_file(part.primitive) == primitive)?;
            let number = surface.parts[part].first + vertex;
            let point = surface.mesh.point(number);
            Some(Start { at: self.vertex(region, number), region, from: vec![(point, 0.0)] })
        };
        (0..self.regions.len()).find_map(of)
    }

    /// Returns the point of the surfaces that is nearest to a place; of several the one on the first triangle. `None` where nothing has a
    /// finite position.
    pub fn nearest(&self, place: DVec3) -> Option<Start> {
        let mut best: Option<(f64, Start)> = None;
        for region in 0..self.regions.len() {
            let surface = self.surface(region);
            let points: Vec<Vec3> = (0..surface.mesh.point_count()).map(|point| self.point(region, point)).collect();
            for corners in &surface.triangles {
                let positions = corners.map(|point| points[point as usize].as_dvec3());
                if !positions.iter().all(|position| position.is_finite()) {
                    continue;
                }
                let shares = closest_on_triangle(place, positions);
                let at = positions[0] * shares[0] + positions[1] * shares[1] + positions[2] * shares[2];
                let distance = at.distance_squared(place);
                if best.as_ref().is_none_or(|best| distance < best.0) {
                    let from = corners.iter().zip(&positions);
                    let from = from.map(|(point, position)| (*point, position.distance(at) as f32)).collect();
                    best = Some((distance, Start { at: at.as_vec3(), region, from }));
                }
            }
            // Points that no triangle has: of point clouds and of lines.
            for (point, position) in (0..).zip(&points).filter(|(_, position)| position.is_finite()) {
                let distance = position.as_dvec3().distance_squared(place);
                if best.as_ref().is_none_or(|best| distance < best.0) {
                    best = Some((distance, Start { at: *position, region, from: vec![(point, 0.0)] }));
                }
            }
        }
        best.map(|(_, start)| start)
    }

    /// Calls a function with each place, and its position, model space, metres.
    pub fn each(&self, each: &mut dyn FnMut(Place, Vec3)) {
        for (region, Region { surface, .. }) in self.regions.iter().enumerate() {
            for point in 0..self.surfaces[*surface].mesh.point_count() {
                let at = self.point(region, point);
                if !at.is_nan() {
                    each(Place { surface: *surface, point }, at);
                }
            }
        }
    }

    /// Calls a function with each place within the radius of a stroke, and its distance, metres.
    pub fn each_within(
        &self,
        distances: &mut [SurfaceDistances],
        stroke: &Stroke,
        start: &Start,
        each: &mut dyn FnMut(Place, f32),
    ) {
        match stroke.distance {
            Distance::Surface => {
                let surface = self.regions[start.region].surface;
                let mesh = &self.surfaces[surface].mesh;
                let position = |point: u32| self.point(start.region, point);
                let found = distances[surface].within(mesh, position, &start.from, stroke.radius as f32);
                found.iter().for_each(|(point, distance)| each(Place { surface, point: *point }, *distance));
            }
            Distance::Volume => {
                self.each(&mut |place, at| {
                    let distance = at.distance(start.at);
                    if f64::from(distance) <= stroke.radius {
                        each(place, distance);
                    }
                });
            }
        }
    }

    /// Whether a stroke may change a place: one of its vertices is in the mask, and it looks towards the eye.
    pub fn may_change(&self, stroke: &Stroke, moment: &Moment, Place { surface, point }: Place) -> bool {
        let rest = &self.surfaces[surface];
        let is_listed = || {
            let Some(mask) = &stroke.mask else { return true };
            rest.members(point).iter().any(|vertex| {
                let (part, row) = rest.stored(*vertex);
                mask.contains(part.primitive.mesh, part.primitive.primitive, row as u32)
            })
        };
        let looks_there = || {
            let Some(front) = stroke.front_faces else { return true };
            let Some(region) = self.regions.iter().position(|region| region.surface == surface) else { return false };
            let here = self.point(region, point);
            let facing = |ends: &[u32; 2]| {
                let [b, c] = ends.map(|end| self.point(region, end));
                (b - here).cross(c - here)
            };
            let normal: Vec3 = rest.mesh.opposite(point).iter().map(facing).sum();
            front.sees(normal, moment.to_model(front.eye).as_vec3() - here)
        };
        is_listed() && looks_there()
    }
}
