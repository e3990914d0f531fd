//! Three keys and what lies between them: STEP, LINEAR and CUBICSPLINE, clamped at both ends.

use glam::Vec3;
use skinscope_base::math::Transform;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The balls, each with where it moves up and down.
const BALLS: [(&str, f32); 3] = [("STEP", -1.2), ("LINEAR", 0.0), ("CUBICSPLINE", 1.2)];
/// The times of the keys, seconds: one apart.
const TIMES: [f64; 3] = [0.0, 1.0, 2.0];
/// The heights of the first and the last key; that of the middle one is a slider.
const ENDS: [f64; 2] = [-0.9, 0.6];
const RADIUS: f32 = 0.16;
/// Keys that are less than this apart in height, metres, have one name together.
const NEAR: f64 = 0.13;

/// The row of this example in [`super::SCENES`].
pub(super) static KEYS: Scene = Scene {
    id: "keys",
    text: include_str!("../../../assets/examples/keys.md"),
    sliders: &["t", "v"],
    symbols: SYMBOLS,
    stage: [[-1.9, -1.3, -0.3], [1.9, 1.4, 0.3]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

fn ball(moment: &Moment, at: usize, label: &str) -> Vec<Mark> {
    vec![Mark::dot(moment.joint_position(BALLS[at].0), MarkInk::Accent, label).wide(18.0)]
}

/// A short line across one way at a height.
fn tick(way: usize, height: f64, ink: MarkInk, label: &str) -> Mark {
    let at = |dx: f32| Vec3::new(BALLS[way].1 + dx, height as f32, 0.0);
    Mark::line(vec![at(-0.25), at(0.25)], ink, label)
}

/// A short line across each way at a height.
fn ticks(height: f64, ink: MarkInk, label: &str) -> Vec<Mark> {
    (0..BALLS.len()).map(|way| tick(way, height, ink, label)).collect()
}

/// A steepness as a line at a height on the right way: the height that a second would gain.
fn slope(height: f64, steep: f64, label: &str) -> Vec<Mark> {
    let at = |x: f32| Vec3::new(BALLS[2].1 + x, height as f32 + x * steep as f32, 0.0);
    vec![Mark::line(vec![at(-0.3), at(0.3)], MarkInk::Accent, label).wide(5.0)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "t" "t" [unit: Unit::Seconds] "the time at which the balls are shown" =>
        |m| m.slider("t").into(), |m| (0..3).flat_map(|i| ball(m, i, "t")).collect();
    "t0" "t" [below: "0", unit: Unit::Seconds] "the time of the key before" =>
        |m| TIMES[segment(m.settings())].into(), |m| ticks(values(m.settings())[segment(m.settings())], MarkInk::Accent, "t₀");
    "t1" "t" [below: "1", unit: Unit::Seconds] "the time of the key after" =>
        |m| TIMES[segment(m.settings()) + 1].into(),
        |m| ticks(values(m.settings())[segment(m.settings()) + 1], MarkInk::Accent, "t₁");
    "u" "u" "how far the time has come from the key before to the one after" =>
        |m| share(m.settings()).into(), |m| ball(m, 1, "u");
    "a" "a" [unit: Unit::Metres] "the height of the key before" =>
        |m| values(m.settings())[segment(m.settings())].into(),
        |m| ticks(values(m.settings())[segment(m.settings())], MarkInk::Accent, "a");
    "b" "b" [unit: Unit::Metres] "the height of the key after" =>
        |m| values(m.settings())[segment(m.settings()) + 1].into(),
        |m| ticks(values(m.settings())[segment(m.settings()) + 1], MarkInk::Accent, "b");
    "l" "y" [unit: Unit::Metres] "the height of the middle ball, read from its joint" =>
        |m| height(m, 1).into(), |m| ball(m, 1, "y");
    "c" "c" [unit: Unit::Metres] "the height of the right ball, read from its joint" =>
        |m| height(m, 2).into(), |m| ball(m, 2, "c");
    like height_share::<0>("ha", "a", "how much of a, the height of the key before, counts in c");
    like slope_share::<0>("hm", "m", "how much of m, the steepness at the key before, counts in c");
    like height_share::<1>("hb", "b", "how much of b, the height of the key after, counts in c");
    like slope_share::<1>("hn", "n", "how much of n, the steepness at the key after, counts in c");
    "m" "m" [unit: Unit::MetresPerSecond] "how steep the spline is at the key before, metres a second" =>
        |m| steepness(m.settings())[segment(m.settings())].into(),
        |m| {
            let at = segment(m.settings());
            slope(values(m.settings())[at], steepness(m.settings())[at], "m")
        };
    "n" "n" [unit: Unit::MetresPerSecond] "how steep the spline is at the key after, metres a second" =>
        |m| steepness(m.settings())[segment(m.settings()) + 1].into(),
        |m| {
            let at = segment(m.settings()) + 1;
            slope(values(m.settings())[at], steepness(m.settings())[at], "n")
        };
};

/// How much of each height (a, b) and steepness (m, n) counts in the spline, at a part of the way from one key to the next.
fn shares(u: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2]
}

/// How much of a height counts: the key `after` the one before is marked on the way of the spline.
const fn height_share<const AFTER: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "h",
        below,
        words,
        value: |m| shares(share(m.settings()))[2 * AFTER].into(),
        marks: |m| {
            let height = values(m.settings())[segment(m.settings()) + AFTER];
            vec![tick(2, height, MarkInk::Accent, ["a", "b"][AFTER]).wide(5.0)]
        },
        ..Symbol::PLAIN
    }
}

