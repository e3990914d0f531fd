//! Tests of work that is set aside: which file it is restored on, and what becomes of it where something else is there already.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{BindChange, Clip, MeshId, ModelParts, NodeId, SkinId, WeightChange};

use crate::files::session_file::{ClipRecord, EditRecord, HeldRecord, LimitsRecord, Number, WorkRecord, numbers};
use crate::files::unmatched::nearest_vertices;
use crate::tests::sessions;
use crate::*;

fn document(model: &Model, path: &str) -> Document {
    let mut parts = ModelParts::clone(model);
    parts.source.name = path.rsplit('/').next().unwrap().into();
    Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some(path.into()))
}

fn turned(joint: &str, degrees: f32) -> WorkRecord {
    let record = EditRecord { angles: Some(numbers([degrees, 0.0, 0.0])), ..EditRecord::default() };
    WorkRecord { model: "a.glb".into(), joints: [(joint.to_owned(), record)].into(), ..WorkRecord::default() }
}

#[test]
fn two_values_of_one_joint_are_both_set_aside() {
    let mut session = Session::default();
    session.files.set_work_aside(turned("Tail", 30.0), &mut Vec::new());
    session.files.set_work_aside(turned("Tail", 60.0), &mut Vec::new());
    session.files.set_work_aside(turned("Tail", 60.0), &mut Vec::new());
    session.files.set_work_aside(turned("Ear", 5.0), &mut Vec::new());
    let all: Vec<Vec<&String>> = session.files().set_aside().iter().map(|work| work.joints.keys().collect()).collect();
    assert_eq!(all, [vec!["Ear", "Tail"], vec!["Tail"]]);
    assert_ne!(session.files().set_aside()[0].joints["Tail"], session.files().set_aside()[1].joints["Tail"]);
}

#[test]
fn another_file_of_the_same_name_restores_nothing_by_itself() {
    let whole = tube(Tube { joints: 6, ..Tube::default() });
    let mut session = Session::default();
    session.open(document(&whole, "a/scene.gltf"));
    session.apply(EditCommand::Edit(NodeId(6), ChannelValue::Translation(Vec3::X)));
    session.apply(EditCommand::EndEdit);
    session.open(document(&tube(Tube { joints: 3, ..Tube::default() }), "a/scene.gltf"));
    assert_eq!((session.edits().nodes.len(), session.files().set_aside().len()), (0, 1));
    session.open(document(&tube(Tube { joints: 6, radius: 0.7, ..Tube::default() }), "b/scene.gltf"));
    assert_eq!((session.edits().nodes.len(), session.files().set_aside().len()), (0, 1));
    session.open(document(&whole, "a/scene.gltf"));
    assert_eq!((session.edits().nodes.len(), session.files().set_aside().len()), (1, 0));
}

#[test]
fn morph_weights_follow_their_node_among_several_of_its_name() {
    let mut parts = ModelParts::clone(&obstacle_course());
    parts.skeleton.names[2] = parts.skeleton.names[1].clone();
    let before = Model::build(parts.clone()).unwrap();
    // In the file the two are swapped.
    parts.skeleton.file_index.swap(1, 2);
    let after = Model::build(parts).unwrap();
    let mut session = Session::default();
    session.open(document(&before, "model.glb"));
    session.apply(EditCommand::EditMorph(0, 0.75));
    session.apply(EditCommand::EndEdit);
    let file = session.unsaved().snapshot().unwrap().file();
    assert_eq!(session.open_with_session(document(&after, "model.glb"), &file), [""; 0]);
    assert_eq!(session.edits().morphs, BTreeMap::from([(0, 0.75)]));
}

