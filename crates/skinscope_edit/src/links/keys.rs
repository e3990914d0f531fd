//! The keys of links in clips, and how far clips turn a joint.

use glam::{Quat, Vec3};
use skinscope_anim::{SampleScratch, reset_to_rest, sample};
use skinscope_model::{
    Channel, Clip, ClipId, ClipSource, Interpolation, Keys, LinkDrive, LinkTrack, LocalPose, Model, NewLink, NodeId,
    Path, Values, twist_about,
};

/// By how much the keys of a link may lead it astray between two of them, radians: 0.006°. So a vertex a tenth of the size of the
/// body away from the link is no more than a hundred thousandth of that size off.
const ASTRAY: f32 = 1e-4;
/// How often the time between two keys of the joint is halved at the most.
const HALVINGS: u32 = 8;

/// The farthest that clips turn a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LargestTurn {
    pub degrees: f32,
    /// The clip, and the time in it, seconds; `None` where no clip turns it.
    pub moment: Option<(ClipId, f32)>,
    /// The turn then, in the space of the joint as it is bound.
    pub turn: Quat,
}

/// The rotations of a joint over a clip.
struct Turns<'m> {
    model: &'m Model,
    clip: &'m Clip,
    joint: NodeId,
    scratch: SampleScratch,
    pose: LocalPose,
}

impl<'m> Turns<'m> {
    fn of(model: &'m Model, clip: &'m Clip, joint: NodeId) -> Self {
        Self { model, clip, joint, scratch: SampleScratch::default(), pose: LocalPose::default() }
    }

    fn at(&mut self, time_secs: f32) -> Quat {
        reset_to_rest(&self.model.skeleton, &mut self.pose);
        sample(self.model, self.clip, time_secs, &mut self.scratch, &mut self.pose);
        self.pose.transforms[self.joint.index()].rotation
    }
}

/// Returns the channel that moves a property of a node; of several the last one counts.
fn channel(clip: &Clip, node: NodeId, path: Path) -> Option<&Channel> {
    clip.channels.iter().rev().find(|channel| channel.node == node && channel.path == path)
}

/// Returns the angle between two rotations, radians.
fn between(a: Quat, b: Quat) -> f32 {
    let turn = a.inverse() * b;
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

/// Finds the farthest turn of a joint in the clips of a model, as the drive counts it: whole, or about an axis.
pub(super) fn largest_turn(model: &Model, joint: NodeId, drive: &LinkDrive) -> LargestTurn {
    let mut out = LargestTurn::default();
    for (index, clip) in model.clips.iter().enumerate() {
        let Some(channel) = channel(clip, joint, Path::Rotation) else { continue };
        let times = &clip.times[clip.samplers[channel.sampler].times];
        let between_keys = times.windows(2).map(|two| 0.5 * (two[0] + two[1]));
        let mut turns = Turns::of(model, clip, joint);
        for time_secs in times.iter().copied().chain(between_keys) {
            let rotation = turns.at(time_secs);
            let angle = match drive.axis {
                None => between(drive.from, rotation),
                Some(axis) => twist_about(rotation * drive.from.inverse(), axis).abs(),
            };
            if angle.to_degrees() > out.degrees.max(1e-2) {
                out = LargestTurn {
                    degrees: angle.to_degrees(),
                    moment: Some((ClipId::from_index(index), time_secs)),
                    turn: drive.from.inverse() * rotation,
                };
            }
        }
    }
    out
}

/// Returns the keys of links in all clips that move their joint. In clips of poses at key times, which were made here, they have these key
/// times alone, since all channels of such a clip have one list of times.
pub(super) fn tracks(model: &Model, joint: NodeId, links: &[NewLink]) -> Vec<LinkTrack> {
    let mut out = Vec::new();
    for (index, clip) in model.clips.iter().enumerate() {
        let id = ClipId::from_index(index);
        if let Some(channel) = channel(clip, joint, Path::Rotation) {
            let mut turns = Turns::of(model, clip, joint);
            let sampler = &clip.samplers[channel.sampler];
            let keys = &clip.times[sampler.times];
            let is_step = sampler.interpolation == Interpolation::Step;
            for (link, NewLink { drive, .. }) in links.iter().enumerate() {
                let mut at = |time_secs: f32| drive.rotation(turns.at(time_secs));
                let (times, rotations) = match is_step || clip.source == ClipSource::Keyed {
                    true => (keys.clone(), keys.iter().map(|time| at(*time)).collect::<Vec<Quat>>()),
                    false => dense(keys, &mut at),
                };
                let interpolation = if is_step { Interpolation::Step } else { Interpolation::Linear };
                let values = Values::Quat(continued(rotations).into());
                out.push(LinkTrack { clip: id, link, path: Path::Rotation, times, interpolation, values });
            }
        }
        if let Some(channel) = channel(clip, joint, Path::Translation) {
            let sampler = &clip.samplers[channel.sampler];
            let Values::Vec3(values) = &sampler.values else { continue };
            for (link, NewLink { drive, .. }) in links.iter().enumerate() {
                let moved: Keys<Vec3> = values.iter().map(|value| value * drive.along).collect();
                let (times, interpolation) = (clip.times[sampler.times].clone(), sampler.interpolation);
                let values = Values::Vec3(moved);
                out.push(LinkTrack { clip: id, link, path: Path::Translation, times, interpolation, values });
            }
        }
    }
    out
}

/// Returns key times, with others between them, so that what goes evenly from key to key is nowhere astray, and the rotations then.
pub(super) fn dense(keys: &[f32], at: &mut dyn FnMut(f32) -> Quat) -> (Vec<f32>, Vec<Quat>) {
    let (mut times, mut rotations): (Vec<f32>, Vec<Quat>) = (Vec::new(), Vec::new());
    // The ends of spans that are still to be followed, the nearest last.
    let mut open: Vec<(f32, u32)> = keys.iter().rev().map(|time| (*time, 0)).collect();
    while let Some((end, halved)) = open.pop() {
        let to = at(end);
        if let (Some(start), Some(from)) = (times.last().copied(), rotations.last().copied()) {
            let middle = 0.5 * (start + end);
            let can_halve = halved < HALVINGS && middle > start && middle < end;
            if can_halve && is_astray([start, end], [from, to], at) {
                open.extend([(end, halved + 1), (middle, halved + 1)]);
                continue;
            }
        }
        times.push(end);
        rotations.push(to);
    }
    (times, rotations)
}

/// Returns whether an even turn between two rotations is not what happens at a quarter, at half and at three quarters of the time.
fn is_astray([start, end]: [f32; 2], [from, to]: [Quat; 2], at: &mut dyn FnMut(f32) -> Quat) -> bool {
    [0.25, 0.5, 0.75].into_iter().any(|share| {
        let even = from.slerp(to, share);
        between(even, at(start + (end - start) * share)) > ASTRAY
    })
}

/// Returns the same rotations, each as that of its two quaternions that is nearer to the one before.
fn continued(rotations: Vec<Quat>) -> Vec<Quat> {
    let mut out: Vec<Quat> = Vec::with_capacity(rotations.len());
    for rotation in rotations {
        let is_opposite = out.last().is_some_and(|before| before.dot(rotation) < 0.0);
        out.push(if is_opposite { -rotation } else { rotation });
    }
    out
}
