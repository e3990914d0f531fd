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

/// Two tubes that one skin moves.
fn two_tubes() -> Model {
    let mut parts = (*tube(Tube::default())).clone();
    let (mesh, instance) = (parts.meshes[0].clone(), parts.instances[0].clone());
    parts.meshes.push(mesh);
    parts.instances.push(Instance { node: NodeId(1), mesh: MeshId(1), ..instance });
    Model::build(parts).unwrap()
}

/// A shape of one mesh, in the pose in which the middle is bent by some degrees.
fn of_mesh(model: &Model, name: &str, degrees: f32, mesh: MeshId) -> Shape {
    let mut pose = model.skeleton.rest.clone();
    rotate(&mut pose, NodeId(2), Vec3::X * degrees);
    let (context, other) = (JobContext::of_waiting(), Deformation::from(method("dual-quaternion").unwrap()));
    let mut targets = targets_of_method(model, &pose, None, other, &context).unwrap();
    targets.retain(|((_, at), _)| at.mesh == mesh);
    shape(model, (name.to_owned(), pose), &targets, (Deformation::from(METHODS[0]), true), &context).unwrap()
}

#[test]
fn each_mesh_has_its_own_shapes_alone_with_the_weights_of_all_together() {
    let model = two_tubes();
    let shapes = [of_mesh(&model, "left", 25.0, MeshId(0)), of_mesh(&model, "right", -25.0, MeshId(1))];
    let drivers = drivers(&model, &shapes, None).unwrap();
    assert_eq!(drivers.len(), 1, "one joint brings both in");
    let made = add_shapes(&model, &shapes, &drivers, &JobContext::of_waiting()).unwrap();
    let names = |model: &Model, mesh: usize| model.meshes[mesh].morph_names.clone();
    assert_eq!([names(&made.model, 0), names(&made.model, 1)], [["left"], ["right"]]);
    let is_moved =
        |mesh: usize| made.model.meshes[mesh].primitives[0].morphs[0].positions.iter().any(|by| *by != Vec3::ZERO);
    assert!(is_moved(0) && is_moved(1), "no target is of zeros");
    let weights = |degrees: f32| {
        let mut pose = made.model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::X * degrees);
        bring_in(&made.model, &kept_shapes(&made.model).unwrap(), &mut pose);
        let mut together = Vec::new();
        drivers[0].driver.weights(&pose, &mut together);
        (pose.morph_weights, together)
    };
    for degrees in [25.0, -25.0, 12.0, -3.0, 70.0] {
        let (own, together) = weights(degrees);
        assert!(own.iter().zip(&together).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6), "{own:?} {together:?}");
    }
    assert!(made.most(0) > 0.99 && made.most(1) < 0.05, "the clip bends to one side");
    // Where one goes, the other is driven as if it had always been alone.
    let left = removed(&made.model, "right").unwrap();
    let alone = [of_mesh(&model, "left", 25.0, MeshId(0))];
    let drivers = super::drivers(&model, &alone, None).unwrap();
    let alone = add_shapes(&model, &alone, &drivers, &JobContext::of_waiting()).unwrap().model;
    assert_eq!((names(&left, 0), names(&left, 1).len()), (vec!["left".to_owned()], 0));
    assert_eq!(kept_shapes(&left), kept_shapes(&alone));
    assert!((1..20).all(|at| (played(&left, at as f32 / 20.0) - played(&alone, at as f32 / 20.0)).abs() < 0.02));
}

#[test]
fn targets_of_one_name_in_a_mesh_are_told_by_their_numbers() {
    let mut parts = (*with_shapes(&tube(Tube::default()), &[("wide", 25.0), ("half", 12.0)])).clone();
    parts.meshes[0].morph_names[1] = "wide".to_owned();
    let kept = parts.source.kept_shapes.take().unwrap();
    parts.source.kept_shapes = Some(kept.replace("half", "wide").into());
    let model = Model::build(parts).unwrap();
    let why = |result: Result<Model, ShapeError>| result.err().map_or_else(String::new, |why| why.0);
    assert!(why(rename_shape(&model, &"wide".into(), "a")).contains("such as 0,0 or 0,1"));
    assert!(why(removed(&model, "wide")).contains("such as 0,0 or 0,1"));
    let at = |target: u32| TargetName::At([0, target]);
    assert!(why(rename_shape(&model, &at(2), "a")).contains("no morph target 0,2"));
    let named = rename_shape(&model, &at(1), "half").unwrap();
    assert_eq!(named.meshes[0].morph_names, ["wide", "half"]);
    assert_eq!(kept_shapes(&named).unwrap()[0].targets, [(0, "wide".to_owned()), (1, "half".to_owned())]);
    let left = remove_shapes(&model, &[at(0)], &JobContext::of_waiting()).unwrap();
    let offsets = |model: &Model, at: usize| model.meshes[0].primitives[0].morphs[at].positions.clone();
    assert!(offsets(&left, 0) == offsets(&model, 1) && left.meshes[0].morph_names == ["wide"]);
    // What is the name of a target is that, whatever it looks like.
    assert_eq!([TargetName::read(&model, "0,1"), TargetName::read(&model, "wide")], [at(1), "wide".into()]);
    let odd = rename_shape(&model, &at(1), "0,1").unwrap();
    assert_eq!(TargetName::read(&odd, "0,1"), TargetName::from("0,1"));
    let text = serde_json::to_string(&[at(1), "0,1".into()]).unwrap();
    assert_eq!(text, "[[0,1],\"0,1\"]");
    assert_eq!(serde_json::from_str::<Vec<TargetName>>(&text).unwrap(), [at(1), "0,1".into()]);
}

#[test]
fn drivers_that_do_not_fit_are_left_out_where_that_is_asked_for() {
    let mut parts = (*with_shapes(&tube(Tube::default()), &[("wide", 25.0)])).clone();
    parts.skeleton.names[2] = "forearm".to_owned();
    let model = Model::build(parts).unwrap();
    let shapes = [bent(&model, "half", 12.0)];
    let why = drivers(&model, &shapes, None).err().map_or_else(String::new, |why| why.0);
    assert!(why.contains("is no joint"), "{why}");
    let dropped = without_unfit_drivers(&model).unwrap().unwrap();
    assert!(dropped.source.kept_shapes.is_none() && dropped.meshes[0].morph_names == ["wide"]);
    assert!(without_unfit_drivers(&dropped).unwrap().is_none(), "all of it fits");
    let more = with_shapes(&dropped, &[("half", 12.0)]);
    assert_eq!((kept_shapes(&more).unwrap().len(), more.meshes[0].morph_names.len()), (1, 2));
    assert!((played(&more, 0.5) - played(&model, 0.5)).abs() < 0.02, "the keys of the first one stay");
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
