//! How the model stands while it is painted, as a file of strokes says it: by a clip and a time, and by a pose file where the pose was edited.

use std::sync::Arc;

use skinscope_anim::pose::{Channels, Keys, PoseFile, capture, resolve};
use skinscope_model::{LocalPose, Model};
use skinscope_paint::Posing;

use crate::{Brushwork, Edits, PoseSource};

/// How the model stands, and the pose file that says what no clip does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    pub posing: Posing,
    pub pose: Option<PoseFile>,
}

impl Stance {
    /// Returns how the model stands in the picture. `before` is what was found for the dab before, of which most is true again.
    pub fn of(brushwork: Brushwork<'_>, before: Option<&Self>) -> Self {
        let (local, playback) = (&brushwork.pose.local, brushwork.playback);
        let Some(model) = brushwork.model else { return Self { posing: Posing::default(), pose: None } };
        let of_file = |clip: &skinscope_model::ClipId| model.clips.get(clip.index()).is_some_and(|c| !c.is_added());
        let clip = playback.clip.filter(|_| playback.source == PoseSource::Clip).filter(of_file);
        let time = if clip.is_some() { short(playback.time_secs) } else { 0.0 };
        let plain = Posing { clip, time, pose: None };
        let stands = |posing: &Posing| posing.at(model, None) == *local;
        let again = before.map(|before| Self { posing: Posing { time, ..before.posing.clone() }, ..before.clone() });
        if let Some(again) = again.filter(|again| again.posing.clip == clip && stands(&again.posing)) {
            return again;
        }
        if stands(&plain) {
            return Self { posing: plain, pose: None };
        }
        let edited = of_edits(model, brushwork.edits, local);
        let posing = Posing { pose: Some(Arc::new(resolve(model, &edited))), ..plain };
        if stands(&posing) {
            return Self { posing, pose: Some(edited) };
        }
        // Layers, held joints, sliders and the like: the pose file says everything.
        let whole = capture(model, local, "");
        let pose = Some(Arc::new(resolve(model, &whole)));
        Self { posing: Posing { clip: None, time: 0.0, pose }, pose: Some(whole) }
    }

    /// Whether a stroke can go on where another dab of it stands like this: all but the time is the same.
    pub fn goes_on(&self, next: &Self) -> bool {
        self.posing.clip == next.posing.clip && self.pose == next.pose
    }
}

/// Returns a time of 32 bits in as few digits as tell it from others, so that it is read back to the bit.
fn short(secs: f32) -> f64 {
    secs.to_string().parse().unwrap_or_else(|_| f64::from(secs))
}

/// Returns the channels that were edited, with the values that they have in a pose.
fn of_edits(model: &Model, edits: &Edits, pose: &LocalPose) -> PoseFile {
    let keys = Keys::of(model);
    let mut out = PoseFile { model: model.source.name.clone(), ..PoseFile::default() };
    for (node, edit) in edits.nodes.iter().filter(|(node, _)| node.index() < pose.transforms.len()) {
        let transform = &pose.transforms[node.index()];
        let place = || (pose.translation(*node) + model.skeleton.base(node.index())).to_array();
        let is_turned = edit.rotation.is_some() || edit.quaternion.is_some();
        let channels = Channels {
            rotation: is_turned.then(|| transform.rotation.to_array()),
            translation: edit.translation.map(|_| place()),
            scale: edit.scale.map(|_| transform.scale.to_array()),
        };
        out.joints.push((keys.key(*node).to_owned(), channels));
    }
    out
}
