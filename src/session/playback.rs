//! Which pose is shown, and how time passes.

use crate::model::{ClipId, Model};

/// The source of the pose before edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopMode {
    /// Stops there.
    Once,
    /// Starts over.
    #[default]
    Loop,
    /// Turns round.
    PingPong,
}

/// Time and clip. The timeline of a clip runs from 0 to its last key.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Before edits.
    pub source: PoseSource,
    /// `None` only where the file has no clip.
    pub clip: Option<ClipId>,
    /// Seconds on the clip's own timeline.
    pub time_secs: f32,
    /// Whether time passes.
    pub playing: bool,
    /// −4…4; negative plays backwards.
    pub speed: f32,
    /// At the end.
    pub loop_mode: LoopMode,
    /// Frames per second of the frame counter and the frame steps.
    pub fps: f32,
    /// Ping-pong on its way back.
    pub returning: bool,
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
        }
    }
}

impl Playback {
    /// The largest speed either way.
    pub const MAX_SPEED: f32 = 4.0;

    /// Length of the current clip, seconds; 0 without one.
    #[must_use]
    pub fn duration_secs(&self, model: &Model) -> f32 {
        self.clip.and_then(|c| model.clips.get(c.index())).map_or(0.0, crate::model::Clip::duration_secs)
    }

    /// The frame that the counter shows.
    #[must_use]
    pub fn frame_number(&self) -> i64 {
        (f64::from(self.time_secs) * f64::from(self.fps)).round() as i64
    }

    /// Jumps; the clip's ends clamp.
    pub fn seek(&mut self, time_secs: f32, model: &Model) {
        self.time_secs = if time_secs.is_finite() { time_secs.clamp(0.0, self.duration_secs(model)) } else { 0.0 };
        self.returning = false;
        if self.clip.is_some() {
            self.source = PoseSource::Clip;
        }
    }

    /// Lets `dt_secs` pass.
    pub fn advance(&mut self, dt_secs: f32, model: &Model) {
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
                // Unfold to a circle of twice the length, move there, fold back.
                let unfolded = if self.returning { 2.0 * duration - self.time_secs } else { self.time_secs };
                let next = wrap(unfolded + step, 2.0 * duration);
                self.returning = next > duration;
                self.time_secs = if self.returning { 2.0 * duration - next } else { next };
            }
        }
    }

    /// The time of whoever is ahead by `phase` (0…1) of a whole turn: once through the clip, or there and back.
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

    /// Play or pause; at the end of a clip that plays once it starts over.
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

/// `t` modulo `length`, in `0..length` (rounding may make `rem_euclid` return `length` itself).
fn wrap(t: f32, length: f32) -> f32 {
    let r = t.rem_euclid(length);
    if r < length { r } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shapes::{Tube, tube};

    /// The tube's clip lasts one second.
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
