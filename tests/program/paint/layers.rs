//! `skinscope paint --layer`: strokes into layers, which the file keeps in its extras.

use std::sync::Arc;

use skinscope::edit::Sheet;
use skinscope::export::write_skinned_glb;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Model, ModelParts};
use skinscope::session::{
    LayerCommand, PaintCommand, PaintDab, PaintSettings, PlaybackCommand, PoseSource, SelectionCommand, Session, Source,
};
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use super::*;

/// Paints `of` by the strokes of the folder with more options.
fn paint(folder: &Path, of: &str, out: &str, options: &[&str]) -> std::process::Output {
    let mut all = vec!["paint", of, "--strokes", "s.json", "-o", out];
    all.extend(options);
    captured(folder, &all)
}

#[test]
fn a_layer_is_kept_painted_on_and_asked_about_after_another_change() {
    let folder = folder("layers");
    write(&folder, &[stroke()]);
    let flat = paint(&folder, "a.glb", "flat.glb", &[]);
    assert!(flat.status.success(), "{}", said(&flat));
    let out = paint(&folder, "a.glb", "one.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(rows(&folder.join("one.glb")) == rows(&folder.join("flat.glb")), "the weights are the same");
    // Nothing to paint: the layers are read, and the bytes stay.
    write(&folder, &[]);
    let out = paint(&folder, "one.glb", "same.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(fs::read(folder.join("same.glb")).unwrap() == fs::read(folder.join("one.glb")).unwrap());
    let out = paint(&folder, "one.glb", "none.glb", &["--layer", "Elbow", "--kept-layers", "drop"]);
    assert!(out.status.success(), "{}", said(&out));
    // Painted without a layer the file keeps layers that do not make its weights.
    write(&folder, &[stroke()]);
    let out = paint(&folder, "one.glb", "changed.glb", &[]);
    assert!(out.status.success(), "{}", said(&out));
    write(&folder, &[]);
    let out = paint(&folder, "changed.glb", "asked.glb", &["--layer", "Elbow"]);
    assert!(out.status.code() == Some(2) && said(&out).contains("was changed since"), "{}", said(&out));
    assert!(!folder.join("asked.glb").exists());
    for (choice, wanted) in [("changes", "changed.glb"), ("bottom", "one.glb"), ("drop", "changed.glb")] {
        let name = format!("{choice}.glb");
        let out = paint(&folder, "changed.glb", &name, &["--layer", "Elbow", "--kept-layers", choice]);
        assert!(out.status.success(), "{}", said(&out));
        assert!(rows(&folder.join(&name)) == rows(&folder.join(wanted)), "{choice}");
    }
}

#[test]
fn an_effect_of_a_layer_is_kept_with_it_and_one_that_is_not_there_is_refused() {
    let folder = folder("layer-effects");
    write(&folder, &[stroke()]);
    let plain = paint(&folder, "a.glb", "plain.glb", &["--layer", "Elbow"]);
    assert!(plain.status.success(), "{}", said(&plain));
    let effect = ["--layer", "Elbow", "--layer-effect", "smooth:strength=1,passes=3"];
    let out = paint(&folder, "a.glb", "smooth.glb", &effect);
    assert!(out.status.success(), "{}", said(&out));
    assert!(rows(&folder.join("smooth.glb")) != rows(&folder.join("plain.glb")));
    // Read again, the layer with its effect still makes the weights of the file.
    write(&folder, &[]);
    let out = paint(&folder, "smooth.glb", "same.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(fs::read(folder.join("same.glb")).unwrap() == fs::read(folder.join("smooth.glb")).unwrap());
    for (effect, why) in [
        ("blur", "there is no effect"),
        ("smooth:width=2", "smooth has no setting"),
        ("mirror:axis=w", "axis cannot be"),
    ] {
        let out = paint(&folder, "a.glb", "refused.glb", &["--layer", "Elbow", "--layer-effect", effect]);
        assert!(out.status.code() == Some(2) && said(&out).contains(why), "{effect}: {}", said(&out));
    }
}

#[test]
fn a_mirror_without_an_axis_is_across_the_plane_of_symmetry() {
    let folder = folder("layer-mirror");
    // A tube that bulges towards +X, the more the higher, has a plane of symmetry across Z alone.
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
    for point in &mut parts.meshes[0].primitives[0].positions {
        point.x += 2.0 * point.z * point.z * (1.0 + point.y);
    }
    let bulging = Model::build(parts).unwrap();
    let mut bytes = Vec::new();
    write_skinned_glb(&bulging, 0, &bulging.skeleton.rest, &mut bytes).unwrap();
    fs::write(folder.join("a.glb"), bytes).unwrap();
    let flood = |effect: &str, out: &str| {
        let mut options = vec!["paint", "a.glb", "--flood", "add", "--strength", "0.2", "--joint", "joint 2"];
        options.extend(["--layer", "Bulge", "--layer-effect", effect, "-o", out]);
        captured(&folder, &options)
    };
    for (effect, out) in [("mirror", "own.glb"), ("mirror:axis=z", "z.glb")] {
        let out = flood(effect, out);
        assert!(out.status.success(), "{effect}: {}", said(&out));
    }
    let [own, across_z] = ["own.glb", "z.glb"].map(|name| fs::read(folder.join(name)).unwrap());
    assert!(own == across_z);
    let out = flood("mirror:axis=x", "x.glb");
    assert!(out.status.code() == Some(2) && !folder.join("x.glb").exists(), "{}", said(&out));
}

#[test]
fn the_mask_of_a_layer_is_painted_in_place_of_weights() {
    let folder = folder("layer-mask");
    write(&folder, &[stroke()]);
    let out = paint(&folder, "a.glb", "one.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    // A mask is that of all joints, so that none is named.
    let flood = |of: &str, brush: &str, out: &str| {
        captured(&folder, &["paint", of, "--flood", brush, "--layer", "Elbow", "--mask", "-o", out])
    };
    let out = flood("one.glb", "subtract", "none.glb");
    assert!(out.status.success(), "{}", said(&out));
    assert!(rows(&folder.join("none.glb")) == rows(&folder.join("a.glb")), "nothing is left of the layer");
    let out = flood("none.glb", "add", "back.glb");
    assert!(out.status.success(), "{}", said(&out));
    assert!(rows(&folder.join("back.glb")) == rows(&folder.join("one.glb")), "the mask is full again");
    let out = flood("one.glb", "give", "no.glb");
    assert!(out.status.code() == Some(2) && said(&out).contains("no other joint to give to"), "{}", said(&out));
    // By strokes: the layer is left where they have not touched the mask.
    let mut without_joint = stroke();
    without_joint.as_object_mut().unwrap().remove("joint");
    write(&folder, &[without_joint]);
    let out = paint(&folder, "none.glb", "some.glb", &["--layer", "Elbow", "--mask"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(rows(&folder.join("some.glb")) != rows(&folder.join("a.glb")));
    let out = paint(&folder, "one.glb", "no.glb", &["--mask"]);
    assert!(out.status.code() == Some(2) && !folder.join("no.glb").exists(), "{}", said(&out));
}

#[test]
fn what_a_session_has_painted_into_a_layer_its_mask_and_the_base_is_painted_by_the_files_of_its_strokes() {
    let folder = folder("layer-recorded");
    let path = folder.join("a.glb");
    let mut session = Session::default();
    session.open(Source::File(path.clone()).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let stored = Arc::clone(session.document().unwrap().stored());
    session.apply(SelectionCommand::Select(Some(stored.skins[0].joints[usize::from(LOWER_ARM)])));
    session.apply(PaintCommand::Layer(LayerCommand::Add("Sleeve".to_owned())));
    let sleeve = session.painting().layers().active();
    for (brush, mask, into) in [
        ("add", false, sleeve),
        ("subtract", true, sleeve),
        ("smooth", false, sleeve),
        ("add", false, None),
        ("smooth", false, sleeve),
        ("smooth", false, None),
    ] {
        session.apply(PaintCommand::Layer(LayerCommand::Select(into)));
        session.apply(PaintCommand::Hold(Some(brush.to_owned())));
        let settings = PaintSettings { radius: 0.06, front_only: false, mask, ..PaintSettings::default() };
        session.apply(PaintCommand::Set(settings));
        session.update_pose();
        let position = session.surfaces().surface().unwrap().parts[0].deformed.positions[ON_UPPER_ARM];
        session.apply(PaintCommand::Dab(PaintDab {
            position: position.as_dvec3().to_array(),
            pressure: 0.7,
            flips: false,
            smooths: false,
        }));
    }
    let files = session.painting().recorded_files("s");
    assert_eq!(files.len(), 7);
    files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    let stages: [(&str, &str, &[&str], &str); 6] = [
        ("a.glb", "s.1-Sleeve.strokes.json", &["--layer", "Sleeve"], "one.glb"),
        ("one.glb", "s.2-Sleeve.mask.strokes.json", &["--layer", "Sleeve", "--mask"], "two.glb"),
        ("two.glb", "s.3-Sleeve.strokes.json", &["--layer", "Sleeve"], "three.glb"),
        ("three.glb", "s.4.base.strokes.json", &["--base"], "four.glb"),
        ("four.glb", "s.5-Sleeve.strokes.json", &["--layer", "Sleeve"], "five.glb"),
        ("five.glb", "s.6.base.strokes.json", &["--base"], "six.glb"),
    ];
    for (of, strokes, into, out) in stages {
        let mut options = vec!["paint", of, "--strokes", strokes, "-o", out];
        options.extend(into);
        let out = captured(&folder, &options);
        assert!(out.status.success(), "{strokes}: {}", said(&out));
    }
    // As the window saves it.
    let mut sheet = Sheet::of(session.edited_weights().edited_model().unwrap());
    session.painted_weights().unwrap().write_into(&mut sheet);
    let (stamps, target) = (Stamps::of(&path), folder.join("window.glb"));
    let origin = Origin::File(&path, &stamps);
    prepare(origin, &sheet, Recompression::None, Destination::To(&target)).unwrap().write().unwrap();
    let [before, window, program] = ["a.glb", "window.glb", "six.glb"].map(|name| rows(&folder.join(name)));
    assert!(before != window && window == program);
    let out =
        captured(&folder, &["paint", "one.glb", "--strokes", "s.6.base.strokes.json", "--base", "--layer", "Sleeve"]);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
}

#[test]
fn a_layer_is_erased_as_in_the_window_and_weights_are_not() {
    let folder = folder("layer-erase");
    write(&folder, &[stroke()]);
    let out = paint(&folder, "a.glb", "one.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    let mut erase = stroke();
    erase.as_object_mut().unwrap().remove("joint");
    (erase["brush"], erase["strength"]) = ("erase".into(), 1.into());
    write(&folder, &[erase]);
    let out = paint(&folder, "one.glb", "strokes.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    let out = captured(&folder, &["paint", "one.glb", "--flood", "erase", "--layer", "Elbow", "-o", "flood.glb"]);
    assert!(out.status.success(), "{}", said(&out));
    for name in ["strokes.glb", "flood.glb"] {
        assert!(rows(&folder.join(name)) == rows(&folder.join("a.glb")), "{name}: nothing is left of the layer");
    }
    let out = paint(&folder, "one.glb", "no.glb", &[]);
    assert!(out.status.code() == Some(2) && said(&out).contains("works on a layer"), "{}", said(&out));
    let out = captured(&folder, &["paint", "one.glb", "--flood", "erase", "-o", "no.glb"]);
    assert!(out.status.code() == Some(2) && said(&out).contains("--flood: "), "{}", said(&out));
    assert!(!folder.join("no.glb").exists());
}

#[test]
fn the_layers_of_another_file_are_copied_and_a_file_without_any_is_refused() {
    let folder = folder("layers_from");
    write(&folder, &[stroke()]);
    let out = paint(&folder, "a.glb", "one.glb", &["--layer", "Elbow"]);
    assert!(out.status.success(), "{}", said(&out));
    let copy = |from: &str, out: &str| captured(&folder, &["paint", "a.glb", "--layers-from", from, "-o", out]);
    let out = copy("one.glb", "copied.glb");
    assert!(out.status.success() && said(&out).contains("Elbow: copied to "), "{}", said(&out));
    let [before, one, copied] = ["a.glb", "one.glb", "copied.glb"].map(|name| rows(&folder.join(name)));
    for (vertex, ((_, one), (_, copied))) in one.iter().zip(&copied).enumerate() {
        for joint in [UPPER_ARM, LOWER_ARM] {
            assert!((weight(one, joint) - weight(copied, joint)).abs() < 0.01, "vertex {vertex}, joint {joint}");
        }
    }
    assert!(copied != before);
    let out = copy("a.glb", "none.glb");
    assert!(out.status.code() == Some(2) && said(&out).contains("keeps no layers"), "{}", said(&out));
    assert!(!folder.join("none.glb").exists());
    // The file that is read is not written over.
    let out = copy("one.glb", "one.glb");
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
}
