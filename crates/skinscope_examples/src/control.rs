//! What the sliders of a page do with a model: they turn, move and scale its joints, or choose the time of a clip.

use glam::{Quat, Vec3};
use skinscope_anim as anim;
use skinscope_model::{LocalPose, Model};

use super::Settings;
use super::rig::change;

/// What a slider changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// A joint turns about an axis of its own space, by degrees.
    Turn(&'static str, Vec3),
    /// A joint moves along an axis of its parent's space, by metres.
    Move(&'static str, Vec3),
    /// A joint is scaled along these axes of its own space, to so many times.
    Scale(&'static str, Vec3),
    /// A clip, by its number, stands at this time of it, in seconds.
    Time(usize),
}

impl Control {
    /// Changes a pose as the slider says. Clips come before joints.
    pub(super) fn apply(self, slider: &str, settings: &Settings, model: &Model, local: &mut LocalPose) {
        let value = settings.get(slider);
        let skeleton = &model.skeleton;
        match self {
            Self::Turn(name, axis) => change(skeleton, local, name, |t| {
                t.rotation *= Quat::from_axis_angle(axis, value.to_radians());
            }),
            Self::Move(name, axis) => change(skeleton, local, name, |t| t.translation += axis * value),
            Self::Scale(name, axes) => change(skeleton, local, name, |t| t.scale *= Vec3::ONE + axes * (value - 1.0)),
            Self::Time(clip) => {
                if let Some(clip) = model.clips.get(clip) {
                    anim::sample(model, clip, value, &mut anim::SampleScratch::default(), local);
                }
            }
        }
    }
}
