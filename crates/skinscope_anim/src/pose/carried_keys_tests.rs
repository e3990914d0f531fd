//! Random clips on random rigs look the same on rigs with other axes, of other sizes, and that stand turned.

use glam::{Affine3A, DAffine3, DQuat, DVec3, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Channel, Clip, Interpolation, LocalPose, Model, ModelParts, NodeId, Path, Sampler, Values};

use super::super::reach::tests::body;
use super::super::{CarriedClips, NameMap, NodeMap, capture, carry, carry_clips, world};
use crate::{SampleScratch, sample};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f32) as usize).min(n - 1)
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    fn turn(&mut self) -> Quat {
        let [x, y] = [self.vector(), self.vector()].map(|v| v + Vec3::splat(1e-3));
        (Quat::from_rotation_arc(x.normalize(), y.normalize()) * Quat::from_rotation_z(6.0 * self.unit())).normalize()
    }
}

/// How a rig stands, and the axes of its joints.
struct Build<'a> {
    scale: f32,
    /// Whether the root has the scale, instead of the bones.
    by_root: bool,
    yaw: f32,
    axes: &'a dyn Fn(usize) -> Quat,
    /// Nodes that it lacks; what hangs on them hangs on the node above.
    without: &'a [&'a str],
}

/// Makes the body of other axes, bound as it rests.
fn built(build: &Build<'_>) -> Model {
    let body = body();
    let positions: Vec<Vec3> =
        world(&body.skeleton, &body.skeleton.rest).iter().map(|m| m.translation.as_vec3()).collect();
    let kept: Vec<usize> =
        (0..positions.len()).filter(|i| !build.without.contains(&body.skeleton.names[*i].as_str())).collect();
    let mut parts: ModelParts = (*tube(Tube { joints: kept.len() - 1, ..Tube::default() })).clone();
    let above = |i: usize| {
        let up = std::iter::successors(body.skeleton.parents[i], |p| body.skeleton.parents[p.index()]);
        up.map(NodeId::index).find(|p| kept.contains(p))
    };
    let at = |i: usize| kept.iter().position(|k| *k == i).unwrap();
    let (bones, root) = if build.by_root { (1.0, build.scale) } else { (build.scale, 1.0) };
    let yaw = Quat::from_rotation_y(build.yaw);
    // The axes of the root are those of the world, but for its yaw.
    let axes = |i: usize| if i == 0 { Quat::IDENTITY } else { (build.axes)(i) };
    parts.skeleton.parents = kept.iter().map(|i| above(*i).map(|p| NodeId::from_index(at(p)))).collect();
    parts.skeleton.names = kept.iter().map(|i| body.skeleton.names[*i].clone()).collect();
    parts.skeleton.rest.transforms = kept
        .iter()
        .map(|i| match above(*i) {
            None => Transform { rotation: yaw, scale: Vec3::splat(root), ..Transform::IDENTITY },
            Some(p) => Transform {
                translation: axes(p).inverse() * (positions[*i] - positions[p]) * bones,
                rotation: (axes(p).inverse() * axes(*i)).normalize(),
                ..Transform::IDENTITY
            },
        })
        .collect();
    parts.skins[0].joints = (1..kept.len()).map(NodeId::from_index).collect();
    let rest = world(&parts.skeleton, &parts.skeleton.rest);
    parts.skins[0].inverse_bind = rest[1..].iter().map(|m| Affine3A::from(m.inverse().as_affine3())).collect();
    parts.clips.clear();
    Model::build(parts).unwrap()
}

const WAYS: [Interpolation; 3] = [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];

