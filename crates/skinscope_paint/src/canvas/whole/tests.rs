//! What is painted row by row is to the bit what is painted by a list of places.

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_base::math::test_random::Random;
use skinscope_deform::METHODS;
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube, with_two_skins, with_vertices};
use skinscope_model::{ClipId, MeshId, Model, ModelParts, NodeId, WeightChange, WeightFormat};
use skinscope_weights::{BRUSHES, FALLOFFS};

use super::*;
use crate::{Centre, Dab, Distance, GradientKind, Posing};

fn stroke_on(joint: Option<NodeId>) -> Stroke {
    Stroke {
        brush: BRUSHES[0],
        joint,
        to: None,
        value: 0.4,
        factor: 1.5,
        strength: 0.3,
        radius: 0.3,
        falloff: FALLOFFS[0],
        distance: Distance::Volume,
        accumulate: true,
        floor: 0.0,
        ceiling: 1.0,
        normalise: true,
        max_influences: None,
        with: BTreeSet::new(),
        locked: BTreeSet::new(),
        mirror: None,
        front_faces: None,
        mask: None,
        method: METHODS[0],
        posing: Arc::new(Posing { clip: Some(ClipId(0)), ..Posing::default() }),
        dabs: Vec::new(),
    }
}

fn changed(model: &Model, change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts: ModelParts = (**model).clone();
    change(&mut parts);
    Model::build(parts).unwrap()
}

/// Models with their names.
fn models() -> Vec<(&'static str, Arc<Model>)> {
    let shape = Tube { joints: 9, rings: 30, sides: 24, influences: 4, ..Tube::default() };
    let plain = tube(shape);
    // Each third vertex comes twice, and both are moved by other joints.
    let count = plain.meshes[0].primitives[0].stored_vertices as u32;
    let twice = with_vertices(&plain, &(0..count).chain((0..count).step_by(3)).collect::<Vec<u32>>());
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (count..count + 200).for_each(|vertex| change.push(vertex, &[0, 5], &[0.5, 0.25]));
    let apart = twice.with_weights(&[change]).unwrap();
    let integers = changed(&plain, |parts| {
        let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        stored.format = WeightFormat::U8;
        stored.formats = vec![WeightFormat::U8];
    });
    // Vertices that lie at the same places in two primitives with room for other numbers of joints.
    let wide = tube(Tube { influences: 6, ..shape });
    let two = changed(&plain, |parts| parts.meshes[0].primitives.push(wide.meshes[0].primitives[0].clone()));
    let unusual = changed(&plain, |parts| {
        let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        stored.weights[0..4].fill(0.0);
        stored.weights[8] = -0.5;
        (stored.joints[16], stored.joints[17]) = (3, 3);
        stored.weights[23] *= 3.0;
    });
    let all = [
        ("plain", plain.with_weights(&[]).unwrap()),
        ("apart", apart),
        ("integers", integers),
        ("two", two),
        ("unusual", unusual),
        ("course", obstacle_course()),
        ("wide", wide),
        ("skins", with_two_skins(&plain, |_| {})),
    ];
    all.map(|(name, model)| (name, Arc::new(model))).into()
}

/// A stroke over all places that looks like chance.
fn any_stroke(model: &Model, round: usize, random: &mut Random) -> Stroke {
    let joints = &model.skins[0].joints;
    let mut joint = || joints[(random.unit() * 0.999 * joints.len() as f32) as usize];
    let (from, to) = (joint(), joint());
    let locked = joint();
    let mut often = |share: f32| random.unit() < share;
    let brush = BRUSHES[round % BRUSHES.len()];
    let mask =
        often(0.2).then(|| VertexSet::from_vertices((0..200).map(|vertex| (MeshId(0), 0, 3 * vertex)).collect()));
    let method = METHODS[if often(0.7) { 0 } else { 1 }];
    let locked = if often(0.2) { BTreeSet::from([locked]) } else { BTreeSet::new() };
    let max_influences = if often(0.3) { Some(1 + round % 4) } else { None };
    let (floor, ceiling) = if often(0.2) { (0.1, 0.6) } else { (0.0, 1.0) };
    let (normalise, accumulate) = (often(0.8), often(0.5));
    let strength = if often(0.1) { 0.0 } else { f64::from(random.unit()) };
    let own = Stroke {
        brush,
        to: Some(to),
        strength,
        floor,
        ceiling,
        normalise,
        accumulate,
        max_influences,
        ..stroke_on(Some(from))
    };
    Stroke { locked, mask, method, ..own }
}

