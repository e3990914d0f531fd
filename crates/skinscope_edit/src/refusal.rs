//! Says why an operation cannot do what is asked of it, as against having nothing to do.

use std::collections::BTreeSet;

use skinscope_anim::pose::MapError;
use skinscope_bind::BindError;
use skinscope_inspect::VertexSet;
use skinscope_model::{BuildError, MeshId, Model, NodeId, PrimitiveId, SkinId};
use skinscope_solve::Joints;
use thiserror::Error;

use super::{JointNumbers, Operation, Settings, Sheet, Table};

/// The reason why an operation cannot be done.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// A mesh is shown with several skins, whose joints differ.
    #[error(
        "mesh “{mesh}” is shown by “{}” with the skin “{}” and by “{}” with the skin “{}”, whose joints are others: the same \
         weights would move the other one too. Give one of them a mesh of its own first",
        .shown[0][0], .shown[0][1], .shown[1][0], .shown[1][1]
    )]
    SharedMesh {
        /// The name of the mesh.
        mesh: String,
        /// The names of a node that shows it and of its skin, of the first two that differ.
        shown: [[String; 2]; 2],
    },
    /// A node moves no vertex, since no skin that moves vertices has it.
    #[error("“{0}” is no joint of a skin that moves vertices")]
    NoJoint(String),
    /// A joint has no weight in any vertex.
    #[error("“{0}” moves no vertex, so that there is none to change")]
    MovesNothing(String),
    /// A joint can only be replaced by one of its own skin.
    #[error("“{other}” is no joint of a skin that “{joint}” belongs to, so that it cannot take its weights")]
    OtherSkin {
        /// The joint that is replaced.
        joint: String,
        /// The node that was to get its weights.
        other: String,
    },
    /// Two joints of different bodies are given as partners.
    #[error("“{0}” and “{1}” move different meshes, so that they are no partners")]
    Strangers(String, String),
    /// A joint cannot be replaced by itself.
    #[error("“{0}” cannot be replaced by itself")]
    Itself(String),
    /// There is no weight that could be copied.
    #[error("no vertex of mesh “{0}” has weights that the others could take")]
    NoWeights(String),
    /// No joint of the model whose weights were to be taken has a counterpart here.
    #[error("no joint here answers to a name of those that move the other model, such as {0}")]
    NoCounterpart(String),
    /// A name of the mapping is in neither model.
    #[error(transparent)]
    Mapping(#[from] MapError),
    /// The other model has no surface with weights.
    #[error("the other model has no triangles that a skin moves")]
    NoSurface,
    /// No vertex that may change has weights of which a mean could be taken.
    #[error("none of the vertices has weights, so that there is no mean of them")]
    NoMean,
    /// No mesh has a plane of symmetry across the axis about which it is to be mirrored.
    #[error("{0}")]
    NoPlane(String),
    /// None of the joints of another model whose weights were wanted has a counterpart here.
    #[error("no joint of the model has a name of those that move the other one there")]
    NoneThere,
    /// The joint whose weights were to change is locked.
    #[error("“{0}” is locked, so that its weights stay")]
    Locked(String),
    /// No vertex can have the weight that was asked for.
    #[error("no vertex can have this weight of “{0}”: no other joint can take what is left, or it is locked")]
    NoSuchWeight(String),
    /// No vertex can do without a joint.
    #[error(
        "no other joint can take the weights of “{0}”: it moves its vertices alone and no joint above it moves any, or they are locked"
    )]
    NoHeir(String),
    /// Every mesh has a skin.
    #[error("no mesh is without a skin, so that there is none that could gain one")]
    NoBareMesh,
    /// None of the vertices that may change is of a mesh without a skin.
    #[error("none of the vertices is of a mesh without a skin, so that there is none that could be bound")]
    NoBareVertex,
    /// None of the meshes that were chosen has a skin.
    #[error("none of the chosen meshes has a skin, so that there are no weights in whose place others could be found")]
    NoChosenSkin,
    /// A mesh without a skin stands at several places.
    #[error(
        "mesh “{mesh}” is shown by “{}” and by “{}”, and its vertices can have one set of weights only: give each node a mesh of its own first",
        .nodes[0], .nodes[1]
    )]
    ShownTwice {
        /// The name of the mesh.
        mesh: String,
        /// The names of two nodes that show it.
        nodes: Vec<String>,
    },
    /// No weights can be found for the mesh.
    #[error(transparent)]
    NotBound(#[from] BindError),
    /// The weights that were found do not make a skin.
    #[error(transparent)]
    NoSuchSkin(#[from] BuildError),
    /// A garment stands so far from the body that nothing says what it hangs on.
    #[error(
        "no vertex lies within {reach} of the body, the nearest is {nearest} away: let the two stand where the garment is worn, align it, or allow a larger distance"
    )]
    FarFromBody {
        /// How far a vertex may lie, with its unit.
        reach: String,
        /// How far the nearest one lies, with its unit.
        nearest: String,
    },
    /// A garment is to be aligned by names that it does not have.
    #[error(
        "{0} of the body's joints have a counterpart in the garment, and three that are not in a line are needed to align it: match them by a map, or align the two by their bounds"
    )]
    NotAligned(usize),
    /// A node above a joint has a shear, which a new node cannot have.
    #[error("“{0}” of the body is sheared at rest, which no node that is made for the garment could be")]
    Sheared(String),
    /// A body stands so far away that its places were shifted.
    #[error("the body stands so far away from the origin of its file that its places were shifted")]
    BodyAfar,
    /// Joints that were placed by hand do not make a skeleton.
    #[error("{0}")]
    NoSkeleton(String),
    /// The scene shows no mesh that a skin moves.
    #[error("no mesh that is shown has a skin, so that there are no weights")]
    NothingShown,
    /// A method is to be baked over poses that were kept, and none was.
    #[error("no pose was kept in which linear blending is to come near the method: pose the model and keep the pose")]
    NoKeptPose,
    /// A method is to be baked over the clips of a file that has none.
    #[error("the file has no clip, so that there is no pose of one")]
    NoClip,
    /// Nothing can be solved from the examples.
    #[error("{0}")]
    Examples(String),
    /// The model has no skin whose matrices could be set.
    #[error("the file has no skin, so that there is nothing to bind")]
    NoSkin,
    /// No joint says where the mesh is bound.
    #[error(
        "no joint of the skin “{0}” has an inverse bind matrix that can be inverted, so that nothing says how the mesh is bound"
    )]
    Unbound(String),
    /// A joint has no size in a pose, so that no matrix undoes it.
    #[error(
        "joint “{0}” has a scale of 0 in this pose, or below a node that has one, so that no inverse bind matrix binds it here"
    )]
    Flat(String),
}

