use glam::Vec3;
use skinscope_anim::pose::rotate;
use skinscope_anim::{SampleScratch, sample};
use skinscope_deform::{Deformation, METHODS, method};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Model, NodeId};
use skinscope_solve::kept_shapes;

use super::*;

/// A shape of a tube, whose middle is bent by some degrees: the surface as dual quaternions have it.
fn bent(model: &Model, name: &str, degrees: f32) -> Shape {
    let mut pose = model.skeleton.rest.clone();
    rotate(&mut pose, NodeId(2), Vec3::X * degrees);
    let other = Deformation::from(method("dual-quaternion").unwrap());
    let targets = targets_of_method(model, &pose, None, other).unwrap();
    shape(model, (name.to_owned(), pose), &targets, (Deformation::from(METHODS[0]), true)).unwrap()
}

/// Gives a tube shapes of these names and degrees.
fn with_shapes(model: &Model, all: &[(&str, f32)]) -> Model {
    let shapes: Vec<Shape> = all.iter().map(|(name, degrees)| bent(model, name, *degrees)).collect();
    let drivers = drivers(model, &shapes, None).unwrap();
    add_shapes(model, &shapes, &drivers).unwrap().model
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
    let left = remove_shapes(&two, &["half".to_owned()]).unwrap();
    assert_eq!(left.meshes[0].morph_names, ["wide"]);
    let apart = |a: &Model, b: &Model| {
        (1..20).map(|at| (played(a, at as f32 / 20.0) - played(b, at as f32 / 20.0)).abs()).fold(0.0, f32::max)
    };
    let (before, after) = (apart(&one, &two), apart(&one, &left));
    assert!(before > 0.1 && after < 0.05, "{before} {after}");
    assert!(kept_shapes(&left).unwrap() == kept_shapes(&one).unwrap());
    let none = remove_shapes(&left, &["wide".to_owned()]).unwrap();
    assert!(none.source.kept_shapes.is_none() && none.skeleton.rest.morph_weights.is_empty());
}

#[test]
fn a_shape_has_its_new_name_where_it_is_driven_too() {
    let model = with_shapes(&tube(Tube::default()), &[("wide", 25.0), ("half", 12.0)]);
    let named = rename_shape(&model, "wide", "elbow.L").unwrap();
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
    assert_eq!(why(remove_shapes(&model, &["elbow".into()])), "no shape is called \"elbow\": there are half, wide");
    assert!(why(rename_shape(&model, "wide", "half")).contains("another shape is called so"));
    assert!(why(rename_shape(&model, "wide", "")).contains("needs a name"));
    assert!(why(rename_shape(&tube(Tube::default()), "wide", "a")).contains("there is none"));
}
