//! What lies near a point of the posed surface, or in a part of the picture, without deforming the whole surface: only clusters whose boxes are
//! accepted are deformed. A method that needs its neighbours deforms all once a pose, and the boxes of the clusters are refitted to that surface.

use std::sync::{Arc, PoisonError};

use glam::{Affine3A, Vec3};
use skinscope_base::math::Aabb;
use skinscope_deform::{Surface, SurfacePart, VertexDeformer};
use skinscope_model::InstanceId;

use super::{LeafHit, Packed, PickIndex, Probe, Search, SurfaceBoxes};
use crate::PosedModel;

/// A vertex near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearVertex {
    /// The instance.
    pub instance: InstanceId,
    /// The primitive that has the vertex.
    pub primitive: usize,
    /// The number of the instance's copy; 0 where it has none.
    pub copy: usize,
    /// Its number in the primitive.
    pub vertex: u32,
    /// Its posed position, model space, metres.
    pub position: Vec3,
    /// How far it is from the point, metres.
    pub distance: f32,
}

/// A piece of the posed surface.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The instance.
    pub instance: InstanceId,
    /// The primitive that has its vertices.
    pub primitive: usize,
    /// The number of the instance's copy; 0 where it has none.
    pub copy: usize,
    /// The numbers of its vertices in the primitive. A vertex may be in several pieces.
    pub vertices: Vec<u32>,
    /// For each of those, whether it counts: among all pieces of a model it does once, but where a method draws it at several places.
    pub counts: Vec<bool>,
    /// Their posed positions, model space, metres.
    pub positions: Vec<Vec3>,
    /// Its triangles, as indices of those vertices; there are none where the primitive has points or lines.
    pub triangles: Vec<[u8; 3]>,
}

impl PickIndex {
    /// Visits the pieces of the surface whose boxes `meets` accepts, and perhaps some others; boxes are in model space, metres, and hold all that is
    /// in their piece, but for rounding. It has to accept every box that contains one that it accepts. `None` where a method has no surface.
    pub fn visit(
        &self,
        posed: &PosedModel,
        draws: &[InstanceId],
        meets: &dyn Fn(Aabb) -> bool,
        visit: &mut dyn FnMut(&Piece),
    ) -> Option<()> {
        let packed = Packed::of(posed);
        let whole = if posed.method.needs_surface() { Some(posed.whole(draws)?) } else { None };
        let boxes = whole.as_ref().map(|surface| self.refitted(posed, surface));
        let mut search =
            Search { posed, packed: &packed.palettes, here: &packed.here, boxes: boxes.as_deref(), met: Vec::new() };
        // Boxes are computed in single precision.
        let grown = |bounds: Aabb| meets(bounds.grown(Vec3::splat(ROUNDING * bounds.farthest())));
        self.meet_all(&mut search, draws, Probe::Boxes(&grown, None));
        let met = std::mem::take(&mut search.met);
        let mut piece = Piece::default();
        for leaf in &met {
            self.fill(&search, whole.as_deref().or(posed.surface.as_deref()), leaf, &mut piece);
            visit(&piece);
        }
        Some(())
    }

    /// Returns the vertices within `radius` of a point of the posed surface, metres, in the order of drawing, each once. It does not matter along
    /// which way they are near: a vertex across a gap counts too. `None` where a method has no surface.
    #[must_use]
    pub fn near(&self, posed: &PosedModel, draws: &[InstanceId], centre: Vec3, radius: f32) -> Option<Vec<NearVertex>> {
        let mut out = Vec::new();
        self.visit(posed, draws, &|bounds| bounds.distance(centre) <= f64::from(radius), &mut |piece| {
            let Piece { instance, primitive, copy, .. } = *piece;
            for ((vertex, position), counts) in piece.vertices.iter().zip(&piece.positions).zip(&piece.counts) {
                let distance = position.distance(centre);
                if *counts && distance <= radius {
                    out.push(NearVertex { instance, primitive, copy, vertex: *vertex, position: *position, distance });
                }
            }
        })?;
        // Where a method draws a vertex at several places, the nearest one counts.
        if posed.method.needs_surface() {
            let key = |near: &NearVertex| (near.instance, near.primitive, near.copy, near.vertex);
            out.sort_by(|a, b| key(a).cmp(&key(b)).then(a.distance.total_cmp(&b.distance)));
            out.dedup_by_key(|near| key(near));
        }
        Some(out)
    }