/// Adds a channel with random keys around a value.
fn add(clip: &mut Clip, random: &mut Random, node: usize, path: Path, rest: Transform, way: Interpolation) {
    let mut secs = random.unit();
    let times: Vec<f32> = (0..2 + random.below(5))
        .map(|_| {
            secs += 0.05 + random.unit();
            secs
        })
        .collect();
    let per_key = if way == Interpolation::CubicSpline { 3 } else { 1 };
    let entries = times.len() * per_key;
    let is_tangent = |entry: usize| per_key == 3 && entry % 3 != 1;
    let values = match path {
        Path::Rotation => {
            let mut key = |entry: usize| {
                if is_tangent(entry) {
                    let v = random.vector() * 0.4;
                    return Quat::from_xyzw(v.x, v.y, v.z, random.unit() - 0.5);
                }
                (rest.rotation * Quat::IDENTITY.slerp(random.turn(), 0.4)).normalize()
            };
            Values::Quat((0..entries).map(&mut key).collect::<Vec<_>>().into())
        }
        Path::Translation => {
            let mut key =
                |entry: usize| random.vector() * 0.3 + if is_tangent(entry) { Vec3::ZERO } else { rest.translation };
            Values::Vec3((0..entries).map(&mut key).collect::<Vec<_>>().into())
        }
        _ => {
            let mut key = |entry: usize| {
                if is_tangent(entry) {
                    Vec3::splat(random.unit() - 0.5)
                } else {
                    rest.scale * (0.7 + 0.6 * random.unit())
                }
            };
            Values::Vec3((0..entries).map(&mut key).collect::<Vec<_>>().into())
        }
    };
    clip.times.push(times);
    clip.samplers.push(Sampler { times: clip.times.len() - 1, interpolation: way, values });
    clip.channels.push(Channel { node: NodeId::from_index(node), path, sampler: clip.samplers.len() - 1 });
}

/// Gives a model one clip, with lists of times as a built model has them.
fn with_clip(model: &Model, mut clip: Clip) -> Model {
    let all = || clip.times.iter().flatten().copied();
    let (first, last) = (all().fold(f32::INFINITY, f32::min), all().fold(0.0, f32::max));
    (clip.start_secs, clip.end_secs, clip.name) = (first, last, "Random".into());
    let mut parts: ModelParts = (**model).clone();
    parts.clips = vec![clip];
    Model::build(parts).unwrap()
}

fn carried(from: &Model, to: &Model) -> (Model, CarriedClips) {
    let carried = carry_clips(from, to, &NodeMap::new());
    (to.with_clips(carried.clips.clone()).unwrap(), carried)
}

fn at(model: &Model, secs: f32) -> Vec<DAffine3> {
    let mut pose: LocalPose = model.skeleton.rest.clone();
    sample(model, &model.clips[0], secs, &mut SampleScratch::default(), &mut pose);
    world(&model.skeleton, &pose)
}

/// All keys of a clip, and moments between them.
fn moments(clip: &Clip, random: &mut Random) -> Vec<f32> {
    let mut out: Vec<f32> = clip.times.iter().flatten().copied().collect();
    out.extend(out.clone().into_iter().map(f32::next_down));
    out.extend((0..40).map(|_| random.unit() * (clip.end_secs + 0.2)));
    out
}

#[test]
fn the_surface_is_that_of_the_other_rig_at_all_times() {
    for seed in 0..60 {
        let random = &mut Random(seed);
        let turns: Vec<[Quat; 2]> = (0..16).map(|_| [random.turn(), random.turn()]).collect();
        let rolls = seed % 5 != 0;
        let source = built(&Build {
            scale: 1.0,
            by_root: false,
            yaw: [0.0, 0.7][random.below(2)],
            axes: &|i| turns[i][0],
            without: &[],
        });
        let scale = [1.0, 2.5, 0.01][random.below(3)];
        let yaw = [0.0, 1.2, std::f32::consts::PI, -0.1][random.below(4)];
        let axes = |i: usize| turns[i][usize::from(rolls)];
        let target = built(&Build { scale, by_root: random.below(2) == 0, yaw, axes: &axes, without: &[] });
        let mut clip = Clip::default();
        for node in 0..16 {
            let rest = source.skeleton.rest.transforms[node];
            for path in [Path::Rotation, Path::Translation, Path::Scale] {
                let share = if path == Path::Rotation { 0.8 } else { 0.2 };
                // The root stands where it stands: its turns are no clip's, or else nobody stands turned.
                if random.unit() < share && node > 0 {
                    let way = WAYS[random.below(3)];
                    add(&mut clip, random, node, path, rest, way);
                }
            }
        }
        let source = with_clip(&source, clip);
        let (target, said) = carried(&source, &target);
        assert!(said.unmatched.is_empty() && said.resampled.is_empty(), "{:?}", said.resampled);
        let (theirs, ours) = (&source.clips[0], &target.clips[0]);
        for channel in &theirs.channels {
            let sampler = &theirs.samplers[channel.sampler];
            let own = ours.channels.iter().find(|c| (c.node, c.path) == (channel.node, channel.path)).unwrap();
            let own = &ours.samplers[own.sampler];
            assert_eq!(own.interpolation, sampler.interpolation);
            assert_eq!(ours.times[own.times], theirs.times[sampler.times]);
        }
        let rest = [&source, &target].map(|model| world(&model.skeleton, &model.skeleton.rest));
        // What brings the other rig at rest to where this one rests.
        let turned = rest[1][0].matrix3 * rest[0][0].matrix3.inverse();
        let size = f64::from(scale);
        let x_axis = turned.col(0).normalize();
        let facing =
            DQuat::from_mat3(&glam::DMat3::from_cols(x_axis, turned.col(1).normalize(), turned.col(2).normalize()));
        for secs in moments(theirs, random) {
            let (there, here) = (at(&source, secs), at(&target, secs));
            for joint in 1..16 {
                for corner in [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.05), DVec3::new(0.0, -0.1, 0.0)] {
                    let point = rest[0][joint].translation + corner;
                    let wanted = facing * (there[joint] * rest[0][joint].inverse()).transform_point3(point) * size;
                    let own = facing * point * size;
                    let got = (here[joint] * rest[1][joint].inverse()).transform_point3(own);
                    assert!(got.distance(wanted) < 1e-5 * size, "seed {seed}, joint {joint} at {secs}: {got} {wanted}");
                }
            }
        }
    }
}

