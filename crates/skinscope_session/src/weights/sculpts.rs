//! Example meshes that weights are solved from: each says what the surface should be in a pose. They are settings of the tool that solves,
//! and change by commands of their own, since no text has them.

use std::sync::Arc;

use skinscope_anim::pose::ClipMoment;
use skinscope_edit::{ExampleMesh, Settings};
use skinscope_model::LocalPose;

use crate::painting::Brushwork;
use crate::{PoseSource, Session, Tools};

/// Commands about the example meshes that weights are solved from.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum SculptCommand {
    /// Add meshes that were read ([`crate::FileCommand::ReadExamples`]); one takes the place of another one of its name.
    Add {
        /// The meshes, each with its pose. A text does not have them.
        #[serde(skip)]
        meshes: Vec<ExampleMesh>,
    },
    /// Let an example, by its number, have the pose that is shown.
    TakePose(usize),
    /// Let an example have the pose that the clip has at its present time, without edits and whatever is shown.
    TakeClip(usize),
    /// Keep an example aside, so that it is compared and not used, or use it again.
    ToggleAside(usize),
    /// Leave an example out.
    Remove(usize),
    /// Leave all examples out.
    Clear,
}

/// The pose that is shown, and what it is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownPose {
    /// The pose.
    pub pose: Arc<LocalPose>,
    /// What it is called: the clip and the time, or how else the model stands.
    pub name: String,
}

impl Session {
    /// Returns the pose that is shown as of the last [`Session::update_pose`]; `None` where nothing is open.
    #[must_use]
    pub fn shown_pose(&self) -> Option<ShownPose> {
        self.brushwork().shown_pose()
    }

    /// Returns the pose that a command gives an example.
    pub(super) fn pose_for(&self, command: &SculptCommand) -> Option<ShownPose> {
        match command {
            SculptCommand::TakeClip(_) => self.brushwork().clip_pose(),
            _ => self.shown_pose(),
        }
    }
}

impl Brushwork<'_> {
    /// Returns the pose that is shown, and what it is called; `None` without a model.
    fn shown_pose(self) -> Option<ShownPose> {
        let model = self.model?;
        let (playback, local) = (self.playback, &self.pose.local);
        let is_edited = !self.edits.is_empty();
        let clip = playback.clip.filter(|_| playback.source == PoseSource::Clip);
        let name = match (clip.and_then(|clip| model.clips.get(clip.index())), playback.source) {
            (Some(clip), _) => {
                let edited = if is_edited { ", edited" } else { "" };
                format!("{} {:.3} s{edited}", clip.name, playback.time_secs)
            }
            (None, PoseSource::Bind) if !is_edited => "Bind pose".to_owned(),
            (None, _) if local.transforms == model.skeleton.rest.transforms => "Rest pose".to_owned(),
            (None, _) => "Posed".to_owned(),
        };
        Some(ShownPose { pose: Arc::new(local.clone()), name })
    }

    /// Returns the pose that the clip alone has at its present time; `None` without a clip.
    fn clip_pose(self) -> Option<ShownPose> {
        let (model, time) = (self.model?, self.playback.time_secs);
        let index = self.playback.clip?.index();
        let moment = ClipMoment { clip: format!("#{index}"), time };
        let name = format!("{} {time:.3} s", model.clips.get(index)?.name);
        Some(ShownPose { pose: Arc::new(moment.pose(model).ok()?), name })
    }
}

impl Tools {
    /// Replaces the settings of all tools, but for the examples.
    pub(super) fn set(&mut self, settings: &Arc<Settings>) {
        let examples = Arc::clone(&self.settings.examples);
        self.settings = Arc::clone(settings);
        if !Arc::ptr_eq(&self.settings.examples, &examples) {
            Arc::make_mut(&mut self.settings).examples = examples;
        }
    }

    /// Changes the examples that weights are solved from; `shown` is the pose that an example may get.
    pub(super) fn change_sculpts(&mut self, command: &SculptCommand, shown: Option<ShownPose>) {
        let settings = Arc::make_mut(&mut self.settings);
        let examples = Arc::make_mut(&mut settings.examples);
        match command {
            SculptCommand::Add { meshes } => {
                for mesh in meshes {
                    match examples.iter_mut().find(|known| known.name == mesh.name) {
                        Some(known) => *known = ExampleMesh { is_held_out: known.is_held_out, ..mesh.clone() },
                        None => examples.push(mesh.clone()),
                    }
                }
            }
            SculptCommand::TakePose(at) | SculptCommand::TakeClip(at) => {
                if let Some((example, shown)) = examples.get_mut(*at).zip(shown) {
                    (example.pose, example.pose_name) = (shown.pose, shown.name);
                }
            }
            SculptCommand::ToggleAside(at) => {
                examples.get_mut(*at).into_iter().for_each(|example| example.is_held_out ^= true);
            }
            SculptCommand::Remove(at) => {
                if *at < examples.len() {
                    examples.remove(*at);
                }
            }
            SculptCommand::Clear => examples.clear(),
        }
    }
}
