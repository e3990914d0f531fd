use glam::DVec3;
use skinscope_anim::{SampleScratch, evaluate, sample};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Interpolation, LocalPose, MeshId, ModelParts, Values};

use super::parting::{Fan, bent, tent, twisted};
use super::*;

/// The joint that is linked: the second one of the tube.
const JOINT: NodeId = NodeId(2);

fn arm() -> Model {
    tube(Tube { joints: 2, rings: 17, ..Tube::default() })
}

fn settings(angle: f32, twist: bool) -> LinkSettings {
    LinkSettings { angle: Some(angle), twist, ..LinkSettings::default() }
}

fn linked(model: &Model, angle: f32, twist: bool) -> Model {
    model.with_links(&plan_links(model, JOINT, &settings(angle, twist)).unwrap().change).unwrap()
}

/// The vertices of the tube where its second joint is turned, in double precision.
fn turned(model: &Model, turn: Quat) -> Vec<DVec3> {
    let (mut local, mut nodes) = (LocalPose::default(), Vec::new());
    let edit = |pose: &mut LocalPose| pose.transforms[JOINT.index()].rotation *= turn;
    evaluate(model, &model.skeleton.rest, None, edit, &mut SampleScratch::default(), &mut local, &mut nodes);
    let worlds = model.skeleton.worlds(&local);
    let influences = model.influences(MeshId(0), 0).unwrap();
    let skin = &model.skins[0];
    let positions = model.meshes[0].primitives[0].positions.iter().enumerate();
    let placed = |(vertex, position): (usize, &Vec3)| {
        let (joints, weights) = influences.of(vertex);
        let part = |(joint, weight): (&u16, &f32)| {
            let joint = usize::from(*joint);
            let matrix = worlds[skin.joints[joint].index()] * skin.inverse_bind[joint].as_daffine3();
            matrix.transform_point3(position.as_dvec3()) * f64::from(*weight)
        };
        joints.iter().zip(weights).map(part).sum()
    };
    positions.map(placed).collect()
}

