use glam::Vec3;
use skinscope_anim::pose::{keyed_clip, rotate};
use skinscope_anim::{SampleScratch, sample};
use skinscope_base::parallel::JobContext;
use skinscope_deform::{Deformation, METHODS, method};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, MeshId, Model, MorphTarget, NodeId, Path, Primitive};
use skinscope_solve::kept_shapes;

use super::*;

/// A shape of a tube, whose middle is bent by some degrees: the surface as dual quaternions have it.
fn bent(model: &Model, name: &str, degrees: f32) -> Shape {
    let mut pose = model.skeleton.rest.clone();
    rotate(&mut pose, NodeId(2), Vec3::X * degrees);
    let other = Deformation::from(method("dual-quaternion").unwrap());
    let context = JobContext::of_waiting();
    let targets = targets_of_method(model, &pose, None, other, &context).unwrap();
    shape(model, (name.to_owned(), pose), &targets, (Deformation::from(METHODS[0]), true), &context).unwrap()
}

/// Gives a tube shapes of these names and degrees.
fn with_shapes(model: &Model, all: &[(&str, f32)]) -> Model {
    let shapes: Vec<Shape> = all.iter().map(|(name, degrees)| bent(model, name, *degrees)).collect();
    let drivers = drivers(model, &shapes, None).unwrap();
    add_shapes(model, &shapes, &drivers, &JobContext::of_waiting()).unwrap().model
}

fn removed(model: &Model, name: &str) -> Result<Model, ShapeError> {
    remove_shapes(model, &[name.into()], &JobContext::of_waiting())
}

/// The weight of the first morph target when this share of the clip has passed.
fn played(model: &Model, share: f32) -> f32 {
    let mut pose = model.skeleton.rest.clone();
    let clip = &model.clips[0];
    sample(model, clip, clip.duration_secs() * share, &mut SampleScratch::default(), &mut pose);
    pose.morph_weights[0]
}

#[test]
fn what_is_removed_leaves_the_others_as_if_it_had_never_been() {
    let model = tube(Tube::default());
    let one = with_shapes(&model, &[("wide", 25.0)]);
    let two = with_shapes(&model, &[("wide", 25.0), ("half", 12.0)]);
    let left = removed(&two, "half").unwrap();
    assert_eq!(left.meshes[0].morph_names, ["wide"]);
    let apart = |a: &Model, b: &Model| {
        (1..20).map(|at| (played(a, at as f32 / 20.0) - played(b, at as f32 / 20.0)).abs()).fold(0.0, f32::max)
    };
    let (before, after) = (apart(&one, &two), apart(&one, &left));
    assert!(before > 0.1 && after < 0.05, "{before} {after}");
    assert!(kept_shapes(&left).unwrap() == kept_shapes(&one).unwrap());
    let none = removed(&left, "wide").unwrap();
    assert!(none.source.kept_shapes.is_none() && none.skeleton.rest.morph_weights.is_empty());
}

#[test]
fn a_shape_that_is_made_later_leaves_those_before_in_their_poses() {
    let model = tube(Tube::default());
    let one = with_shapes(&model, &[("wide", 60.0)]);
    let two = with_shapes(&one, &[("half", 30.0)]);
    let weights = |model: &Model, degrees: f32| {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::X * degrees);
        bring_in(model, &kept_shapes(model).unwrap(), &mut pose);
        pose.morph_weights
    };
    assert_eq!(weights(&two, 60.0), [1.0, 0.0]);
    let half = weights(&two, 30.0);
    assert!(half[1] == 1.0 && (half[0] - weights(&one, 30.0)[0]).abs() < 1e-6, "{half:?}");
    assert_eq!(weights(&two, 0.0), [0.0, 0.0]);
    // Once the first one is gone, the second is as if it had always been alone.
    let left = removed(&two, "wide").unwrap();
    let alone = with_shapes(&model, &[("half", 30.0)]);
    assert!(kept_shapes(&left).unwrap()[0].driver.others().is_empty());
    assert!((weights(&left, 60.0)[0] - weights(&alone, 60.0)[0]).abs() < 1e-6);
}

#[test]
fn a_shape_has_its_new_name_where_it_is_driven_too() {
    let model = with_shapes(&tube(Tube::default()), &[("wide", 25.0), ("half", 12.0)]);
    let named = rename_shape(&model, &"wide".into(), "elbow.L").unwrap();
    assert_eq!(named.meshes[0].morph_names, ["elbow.L", "half"]);
    let kept = kept_shapes(&named).unwrap();
    assert_eq!(kept[0].targets, [(0, "elbow.L".to_owned()), (1, "half".to_owned())]);
    let again = with_shapes(&named, &[("half", -25.0)]);
    assert_eq!(again.meshes[0].morph_names, ["elbow.L", "half", "half 2"], "each has a name of its own");
}

