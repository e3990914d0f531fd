//! Tests of session files: what is saved is restored to the bit, what does not fit is reported, and no file breaks anything.

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_anim::pose::{FileError, Limits};
use skinscope_base::math::test_random::Random;
use skinscope_frame::{LOOKS, TONE_MAPS};
use skinscope_import::{Options, Progress};
use skinscope_inspect::{BoneShape, OVERLAYS};
use skinscope_model::test_shapes::{Tube, obstacle_course, tube, with_vertices};
use skinscope_model::{BindChange, ClipId, MeshId, NodeId, SkinId, WeightChange};

use crate::*;

fn document(model: &Arc<Model>) -> Document {
    Document::new(Arc::clone(model), Vec::new(), Some("model.glb".into()))
}

fn models() -> [Arc<Model>; 3] {
    let built_in = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    [Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Arc::new(obstacle_course()), Arc::clone(&built_in.model)]
}

/// A number with random digits, or one of those that are hard to write.
fn odd(random: &mut Random) -> f32 {
    let hard = [-0.0, 1e-45, f32::MIN_POSITIVE, 16_777_217.0, 0.1, -1.0 / 3.0];
    match (random.unit() * 12.0) as usize {
        i if i < hard.len() => hard[i],
        _ => (random.unit() * 2.0 - 1.0) * 10_f32.powf(random.unit() * 6.0 - 3.0),
    }
}

fn odd_vector(random: &mut Random) -> Vec3 {
    Vec3::new(odd(random), odd(random), odd(random))
}

fn choice(random: &mut Random, count: usize) -> usize {
    ((random.unit() * count as f32) as usize).min(count - 1)
}

