//! Tests that many items of one name are matched by their contents, in whatever order they stand.

use glam::Quat;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Clip, Model, ModelParts, Values};

use super::*;

/// More than anyone compares each with each.
const COUNT: usize = 40;

/// Changes all keys of rotations.
fn change_turns(clip: &mut Clip, change: impl Fn(Quat) -> Quat) {
    for sampler in &mut clip.samplers {
        if let Values::Quat(keys) = &sampler.values {
            sampler.values = Values::Quat((0..keys.len()).map(|key| change(keys.get(key))).collect());
        }
    }
}

/// A tube with clips of one name that differ in one key, by the number that each has in `order`. `change` is made to each.
fn with_clips(order: impl Iterator<Item = usize>, change: impl Fn(&mut Clip)) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    let made = |number: usize| {
        let mut clip = parts.clips[0].clone();
        clip.name = "Take".to_owned();
        change_turns(&mut clip, |turn| Quat::from_rotation_x(0.02 * number as f32) * turn);
        change(&mut clip);
        clip
    };
    let clips = order.map(made).collect();
    parts.clips = clips;
    Model::build(parts).unwrap()
}

#[test]
fn clips_of_one_name_are_matched_by_contents_whatever_their_number_and_order() {
    let own = with_clips(0..COUNT, |_| ());
    let reversed = with_clips((0..COUNT).rev(), |_| ());
    assert_eq!(compare(&own, &reversed).clips, Named::default());
    // Other digits are no difference.
    let rounded = with_clips((0..COUNT).rev(), |clip| {
        change_turns(clip, |turn| Quat::from_xyzw(turn.x + 3e-7, turn.y, turn.z, turn.w));
    });
    assert_eq!(compare(&own, &rounded).clips, Named::default());
    let other = with_clips((1..=COUNT).rev(), |_| ());
    assert_eq!(compare(&own, &other).clips.changed, ["Take"]);
}

#[test]
fn a_key_of_a_rotation_may_have_either_sign() {
    let own = with_clips(0..2, |_| ());
    let negated = with_clips(0..2, |clip| change_turns(clip, |turn| -turn));
    let is_same = |(own, other): (&skinscope_model::Sampler, &skinscope_model::Sampler)| own.values == other.values;
    assert!(!own.clips[0].samplers.iter().zip(&negated.clips[0].samplers).all(is_same));
    assert_eq!(compare(&own, &negated).clips, Named::default());
    let mut parts: ModelParts = (*own).clone();
    parts.skeleton.rest.transforms.iter_mut().for_each(|transform| transform.rotation = -transform.rotation);
    assert!(compare(&own, &Model::build(parts).unwrap()).is_empty());
}
