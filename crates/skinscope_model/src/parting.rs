//! Copies meshes that nodes show with several skins, so that the joint indices of every mesh refer to one list of
//! joints.
//!
//! Joint indices refer to the skin of the node that shows the mesh (glTF 2.0, 3.7.3.3), and a file may show one mesh
//! with several skins. But an edit of a weight refers to a joint of one of them. So the model has such a mesh once for
//! each list of joints: the instances with the first list show the mesh of the file, and for each further list there is
//! a copy after the meshes of the file, with the same vertices.

use std::collections::HashMap;

use super::{Instance, Mesh, MeshId, Model, ModelParts, NodeId, PrimitiveId, Skin, SkinId};

/// Adds a copy of a mesh, after the others, for each further list of joints that instances show it with, and lets these
/// instances show the copy. Skins with the same joints in the same order share one mesh. `may` is called once for each
/// copy and may refuse it. Returns for each copy its id and the id of the mesh that it was copied from, in rising
/// order.
///
/// The ids in `instances` must be within `meshes` and `skins`.
pub fn part_meshes(
    skins: &[Skin],
    meshes: &mut Vec<Mesh>,
    instances: &mut [Instance],
    may: &mut dyn FnMut(MeshId, &Mesh) -> bool,
) -> Vec<(MeshId, MeshId)> {
    let mut first: Vec<Option<&[NodeId]>> = vec![None; meshes.len()];
    let mut further: Vec<(MeshId, usize)> = Vec::new();
    for (i, instance) in instances.iter().enumerate() {
        let Some(skin) = instance.skin else { continue };
        let joints = &skins[skin.index()].joints[..];
        if *first[instance.mesh.index()].get_or_insert(joints) != joints {
            further.push((instance.mesh, i));
        }
    }
    // The meshes that are parted from one another stand together, in the order of their first nodes.
    further.sort_unstable();
    let mut of_joints: HashMap<(MeshId, &[NodeId]), MeshId> = HashMap::new();
    let mut out = Vec::new();
    for (mesh, i) in further {
        let instance = &mut instances[i];
        let Some(skin) = instance.skin else { continue };
        let to = of_joints.entry((mesh, &skins[skin.index()].joints)).or_insert_with(|| {
            if !may(mesh, &meshes[mesh.index()]) {
                return mesh;
            }
            out.push((MeshId::from_index(meshes.len()), mesh));
            meshes.push(meshes[mesh.index()].clone());
            MeshId::from_index(meshes.len() - 1)
        });
        instance.mesh = *to;
    }
    out
}

impl Mesh {
    /// Returns the approximate size of its vertex and index lists in memory, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let of = |p: &super::Primitive| {
            let influences = p.stored_influences.as_ref();
            let lists = [
                size_of_val(&p.indices[..]),
                size_of_val(&p.positions[..]),
                size_of_val(&p.normals[..]),
                size_of_val(&p.tangents[..]),
                size_of_val(&p.uvs[0][..]) + size_of_val(&p.uvs[1][..]),
                size_of_val(&p.colors[..]),
                influences.map_or(0, |i| size_of_val(&i.joints[..]) + size_of_val(&i.weights[..])),
                p.split_from.len() * size_of::<u32>(),
            ];
            let morph = |m: &super::MorphTarget| {
                size_of_val(&m.positions[..]) + size_of_val(&m.normals[..]) + size_of_val(&m.tangents[..])
            };
            size_of::<super::Primitive>() + lists.iter().sum::<usize>() + p.morphs.iter().map(morph).sum::<usize>()
        };
        (size_of::<Self>() + self.primitives.iter().map(of).sum::<usize>()) as u64
    }
}

impl ModelParts {
    /// Returns the mesh of the file that a mesh is a copy of ([`part_meshes`]); the mesh itself where it is no copy.
    #[must_use]
    pub fn file_mesh(&self, mesh: MeshId) -> MeshId {
        self.parted.binary_search_by_key(&mesh, |(own, _)| *own).map_or(mesh, |at| self.parted[at].1)
    }

    /// Returns whether a mesh is one of several copies of a mesh of the file, which is shown with several lists of
    /// joints.
    #[must_use]
    pub fn is_parted(&self, mesh: MeshId) -> bool {
        self.parted.iter().any(|(own, file)| [*own, *file].contains(&mesh))
    }

    /// Returns the meshes that the file has, in its order.
    pub fn file_meshes(&self) -> impl Iterator<Item = (MeshId, &Mesh)> {
        let all = self.meshes.iter().enumerate().map(|(m, mesh)| (MeshId::from_index(m), mesh));
        all.filter(|(id, _)| self.file_mesh(*id) == *id)
    }
}

impl ModelParts {
    /// Returns the vertex list of the file that has the vertices of a list of `mesh`, where a node shows both by one skin, so that each of
    /// them counts once ([`Primitive::repeats`](super::Primitive::repeats)).
    #[must_use]
    pub fn counted_in(&self, mesh: MeshId, list: usize, skin: Option<SkinId>) -> Option<PrimitiveId> {
        let first = self.meshes[mesh.index()].primitives[list].repeats?;
        let shows = |instance: &Instance| self.file_mesh(instance.mesh) == first.mesh && instance.skin == skin;
        self.instances.iter().any(shows).then_some(first)
    }
}

