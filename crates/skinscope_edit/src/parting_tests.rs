//! Tests of one mesh that two nodes show with skins of other joints: every operation means the joints of the skin.

use std::sync::Arc;

use skinscope_inspect::VertexSet;
use skinscope_inspect::tables::VertexTable;
use skinscope_model::test_shapes::{Tube, tube, with_two_skins};
use skinscope_model::{MeshId, Model, ModelParts, NodeId, PrimitiveId};

use super::*;

/// The tube that the tests begin with, as it is shown once.
fn once() -> Model {
    tube(Tube { joints: 4, ..Tube::default() })
}

/// The tube, shown with two skins whose joints stand in opposite orders. `change` is made before the mesh is parted.
fn twice(change: impl FnOnce(&mut ModelParts)) -> Model {
    with_two_skins(&once(), change)
}

/// Gives every vertex to the joint with this index in the skin.
fn give_all_to(parts: &mut ModelParts, index: impl Fn(usize) -> u16) {
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    let per_vertex = influences.per_vertex;
    influences.weights.fill(0.0);
    influences.joints.fill(0);
    for vertex in 0..influences.joints.len() / per_vertex {
        (influences.joints[vertex * per_vertex], influences.weights[vertex * per_vertex]) = (index(vertex), 1.0);
    }
}

/// The joints of a vertex, as nodes, with their weights.
fn shares(sheet: &Sheet, mesh: usize, vertex: usize) -> Vec<(NodeId, f64)> {
    let mut out = Vec::new();
    sheet.tables[sheet.table_of(PrimitiveId::new(MeshId::from_index(mesh), 0)).unwrap()].shares(vertex, &mut out);
    out.sort_by_key(|(key, _)| *key);
    out.retain(|(_, weight)| *weight > 1e-9);
    out.into_iter().map(|(key, weight)| (NodeId(key), weight)).collect()
}

fn run(operation: &Operation, sheet: &mut Sheet, settings: &Settings) -> Applied {
    assert_eq!(check(operation, sheet, settings), Ok(()), "{}", operation.id);
    apply(operation, sheet, settings)
}

#[test]
fn what_a_joint_moves_and_the_rows_of_tables_are_found_by_the_skin_of_each() {
    let model = twice(|parts| give_all_to(parts, |_| 0));
    let joints = [0, 1].map(|skin: usize| model.skins[skin].joints[0]);
    let count = model.meshes[0].primitives[0].stored_vertices;
    for (mesh, joint) in (0..).zip(joints) {
        let moved = VertexSet::moved_by(&model, joint);
        assert!(moved.len() == count && moved.iter().all(|(of, ..)| of == MeshId(mesh)), "{mesh}");
    }
    let table = VertexTable::of(&model);
    assert_eq!(table.len(), 2 * count);
    for number in 0..table.len() {
        let row = table.row(number);
        assert_eq!(row.pairs(&model)[0].node, joints[row.part.mesh.index()], "{number}");
    }
}

#[test]
fn a_weight_that_is_set_or_pasted_is_that_of_the_skin_s_joint() {
    let model = twice(|_| ());
    let [first, last] = [0, 3].map(|index: usize| model.skins[0].joints[index]);
    let mut sheet = Sheet::of(&model);
    let before = shares(&sheet, 0, 5);
    sheet.limit_to(&VertexSet::from_vertices(vec![(MeshId(1), 0, 5)]));
    let settings = Settings { joint: Some(last), amount: Amount::To(1.0), ..Settings::default() };
    run(operation("set").unwrap(), &mut sheet, &settings);
    // What the others have left is the rounding of stored weights.
    let remaining: Vec<NodeId> =
        shares(&sheet, 1, 5).iter().filter(|share| share.1 > 1e-6).map(|share| share.0).collect();
    assert_eq!(remaining, [last]);
    assert_eq!(shares(&sheet, 0, 5), before, "the other node shows what it showed");
    // The same weights are pasted onto both.
    sheet.limit_to(&VertexSet::from_vertices(vec![(MeshId(0), 0, 6), (MeshId(1), 0, 6)]));
    let settings = Settings { copied: vec![(first, 0.25), (last, 0.75)], ..Settings::default() };
    run(operation("paste").unwrap(), &mut sheet, &settings);
    assert_eq!([0, 1].map(|mesh| shares(&sheet, mesh, 6)), [0, 1].map(|_| vec![(first, 0.25), (last, 0.75)]));
}