/// Changes everything that a session file keeps.
fn change_all(session: &mut Session, random: &mut Random) {
    let model = Arc::clone(session.model().unwrap());
    let nodes = model.skeleton.len();
    let node = |random: &mut Random| NodeId::from_index(choice(random, nodes));
    for _ in 0..8 {
        let of = node(random);
        let value = match choice(random, 4) {
            0 => ChannelValue::Translation(odd_vector(random)),
            1 => ChannelValue::Rotation(odd_vector(random)),
            2 => ChannelValue::Scale(odd_vector(random)),
            _ => ChannelValue::Quaternion(Quat::from_array([odd(random), odd(random), odd(random), 1.5])),
        };
        session.apply(EditCommand::Edit(of, value));
    }
    session.apply(ControlCommand::AddSlider);
    session.apply(ControlCommand::SetRange(0, [odd(random), 7.0, odd(random)]));
    session.apply(ControlCommand::SetSlider(0, odd(random)));
    session.apply(ControlCommand::AddDriver("slider('Slider') = 1 / 0".into()));
    let taken = TakenClips::of(&model, &model, "other.glb", &skinscope_anim::pose::NameMap::default()).unwrap();
    session.take_clips(&taken);
    let count = model.skeleton.rest.morph_weights.len();
    if count > 0 {
        session.apply(EditCommand::EditMorph(choice(random, count), odd(random)));
    }
    session.apply(EditCommand::EndEdit);
    for (m, mesh) in model.meshes.iter().enumerate() {
        let skin = model.instances.iter().filter(|i| i.mesh.index() == m).find_map(|i| i.skin);
        let Some(joints) = skin.map(|skin| model.skins[skin.index()].joints.len()) else { continue };
        for (p, primitive) in mesh.primitives.iter().enumerate().filter(|(_, p)| p.stored_influences.is_some()) {
            let mut change = WeightChange::new(MeshId(m as u32), p, 5);
            for vertex in (0..primitive.stored_vertices).step_by(7) {
                let row = [0; 5].map(|_| choice(random, joints) as u16);
                change.push(vertex as u32, &row, &[0; 5].map(|_| odd(random)));
            }
            session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        }
    }
    for (s, skin) in model.skins.iter().enumerate() {
        for joint in (0..skin.joints.len()).step_by(3) {
            let mut numbers = [0.0; 12];
            numbers.iter_mut().for_each(|number| *number = odd(random));
            let matrix = glam::Affine3A::from_cols_array(&numbers);
            let bind = BindChange { skin: SkinId::from_index(s), joint, matrix, restored: false };
            session.skinning().change_skinning(&[], &[bind]);
        }
    }
    for _ in 0..3 {
        let least = odd_vector(random);
        let limits = Limits { least, most: least + odd_vector(random).abs() };
        session.apply(PosingCommand::SetLimits(node(random), Some(limits)));
        session.apply(PosingCommand::TogglePin(node(random)));
        session.apply(PosingCommand::ToggleHeld(node(random)));
        session.apply(PosingCommand::SetPartner(node(random), Some(node(random))));
        session.apply(PosingCommand::SetPartner(node(random), None));
        session.apply(ToolCommand::ToggleLock(node(random)));
        session.apply(ViewCommand::ToggleHidden(node(random)));
    }
    session.apply(PosingCommand::ToggleSymmetric);
    session.apply(PosingCommand::ToggleLimits);
    let clip = ClipId::from_index(session.model().unwrap().clips.len() - 1);
    session.apply(PlaybackCommand::SetLayers(skinscope_anim::Layers {
        fade: Some(skinscope_anim::Crossfade { clip, weight: random.unit(), rise: Some([random.unit(), 0.1]) }),
        add: Some(skinscope_anim::Additive { clip: ClipId(0), weight: random.unit() }),
    }));
    session.apply(PlaybackCommand::SetSpeed(4.0 * random.unit()));
    session.apply(PlaybackCommand::SetFps(1.0 + 100.0 * random.unit()));
    session.apply(PlaybackCommand::SetLoop(LoopMode::PingPong));
    session.apply(PlaybackCommand::ToggleInPlace);
    session.apply(PlaybackCommand::Advance(1.7 * random.unit()));
    session.apply(PlaybackCommand::SetPlaying(random.unit() < 0.5));
    session.apply(CameraCommand::Orbit(glam::Vec2::new(900.0 * random.unit(), 300.0 * random.unit())));
    session.apply(CameraCommand::Pan(glam::Vec2::new(90.0 * random.unit(), -30.0)));
    session.apply(CameraCommand::ToggleOrthographic);
    session.apply(SelectionCommand::Select(Some(node(random))));
    session.apply(ViewCommand::SetLook(LOOKS[choice(random, LOOKS.len())].id));
    session.apply(ViewCommand::SetToneMap(TONE_MAPS[choice(random, TONE_MAPS.len())].id));
    session.apply(ViewCommand::Environment(EnvironmentCommand::Turn(720.0 * random.unit() - 360.0)));
    session.apply(ViewCommand::Environment(EnvironmentCommand::Expose(9.0 * random.unit())));
    session.apply(ViewCommand::SetOverlay(Some(OVERLAYS[choice(random, OVERLAYS.len())].id)));
    session.apply(ViewCommand::SetBoneShape(BoneShape::Lines));
    session.apply(ViewCommand::SetBoneSize(1.0 + random.unit()));
    session.apply(ViewCommand::SetOnion(Onion { shown: true, count: 5, step_frames: 1.0 + random.unit() }));
    session.apply(ViewCommand::SetSkinOpacity(random.unit()));
    session.apply(ViewCommand::SetDeformingOnly(Some(true)));
    session.apply(ViewCommand::SetMethod("mixed"));
    session.apply(ViewCommand::SetParameter("mix", random.unit()));
    session.apply(ViewCommand::SetPass(Some("mush")));
    session.apply(ViewCommand::SetLighting(Lighting::Both));
    session.apply(ViewCommand::SetSubdivision(1 + choice(random, 3) as u32));
    session.apply(ViewCommand::ToggleSubdivideFirst);
    session.apply(ViewCommand::SetPoseTool(PoseTool::Pull));
    session.apply(ViewCommand::SetOrientation(Orientation::World));
    for row in TOGGLES.iter().filter(|row| row.word.is_some()) {
        if random.unit() < 0.5 {
            session.apply(ViewCommand::Toggle(row.toggle));
        }
    }
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    session.apply(ComparisonCommand::SetSplit(random.unit()));
    session.apply(ComparisonCommand::Swap);
}

