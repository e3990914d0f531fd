//! Playback: the pose that is shown, and how time passes.

pub(crate) mod clip_names;
pub(crate) mod clips;
pub(crate) mod keying;
pub(crate) mod root_motion;

pub use self::clip_names::{ClipFile, ClipNames, ClipNamesCommand};
pub use self::clips::TakenClips;
pub use self::keying::{ClipKeys, KeyingCommand, mirrored_clips};
pub use self::root_motion::RootMotion;

use std::sync::Arc;

use skinscope_anim::{self as anim, Additive, Crossfade, Layers};
use skinscope_model::{Clip, ClipId, ClipSource, Model, NodeId};

use crate::{Beside, Document, Edits, History, PlaybackCommand, Pose, View};

/// The source of the pose before edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PoseSource {
    /// The node transforms of the file.
    #[default]
    Rest,
    /// The pose that the inverse bind matrices invert.
    Bind,
    /// The clip at the current time.
    Clip,
}

/// The behaviour at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LoopMode {
    /// The clip stops there.
    Once,
    /// The clip starts over.
    #[default]
    Loop,
    /// The clip plays backwards to its start, then forwards again.
    PingPong,
}

/// Time and clip. The timeline of a clip runs from 0 to its last key.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// The source of the pose, before edits.
    pub source: PoseSource,
    /// The current clip; `None` only where the file has no clip.
    pub clip: Option<ClipId>,
    /// The time in seconds on the clip's own timeline.
    pub time_secs: f32,
    /// Whether time passes.
    pub playing: bool,
    /// The speed, −4…4; negative plays backwards.
    pub speed: f32,
    /// The behaviour at the end of the clip.
    pub loop_mode: LoopMode,
    /// Frames per second of the frame counter and the frame steps.
    pub fps: f32,
    /// Whether a ping-pong clip is on its way back.
    pub returning: bool,
    /// Whether root motion is taken out ([`crate::RootMotion`]).
    pub in_place: bool,
    /// The clips that are blended over the current one.
    pub layers: Layers,
}

impl Default for Playback {
    fn default() -> Self {
        Self {
            source: PoseSource::Rest,
            clip: None,
            time_secs: 0.0,
            playing: false,
            speed: 1.0,
            loop_mode: LoopMode::Loop,
            fps: 30.0,
            returning: false,
            in_place: false,
            layers: Layers::default(),
        }
    }
}

impl Playback {
    /// The largest speed in both directions.
    pub const MAX_SPEED: f32 = 4.0;

    /// Returns the length of the current clip in seconds; 0 without one.
    #[must_use]
    pub fn duration_secs(&self, model: &Model) -> f32 {
        self.clip.and_then(|c| model.clips.get(c.index())).map_or(0.0, Clip::duration_secs)
    }

    /// Returns the last time that can be gone to, seconds: the end of the clip, and for one that is made of poses some time after its last key,
    /// so that there is room for the next one.
    #[must_use]
    pub fn timeline_secs(&self, model: &Model) -> f32 {
        let clip = self.clip.and_then(|c| model.clips.get(c.index()));
        let is_keyed = clip.is_some_and(|clip| clip.source == ClipSource::Keyed);
        let duration = self.duration_secs(model);
        if is_keyed { duration + (0.25 * duration).max(ROOM_SECS) } else { duration }
    }

    /// Returns the frame that the counter shows.
    #[must_use]
    pub fn frame_number(&self) -> i64 {
        (f64::from(self.time_secs) * f64::from(self.fps)).round() as i64
    }

    /// Returns the time of the frame that the counter shows, seconds.
    #[must_use]
    pub(crate) fn frame_secs(&self) -> f32 {
        (self.frame_number() as f64 / f64::from(self.fps)) as f32
    }

    /// Returns the time of the frame that is nearest to `secs`, or the end of the timeline where that is nearer; seconds.
    #[must_use]
    pub fn nearest_frame_secs(&self, secs: f32, model: &Model) -> f32 {
        let end = self.timeline_secs(model);
        let frame = f64::from(secs) * f64::from(self.fps);
        let frames = [frame.round(), frame.floor()].map(|frame| (frame / f64::from(self.fps)) as f32);
        let times = frames.into_iter().chain([end]).filter(|time| (0.0..=end).contains(time));
        times.min_by(|a, b| (a - secs).abs().total_cmp(&(b - secs).abs())).unwrap_or(end)
    }

