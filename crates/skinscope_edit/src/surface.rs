//! The welded rest surfaces of a model, on which operations walk.

use std::collections::HashMap;

use glam::Vec3;
use skinscope_base::math::{DisjointSets, Weld, WeldRule};
use skinscope_deform::MeshTopology;
use skinscope_inspect::check;
use skinscope_model::{Model, PrimitiveId};

use skinscope_weights::{RestPart, RestSurface, Table};

/// How nearly two parts of a surface that touch in a point must face the same way to be welded there: the cosine of 60°.
const ALIKE: f32 = 0.5;
/// So many parts that face different ways are kept apart at one position; what comes after them joins the first.
const MOST_PARTS: usize = 8;

/// A stored vertex: its primitive, and its number there.
pub(super) type StoredVertex = (PrimitiveId, u32);

/// Returns all surfaces of a model: the vertices of every table are in one at least.
pub(super) fn all(model: &Model, tables: &[Table]) -> Vec<RestSurface> {
    made(model, tables, welded(model).into_iter())
}

/// The parts of a surface, its topology, and the position of each welded vertex.
pub(super) type Welded = (Vec<check::SkinPart>, (MeshTopology, Vec<Vec3>));

/// Returns the surfaces that skins move.
pub(super) fn welded(model: &Model) -> Vec<Welded> {
    let of_parts = |check::WeldedSurface { parts, mesh, positions }| (parts, (mesh, positions));
    check::welded_surfaces(model).into_iter().map(of_parts).collect()
}

/// Does the same, but vertices at one position are welded only where the surface goes on from one to the other,
/// or where both face the same way. Surfaces that touch, as closed lips do, are not joined.
pub(super) fn all_apart(model: &Model, tables: &[Table]) -> Vec<RestSurface> {
    let surfaces = check::surfaces(model).into_iter();
    made(model, tables, surfaces.map(|surface| (surface.parts.clone(), apart(surface))))
}

/// Makes all surfaces. `skinned` are those that skins move.
pub(super) fn made(model: &Model, tables: &[Table], skinned: impl Iterator<Item = Welded>) -> Vec<RestSurface> {
    let table_of = |at: PrimitiveId| tables.iter().position(|t| t.primitives.contains(&at));
    let mut out: Vec<RestSurface> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (parts, topology) in skinned {
        let part = |p: &check::SkinPart| {
            let primitive = PrimitiveId::new(p.mesh, p.primitive);
            Some(RestPart { table: table_of(primitive)?, primitive, first: p.first })
        };
        let parts: Vec<RestPart> = parts.iter().filter_map(part).collect();
        seen.extend(parts.iter().map(|p| p.primitive));
        out.push(RestSurface::new(parts, topology));
    }
    for (table, t) in tables.iter().enumerate() {
        for at in t.primitives.iter().filter(|at| !seen.contains(*at)) {
            let primitive = &model.meshes[at.mesh.index()].primitives[at.primitive];
            let mesh = MeshTopology::of_primitive(primitive, WeldRule::Near, &|| false).unwrap_or_default();
            let positions = mesh.weld.first.iter().map(|vertex| primitive.positions[*vertex as usize]).collect();
            out.push(RestSurface::new(vec![RestPart { table, primitive: *at, first: 0 }], (mesh, positions)));
        }
    }
    out
}

/// Divides the welded vertices of a surface where parts of it touch that do not continue each other and face different ways.
fn apart(surface: check::SkinSurface) -> (MeshTopology, Vec<Vec3>) {
    let mesh = &surface.mesh;
    let mut groups = DisjointSets::new(mesh.vertex_count() as usize);
    check::meetings(&surface).iter().for_each(|[a, b]| groups.join(*a, *b));
    // Twice the area of the triangles at each vertex, along their normals.
    let mut facing = vec![Vec3::ZERO; mesh.vertex_count() as usize];
    for (triangle, corners) in mesh.triangles.iter().zip(mesh.point_triangles()) {
        let [a, b, c] = corners.map(|welded| surface.positions[welded as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|v| facing[*v as usize] += normal);
    }
    for welded in 0..mesh.point_count() {
        let members = mesh.members(welded);
        if members.len() < 2 {
            continue;
        }
        let mut whole: HashMap<u32, Vec3> = HashMap::new();
        members.iter().for_each(|v| *whole.entry(groups.root(*v)).or_default() += facing[*v as usize]);
        let mut known: Vec<(u32, Vec3)> = Vec::new();
        for member in members {
            // The first member of each group stands for it.
            let Some(normal) = whole.remove(&groups.root(*member)) else { continue };
            let normal = normal.normalize_or_zero();
            let is_alike =
                |(_, other): &&(u32, Vec3)| normal == Vec3::ZERO || *other == Vec3::ZERO || normal.dot(*other) > ALIKE;
            let first = known.first().copied().filter(|_| known.len() >= MOST_PARTS);
            match known.iter().find(is_alike).copied().or(first) {
                Some((other, _)) => groups.join(other, *member),
                None => known.push((*member, normal)),
            }
        }
    }
    let weld = Weld::by_key((0..mesh.vertex_count()).map(|vertex| groups.root(vertex)), &|| false).unwrap_or_default();
    let positions = weld.first.iter().map(|vertex| surface.positions[mesh.point(*vertex) as usize]).collect();
    (MeshTopology::new(weld, surface.mesh.triangles, &|| false).unwrap_or_default(), positions)
}