#[test]
fn all_that_is_kept_comes_back_to_the_bit() {
    let models = models();
    for seed in 0..60 {
        let mut random = Random(seed * 977 + 5);
        let model = &models[seed as usize % models.len()];
        let mut before = Session::default();
        before.open(document(model));
        change_all(&mut before, &mut random);
        let snapshot = before.unsaved().snapshot().unwrap();
        let text = snapshot.file().text().unwrap();
        let read = SessionFile::parse(text.as_bytes()).unwrap();
        assert_eq!(read.text().unwrap(), text, "seed {seed}");
        assert_eq!(SessionFile::parse(read.line().unwrap().as_bytes()).unwrap().text().unwrap(), text);
        let mut after = Session::default();
        // Nothing of what was open before stays.
        after.open(document(model));
        change_all(&mut after, &mut Random(4711));
        assert_eq!(after.open_with_session(document(model), &read), [""; 0], "seed {seed}");
        assert_eq!(after.unsaved().snapshot().unwrap().file().text().unwrap(), text, "seed {seed}");
        assert_eq!(after.edits(), before.edits());
        assert!(
            after.model().unwrap().has_same_added_clips(before.model().unwrap()) && after.unsaved().unsaved_clips() > 0
        );
        assert_eq!(after.model().unwrap().weight_edits(), before.model().unwrap().weight_edits());
        assert_eq!(after.model().unwrap().bind_edits(), before.model().unwrap().bind_edits());
        assert!(!after.history().can_undo());
        before.update_pose();
        after.update_pose();
        assert_eq!(after.pose().local, before.pose().local);
        assert_eq!(after.pose().draws, before.pose().draws);
    }
}

#[test]
fn integers_may_be_decimals_and_of_a_key_given_twice_the_last_counts() {
    let text = b"{\"skinscope_session\": 1.0, \"pins\": [\"a\"], \"pins\": [\"b\", \"c\"], \"view\": {\"hidden\": [\"d\"], \"hidden\": []}}";
    let contents = SessionFile::parse(text).unwrap().contents();
    assert_eq!((contents.pins, contents.hidden), (2, 0));
}

#[test]
fn a_file_that_says_nothing_shows_the_model_as_a_window_does() {
    let model = Arc::new(tube(Tube::default()));
    let file = SessionFile::parse(b" {\"skinscope_session\": 1, \"later\": {\"a\": [1]}}").unwrap();
    let mut session = Session::default();
    assert!(session.open_with_session(document(&model), &file).is_empty());
    assert!(!session.unsaved().has_work() && session.playback().source == PoseSource::Rest);
    let mut plain = Session::default();
    plain.open(document(&model));
    plain.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    assert_eq!(session.view().orbit.target, plain.view().orbit.target);
    assert_eq!(session.unsaved().snapshot().unwrap().file().view, plain.unsaved().snapshot().unwrap().file().view);
}

#[test]
fn the_first_version_is_read_as_it_was_written() {
    let text = include_str!("../../../../tests/fixtures/first.skinscope.json");
    let mut session = Session::default();
    let built_in = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    assert!(session.open_with_session(built_in, &SessionFile::parse(text.as_bytes()).unwrap()).is_empty());
    let node = |name: &str| {
        NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
    };
    let arm = session.edits().nodes[&node("LowerArm.L")];
    assert_eq!((arm.rotation, arm.scale), (Some(Vec3::new(0.0, 0.0, 40.5)), Some(Vec3::splat(1.25))));
    assert_eq!(session.edits().nodes[&node("Head")].quaternion, Some(Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)));
    let limits = session.rules().limits[&node("LowerLeg.L")];
    assert_eq!((limits.least.x, limits.most.x), (0.0, 130.0));
    assert!(session.rules().pins.contains(&node("Foot.L")) && session.rules().symmetric);
    assert_eq!(session.edit_rules().partner(node("Hand.L")), None);
    let playback = session.playback();
    assert_eq!((playback.source, playback.time_secs, playback.playing), (PoseSource::Clip, 0.5, false));
    let view = session.view();
    assert_eq!((view.overlay.unwrap().id, view.selected, view.method.id), ("weights", Some(node("Head")), "mixed"));
    assert!(view.is_on(Toggle::Bones) && view.is_on(Toggle::Wireframe) && !view.is_on(Toggle::Grid));
    assert!(view.hidden.contains(&node("Hand.R")));
    assert_eq!((view.orbit.distance, view.orbit.target), (3.5, Vec3::new(0.0, 1.0, 0.25)));
}

