//! The operations that compute inverse bind matrices: from the rest pose, and from any other one.

use glam::DAffine3;
use skinscope_anim::local_to_model;
use skinscope_inspect::rig::{SkinBinding, inverse_bind};
use skinscope_model::{BindChange, LocalPose, MeshId, Model, NodeId, Skin, SkinId};

use super::refusal::name;
use super::sheet::single;
use super::{Changes, Group, Operation, OptionForm, Parameter, ParameterKind, Refusal, Settings, Sheet};

/// The operation that computes inverse bind matrices from the rest pose.
pub(crate) static INVERSE_BINDS: Operation = Operation {
    id: "inverse-binds",
    label: "Set inverse bind matrices",
    tool: "Inverse binds",
    icon: "BRACKETS",
    group: Group::Bind,
    place: 1,
    help: "Set the inverse bind matrices from the rest pose, with the factor that the skin's joints share; only those that differ",
    repairs: &["inverse-bind-mismatch"],
    changes: Changes::Binds,
    refuse: |sheet, _: &Settings| is_bound(sheet.model),
    run: |sheet, _: &Settings| set(sheet, None, &|_, _| true),
    ..Operation::ROW
};

/// The pose in which the mesh is bound.
static POSE: Parameter = Parameter {
    id: "pose",
    label: "Pose",
    help: "The pose in which the mesh is bound",
    kind: ParameterKind::Pose,
    option: OptionForm::None,
};

/// The operation that binds the mesh where its joints are in a pose.
pub(crate) static BIND_HERE: Operation = Operation {
    id: "bind-here",
    label: "Bind here",
    tool: "Bind here",
    icon: "ANCHOR",
    group: Group::Bind,
    place: 0,
    help: "Set the inverse bind matrices from this pose: in it the mesh then has the shape that the file stores",
    more: ". The pose is that of --clip and --time or of --pose, else the rest pose",
    parameters: &[&POSE],
    changes: Changes::Binds,
    refuse: |sheet, settings| {
        is_bound(sheet.model)?;
        is_solid(sheet.model, settings)
    },
    run: |sheet, settings| {
        let nodes = sheet.model.skeleton.len();
        if let Some(pose) = settings.pose.as_ref().filter(|pose| pose.transforms.len() == nodes) {
            set(sheet, Some(pose), &|_, _| true);
        }
    },
    ..Operation::ROW
};

/// Matrices that move the mesh by less than this share of its size count as equal.
const SAME: f64 = 1e-5;

/// Sets the matrices of the skins for which `wanted` returns true, from a pose; `None`: from the rest pose. Where only some
/// vertices may change, skins that move none of them stay.
pub(super) fn set(sheet: &mut Sheet, pose: Option<&LocalPose>, wanted: &dyn Fn(&Skin, &SkinBinding) -> bool) {
    let model = sheet.model;
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let mut here = rest.clone();
    if let Some(pose) = pose {
        local_to_model(&model.skeleton, pose, &mut here);
    }
    let world = model.skeleton.worlds(pose.unwrap_or(&model.skeleton.rest));
    let open = open_skins(sheet);
    let (at_rest, here) = (SkinBinding::of_all(model, &rest), SkinBinding::of_all(model, &here));
    let of_file = SkinBinding::of_all(&model.without_edits(), &rest);
    for (s, (binding, here)) in at_rest.iter().zip(&here).enumerate() {
        let skin = &model.skins[s];
        // A mesh that was bound in this pose already shows there what its joints share.
        let clearer = if here.agreeing > binding.agreeing { here } else { binding };
        // Edits may have bound most joints elsewhere; those of the file say then what was shared before.
        let clearest = if of_file[s].agreeing > clearer.agreeing { &of_file[s] } else { clearer };
        if !open[s] || !wanted(skin, binding) {
            continue;
        }
        let Some(common) = clearest.common else {
            sheet.lacks.matrices += skin.joints.len();
            continue;
        };
        let reach = reach(model, s);
        for (index, joint) in skin.joints.iter().enumerate() {
            let new = world[joint.index()].inverse() * common;
            let old = sheet.binds.get(&(s, index)).copied().or_else(|| inverse_bind(skin, index));
            sheet.lacks.matrices += usize::from(!new.is_finite());
            let differs = old.is_none_or(|old| !agree(world[joint.index()], old, common, reach));
            if new.is_finite() && differs {
                sheet.binds.insert((s, index), new);
            }
        }
    }
}