#[test]
fn names_that_are_not_there_or_taken_are_refused() {
    let model = with_shapes(&tube(Tube::default()), &[("wide", 25.0), ("half", 12.0)]);
    let why = |result: Result<Model, ShapeError>| result.err().map_or_else(String::new, |why| why.0);
    assert_eq!(why(removed(&model, "elbow")), "no shape is called \"elbow\": there are half, wide");
    assert!(why(rename_shape(&model, &"wide".into(), "half")).contains("another shape is called so"));
    assert!(why(rename_shape(&model, &"wide".into(), "")).contains("needs a name"));
    assert!(why(rename_shape(&tube(Tube::default()), &"wide".into(), "a")).contains("there is none"));
}

#[test]
fn targets_can_be_named_and_removed_where_what_drives_them_cannot_be_used() {
    let mut parts = (*with_shapes(&tube(Tube::default()), &[("wide", 25.0), ("half", -25.0)])).clone();
    parts.source.kept_shapes = Some("{}".into());
    let model = Model::build(parts).unwrap();
    let text = |model: &Model| model.source.kept_shapes.as_deref().map(str::to_owned);
    let named = rename_shape(&model, &"wide".into(), "elbow").unwrap();
    assert_eq!((&named.meshes[0].morph_names[0][..], text(&named)), ("elbow", Some("{}".to_owned())));
    let one = removed(&named, "elbow").unwrap();
    assert_eq!((one.meshes[0].morph_names.len(), text(&one)), (1, Some("{}".to_owned())));
    let none = removed(&one, "half").unwrap();
    assert_eq!((none.meshes[0].morph_names.len(), text(&none)), (0, None), "then others can be made");
}

#[test]
fn a_shape_of_several_meshes_has_one_name_in_all_of_them() {
    let mut parts = (*tube(Tube::default())).clone();
    let (mesh, instance) = (parts.meshes[0].clone(), parts.instances[0].clone());
    parts.meshes.push(mesh);
    parts.instances.push(Instance { node: NodeId(1), mesh: MeshId(1), ..instance });
    let target = |primitive: &mut Primitive| primitive.morphs.push(MorphTarget::default());
    parts.meshes[1].primitives.iter_mut().for_each(target);
    parts.meshes[1].morph_names.push("wide".to_owned());
    parts.instances[1].morph_weights.push(0.0);
    parts.skeleton.rest.morph_weights.push(0.0);
    let model = Model::build(parts).unwrap();
    let shape = bent(&model, "wide", 25.0);
    let drivers = drivers(&model, std::slice::from_ref(&shape), None).unwrap();
    let made = add_shapes(&model, std::slice::from_ref(&shape), &drivers, &JobContext::of_waiting()).unwrap();
    let names = |mesh: usize| made.model.meshes[mesh].morph_names.clone();
    assert_eq!((names(0), names(1)), (vec!["wide 2".to_owned()], vec!["wide".to_owned(), "wide 2".to_owned()]));
    assert!(made.lines(&[shape], &drivers).iter().any(|line| line.starts_with("wide 2: ")));
    let less = removed(&made.model, "wide 2").unwrap();
    assert_eq!(less.meshes[1].morph_names, ["wide"]);
}

#[test]
fn a_clip_that_holds_the_pose_of_a_shape_has_keys_of_it() {
    let model = tube(Tube::default());
    let mut pose = model.skeleton.rest.clone();
    rotate(&mut pose, NodeId(2), Vec3::X * 25.0);
    let clip = keyed_clip(&model, "Hold", &[(0.0, pose.clone()), (1.0, pose.clone())]).unwrap();
    let held = with_shapes(&model.with_clips(vec![clip]).unwrap(), &[("wide", 25.0)]);
    let clip = held.clips.last().unwrap();
    let mut played = held.skeleton.rest.clone();
    sample(&held, clip, 0.5, &mut SampleScratch::default(), &mut played);
    assert!(clip.name == "Hold" && (played.morph_weights[0] - 1.0).abs() < 1e-6, "{:?}", played.morph_weights);
    let own = clip.channels.iter().find(|channel| channel.path == Path::Weights).unwrap();
    assert_eq!(clip.times[clip.samplers[own.sampler].times], clip.times[0], "all its channels have the same keys");
}
