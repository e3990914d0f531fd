//! Onion skins: the model at moments of the clip before and after the one that is shown.

use std::sync::{Arc, Weak};

use glam::Affine3A;
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_deform as deform;
use skinscope_model::{LocalPose, Model};

use crate::pose::over::{Over, OverScratch};
use crate::pose::pose_sources::PoseSources;
use crate::{Edits, Playback, Pose, PoseSource, RootMotion, View};

/// How onion skins are shown.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Onion {
    /// Whether they are shown.
    pub shown: bool,
    /// How many moments are shown on each side: [`Onion::COUNTS`].
    pub count: u32,
    /// The frames from one moment to the next, of [`Playback::fps`]: [`Onion::STEPS`].
    pub step_frames: f32,
}

impl Onion {
    /// The least and the greatest [`Onion::count`].
    pub const COUNTS: [u32; 2] = [1, 10];
    /// The least and the greatest [`Onion::step_frames`].
    pub const STEPS: [f32; 2] = [0.1, 100.0];

    /// Returns the same with numbers that lie in their ranges.
    #[must_use]
    pub fn clamped(self) -> Self {
        let [least, most] = Self::COUNTS;
        let [shortest, longest] = Self::STEPS;
        let step = if self.step_frames.is_finite() { self.step_frames } else { Self::default().step_frames };
        Self { count: self.count.clamp(least, most), step_frames: step.clamp(shortest, longest), ..self }
    }
}

impl Default for Onion {
    fn default() -> Self {
        Self { shown: false, count: 3, step_frames: 5.0 }
    }
}

/// The model at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct OnionSkin {
    /// The moment, seconds.
    pub time_secs: f32,
    /// How many moments it lies before (negative) or after the one that is shown, from 1 on.
    pub steps: i32,
    /// The skinning matrices `model_from_mesh`, arranged by [`Model::palette_layout`].
    pub palettes: Vec<Affine3A>,
    /// The morph weights, by [`skinscope_model::Instance::morph_offset`].
    pub morph_weights: Vec<f32>,
}

/// What onion skins depend on.
type OnionSource = (Weak<Model>, Playback, Onion, Arc<Edits>, Option<RootMotion>);

/// The onion skins that were computed last, and what they were computed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedOnion {
    of: Option<OnionSource>,
    skins: Vec<OnionSkin>,
}

impl Pose {
    /// Returns the onion skins, those farthest in time first; none where they are not shown or no clip is.
    #[must_use]
    pub(crate) fn onion_skins(&self) -> &[OnionSkin] {
        &self.onion.skins
    }

    /// Computes onion skins where they are shown, unless nothing has changed that they depend on.
    pub(crate) fn update_onion(&mut self, from: PoseSources<'_>) {
        let wanted = from.view.onion.shown && from.playback.source == PoseSource::Clip;
        let Some(clip) = from.playback.clip.filter(|_| wanted) else {
            // Where there were none nothing is allocated.
            if self.onion.of.is_some() {
                self.onion = CachedOnion::default();
            }
            return;
        };
        let model = from.shown;
        let root = self.root_to_remove(from.playback);
        let is_same = self.onion.of.as_ref().is_some_and(|(of, playback, onion, edits, its_root)| {
            std::ptr::eq(of.as_ptr(), Arc::as_ptr(model))
                && (its_root, *onion) == (&root, from.view.onion)
                && Arc::ptr_eq(edits, from.edits)
                && Playback { playing: from.playback.playing, ..playback.clone() } == *from.playback
        });
        if is_same {
            return;
        }
        let clip = &model.clips[clip.index()];
        let (mut scratch, mut local, mut world) = (SampleScratch::default(), LocalPose::default(), Vec::new());
        let (driving, mut over_scratch) = (self.driving(from.playback, from.edits), OverScratch::default());
        let over = Over {
            model,
            layers: from.playback.layers,
            root,
            edits: from.edits,
            rules: from.rules,
            driving: driving.as_ref(),
            shapes: (from.shapes(), Some(clip)),
        };
        let (mut skins, shift) = (Vec::new(), self.shift);
        for (steps, time_secs) in onion_moments(from.view, from.playback, clip.duration_secs()) {
            let edit = |pose: &mut LocalPose| over.lay(time_secs, &mut over_scratch, pose);
            let (rest, moment) = (&model.skeleton.rest, Some((clip, time_secs)));
            anim::evaluate(model, rest, moment, edit, &mut scratch, &mut local, &mut world);
            let moved = (anim::origin_shift(&model.skeleton, &local) - shift).as_vec3a();
            world.iter_mut().for_each(|m: &mut Affine3A| m.translation += moved);
            let mut palettes = Vec::new();
            deform::palettes(model, &world, &mut palettes);
            skins.push(OnionSkin { time_secs, steps, palettes, morph_weights: local.morph_weights.clone() });
        }
        let of = (Arc::downgrade(model), from.playback.clone(), from.view.onion, Arc::clone(from.edits), root);
        self.onion = CachedOnion { of: Some(of), skins };
    }
}

/// Returns the moments before and after the one that is shown, as far as the clip goes, each with its number of steps.
fn onion_moments(view: &View, playback: &Playback, length_secs: f32) -> impl Iterator<Item = (i32, f32)> + use<> {
    let Onion { count, step_frames, .. } = view.onion;
    let (now, step) = (playback.time_secs, step_frames / playback.fps.max(1.0));
    let moments = (1..=count as i32).rev().flat_map(|i| [-i, i]);
    moments.map(move |i| (i, now + i as f32 * step)).filter(move |(_, secs)| (0.0..=length_secs).contains(secs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sessions::tube_session;
    use crate::{PlaybackCommand, Toggle, ViewCommand};

    #[test]
    fn onion_skins_are_the_poses_of_the_moments_around_and_follow_time() {
        let mut session = tube_session();
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::Seek(0.25));
        session.update_pose();
        assert!(session.pose().onion_skins().is_empty());
        session.apply(ViewCommand::Set(Toggle::Onion, true));
        session.apply(ViewCommand::SetOnion(Onion { shown: true, count: 3, step_frames: 3.0 }));
        session.update_pose();
        let skins = session.pose().onion_skins().to_vec();
        // There is no third moment before the start.
        assert_eq!(skins.iter().map(|skin| skin.steps).collect::<Vec<_>>(), [3, -2, 2, -1, 1]);
        for skin in &skins {
            assert!((skin.time_secs - 0.25 - 0.1 * skin.steps as f32).abs() < 1e-6);
            session.apply(PlaybackCommand::Seek(skin.time_secs));
            session.update_pose();
            let shown = &session.pose().palettes;
            let is_near = |(a, b): (&Affine3A, &Affine3A)| a.abs_diff_eq(*b, 1e-5);
            assert!(shown.iter().zip(&skin.palettes).all(is_near) && shown.len() == skin.palettes.len());
        }
        assert!(!skins[0].palettes[2].abs_diff_eq(skins[1].palettes[2], 0.01), "the clip moves them");
        session.apply(ViewCommand::SetOnion(Onion { shown: true, count: 99, step_frames: f32::NAN }));
        assert_eq!(session.view().onion, Onion { shown: true, count: 10, step_frames: 5.0 });
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.update_pose();
        assert!(session.pose().onion_skins().is_empty());
    }
}