#[test]
fn what_is_set_otherwise_stays_and_the_other_value_stays_aside() {
    let mut session = sessions::built_in_session();
    let names = session.model().unwrap().skeleton.names.clone();
    let node = |name: &str| NodeId::from_index(names.iter().position(|n| n == name).unwrap());
    session.apply(PosingCommand::SetPartner(node("UpperArm.L"), Some(node("Head"))));
    let pairs = [("Head".to_owned(), Some("UpperArm.R".to_owned())), ("Hand.L".to_owned(), None)];
    session.files.set_work_aside(WorkRecord { pairs: pairs.into(), ..turned("Nobody", 1.0) }, &mut Vec::new());
    session.apply(AsideCommand::Restore(0));
    assert_eq!(session.edit_rules().partner(node("Head")), Some(node("UpperArm.L")));
    assert_eq!(session.edit_rules().partner(node("Hand.L")), None);
    assert_eq!(session.files().set_aside()[0].pairs.keys().collect::<Vec<_>>(), ["Head"]);

    session.open(document(&obstacle_course(), "a.glb"));
    session.apply(EditCommand::EditMorph(0, 0.5));
    session.apply(EditCommand::EndEdit);
    let targets = BTreeMap::from([("swell".to_owned(), Number(0.75)), ("lean".to_owned(), Number(0.25))]);
    let aside = WorkRecord { morphs: [("mesh".to_owned(), targets)].into(), ..turned("Nobody", 2.0) };
    session.files.set_work_aside(aside, &mut Vec::new());
    session.apply(AsideCommand::Restore(session.files().set_aside().len() - 1));
    assert_eq!(session.edits().morphs, BTreeMap::from([(0, 0.5), (1, 0.25)]));
    assert_eq!(session.files().set_aside().last().unwrap().morphs["mesh"].keys().collect::<Vec<_>>(), ["swell"]);
}

#[test]
fn an_edited_vertex_keeps_its_weights_where_other_ones_are_taken_up() {
    let mut session = edited(&[3], 2, 0.0);
    session.files.set_work_aside(work(&edited(&[3, 9], 5, 0.0)), &mut Vec::new());
    session.apply(AsideCommand::Restore(0));
    let joint = |vertex: usize| session.model().unwrap().influences(MeshId(0), 0).unwrap().of(vertex).0[0];
    assert_eq!([3, 9].map(joint), [2, 5]);
    assert_eq!(session.files().set_aside()[0].contents().vertices, 1);
}

/// A session of a tube, on which some vertices follow a joint alone, and another joint has a matrix of its own.
fn edited(vertices: &[u32], joint: u16, x: f32) -> Session {
    let mut session = Session::default();
    session.open(document(&tube(Tube { joints: 6, ..Tube::default() }), "a.glb"));
    let mut change = WeightChange::new(MeshId(0), 0, 1);
    vertices.iter().for_each(|vertex| change.push(*vertex, &[joint], &[1.0]));
    let matrix = Affine3A::from_translation(Vec3::X * x);
    let bind = BindChange { skin: SkinId(0), joint: 2, matrix, restored: false };
    session.skinning().change_skinning(&[change], if x == 0.0 { &[] } else { std::slice::from_ref(&bind) });
    session
}

fn work(session: &Session) -> WorkRecord {
    session.unsaved().snapshot().unwrap().file().work("a.glb", None)
}

#[test]
fn two_weights_of_one_vertex_are_both_kept_and_so_are_two_matrices_of_one_joint() {
    for others in [edited(&[3, 9], 2, 0.0), edited(&[7], 5, 2.0)] {
        let mut session = Session::default();
        session.open(document(&tube(Tube { joints: 6, ..Tube::default() }), "b.glb"));
        for work in [work(&edited(&[3], 5, 1.0)), work(&others), work(&others)] {
            session.files.set_work_aside(work, &mut Vec::new());
        }
        let counts = |session: &Session| {
            session.files().set_aside().iter().map(|work| work.contents().count()).collect::<Vec<_>>()
        };
        assert_eq!(counts(&session), [2, 2]);
        // The second one comes after the first, of which it changes nothing.
        session.apply(AsideCommand::Restore(0));
        session.apply(AsideCommand::Restore(0));
        assert_eq!(counts(&session), [1]);
        let model = session.model().unwrap();
        assert_eq!(model.influences(MeshId(0), 0).unwrap().of(3).0[0], 5);
        assert_eq!(model.skins[0].inverse_bind[2].translation.x, 1.0);
    }
}

