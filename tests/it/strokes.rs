//! What a recorder writes of strokes is found in the model again, and what is left out has its default.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{ClipId, MeshId, Model, ModelParts, PrimitiveId};
use skinscope::paint::{
    Canvas, Centre, Dab, DabForm, Distance, EyeForm, FrontFaces, Marked, MaskForm, MirrorAxis, Named, Posing, Script,
    StrokeForm, StrokesError, StrokesFile, parse,
};
use skinscope::pose::find_node;

fn character() -> Arc<Model> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    import_file(&file, &Options::default(), &Progress::silent()).unwrap().model
}

fn found(model: &Model, strokes: Vec<StrokeForm>) -> Result<Script, StrokesError> {
    parse(StrokesFile { strokes }.text().as_bytes(), Path::new("."), model)
}

/// A stroke that says no more than it must.
fn shortest() -> StrokeForm {
    let dab = DabForm { vertex: Some([0, 1, 7]), ..DabForm::default() };
    let (brush, joint) = (Some("add".to_owned()), Some("Head".to_owned()));
    StrokeForm { brush, joint, radius: Some(0.125), dabs: Some(vec![dab]), ..StrokeForm::default() }
}

#[test]
fn what_a_stroke_leaves_out_has_its_default() {
    let model = character();
    let script = found(&model, vec![shortest()]).unwrap();
    assert!(script.poses.is_empty() && script.unmatched.is_empty());
    let stroke = &script.strokes[0];
    assert_eq!((stroke.brush.id, stroke.falloff.id, stroke.method.id), ("add", "smooth", "linear"));
    assert_eq!((stroke.joint, stroke.to), (Some(find_node(&model, "Head").unwrap()), None));
    assert_eq!((stroke.strength, stroke.radius, stroke.floor, stroke.ceiling), (1.0, 0.125, 0.0, 1.0));
    assert_eq!((stroke.distance, stroke.accumulate, stroke.normalise), (Distance::Surface, false, true));
    assert_eq!((stroke.max_influences, stroke.mirror, stroke.front_faces), (None, None, None));
    assert!(stroke.locked.is_empty() && stroke.mask.is_none() && *stroke.posing == Posing::default());
    let at = Centre::Vertex(PrimitiveId::new(MeshId(0), 1), 7);
    assert_eq!(stroke.dabs, [Dab { at, pressure: 1.0, time: None }]);
}

