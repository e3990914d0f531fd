//! Compares what the nodes of two models show: which mesh, by which skin, and how often.

use std::collections::HashMap;

use skinscope_model::{Instance, Model};

use super::nodes::Nodes;
use super::surfaces::is_same_mesh;
use super::weights;

/// The nodes that show something else in the other model, by the names of the first where it has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Nodes that show a mesh in the second model alone.
    pub added: Vec<String>,
    /// Nodes that show a mesh in the first model alone.
    pub removed: Vec<String>,
    /// Nodes of both that show another mesh.
    pub other_mesh: Vec<String>,
    /// Nodes of both that show the same mesh moved by another skin, or by one in one model alone.
    pub other_skin: Vec<String>,
    /// Nodes of both that show the same mesh in other copies (`EXT_mesh_gpu_instancing`).
    pub other_copies: Vec<String>,
}

impl Shown {
    pub(super) fn is_empty(&self) -> bool {
        let Self { added, removed, other_mesh, other_skin, other_copies } = self;
        [added, removed, other_mesh, other_skin, other_copies].iter().all(|list| list.is_empty())
    }

    /// Compares two models, whose meshes are `paired`.
    pub(super) fn of(a: &Model, b: &Model, nodes: &Nodes, paired: &[[usize; 2]]) -> Self {
        let name = |model: &Model, instance: &Instance| model.skeleton.names[instance.node.index()].clone();
        let mut there: HashMap<usize, Vec<&Instance>> = HashMap::new();
        for instance in &b.instances {
            there.entry(nodes.key[instance.node.index()]).or_default().push(instance);
        }
        let is_mesh = |here: &Instance, other: &Instance| {
            let pair = [here.mesh.index(), other.mesh.index()];
            paired.contains(&pair) || is_same_mesh(&a.meshes[pair[0]], &b.meshes[pair[1]])
        };
        let skins = weights::paired_skins(a, b);
        let mut out = Self::default();
        for here in &a.instances {
            let others = there.get_mut(&here.node.index()).filter(|others| !others.is_empty());
            let Some(others) = others else {
                out.removed.push(name(a, here));
                continue;
            };
            let same = others.iter().position(|other| is_mesh(here, other));
            let other = others.remove(same.unwrap_or_default());
            if same.is_none() {
                out.other_mesh.push(name(a, here));
            } else if !weights::is_same_skin(a, b, [here.skin, other.skin], &skins, nodes) {
                out.other_skin.push(name(a, here));
            } else if !has_same_copies(here, other) {
                out.other_copies.push(name(a, here));
            }
        }
        let left = |instance: &&Instance| {
            let others = there.get(&nodes.key[instance.node.index()]);
            others.is_some_and(|others| others.iter().any(|other| std::ptr::eq(*other, *instance)))
        };
        out.added = b.instances.iter().filter(left).map(|instance| name(b, instance)).collect();
        out
    }
}

fn has_same_copies(a: &Instance, b: &Instance) -> bool {
    a.copies.len() == b.copies.len() && a.copies.iter().zip(&b.copies).all(|(x, y)| weights::is_same_matrix(*x, *y))
}

