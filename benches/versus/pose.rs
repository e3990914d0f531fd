//! From a clip and a time to palettes, CPU nanoseconds per joint: 30 Hz keys, 10 s, on every joint, played at 60 frames/s or
//! sought at random. `sample` starts from the rest pose; `all` is the whole chain in one go, as a frame runs it.
//!
//! Arguments choose among the kinds of keys: `R`, `TRS`, `STEP`, `CUBICSPLINE`; none: all of them.

#![expect(clippy::unwrap_used, reason = "the parts made here hold every invariant")]

mod clock;

use std::hint::black_box;

use clock::ns_per_call;
use glam::{Affine3A, Quat, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::math::Transform;
use skinscope::model::{
    Channel, Clip, Interpolation, LocalPose, Model, ModelParts, NodeId, Path, Sampler, Scene, Skeleton, Skin, Values,
};

const SECS: f32 = 10.0;

/// `R`: rotations are keyed, translations and scales have one key. The others: all three are keyed.
const KEYS: [(&str, bool, Interpolation); 4] = [
    ("R", false, Interpolation::Linear),
    ("TRS", true, Interpolation::Linear),
    ("STEP", true, Interpolation::Step),
    ("CUBICSPLINE", true, Interpolation::CubicSpline),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for joints in [19, 70, 250] {
        for (keys, all, interpolation) in KEYS {
            if asked.is_empty() || asked.iter().any(|a| a == keys) {
                measure(keys, &rig(joints, all, interpolation));
            }
        }
    }
}

fn measure(keys: &str, model: &Model) {
    let joints = model.skeleton.len();
    let mut f = Chain::default();
    f.sample(model, 0.5);
    let kinematics = ns_per_call(|| anim::local_to_model(&model.skeleton, black_box(&f.pose), &mut f.matrices));
    let palette = ns_per_call(|| deform::palettes(model, black_box(&f.matrices), &mut f.palettes));
    let (mut time_secs, mut random) = (0.0_f32, 1_u32);
    let mut play = || {
        time_secs = (time_secs + 1.0 / 60.0) % SECS;
        time_secs
    };
    let mut seek = || {
        // Numerical Recipes' linear congruential generator; its upper 24 bits.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as f32 / (1 << 24) as f32 * SECS
    };
    let cases: [(&str, &mut dyn FnMut() -> f32); 2] = [("playback", &mut play), ("random seek", &mut seek)];
    for (case, time) in cases {
        let sample = ns_per_call(|| f.sample(model, time()));
        let all = ns_per_call(|| f.all(model, time()));
        let [sample, kinematics, palette, all] = [sample, kinematics, palette, all].map(|ns| ns / joints as f64);
        println!(
            "{{\"bench\":\"pose\",\"case\":\"{case}\",\"keys\":\"{keys}\",\"joints\":{joints},\
             \"sample_ns_joint\":{sample:.2},\"kinematics_ns_joint\":{kinematics:.2},\
             \"palette_ns_joint\":{palette:.2},\"all_ns_joint\":{all:.2}}}"
        );
    }
}

/// What a frame keeps from one to the next.
#[derive(Default)]
struct Chain {
    pose: LocalPose,
    scratch: SampleScratch,
    matrices: Vec<Affine3A>,
    palettes: Vec<Affine3A>,
}

impl Chain {
    fn sample(&mut self, model: &Model, time_secs: f32) {
        anim::reset_to_rest(&model.skeleton, &mut self.pose);
        anim::sample(model, &model.clips[0], time_secs, &mut self.scratch, &mut self.pose);
        black_box(&self.pose);
    }

    fn all(&mut self, model: &Model, time_secs: f32) {
        self.sample(model, time_secs);
        anim::local_to_model(&model.skeleton, &self.pose, &mut self.matrices);
        deform::palettes(model, &self.matrices, &mut self.palettes);
        black_box(&self.palettes);
    }
}

/// Arms of eight joints on a root, each joint with its own keys; all share their key times.
fn rig(joints: usize, all: bool, interpolation: Interpolation) -> Model {
    let times: Vec<f32> = (0..=300).map(|i| i as f32 / 30.0).collect();
    let mut clip = Clip { name: "All joints".into(), times: vec![times.clone()], end_secs: SECS, ..Clip::default() };
    if !all {
        clip.times.push(vec![0.0]);
    }
    for joint in 0..joints {
        let p = joint as f32 * 0.37;
        let angle = |t: f32| 0.8 * (std::f32::consts::TAU * (1.0 + 0.3 * p.sin()) * t + p).sin();
        let axis = Vec3::new(p.sin(), 0.0, p.cos()).normalize();
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let slope = |t: f32| (angle(t + 1e-3) - angle(t - 1e-3)) / 2e-3;
        let turn = |t: f32| Quat::from_axis_angle(axis, angle(t));
        // In- and out-tangent: how fast the quaternion changes.
        let turning = |t: f32| turn(t) * Quat::from_vec4((axis * 0.5 * slope(t)).extend(0.0));
        let turns = times.iter().flat_map(|t| [turning(*t), turn(*t), turning(*t)].into_iter());
        let turns: Vec<Quat> = if per_key == 3 { turns.collect() } else { times.iter().map(|t| turn(*t)).collect() };
        let vectors = |value: &dyn Fn(f32) -> Vec3, along: Vec3| -> Vec<Vec3> {
            let keyed = if all { &times[..] } else { &times[..1] };
            let entries = keyed.iter().flat_map(|t| [along * slope(*t), value(angle(*t)), along * slope(*t)]);
            entries.skip(usize::from(per_key == 1)).step_by(if per_key == 1 { 3 } else { 1 }).collect()
        };
        let moves = vectors(&|a| Vec3::new(0.0, 0.1 + 0.01 * a, 0.02 * a), Vec3::new(0.0, 0.01, 0.02));
        let scales = vectors(&|a| Vec3::new(1.0 + 0.01 * a, 1.0, 1.0), Vec3::new(0.01, 0.0, 0.0));
        let one = usize::from(!all);
        let tracks = [
            (Path::Translation, one, Values::Vec3(moves.into())),
            (Path::Rotation, 0, Values::Quat(turns.into())),
            (Path::Scale, one, Values::Vec3(scales.into())),
        ];
        for (path, times, values) in tracks {
            clip.channels.push(Channel { node: NodeId::from_index(joint), path, sampler: clip.samplers.len() });
            clip.samplers.push(Sampler { times, interpolation, values });
        }
    }
    let parent = |i: usize| (i > 0).then(|| NodeId::from_index(if i % 8 == 1 { 0 } else { i - 1 }));
    let rest = LocalPose { transforms: vec![Transform::IDENTITY; joints], ..LocalPose::default() };
    let skin = Skin {
        name: "all".into(),
        joints: (0..joints).map(NodeId::from_index).collect(),
        inverse_bind: vec![Affine3A::IDENTITY; joints],
        ..Skin::default()
    };
    let parts = ModelParts {
        skeleton: Skeleton {
            parents: (0..joints).map(parent).collect(),
            names: (0..joints).map(|i| format!("joint {i}")).collect(),
            file_index: (0..joints as u32).collect(),
            rest,
            residuals: Vec::new(),
            far: None,
        },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; joints] }],
        skins: vec![skin],
        clips: vec![clip],
        ..ModelParts::default()
    };
    Model::build(parts).unwrap()
}