/// The turns of all nodes from rest, by name.
fn turns(model: &Model, secs: f32) -> Vec<(String, DQuat)> {
    let rest = world(&model.skeleton, &model.skeleton.rest);
    let turn = |(a, b): (&DAffine3, &DAffine3)| DQuat::from_mat3(&(a.matrix3 * b.matrix3.inverse()));
    model.skeleton.names.iter().cloned().zip(at(model, secs).iter().zip(&rest).map(turn)).collect()
}

#[test]
fn joints_that_a_model_lacks_turn_those_below_them_by_keys_where_these_exist() {
    for (number, (nodes, ways, is_exact)) in [
        (vec!["Spine"], vec![Interpolation::CubicSpline], true),
        (vec!["Spine", "UpperArm.L", "UpperArm.R"], vec![Interpolation::Step; 3], true),
        (vec!["Hips", "Spine", "Head"], vec![Interpolation::Linear; 3], false),
        (vec!["Hips", "UpperArm.L"], vec![Interpolation::Step, Interpolation::Linear], false),
    ]
    .into_iter()
    .enumerate()
    {
        let random = &mut Random(99 + number as u64);
        let axes: Vec<[Quat; 2]> = (0..16).map(|_| [random.turn(), random.turn()]).collect();
        let source = Build { scale: 1.0, by_root: false, yaw: 0.0, axes: &|i| axes[i][0], without: &[] };
        let source = built(&source);
        let without = ["Hips", "Spine"];
        let is_step = ways.iter().all(|way| *way == Interpolation::Step);
        let target = built(&Build { scale: 1.0, by_root: false, yaw: 0.0, axes: &|i| axes[i][1], without: &without });
        let mut clip = Clip::default();
        for (name, way) in nodes.iter().zip(ways) {
            let node = source.skeleton.names.iter().position(|n| n == name).unwrap();
            let rest = source.skeleton.rest.transforms[node];
            add(&mut clip, random, node, Path::Rotation, rest, way);
        }
        let source = with_clip(&source, clip);
        let (target, said) = carried(&source, &target);
        assert_eq!(said.resampled.is_empty(), is_exact, "{nodes:?}: {:?}", said.resampled);
        if is_step {
            // What jumps there jumps here, at the same moments.
            let ([theirs, ours], step) = ([&source.clips[0], &target.clips[0]], Interpolation::Step);
            assert!(ours.samplers.iter().all(|sampler| sampler.interpolation == step), "{nodes:?}");
            let moments: Vec<f32> = theirs.times.iter().flatten().copied().collect();
            assert!(ours.times.iter().flatten().all(|secs| moments.contains(secs)), "{nodes:?}: {:?}", ours.times);
        }
        let mut most = 0.0_f64;
        for secs in moments(&source.clips[0], random) {
            let there = turns(&source, secs);
            for (name, own) in turns(&target, secs) {
                let wanted = there.iter().find(|(n, _)| *n == name).unwrap().1;
                most = most.max(own.angle_between(wanted));
            }
        }
        // Between two moments of the sampled ones a turn goes straight on.
        assert!(most < if is_exact { 1e-4 } else { 0.02 }, "{nodes:?}: {most}");
    }
}

