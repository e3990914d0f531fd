//! A figure far from the origin of its file is the same figure, wherever it stands.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files fails")]

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DQuat, DVec3, Quat, Vec3};
use serde_json::{Value, json};
use skinscope::anim::{self, SampleScratch};
use skinscope::compare::compare;
use skinscope::deform::METHODS;
use skinscope::export::{self, BakedPrimitive, MeshFormat};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Channel, Interpolation, LocalPose, Model, ModelParts, NodeId, Path, Sampler, Values};
use skinscope::pose;

use crate::common;

/// A place of Web Mercator coordinates, between the steps of a float.
const PLACE: DVec3 = DVec3::new(12_958_095.37, 0.0, 4_865_499.81);

/// The moment of the clip that is compared, seconds.
const MOMENT: f32 = 0.4;

fn read(bytes: &[u8]) -> Arc<Model> {
    let import = import_bytes(bytes, "figure.glb", &Options::default(), &Progress::silent()).unwrap();
    assert!(import.warnings.is_empty(), "{:?}", import.warnings);
    import.model
}

fn figure(change: impl FnOnce(&mut Value)) -> Arc<Model> {
    read(&common::figure(change))
}

fn at(place: DVec3) -> Arc<Model> {
    figure(|document| document["nodes"][0]["translation"] = json!(place.to_array()))
}

/// Puts a node above node `below`.
fn above(document: &mut Value, below: usize, mut node: Value) {
    let nodes = document["nodes"].as_array_mut().unwrap();
    node["children"] = json!([below]);
    nodes.push(node);
    let new = json!(nodes.len() - 1);
    let roots = document["scenes"][0]["nodes"].as_array_mut().unwrap();
    roots.iter_mut().filter(|root| **root == json!(below)).for_each(|root| *root = new.clone());
}

fn posed(model: &Model) -> LocalPose {
    let mut pose = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut pose);
    anim::sample(model, &model.clips[0], MOMENT, &mut SampleScratch::default(), &mut pose);
    pose
}

fn surface(model: &Model) -> Vec<BakedPrimitive> {
    export::baked_surface(model, &anim::drawn_at_rest(model, 0), &posed(model), METHODS[0])
}

/// Returns by how much two surfaces differ, metres, after the first has been moved.
fn apart(near: &[BakedPrimitive], moved: DAffine3, far: &[BakedPrimitive]) -> f64 {
    assert_eq!(near.len(), far.len());
    let pairs = near.iter().zip(far).flat_map(|(a, b)| {
        assert_eq!(a.positions.len(), b.positions.len());
        a.positions.iter().zip(&b.positions).map(|(p, q)| (*p, q.as_dvec3() + b.origin))
    });
    pairs.map(|(p, q)| moved.transform_point3(p.as_dvec3()).distance(q)).fold(0.0, f64::max)
}