#[test]
fn a_vertex_that_is_set_aside_twice_with_the_same_weights_counts_once() {
    let mut session = Session::default();
    for work in [work(&edited(&[3], 5, 0.0)), work(&edited(&[3, 9], 5, 0.0))] {
        session.files.set_work_aside(work, &mut Vec::new());
    }
    let aside = session.files().set_aside();
    assert_eq!((aside.len(), aside[0].contents().vertices), (1, 2));
}

#[test]
fn a_pose_that_is_set_otherwise_stays_and_so_do_limits_and_what_stays_at_a_place() {
    let mut session = edited(&[3], 2, 0.0);
    let node = NodeId(2);
    let limits = |most: f32| Limits { least: Vec3::ZERO, most: Vec3::splat(most) };
    let matrix = Affine3A::from_translation(Vec3::X);
    session.apply(EditCommand::Edit(node, ChannelValue::Rotation(Vec3::new(10.0, 0.0, 0.0))));
    session.apply(EditCommand::EndEdit);
    session.apply(PosingCommand::SetLimits(node, Some(limits(25.0))));
    Arc::make_mut(&mut session.edits).held.insert(node, matrix);
    let name = session.model().unwrap().skeleton.names[2].clone();
    let held = HeldRecord { matrix: numbers(Affine3A::from_translation(Vec3::Y).to_cols_array()) };
    let record = LimitsRecord { least: numbers([0.0; 3]), most: numbers([70.0; 3]) };
    let aside = WorkRecord {
        held: [(name.clone(), held)].into(),
        limits: [(name.clone(), record)].into(),
        ..turned(&name, 30.0)
    };
    session.files.set_work_aside(aside.clone(), &mut Vec::new());
    session.apply(AsideCommand::Restore(0));
    assert_eq!(session.edits().nodes[&node].rotation, Some(Vec3::new(10.0, 0.0, 0.0)));
    assert_eq!((session.edits().held[&node], session.rules().limits[&node]), (matrix, limits(25.0)));
    assert_eq!(session.files().set_aside(), [aside]);
}

#[test]
fn a_clip_that_the_model_has_by_now_is_not_added_once_more() {
    let mut session = Session::default();
    session.open(document(&tube(Tube { joints: 6, ..Tube::default() }), "a.glb"));
    let model = Arc::clone(session.model().unwrap());
    let key = |node: &NodeId| model.skeleton.names[node.index()].clone();
    let clip = |name: &str| ClipRecord::of(&Clip { name: name.to_owned(), ..model.clips[0].clone() }, &key);
    for (name, count) in [("Bend", 1), ("Another", 2), ("Another", 2)] {
        session.files.set_work_aside(WorkRecord { clips: vec![clip(name)], ..WorkRecord::default() }, &mut Vec::new());
        session.apply(AsideCommand::Restore(0));
        assert_eq!((session.model().unwrap().clips.len(), session.files().set_aside().len()), (count, 0), "{name}");
    }
}

#[test]
fn what_is_set_aside_is_unsaved_and_yet_not_lost_when_another_model_is_shown() {
    let mut session = Session::default();
    session.open(document(&tube(Tube { joints: 6, ..Tube::default() }), "a.glb"));
    session.files.set_work_aside(turned("Tail", 30.0), &mut Vec::new());
    assert_eq!(session.unsaved().unsaved_work(), UnsavedWork { set_aside: 1, ..UnsavedWork::default() });
    assert!(!session.unsaved().loses_by(&document(&tube(Tube::default()), "b.glb"), false, None));
}

