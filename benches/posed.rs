//! A pose that benches of deformed surfaces share.

use glam::Affine3A;
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::model::{LocalPose, Model};

/// Returns the palettes of a model in the middle of its clip.
pub fn posed(model: &Model) -> Vec<Affine3A> {
    let (mut pose, mut matrices, mut palettes) = (LocalPose::default(), Vec::new(), Vec::new());
    anim::reset_to_rest(&model.skeleton, &mut pose);
    anim::sample(model, &model.clips[0], 0.4, &mut SampleScratch::default(), &mut pose);
    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    palettes
}
