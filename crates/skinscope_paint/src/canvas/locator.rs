//! Finds the points of the posed surfaces that may lie near a place, without posing the others.
//!
//! The boxes of a [`PickIndex`] are around vertices as they are drawn. The points of a surface are where the first of their vertices is, which is
//! the same place but for points whose vertices differ in position, mesh or weights: those, and points that no triangle has, are always among what
//! may lie near.

use std::collections::HashMap;
use std::sync::OnceLock;

use glam::Vec3;
use skinscope_base::math::{Aabb, Csr};
use skinscope_inspect::{PickIndex, PosedModel};
use skinscope_model::{InstanceId, Model, PrimitiveId, is_same_row};
use skinscope_weights::RestSurface;

use super::Region;

/// Numbers beyond this may overflow where boxes are computed.
const FAR: f32 = 1e12;
/// How far rounding may put a place, as a share of its coordinates and of the radius.
const ROUNDING: f64 = 1e-5;

/// What finds points near a place. It is made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Locator(OnceLock<Made>);

/// The boxes, and what they do not tell of.
#[derive(Debug)]
pub(super) struct Made {
    index: PickIndex,
    surfaces: Vec<Welded>,
    /// The size of the model at rest, mesh units.
    size: f32,
    /// Whether all numbers of the file can be computed with.
    is_finite: bool,
}

/// A surface with what boxes do not tell of it.
#[derive(Debug)]
struct Welded {
    /// The numbers of the triangles at each point, rising.
    triangles_at: Csr,
    /// The points that boxes never tell of: their vertices differ in the file, or no triangle has them.
    never: Vec<u32>,
    /// The points with several vertices that differ at most in their weights.
    several: Vec<u32>,
    /// The points that boxes do not tell of, rising.
    alone: Vec<u32>,
}

/// Points and triangles that may lie near a place, rising.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    pub points: Vec<u32>,
    pub triangles: Vec<u32>,
}

impl Locator {
    /// Makes what finds points on the surfaces of a model, whose boxes are known.
    pub fn with(index: PickIndex, model: &Model, surfaces: &[RestSurface]) -> Self {
        Self(OnceLock::from(Made::of(index, model, surfaces)))
    }

    /// Returns what finds points on the surfaces of a model.
    pub fn get(&self, model: &Model, surfaces: &[RestSurface]) -> &Made {
        self.0.get_or_init(|| Made::of(PickIndex::of(model), model, surfaces))
    }

    /// Follows a model whose weights something else than dabs has changed. Dabs give the vertices of a point the same weights.
    pub fn follow(&mut self, model: &Model, surfaces: &[RestSurface]) {
        if let Some(made) = self.0.get_mut() {
            made.surfaces.iter_mut().zip(surfaces).for_each(|(welded, rest)| welded.follow(model, rest));
        }
    }
}

impl Made {
    fn of(index: PickIndex, model: &Model, surfaces: &[RestSurface]) -> Self {
        let of_surface = |rest: &RestSurface| {
            let mut out = Welded::of(model, rest);
            out.follow(model, rest);
            out
        };
        let bounds = surfaces.iter().flat_map(|rest| rest.positions.iter().copied());
        let is_near = |at: &Vec3| at.abs().cmple(Vec3::splat(FAR)).all();
        let is_finite = model.meshes.iter().flat_map(|mesh| &mesh.primitives).all(|p| {
            p.positions.iter().all(is_near) && p.morphs.iter().all(|target| target.positions.iter().all(is_near))
        });
        Self {
            index,
            surfaces: surfaces.iter().map(of_surface).collect(),
            size: Aabb::from_points(bounds).diagonal(),
            is_finite,
        }
    }

    /// Returns whether the boxes of a pose can be computed.
    pub fn is_usable(&self, posed: &PosedModel) -> bool {
        let is_near = |number: f32| number.abs() <= FAR;
        self.is_finite
            && posed.morph_weights.iter().all(|weight| is_near(*weight))
            && posed.palettes.iter().all(|matrix| matrix.to_cols_array().into_iter().all(is_near))
    }

    /// Returns the size of the model at rest.
    pub fn size(&self) -> f64 {
        f64::from(self.size)
    }