    /// Jumps to a time, which is clamped to the ends of the timeline.
    pub fn seek(&mut self, time_secs: f32, model: &Model) {
        self.time_secs = if time_secs.is_finite() { time_secs.clamp(0.0, self.timeline_secs(model)) } else { 0.0 };
        self.returning = false;
        if self.clip.is_some() {
            self.source = PoseSource::Clip;
        }
    }

    /// Lets `dt_secs` seconds pass.
    pub(crate) fn advance(&mut self, dt_secs: f32, model: &Model) {
        let duration = self.duration_secs(model);
        if !self.playing || self.source != PoseSource::Clip {
            return;
        }
        if duration <= 0.0 {
            self.time_secs = 0.0;
            return;
        }
        let step = dt_secs * self.speed;
        match self.loop_mode {
            LoopMode::Once => {
                let next = self.time_secs + step;
                self.time_secs = next.clamp(0.0, duration);
                self.playing = (0.0..=duration).contains(&next);
            }
            LoopMode::Loop => self.time_secs = wrap(self.time_secs + step, duration),
            LoopMode::PingPong => {
                // The way there and back is a circle of twice the length: the time moves on it and is folded back.
                let unfolded = if self.returning { 2.0 * duration - self.time_secs } else { self.time_secs };
                let next = wrap(unfolded + step, 2.0 * duration);
                self.returning = next > duration;
                self.time_secs = if self.returning { 2.0 * duration - next } else { next };
            }
        }
    }

    /// Returns the time of a crowd's member that is ahead by `phase` (0…1) of a whole turn: once through the clip, or
    /// there and back.
    #[must_use]
    pub fn time_at(&self, phase: f64, duration_secs: f32) -> f32 {
        if duration_secs <= 0.0 {
            return self.time_secs;
        }
        let duration = f64::from(duration_secs);
        let turns = |at: f64, length: f64| (at + phase * length).rem_euclid(length) as f32;
        if self.loop_mode != LoopMode::PingPong {
            return turns(f64::from(self.time_secs), duration).min(duration_secs);
        }
        let unfolded = if self.returning { 2.0 * duration_secs - self.time_secs } else { self.time_secs };
        let at = turns(f64::from(unfolded), 2.0 * duration);
        if at > duration_secs { (2.0 * duration_secs - at).max(0.0) } else { at }
    }

    /// Plays or pauses; at the end of a clip that plays once it starts over.
    pub fn toggle(&mut self, model: &Model) {
        if self.clip.is_none() {
            return;
        }
        self.playing = !self.playing;
        if self.playing {
            self.source = PoseSource::Clip;
            let duration = self.duration_secs(model);
            if self.loop_mode == LoopMode::Once {
                if self.speed >= 0.0 && self.time_secs >= duration {
                    self.time_secs = 0.0;
                } else if self.speed < 0.0 && self.time_secs <= 0.0 {
                    self.time_secs = duration;
                }
            }
        }
    }
}

/// The least time after the last key of a clip that is made of poses, seconds.
const ROOM_SECS: f32 = 1.0;

/// Returns `t` modulo `length`, in `0..length` (rounding may make `rem_euclid` return `length` itself).
fn wrap(t: f32, length: f32) -> f32 {
    let r = t.rem_euclid(length);
    if r < length { r } else { 0.0 }
}

/// How many keys of a clip are listed one by one.
const MOST_KEYS: usize = 1 << 16;

/// Thins out the keys of a clip: keeps the first key in each of some thousand equal parts of its length, and the last key
/// of all.
fn thinned(clip: &Clip) -> Vec<f32> {
    const PARTS: usize = 1 << 14;
    let length = f64::from(clip.end_secs) - f64::from(clip.start_secs);
    let mut first = vec![f32::INFINITY; PARTS];
    let mut last = f32::NEG_INFINITY;
    for t in clip.times.iter().flatten() {
        let part = (f64::from(*t) - f64::from(clip.start_secs)) / length.max(f64::MIN_POSITIVE) * PARTS as f64;
        let first = &mut first[(part as usize).min(PARTS - 1)];
        (*first, last) = (first.min(*t), last.max(*t));
    }
    first.into_iter().chain([last]).filter(|t| t.is_finite()).collect()
}