    /// Returns the boxes around the leaves of a surface, which are kept until another one is asked for.
    fn refitted(&self, posed: &PosedModel, surface: &Arc<Surface>) -> Arc<SurfaceBoxes> {
        let mut kept = self.refitted.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.of.ptr_eq(&Arc::downgrade(surface)) {
            *kept = Arc::new(SurfaceBoxes::of(self, posed.model, surface));
        }
        Arc::clone(&kept)
    }

    /// Fills a piece with what a leaf holds.
    fn fill(&self, search: &Search, surface: Option<&Surface>, met: &LeafHit, out: &mut Piece) {
        let PosedModel { model, palettes, morph_weights, method, .. } = *search.posed;
        let (instance, primitive) = (met.drawn.instance, met.drawn.primitive);
        let mesh = model.instances[instance.index()].mesh.index();
        let clusters = &self.meshes[mesh][primitive];
        let leaf = &clusters.leaves[met.leaf];
        (out.instance, out.primitive, out.copy) = (instance, primitive, met.copy);
        out.vertices.clear();
        out.counts.clear();
        out.triangles.clear();
        out.vertices.extend_from_slice(clusters.vertices_of(leaf));
        out.counts.extend_from_slice(&clusters.is_first[leaf.vertices.start as usize..leaf.vertices.end as usize]);
        out.triangles.extend(clusters.triangles_of(leaf).iter().map(|triangle| triangle.corners));
        let copies = &model.instances[instance.index()].copies;
        let (first, _) = model.binding(instance, primitive);
        let matrix = (!copies.is_empty()).then(|| palettes[first as usize + met.copy]);
        match surface.and_then(|surface| Some((surface, surface.part(instance, primitive)?))) {
            Some((surface, part)) if surface.split_model().is_some() && !leaf.triangles.is_empty() => {
                let shown = surface.model(model);
                let indices = shown.meshes[mesh].primitives[primitive].indices.as_chunks::<3>().0;
                let triangles = clusters.triangles_of(leaf).iter().map(|triangle| indices[triangle.number as usize]);
                fill_split(out, triangles, surface, part);
            }
            Some((_, part)) => {
                out.positions.clear();
                out.positions.extend(out.vertices.iter().map(|v| part.deformed.positions[*v as usize]));
            }
            None => {
                let at = (instance, primitive);
                let deformer = match matrix {
                    Some(_) => VertexDeformer::rigid(model, at, search.here, morph_weights, method),
                    None => VertexDeformer::new(model, at, search.packed, morph_weights, method),
                };
                deformer.positions(&out.vertices, &mut out.positions);
            }
        }
        if let Some(matrix) = matrix {
            let matrix: Affine3A = matrix;
            out.positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
        }
    }
}

/// Fills a piece of a surface whose vertices a method has copied, so that one vertex is at several places.
fn fill_split(out: &mut Piece, triangles: impl Iterator<Item = [u32; 3]>, surface: &Surface, part: &SurfacePart) {
    let mut drawn: Vec<u32> = Vec::new();
    out.triangles.clear();
    for corners in triangles {
        out.triangles.push(corners.map(|corner| {
            let known = drawn.iter().position(|vertex| *vertex == corner);
            known.unwrap_or_else(|| {
                drawn.push(corner);
                drawn.len() - 1
            }) as u8
        }));
    }
    let original = |vertex: &u32| surface.original(part.instance, part.primitive, *vertex as usize) as u32;
    out.vertices.clear();
    out.vertices.extend(drawn.iter().map(original));
    out.counts.clear();
    out.counts.resize(drawn.len(), true);
    out.positions.clear();
    out.positions.extend(drawn.iter().map(|vertex| part.deformed.positions[*vertex as usize]));
}

/// How far rounding may put a point outside of its box, as a share of the largest coordinate.
const ROUNDING: f32 = 3e-5;