#[cfg(test)]
mod tests {
    use skinscope_base::math::Transform;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, Model, ModelParts, NodeId, SkinId};

    use super::super::{Differences, compare};
    use super::Shown;

    /// Adds a node without a parent that stays in the middle.
    fn node(parts: &mut ModelParts, name: &str) -> NodeId {
        let node = NodeId::from_index(parts.skeleton.len());
        parts.skeleton.names.push(name.into());
        parts.skeleton.parents.push(None);
        parts.skeleton.file_index.push(node.0);
        parts.skeleton.rest.transforms.push(Transform::IDENTITY);
        parts.scenes[0].roots.push(node);
        parts.scenes[0].contains.push(true);
        node
    }

    /// A skinned tube at "root", two rigid ones of other lengths at nodes of their own, a skin that nothing shows, and an empty node.
    fn built(change: impl FnOnce(&mut ModelParts)) -> Model {
        let mut parts: ModelParts = (*tube(Tube { joints: 6, ..Tube::default() })).clone();
        for (name, length) in [("sword", 1.0), ("cape", 3.0)] {
            let mut mesh = tube(Tube { length, ..Tube::default() }).meshes[0].clone();
            mesh.name = name.into();
            mesh.primitives.iter_mut().for_each(|primitive| primitive.stored_influences = None);
            let (node, mesh_id) = (node(&mut parts, name), MeshId::from_index(parts.meshes.len()));
            parts.instances.push(Instance { node, mesh: mesh_id, ..Instance::default() });
            parts.meshes.push(mesh);
        }
        let mut skin = parts.skins[0].clone();
        skin.name = "other".into();
        skin.inverse_bind.iter_mut().for_each(|bind| bind.translation.x += 0.5);
        parts.skins.push(skin);
        node(&mut parts, "Camera");
        change(&mut parts);
        Model::build(parts).unwrap()
    }

    /// What is reported of a change, and the same the other way round.
    fn both(change: impl FnOnce(&mut ModelParts)) -> [Differences; 2] {
        let (a, b) = (built(|_| ()), built(change));
        assert!(compare(&a, &a).is_empty() && compare(&b, &b).is_empty());
        let both = [compare(&a, &b), compare(&b, &a)];
        assert!(both.iter().all(|found| !found.is_empty() && found.weights.is_empty() && found.surface.is_empty()));
        both
    }

    #[test]
    fn a_mesh_that_a_node_shows_no_more_is_reported_and_weights_are_not() {
        for (at, name) in [(0, "root"), (1, "sword")] {
            let [found, back] = both(|parts| _ = parts.instances.remove(at));
            assert_eq!(found.shown, Shown { removed: vec![name.to_owned()], ..Shown::default() });
            assert_eq!(back.shown, Shown { added: vec![name.to_owned()], ..Shown::default() });
        }
    }

    #[test]
    fn another_mesh_or_skin_or_other_copies_at_a_node_are_reported() {
        for found in both(|parts| parts.instances[1].mesh = MeshId(2)) {
            assert_eq!(found.shown, Shown { other_mesh: vec!["sword".into()], ..Shown::default() });
        }
        for found in both(|parts| parts.instances[0].skin = None) {
            assert_eq!(found.shown, Shown { other_skin: vec!["root".into()], ..Shown::default() });
        }
        for found in both(|parts| parts.instances[1].copies = vec![glam::Affine3A::IDENTITY; 2]) {
            assert_eq!(found.shown, Shown { other_copies: vec!["sword".into()], ..Shown::default() });
        }
        // Both models have both skins, so that their matrices are the same.
        let (a, b) = (built(|_| ()), built(|parts| parts.instances[0].skin = Some(SkinId(1))));
        let found = compare(&a, &b);
        assert_eq!((found.shown.other_skin, found.inverse_binds), (vec!["root".to_owned()], 0));
    }

    #[test]
    fn meshes_without_a_name_and_in_another_order_are_the_same_where_their_contents_are() {
        let nameless = |parts: &mut ModelParts| parts.meshes.iter_mut().for_each(|mesh| mesh.name.clear());
        let a = built(nameless);
        let b = built(|parts| {
            nameless(parts);
            parts.meshes.swap(1, 2);
            parts.instances[1].mesh = MeshId(2);
            parts.instances[2].mesh = MeshId(1);
        });
        assert!(compare(&a, &b).is_empty());
    }

    #[test]
    fn a_node_is_renamed_only_where_something_speaks_for_it() {
        // Two empty nodes in the middle have nothing in common.
        for found in both(|parts| parts.skeleton.names[9] = "Sun".into()) {
            assert!(found.nodes.renamed.is_empty() && found.nodes.added.len() == 1, "{:?}", found.nodes);
        }
        // Nor have two that show other meshes.
        for found in both(|parts| {
            parts.skeleton.names[7] = "coat".into();
            parts.instances[1].mesh = MeshId(2);
        }) {
            assert!(found.nodes.renamed.is_empty() && found.nodes.added.len() == 1, "{:?}", found.nodes);
        }
        // The same mesh speaks for it, and children do.
        for (node, name) in [(7, "blade"), (0, "Armature")] {
            for found in both(|parts| parts.skeleton.names[node] = name.into()) {
                assert_eq!((found.nodes.renamed.len(), found.nodes.added.len(), found.shown), (1, 0, Shown::default()));
            }
        }
    }
}