/// The least distance of a vertex from the line on which the joints stand at rest.
fn thinnest(positions: &[DVec3]) -> f64 {
    positions.iter().map(|v| v.x.hypot(v.z)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_place_lies_between_its_two_neighbours() {
    assert_eq!(tent(0.0, 3), [(0, 1.0), (1, 0.0)]);
    assert_eq!(tent(1.0, 3), [(2, 0.0), (3, 1.0)]);
    assert_eq!(tent(0.5, 2), [(1, 1.0), (2, 0.0)]);
    assert_eq!(tent(0.25, 1), [(0, 0.75), (1, 0.25)]);
    assert_eq!(tent(7.0, 2), tent(1.0, 2));
}

#[test]
fn weights_are_parted_among_neighbours_and_neither_their_sum_nor_their_number_grows() {
    let fan = Fan { above: 1, links: vec![7, 8], joint: 2 };
    assert_eq!(bent(&[(1, 1.0)], &fan), None);
    assert_eq!(bent(&[(2, 0.5), (3, 0.5)], &fan), None);
    let parted = bent(&[(1, 0.25), (3, 0.5), (2, 0.25)], &fan).unwrap();
    assert_eq!(parted, [(3, 0.5), (7, 0.25), (8, 0.25)]);
    for i in 1..40 {
        let share = f64::from(i) / 40.0;
        let parted = bent(&[(1, 0.8 * (1.0 - share)), (2, 0.8 * share), (5, 0.2)], &fan).unwrap();
        assert!(parted.len() <= 3 && (parted.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
        // As many thirds of the turn as before, so that small turns leave the surface where it was.
        let turn = |key: u32| {
            [(1, 0.0), (7, 1.0 / 3.0), (8, 2.0 / 3.0), (2, 1.0)]
                .iter()
                .find(|(k, _)| *k == key)
                .map_or(0.0, |(_, t)| *t)
        };
        let mean: f64 = parted.iter().map(|(key, weight)| turn(*key) * weight).sum();
        assert!((mean - 0.8 * share).abs() < 1e-12, "{share}");
    }
}

#[test]
fn twist_is_parted_by_the_place_along_the_bone_where_there_is_room() {
    let fan = Fan { above: 1, links: vec![7, 8], joint: 2 };
    assert_eq!(twisted(&[(1, 1.0)], &fan, -0.1, 4), None);
    assert_eq!(twisted(&[(2, 1.0)], &fan, 0.5, 4), None);
    assert_eq!(twisted(&[(1, 1.0)], &fan, 0.25, 4).unwrap(), [(1, 0.5), (7, 0.5)]);
    assert_eq!(twisted(&[(1, 0.5), (2, 0.5)], &fan, 1.5, 4).unwrap(), [(2, 0.5), (8, 0.5)]);
    assert_eq!(twisted(&[(1, 0.5), (2, 0.5)], &fan, 0.8, 2).unwrap(), [(2, 0.5), (8, 0.5)]);
}

#[test]
fn as_many_links_are_made_as_the_turn_needs() {
    assert!(shares(60.0, 60.0, false).is_empty() && shares(20.0, 60.0, false).is_empty());
    assert_eq!(shares(120.0, 60.0, false), [0.5]);
    assert_eq!(shares(121.0, 60.0, false).len(), 2);
    assert_eq!(shares(40.0, 60.0, true), [1.0]);
    assert_eq!(shares(120.0, 60.0, true), [0.5, 1.0]);
}

#[test]
fn a_bent_arm_with_links_keeps_its_width_and_rests_as_before() {
    let plain = arm();
    let with = linked(&plain, 120.0, false);
    assert_eq!(with.links.len(), 1);
    let apart = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart(&turned(&plain, Quat::IDENTITY), &turned(&with, Quat::IDENTITY)) < 1e-6);
    // A small turn leaves the surface where it was, up to its square.
    let small = Quat::from_rotation_x(0.01);
    assert!(apart(&turned(&plain, small), &turned(&with, small)) < 2e-5);
    // Across the twist of 120° the halfway ring shrinks to cos 60° of its radius, and with a link in between to cos 30°.
    let wide = Quat::from_rotation_y(120_f32.to_radians());
    let [before, after] = [&plain, &with].map(|model| thinnest(&turned(model, wide)) / 0.25);
    assert!((before - 0.5).abs() < 0.02 && (after - 30_f64.to_radians().cos()).abs() < 0.03, "{before} {after}");
}

#[test]
fn a_twist_is_spread_along_the_bone_and_the_swing_is_left_to_the_joint() {
    let plain = arm();
    let with = linked(&plain, 150.0, true);
    assert_eq!(with.links.len(), 3);
    let wide = Quat::from_rotation_y(150_f32.to_radians());
    let [before, after] = [&plain, &with].map(|model| thinnest(&turned(model, wide)) / 0.25);
    assert!(before < 0.3 && after > 0.8, "{before} {after}");
    let swing = Quat::from_rotation_x(0.5);
    let apart = turned(&plain, swing).iter().zip(turned(&with, swing)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
    assert!(apart < 1e-5, "{apart}");
}

#[test]
fn keys_of_links_follow_what_drives_them_between_keys_too() {
    for interpolation in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
        let mut parts: ModelParts = (*arm()).clone();
        let clip = &mut parts.clips[0];
        let count = clip.times[clip.samplers[0].times].len();
        let sampler = &mut clip.samplers[0];
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let axes = [Vec3::X, Vec3::Z, Vec3::new(0.6, 0.0, 0.8)];
        let key = |i: usize| Quat::from_axis_angle(axes[i % 3], 0.9 * i as f32);
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let keys: Vec<Quat> =
            (0..count).flat_map(|i| if per_key == 3 { vec![zero, key(i), zero] } else { vec![key(i)] }).collect();
        (sampler.interpolation, sampler.values) = (interpolation, Values::Quat(keys.into()));
        let model = Model::build(parts).unwrap();
        let with = linked(&model, 170.0, false);
        let (mut pose, mut scratch) = (with.skeleton.rest.clone(), SampleScratch::default());
        for i in 0..=100 {
            let clip = &with.clips[0];
            let time = clip.end_secs * i as f32 / 100.0;
            sample(&with, clip, time, &mut scratch, &mut pose);
            for link in &with.links {
                let driven = link.drive.rotation(pose.transforms[link.of.index()].rotation);
                let baked = pose.transforms[link.node.index()].rotation;
                let apart = (driven.inverse() * baked).xyz().length();
                assert!(apart < 1e-4, "{interpolation:?} {i}: {apart}");
            }
        }
    }
}

#[test]
fn the_farthest_turn_of_the_clips_says_how_many_links_there_are() {
    let model = arm();
    let why = |settings: &LinkSettings| plan_links(&model, JOINT, settings).unwrap_err();
    let LinkRefusal::TurnsLittle { angle, .. } = why(&LinkSettings::default()) else { panic!("it turns by 30°") };
    assert!((angle - 30.0).abs() < 0.1, "{angle}");
    let plan = plan_links(&model, JOINT, &LinkSettings { degrees: 10.0, ..LinkSettings::default() }).unwrap();
    assert_eq!((plan.change.links.len(), plan.moment.map(|(clip, _)| clip)), (2, Some(ClipId(0))));
    assert!(plan.vertices > 0 && plan.above == NodeId(1));
    let root = plan_links(&model, NodeId(1), &LinkSettings::default()).unwrap_err();
    assert!(matches!(root, LinkRefusal::NothingAbove(_)), "{root}");
    let mut parts: ModelParts = (*model).clone();
    parts.clips.clear();
    let still = Model::build(parts).unwrap();
    let never = plan_links(&still, JOINT, &LinkSettings::default()).unwrap_err();
    assert!(matches!(never, LinkRefusal::NeverTurns(_)), "{never}");
}
