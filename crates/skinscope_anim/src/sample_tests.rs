//! Sampling against the formulas of glTF 2.0, appendix C, in f64, one channel at a time.

use glam::{DQuat, DVec4, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::test_shapes::obstacle_course;
use skinscope_model::{
    Channel, Clip, Interpolation, LocalPose, Model, ModelParts, NodeId, Path, Sampler, Scene, Skeleton, Values,
};

use super::{SampleScratch, key_times, reset_to_rest, sample};

const KINDS: [Interpolation; 3] = [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];
const PATHS: [Path; 3] = [Path::Translation, Path::Rotation, Path::Scale];

/// Makes a model of nodes without parents, and one clip of the given channels and samplers.
fn model(nodes: usize, times: &[Vec<f32>], channels: Vec<Channel>, samplers: Vec<Sampler>) -> Model {
    let rest = LocalPose { transforms: vec![Transform::IDENTITY; nodes], ..LocalPose::default() };
    let skeleton = Skeleton {
        parents: vec![None; nodes],
        names: vec![String::new(); nodes],
        file_index: (0..nodes as u32).collect(),
        rest,
        residuals: Vec::new(),
        far: None,
    };
    let roots = (0..nodes).map(NodeId::from_index).collect();
    let scenes = vec![Scene { name: String::new(), roots, contains: vec![true; nodes] }];
    let clip = Clip { name: "Clip 0".into(), channels, samplers, times: times.to_vec(), ..Clip::default() };
    Model::build(ModelParts { skeleton, scenes, clips: vec![clip], ..ModelParts::default() }).unwrap()
}

fn pose(model: &Model, time_secs: f32) -> LocalPose {
    let mut pose = model.skeleton.rest.clone();
    sample(model, &model.clips[0], time_secs, &mut SampleScratch::default(), &mut pose);
    pose
}

/// Makes a model whose clip has one channel, on node 0.
fn single(times: &[f32], interpolation: Interpolation, path: Path, values: Values) -> Model {
    let channels = vec![Channel { node: NodeId(0), path, sampler: 0 }];
    model(1, &[times.to_vec()], channels, vec![Sampler { times: 0, interpolation, values }])
}

/// Returns a generator of numbers from -1 to 1, the same ones each time.
fn random(mut state: u32) -> impl FnMut() -> f32 {
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn values(path: Path, interpolation: Interpolation, keys: usize, next: &mut impl FnMut() -> f32) -> Values {
    let cubic = interpolation == Interpolation::CubicSpline;
    let entries = if cubic { keys * 3 } else { keys };
    if path == Path::Rotation {
        let mut entry = |i: usize| {
            let q = Quat::from_xyzw(next(), next(), next(), next());
            if cubic && i % 3 != 1 { q } else { q.normalize() }
        };
        Values::Quat((0..entries).map(&mut entry).collect())
    } else {
        Values::Vec3((0..entries).map(|_| Vec3::new(next(), next(), next()) * 3.0).collect())
    }
}

/// Samples by appendix C of glTF 2.0 in f64. `None` where the two rotations are so near to half a turn apart that
/// either way is right.
fn reference(clip: &Clip, channel: Channel, time_secs: f32) -> Option<DVec4> {
    let sampler = &clip.samplers[channel.sampler];
    let times = &clip.times[sampler.times];
    let entry = |i: usize| match &sampler.values {
        Values::Vec3(v) => v.get(i).as_dvec3().extend(0.0),
        Values::Quat(v) => DVec4::from(v.get(i).as_dquat()),
        Values::Weights { .. } => DVec4::NAN,
    };
    let cubic = sampler.interpolation == Interpolation::CubicSpline;
    let value = |key: usize| entry(if cubic { key * 3 + 1 } else { key });
    let (first, last) = (times[0], times.len() - 1);
    if time_secs <= first {
        return Some(value(0));
    }
    let Some(next) = (0..=last).find(|k| times[*k] > time_secs) else { return Some(value(last)) };
    let key = next - 1;
    let secs = f64::from(times[next]) - f64::from(times[key]);
    let t = (f64::from(time_secs) - f64::from(times[key])) / secs;
    let (a, b) = (value(key), value(next));
    let rotation = channel.path == Path::Rotation;
    Some(match sampler.interpolation {
        Interpolation::Step => a,
        Interpolation::Linear if rotation => {
            let cos = a.dot(b);
            let (b, angle) = if cos < 0.0 { (-b, (-cos).min(1.0).acos()) } else { (b, cos.min(1.0).acos()) };
            if cos.abs() < 1e-6 {
                return None;
            }
            if angle < 1e-9 { a } else { (a * ((1.0 - t) * angle).sin() + b * (t * angle).sin()) / angle.sin() }
        }
        Interpolation::Linear => a * (1.0 - t) + b * t,
        Interpolation::CubicSpline => {
            let (t2, t3) = (t * t, t * t * t);
            let sum = (2.0 * t3 - 3.0 * t2 + 1.0) * a
                + secs * (t3 - 2.0 * t2 + t) * entry(key * 3 + 2)
                + (-2.0 * t3 + 3.0 * t2) * b
                + secs * (t3 - t2) * entry(next * 3);
            // Nearly cancelled sums magnify the rounding of the keys.
            if rotation && sum.length() < 0.05 {
                return None;
            }
            if rotation { sum.normalize() } else { sum }
        }
    })
}

fn read(pose: &LocalPose, channel: Channel) -> DVec4 {
    let transform = &pose.transforms[channel.node.index()];
    match channel.path {
        Path::Translation => transform.translation.as_dvec3().extend(0.0),
        Path::Scale => transform.scale.as_dvec3().extend(0.0),
        _ => DVec4::from(transform.rotation.as_dquat()),
    }
}

/// Makes forty nodes with channels of all kinds on lists of key times of all kinds, in no order, some of a shared
/// sampler.
fn medley(seed: u32) -> Model {
    let mut next = random(seed);
    let mut rising = |keys: usize| {
        let mut at = -0.5;
        let mut step = || {
            at += 0.01 + (1.0 + next()) * 0.2;
            at
        };
        (0..keys).map(|_| step()).collect::<Vec<f32>>()
    };
    let mut times = vec![(0..60).map(|i| i as f32 / 30.0).collect(), vec![0.75], vec![0.25, 0.5, 1.0, 1.75]];
    times.extend([2, 5, 33].map(&mut rising));
    let mut next = random(seed ^ 0x5bd1);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let pick = |n: usize, next: &mut dyn FnMut() -> f32| ((next() + 1.0) * 0.5 * n as f32) as usize % n;
    for node in 0..40 {
        for path in PATHS {
            let (list, kind) = (pick(times.len(), &mut next), KINDS[pick(3, &mut next)]);
            let like = |s: &Sampler| matches!(s.values, Values::Quat(_)) == (path == Path::Rotation);
            let known = samplers.iter().position(like).filter(|_| pick(8, &mut next) == 0);
            if pick(6, &mut next) == 0 {
                continue;
            }
            let sampler = known.unwrap_or_else(|| {
                let values = values(path, kind, times[list].len(), &mut next);
                samplers.push(Sampler { times: list, interpolation: kind, values });
                samplers.len() - 1
            });
            channels.push(Channel { node: NodeId(node), path, sampler });
        }
    }
    model(40, &times, channels, samplers)
}

#[test]
fn clips_of_all_kinds_are_what_the_formulas_say() {
    for seed in 1..20 {
        let model = medley(seed);
        let clip = &model.clips[0];
        assert!(clip.tracks.groups.len() > 20 && clip.tracks.copies.len() > 3);
        let mut compared = 0;
        for i in -20..60 {
            let time = i as f32 * 0.0517;
            let pose = pose(&model, time);
            for channel in &clip.channels {
                let Some(want) = reference(clip, *channel, time) else { continue };
                let got = read(&pose, *channel);
                let error = (got - want).length();
                assert!(error < 1e-5 * (1.0 + want.length()), "{channel:?} at {time}: {got} for {want}");
                compared += 1;
            }
            for (node, t) in pose.transforms.iter().enumerate() {
                let moves = |path| clip.channels.iter().any(|c| c.node.index() == node && c.path == path);
                assert!(moves(Path::Translation) || t.translation == Vec3::ZERO);
                assert!(moves(Path::Rotation) || t.rotation == Quat::IDENTITY);
                assert!(moves(Path::Scale) || t.scale == Vec3::ONE);
            }
        }
        assert!(compared > 70 * clip.channels.len());
    }
}

/// One to nine channels of a kind fill no block, one block, or one and a part of another; 130 no longer fit into one
/// group. Each channel gives what it gives alone, to the bit.
#[test]
fn a_channel_gives_the_same_bytes_however_many_stand_beside_it() {
    let times = vec![0.0, 0.4, 1.0, 1.1];
    for (path, interpolation) in PATHS.into_iter().flat_map(|p| KINDS.map(|k| (p, k))) {
        for count in (1..=9).chain([130]) {
            let mut next = random(count as u32);
            let lists: Vec<Values> = (0..count).map(|_| values(path, interpolation, 4, &mut next)).collect();
            let samplers = lists.iter().map(|v| Sampler { times: 0, interpolation, values: v.clone() }).collect();
            let channel = |i: usize| Channel { node: NodeId::from_index(i), path, sampler: i };
            let together = model(count, std::slice::from_ref(&times), (0..count).map(channel).collect(), samplers);
            for time in [-1.0, 0.0, 0.1, 0.399, 0.4, 0.77, 1.09, 1.1, 2.0] {
                let poses = pose(&together, time);
                for (i, list) in lists.iter().enumerate() {
                    let alone = single(&times, interpolation, path, list.clone());
                    assert_eq!(poses.transforms[i], pose(&alone, time).transforms[0], "{path:?}, {i} of {count}");
                }
            }
        }
    }
}

#[test]
fn the_time_of_a_key_gives_the_key_and_the_bytes_of_it() {
    let times = [0.1, 0.3, 0.7];
    for (path, interpolation) in PATHS.into_iter().flat_map(|p| KINDS.map(|k| (p, k))) {
        let list = values(path, interpolation, 3, &mut random(5));
        let model = single(&times, interpolation, path, list.clone());
        let entry = |key: usize| if interpolation == Interpolation::CubicSpline { key * 3 + 1 } else { key };
        for (key, time) in times.into_iter().enumerate() {
            let t = pose(&model, time).transforms[0];
            let got = match (&list, path) {
                (Values::Quat(v), _) => v.get(entry(key)) == t.rotation,
                (Values::Vec3(v), Path::Scale) => v.get(entry(key)) == t.scale,
                (Values::Vec3(v), _) => v.get(entry(key)) == t.translation,
                _ => false,
            };
            assert!(got, "{path:?}, {interpolation:?}, key {key}");
        }
    }
}

#[test]
fn step_holds_until_the_next_key_and_all_kinds_clamp() {
    let times = [1.0, 2.0, 4.0];
    let keys = [Vec3::X, Vec3::Y, Vec3::Z];
    let moved = |kind, list: Vec<Vec3>| {
        let model = single(&times, kind, Path::Translation, Values::Vec3(list.into()));
        move |t: f32| pose(&model, t).transforms[0].translation
    };
    let step = moved(Interpolation::Step, keys.to_vec());
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    assert_eq!([0.0, 1.0, 1.999_999_9, 2.0, 3.9, 4.0, 9.0].map(step), [x, x, x, y, y, z, z]);
    let linear = moved(Interpolation::Linear, keys.to_vec());
    assert_eq!([-1.0, 1.0, 2.0, 4.0, 5.0, f32::NAN].map(&linear), [x, x, y, z, z, x]);
    assert!(linear(2.6).distance(Vec3::new(0.0, 0.7, 0.3)) < 1e-6);
    let entries = keys.iter().flat_map(|v| [Vec3::ONE * 7.0, *v, Vec3::ONE * 9.0]).collect();
    let cubic = moved(Interpolation::CubicSpline, entries);
    assert_eq!([-1.0, 1.0, 2.0, 4.0, 5.0].map(cubic), [x, x, y, z, z]);
}

/// A cubic polynomial is its own Hermite spline, so values and slopes at uneven keys must give it back in between.
#[test]
fn cubic_splines_give_back_a_cubic() {
    let value = |t: f32| Vec3::new(0.5 - 2.0 * t + 1.5 * t * t - 0.25 * t * t * t, t * t, 1.0);
    let slope = |t: f32| Vec3::new(-2.0 + 3.0 * t - 0.75 * t * t, 2.0 * t, 0.0);
    let times = [0.5, 1.0, 3.0];
    let entries = times.iter().flat_map(|t| [slope(*t), value(*t), slope(*t)]).collect();
    let model = single(&times, Interpolation::CubicSpline, Path::Scale, Values::Vec3(entries));
    for i in 0..=50 {
        let t = 0.5 + 2.5 * i as f32 / 50.0;
        let got = pose(&model, t).transforms[0].scale;
        assert!((got - value(t)).abs().max_element() < 4e-6, "{t}: {got} for {}", value(t));
    }
}

#[test]
fn splines_survive_what_cancels_or_overflows_in_a_block_and_beside_one() {
    let (q, zero) = (Quat::from_rotation_x(1.0), Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let turned = Quat::from_rotation_y(2.0);
    let huge = Quat::from_xyzw(f32::MAX, 0.0, 0.0, 0.0);
    let kinds =
        [[zero, q, zero, zero, turned, zero], [zero, q, zero, zero, -q, zero], [zero, q, huge, -huge, turned, zero]];
    let samplers = (0..7).map(|i| Values::Quat(kinds[i % 3].to_vec().into())).map(|values| Sampler {
        times: 0,
        interpolation: Interpolation::CubicSpline,
        values,
    });
    let channel = |i: usize| Channel { node: NodeId::from_index(i), path: Path::Rotation, sampler: i };
    let model = model(7, &[vec![0.0, 1.0]], (0..7).map(channel).collect(), samplers.collect());
    for (i, t) in pose(&model, 0.5).transforms.iter().enumerate() {
        assert!(t.rotation.is_normalized());
        assert_eq!(t.rotation == q, i % 3 != 0, "node {i}");
    }
    let far = vec![Vec3::ZERO, Vec3::ONE, Vec3::MAX, Vec3::MIN, Vec3::ZERO, Vec3::ZERO];
    let model = single(&[0.0, 100.0], Interpolation::CubicSpline, Path::Scale, Values::Vec3(far.into()));
    assert_eq!(pose(&model, 50.0).transforms[0].scale, Vec3::ONE);
}

#[test]
fn rotations_turn_evenly_and_the_shorter_way() {
    let keys = vec![Quat::IDENTITY, -Quat::from_rotation_z(3.0)];
    let model = single(&[0.0, 1.0], Interpolation::Linear, Path::Rotation, Values::Quat(keys.into()));
    for i in 0..=30 {
        let t = i as f32 / 30.0;
        let (got, want) =
            (pose(&model, t).transforms[0].rotation.as_dquat(), DQuat::from_rotation_z(3.0 * f64::from(t)));
        assert!((got - want).length().min((got + want).length()) < 3e-7, "{t}: {got}");
    }
}

#[test]
fn any_order_of_times_gives_the_same_bytes() {
    for model in [obstacle_course(), medley(3)] {
        let bytes = |time: f32, scratch: &mut SampleScratch, pose: &mut LocalPose| {
            reset_to_rest(&model.skeleton, pose);
            sample(&model, &model.clips[0], time, scratch, pose);
            format!("{pose:?}")
        };
        let times: Vec<f32> = (0..40).map(|i| i as f32 * 0.05).collect();
        let (mut scratch, mut pose) = (SampleScratch::default(), LocalPose::default());
        let played: Vec<String> = times.iter().map(|t| bytes(*t, &mut scratch, &mut pose)).collect();
        for k in 0..times.len() {
            let i = k * 17 % times.len();
            assert_eq!(bytes(times[i], &mut scratch, &mut pose), played[i]);
            let fresh = bytes(times[i], &mut SampleScratch::default(), &mut LocalPose::default());
            assert_eq!(fresh, played[i]);
        }
        assert!(played.windows(2).any(|w| w[0] != w[1]));
    }
}

#[test]
fn key_times_of_a_node_are_sorted_and_distinct() {
    let model = obstacle_course();
    let mut clip = model.clips[0].clone();
    let [both, none] = [NodeId(9), NodeId(2)].map(|n| key_times(&clip, n));
    assert_eq!(both, [0.5, 1.5]);
    assert_eq!(none, [0.0; 0]);
    clip.channels[0].node = NodeId(9);
    assert_eq!(key_times(&clip, NodeId(9)), [0.25, 0.5, 1.0, 1.5, 1.75]);
}