/// Returns why `operation` cannot be carried out on the weights of a sheet; `Ok` where it can, also where there is nothing
/// for it to do.
pub fn check(operation: &Operation, sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    (operation.refuse)(sheet, settings)?;
    if operation.numbers != JointNumbers::Own {
        let named: Vec<u32> = [settings.joint, settings.other].into_iter().flatten().map(|node| node.0).collect();
        let is_about =
            |keys: &BTreeSet<u32>| operation.numbers == JointNumbers::Any || named.iter().any(|key| keys.contains(key));
        for (number, table) in sheet.tables.iter().enumerate() {
            if (0..table.vertices()).any(|row| sheet.bounds.has(number, row)) {
                is_of_one_skin(sheet.model, table, &is_about)?;
            }
        }
    }
    Ok(())
}

pub(super) fn name(model: &Model, node: NodeId) -> String {
    model.skeleton.names.get(node.index()).cloned().unwrap_or_default()
}

pub(super) fn mesh_name(model: &Model, mesh: usize) -> String {
    model.meshes.get(mesh).map(|mesh| mesh.name.clone()).unwrap_or_default()
}

/// Returns the nodes that the skins of a table's meshes have.
pub(super) fn skins_of<'m>(model: &'m Model, table: &'m Table) -> impl Iterator<Item = (NodeId, MeshId, SkinId)> + 'm {
    let meshes: BTreeSet<usize> = table.primitives.iter().map(|p| p.mesh.index()).collect();
    let shown = model.instances.iter().filter(move |instance| meshes.contains(&instance.mesh.index()));
    shown.filter_map(|instance| Some((instance.node, instance.mesh, instance.skin?)))
}

fn joints_of(model: &Model, skin: SkinId) -> BTreeSet<u32> {
    model.skins[skin.index()].joints.iter().map(|node| node.0).collect()
}

/// Checks that a node is a joint of a skin that moves vertices.
///
/// # Errors
/// It is none ([`Refusal::NoJoint`]).
pub fn check_joint(sheet: &Sheet, joint: NodeId) -> Result<(), Refusal> {
    is_joint(sheet, Some(joint))
}