#[test]
fn what_is_wrong_is_said_and_where() {
    let refused = |text: &str| SessionFile::parse(text.as_bytes()).unwrap_err().to_string();
    assert!(refused("{\"skinscope_session\": 2, \"joints\": 3}").contains("found 2: a later version of Skinscope"));
    assert!(refused("{}").contains("skinscope_session: expected version 1, found nothing"));
    assert!(refused("[1]").contains("expected an object"));
    assert!(refused("{\"skinscope_session\": 1,\n \"joints\": 3}").contains("line 2 column 12"));
    assert!(refused("{\"skinscope_session\": 1,\n oops").contains("no JSON"));
    assert!(refused("{\"skinscope_session\": 1, \"camera\": {\"yaw\": 1e39}}").contains("32 bits"));
    assert!(refused("{\"skinscope_session\": 1, \"camera\": {\"yaw\": NaN}}").contains("no JSON"));
    let deep = format!("{{\"skinscope_session\": 1, \"x\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(SessionFile::parse(deep.as_bytes()).is_ok(), "it is passed over without recursion");
    assert!(matches!(SessionFile::parse(deep.replace("\"x\"", "\"pins\"").as_bytes()), Err(FileError::Value(_))));
    let many = format!("{{\"skinscope_session\": 1, \"pins\": [{}\"a\"]}}", "\"a\",".repeat(2_000_001));
    assert!(refused(&many).contains("too many"));
}

#[test]
fn numbers_beyond_sense_are_brought_into_range() {
    let model = Arc::new(tube(Tube::default()));
    let text = r##"{"skinscope_session": 1,
        "joints": {"#1": {"translation": [3e38, -3e38, 1e-45], "rotation": [0, 0, 0, 0], "scale": [0, 3e38, -1]}},
        "limits": {"#1": {"least": [3e38, 1, 2], "most": [-3e38, 0, 0]}},
        "weights": [{"mesh": 0, "primitive": 0, "stored_vertices": 18446744073709551615, "per_vertex": 18446744073709551615},
            {"mesh": 4294967295, "primitive": 99, "per_vertex": 4, "vertices": "AAAA"},
            {"mesh": 0, "primitive": 0, "per_vertex": 1, "vertices": "not base64"}],
        "playback": {"pose": "clip", "clip": "Bend", "clip_number": 18446744073709551615, "time": 3e38, "playing": true,
            "speed": -3e38, "fps": 3e38},
        "camera": {"target": [3e38, 3e38, 3e38], "yaw": 3e38, "pitch": -3e38, "distance": -1, "through": 77},
        "view": {"scene": 99, "variant": "none", "influence_limit": 0, "method": "no+thing", "overlay": "none", "crowd": 4294967295,
            "bone_size": -1, "skin_opacity": 9, "parameters": {"mix": 3e38}, "comparison": {"weights": "99999999:u9", "split": -7}}}"##;
    let text = text.replace("#1", &model.skeleton.names[1]);
    let mut session = Session::default();
    let lines = session.open_with_session(document(&model), &SessionFile::parse(text.as_bytes()).unwrap());
    assert!(lines.iter().any(|line| line.contains("of 3 parts of the session are broken")), "{lines:?}");
    for _ in 0..3 {
        session.apply(PlaybackCommand::Advance(0.3));
        session.apply(PlaybackCommand::StepFrames(i32::MAX));
        session.update_pose();
    }
    let view = session.view();
    assert!((view.scene, view.influence_limit, view.bone_size, view.skin_opacity) == (0, 1, 0.25, 1.0));
    assert!(view.orbit.distance > 0.0 && view.orbit.target.is_finite() && view.through.is_none());
    assert!(session.surfaces().surface().is_some());
    // What was taken can be written and read again.
    let again = session.unsaved().snapshot().unwrap().file().text().unwrap();
    assert!(SessionFile::parse(again.as_bytes()).is_ok());
}

