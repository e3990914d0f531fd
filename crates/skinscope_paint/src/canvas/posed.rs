//! The surface as a pose and a method draw it while a dab is painted.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Affine3A, DVec3, Vec3, Vec4};
use skinscope_anim::local_to_model;
use skinscope_base::math::closest_on_triangle;
use skinscope_deform::{
    Deformation, DeformedAttributes, Surface, SurfaceDistances, SurfaceInput, VertexDeformer, pack, palettes,
};
use skinscope_inspect::PosedModel;
use skinscope_model::{InstanceId, Model, PrimitiveId};
use skinscope_weights::RestSurface;

use super::locator::{Locator, Made, Near};
use super::rows::Place;
use super::scratch::Seen;
use super::{Distance, Region, Stroke, Touch};
use crate::scene_origin;

/// The share of the size of the model within which the nearest point is looked for first.
const FIRST_LOOK: f64 = 1.0 / 256.0;
/// How many times as far it is looked for next.
const NEXT_LOOK: f64 = 8.0;
/// So many times the size of the model is not looked for by boxes: nearly everything is nearer.
const ALL: f64 = 2.0;

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
        let mut pose = stroke.posing.at(model, Some(time));
        model.drive_links(&mut pose);
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
    pub(super) fn to_scene(&self, position: Vec3) -> DVec3 {
        position.as_dvec3() + self.origin
    }

    /// Whether all numbers of the matrices are below a bound, and no target of a morph has a weight.
    pub(super) fn is_ordinary(&self, bound: f32) -> bool {
        let is_below = |number: f32| number.abs() < bound;
        let are_below = |matrix: &Affine3A| matrix.to_cols_array().into_iter().all(is_below);
        self.palettes.iter().all(are_below) && self.morph_weights.iter().all(|weight| *weight == 0.0)
    }

    /// Returns a model as it stands at the moment.
    fn posed<'a>(&'a self, model: &'a Model) -> PosedModel<'a> {
        let Self { palettes, morph_weights, .. } = self;
        PosedModel { model, palettes, morph_weights, method: Deformation::from(self.method), surface: None }
    }
}

/// The surfaces at rest, and what finds its way on them.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub model: &'a Model,
    pub surfaces: &'a [RestSurface],
    pub regions: &'a [Region],
    pub locator: &'a Locator,
}

/// Where a dab touches a surface.
#[derive(Clone, Debug, PartialEq)]
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
    pub(super) ground: Ground<'a>,
    posed: PosedModel<'a>,
    pub(super) parts: Vec<Vec<Option<PosedPart<'a>>>>,
    /// The surface that positions are read from, where vertices cannot be deformed one by one.
    pub(super) whole: Option<Arc<Surface>>,
    /// Whether points near a place are found without posing the others.
    locates: bool,
    /// The positions so far, by surface.
    pub(super) seen: &'a [Seen],
}

/// A part of a surface, whose vertices are deformed one by one.
pub(super) struct PosedPart<'a> {
    instance: InstanceId,
    primitive: usize,
    pub(super) deformer: Option<VertexDeformer<'a>>,
}

impl<'a> PosedSurfaces<'a> {
    /// Poses the surfaces for a dab.
    pub fn new(ground: Ground<'a>, moment: &'a Moment, seen: &'a [Seen]) -> Self {
        let posed = moment.posed(ground.model);
        let whole = posed.method.needs_surface().then(|| {
            let mut draws: Vec<InstanceId> =
                ground.regions.iter().flat_map(|r| r.shown_by.iter().copied().flatten()).collect();
            draws.sort_unstable();
            draws.dedup();
            let PosedModel { model, palettes, morph_weights, method, .. } = posed;
            let input = SurfaceInput { model, draws: &draws, palettes, morph_weights, method };
            let mut out = Surface::default();
            out.deform(&input, DeformedAttributes::ALL);
            Arc::new(out)
        });
        let locates = whole.is_none();
        Self::with((ground, posed), &moment.packed, (whole, locates), seen)
    }