/// Checks that some of the vertices which a joint moves may be changed alone.
///
/// # Errors
/// It moves none, or is no joint.
pub fn check_moves(sheet: &Sheet, joint: NodeId) -> Result<(), Refusal> {
    check_joint(sheet, joint)?;
    match VertexSet::moved_by(sheet.model, joint).is_empty() {
        true => Err(Refusal::MovesNothing(name(sheet.model, joint))),
        false => Ok(()),
    }
}

/// Checks that the vertices of a primitive may get weights of any joints: all skins that show it have the same ones.
///
/// # Errors
/// They have others ([`Refusal::SharedMesh`]).
fn check_one_skin(sheet: &Sheet, at: PrimitiveId) -> Result<(), Refusal> {
    let table = sheet.table_of(at).map(|table| &sheet.tables[table]);
    table.map_or(Ok(()), |table| is_of_one_skin(sheet.model, table, &|_| true))
}

/// Checks the same of several primitives, where the joints that vertices may get are not their own alone.
pub(super) fn check_joints(
    sheet: &Sheet,
    joints: Joints,
    mut of: impl Iterator<Item = PrimitiveId>,
) -> Result<(), Refusal> {
    if joints == Joints::Kept { Ok(()) } else { of.try_for_each(|at| check_one_skin(sheet, at)) }
}

/// Checks that a node is a joint of a skin that moves vertices, where one is given.
pub(super) fn is_joint(sheet: &Sheet, joint: Option<NodeId>) -> Result<(), Refusal> {
    let Some(joint) = joint else { return Ok(()) };
    let moves = |table: &Table| {
        skins_of(sheet.model, table).any(|(.., skin)| sheet.model.skins[skin.index()].joints.contains(&joint))
    };
    if sheet.tables.iter().any(moves) { Ok(()) } else { Err(Refusal::NoJoint(name(sheet.model, joint))) }
}

