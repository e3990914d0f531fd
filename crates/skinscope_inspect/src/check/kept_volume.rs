//! How much of its volume the skin around a joint keeps in poses, with the weights of two models of one file.

use skinscope_base::parallel::JobContext;
use skinscope_model::{Model, NodeId};

use super::limb::{Seam, posed};
use super::{CheckOptions, FindingPose, Subject};

/// Returns the part of the volume, as it is bound, that the skin within two radii of a joint keeps in each pose, in the first model and in
/// the second one: they differ in weights and joints, while their meshes and the numbers of the two joints are the same. `joints`: one above, and the
/// one that turns. The volumes of a pose are `None` where no skin goes around the joint and encloses one there; all is `None` where the work
/// was cancelled.
#[must_use]
pub fn kept_volumes(
    models: [&Model; 2],
    joints: [NodeId; 2],
    poses: &[FindingPose],
    context: &JobContext,
) -> Option<Vec<[Option<f64>; 2]>> {
    let (mut steps, all) = (0.0, (3 + poses.len()) as f32);
    let mut goes_on = || {
        steps += 1.0;
        if context.set_fraction(steps / all) {
            context.wake();
        }
        !context.is_cancelled()
    };
    let options = CheckOptions::default();
    let [before, after] = models.map(|model| Subject::new(model, &options, context.cancel_flag()));
    let none = || Some(vec![[None; 2]; poses.len()]);
    let first = before.surfaces();
    goes_on().then_some(())?;
    let second = after.surfaces();
    goes_on().then_some(())?;
    let mut seams = first.iter().enumerate();
    let seam = seams.find_map(|(index, surface)| Some((index, Seam::of(&before, surface, joints)?)));
    let Some((index, seam)) = seam else { return none() };
    let Some(surface) = second.get(index) else { return none() };
    let mut volumes = [seam.volume(&before), seam.on(surface).volume(&after)];
    goes_on().then_some(())?;
    let in_pose = |pose: &FindingPose| {
        let [first, second] = &mut volumes;
        let kept = [first.kept(&before, &posed(&before, *pose)), second.kept(&after, &posed(&after, *pose))];
        goes_on().then_some(kept)
    };
    poses.iter().map(in_pose).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn a_tube_that_is_twisted_keeps_less_and_the_same_model_as_much() {
        let model = tube(Tube { joints: 3, rings: 25, length: 3.0, ..Tube::default() });
        let joints = [NodeId(1), NodeId(2)];
        let turned =
            |degrees: f32| FindingPose::Turned { joint: joints[1], axis: Vec3::Y, angle: degrees.to_radians() };
        let poses = [FindingPose::Rest, turned(90.0), turned(150.0)];
        let context = JobContext::of_waiting();
        let kept = kept_volumes([&model, &model], joints, &poses, &context).unwrap();
        let both: Vec<f64> = kept.iter().map(|[a, b]| if a == b { a.unwrap() } else { f64::NAN }).collect();
        assert!((both[0] - 1.0).abs() < 1e-4 && both[1] < 0.95 && both[2] < both[1], "{both:?}");
        // Work that nobody wants any more ends without a result.
        context.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(kept_volumes([&model, &model], joints, &poses, &context).is_none());
    }
}
