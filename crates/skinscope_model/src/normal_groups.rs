//! Groups of vertices that share one normal, where normals are computed from triangles.

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;
use skinscope_base::math::Csr;

use super::{InstanceId, Model, SkinId, Topology};

/// The vertices that skins move, grouped by the normal that they share: those with the same skin, position and stored
/// normal. So seams of texture coordinates are smooth, and hard edges stay hard. Where the file has no normals, each
/// vertex is a group of its own.
#[derive(Clone, Debug, Default)]
pub struct NormalGroups {
    /// By instance, then by primitive; `None` where no skin moves the primitive.
    primitives: Vec<Vec<Option<PrimitiveGroups>>>,
    /// The triangles around each group.
    around: Csr,
    triangles: usize,
}

/// The groups of the vertices of a primitive.
#[derive(Clone, Debug)]
struct PrimitiveGroups {
    /// The group of each vertex.
    of: Vec<u32>,
    /// The numbers of its triangles among all of the model.
    triangles: Range<usize>,
}

/// What vertices of one group have in common: skin, position and normal; else its instance and primitive, and the vertex.
type GroupKey = (SkinId, [[u32; 3]; 2], [u32; 3]);

impl NormalGroups {
    /// Finds the groups of `model`. `positions` returns the positions of a primitive's vertices, at least those of the
    /// model, in mesh space; where it returns `None`, the primitive is left out.
    #[must_use]
    pub fn new<'a>(model: &'a Model, positions: &dyn Fn(InstanceId, usize) -> Option<&'a [Vec3]>) -> Self {
        let bits = |v: Vec3| (v + Vec3::ZERO).to_array().map(f32::to_bits);
        let mut known = HashMap::<GroupKey, u32>::new();
        let (mut out, mut corners) = (Self::default(), Vec::new());
        for (i, instance) in model.instances.iter().enumerate() {
            let id = InstanceId::from_index(i);
            let mut of_primitive = |(p, primitive): (usize, &super::Primitive)| {
                let skin = instance.skin.filter(|_| model.binding(id, p).1.is_some())?;
                let positions = positions(id, p)?;
                let key = |vertex: usize| match primitive.normals.get(vertex) {
                    Some(normal) => (skin, [bits(positions[vertex]), bits(*normal)], [0; 3]),
                    None => (skin, [[0; 3]; 2], [id.0, p as u32, vertex as u32]),
                };
                let number = |vertex: usize| {
                    let next = known.len() as u32;
                    *known.entry(key(vertex)).or_insert(next)
                };
                let of: Vec<u32> = (0..positions.len()).map(number).collect();
                let start = corners.len() / 3;
                if primitive.topology == Topology::Triangles {
                    let whole = primitive.indices.as_chunks::<3>().0.as_flattened();
                    corners.extend(whole.iter().map(|vertex| of[*vertex as usize]));
                }
                Some(PrimitiveGroups { of, triangles: start..corners.len() / 3 })
            };
            let primitives = model.meshes[instance.mesh.index()].primitives.iter().enumerate();
            out.primitives.push(primitives.map(&mut of_primitive).collect());
        }
        out.triangles = corners.len() / 3;
        out.around = Csr::new(known.len(), corners.iter().enumerate().map(|(i, group)| (*group, (i / 3) as u32)));
        out
    }

    /// Returns the index of the group of each vertex of a primitive; `None` where no skin moves it.
    #[must_use]
    pub fn of(&self, instance: InstanceId, primitive: usize) -> Option<&[u32]> {
        self.primitive(instance, primitive).map(|groups| &groups.of[..])
    }

    /// Returns the range of the triangles of a primitive among those of all primitives; `None` where no skin moves it.
    #[must_use]
    pub fn triangles_of(&self, instance: InstanceId, primitive: usize) -> Option<Range<usize>> {
        self.primitive(instance, primitive).map(|groups| groups.triangles.clone())
    }

    /// Returns the number of triangles of all primitives together.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.triangles
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        self.around.row_count()
    }

    /// Returns the triangles around a group (an index below [`NormalGroups::count`]). A triangle is listed once for
    /// each of its corners in the group; its number counts those of all primitives ([`NormalGroups::triangles_of`]).
    #[must_use]
    pub fn around(&self, group: usize) -> &[u32] {
        self.around.row(group)
    }

    fn primitive(&self, instance: InstanceId, primitive: usize) -> Option<&PrimitiveGroups> {
        self.primitives.get(instance.index())?.get(primitive)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shapes::{Tube, tube};

    #[test]
    fn a_group_has_the_vertices_of_one_position_and_normal_and_all_triangles_around_them() {
        let model = tube(Tube { joints: 3, rings: 4, sides: 5, ..Tube::default() });
        let primitive = &model.meshes[0].primitives[0];
        let (id, groups) = (InstanceId(0), model.normal_groups());
        let of = groups.of(id, 0).unwrap();
        assert_eq!((of.len(), groups.triangles()), (primitive.positions.len(), primitive.indices.len() / 3));
        assert_eq!(groups.triangles_of(id, 0), Some(0..groups.triangles()));
        let key = |v: usize| (primitive.positions[v], primitive.normals[v]);
        let triangles = primitive.indices.as_chunks::<3>().0;
        for (a, group) in of.iter().enumerate() {
            for (b, other) in of.iter().enumerate() {
                assert_eq!(group == other, key(a) == key(b), "{a} {b}");
            }
            let touches = |t: &[u32; 3]| t.iter().filter(|v| of[**v as usize] == *group).count();
            let around: Vec<u32> = (0..).zip(triangles).flat_map(|(i, t)| vec![i; touches(t)]).collect();
            assert_eq!(groups.around(*group as usize), around);
        }
        // What is left out has no groups.
        let none = NormalGroups::new(&model, &|_, _| None);
        assert_eq!((none.count(), none.of(id, 0), none.triangles()), (0, None, 0));
    }
}
