//! Checks in numbers how the built-in character moves, where an eye would judge it. The test uses the crate's own
//! importer and deformer, which other tests hold against references.

#![expect(clippy::unwrap_used, reason = "a character that cannot be read fails the test")]

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::METHODS;
use skinscope::export::baked_surface;
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::model::{Clip, LocalPose, Model};

static FILE: &[u8] = include_bytes!("../../assets/character.glb");

struct Character {
    model: Arc<Model>,
}

impl Character {
    fn read() -> Self {
        let import = import_bytes(FILE, "character.glb", &Options::default(), &Progress::silent()).unwrap();
        assert!(import.warnings.is_empty(), "{:?}", import.warnings);
        Self { model: import.model }
    }

    fn clip(&self, name: &str) -> &Clip {
        self.model.clips.iter().find(|c| c.name == name).unwrap()
    }

    fn pose(&self, clip: &Clip, time_secs: f32) -> LocalPose {
        let mut pose = LocalPose::default();
        anim::reset_to_rest(&self.model.skeleton, &mut pose);
        anim::sample(&self.model, clip, time_secs, &mut SampleScratch::default(), &mut pose);
        pose
    }

    /// Where joints are in a pose, model space.
    fn joints<const N: usize>(&self, pose: &LocalPose, names: [&str; N]) -> [Vec3; N] {
        let mut out: Vec<Affine3A> = Vec::new();
        anim::local_to_model(&self.model.skeleton, pose, &mut out);
        let node = |name: &str| self.model.skeleton.names.iter().position(|n| n == name).unwrap();
        names.map(|name| out[node(name)].translation.into())
    }
}

/// `count` + 1 moments from start to end.
fn moments(clip: &Clip, count: usize) -> impl Iterator<Item = f32> {
    let end = clip.end_secs;
    (0..=count).map(move |i| end * i as f32 / count as f32)
}

/// How far a limb is bent at its middle joint, degrees: 0 is straight.
fn bent([a, b, c]: [Vec3; 3]) -> f32 {
    (b - a).angle_between(c - b).to_degrees()
}

#[test]
fn nothing_sinks_into_the_ground_and_nothing_floats() {
    let character = Character::read();
    for clip in &character.model.clips {
        for time in moments(clip, 24) {
            let surface = baked_surface(
                &character.model,
                &anim::drawn_at_rest(&character.model, 0),
                &character.pose(clip, time),
                METHODS[0],
            );
            let lowest = surface.iter().flat_map(|p| &p.positions).fold(f32::INFINITY, |low, p| low.min(p.y));
            assert!((-0.01..0.005).contains(&lowest), "{} at {time} s: lowest point at {lowest} m", clip.name);
        }
    }
}

#[test]
fn standing_feet_stay_where_they_are() {
    let character = Character::read();
    for (clip, feet) in [("Idle", ["Foot.L", "Foot.R"]), ("Wave", ["Foot.L", "Foot.R"]), ("Bend", ["Foot.L", "Toes.L"])]
    {
        let clip = character.clip(clip);
        let start = character.joints(&character.pose(clip, 0.0), feet);
        for time in moments(clip, 90) {
            let now = character.joints(&character.pose(clip, time), feet);
            let moved = start[0].distance(now[0]).max(start[1].distance(now[1]));
            assert!(moved < 0.0015, "{} at {time} s: a foot is off by {moved} m", clip.name);
        }
    }
}

#[test]
fn walking_feet_pass_over_the_ground_at_one_speed() {
    let character = Character::read();
    let clip = character.clip("Walk");
    let rest = character.joints(&character.model.skeleton.rest, ["Toes.L"])[0].y;
    let count = 66;
    let step = clip.end_secs / count as f32;
    let balls: Vec<[Vec3; 2]> =
        moments(clip, count).map(|t| character.joints(&character.pose(clip, t), ["Toes.L", "Toes.R"])).collect();
    let mut speeds = Vec::new();
    for pair in balls.windows(2) {
        let down = |side: usize| pair.iter().all(|balls| (balls[side].y - rest).abs() < 1e-3);
        speeds.extend((0..2).filter(|s| down(*s)).map(|side| (pair[1][side].z - pair[0][side].z) / step));
    }
    assert!(speeds.len() * 4 > count * 3, "the balls of the feet are down only {} times", speeds.len());
    let mean = speeds.iter().sum::<f32>() / speeds.len() as f32;
    assert!(mean < -0.5, "the ground passes backwards, not at {mean} m/s");
    assert!(speeds.iter().all(|s| (s - mean).abs() < 0.06 * -mean), "a standing foot slides");
}

#[test]
fn bend_goes_to_extremes_and_wave_is_seen() {
    let character = Character::read();
    let most = |clip: &str, measure: &dyn Fn(&LocalPose) -> f32| {
        let clip = character.clip(clip);
        moments(clip, 120).map(|t| measure(&character.pose(clip, t))).fold(f32::NEG_INFINITY, f32::max)
    };
    let limb = |names| move |character: &Character, pose: &LocalPose| bent(character.joints(pose, names));
    let elbow = limb(["UpperArm.L", "LowerArm.L", "Hand.L"]);
    let knee = limb(["UpperLeg.R", "LowerLeg.R", "Foot.R"]);
    assert!(most("Bend", &|pose| elbow(&character, pose)) > 130.0);
    assert!(most("Bend", &|pose| knee(&character, pose)) > 120.0);
    let fold = |pose: &LocalPose| {
        let [hips, neck] = character.joints(pose, ["Hips", "Neck"]);
        (neck - hips).angle_between(Vec3::Y).to_degrees()
    };
    assert!(most("Bend", &fold) > 45.0);
    let above = |pose: &LocalPose| {
        let [hand, head] = character.joints(pose, ["Hand.R", "Head"]);
        hand.y - head.y
    };
    assert!(most("Wave", &above) > 0.1, "the waving hand stays below the face");
}
