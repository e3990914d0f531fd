//! Poses, and surfaces that are deformed in them.

use std::ffi::OsString;

use glam::{DAffine3, DVec3, Vec3};
use skinscope::cli::in_process::{Content, Failure, posed};
use skinscope::deform::SurfacePart;
use skinscope::export::baked_primitives;
use skinscope::model::{InstanceId, Model, NodeId};

/// A deformed surface, in the scene, metres.
pub(crate) struct Deformed {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
}

/// Returns scene from node for each node of the model in a pose.
pub(crate) fn matrices_of(words: &[OsString], content: &Content) -> Result<Vec<DAffine3>, Failure> {
    let session = posed(words, content)?;
    let skeleton = &content.document.stored().skeleton;
    let (pose, shift) = (&session.pose().model, session.pose().shift);
    let place = |(node, matrix): (usize, &glam::Affine3A)| {
        let origin = skeleton.origin_of(NodeId::from_index(node)) + shift;
        DAffine3::from_translation(origin) * matrix.as_daffine3()
    };
    Ok(pose.iter().enumerate().map(place).collect())
}

/// Deforms what is shown in a pose, or primitive `at` (mesh and primitive of the file) as node number `instance` of those that show it
/// has it.
pub(crate) fn deformed(
    words: &[OsString],
    content: &Content,
    at: Option<(u32, usize)>,
    instance: usize,
) -> Result<Deformed, Failure> {
    let session = posed(words, content)?;
    let nothing = || Failure { message: "the model shows nothing that can be deformed".to_owned(), exit_code: 2 };
    let model = session.model().ok_or_else(nothing)?;
    let surface = session.surfaces().surface().ok_or_else(nothing)?;
    let shift = session.pose().shift;
    let Some((mesh, primitive)) = at else {
        let mut out = Deformed { positions: Vec::new(), normals: Vec::new() };
        for part in baked_primitives(model, shift, &surface) {
            out.positions.extend(part.positions.iter().map(|point| (point.as_dvec3() + part.origin).as_vec3()));
            out.normals.extend(part.normals);
        }
        return Ok(out);
    };
    let shown: Vec<&SurfacePart> =
        surface.parts.iter().filter(|part| is_of(model, part.instance, mesh) && part.primitive == primitive).collect();
    let part = shown.get(instance).ok_or_else(|| Failure {
        message: format!(
            "primitive {mesh},{primitive} is shown by {} nodes, and number {instance} is none of them",
            shown.len()
        ),
        exit_code: 2,
    })?;
    let placed = if part.copies.is_empty() { part.deformed.clone() } else { part.copy(0) };
    let own = model.instances[part.instance.index()].mesh;
    let stored = model.meshes[own.index()].primitives[primitive].stored_vertices;
    let origin: DVec3 = model.origin_of_instance(part.instance) + shift;
    let positions = placed.positions[..stored].iter().map(|point| (point.as_dvec3() + origin).as_vec3());
    Ok(Deformed { positions: positions.collect(), normals: placed.normals[..stored].to_vec() })
}

/// Returns whether an instance shows this mesh of the file.
fn is_of(model: &Model, instance: InstanceId, mesh: u32) -> bool {
    model.file_mesh(model.instances[instance.index()].mesh).0 == mesh
}