#[test]
fn people_say_which_joint_is_which() {
    let straight = |_: usize| Quat::IDENTITY;
    let build = Build { scale: 1.0, by_root: false, yaw: 0.0, axes: &straight, without: &[] };
    let source = built(&build);
    let mut clip = Clip::default();
    let node = |name: &str| source.skeleton.names.iter().position(|n| n == name).unwrap();
    for name in ["Head", "Hand.L"] {
        let at = node(name);
        add(&mut clip, &mut Random(5), at, Path::Rotation, source.skeleton.rest.transforms[at], Interpolation::Linear);
    }
    let source = with_clip(&source, clip);
    let mut parts: ModelParts = (*built(&build)).clone();
    parts.skeleton.names[node("Head")] = "Kopf".into();
    let target = Model::build(parts).unwrap();
    let map = NameMap::parse(br#"{"Head": "Kopf", "Hand.L": null}"#).unwrap();
    assert_eq!(NameMap::parse(map.text().as_bytes()).as_ref(), Ok(&map));
    let carried = carry_clips(&source, &target, &map.find(&source, &target).unwrap());
    let nodes: Vec<usize> = carried.clips[0].channels.iter().map(|c| c.node.index()).collect();
    assert_eq!((nodes, carried.unmatched), (vec![node("Head")], vec!["Hand.L".to_owned()]));
    let wrong = |text: &str| {
        let map = NameMap::parse(text.as_bytes()).map_err(|error| error.to_string())?;
        map.find(&source, &target).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(wrong(r#"{"Haed": "Kopf"}"#).unwrap_err().contains("nearest of 15 joints are Head"));
    assert!(wrong(r#"{"Head": "Koph"}"#).unwrap_err().contains("Kopf"));
    assert!(wrong(r#"{"Head": "Kopf", "Spine": "Kopf"}"#).unwrap_err().contains("one counterpart"));
    assert!(wrong(r#"{"Head": 3}"#).unwrap_err().contains("a name or null"));
    assert!(wrong("[]").unwrap_err().contains("an object of names"));
}

#[test]
fn on_a_figure_of_other_proportions_each_moment_is_the_pose_carried_over() {
    for seed in 0..20 {
        let random = &mut Random(500 + seed);
        let axes: Vec<[Quat; 2]> = (0..16).map(|_| [random.turn(), random.turn()]).collect();
        let build = |set: usize| {
            let axes = |i: usize| axes[i][set];
            built(&Build { scale: 1.0 + set as f32, by_root: false, yaw: 0.0, axes: &axes, without: &[] })
        };
        let (source, target) = (build(0), build(1));
        let mut rest = target.skeleton.rest.clone();
        for transform in &mut rest.transforms[1..] {
            transform.translation *= 0.8 + 0.4 * random.unit();
            transform.rotation = (transform.rotation * Quat::IDENTITY.slerp(random.turn(), 0.2)).normalize();
        }
        let target = target.with_rest(&rest).unwrap();
        let mut clip = Clip::default();
        for node in 1..16 {
            for path in [Path::Rotation, Path::Translation, Path::Scale] {
                let way = WAYS[random.below(3)];
                add(&mut clip, random, node, path, source.skeleton.rest.transforms[node], way);
            }
        }
        let source = with_clip(&source, clip);
        let (target, said) = carried(&source, &target);
        assert!(said.is_corrected && said.resampled.is_empty());
        for secs in moments(&source.clips[0], random) {
            let [mut there, mut here] = [&source, &target].map(|model| model.skeleton.rest.clone());
            sample(&source, &source.clips[0], secs, &mut SampleScratch::default(), &mut there);
            sample(&target, &target.clips[0], secs, &mut SampleScratch::default(), &mut here);
            let mut wanted = target.skeleton.rest.clone();
            carry(&source, &target, &capture(&source, &there, "")).apply(&mut wanted);
            for (node, (got, wanted)) in here.transforms.iter().zip(&wanted.transforms).enumerate() {
                let turned = 1.0 - got.rotation.dot(wanted.rotation.normalize()).abs();
                let apart = got.translation.distance(wanted.translation) + got.scale.distance(wanted.scale);
                assert!(turned < 1e-6 && apart < 1e-4, "seed {seed}, node {node} at {secs}: {got:?} {wanted:?}");
            }
        }
    }
}
