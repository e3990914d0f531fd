//! The welded rest surface that operations walk on. Vertices with the same position are one place, whatever primitive
//! they belong to.

use std::collections::HashMap;

use glam::Vec3;
use skinscope_inspect::check;
use skinscope_model::{Model, Primitive, Topology};

use super::Table;
use super::weld::Groups;

/// How nearly two parts of a surface that touch in a place must face the same way to be one there: the cosine of 60°.
const ALIKE: f32 = 0.5;
/// So many parts that face different ways are told apart in one place; what comes after them joins the first.
const MOST_PARTS: usize = 8;

/// For each numbered vertex the index of its place, and the position of each place.
type Places = (Vec<u32>, Vec<Vec3>);

/// The primitives that one skin moves (or several that bind alike), or one primitive that nothing moves.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Its primitives; their vertices are numbered consecutively from part to part.
    pub parts: Vec<Part>,
    /// For each numbered vertex the index of its place.
    pub place: Vec<u32>,
    /// The position of each place, in the mesh space of the first part.
    pub positions: Vec<Vec3>,
    /// The triangles with three different places, as places.
    pub triangles: Vec<[u32; 3]>,
    /// The same triangles as numbered vertices.
    pub numbered: Vec<[u32; 3]>,
    members: Lists,
    neighbours: Lists,
}

/// A primitive of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The number of its table.
    pub table: usize,
    /// The number of its mesh, and its number in the mesh.
    pub primitive: (usize, usize),
    /// The number of its first vertex.
    pub first: u32,
}

/// Many lists of numbers, stored one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// Makes `count` lists from pairs of list and number, in any order; a pair that comes twice counts once.
    fn new(count: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=count as u32).map(|key| pairs.partition_point(|(k, _)| *k < key) as u32).collect();
        Self { starts, values: pairs.into_iter().map(|(_, value)| value).collect() }
    }

    fn of(&self, key: u32) -> &[u32] {
        &self.values[self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize]
    }
}

impl Surface {
    /// Returns all surfaces of a model: the vertices of every table are in one at least.
    pub(super) fn all(model: &Model, tables: &[Table]) -> Vec<Self> {
        Self::made(model, tables, &|surface| (surface.place.clone(), surface.positions.clone()))
    }

    /// Does the same, but vertices that lie in one place are one place only where the surface goes on from one to the other,
    /// or where both face the same way. Surfaces that touch, as closed lips do, are not joined.
    pub(super) fn all_apart(model: &Model, tables: &[Table]) -> Vec<Self> {
        Self::made(model, tables, &apart)
    }

    /// Makes all surfaces; `places` finds the places of one.
    fn made(model: &Model, tables: &[Table], places: &dyn Fn(&check::Surface) -> Places) -> Vec<Self> {
        let table_of = |at: (usize, usize)| tables.iter().position(|t| t.primitives.contains(&at));
        let mut out: Vec<Self> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for surface in check::surfaces(model) {
            let part = |p: &check::Part| {
                let primitive = (p.mesh.index(), p.primitive);
                Some(Part { table: table_of(primitive)?, primitive, first: p.first })
            };
            let parts: Vec<Part> = surface.parts.iter().filter_map(part).collect();
            seen.extend(parts.iter().map(|p| p.primitive));
            let (place, positions) = places(&surface);
            out.push(Self::new(parts, place, positions, &surface.triangles));
        }
        for (table, t) in tables.iter().enumerate() {
            for at in t.primitives.iter().filter(|at| !seen.contains(*at)) {
                let primitive = &model.meshes[at.0].primitives[at.1];
                let (place, positions) = check::weld(&primitive.positions[..primitive.stored_vertices]);
                let parts = vec![Part { table, primitive: *at, first: 0 }];
                out.push(Self::new(parts, place, positions, &triangles(primitive)));
            }
        }
        out
    }

    /// Makes a surface; `triangles` are numbered vertices.
    fn new(parts: Vec<Part>, place: Vec<u32>, positions: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let members = Lists::new(positions.len(), place.iter().zip(0..).map(|(p, v)| (*p, v)).collect());
        let mut edges = Vec::with_capacity(triangles.len() * 6);
        let mut whole = Vec::with_capacity(triangles.len());
        let mut numbered = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let at = triangle.map(|v| place[v as usize]);
            if at[0] != at[1] && at[1] != at[2] && at[2] != at[0] {
                whole.push(at);
                numbered.push(*triangle);
            }
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                if at[a] != at[b] {
                    edges.extend([(at[a], at[b]), (at[b], at[a])]);
                }
            }
        }
        let neighbours = Lists::new(positions.len(), edges);
        Self { parts, place, positions, triangles: whole, numbered, members, neighbours }
    }

    /// Returns the numbered vertices of a place, rising.
    #[must_use]
    pub fn members(&self, place: u32) -> &[u32] {
        self.members.of(place)
    }

    /// Returns the places that an edge joins with this one, rising.
    #[must_use]
    pub fn neighbours(&self, place: u32) -> &[u32] {
        self.neighbours.of(place)
    }

    /// Returns the part of a numbered vertex, and its number in the file.
    #[must_use]
    pub fn stored(&self, vertex: u32) -> (&Part, usize) {
        let part = &self.parts[self.parts.partition_point(|p| p.first <= vertex).saturating_sub(1)];
        (part, (vertex - part.first) as usize)
    }

    /// Returns the table of a numbered vertex, and its row there.
    #[must_use]
    pub fn row(&self, vertex: u32) -> (usize, usize) {
        let (part, stored) = self.stored(vertex);
        (part.table, stored)
    }
}

/// Divides the places of a surface where parts of it touch that do not continue each other and face different ways.
fn apart(surface: &check::Surface) -> Places {
    let mut groups = Groups::default();
    check::meetings(surface).iter().for_each(|[a, b]| groups.join(*a, *b));
    // Twice the area of the triangles at each vertex, along their normals.
    let mut facing = vec![Vec3::ZERO; surface.place.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|v| surface.positions[surface.place[v as usize] as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|v| facing[*v as usize] += normal);
    }
    for place in 0..surface.positions.len() as u32 {
        let members = surface.members(place);
        if members.len() < 2 {
            continue;
        }
        let mut whole: HashMap<u32, Vec3> = HashMap::new();
        members.iter().for_each(|v| *whole.entry(groups.top(*v)).or_default() += facing[*v as usize]);
        let mut known: Vec<(u32, Vec3)> = Vec::new();
        for member in members {
            // The first member of each group stands for it.
            let Some(normal) = whole.remove(&groups.top(*member)) else { continue };
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
    let (mut place, mut positions) = (Vec::with_capacity(surface.place.len()), Vec::new());
    let mut known: HashMap<u32, u32> = HashMap::new();
    for (vertex, welded) in (0..).zip(&surface.place) {
        let at = *known.entry(groups.top(vertex)).or_insert_with(|| {
            positions.push(surface.positions[*welded as usize]);
            positions.len() as u32 - 1
        });
        place.push(at);
    }
    (place, positions)
}

/// Returns the triangles of a primitive as its stored vertices.
pub(super) fn triangles(primitive: &Primitive) -> Vec<[u32; 3]> {
    if primitive.topology != Topology::Triangles {
        return Vec::new();
    }
    let stored = |v: u32| {
        let split = (v as usize).checked_sub(primitive.stored_vertices);
        split.and_then(|i| primitive.split_from.get(i).copied()).unwrap_or(v)
    };
    primitive.indices.as_chunks::<3>().0.iter().map(|t| t.map(stored)).collect()
}
