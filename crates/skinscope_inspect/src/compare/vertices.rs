//! The vertices and shapes of a mesh, whatever primitives store them.

use std::collections::HashMap;
use std::ops::Range;

use glam::{DVec3, Vec3};
use skinscope_model::{Mesh, Model, Primitive, Topology};

/// Stands for no corner.
const NONE: u32 = u32::MAX;

/// The stored vertices of a mesh, numbered from primitive to primitive.
#[derive(Debug)]
pub(super) struct Vertices<'m> {
    pub mesh: &'m Mesh,
    /// The number of the first vertex of each primitive; the last entry is how many there are.
    starts: Vec<u32>,
}

/// A triangle, line or point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    /// The numbers of its corners. Of a triangle it does not matter which one comes first, but the winding does. What a line or a point
    /// has less is [`u32::MAX`].
    pub corners: [u32; 3],
    /// The primitive of the file that stores it.
    pub primitive: u32,
}

impl<'m> Vertices<'m> {
    pub fn of(mesh: &'m Mesh) -> Self {
        let mut starts = vec![0];
        for primitive in &mesh.primitives {
            starts.push(starts[starts.len() - 1] + primitive.stored_vertices as u32);
        }
        Self { mesh, starts }
    }

    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// Returns whether each primitive has as many vertices as the one of its number in another mesh.
    pub(crate) fn has_counts_of(&self, other: &Self) -> bool {
        self.starts == other.starts
    }

    /// Returns the numbers of the vertices of a primitive.
    pub fn numbers(&self, primitive: usize) -> Range<usize> {
        self.starts[primitive] as usize..self.starts[primitive + 1] as usize
    }

    /// Returns the primitive that stores a vertex, and the index of the vertex there.
    pub fn at(&self, number: u32) -> (usize, usize) {
        let primitive = self.starts.partition_point(|start| *start <= number).saturating_sub(1);
        (primitive, (number - self.starts[primitive]) as usize)
    }

    /// Returns the stored positions, `by` added to each.
    pub fn positions(&self, by: DVec3) -> Vec<Vec3> {
        let stored = |p: &'m Primitive| p.positions[..p.stored_vertices].iter();
        let all = self.mesh.primitives.iter().flat_map(stored);
        if by == DVec3::ZERO { all.copied().collect() } else { all.map(|p| (p.as_dvec3() + by).as_vec3()).collect() }
    }

    /// Returns all triangles, lines and points, as the primitives list them.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        let all = self.mesh.primitives.iter().enumerate();
        all.flat_map(|(p, primitive)| {
            let start = self.starts[p];
            let corner = move |vertex: &u32| start + primitive.stored_vertex(*vertex);
            // Of primitives that share their vertices one has the triangles of all.
            self.mesh.parts(p).flat_map(move |part| {
                let shape = move |corners: &[u32]| {
                    let [a, b, c] = [0, 1, 2].map(|i| corners.get(i).map_or(NONE, corner));
                    Shape { corners: [a, b, c], primitive: part.primitive as u32 }
                };
                primitive.indices[part.indices].chunks_exact(width(primitive)).map(shape)
            })
        })
    }

    /// Returns for each vertex whether a triangle, line or point uses it.
    pub fn used(&self) -> Vec<bool> {
        let mut out = vec![false; self.len()];
        let corners = self.shapes().flat_map(|shape| shape.corners).filter(|corner| *corner != NONE);
        corners.for_each(|corner| out[corner as usize] = true);
        out
    }

    /// Returns the two ends of all sides of all shapes; a side of two triangles comes twice.
    pub fn sides(&self) -> impl Iterator<Item = [u32; 2]> {
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
        self.shapes().flat_map(move |shape| sides(shape.corners)).filter(|[a, b]| *a != NONE && *b != NONE && a != b)
    }
}

/// Returns how many corners the shapes of a primitive have.
pub(super) fn width(primitive: &Primitive) -> usize {
    match primitive.topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles => 3,
    }
}

/// Returns corners in an order that does not depend on which one the file names first; `None` where two of them are one, so that
/// nothing is drawn.
pub(super) fn in_order(corners: [u32; 3]) -> Option<[u32; 3]> {
    let [a, b, c] = corners;
    if c == NONE {
        return (a != b).then_some([a.min(b), a.max(b), NONE]);
    }
    let first = (0..3).min_by_key(|i| corners[*i]).unwrap_or(0);
    let mut out = corners;
    out.rotate_left(first);
    (a != b && b != c && c != a).then_some(out)
}

/// Gives each primitive of two meshes a number for its material, which those of one name share.
pub(super) fn materials<'m>(models: [&'m Model; 2], lists: &[Vertices<'m>; 2]) -> [Vec<u32>; 2] {
    let mut numbers: HashMap<Option<&str>, u32> = HashMap::new();
    [0, 1].map(|side| {
        let name = |p: &Primitive| Some(models[side].materials.get(p.material?.index())?.name.as_str());
        let mut number = |p: &'m Primitive| {
            let next = numbers.len() as u32;
            *numbers.entry(name(p)).or_insert(next)
        };
        lists[side].mesh.primitives.iter().map(&mut number).collect()
    })
}