#[test]
fn a_figure_is_the_same_wherever_it_stands_and_however_that_is_said() {
    let near = surface(&figure(|_| {}));
    let mut turned = DAffine3::from_quat(DQuat::from_rotation_y(1.0));
    turned.translation = PLACE;
    let upright = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let centimetres = DAffine3::from_scale_rotation_translation(DVec3::splat(0.01), upright, DVec3::ZERO);
    let in_centimetres = centimetres.inverse() * DAffine3::from_translation(PLACE);
    type Change<'a> = &'a dyn Fn(&mut Value);
    let ways: [(&str, DAffine3, Change<'_>); 7] = [
        ("translation", DAffine3::from_translation(PLACE), &|d| {
            d["nodes"][0]["translation"] = json!(PLACE.to_array());
        }),
        ("matrix", turned, &|d| {
            d["nodes"][0]["matrix"] = json!(glam::DMat4::from(turned).to_cols_array().to_vec());
        }),
        ("nested", DAffine3::from_translation(PLACE), &|d| {
            d["nodes"][0]["matrix"] = json!(glam::DMat4::from(in_centimetres).to_cols_array().to_vec());
            above(d, 0, json!({ "rotation": upright.to_array(), "scale": [0.01, 0.01, 0.01] }));
        }),
        ("two steps", DAffine3::from_translation(PLACE), &|d| {
            d["nodes"][0]["translation"] = json!([PLACE.x - 100_000.7, -40.3, 0.0]);
            above(d, 0, json!({ "translation": [100_000.7, 40.3, PLACE.z] }));
        }),
        ("there and back", DAffine3::from_translation(DVec3::X * 5000.3), &|d| {
            d["nodes"][0]["translation"] = json!([5000.3 - 1e7, 0.0, 0.0]);
            above(d, 0, json!({ "translation": [1e7, 0.0, 0.0] }));
        }),
        ("below a turn", DAffine3::from_translation(PLACE), &|d| {
            let back = DAffine3::from_quat(DQuat::from_rotation_y(0.3)).inverse() * DAffine3::from_translation(PLACE);
            d["nodes"][0]["matrix"] = json!(glam::DMat4::from(back).to_cols_array().to_vec());
            above(d, 0, json!({ "rotation": DQuat::from_rotation_y(0.3).to_array() }));
        }),
        ("with a root joint at the origin", DAffine3::from_translation(PLACE), &|d| {
            d["nodes"][0]["translation"] = json!(PLACE.to_array());
            above(d, 0, json!({ "name": "Root" }));
        }),
    ];
    for (way, moved, change) in ways {
        let far = figure(change);
        assert_ne!(far.skeleton.origin(), DVec3::ZERO, "{way}");
        let off = apart(&near, moved, &surface(&far));
        assert!(off < 4e-6, "{way}: {off}");
    }
}

#[test]
fn what_is_drawn_far_away_is_what_is_drawn_at_the_origin_to_the_bit() {
    let near = figure(|_| {});
    for place in [DVec3::X * 1000.5, DVec3::new(100_000.0, 2000.0, 0.0), PLACE] {
        let far = at(place);
        assert_eq!(far.skeleton.origin(), place);
        assert_eq!(far.skeleton.rest, near.skeleton.rest);
        for (a, b) in surface(&near).iter().zip(&surface(&far)) {
            assert_eq!((&a.positions, &a.normals, a.origin + place), (&b.positions, &b.normals, b.origin));
        }
    }
    // An ordinary place is left as the file has it.
    let beside = at(DVec3::new(20.0, 0.0, -7.5));
    assert!(beside.skeleton.far.is_none());
    assert_eq!(beside.skeleton.rest.transforms[0].translation, Vec3::new(20.0, 0.0, -7.5));
    // So is a height that a figure may have above the ground of a map.
    assert_eq!(at(PLACE + DVec3::Y * 3.0).skeleton.origin(), PLACE);
}

/// The node that the clip moves, the hips.
fn moved(model: &Model) -> NodeId {
    model.clips[0].channels.iter().find(|c| c.path == Path::Translation).unwrap().node
}

/// The figure with other keys of the hips: `change` says what becomes of the place at each share of the clip's time.
fn with_keys(change: impl Fn(usize, Vec3) -> Vec3) -> Model {
    let mut parts: ModelParts = (**figure(|_| {})).clone();
    let channel = *parts.clips[0].channels.iter().find(|c| c.path == Path::Translation).unwrap();
    if let Values::Vec3(keys) = &mut parts.clips[0].samplers[channel.sampler].values {
        *keys = keys.iter().enumerate().map(|(i, v)| change(i, (v * 128.0).round() / 128.0)).collect();
    }
    Model::build(parts).unwrap()
}

#[test]
fn a_clip_that_stands_far_from_the_rest_pose_is_the_same_as_one_that_stands_near() {
    const AWAY: Vec3 = Vec3::new(100_000.0, 0.0, -50_000.0);
    let near = with_keys(|_, v| v);
    let far = with_keys(|_, v| v + AWAY);
    let (a, b) = (surface(&near), surface(&far));
    let off = apart(&a, DAffine3::from_translation(AWAY.as_dvec3()), &b);
    assert!(off < 2e-6, "{off}");
    for (a, b) in a.iter().zip(&b) {
        let reach = b.positions.iter().map(|p| p.length()).fold(0.0, f32::max);
        assert!(reach < 3.0, "it is drawn near: {reach}");
        assert_eq!(a.normals, b.normals);
    }
    // It stands on the ground, and at rest it stands where it stood.
    let [low, was] = [&b, &a].map(|s| s.iter().flat_map(|p| &p.positions).map(|p| p.y).fold(f32::INFINITY, f32::min));
    assert!((low - was).abs() < 1e-6, "{low} {was}");
    assert_eq!(anim::origin_shift(&far.skeleton, &far.skeleton.rest), DVec3::ZERO);
    // A pose of it is said, and kept, with all digits.
    let hips = moved(&far);
    let said = pose::capture(&far, &posed(&far), "").joints;
    let of_hips = said.iter().find(|(name, _)| *name == far.skeleton.names[hips.index()]).unwrap();
    let wanted = posed(&near).transforms[hips.index()].translation.as_dvec3() + AWAY.as_dvec3();
    assert!(DVec3::from_array(of_hips.1.translation.unwrap()).distance(wanted) < 1e-6);
    let mut bytes = Vec::new();
    export::write_skinned_glb(&far, 0, &posed(&far), &mut bytes).unwrap();
    let kept = read(&bytes);
    let kept = export::baked_surface(&kept, &anim::drawn_at_rest(&kept, 0), &kept.skeleton.rest, METHODS[0]);
    assert!(apart(&a, DAffine3::from_translation(AWAY.as_dvec3()), &kept) < 2e-6);
    // `diff` sees the clip alone.
    assert!(compare(&far, &far).is_empty());
    let found = compare(&near, &far);
    assert_eq!((found.nodes.changed.len(), found.clips.changed.len()), (0, 1));
    assert!((found.posed.metres - AWAY.as_dvec3().length()).abs() < 1e-3, "{}", found.posed.metres);
}

#[test]
fn a_clip_that_goes_far_has_all_digits_on_the_way() {
    let way = |i: usize| Vec3::X * 4096.0 * i as f32;
    let near = with_keys(|_, v| v);
    let far = with_keys(|i, v| v + way(i));
    let hips = moved(&far);
    let channel = far.clips[0].channels.iter().find(|c| c.path == Path::Translation).unwrap();
    let times = &far.clips[0].times[far.clips[0].samplers[channel.sampler].times];
    let next = times.iter().position(|secs| *secs > MOMENT).unwrap();
    let [from, to] = [next - 1, next].map(|key| f64::from(times[key]));
    let gone = 4096.0 * ((next - 1) as f64 + (f64::from(MOMENT) - from) / (to - from));
    assert!(gone > 5000.0, "{gone}");
    let off = apart(&surface(&near), DAffine3::from_translation(DVec3::X * gone), &surface(&far));
    assert!(off < 2e-6, "{off}");
    let place = posed(&far).translation(hips);
    assert!((place.x - gone - posed(&near).translation(hips).x).abs() < 1e-6, "{place}");
}

#[test]
fn a_clip_near_the_origin_of_a_model_that_rests_far_away_is_drawn_as_the_file_has_it() {
    let near = figure(|_| {});
    let far = figure(|d| d["nodes"][2]["translation"] = json!([5000.25, 0.895, 0.0]));
    let hips = moved(&far);
    assert_eq!(far.skeleton.base(hips.index()).x, 5000.25);
    let off = apart(&surface(&near), DAffine3::IDENTITY, &surface(&far));
    assert!(off < 1e-6, "{off}");
    let place = |model: &Model| model.skeleton.base(hips.index()) + posed(model).translation(hips);
    assert!(place(&far).distance(place(&near)) < 1e-6, "{} {}", place(&far), place(&near));
    let rest = far.skeleton.rest.transforms[hips.index()].translation;
    assert_eq!(f64::from(rest.x) + far.skeleton.base(hips.index()).x, 5000.25);
}

#[test]
fn what_hangs_far_from_a_node_that_a_clip_turns_swings_about_it_as_exactly_as_the_file_says() {
    const AWAY: DVec3 = DVec3::new(100_000.25, 0.0, 0.0);
    let turns = [Quat::IDENTITY, Quat::from_rotation_y(1.25)];
    let swinging = |place: DVec3, turns: [Quat; 2]| {
        let mut parts: ModelParts = (**figure(|document| {
            document["nodes"][0]["translation"] = json!(place.to_array());
            above(document, 0, json!({ "name": "Pivot" }));
        }))
        .clone();
        let node = NodeId::from_index(parts.skeleton.names.iter().position(|name| name == "Pivot").unwrap());
        let clip = &mut parts.clips[0];
        clip.times.push(vec![0.0, 1.0]);
        let (times, values) = (clip.times.len() - 1, Values::Quat(turns.to_vec().into()));
        clip.samplers.push(Sampler { times, interpolation: Interpolation::Linear, values });
        clip.channels.push(Channel { node, path: Path::Rotation, sampler: clip.samplers.len() - 1 });
        Model::build(parts).unwrap()
    };
    // A turn that is large, and one by which the figure moves a few metres only, so that it is seen to move.
    for angle in [1.25, 1e-4] {
        let turns = [turns[0], Quat::from_rotation_y(angle)];
        let turn = DQuat::IDENTITY.slerp(turns[1].as_dquat().normalize(), f64::from(MOMENT));
        let (near, far) = (swinging(DVec3::ZERO, turns), swinging(AWAY, turns));
        let off = apart(&surface(&near), DAffine3::from_translation(turn * AWAY), &surface(&far));
        assert!(off < 4e-6, "{angle}: {off}");
        let shift = anim::origin_shift(&far.skeleton, &posed(&far));
        assert_eq!(shift == DVec3::ZERO, angle < 1e-3, "{shift}");
    }
    // A key that is the rotation of rest but for its digits turns nothing.
    let still = swinging(AWAY, [Quat::from_xyzw(0.0, 1e-7, 0.0, 1.0); 2]);
    assert!(
        apart(
            &surface(&swinging(DVec3::ZERO, [Quat::IDENTITY; 2])),
            DAffine3::from_translation(AWAY),
            &surface(&still)
        ) < 2e-6
    );
}

#[test]
fn obj_has_the_digits_and_glb_the_node_and_other_formats_say_what_they_lack() {
    let near = surface(&figure(|_| {}));
    let far = at(PLACE);
    let there = surface(&far);
    let mut text = Vec::new();
    export::write_obj(&far, &there, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let number = |word: &str| word.parse::<f64>().unwrap();
    let vertex = |line: &str| DVec3::from_slice(&line.split(' ').map(number).collect::<Vec<_>>());
    let read: Vec<DVec3> = text.lines().filter_map(|line| line.strip_prefix("v ")).map(vertex).collect();
    let wanted: Vec<Vec3> = near.iter().flat_map(|p| p.positions.iter().copied()).collect();
    assert_eq!(read.len(), wanted.len());
    for (read, wanted) in read.iter().zip(&wanted) {
        assert!((*read - PLACE).distance(wanted.as_dvec3()) < 1e-6, "{read} {wanted}");
    }
    let mut bytes = Vec::new();
    export::write_glb(&far, &there, &mut bytes).unwrap();
    let again = self::read(&bytes);
    let pose = &again.skeleton.rest;
    let again = export::baked_surface(&again, &anim::drawn_at_rest(&again, 0), pose, METHODS[0]);
    for (a, b) in there.iter().zip(&again) {
        assert_eq!((&a.positions, a.origin), (&b.positions, b.origin));
    }
    let mut bytes = Vec::new();
    export::write_skinned_glb(&far, 0, &posed(&far), &mut bytes).unwrap();
    let kept = self::read(&bytes);
    let kept = export::baked_surface(&kept, &anim::drawn_at_rest(&kept, 0), &kept.skeleton.rest, METHODS[0]);
    assert!(apart(&near, DAffine3::from_translation(PLACE), &kept) < 1e-6);
    assert_eq!([MeshFormat::Obj, MeshFormat::Glb].map(|format| format.lacks(&far, DVec3::ZERO)), [None, None]);
    for format in [MeshFormat::Ply, MeshFormat::Stl] {
        let lacks = format.lacks(&far, DVec3::ZERO).unwrap();
        assert!(lacks.contains("12958095.37, 0, 4865499.81") && lacks.contains("steps of 1 m"), "{lacks}");
        assert_eq!(format.lacks(&figure(|_| {}), DVec3::ZERO), None);
    }
}

#[test]
fn two_files_differ_by_the_place_alone() {
    let (near, far) = (figure(|_| {}), at(DVec3::X * 100_000.0));
    for (a, b) in [(&near, &far), (&far, &near)] {
        let found = compare(a, b);
        assert_eq!(found.nodes.changed, ["Armature"]);
        assert!(found.weights.is_empty() && found.surface.is_empty() && found.inverse_binds == 0);
        assert!(found.clips.changed.is_empty());
        assert!((found.posed.metres - 100_000.0).abs() < 1e-3, "{}", found.posed.metres);
    }
    assert!(compare(&far, &at(DVec3::X * 100_000.0)).is_empty());
    let beside = compare(&far, &at(DVec3::X * 100_000.5));
    assert_eq!(beside.nodes.changed, ["Armature"]);
    assert!((beside.posed.metres - 0.5).abs() < 1e-6, "{}", beside.posed.metres);
}

#[test]
fn pose_files_say_the_places_of_the_file() {
    let far = at(PLACE);
    let mut pose = far.skeleton.rest.clone();
    pose.transforms[0].translation += Vec3::new(0.1, 0.0, 0.25);
    let file = pose::capture(&far, &pose, "beside");
    let said = DVec3::from_array(file.joints[0].1.translation.unwrap());
    assert!(said.distance(PLACE + DVec3::new(0.1, 0.0, 0.25)) < 1e-7, "{said}");
    let again = pose::PoseFile::parse(file.text().as_bytes()).unwrap();
    assert_eq!(again, file);
    let mut read = far.skeleton.rest.clone();
    pose::resolve(&far, &again).apply(&mut read);
    assert!(read.transforms[0].translation.distance(pose.transforms[0].translation) < 1e-7);
    // On a figure that stands elsewhere it stands where the file says.
    let other = at(PLACE + DVec3::X * 2.0);
    let mut read = other.skeleton.rest.clone();
    pose::resolve(&other, &again).apply(&mut read);
    assert!(read.transforms[0].translation.distance(Vec3::new(-1.9, 0.0, 0.25)) < 1e-6);
}

#[test]
fn a_mesh_whose_own_positions_lie_far_away_is_deformed_as_exactly_as_the_file_has_them() {
    const MOVED: Vec3 = Vec3::new(100_000.0, 2000.0, 0.0);
    // Floats that far away hold multiples of 1/128 m, so that both files have the same shape to the bit.
    let held = |v: Vec3| (v * 128.0).round() / 128.0;
    let saved = |place: Vec3| {
        let mut parts: ModelParts = (*tube(Tube::default())).clone();
        for transform in &mut parts.skeleton.rest.transforms {
            transform.translation = held(transform.translation);
        }
        parts.skeleton.rest.transforms[0].translation += place;
        parts.meshes[0].primitives[0].positions.iter_mut().for_each(|position| *position = held(*position) + place);
        for bind in &mut parts.skins[0].inverse_bind {
            bind.translation = held(bind.translation.into()).into();
            *bind *= Affine3A::from_translation(-place);
        }
        let stored = parts.skins[0].inverse_bind.clone();
        let model = Model::build(parts).unwrap();
        let mut bytes = Vec::new();
        export::write_skinned_glb(&model, 0, &model.skeleton.rest, &mut bytes).unwrap();
        (read(&bytes), stored)
    };
    let bent = |model: &Model| {
        let mut pose = model.skeleton.rest.clone();
        pose.transforms[2].rotation = Quat::from_rotation_z(0.9);
        export::baked_surface(model, &anim::drawn_at_rest(model, 0), &pose, METHODS[0])
    };
    let [(near, _), (far, stored)] = [Vec3::ZERO, MOVED].map(saved);
    assert_eq!((far.skeleton.origin(), near.skeleton.origin()), (MOVED.as_dvec3(), DVec3::ZERO));
    assert_ne!(far.meshes[0].offset, DVec3::ZERO);
    let off = apart(&bent(&near), DAffine3::from_translation(MOVED.as_dvec3()), &bent(&far));
    assert!(off < 2e-6, "{off}");
    // What is written back are the matrices of the file, and `diff` compares what the files have.
    for (joint, bind) in stored.iter().enumerate() {
        assert_eq!(far.skins[0].stored_bind(joint).as_affine3a(), *bind);
    }
    let found = compare(&near, &far);
    assert_eq!(found.nodes.changed, [near.skeleton.names[0].as_str()]);
    assert_eq!(found.inverse_binds, stored.len());
    assert_eq!(found.surface.len(), 1);
    assert!(compare(&far, &far).is_empty());
}

#[test]
fn two_figures_far_from_each_other_are_both_as_exact_as_one_at_the_origin() {
    let near = surface(&figure(|_| {}));
    let import = |bytes: &[u8]| import_bytes(bytes, "two.glb", &Options::default(), &Progress::silent()).unwrap();
    let turned = DQuat::from_rotation_y(0.5);
    let beside = |d: &mut Value| {
        let places = d["scenes"][0]["nodes"].clone();
        d["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "name": "Map", "rotation": turned.to_array(), "children": places }));
        d["scenes"][0]["nodes"] = json!([d["nodes"].as_array().unwrap().len() - 1]);
    };
    let near_ground = DVec3::new(3.0, 0.0, -7.5);
    let files = [
        ([near_ground, PLACE], DQuat::IDENTITY, common::two_figures([near_ground, PLACE].map(Into::into), |_| {})),
        ([PLACE, DVec3::ZERO], DQuat::IDENTITY, common::two_figures([PLACE, DVec3::ZERO].map(Into::into), |_| {})),
        ([-PLACE, PLACE], DQuat::IDENTITY, common::two_figures([-PLACE, PLACE].map(Into::into), |_| {})),
        ([near_ground, PLACE], turned, common::two_figures([near_ground, PLACE].map(Into::into), beside)),
    ];
    for (places, turned, bytes) in files {
        let import = import(&bytes);
        let said: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
        assert!(said.len() == 1 && said[0].contains("too far for one picture"), "{said:?}");
        let both = surface(&import.model);
        let shown = |p: &BakedPrimitive| p.positions.iter().map(|p| p.length()).fold(0.0, f32::max);
        assert!(both.iter().all(|p| shown(p) < 40.0), "figures are shown near each other");
        let (first, second) = both.split_at(near.len());
        for (place, own) in places.into_iter().zip([first, second]) {
            let moved = DAffine3::from_rotation_translation(turned, turned * place);
            let off = apart(&near, moved, own);
            assert!(off < 2e-5, "{place}: {off}");
        }
        // What is written holds the distance.
        let mut bytes = Vec::new();
        export::write_skinned_glb(&import.model, 0, &posed(&import.model), &mut bytes).unwrap();
        let kept = import_bytes(&bytes, "kept.glb", &Options::default(), &Progress::silent()).unwrap().model;
        let kept = export::baked_surface(&kept, &anim::drawn_at_rest(&kept, 0), &kept.skeleton.rest, METHODS[0]);
        for (place, own) in places.into_iter().zip(kept.chunks(near.len())) {
            let moved = DAffine3::from_rotation_translation(turned, turned * place);
            // A rotation is written with the digits of an f32, which turn what is far away by that much.
            let tolerance = if turned == DQuat::IDENTITY { 2e-5 } else { place.length() * f64::from(f32::EPSILON) };
            assert!(apart(&near, moved, own) < tolerance.max(2e-5));
        }
        for format in [MeshFormat::Ply, MeshFormat::Stl] {
            assert!(format.lacks(&import.model, DVec3::ZERO).unwrap().contains("so far from each other"));
        }
    }
    // What a clip brings to the first figure belongs to it.
    let bytes = common::two_figures([[0.0; 3], [5000.25, 0.0, 0.0]], |d| {
        let hips = d["nodes"].as_array().unwrap().len() / 2 - 1 + 2;
        d["nodes"][hips]["translation"] = json!([5000.25, 0.895, 0.0]);
    });
    assert!(import(&bytes).model.skeleton.other_figures().is_empty());
}