    /// Shows the surfaces as they are drawn; `packed` are the palettes as the method reads them.
    pub fn drawn(ground: Ground<'a>, posed: PosedModel<'a>, packed: &'a [Vec4], seen: &'a [Seen]) -> Option<Self> {
        let needs_surface = posed.method.needs_surface();
        let whole = posed.surface.clone().filter(|_| needs_surface);
        let locates = whole.as_ref().is_none_or(|whole| whole.split_model().is_none());
        (whole.is_some() || !needs_surface).then(|| Self::with((ground, posed), packed, (whole, locates), seen))
    }

    fn with(
        (ground, posed): (Ground<'a>, PosedModel<'a>),
        packed: &'a [Vec4],
        (whole, locates): (Option<Arc<Surface>>, bool),
        seen: &'a [Seen],
    ) -> Self {
        let PosedModel { model, morph_weights, method, .. } = posed;
        let parts = |region: &Region| {
            let parts = region.shown_by.iter().zip(&ground.surfaces[region.surface].parts);
            let part = |(instance, part): (&Option<InstanceId>, &skinscope_weights::RestPart)| {
                let (instance, primitive) = ((*instance)?, part.primitive.primitive);
                let alone = || VertexDeformer::new(model, (instance, primitive), packed, morph_weights, method);
                let deformer = whole.is_none().then(alone);
                Some(PosedPart { instance, primitive, deformer })
            };
            parts.map(part).collect()
        };
        let parts = ground.regions.iter().map(parts).collect();
        Self { ground, posed, parts, whole, locates, seen }
    }