/// Checks that all skins which show the weights of a table have the same joints, if one of them is concerned.
fn is_of_one_skin(model: &Model, table: &Table, is_about: &dyn Fn(&BTreeSet<u32>) -> bool) -> Result<(), Refusal> {
    let mut shown = skins_of(model, table);
    let Some((first, mesh, skin)) = shown.next() else { return Ok(()) };
    let Some((other, _, another)) =
        shown.find(|(.., other)| model.skins[other.index()].joints != model.skins[skin.index()].joints)
    else {
        return Ok(());
    };
    if !skins_of(model, table).any(|(.., skin)| is_about(&joints_of(model, skin))) {
        return Ok(());
    }
    let named = |node: NodeId, skin: SkinId| [name(model, node), model.skins[skin.index()].name.clone()];
    Err(Refusal::SharedMesh {
        mesh: mesh_name(model, mesh.index()),
        shown: [named(first, skin), named(other, another)],
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, ModelParts, Skin};

    use super::*;
    use crate::operation;

    fn asked(id: &str, parts: ModelParts, settings: &Settings) -> Result<(), Refusal> {
        let model = Model::build(parts).unwrap();
        check(operation(id).unwrap(), &Sheet::of(&model), settings)
    }

    fn plain() -> ModelParts {
        (*tube(Tube { joints: 4, ..Tube::default() })).clone()
    }

    /// The tube once more, with a skin whose joints come in another order.
    fn shared() -> ModelParts {
        let mut parts = plain();
        let joints: Vec<NodeId> = parts.skins[0].joints.iter().rev().copied().collect();
        parts.skins.push(Skin { joints, name: "other".into(), ..parts.skins[0].clone() });
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        parts
    }

    fn of(joint: usize) -> Settings {
        Settings { joint: Some(NodeId::from_index(joint)), ..Settings::default() }
    }

    #[test]
    fn weights_by_joint_of_a_mesh_with_two_skins_are_refused_and_others_are_not() {
        let joint = plain().skins[0].joints[1].index();
        for id in ["remove-joint", "set", "mirror", "paste"] {
            assert!(matches!(asked(id, shared(), &of(joint)), Err(Refusal::SharedMesh { .. })), "{id}");
            assert_eq!(asked(id, plain(), &of(joint)), Ok(()), "{id}");
        }
        for id in ["normalise", "limit", "smooth", "hammer"] {
            assert_eq!(asked(id, shared(), &of(joint)), Ok(()), "{id}");
        }
        let one_skin = |parts: ModelParts| {
            let model = Model::build(parts).unwrap();
            check_one_skin(&Sheet::of(&model), PrimitiveId::default())
        };
        assert!(matches!(one_skin(shared()), Err(Refusal::SharedMesh { .. })) && one_skin(plain()).is_ok());
        // Two skins of the same joints mean the same.
        let mut same = shared();
        same.skins[1].joints = same.skins[0].joints.clone();
        assert_eq!(asked("remove-joint", same, &of(joint)), Ok(()));
    }

    #[test]
    fn joints_of_no_skin_and_of_another_skin_are_refused() {
        let mut parts = plain();
        let joints = parts.skins[0].joints.clone();
        let last = parts.skins[0].joints.pop().unwrap();
        parts.skins[0].inverse_bind.pop();
        for influences in parts.meshes[0].primitives.iter_mut().filter_map(|p| p.stored_influences.as_mut()) {
            influences.joints.iter_mut().for_each(|joint| *joint = (*joint).min(2));
        }
        assert!(matches!(asked("remove-joint", parts.clone(), &of(last.index())), Err(Refusal::NoJoint(_))));
        let paste = |joints: &[NodeId]| Settings {
            copied: joints.iter().map(|joint| (*joint, 0.5)).collect(),
            ..Settings::default()
        };
        assert!(matches!(asked("paste", parts.clone(), &paste(&[last])), Err(Refusal::NoJoint(_))));
        assert_eq!(asked("paste", parts.clone(), &paste(&[last, joints[0]])), Ok(()));
        let replace = |other: NodeId| Settings { other: Some(other), ..of(joints[1].index()) };
        assert!(matches!(asked("replace-joint", parts.clone(), &replace(last)), Err(Refusal::OtherSkin { .. })));
        assert!(matches!(asked("replace-joint", parts.clone(), &replace(joints[1])), Err(Refusal::Itself(_))));
        assert_eq!(asked("replace-joint", parts, &replace(joints[0])), Ok(()));
    }

    #[test]
    fn a_joint_that_moves_nothing_and_a_node_that_is_none_bound_nothing() {
        let mut parts = plain();
        let joints = parts.skins[0].joints.clone();
        parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
        let model = Model::build(parts).unwrap();
        let sheet = Sheet::of(&model);
        assert_eq!([0, 1].map(|index: usize| check_joint(&sheet, joints[index])), [Ok(()), Ok(())]);
        assert!(matches!(check_joint(&sheet, NodeId(0)), Err(Refusal::NoJoint(_))), "the root is no joint");
        assert_eq!(check_moves(&sheet, joints[0]), Ok(()));
        assert!(matches!(check_moves(&sheet, joints[1]), Err(Refusal::MovesNothing(_))));
        assert!(matches!(check_moves(&sheet, NodeId(0)), Err(Refusal::NoJoint(_))));
    }

    #[test]
    fn without_a_skin_there_is_nothing_to_bind() {
        let mut bare = plain();
        bare.skins.clear();
        bare.instances.iter_mut().for_each(|instance| instance.skin = None);
        let mut flat = plain();
        flat.skins[0].inverse_bind.fill(glam::Affine3A::ZERO);
        for id in ["inverse-binds", "bind-here"] {
            assert_eq!(asked(id, bare.clone(), &Settings::default()), Err(Refusal::NoSkin), "{id}");
            let name = flat.skins[0].name.clone();
            assert_eq!(asked(id, flat.clone(), &Settings::default()), Err(Refusal::Unbound(name)), "{id}");
            assert_eq!(asked(id, plain(), &Settings::default()), Ok(()), "{id}");
        }
    }

    #[test]
    fn without_any_weight_there_is_nothing_to_hammer_from() {
        let mut parts = plain();
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        influences.weights.iter_mut().for_each(|weight| *weight = 0.0);
        assert!(matches!(asked("hammer", parts.clone(), &Settings::default()), Err(Refusal::NoWeights(_))));
        assert_eq!(asked("average", parts.clone(), &Settings::default()), Err(Refusal::NoMean));
        parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights[0] = 1.0;
        assert_eq!(asked("average", parts.clone(), &Settings::default()), Ok(()));
        assert_eq!(asked("hammer", parts, &Settings::default()), Ok(()));
    }

    #[test]
    fn a_joint_without_size_cannot_be_bound() {
        let parts = plain();
        let joint = parts.skins[0].joints[2];
        let mut pose = parts.skeleton.rest.clone();
        let settings = |pose| Settings { pose: Some(Arc::new(pose)), ..Settings::default() };
        assert_eq!(asked("bind-here", parts.clone(), &settings(pose.clone())), Ok(()));
        pose.transforms[joint.index()].scale = Vec3::ZERO;
        assert!(matches!(asked("bind-here", parts, &settings(pose)), Err(Refusal::Flat(_))));
    }
}
