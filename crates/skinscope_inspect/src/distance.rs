//! How far two surfaces of one model are apart in one pose: as two methods deform them, or with two sets of weights.

use skinscope_deform::Surface;
use skinscope_model::Model;

use super::{PerVertex, VertexRef};

/// The distances between the vertices of two surfaces: those that the file stores, each once for every instance that draws it, in metres;
/// corners of triangles where a surface has vertices at several positions. Vertices whose position is not finite in either surface count
/// for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceDistance {
    /// The largest distance, metres.
    pub worst: f64,
    /// The mean of all distances, metres.
    pub mean: f64,
    /// The square root of the mean of the squares of all distances, metres.
    pub rms: f64,
    /// How many vertices were compared.
    pub vertices: usize,
    /// The vertex with the largest distance, of several the first; `None` where no vertex was compared.
    pub at: Option<VertexRef>,
}

impl SurfaceDistance {
    /// Compares two surfaces of `model` (or of models that differ in nothing but weights) with each other.
    #[must_use]
    pub fn between(model: &Model, a: &Surface, b: &Surface) -> Self {
        let (mut out, mut sum, mut squares) = (Self::default(), 0.0, 0.0);
        each(model, a, b, &mut |at, distance| {
            sum += distance;
            squares += distance * distance;
            out.vertices += 1;
            if out.at.is_none() || distance > out.worst {
                (out.worst, out.at) = (distance, Some(at));
            }
        });
        let count = out.vertices.max(1) as f64;
        (out.mean, out.rms) = (sum / count, (squares / count).sqrt());
        out
    }
}

/// Returns the distance of every stored vertex of `model` between two surfaces of it, metres. Where several instances draw a vertex, it is
/// the largest of theirs.
#[must_use]
pub fn distances(model: &Model, a: &Surface, b: &Surface) -> PerVertex {
    let mut out = PerVertex::empty(model);
    each(model, a, b, &mut |at, distance| {
        let mesh = model.instances[at.instance.index()].mesh.index();
        let values = &mut out.values[mesh][at.primitive];
        values.resize(model.meshes[mesh].primitives[at.primitive].stored_vertices, 0.0);
        values[at.vertex] = values[at.vertex].max(distance as f32);
    });
    out
}

/// Calls `take` with each stored vertex that both surfaces have, and with its distance. Where one of them has vertices in several
/// positions, each corner of a triangle counts.
fn each(model: &Model, a: &Surface, b: &Surface, take: &mut dyn FnMut(VertexRef, f64)) {
    let by_corner = a.split_model().is_some() || b.split_model().is_some();
    for part in &a.parts {
        let Some(other) = b.part(part.instance, part.primitive) else { continue };
        let mesh = model.instances[part.instance.index()].mesh.index();
        if by_corner {
            let corners =
                |surface: &Surface| surface.model(model).meshes[mesh].primitives[part.primitive].indices.clone();
            let source = &model.meshes[mesh].primitives[part.primitive];
            for (here, there) in corners(a).into_iter().zip(corners(b)) {
                let ends = [part.deformed.positions[here as usize], other.deformed.positions[there as usize]];
                let [at, to] = ends.map(|end| end.as_dvec3());
                let distance = if part.copies.is_empty() { at.distance(to) } else { 0.0 };
                let vertex = a.original(part.instance, part.primitive, here as usize);
                let vertex = VertexRef { instance: part.instance, primitive: part.primitive, vertex }.stored(source);
                if distance.is_finite() {
                    take(VertexRef { instance: part.instance, primitive: part.primitive, vertex }, distance);
                }
            }
            continue;
        }
        let stored = model.meshes[mesh].primitives[part.primitive].stored_vertices;
        let pairs = part.deformed.positions.iter().zip(&other.deformed.positions).take(stored);
        for (vertex, (a, b)) in pairs.enumerate() {
            // All copies of an instance are rigid, and stand alike in both.
            let distance = if part.copies.is_empty() { a.as_dvec3().distance(b.as_dvec3()) } else { 0.0 };
            if distance.is_finite() {
                take(VertexRef { instance: part.instance, primitive: part.primitive, vertex }, distance);
            }
        }
    }
}