    /// Returns what finds points near a place; `None` where every point has to be looked at.
    fn locator(&self) -> Option<&'a Made> {
        let Ground { model, surfaces, locator, .. } = self.ground;
        let made = self.locates.then(|| locator.get(model, surfaces));
        made.filter(|made| made.is_usable(&self.posed))
    }

    pub(super) fn surface(&self, region: usize) -> &'a RestSurface {
        &self.ground.surfaces[self.ground.regions[region].surface]
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
    pub fn point(&self, region: usize, point: u32) -> Vec3 {
        let seen = &self.seen[self.ground.regions[region].surface];
        seen.get(point, || self.find_point(region, point))
    }

    fn find_point(&self, region: usize, point: u32) -> Vec3 {
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
        let (region, first) = self.first_of(primitive)?;
        let number = first + vertex;
        let point = self.surface(region).mesh.point(number);
        Some(Start { at: self.vertex(region, number), region, from: vec![(point, 0.0)] })
    }

    /// Returns the region that has the vertices of a primitive of the file, and the number of the first of them there; `None` where the stroke
    /// does not touch its mesh.
    fn first_of(&self, primitive: PrimitiveId) -> Option<(usize, u32)> {
        let of = |region: usize| {
            let surface = self.surface(region);
            let of_file = |part: PrimitiveId| PrimitiveId::new(self.ground.model.file_mesh(part.mesh), part.primitive);
            let mut parts = surface.parts.iter().zip(&self.parts[region]);
            let part = parts.position(|(part, is_there)| is_there.is_some() && of_file(part.primitive) == primitive)?;
            Some((region, surface.parts[part].first))
        };
        (0..self.ground.regions.len()).find_map(of)
    }

    /// Returns the places of vertices that a dab lists, in their order, each with the greatest share of its vertices.
    pub fn shares(&self, touches: &[Touch]) -> BTreeMap<Place, f64> {
        let mut out = BTreeMap::new();
        let mut known: Option<(PrimitiveId, Option<(usize, u32)>)> = None;
        for Touch { primitive, vertex, share } in touches {
            let first = match known {
                Some((of, first)) if of == *primitive => first,
                _ => self.first_of(*primitive),
            };
            known = Some((*primitive, first));
            let Some((region, first)) = first else { continue };
            let surface = self.ground.regions[region].surface;
            let point = self.surface(region).mesh.point(first + vertex);
            let before = out.entry(Place { surface, point }).or_insert(0.0_f64);
            *before = before.max(*share);
        }
        out
    }

    /// Returns the first vertex of a place that the stroke touches, as the file has it, and where it is.
    pub(super) fn shown_at(&self, Place { surface, point }: Place) -> Option<(PrimitiveId, u32, Vec3)> {
        let region = self.ground.regions.iter().position(|region| region.surface == surface)?;
        let rest = self.surface(region);
        rest.members(point).iter().find_map(|vertex| {
            let at = self.vertex(region, *vertex);
            let (part, row) = rest.stored(*vertex);
            let mesh = self.ground.model.file_mesh(part.primitive.mesh);
            (!at.is_nan()).then_some((PrimitiveId::new(mesh, part.primitive.primitive), row as u32, at))
        })
    }

    /// Returns the point of the surfaces that is nearest to a place; of several the one on the first triangle. `None` where nothing has a
    /// finite position.
    pub fn nearest(&self, place: DVec3) -> Option<Start> {
        if let Some(made) = self.locator() {
            let size = self.size(made);
            let mut radius = FIRST_LOOK * size;
            while radius > 0.0 && radius < ALL * size {
                let Some(near) = self.near(made, place.as_vec3(), radius) else { break };
                let mut best = None;
                for (region, Near { points, triangles }) in near.iter().enumerate() {
                    self.offer(place, region, triangles.iter().copied(), points.iter().copied(), &mut best);
                }
                // What is farther than it does not matter.
                if let Some((_, start)) = best.filter(|(squared, _)| *squared <= radius * radius) {
                    return Some(start);
                }
                radius *= NEXT_LOOK;
            }
        }
        self.nearest_of_all(place)
    }

    /// Returns about how large the model is, metres.
    fn size(&self, made: &Made) -> f64 {
        let PosedModel { model, palettes, .. } = &self.posed;
        let part = self.parts.iter().flatten().flatten().next();
        let matrix = part.and_then(|part| palettes.get(model.binding(part.instance, part.primitive).0 as usize));
        let scale = matrix.map_or(1.0, |matrix| f64::from(matrix.matrix3.determinant().abs().cbrt()));
        made.size() * if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
    }

    /// Does the same as [`PosedSurfaces::nearest`] by looking at every triangle.
    pub(super) fn nearest_of_all(&self, place: DVec3) -> Option<Start> {
        let mut best = None;
        for region in 0..self.ground.regions.len() {
            let surface = self.surface(region);
            let triangles = 0..surface.triangles.len() as u32;
            self.offer(place, region, triangles, 0..surface.mesh.point_count(), &mut best);
        }
        best.map(|(_, start)| start)
    }

    /// Returns for each region the points within a radius of a place and the triangles that reach into it, and perhaps others.
    fn near(&self, made: &Made, place: Vec3, radius: f64) -> Option<Vec<Near>> {
        let Ground { surfaces, regions, .. } = self.ground;
        let points = made.points(&self.posed, (surfaces, regions), place, radius)?;
        let near = |(region, points): (&Region, Vec<u32>)| made.with_triangles(region.surface, points);
        Some(regions.iter().zip(points).map(near).collect())
    }

    /// Takes the nearest of some triangles and points of a region, where it is nearer than the best so far.
    fn offer(
        &self,
        place: DVec3,
        region: usize,
        triangles: impl Iterator<Item = u32>,
        points: impl Iterator<Item = u32>,
        best: &mut Option<(f64, Start)>,
    ) {
        let surface = self.surface(region);
        // Where vertices of one place have other weights they may stand apart, so the triangles are those that are drawn.
        let drawn = |vertex: u32| match surface.mesh.point(vertex) {
            point if surface.mesh.weld.first[point as usize] == vertex => self.point(region, point),
            _ => self.vertex(region, vertex),
        };
        for corners in triangles.map(|triangle| surface.mesh.triangles[triangle as usize]) {
            let positions = corners.map(|vertex| drawn(vertex).as_dvec3());
            if !positions.iter().all(|position| position.is_finite()) {
                continue;
            }
            let shares = closest_on_triangle(place, positions);
            let at = positions[0] * shares[0] + positions[1] * shares[1] + positions[2] * shares[2];
            let distance = at.distance_squared(place);
            if best.as_ref().is_none_or(|best| distance < best.0) {
                let from = corners.map(|vertex| {
                    let point = surface.mesh.point(vertex);
                    (point, self.point(region, point).as_dvec3().distance(at) as f32)
                });
                *best = Some((distance, Start { at: at.as_vec3(), region, from: from.to_vec() }));
            }
        }
        // Points that no triangle has: of point clouds and of lines.
        for (point, position) in points.map(|point| (point, self.point(region, point))) {
            let distance = position.as_dvec3().distance_squared(place);
            if position.is_finite() && best.as_ref().is_none_or(|best| distance < best.0) {
                *best = Some((distance, Start { at: position, region, from: vec![(point, 0.0)] }));
            }
        }
    }

    /// Returns how many points there are.
    pub fn point_count(&self) -> usize {
        (0..self.ground.regions.len()).map(|region| self.surface(region).mesh.point_count() as usize).sum()
    }

    /// Calls a function with each place, and its position, model space, metres.
    pub fn each(&self, each: &mut dyn FnMut(Place, Vec3)) {
        for (region, Region { surface, .. }) in self.ground.regions.iter().enumerate() {
            self.see_all(region);
            self.each_of((region, *surface), 0..self.ground.surfaces[*surface].mesh.point_count(), each);
        }
    }

    pub(super) fn each_of(
        &self,
        (region, surface): (usize, usize),
        points: impl Iterator<Item = u32>,
        each: &mut dyn FnMut(Place, Vec3),
    ) {
        for point in points {
            let at = self.point(region, point);
            if !at.is_nan() {
                each(Place { surface, point }, at);
            }
        }
    }

    /// Calls a function with each place that is within a radius of another, and perhaps with others.
    fn each_near(&self, centre: Vec3, radius: f64, each: &mut dyn FnMut(Place, Vec3)) {
        let Ground { surfaces, regions, .. } = self.ground;
        let made = self.locator().filter(|made| radius < ALL * self.size(made));
        let Some(near) = made.and_then(|made| made.points(&self.posed, (surfaces, regions), centre, radius)) else {
            return self.each(each);
        };
        for (region, points) in near.iter().enumerate() {
            self.each_of((region, regions[region].surface), points.iter().copied(), each);
        }
    }

    /// Calls a function with each place within a radius of where a dab touches, and its distance, metres.
    pub(super) fn each_within(
        &self,
        distances: &mut [SurfaceDistances],
        (distance, radius): (Distance, f64),
        start: &Start,
        each: &mut dyn FnMut(Place, f32),
    ) {
        match distance {
            Distance::Surface => {
                let surface = self.ground.regions[start.region].surface;
                let mesh = &self.ground.surfaces[surface].mesh;
                let position = |point: u32| self.point(start.region, point);
                let found = distances[surface].within(mesh, position, &start.from, radius as f32);
                found.iter().for_each(|(point, distance)| each(Place { surface, point: *point }, *distance));
            }
            Distance::Volume => {
                self.each_near(start.at, radius, &mut |place, at| {
                    let distance = at.distance(start.at);
                    if f64::from(distance) <= radius {
                        each(place, distance);
                    }
                });
            }
            // What is near in a picture is known to who shows it.
            Distance::Screen => {}
        }
    }

    /// Whether a stroke may change a place: one of its vertices is in the mask, and it looks towards the eye. The mask of a stroke on both
    /// sides does not count here, since the place on the other side may be in it.
    pub fn may_change(&self, stroke: &Stroke, moment: &Moment, Place { surface, point }: Place) -> bool {
        let rest = &self.ground.surfaces[surface];
        let looks_there = || {
            let Some(front) = stroke.front_faces else { return true };
            let Some(region) = self.ground.regions.iter().position(|region| region.surface == surface) else {
                return false;
            };
            let here = self.point(region, point);
            let facing = |ends: &[u32; 2]| {
                let [b, c] = ends.map(|end| self.point(region, end));
                (b - here).cross(c - here)
            };
            let normal: Vec3 = rest.mesh.opposite(point).iter().map(facing).sum();
            front.sees(normal, moment.to_model(front.eye).as_vec3() - here)
        };
        stroke.may_list(rest, point) && looks_there()
    }
}