#[test]
fn a_broken_file_breaks_nothing() {
    let model = Arc::new(obstacle_course());
    let mut session = Session::default();
    session.open(document(&model));
    let mut random = Random(99);
    change_all(&mut session, &mut random);
    let text = session.unsaved().snapshot().unwrap().file().line().unwrap().into_bytes();
    let (mut read, mut refused) = (0, 0);
    for round in 0..400 {
        let mut bytes = text.clone();
        for _ in 0..=round % 4 {
            let at = choice(&mut random, bytes.len());
            match choice(&mut random, 4) {
                0 => bytes[at] = (random.unit() * 255.0) as u8,
                1 => bytes[at] = b"0123456789-e.\",:[]{}"[choice(&mut random, 20)],
                2 => _ = bytes.remove(at),
                _ => bytes.truncate(bytes.len() - at / 50),
            }
        }
        match SessionFile::parse(&bytes) {
            Ok(file) => {
                read += 1;
                let mut session = Session::default();
                session.open_with_session(document(&model), &file);
                session.update_pose();
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read > 20 && refused > 20, "{read} {refused}");
}

#[test]
fn a_model_that_has_changed_takes_what_still_fits_by_name() {
    let model = Arc::new(tube(Tube { joints: 6, ..Tube::default() }));
    let mut before = Session::default();
    before.open(document(&model));
    let (kept_joint, lost_joint) = (NodeId(2), NodeId(6));
    for node in [kept_joint, lost_joint] {
        before.apply(EditCommand::Edit(node, ChannelValue::Rotation(Vec3::X * 30.0)));
        before.apply(PosingCommand::TogglePin(node));
    }
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1, 4], &[0.25, 0.75]);
    before.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let file = before.unsaved().snapshot().unwrap().file();

    // Another joint has the name of the last one's counterpart, prefixes were added, and the joints have another order.
    let mut parts = (**model).clone();
    for name in &mut parts.skeleton.names[..6] {
        *name = format!("rig:{}", name.to_uppercase());
    }
    parts.skeleton.names[6] = "Other".into();
    parts.skins[0].joints.reverse();
    parts.skins[0].inverse_bind.reverse();
    for primitive in &mut parts.meshes[0].primitives {
        primitive.stored_influences.as_mut().unwrap().joints.iter_mut().for_each(|joint| *joint = 5 - *joint);
    }
    let changed = Arc::new(Model::build(parts.clone()).unwrap());
    let mut after = Session::default();
    let lines = after.open_with_session(document(&changed), &file);
    let lost = &model.skeleton.names[6];
    assert_eq!(lines.last(), Some(&format!("The model has nothing for \"{lost}\" of the session.")));
    // What does not fit is set aside, and stays in the session.
    assert!(lines.iter().any(|line| line.starts_with("Set aside of tube: 1 posed node")), "{lines:?}");
    let again = after.unsaved().snapshot().unwrap().file();
    assert_eq!(
        (again.set_aside[0].joints.keys().next(), &again.set_aside[0].pins[..]),
        (Some(lost), &[lost.clone()][..])
    );
    assert_eq!(after.edits().nodes.keys().collect::<Vec<_>>(), [&kept_joint]);
    assert_eq!(after.rules().pins.iter().collect::<Vec<_>>(), [&kept_joint]);
    let (joints, weights) = after.model().unwrap().influences(MeshId(0), 0).unwrap().of(3);
    assert_eq!((&joints[..2], &weights[..2]), (&[4, 1][..], &[0.25, 0.75][..]), "joints are found by name");

    // Without its vertex the edit is set aside, and that is reported.
    parts.meshes[0].primitives[0] =
        tube(Tube { joints: 6, rings: 5, radius: 0.3, ..Tube::default() }).meshes[0].primitives[0].clone();
    let other = Arc::new(Model::build(parts).unwrap());
    let lines = after.open_with_session(document(&other), &file);
    assert!(lines.iter().any(|line| line.contains("1 edited vertex set aside")), "{lines:?}");
    assert!(
        !after.unsaved().has_unsaved_skinning() && after.unsaved().unsaved_work().is_empty(),
        "the session file has it"
    );
}

#[test]
fn edits_of_an_earlier_run_are_steps_that_can_be_undone() {
    let model = Arc::new(tube(Tube { joints: 12, ..Tube::default() }));
    let mut before = Session::default();
    before.open(document(&model));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[11], &[1.0]);
    before.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    before.apply(EditCommand::Edit(NodeId(2), ChannelValue::Translation(Vec3::ONE)));
    let mut session = Session::default();
    session.open(document(&model));
    assert!(session.restore(&before.unsaved().snapshot().unwrap().file()).is_empty());
    assert_eq!((session.unsaved().unsaved_vertices(), session.edits()), (1, before.edits()));
    session.apply(EditCommand::Undo);
    assert!(!session.unsaved().has_unsaved_skinning() && !session.edits().is_empty());
    session.apply(EditCommand::Undo);
    assert!(session.edits().is_empty());
}

