//! The poses in which a dragged vertex is held.

use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::Layers;
use skinscope_anim::pose::{PoseFile, capture, resolve};
use skinscope_model::{ClipId, LocalPose, Model};
use skinscope_paint::Posing;
use skinscope_solve::{DrivenShapes, Pin, kept_shapes};

use super::Brushwork;
use super::stance::Stance;
use crate::shaping::bring_in;
use crate::{Command, EditCommand, Playback, PlaybackCommand, PoseSource};

/// A pose in which the dragged vertex is held.
#[derive(Clone, Debug, PartialEq)]
pub struct DragPin {
    pub(super) pin: Pin,
    pub(super) landed: DVec3,
    pub(super) away: f64,
    pub(super) outside: f64,
    /// Whether the model has got other morph targets since, so that the joints alone say which pose it is.
    pub(super) by_joints: bool,
    pub(super) moment: PinMoment,
}

/// In which moment of a clip a vertex was put somewhere, if it was one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PinMoment {
    /// The clip with its name, and the time, seconds.
    clip: Option<(ClipId, String, f32)>,
    /// Whether the pose was edited too.
    is_edited: bool,
    /// The channels that were edited, where these and the clip say all of the pose.
    edited: Option<PoseFile>,
}

impl PinMoment {
    /// Returns the moment that is shown.
    pub(super) fn of(brushwork: Brushwork<'_>) -> Self {
        let playback = brushwork.playback;
        let clip = playback.clip.filter(|_| playback.source == PoseSource::Clip);
        let named = brushwork.model.zip(clip).and_then(|(model, clip)| Some((clip, model.clips.get(clip.index())?)));
        let Some((clip, of)) = named else { return Self::default() };
        let is_edited = !brushwork.edits.is_empty();
        let stance = is_edited.then(|| Stance::of(brushwork, None)).filter(|stance| stance.posing.clip.is_some());
        let edited = stance.and_then(|stance| stance.pose);
        Self { clip: Some((clip, of.name.clone(), playback.time_secs)), is_edited, edited }
    }

    /// Returns the clip, where a model has it still, and the time.
    fn clip_in(&self, model: &Model) -> Option<(ClipId, f32)> {
        let (clip, name, time) = self.clip.as_ref()?;
        model.clips.get(clip.index()).filter(|of| of.name == *name).map(|_| (*clip, *time))
    }
}

impl DragPin {
    /// Returns where the vertex should be in its pose: scene's space of the file, metres.
    #[must_use]
    pub fn target(&self) -> DVec3 {
        self.pin.target
    }

    /// Returns where the vertex is in that pose by its weights.
    #[must_use]
    pub fn landed(&self) -> DVec3 {
        self.landed
    }

    /// Returns how far that is from where it should be, metres.
    #[must_use]
    pub fn away(&self) -> f64 {
        self.away
    }

    /// Returns how far the hull of its joints is from there, metres: what is left whatever the weights are.
    #[must_use]
    pub fn outside(&self) -> f64 {
        self.outside
    }

    /// Returns the clip and the time in which it was made, such as "Walk 0.80 s"; `None` where the pose was none of a clip.
    #[must_use]
    pub fn moment(&self) -> Option<String> {
        let edited = if self.moment.is_edited { ", edited" } else { "" };
        self.moment.clip.as_ref().map(|(_, name, time)| format!("{name} {time:.2} s{edited}"))
    }

    /// Returns what a shape of it is called: by the clip and the time in which it was made.
    pub(super) fn shape_name(&self) -> String {
        let clip = self.moment.clip.as_ref();
        clip.map_or_else(|| "Pose".to_owned(), |(_, name, time)| format!("{name} {time:.2}"))
    }

    /// Returns the commands that show its pose on a model that plays: the moment of its clip, with the channels that were edited, else the pose
    /// itself. What was edited before (`has_edits`) comes back by one undo.
    #[must_use]
    pub fn way_there(&self, model: &Model, playback: &Playback, has_edits: bool) -> Vec<Command> {
        let is_alone = !playback.in_place && playback.layers == Layers::default();
        let clip = self.moment.clip_in(model).filter(|_| is_alone);
        let stands = |&(clip, time): &(ClipId, f32)| {
            let pose = self.moment.edited.as_ref().map(|file| Arc::new(resolve(model, file)));
            self.is_of(&Posing { clip: Some(clip), time: f64::from(time), pose }.at(model, None))
        };
        let clip = clip.filter(stands);
        let (mut out, said) = match clip {
            Some((clip, time)) => {
                let there = [PlaybackCommand::SetClip(clip), PlaybackCommand::Seek(time)];
                (Vec::from(there.map(Command::from)), self.moment.edited.clone())
            }
            None => {
                let there = PlaybackCommand::SetPose(PoseSource::Rest).into();
                (vec![there], Some(capture(model, &self.pin.pose, "")))
            }
        };
        out.push(PlaybackCommand::SetPlaying(false).into());
        let said = said.map(|file| EditCommand::SetPose(Arc::new(resolve(model, &file))));
        let resets = has_edits.then_some(EditCommand::ResetAll);
        if said.is_some() || resets.is_some() {
            let edits = [Some(EditCommand::BeginEdit), resets, said, Some(EditCommand::EndEdit)];
            out.extend(edits.into_iter().flatten().map(Command::from));
        }
        out
    }

    /// Returns whether it is of this pose.
    #[must_use]
    pub fn is_of(&self, pose: &LocalPose) -> bool {
        let own = &self.pin.pose;
        let has_joints_of = (&own.transforms, &own.wide) == (&pose.transforms, &pose.wide);
        has_joints_of && (self.by_joints || own.morph_weights == pose.morph_weights)
    }
}

/// How pins follow a model whose nodes or morph targets are others than those of the one before.
pub(super) struct Following<'m> {
    models: [&'m Model; 2],
    /// What drives the shapes of the model now.
    kept: Vec<DrivenShapes>,
    /// Where each morph weight is from now on.
    places: Vec<Option<usize>>,
}

impl<'m> Following<'m> {
    pub(super) fn new(before: &'m Model, now: &'m Model) -> Self {
        let (kept, places) = (kept_shapes(now).unwrap_or_default(), before.morphs_in(now));
        Self { models: [before, now], kept, places }
    }

    /// Makes the pose of a pin one of the model now. Of shapes that it has gained there is as much as their drivers say.
    pub(super) fn follow(&self, pin: &mut DragPin) {
        let [before, now] = self.models;
        let mut pose = before.pose_in(now, &pin.pin.pose);
        now.drive_links(&mut pose);
        let mut driven = pose.clone();
        bring_in(now, &self.kept, &mut driven);
        for (place, (weight, driven)) in pose.morph_weights.iter_mut().zip(driven.morph_weights).enumerate() {
            if !self.places.contains(&Some(place)) {
                *weight = driven;
            }
        }
        pin.by_joints |= self.places.len() != pose.morph_weights.len() || self.places.contains(&None);
        pin.pin.pose = pose;
    }
}