/// Returns layers with shares between 0 and 1, of clips that there are.
fn checked(layers: Layers, model: &Model) -> Layers {
    let share = |weight: f32| if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 };
    let secs = |secs: f32| if secs.is_finite() { secs.max(0.0) } else { 0.0 };
    let is_there = |clip: ClipId| clip.index() < model.clips.len();
    Layers {
        fade: layers.fade.filter(|fade| is_there(fade.clip)).map(|fade| Crossfade {
            weight: share(fade.weight),
            rise: fade.rise.map(|rise| rise.map(secs)),
            ..fade
        }),
        add: layers.add.filter(|add| is_there(add.clip)).map(|add| Additive { weight: share(add.weight), ..add }),
    }
}

impl ClipKeys<'_> {
    /// Returns the key times of the selected node in the current clip, or of all nodes where nothing is selected:
    /// seconds, rising. Where all nodes together have very many, only one of those that lie closer together than any
    /// timeline can show is returned.
    #[must_use]
    pub fn key_times(self) -> Vec<f32> {
        let Some((model, clip)) = self.model.zip(self.playback.clip) else { return Vec::new() };
        let clip = &model.clips[clip.index()];
        if let Some(node) = self.selected {
            return anim::key_times(clip, node);
        }
        let mut all = if clip.times.iter().map(Vec::len).sum::<usize>() > MOST_KEYS {
            thinned(clip)
        } else {
            clip.times.concat()
        };
        all.sort_by(f32::total_cmp);
        all.dedup();
        all
    }

    fn neighbour_key(self, later: bool) -> Option<f32> {
        let now = self.playback.time_secs;
        // Times less than a hundredth of a frame apart count as one.
        let same = 0.01 / self.playback.fps;
        let is_beyond = |t: &f32| if later { *t > now + same } else { *t < now - same };
        let nearest = |a: f32, b: f32| if later { a.min(b) } else { a.max(b) };
        if self.selected.is_some() {
            return self.key_times().into_iter().filter(is_beyond).reduce(nearest);
        }
        let (model, clip) = self.model.zip(self.playback.clip)?;
        // All nodes together may have millions of keys, which are neither copied nor sorted.
        model.clips[clip.index()].times.iter().flatten().copied().filter(is_beyond).reduce(nearest)
    }
}

impl Playback {
    /// Carries out a command of its family. Keys are those of `selected`, or of all nodes.
    pub(super) fn apply(
        &mut self,
        command: &PlaybackCommand,
        model: &Arc<Model>,
        selected: Option<NodeId>,
        history: &mut History,
    ) {
        match *command {
            PlaybackCommand::TogglePlay => self.toggle(model),
            PlaybackCommand::SetPlaying(on) => {
                if self.playing != on {
                    self.toggle(model);
                }
            }
            PlaybackCommand::SetClip(clip) => {
                if clip.index() < model.clips.len() {
                    self.clip = Some(clip);
                    self.seek(0.0, model);
                }
            }
            PlaybackCommand::StepClip(steps) => {
                if !model.clips.is_empty() {
                    let now = self.clip.map_or(0, ClipId::index) as i64;
                    let next = (now + i64::from(steps)).rem_euclid(model.clips.len() as i64);
                    self.clip = Some(ClipId::from_index(next as usize));
                    self.seek(0.0, model);
                }
            }
            PlaybackCommand::Seek(time_secs) => self.seek(time_secs, model),
            PlaybackCommand::Advance(secs) => self.advance(secs, model),
            PlaybackCommand::StepFrames(frames) => {
                self.playing = false;
                let frame = self.frame_number() + i64::from(frames);
                self.seek(frame as f32 / self.fps, model);
            }
            PlaybackCommand::PreviousKey => self.seek_key(false, model, selected),
            PlaybackCommand::NextKey => self.seek_key(true, model, selected),
            PlaybackCommand::ToStart => self.seek(0.0, model),
            PlaybackCommand::ToEnd => self.seek(self.duration_secs(model), model),
            PlaybackCommand::SetSpeed(speed) => {
                if speed.is_finite() {
                    self.speed = speed.clamp(-Playback::MAX_SPEED, Playback::MAX_SPEED);
                }
            }
            PlaybackCommand::SetLoop(mode) => self.loop_mode = mode,
            PlaybackCommand::SetFps(fps) => {
                if fps.is_finite() && fps > 0.0 {
                    self.fps = fps;
                }
            }
            PlaybackCommand::SetLayers(layers) => {
                let layers = checked(layers, model);
                if layers != self.layers {
                    history.layers_changed(std::mem::replace(&mut self.layers, layers));
                }
            }
            PlaybackCommand::ToggleInPlace => self.in_place = !self.in_place,
            PlaybackCommand::SetPose(source) => {
                self.source = if self.clip.is_none() && source == PoseSource::Clip { PoseSource::Rest } else { source };
                self.playing &= self.source == PoseSource::Clip;
            }
        }
    }

