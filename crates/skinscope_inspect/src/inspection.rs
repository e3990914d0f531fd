//! Everything that is found out about a model as stored: the checker's report, and the numbers that overlays show of
//! it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skinscope_model::{MeshId, Model, NodeId};

use super::check::{CheckOptions, ROGUE, Report, check};
use super::{InspectedValues, PerVertex, symmetry};

/// The checker's report, and numbers for each vertex that cannot be computed from its own weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// The findings of the checker.
    pub report: Report,
    /// The numbers that overlays show.
    pub values: Arc<InspectedValues>,
}

impl Inspection {
    /// Inspects a model as stored. Returns `None` once `cancel` is set.
    #[must_use]
    pub fn of(model: &Model, options: &CheckOptions, cancel: &AtomicBool) -> Option<Self> {
        let mut report = check(model, options, cancel)?;
        let rogue = rogue(model, &report);
        let asymmetry = report.symmetry.take().unwrap_or_else(|| symmetry::differences(model, cancel));
        let values =
            InspectedValues { rogue: Arc::new(rogue), asymmetry: Arc::new(asymmetry), ..InspectedValues::default() };
        (!cancel.load(Ordering::Relaxed)).then(|| Self { report, values: Arc::new(values) })
    }
}

/// Returns [`InspectedValues::rogue`] of a model, by that rule alone; empty once `cancel` is set.
#[must_use]
pub fn rogue_values(model: &Model, cancel: &AtomicBool) -> PerVertex {
    let options = CheckOptions { rules: Some(vec![ROGUE.id]), ..CheckOptions::default() };
    check(model, &options, cancel).map_or_else(PerVertex::default, |report| rogue(model, &report))
}

fn rogue(model: &Model, report: &Report) -> PerVertex {
    let mut out = PerVertex::empty(model);
    for finding in report.findings.iter().filter(|f| f.rule == ROGUE.id) {
        let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { continue };
        let values = &mut out.values[mesh.index()][primitive];
        values.resize(model.meshes[mesh.index()].primitives[primitive].stored_vertices, 0.0);
        for vertex in &finding.vertices {
            let most = finding.joints.iter().map(|joint| weight_of(model, mesh, primitive, *vertex, *joint));
            let value = &mut values[*vertex as usize];
            *value = most.fold(*value, f32::max);
        }
    }
    out
}

/// Returns the weight of a stored vertex for a node, by the skin that gives it most.
fn weight_of(model: &Model, mesh: MeshId, primitive: usize, vertex: u32, node: NodeId) -> f32 {
    let Some(influences) = model.influences(mesh, primitive) else { return 0.0 };
    let (joints, weights) = influences.of(vertex as usize);
    let skins = model.instances.iter().filter(|i| i.mesh == mesh).filter_map(|i| i.skin);
    let of_skin = |skin: skinscope_model::SkinId| -> f32 {
        let nodes = &model.skins[skin.index()].joints;
        joints.iter().zip(weights).filter(|(j, _)| nodes[**j as usize] == node).map(|(_, w)| *w).sum()
    };
    skins.map(of_skin).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::check::{Finding, FindingPose, Severity};

    #[test]
    fn rogue_vertices_have_the_weight_of_their_joint_and_others_none() {
        let model = tube(Tube { joints: 2, rings: 5, sides: 8, influences: 2, ..Tube::default() });
        let finding = Finding {
            rule: "rogue-vertices",
            severity: Severity::Warning,
            mesh: Some(MeshId(0)),
            primitive: Some(0),
            vertices: vec![3, 17],
            joints: vec![NodeId(2)],
            message: String::new(),
            fix: String::new(),
            measure: None,
            pose: FindingPose::Rest,
        };
        let values = rogue(&model, &Report { findings: vec![finding], ..Report::default() });
        let values = values.of(MeshId(0), 0);
        assert_eq!((values.len(), values.iter().filter(|v| **v > 0.0).count()), (40, 2));
        // Each ring of the tube has one weight for the upper joint.
        let influences = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap();
        for vertex in [3, 17] {
            let (joints, weights) = influences.of(vertex);
            let at = joints.iter().position(|j| *j == 1).unwrap();
            assert_eq!(values[vertex], weights[at]);
        }
    }
}