/// A session in which two vertices of a tube follow its last joint, and its file.
fn with_two_edits(model: &Arc<Model>) -> (Session, SessionFile) {
    let mut session = Session::default();
    session.open(document(model));
    let mut change = WeightChange::new(MeshId(0), 0, 1);
    change.push(3, &[5], &[1.0]);
    change.push(9, &[5], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let file = SessionFile::parse(session.unsaved().snapshot().unwrap().file().text().unwrap().as_bytes()).unwrap();
    (session, file)
}

#[test]
fn a_session_over_a_model_in_another_order_finds_its_vertices_and_keeps_those_that_are_gone() {
    let model = Arc::new(tube(Tube { joints: 6, ..Tube::default() }));
    let (_, file) = with_two_edits(&model);
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let reversed: Vec<u32> = (0..count).rev().collect();
    let mut session = Session::default();
    assert_eq!(session.open_with_session(document(&Arc::new(with_vertices(&model, &reversed))), &file), [""; 0]);
    let edited =
        |session: &Session| session.model().unwrap().weight_edits().vertices(MeshId(0), 0).collect::<Vec<u32>>();
    assert_eq!(edited(&session), [count - 10, count - 4]);
    // Vertex 9 is gone: its edit stays in the session, and in what is saved of it, until it is back.
    let less: Vec<u32> = (0..count).filter(|v| *v != 9).collect();
    let lines = session.open_with_session(document(&Arc::new(with_vertices(&model, &less))), &file);
    assert!(lines.iter().any(|line| line.contains("tube, vertex 9: joint 5 1.000")), "{lines:?}");
    assert_eq!((edited(&session), session.files().set_aside()[0].contents().vertices), (vec![3], 1));
    let again = SessionFile::parse(session.unsaved().snapshot().unwrap().file().text().unwrap().as_bytes()).unwrap();
    assert_eq!(again.contents().set_aside, 1);
    let mut last = Session::default();
    last.open_with_session(document(&model), &again);
    assert_eq!((edited(&last), last.files().set_aside().len()), (vec![3, 9], 0));
}

#[test]
fn vertices_of_an_earlier_session_file_are_matched_by_number_and_only_where_the_model_is_the_same() {
    let model = Arc::new(tube(Tube { joints: 6, ..Tube::default() }));
    let (_, mut file) = with_two_edits(&model);
    file.meshes.clear();
    for record in &mut file.weights {
        (record.identities, record.positions) = (String::new(), String::new());
    }
    let mut session = Session::default();
    let lines = session.open_with_session(document(&model), &file);
    assert!(lines.iter().any(|line| line.contains("by number alone; 2 edited vertices matched so")), "{lines:?}");
    assert_eq!(session.unsaved().unsaved_vertices(), 2);
    file.has_other_model = true;
    let lines = session.open_with_session(document(&model), &file);
    assert!(
        lines.iter().any(|line| line.contains("2 edited vertices by number alone, and the file is another")),
        "{lines:?}"
    );
    assert_eq!((session.unsaved().unsaved_vertices(), session.files().set_aside()[0].contents().vertices), (0, 2));
    // The user who knows better restores them.
    session.apply(AsideCommand::Restore(0));
    assert_eq!((session.unsaved().unsaved_vertices(), session.files().set_aside().len()), (2, 0));
}

#[test]
fn unsaved_work_is_all_that_was_made_until_a_file_has_it() {
    let model = Arc::new(tube(Tube { joints: 6, ..Tube::default() }));
    let (mut session, _) = with_two_edits(&model);
    assert_eq!(session.unsaved().unsaved_work().vertices, 2);
    session.apply(EditCommand::Undo);
    assert!(session.unsaved().unsaved_work().is_empty() && !session.unsaved().has_unsaved_work());
    // How the model is looked at is no work.
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(CameraCommand::Orbit(glam::Vec2::new(90.0, 30.0)));
    session.apply(ViewCommand::SetOverlay(Some("weights")));
    assert!(!session.unsaved().has_unsaved_work());
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 30.0)));
    session.apply(EditCommand::EndEdit);
    assert_eq!(session.unsaved().unsaved_work(), UnsavedWork { posed: 1, ..UnsavedWork::default() });
    session.note_pose_saved();
    assert!(!session.unsaved().has_unsaved_work(), "a pose file has it");
    session.apply(ControlCommand::AddSlider);
    session.apply(PosingCommand::TogglePin(NodeId(3)));
    let limits = Limits { least: Vec3::ZERO, most: Vec3::ONE };
    session.apply(PosingCommand::SetLimits(NodeId(3), Some(limits)));
    let work = session.unsaved().unsaved_work();
    assert_eq!((work.controls, work.pins, work.limits, work.posed), (1, 1, 1, 0));
    let snapshot = session.unsaved().snapshot();
    session.files.note_session_saved(snapshot);
    assert!(
        session.unsaved().unsaved_work().is_empty() && !session.unsaved().has_unsaved_work(),
        "the session file has it"
    );
    session.apply(PosingCommand::TogglePin(NodeId(3)));
    session.apply(PosingCommand::SetLimits(NodeId(3), None));
    session.apply(ControlCommand::RemoveSlider(0));
    assert!(
        session.unsaved().has_unsaved_work() && session.unsaved().unsaved_work().is_less,
        "the session file has more"
    );
}
