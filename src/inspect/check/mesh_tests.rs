//! The rules about surfaces, over small models whose defects are known.

use std::sync::atomic::AtomicBool;

use super::{CheckOptions, Finding, check};
use crate::model::shapes::{Tube, tube};
use crate::model::{Influences, Model, ModelParts, NodeId, Primitive};

/// Four joints, 33 rings of 16: joint `j` (node `j + 1`) stands at height `j` and moves what is less than about 1 m from
/// its middle.
const SHAPE: Tube = Tube { joints: 4, rings: 33, sides: 16, length: 4.0, radius: 0.25, influences: 2 };

fn parts() -> ModelParts {
    (*tube(SHAPE)).clone()
}

fn found(parts: ModelParts, rule: &'static str) -> Vec<Finding> {
    let model = Model::build(parts).unwrap();
    let options = CheckOptions { rules: Some(vec![rule]), ..CheckOptions::default() };
    check(&model, &options, &AtomicBool::new(false)).unwrap().findings
}

/// Gives a vertex some weight of a joint, taken off its others in proportion.
fn plant(primitive: &mut Primitive, vertex: usize, joint: u16, weight: f32) {
    let Influences { per_vertex, joints, weights, .. } = primitive.influences.as_mut().unwrap();
    let range = vertex * *per_vertex..(vertex + 1) * *per_vertex;
    let (joints, weights) = (&mut joints[range.clone()], &mut weights[range]);
    weights.iter_mut().for_each(|w| *w *= 1.0 - weight);
    let free = (0..joints.len()).min_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
    assert_eq!(weights[free], 0.0, "a free slot");
    (joints[free], weights[free]) = (joint, weight);
}

#[test]
fn rogue_vertices_are_found_exactly() {
    assert_eq!(found(parts(), "rogue-vertices"), []);
    for weight in [0.1, 0.5, 1.0] {
        let mut parts = parts();
        let planted = [480, 481, 496, 500];
        planted.iter().for_each(|v| plant(&mut parts.meshes[0].primitives[0], *v, 0, weight));
        let findings = found(parts, "rogue-vertices");
        assert_eq!(findings.len(), 1, "{weight}");
        assert_eq!((&findings[0].vertices[..], &findings[0].joints[..]), (&[480, 481, 496, 500][..], &[NodeId(1)][..]));
        assert!((findings[0].measure.unwrap().value - f64::from(weight)).abs() < 1e-6);
    }
}
