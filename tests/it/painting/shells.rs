//! Along the surface a stroke reaches nothing that only lies beside it.

use std::sync::Arc;

use glam::Vec3;
use serde_json::json;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Model, ModelParts};

use super::{Row, painted, rows};

const SHAPE: Tube = Tube { joints: 4, rings: 25, sides: 20, length: 2.0, radius: 0.25, influences: 2 };

/// Makes one mesh of two tubes; `place` says where the points of the second one are.
fn two_tubes(place: &dyn Fn(Vec3) -> Vec3) -> Arc<Model> {
    let mut parts: ModelParts = (*tube(SHAPE)).clone();
    let primitive = &mut parts.meshes[0].primitives[0];
    let count = primitive.positions.len();
    primitive.positions.extend_from_within(..);
    primitive.normals.extend_from_within(..);
    primitive.positions[count..].iter_mut().for_each(|at| *at = place(*at));
    let more: Vec<u32> = primitive.indices.iter().map(|index| index + count as u32).collect();
    primitive.indices.extend(more);
    primitive.stored_vertices *= 2;
    if let Some(stored) = &mut primitive.stored_influences {
        stored.joints.extend_from_within(..);
        stored.weights.extend_from_within(..);
    }
    Arc::new(Model::build(parts).unwrap())
}

/// Paints along the first tube, and returns how many vertices of each tube have other weights then.
fn changed(model: &Arc<Model>, distance: &str, clip: bool) -> [usize; 2] {
    let count = SHAPE.rings * SHAPE.sides;
    let dab = |vertex: usize| json!({ "vertex": [0, 0, vertex], "time": if clip { 0.5 } else { 0.0 } });
    let dabs: Vec<_> = (4..20).map(|ring| dab(ring * SHAPE.sides + SHAPE.sides / 4)).collect();
    let stroke = json!({
        "brush": "add", "joint": "joint 3", "radius": 0.35, "distance": distance, "clip": "Bend", "dabs": dabs,
    });
    let (before, after): (Vec<Row>, Vec<Row>) = (rows(model, 0, 0), rows(&painted(model, &[stroke]), 0, 0));
    let of = |range: std::ops::Range<usize>| range.filter(|vertex| before[*vertex] != after[*vertex]).count();
    [of(0..count), of(count..2 * count)]
}

#[test]
fn along_the_surface_no_vertex_of_another_shell_changes() {
    type Place = fn(Vec3) -> Vec3;
    let shells: [(&str, Place); 3] = [
        ("two legs, a millimetre apart", |at| at + Vec3::X * 0.501),
        ("a sleeve over an arm", |at| Vec3::new(at.x * 1.02, at.y, at.z * 1.02)),
        ("fingers that go into each other", |at| at + Vec3::new(0.45, 0.013, 0.007)),
    ];
    for (what, place) in shells {
        let model = two_tubes(&place);
        for clip in [false, true] {
            let [own, other] = changed(&model, "surface", clip);
            assert!(own > 50 && other == 0, "{what}: {own} and {other} vertices");
            let [_, near] = changed(&model, "volume", clip);
            assert!(near > 20, "{what}: {near} vertices are near, so the surface made the difference");
        }
    }
}