/// Returns for each skin whether it moves a vertex that may change.
fn open_skins(sheet: &Sheet) -> Vec<bool> {
    let mut out = vec![false; sheet.model.skins.len()];
    for (number, table) in sheet.tables.iter().enumerate() {
        if (0..table.vertices()).any(|row| sheet.bounds.has(number, row)) {
            let shown = |mesh: MeshId| sheet.model.instances.iter().filter(move |i| i.mesh == mesh);
            let skins = table.primitives.iter().flat_map(|p| shown(p.mesh)).filter_map(|i| i.skin);
            skins.for_each(|skin| out[skin.index()] = true);
        }
    }
    // A skin that moves nothing has no vertex that must not change.
    let moves = |skin: usize| sheet.model.instances.iter().any(|i| i.skin.is_some_and(|s| s.index() == skin));
    (0..out.len()).for_each(|skin| out[skin] |= sheet.bounds.is_open() && !moves(skin));
    out
}

/// Returns the matrices of a sheet that its model does not have.
pub(super) fn changes(sheet: &Sheet) -> Vec<BindChange> {
    let change = |(&(skin, index), matrix): (&(usize, usize), &DAffine3)| {
        let old = inverse_bind(&sheet.model.skins[skin], index).map(|old| single(old).to_cols_array());
        let matrix = single(*matrix);
        (old != Some(matrix.to_cols_array())).then_some(BindChange {
            skin: SkinId::from_index(skin),
            joint: index,
            matrix,
            restored: false,
        })
    };
    sheet.binds.iter().filter_map(change).collect()
}

/// Returns whether a joint shows the mesh where all joints show it. Positions are compared in the world, at the corners
/// of the box around what the skin moves.
fn agree(world: DAffine3, inverse_bind: DAffine3, common: DAffine3, reach: [glam::DVec3; 2]) -> bool {
    let shown = world * inverse_bind;
    let size = common.transform_vector3(reach[1] - reach[0]).length();
    (0..8).all(|corner| {
        let pick = |axis: usize| reach[corner >> axis & 1][axis];
        let point = glam::DVec3::new(pick(0), pick(1), pick(2));
        shown.transform_point3(point).distance(common.transform_point3(point)) <= size * SAME
    })
}

/// Returns the box around the vertices that a skin moves, mesh space.
fn reach(model: &Model, skin: usize) -> [glam::DVec3; 2] {
    let meshes = model.instances.iter().filter(|i| i.skin.is_some_and(|s| s.index() == skin)).map(|i| i.mesh.index());
    let points = meshes.flat_map(|m| &model.meshes[m].primitives).flat_map(|p| &p.positions);
    let bounds = skinscope_base::math::Aabb::from_points(points.copied());
    let [least, most] = if bounds.is_empty() { [glam::Vec3::ZERO, glam::Vec3::ONE] } else { [bounds.min, bounds.max] };
    [least.as_dvec3(), most.as_dvec3()]
}

/// Checks that there is a skin, and a joint that says how its mesh is bound.
fn is_bound(model: &Model) -> Result<(), Refusal> {
    let first = model.skins.first().ok_or(Refusal::NoSkin)?;
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let is_known = |model: &Model| SkinBinding::of_all(model, &rest).iter().any(|skin| skin.common.is_some());
    if is_known(model) || is_known(&model.without_edits()) { Ok(()) } else { Err(Refusal::Unbound(first.name.clone())) }
}

/// Checks that every joint can be bound in the pose.
fn is_solid(model: &Model, settings: &Settings) -> Result<(), Refusal> {
    let Some(pose) = settings.pose.as_ref().filter(|pose| pose.transforms.len() == model.skeleton.len()) else {
        return Ok(());
    };
    let mut matrices = Vec::new();
    local_to_model(&model.skeleton, pose, &mut matrices);
    let flat = |node: &&NodeId| {
        let inverse = matrices[node.index()].inverse();
        matrices[node.index()].matrix3.determinant() == 0.0 || !inverse.is_finite()
    };
    let first = model.skins.iter().flat_map(|skin| &skin.joints).find(flat);
    first.map_or(Ok(()), |node| Err(Refusal::Flat(name(model, *node))))
}