    /// Returns for each region the points that may lie within `radius` of a place, and with them all points of triangles that do; model space.
    /// Others may be among them. `None` where nothing can be told.
    pub fn points(
        &self,
        posed: &PosedModel,
        (surfaces, regions): (&[RestSurface], &[Region]),
        centre: Vec3,
        radius: f64,
    ) -> Option<Vec<Vec<u32>>> {
        let mut parts: HashMap<(InstanceId, usize), (usize, u32)> = HashMap::new();
        let mut out: Vec<Vec<u32>> = Vec::with_capacity(regions.len());
        for (number, region) in regions.iter().enumerate() {
            for (part, instance) in surfaces[region.surface].parts.iter().zip(&region.shown_by) {
                parts.extend(instance.map(|instance| ((instance, part.primitive.primitive), (number, part.first))));
            }
            out.push(self.surfaces[region.surface].alone.clone());
        }
        let mut draws: Vec<InstanceId> = parts.keys().map(|(instance, _)| *instance).collect();
        draws.sort_unstable();
        draws.dedup();
        let reach = radius + ROUNDING * (radius + f64::from(centre.abs().max_element()));
        self.index.visit(posed, &draws, &|bounds| bounds.distance(centre) <= reach, &mut |piece| {
            let Some((region, first)) = parts.get(&(piece.instance, piece.primitive)).copied() else { return };
            let mesh = posed.model.instances[piece.instance.index()].mesh;
            let primitive = &posed.model.meshes[mesh.index()].primitives[piece.primitive];
            let topology = &surfaces[regions[region].surface].mesh;
            out[region]
                .extend(piece.vertices.iter().map(|vertex| topology.point(first + primitive.stored_vertex(*vertex))));
        })?;
        for points in &mut out {
            points.sort_unstable();
            points.dedup();
        }
        Some(out)
    }

    /// Adds the triangles at points of a surface.
    pub(super) fn with_triangles(&self, surface: usize, points: Vec<u32>) -> Near {
        let at = &self.surfaces[surface].triangles_at;
        let mut triangles: Vec<u32> = points.iter().flat_map(|point| at.row(*point as usize)).copied().collect();
        triangles.sort_unstable();
        triangles.dedup();
        Near { points, triangles }
    }
}

impl Welded {
    fn of(model: &Model, rest: &RestSurface) -> Self {
        let triangles = (0..).zip(&rest.triangles);
        let corners = triangles.flat_map(|(number, corners)| corners.map(|point| (point, number)));
        let triangles_at = Csr::new(rest.mesh.point_count() as usize, corners);
        let (mut never, mut several) = (Vec::new(), Vec::new());
        for point in 0..rest.mesh.point_count() {
            let members = rest.members(point);
            if triangles_at.row(point as usize).is_empty() {
                never.push(point);
            } else if members.len() > 1 {
                let stored = |vertex: &u32| as_stored(model, rest, *vertex);
                let first = members.first().map(stored);
                let is_one = members.iter().all(|vertex| Some(stored(vertex)) == first);
                (if is_one { &mut several } else { &mut never }).push(point);
            }
        }
        Self { triangles_at, never, several, alone: Vec::new() }
    }

    /// Looks which points have vertices with different weights now.
    fn follow(&mut self, model: &Model, rest: &RestSurface) {
        let row = |vertex: &u32| {
            let (part, vertex) = rest.stored(*vertex);
            let PrimitiveId { mesh, primitive } = part.primitive;
            Some(model.influences(mesh, primitive)?.of(vertex))
        };
        let differ = |point: &&u32| {
            let rows: Vec<_> = rest.members(**point).iter().filter_map(row).collect();
            rows.windows(2).any(|two| !is_same_row(two[0], two[1]))
        };
        self.alone.clone_from(&self.never);
        self.alone.extend(self.several.iter().filter(differ));
        self.alone.sort_unstable();
    }
}

/// What the file stores of where a vertex is: its mesh, and its position and what each morph target adds, as bits.
fn as_stored(model: &Model, rest: &RestSurface, vertex: u32) -> (u32, Vec<[u32; 3]>) {
    let (part, vertex) = rest.stored(vertex);
    let primitive = &model.meshes[part.primitive.mesh.index()].primitives[part.primitive.primitive];
    let morphs = primitive.morphs.iter().map(|target| &target.positions);
    let bits = |list: &Vec<Vec3>| list.get(vertex).copied().unwrap_or_default().to_array().map(f32::to_bits);
    (part.primitive.mesh.0, std::iter::once(&primitive.positions).chain(morphs).map(bits).collect())
}
