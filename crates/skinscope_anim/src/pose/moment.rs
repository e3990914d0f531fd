//! A moment of a clip as a pose.

use skinscope_model::{ClipId, LocalPose, Model};

use super::listed::find_named;
use crate::{SampleScratch, sample};

/// A time counts as one of a clip where it lies outside by no more than this, seconds: people round what they write.
const ROUNDED: f32 = 1e-3;

/// A moment of a clip, as people write it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipMoment {
    /// The name of the clip, or its number, from 0, also with `#` before it.
    pub clip: String,
    /// The time, seconds on the clip's timeline.
    pub time: f32,
}

/// The reason why a moment of a clip is none of a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MomentError {
    /// No clip has the name or the number, or several have the name.
    #[error("{0}")]
    Clip(String),
    /// The clip is not at that time.
    #[error("{time} s is outside the clip \"{clip}\", which lasts from {from} to {to} s")]
    Outside {
        /// The name of the clip.
        clip: String,
        /// The time, seconds.
        time: f32,
        /// When the clip begins, seconds.
        from: f32,
        /// When it ends, seconds.
        to: f32,
    },
}

impl ClipMoment {
    /// Finds the clip.
    ///
    /// # Errors
    /// There is none, or several are called so, or it is not at that time.
    pub fn find(&self, model: &Model) -> Result<ClipId, MomentError> {
        let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        let found = find_named(["clip", "clips"], &names, &self.clip).map_err(MomentError::Clip)?;
        let clip = &model.clips[found];
        // Until the first key a clip has the values of that.
        let (from, to) = (clip.start_secs.min(0.0), clip.end_secs);
        if self.time < from - ROUNDED || self.time > to + ROUNDED {
            return Err(MomentError::Outside { clip: clip.name.clone(), time: self.time, from, to });
        }
        Ok(ClipId::from_index(found))
    }

    /// Returns the pose of a model at this moment: what the clip does not move is as in the rest pose.
    ///
    /// # Errors
    /// Those of [`ClipMoment::find`].
    pub fn pose(&self, model: &Model) -> Result<LocalPose, MomentError> {
        let clip = &model.clips[self.find(model)?.index()];
        let mut pose = model.skeleton.rest.clone();
        sample(model, clip, self.time, &mut SampleScratch::default(), &mut pose);
        Ok(pose)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::obstacle_course;
    use skinscope_model::{Clip, ModelParts};

    use super::*;

    /// A model with three clips, two of which have one name.
    fn model() -> Model {
        let mut parts = ModelParts::clone(&obstacle_course());
        let first: Clip = parts.clips[0].clone();
        parts.clips.truncate(1);
        parts.clips[0].name = "Walk".into();
        parts.clips.extend(["Run", "Run"].map(|name| Clip { name: name.into(), ..first.clone() }));
        Model::build(parts).unwrap()
    }

    fn at(clip: &str, time: f32) -> ClipMoment {
        ClipMoment { clip: clip.to_owned(), time }
    }

    #[test]
    fn a_moment_is_the_pose_of_its_clip_then() {
        let model = model();
        let clip = &model.clips[0];
        let time = 0.5 * (clip.start_secs + clip.end_secs);
        let mut pose = model.skeleton.rest.clone();
        sample(&model, clip, time, &mut SampleScratch::default(), &mut pose);
        assert!(pose != model.skeleton.rest, "the clip moves something");
        for name in ["Walk", "0", "#0"] {
            assert!(at(name, time).pose(&model) == Ok(pose.clone()), "{name}");
        }
    }

    #[test]
    fn a_moment_that_is_none_is_refused_with_the_reason() {
        let model = model();
        let why = |clip: &str, time: f32| at(clip, time).pose(&model).map(|_| ()).unwrap_err().to_string();
        assert!(why("Jump", 0.0).starts_with("there is no clip \"Jump\"; clips: Walk, Run, Run"));
        assert!(why("Run", 0.0).contains("several clips are called \"Run\"; say which by its number, such as 1"));
        let end = model.clips[0].end_secs;
        assert!(why("Walk", end + 1.0).contains("outside the clip \"Walk\""));
        assert!(why("Walk", -1.0 + model.clips[0].start_secs.min(0.0)).contains("outside"));
        assert!(at("Walk", end + 0.5 * ROUNDED).find(&model).is_ok(), "what was rounded is meant");
    }
}