#[test]
fn marks_by_hand_are_unsaved_until_a_session_file_has_them() {
    let mut session = Session::default();
    session.open(document(&tube(Tube { joints: 6, ..Tube::default() }), "a.glb"));
    let mark = |session: &mut Session, vertex: u32| {
        session.marker().mark_for_good(Arc::new(VertexSet::from_vertices(vec![(MeshId(0), 0, vertex)])));
    };
    mark(&mut session, 3);
    let marks = UnsavedWork { marks: 1, ..UnsavedWork::default() };
    assert_eq!((session.unsaved().unsaved_work(), session.unsaved().has_work()), (marks, true));
    let holds = session.unsaved().snapshot();
    session.files.note_session_saved(holds);
    assert_eq!((session.unsaved().unsaved_work(), session.unsaved().has_work()), (UnsavedWork::default(), true));
    mark(&mut session, 4);
    assert_eq!(session.unsaved().unsaved_work(), marks);
}

#[test]
fn the_file_of_a_model_holds_weights_matrices_and_clips() {
    let none = UnsavedWork::default;
    for work in
        [UnsavedWork { vertices: 1, ..none() }, UnsavedWork { binds: 1, ..none() }, UnsavedWork { clips: 1, ..none() }]
    {
        assert!(work.fits_model() && !work.is_empty() && work.without_model().is_empty(), "{work:?}");
    }
    let others = UnsavedWork { posed: 1, controls: 2, limits: 3, pins: 4, marks: 5, names: 6, set_aside: 7, ..none() };
    assert!(!others.fits_model());
    assert_eq!(others.without_model(), others);
}

/// Looks at every vertex for each position.
fn nearest_by_brute_force(model: &Model, wanted: &[Vec3]) -> VertexSet {
    let mut out = Vec::new();
    for position in wanted.iter().filter(|position| position.is_finite()) {
        let mut all = Vec::new();
        for (m, mesh) in model.meshes.iter().enumerate() {
            for (p, primitive) in mesh.primitives.iter().enumerate().filter(|(_, p)| p.stored_influences.is_some()) {
                for (v, at) in primitive.positions[..primitive.stored_vertices].iter().enumerate() {
                    all.push((at.distance_squared(*position), (MeshId::from_index(m), p, v as u32)));
                }
            }
        }
        out.extend(all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, vertex)| vertex));
    }
    VertexSet::from_vertices(out)
}

#[test]
fn the_tree_finds_the_vertices_that_a_search_of_all_finds_also_where_several_are_equally_near() {
    // Two meshes of two primitives each: every position is there four times, in another order each time.
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, rings: 20, sides: 9, ..Tube::default() }));
    let mut second = parts.meshes[0].primitives[0].clone();
    second.positions.reverse();
    parts.meshes[0].primitives.insert(0, second);
    parts.meshes.push(parts.meshes[0].clone());
    let positions = parts.meshes[0].primitives[0].positions.clone();
    // A third one, beside them, that no skin moves: its vertices have no weights that could be restored.
    let mut rigid = parts.meshes[0].primitives[0].clone();
    rigid.stored_influences = None;
    rigid.positions.iter_mut().for_each(|position| position.x += 0.01);
    let beside = rigid.positions.clone();
    parts.meshes[1].primitives.push(rigid);
    let model = Model::build(parts).unwrap();
    let mut wanted = positions.clone();
    wanted.extend(beside);
    // The middles of two vertices, points on the axis, which a ring is equally far from, and points far away.
    wanted.extend(positions.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    wanted.extend((0..40).map(|i| Vec3::Y * (i as f32 * 0.1)));
    wanted.extend(positions.iter().map(|position| *position * 1e4));
    wanted.extend(positions.iter().map(|position| *position + Vec3::splat(1e-24)));
    wanted.extend([Vec3::splat(1e30), Vec3::NAN, Vec3::INFINITY]);
    for position in wanted {
        let found = nearest_vertices(&model, &[position]);
        assert_eq!(found, nearest_by_brute_force(&model, &[position]), "{position}");
    }
    assert_eq!(nearest_vertices(&model, &positions), nearest_by_brute_force(&model, &positions));
}
