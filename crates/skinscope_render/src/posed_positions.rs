//! Where a frame's pose has the vertices of primitives, computed on the processor.

use glam::{Affine3A, Vec3, Vec4};
use skinscope_deform::{Deformation, Deformed, DeformedAttributes, deform_primitive, pack};
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Model, Primitive};

/// Calls `visit` for each primitive that `frame` draws of `model` and that `wants` names: with the instance that draws it,
/// its index in the mesh, the position of each vertex, and the matrix that takes these to each copy of the instance, world
/// space, metres. Positions that the frame has already are not computed again.
pub(super) fn visit_posed<'a>(
    frame: &Frame,
    model: &'a Model,
    wants: impl Fn(InstanceId, usize, &'a Primitive) -> bool,
    mut visit: impl FnMut(InstanceId, usize, &'a Primitive, &[Vec3], &[Affine3A]),
) {
    let mut packed: Vec<Vec4> = Vec::new();
    let mut deformed = Deformed::of(DeformedAttributes::NONE);
    for id in &frame.draws {
        let instance = &model.instances[id.index()];
        for (n, p) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
            if !wants(*id, n, p) {
                continue;
            }
            if let Some(part) = frame.surfaces.first().and_then(|surface| surface.part(*id, n)) {
                let once = [Affine3A::IDENTITY];
                let copies = if part.copies.is_empty() { &once[..] } else { &part.copies };
                visit(*id, n, p, &part.deformed.positions, copies);
                continue;
            }
            if packed.is_empty() {
                pack(frame.method, &frame.palettes, &mut packed);
            }
            let method = Deformation { values: frame.parameters, ..frame.method.into() };
            deform_primitive(model, *id, n, &packed, &frame.morph_weights, method, &mut deformed);
            visit(*id, n, p, &deformed.positions, &from_first_copy(frame, model, *id, n));
        }
    }
}

/// The matrices that take the first copy of a primitive of an instance to each of them.
fn from_first_copy(frame: &Frame, model: &Model, id: InstanceId, primitive: usize) -> Vec<Affine3A> {
    let (first, _) = model.binding(id, primitive);
    let count = model.instances[id.index()].copies.len();
    let matrices = frame.palettes.get(first as usize..first as usize + count).unwrap_or_default();
    let Some(back) = matrices.first().map(Affine3A::inverse) else { return vec![Affine3A::IDENTITY] };
    matrices.iter().map(|matrix| *matrix * back).collect()
}