    /// Goes to the nearest key, later or earlier.
    fn seek_key(&mut self, later: bool, model: &Arc<Model>, selected: Option<NodeId>) {
        self.playing = false;
        let keys = ClipKeys { model: Some(model), selected, playback: self };
        if let Some(time) = keys.neighbour_key(later) {
            self.seek(time, model);
        }
    }

    /// Finds the clips that are blended over another among those of the open model, where `before` was open: by their indices or else by
    /// their names.
    pub(super) fn follow_layers(&mut self, before: &Model, model: &Model) {
        let find = |clip: ClipId| {
            let name = &before.clips.get(clip.index())?.name;
            let is_it = |own: &Clip| own.name == *name;
            let found = model.clips.iter().position(is_it);
            Some(clip).filter(|c| model.clips.get(c.index()).is_some_and(is_it)).or(found.map(ClipId::from_index))
        };
        let Layers { fade, add } = self.layers;
        self.layers = Layers {
            fade: fade.and_then(|fade| Some(Crossfade { clip: find(fade.clip)?, ..fade })),
            add: add.and_then(|add| Some(Additive { clip: find(add.clip)?, ..add })),
        };
    }
}

/// Time and clip, with what changes along with them.
pub(crate) struct Playing<'a> {
    pub document: Option<&'a Document>,
    pub playback: &'a mut Playback,
    pub edits: &'a mut Arc<Edits>,
    pub history: &'a mut History,
    pub view: &'a View,
    pub pose: &'a mut Pose,
    pub beside: Option<&'a mut Beside>,
}

impl Playing<'_> {
    /// Carries out a command of its family.
    pub(crate) fn apply(&mut self, command: &PlaybackCommand) {
        let Some(document) = self.document else { return };
        let before = self.playback.time_secs;
        self.playback.apply(command, &document.model, self.view.selected, self.history);
        if let Some(beside) = &mut self.beside {
            beside.follow_playback(command, self.playback, before);
        }
        // Each clip has room of its own.
        if matches!(command, PlaybackCommand::SetClip(_) | PlaybackCommand::StepClip(_)) {
            self.arrange_crowd();
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// Starts playback of the tube's clip, which lasts one second.
    fn play(loop_mode: LoopMode, speed: f32, from: f32) -> Playback {
        Playback {
            source: PoseSource::Clip,
            clip: Some(ClipId(0)),
            playing: true,
            loop_mode,
            speed,
            time_secs: from,
            ..Playback::default()
        }
    }

    #[test]
    fn loops_wrap_both_ways() {
        let model = tube(Tube::default());
        let mut p = play(LoopMode::Loop, 1.0, 0.9);
        p.advance(0.2, &model);
        assert!((p.time_secs - 0.1).abs() < 1e-6 && p.playing);
        let mut p = play(LoopMode::Loop, -2.0, 0.1);
        p.advance(0.1, &model);
        assert!((p.time_secs - 0.9).abs() < 1e-6);
    }

    #[test]
    fn once_stops_at_the_end_and_starts_over() {
        let model = tube(Tube::default());
        let mut p = play(LoopMode::Once, 1.0, 0.9);
        p.advance(0.2, &model);
        assert!(p.time_secs == 1.0 && !p.playing);
        p.toggle(&model);
        assert!(p.time_secs == 0.0 && p.playing);
    }

    #[test]
    fn ping_pong_turns_at_both_ends() {
        let model = tube(Tube::default());
        let mut p = play(LoopMode::PingPong, 1.0, 0.9);
        p.advance(0.3, &model);
        assert!((p.time_secs - 0.8).abs() < 1e-6);
        p.advance(0.9, &model);
        assert!((p.time_secs - 0.1).abs() < 1e-5);
        p.speed = -1.0;
        p.advance(0.3, &model);
        assert!((p.time_secs - 0.2).abs() < 1e-5);
    }

    #[test]
    fn seeking_clamps_and_shows_the_clip() {
        let model = tube(Tube::default());
        let mut p = play(LoopMode::Loop, 1.0, 0.0);
        p.source = PoseSource::Rest;
        p.seek(7.0, &model);
        assert!(p.time_secs == 1.0 && p.source == PoseSource::Clip);
        p.seek(f32::NAN, &model);
        assert_eq!(p.time_secs, 0.0);
    }
}