#[test]
fn what_is_recorded_is_found_again() {
    let model = character();
    let place = DabForm { position: Some([0.5, 1.25, -0.125]), pressure: Some(0.5), ..DabForm::default() };
    let later = DabForm { time: Some(0.75), ..place.clone() };
    let form = StrokeForm {
        brush: Some("give".into()),
        to: Some("#3".into()),
        strength: Some(0.75),
        falloff: Some("root".into()),
        distance: Some("volume".into()),
        accumulate: Some(true),
        floor: Some(0.125),
        ceiling: Some(0.875),
        normalise: Some(false),
        max_influences: Some(3),
        locked: Some(vec!["Hips".into(), "Chest".into()]),
        mirror: Some("auto".into()),
        front_faces: Some(EyeForm { eye: [0.0, 1.0, 4.0], angle: Some(60.0) }),
        mask: Some(MaskForm { vertices: vec![Marked { mesh: 0, primitive: 2, vertices: vec![9, 3, 9] }] }),
        clip: Some(Named::Name("Walk".into())),
        time: Some(0.25),
        method: Some("dual-quaternion".into()),
        dabs: Some(vec![place, later]),
        ..shortest()
    };
    let numbered = StrokeForm { clip: Some(Named::Number(1)), ..form.clone() };
    let script = found(&model, vec![form, numbered]).unwrap();
    let node = |name: &str| find_node(&model, name).unwrap();
    for stroke in &script.strokes {
        assert_eq!((stroke.brush.id, stroke.falloff.id, stroke.method.id), ("give", "root", "dual-quaternion"));
        assert_eq!((stroke.joint, stroke.to), (Some(node("Head")), Some(node("Spine"))));
        assert_eq!((stroke.strength, stroke.floor, stroke.ceiling), (0.75, 0.125, 0.875));
        assert_eq!((stroke.distance, stroke.accumulate, stroke.normalise), (Distance::Volume, true, false));
        assert_eq!((stroke.max_influences, stroke.mirror), (Some(3), Some(MirrorAxis::Auto)));
        assert_eq!(stroke.locked, [node("Hips"), node("Chest")].into());
        assert_eq!(stroke.front_faces, Some(FrontFaces { eye: DVec3::new(0.0, 1.0, 4.0), angle: 60.0 }));
        let mask: Vec<_> = stroke.mask.iter().flat_map(|mask| mask.iter()).collect();
        assert_eq!(mask, [(MeshId(0), 2, 3), (MeshId(0), 2, 9)]);
        assert_eq!(*stroke.posing, Posing { clip: Some(ClipId(1)), time: 0.25, pose: None });
        let at = Centre::Position(DVec3::new(0.5, 1.25, -0.125));
        let dab = Dab { at, pressure: 0.5, time: None };
        assert_eq!(stroke.dabs, [dab.clone(), Dab { time: Some(0.75), ..dab }]);
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused() {
    let model = character();
    // JSON has no such number: where a recorder meets one it says nothing, and a stroke without a radius is none.
    let said = found(&model, vec![StrokeForm { radius: Some(f64::NAN), ..shortest() }]).unwrap_err();
    assert_eq!(said.to_string(), "strokes[0].radius: a stroke needs it");
}

/// The rows of weights of a primitive, by the numbers of joints.
fn row(model: &Model, vertex: usize) -> Vec<f64> {
    let influences = model.influences(MeshId(0), 0).unwrap();
    let mut out = vec![0.0; model.skins[0].joints.len()];
    let (joints, weights) = influences.of(vertex);
    joints.iter().zip(weights).for_each(|(joint, weight)| out[usize::from(*joint)] += f64::from(*weight));
    out
}

#[test]
fn relax_weighs_neighbours_by_one_over_the_length_of_their_edges() {
    const VERTEX: u32 = 40;
    let model = Arc::new(tube(Tube { joints: 4, influences: 4, ..Tube::default() }));
    let primitive = &model.meshes[0].primitives[0];
    let around: BTreeSet<u32> = primitive
        .stored_triangles()
        .filter(|corners| corners.contains(&VERTEX))
        .flatten()
        .filter(|corner| *corner != VERTEX)
        .collect();
    let place = |vertex: u32| primitive.positions[vertex as usize].as_dvec3();
    let mean = |share: &dyn Fn(u32) -> f64| -> Vec<f64> {
        let whole: f64 = around.iter().map(|vertex| share(*vertex)).sum();
        let of = |joint: usize| around.iter().map(|v| share(*v) * row(&model, *v as usize)[joint]).sum::<f64>() / whole;
        (0..4).map(of).collect()
    };
    let [by_length, plain] = [mean(&|vertex| 1.0 / place(vertex).distance(place(VERTEX))), mean(&|_| 1.0)];
    for (brush, wanted) in [("relax", &by_length), ("smooth", &plain)] {
        let dab = DabForm { vertex: Some([0, 0, u64::from(VERTEX)]), ..DabForm::default() };
        let (radius, dabs) = (Some(1e-6), Some(vec![dab]));
        let form = StrokeForm { brush: Some(brush.into()), radius, dabs, ..StrokeForm::default() };
        let script = found(&model, vec![form]).unwrap();
        let mut canvas = Canvas::new(Arc::clone(&model));
        canvas.paint(&script.strokes[0]).unwrap();
        let now = row(canvas.model(), VERTEX as usize);
        assert!(now.iter().zip(wanted).all(|(now, wanted)| (now - wanted).abs() < 1e-6), "{brush}: {now:?} {wanted:?}");
    }
    assert!(by_length.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 1e-3), "{by_length:?} {plain:?}");
}

#[test]
fn vertices_without_a_partner_are_counted_where_both_sides_are_painted() {
    // A vertex in the middle of the left upper arm.
    const VERTEX: usize = 2288;
    let whole = character();
    let mut parts = ModelParts::clone(&whole);
    let positions = &mut parts.meshes[0].primitives[0].positions;
    let across = positions[VERTEX] * Vec3::new(-1.0, 1.0, 1.0);
    let moved = Vec3::new(0.0, 0.011, 0.007);
    positions.iter_mut().filter(|at| at.distance(across) < 0.02).for_each(|at| *at += moved);
    let broken = Arc::new(Model::build(parts).unwrap());
    let unpaired = |model: &Arc<Model>, mirror: Option<&str>| {
        let dab = DabForm { vertex: Some([0, 0, VERTEX as u64]), ..DabForm::default() };
        let form = StrokeForm {
            joint: Some("LowerArm.L".into()),
            radius: Some(0.015),
            distance: Some("volume".into()),
            mirror: mirror.map(str::to_owned),
            dabs: Some(vec![dab]),
            ..shortest()
        };
        let script = found(model, vec![form]).unwrap();
        Canvas::new(Arc::clone(model)).paint(&script.strokes[0]).unwrap().unpaired
    };
    assert_eq!([unpaired(&whole, None), unpaired(&broken, None)], [None, None]);
    let [before, after] = [&whole, &broken].map(|model| unpaired(model, Some("x")).unwrap());
    assert!(after > before, "{before} {after}");
}

#[test]
fn a_mask_holds_on_both_sides() {
    // A vertex in the middle of the left upper arm, and the one opposite to it.
    const VERTEX: usize = 2288;
    let model = character();
    let primitive = &model.meshes[0].primitives[0];
    let across = primitive.positions[VERTEX] * Vec3::new(-1.0, 1.0, 1.0);
    let opposite = primitive.positions.iter().position(|at| at.distance(across) < 1e-6).unwrap();
    let rows = |model: &Model| {
        let influences = model.influences(MeshId(0), 0).unwrap();
        [VERTEX, opposite].map(|vertex| {
            let (joints, weights) = influences.of(vertex);
            joints.iter().copied().zip(weights.iter().map(|weight| weight.to_bits())).collect::<Vec<_>>()
        })
    };
    let before = rows(&model);
    for (marked, changes) in
        [(vec![VERTEX], [true, false]), (vec![opposite], [false, true]), (vec![VERTEX, opposite], [true, true])]
    {
        let vertices = marked.iter().map(|vertex| *vertex as u64).collect();
        let dab = DabForm { vertex: Some([0, 0, VERTEX as u64]), ..DabForm::default() };
        let form = StrokeForm {
            joint: Some("LowerArm.L".into()),
            mirror: Some("x".into()),
            mask: Some(MaskForm { vertices: vec![Marked { mesh: 0, primitive: 0, vertices }] }),
            dabs: Some(vec![dab]),
            ..shortest()
        };
        let script = found(&model, vec![form]).unwrap();
        let mut canvas = Canvas::new(Arc::clone(&model));
        canvas.paint(&script.strokes[0]).unwrap();
        let after = rows(canvas.model());
        assert_eq!([0, 1].map(|side| before[side] != after[side]), changes, "{marked:?}");
    }
}