/// The same of a steepness.
const fn slope_share<const AFTER: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "h",
        below,
        words,
        value: |m| shares(share(m.settings()))[2 * AFTER + 1].into(),
        marks: |m| {
            let at = segment(m.settings()) + AFTER;
            slope(values(m.settings())[at], steepness(m.settings())[at], ["m", "n"][AFTER])
        },
        ..Symbol::PLAIN
    }
}

/// Three balls, each in the space of its joint.
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Keys and what lies between");
    let joints: Vec<NodeId> = BALLS.iter().map(|(name, x)| rig.joint(name, NodeId(0), [*x, 0.0, 0.0])).collect();
    for (joint, color) in joints.into_iter().zip([0x7fa6d6, 0xe6c07a, 0x8fc58a]) {
        rig.rigid("ball", joint, Shape::ball(RADIUS).painted(move |_| color));
    }
    rig.build()
}

/// The heights of the keys.
fn values(settings: &Settings) -> [f64; 3] {
    [ENDS[0], f64::from(settings.get("v")), ENDS[1]]
}

/// How steep the spline is at each key, metres a second: as the line between its neighbours, and level at both ends.
fn steepness(settings: &Settings) -> [f64; 3] {
    let [first, _, last] = values(settings);
    [0.0, (last - first) / (TIMES[2] - TIMES[0]), 0.0]
}

/// The number of the key before, of those that another one follows.
fn segment(settings: &Settings) -> usize {
    usize::from(f64::from(settings.get("t")) >= TIMES[1])
}

fn share(settings: &Settings) -> f64 {
    (f64::from(settings.get("t")) - TIMES[segment(settings)]).clamp(0.0, 1.0)
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let (at, u) = (segment(settings), share(settings));
    let ([a, b], [m, n]) = ([at, at + 1].map(|i| values(settings)[i]), [at, at + 1].map(|i| steepness(settings)[i]));
    // At the last key its own value counts.
    let step = if u < 1.0 { a } else { b };
    let spline = a + u * m + u * u * (3.0 * (b - a) - 2.0 * m - n) + u * u * u * (2.0 * (a - b) + m + n);
    for ((name, _), height) in BALLS.iter().zip([step, a + u * (b - a), spline]) {
        change(skeleton, local, name, |t: &mut Transform| t.translation.y = height as f32);
    }
}

fn height(moment: &Moment, ball: usize) -> f64 {
    f64::from(moment.joint_position(BALLS[ball].0).y)
}

/// The ways of the balls, and the heights of the keys.
fn marks(moment: &Moment) -> Vec<Mark> {
    let way = |(name, x): &(&str, f32)| {
        Mark::line(vec![Vec3::new(*x, 1.2, 0.0), Vec3::new(*x, -1.15, 0.0)], MarkInk::Dim, *name).wide(1.5)
    };
    let mut out: Vec<Mark> = BALLS.iter().map(way).collect();
    let values = values(moment.settings());
    for way in 0..BALLS.len() {
        for (key, value) in values.into_iter().enumerate() {
            out.push(tick(way, value, MarkInk::First, &key_name(&values, key)));
        }
    }
    out
}

