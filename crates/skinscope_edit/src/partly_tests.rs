//! Tests of what operations report of vertices that get only a part of what is asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{MeshId, Model, NodeId};

use super::*;

/// A tube of eight joints; its first vertices have the weights that are given, by the index of the joint, and all others belong to joint 0.
fn model(given: &[&[(u16, f32)]]) -> Model {
    let mut parts = (*tube(Tube { joints: 8, ..Tube::default() })).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.joints.fill(0);
    influences.weights.fill(0.0);
    let per = influences.per_vertex;
    assert_eq!(per, 4);
    for vertex in 0..influences.joints.len() / per {
        let shares = given.get(vertex).copied().unwrap_or(&[(0, 1.0)]);
        for (slot, (joint, weight)) in shares.iter().enumerate() {
            influences.joints[vertex * per + slot] = *joint;
            influences.weights[vertex * per + slot] = *weight;
        }
    }
    Model::build(parts).unwrap()
}

/// What an operation on the first vertices counts, from the command line and in the window, and the lines that both show.
fn done(model: &Model, id: &str, settings: &Settings, locked: &[u16], within: u32) -> (Applied, Vec<String>) {
    let operation = operation(id).unwrap();
    let locked: BTreeSet<NodeId> = locked.iter().map(|joint| model.skins[0].joints[usize::from(*joint)]).collect();
    let vertices = (0..within).map(|vertex| (MeshId(0), 0, vertex)).collect();
    let within = skinscope_inspect::VertexSet::from_vertices(vertices);
    let mut sheet = Sheet::of(model);
    sheet.bounds.locked = locked.iter().map(|node| node.0).collect();
    sheet.limit_to(&within);
    let applied = apply(operation, &mut sheet, settings);
    let task = Task { operation, settings: settings.clone(), within: Some(Arc::new(within)), locked: Arc::new(locked) };
    let outcome = compute_outcome(model, &task, &JobContext::of_waiting()).unwrap();
    assert_eq!(outcome.partly, applied.partly, "the window and the command line");
    let lines = explain_unchanged(operation, applied.unchanged, applied.stuck, &applied.partly);
    (applied, lines)
}

#[test]
fn a_weight_that_finds_no_room_is_counted() {
    // Joint 2 is to have 0.3 of joint 0, and joint 1 is locked: the second vertex has only 0.1 to give, the third none.
    let model = model(&[&[(0, 0.5), (1, 0.5)], &[(0, 0.1), (1, 0.9)], &[(1, 1.0)]]);
    let joint = Some(model.skins[0].joints[2]);
    let settings = Settings { joint, amount: Amount::To(0.3), ..Settings::default() };
    let (applied, lines) = done(&model, "set", &settings, &[1], 3);
    assert_eq!((applied.vertices, applied.stuck + applied.unchanged), (2, 1));
    assert_eq!((applied.partly.vertices, applied.partly.room), (1, 1));
    assert!(lines.iter().any(|line| line.starts_with("1 vertex gets only a part")), "{lines:?}");
    // More than all of a vertex is more than there is.
    let add = Settings { joint: Some(model.skins[0].joints[0]), amount: Amount::Add(0.6), ..Settings::default() };
    assert_eq!(done(&model, "set", &add, &[], 2).0.partly, Partly { vertices: 1, room: 1, ..Partly::default() });
    // To take away more than there is leaves nothing, as was asked.
    let take = Settings { amount: Amount::Add(-0.6), ..add };
    assert_eq!(done(&model, "set", &take, &[], 2).0.partly, Partly::default());
}

#[test]
fn a_joint_for_which_no_pair_is_left_is_counted() {
    let model = model(&[&[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]]);
    let set = Settings { joint: Some(model.skins[0].joints[4]), amount: Amount::To(0.2), ..Settings::default() };
    let expected = Partly { vertices: 1, pairs: 1, ..Partly::default() };
    let (applied, lines) = done(&model, "set", &set, &[], 2);
    assert_eq!(applied.partly, expected);
    assert!(lines[0].contains("no room for more joints"), "{lines:?}");
    let copied = (0..5).map(|joint| (model.skins[0].joints[joint], 0.2)).collect();
    let paste = Settings { copied, ..Settings::default() };
    assert_eq!(done(&model, "paste", &paste, &[], 1).0.partly, expected);
    // Each vertex of a ring has another joint, so that what is smoothed has more of them than there are pairs.
    let all: Vec<Vec<(u16, f32)>> = (0..64).map(|vertex| vec![(vertex as u16 * 3 % 8, 1.0)]).collect();
    let given: Vec<&[(u16, f32)]> = all.iter().map(Vec::as_slice).collect();
    let mixed = self::model(&given);
    let smooth = Settings { times: 4, ..Settings::default() };
    let (applied, _) = done(&mixed, "smooth", &smooth, &[], 64);
    assert!(applied.partly.pairs > 0 && applied.partly.locked == 0, "{applied:?}");
}

#[test]
fn what_locked_joints_stand_in_the_way_of_is_counted() {
    let model = model(&[&[(0, 0.5), (1, 0.25), (2, 0.15), (3, 0.1)], &[(0, 0.6), (4, 0.4)]]);
    let locked = |count| Partly { vertices: count, locked: count, ..Partly::default() };
    let check = |id: &str, settings: Settings, held: &[u16], wanted: Partly| {
        let (applied, lines) = done(&model, id, &settings, held, 2);
        assert_eq!(applied.partly, wanted, "{id}");
        assert_eq!(lines.iter().any(|line| line.contains("locked joints keep their weights")), wanted.locked > 0);
    };
    let limit = || Settings { limit: 2, ..Settings::default() };
    check("limit", limit(), &[1], Partly::default());
    let prune = || Settings { threshold: 0.2, ..Settings::default() };
    check("prune", prune(), &[2], locked(1));
    check("prune", prune(), &[0], Partly::default());
    // The second vertex would get some of the locked joint from its neighbour, and the first has no pair left for another one.
    check("smooth", Settings::default(), &[1], Partly { pairs: 1, ..locked(2) });
    let copied = vec![(model.skins[0].joints[5], 1.0)];
    check("paste", Settings { copied, ..Settings::default() }, &[4], locked(1));
    let [joint, other] = [0, 5].map(|joint: usize| Some(model.skins[0].joints[joint]));
    check("replace-joint", Settings { joint, other, ..Settings::default() }, &[5], locked(2));
}

#[test]
fn cells_that_get_another_weight_than_was_typed_are_counted() {
    let model = model(&[&[(0, 0.5), (1, 0.5)], &[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]]);
    let cell = |vertex, joint: usize, weight| CellEdit {
        mesh: MeshId(0),
        primitive: 0,
        vertex,
        joint: model.skins[0].joints[joint],
        amount: Amount::To(weight),
    };
    let locked = BTreeSet::from([model.skins[0].joints[1]]);
    let out = set_cells(&model, &[cell(0, 2, 0.75), cell(1, 4, 0.1)], true, &locked);
    assert_eq!((out.unmet, out.without_pair, out.unchanged), (1, 1, 0));
}