impl Model {
    /// Returns whether a mesh is a copy of one of the file and still has the same weights, so that what is reported
    /// about the weights of that one need not be reported about this one.
    #[must_use]
    pub fn is_repeated(&self, mesh: MeshId) -> bool {
        let file = self.file_mesh(mesh);
        let beyond = |mesh: MeshId, p: usize| {
            let of = self.meshes[mesh.index()].primitives[p].stored_influences.as_ref();
            of.map(|influences| &influences.out_of_range)
        };
        let is_same = |p: usize| self.has_same_edits([mesh, file], p) && beyond(mesh, p) == beyond(file, p);
        file != mesh && (0..self.meshes[mesh.index()].primitives.len()).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shapes::{Tube, tube};
    use crate::{SkinId, WeightChange};

    /// The tube, shown once more with each of these skins, by the order of their joints.
    fn shown(skins: &[fn(&mut Vec<NodeId>)]) -> ModelParts {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 4, ..Tube::default() }));
        for change in skins {
            let mut skin = parts.skins[0].clone();
            change(&mut skin.joints);
            parts.skins.push(skin);
            let skin = Some(SkinId::from_index(parts.skins.len() - 1));
            parts.instances.push(Instance { skin, ..parts.instances[0].clone() });
        }
        parts
    }

    fn part(parts: &mut ModelParts, most: usize) -> Vec<u32> {
        let mut left = most;
        let may = &mut |_: MeshId, _: &Mesh| {
            let has_room = left > 0;
            left = left.saturating_sub(1);
            has_room
        };
        let ModelParts { skins, meshes, instances, .. } = parts;
        let parted = part_meshes(skins, meshes, instances, may);
        parts.parted = parted;
        parts.instances.iter().map(|i| i.mesh.0).collect()
    }

    #[test]
    fn each_list_of_joints_gets_a_mesh_and_equal_ones_share_it() {
        let reversed: fn(&mut Vec<NodeId>) = |joints| joints.reverse();
        let swapped: fn(&mut Vec<NodeId>) = |joints| joints.swap(0, 1);
        let mut parts = shown(&[reversed, |_| {}, swapped, reversed]);
        parts.instances.push(Instance { skin: None, ..parts.instances[0].clone() });
        assert_eq!(part(&mut parts, usize::MAX), [0, 1, 0, 2, 1, 0]);
        assert_eq!(parts.parted, [(MeshId(1), MeshId(0)), (MeshId(2), MeshId(0))]);
        assert_eq!([0, 1, 2].map(|m| parts.file_mesh(MeshId(m)).0), [0, 0, 0]);
        assert_eq!([0, 1, 2, 3].map(|m| parts.is_parted(MeshId(m))), [true, true, true, false]);
        assert_eq!(parts.file_meshes().map(|(id, _)| id.0).collect::<Vec<_>>(), [0]);
        assert!(Model::build(parts).is_ok());
        // A file without such meshes stays as it is, and so does what must not be parted.
        let mut parts = shown(&[|_| {}]);
        assert_eq!((part(&mut parts, usize::MAX), parts.meshes.len()), (vec![0, 0], 1));
        let mut parts = shown(&[reversed, swapped]);
        assert_eq!((part(&mut parts, 1), parts.meshes.len()), (vec![0, 1, 0], 2));
    }

    #[test]
    fn meshes_are_parted_in_the_order_of_the_file_whatever_the_order_of_the_nodes() {
        let mut parts = shown(&[|joints| joints.reverse()]);
        parts.meshes.push(parts.meshes[0].clone());
        // The nodes of the second mesh stand before those of the first.
        let of_second = parts.instances.iter().map(|i| Instance { mesh: MeshId(1), ..i.clone() }).collect::<Vec<_>>();
        parts.instances.splice(0..0, of_second);
        assert_eq!(part(&mut parts, usize::MAX), [1, 3, 0, 2]);
        assert_eq!(parts.parted, [(MeshId(2), MeshId(0)), (MeshId(3), MeshId(1))]);
    }

    #[test]
    fn a_parted_mesh_repeats_that_of_the_file_until_they_differ() {
        let mut parts = shown(&[|joints| joints.reverse()]);
        part(&mut parts, usize::MAX);
        let model = Model::build(parts).unwrap();
        assert_eq!([0, 1].map(|m| model.is_repeated(MeshId(m))), [false, true]);
        let change = |mesh: u32| {
            let mut change = WeightChange::new(MeshId(mesh), 0, 4);
            change.push(3, &[1, 2], &[0.5, 0.5]);
            change
        };
        let one = model.with_weights(&[change(0)]).unwrap();
        assert!(!one.is_repeated(MeshId(1)));
        assert!(one.with_weights(&[change(1)]).unwrap().is_repeated(MeshId(1)));
    }
}