#[test]
fn weights_of_another_model_go_to_the_joints_of_their_names_in_both_skins() {
    let model = twice(|parts| give_all_to(parts, |_| 1));
    let donor = Arc::new(once());
    let settings = Settings { donor: Some(Donor(Arc::clone(&donor))), ..Settings::default() };
    let mut sheet = Sheet::of(&model);
    run(operation("transfer").unwrap(), &mut sheet, &settings);
    let given = Sheet::of(&donor);
    for vertex in 0..given.tables[0].vertices() {
        let wanted = shares(&given, 0, vertex);
        for mesh in 0..2 {
            let got = shares(&sheet, mesh, vertex);
            let is_near = |(a, b): (&(NodeId, f64), &(NodeId, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-4;
            assert!(got.len() == wanted.len() && got.iter().zip(&wanted).all(is_near), "{mesh} {vertex}: {got:?}");
        }
    }
}

#[test]
fn weights_are_mirrored_between_the_joints_of_each_skin() {
    let plain = once();
    let positions = &plain.meshes[0].primitives[0].positions;
    let is_left = |vertex: usize| positions[vertex].x > 0.01;
    let model = twice(|parts| give_all_to(parts, |vertex| if is_left(vertex) { 1 } else { 0 }));
    let mut sheet = Sheet::of(&model);
    run(operation("mirror").unwrap(), &mut sheet, &Settings { axis: Axis::X, ..Settings::default() });
    let right: Vec<usize> = (0..positions.len()).filter(|vertex| positions[*vertex].x < -0.01).collect();
    assert!(!right.is_empty());
    for mesh in 0..2 {
        let joint = model.skins[mesh].joints[1];
        assert!(right.iter().all(|vertex| shares(&sheet, mesh, *vertex) == [(joint, 1.0)]), "{mesh}");
    }
}

#[test]
fn what_changes_alike_for_both_skins_counts_once() {
    let model = twice(|parts| {
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        influences.weights.iter_mut().for_each(|weight| *weight *= 0.5);
    });
    let mut sheet = Sheet::of(&model);
    let applied = run(operation("normalise").unwrap(), &mut sheet, &Settings::default());
    assert_eq!(applied.vertices, model.meshes[0].primitives[0].stored_vertices);
}

#[test]
fn a_version_whose_second_skin_has_its_joints_in_another_order_has_another_order_there_alone() {
    let model = twice(|_| ());
    let mut parts = ModelParts::clone(&model);
    parts.skins[1].joints.swap(0, 1);
    let other = Model::build(parts).unwrap();
    let is_same = |mesh| is_same_order(&model, &other, [MeshId(mesh)], true);
    assert_eq!([0, 1].map(is_same), [true, false]);
}

#[test]
fn what_is_reported_before_an_operation_counts_each_vertex_of_the_file_once() {
    // The joint in the middle has one number in both skins, and all of the weight.
    let model = with_two_skins(&tube(Tube { joints: 5, ..Tube::default() }), |parts| give_all_to(parts, |_| 2));
    let count = model.meshes[0].primitives[0].stored_vertices;
    let [first, middle] = [0, 2].map(|index: usize| model.skins[0].joints[index]);
    let tried = |joint: NodeId, locked: &[NodeId], within: Option<VertexSet>| {
        let settings = Settings { joint: Some(joint), amount: Amount::To(0.5), ..Settings::default() };
        let locked = Arc::new(locked.iter().copied().collect());
        let task = Task { operation: operation("set").unwrap(), settings, within: within.map(Arc::new), locked };
        compute_outcome(&model, &task, &skinscope_base::parallel::JobContext::of_waiting()).unwrap()
    };
    let stuck = tried(middle, &[], None);
    assert_eq!((stuck.vertices, stuck.unchanged, stuck.stuck), (0, 0, count));
    assert_eq!(stuck.figures.map(|figures| (figures.vertices, figures.influences)), [(count, count); 2]);
    let remaining = tried(first, &[middle], None);
    assert_eq!((remaining.vertices, remaining.unchanged + remaining.stuck), (0, count));
    assert_eq!(remaining.figures.map(|figures| figures.vertices), [count; 2]);
    // Of the second mesh alone a vertex counts too, and both count where they become different.
    let within = VertexSet::from_vertices(vec![(MeshId(1), 0, 6), (MeshId(1), 0, 7), (MeshId(0), 0, 7)]);
    assert_eq!(tried(middle, &[], Some(within)).stuck, 2);
    let changed = tried(first, &[], None);
    assert_eq!((changed.vertices, changed.figures.map(|figures| figures.vertices)), (2 * count, [2 * count; 2]));
}