#[test]
fn rows_painted_one_by_one_are_those_painted_by_a_list_of_places() {
    let mut random = Random(5);
    for (name, model) in models() {
        let (mut listed, mut by_row) = (Canvas::new(Arc::clone(&model)), Canvas::new(Arc::clone(&model)));
        let (mut count, mut kept) = (0, Vec::new());
        for round in 0..120 {
            let mut stroke = any_stroke(&model, round, &mut random);
            if round % 10 == 0 {
                let start = stroke.joint;
                // Rows that dabs have painted lie between.
                let at = Centre::Position(random.vector().as_dvec3());
                stroke = Stroke { dabs: vec![Dab { at, pressure: 1.0, time: None }], ..stroke_on(start) };
                assert_eq!(listed.paint(&stroke).is_ok(), by_row.paint(&stroke).is_ok());
                continue;
            }
            let [from, until] = [DVec3::NEG_Y, DVec3::Y];
            let gradient = (random.unit() < 0.3).then_some(Gradient { kind: GradientKind::Linear, from, until });
            if round % 7 == 0 {
                // Others hold the rows and the model from before.
                kept.push((by_row.painted(), Arc::clone(by_row.model()), by_row.model().edited_weights()));
            }
            let (one, other) = (listed.begin(&stroke).unwrap(), by_row.begin(&stroke).unwrap());
            count += usize::from(by_row.paints_by_row(&other));
            let reports = [listed.paint_listed(one, gradient.as_ref()), by_row.paint_over(other, gradient.as_ref())];
            let what = format!("{name} {round} {} {gradient:?}", stroke.brush.id);
            assert_eq!(reports[0], reports[1], "{what}");
            assert!(listed.model().weight_edits() == by_row.model().weight_edits(), "{what}");
            assert!(listed.sheet(&model).tables == by_row.sheet(&model).tables, "{what}");
        }
        assert!(count > 90 || name == "skins", "{name} {count}");
        for (painted, model, weights) in kept {
            assert!(model.edited_weights() == weights, "{name}");
            let (mut then, mut sheet) = (Canvas::new(Arc::clone(&model)), skinscope_edit::Sheet::of(&model));
            then.restore(&painted, Arc::clone(&model));
            painted.write_into(&mut sheet);
            assert!(then.sheet(&model).tables == sheet.tables, "{name}");
        }
    }
}

#[test]
fn a_flood_row_by_row_is_to_the_bit_a_dab_that_reaches_everything() {
    let mut random = Random(8);
    let (mut floods, mut others) = (0, 0);
    for (name, model) in models() {
        let (mut dabbed, mut flooded) = (Canvas::new(Arc::clone(&model)), Canvas::new(Arc::clone(&model)));
        for round in 0..60 {
            let stroke = any_stroke(&model, round, &mut random);
            let constant = FALLOFFS.iter().copied().find(|falloff| falloff.id == "constant").unwrap();
            let stroke = Stroke { radius: 1e5, falloff: constant, ..stroke };
            let dab = Dab { at: Centre::Position(DVec3::ZERO), pressure: 1.0, time: None };
            let dabs = Stroke { dabs: vec![dab], ..stroke.clone() };
            let Ok(by_dab) = dabbed.paint(&dabs) else { continue };
            let begun = flooded.begin(&stroke).unwrap();
            let report = flooded.flood_by_row(&begun).unwrap();
            let what = format!("{name} {round} {}", stroke.brush.id);
            match &report {
                Some(report) => assert!(report.changed > 0 || by_dab.changed == 0, "{what}"),
                None => _ = flooded.paint(&dabs).unwrap(),
            }
            floods += usize::from(report.is_some());
            others += usize::from(report.is_none());
            assert!(dabbed.model().weight_edits() == flooded.model().weight_edits(), "{what}");
            assert!(dabbed.sheet(&model).tables == flooded.sheet(&model).tables, "{what}");
        }
    }
    assert!(floods > 150 && others > 20, "{floods} {others}");
    // Layers need the dab, which composes them.
    let model = Arc::new(tube(Tube { joints: 9, rings: 30, sides: 24, influences: 4, ..Tube::default() }));
    let mut canvas = Canvas::new(Arc::clone(&model));
    let mut layers = canvas.layers().clone();
    layers.add("Layer");
    canvas.set_layers(layers).unwrap();
    let begun = canvas.begin(&stroke_on(model.skins[0].joints.get(3).copied())).unwrap();
    assert_eq!(canvas.flood_by_row(&begun).unwrap(), None);
}

#[test]
fn a_flood_leaves_the_model_of_others_as_it_is() {
    let model = Arc::new(tube(Tube { joints: 9, rings: 30, sides: 24, influences: 4, ..Tube::default() }));
    let mut canvas = Canvas::new(Arc::clone(&model));
    let stroke = stroke_on(model.skins[0].joints.get(3).copied());
    canvas.flood(&Stroke { strength: 0.0, ..stroke.clone() }).unwrap();
    assert!(Arc::ptr_eq(canvas.model(), &model), "nothing has changed");
    canvas.flood(&stroke).unwrap();
    let then = Arc::clone(canvas.model());
    let weights = then.edited_weights();
    canvas.flood(&stroke).unwrap();
    assert!(model.weight_edits().is_empty() && then.edited_weights() == weights);
    assert!(canvas.model().edited_weights() != weights);
}