/// Returns the name of a key on the way of a ball: the times of all keys that are at its height or hardly above or below it, beside
/// the first of them. Empty for the others.
fn key_name(values: &[f64; 3], key: usize) -> String {
    let near = |other: &usize| (values[*other] - values[key]).abs() < NEAR;
    let all: Vec<usize> = (0..values.len()).filter(near).collect();
    let times: Vec<String> = all.iter().map(|key| format!("{} s", TIMES[*key])).collect();
    match all.first() {
        Some(first) if *first < key => String::new(),
        _ => format!("{} {}", if times.len() > 1 { "keys" } else { "key" }, times.join(", ")),
    }
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("t", 120);
    let of = |(ball, (name, _)): (usize, &(&str, f32))| Curve::measured(*name, &along, |m| height(m, ball));
    BALLS.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use skinscope_anim::{self as anim, SampleScratch};
    use skinscope_model::{Channel, Clip, Interpolation, ModelParts, Path, Sampler, Values};

    use super::*;

    #[test]
    fn every_key_has_its_name_on_the_way_of_every_ball() {
        let first = Moment::new(Settings::of(KEYS.example()));
        for v in [-1.0, -0.9, 0.0, 0.5, 0.6, 1.0] {
            let moment = first.with("v", v);
            let drawn = marks(&moment);
            for (_, x) in BALLS {
                for (height, time) in [(-0.9, "0 s"), (v, "1 s"), (0.6, "2 s")] {
                    let is_name = |mark: &&Mark| {
                        let at = mark.points[mark.points.len() - 1];
                        mark.label.contains(time) && (at.x - x).abs() < 0.3 && (at.y - height).abs() < 0.13
                    };
                    assert_eq!(drawn.iter().filter(is_name).count(), 1, "{v}: {time} at {x}");
                }
            }
        }
    }

    /// The same keys as a clip, sampled as any file's are.
    #[test]
    fn balls_are_where_the_sampler_of_files_puts_them_over_both_sliders() {
        let first = Moment::new(Settings::of(KEYS.example()));
        for v in [-1.0_f32, -0.2, 0.5, 0.8, 1.0] {
            let keyed = first.with("v", v);
            let key = |height: f64| Vec3::new(0.0, height as f32, 0.0);
            let plain: Vec<Vec3> = values(keyed.settings()).map(key).to_vec();
            let steep = steepness(keyed.settings()).map(key);
            let spline = (0..3).flat_map(|i| [steep[i], plain[i], steep[i]]).collect();
            let kinds = [
                (Interpolation::Step, Values::Vec3(plain.clone().into())),
                (Interpolation::Linear, Values::Vec3(plain.into())),
                (Interpolation::CubicSpline, Values::Vec3(spline)),
            ];
            let channel = |sampler| Channel { node: NodeId::from_index(sampler + 1), path: Path::Translation, sampler };
            let clip = Clip {
                name: "keys".into(),
                channels: (0..3).map(channel).collect(),
                samplers: kinds.map(|(interpolation, values)| Sampler { times: 0, interpolation, values }).to_vec(),
                times: vec![TIMES.map(|t| t as f32).to_vec()],
                start_secs: 0.0,
                end_secs: 2.0,
                ..Clip::default()
            };
            let parts = ModelParts { clips: vec![clip], ..(***keyed.model()).clone() };
            let model = Model::build(parts).unwrap();
            let mut scratch = SampleScratch::default();
            for i in 0..=60 {
                let t = -0.5 + i as f32 * 0.05;
                let mut local = model.skeleton.rest.clone();
                anim::sample(&model, &model.clips[0], t, &mut scratch, &mut local);
                let moment = keyed.with("t", t);
                for (ball, (name, _)) in BALLS.iter().enumerate() {
                    let (got, wanted) = (height(&moment, ball), f64::from(local.transforms[ball + 1].translation.y));
                    assert!((got - wanted).abs() < 1e-5, "{v} {t} s, {name}: {got} {wanted}");
                }
            }
        }
    }
}
