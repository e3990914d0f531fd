//! Brushes that paint the mask of a layer: the weights follow at once, a gesture is a step, and both sides are alike to the bit.

use std::sync::Arc;

use skinscope_inspect::OVERLAYS;
use skinscope_model::NodeId;
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_paint::{Canvas, LayerStack, MirrorAxis, PaintedOn, read};

use super::tests::{holding, now, rows, set, stroke, touch};
use crate::tests::sessions::still_session;
use crate::{Document, EditCommand, LayerCommand, PaintCommand, SelectionCommand, Session, SessionFile, ToolCommand};

/// The mask of the layer that is painted in, by vertex.
fn mask(session: &Session) -> Vec<f32> {
    let overlay = OVERLAYS.iter().find(|overlay| overlay.id == "layer-mask").unwrap();
    session.vertex_values(overlay).unwrap().values[0][0].clone()
}

fn bits(mask: &[f32]) -> Vec<u32> {
    mask.iter().map(|share| share.to_bits()).collect()
}

fn hold(session: &mut Session, brush: &str) {
    session.apply(PaintCommand::Hold(Some(brush.to_owned())));
}

/// A tube with a layer that has weights everywhere, whose mask is painted with a brush of full strength.
fn masking(brush: &str) -> Session {
    let mut session = holding("add");
    session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    // Without sums every vertex gets another weight, also where one joint is alone.
    hold(&mut session, "replace");
    set(&mut session, |settings| (settings.normalise, settings.value) = (false, 0.3));
    session.apply(PaintCommand::Flood);
    hold(&mut session, brush);
    set(&mut session, |settings| (settings.mask, settings.strength, settings.value) = (true, 1.0, 0.5));
    session
}

fn text(session: &Session) -> String {
    session.painting().note().map(|note| note.text.clone()).unwrap_or_default()
}

#[test]
fn each_brush_does_with_the_mask_what_it_does_with_a_weight() {
    let mut session = holding("add");
    assert!(mask(&session).iter().all(|share| *share < 0.0), "no layer is painted in");
    session = masking("subtract");
    let (count, painted) = (mask(&session).len(), now(&session));
    assert!(mask(&session).iter().all(|share| *share == 1.0));
    for (brush, strength, wanted) in [
        ("subtract", 0.25, 0.75),
        ("scale", 1.0, 0.375),
        ("replace", 0.5, 0.4375),
        ("add", 0.5, 0.9375),
        ("add", 0.5, 1.0),
        ("smooth", 1.0, 1.0),
        ("erase", 0.25, 0.75),
        ("add", 0.25, 1.0),
    ] {
        hold(&mut session, brush);
        set(&mut session, |settings| settings.strength = strength);
        session.apply(PaintCommand::Flood);
        assert_eq!(bits(&mask(&session)), bits(&vec![wanted; count]), "{brush}");
    }
    assert!(now(&session) == painted, "a full mask leaves the bits of the layer");
    // A brush that gives to another joint has nothing to give a mask to.
    hold(&mut session, "give");
    session.apply(PaintCommand::Flood);
    assert_eq!(text(&session), "A mask has no other joint to give to");
    // Without a layer the same switch paints weights.
    session.apply(PaintCommand::Layer(LayerCommand::Select(None)));
    assert!(!session.painting().paints_mask() && session.painting().settings().mask);
    let id = session.painting().layers().layers()[0].id();
    session.apply(PaintCommand::Layer(LayerCommand::SetOn(id, false)));
    let base = now(&session);
    hold(&mut session, "subtract");
    session.apply(PaintCommand::Flood);
    assert!(now(&session) != base);
}

#[test]
fn the_weights_follow_the_mask_and_each_stroke_is_a_step() {
    let mut session = masking("subtract");
    let painted = now(&session);
    session.apply(EditCommand::Undo);
    let base = now(&session);
    session.apply(EditCommand::Redo);
    assert!(now(&session) == painted && base != painted);
    session.apply(PaintCommand::Flood);
    let (left, shares) = (now(&session), mask(&session));
    let differs: Vec<usize> = (0..left.len()).filter(|at| left[*at] != base[*at]).collect();
    assert!(
        differs.is_empty(),
        "{} of {}: {:?} of {:?}, {:?}",
        differs.len(),
        left.len(),
        &left[differs[0]],
        &base[differs[0]],
        &shares[..8]
    );
    let layers = session.painting().layers();
    assert!(layers.is_masked_out(&layers.layers()[0]));
    session.apply(EditCommand::Undo);
    assert!(now(&session) == painted && mask(&session).iter().all(|share| *share == 1.0));
    // A drag of many touches, also where it is given up.
    stroke(&mut session, 40, 12);
    let (after, shares) = (now(&session), bits(&mask(&session)));
    assert!(after != painted && after != base);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == painted);
    session.apply(EditCommand::BeginEdit);
    (0..6).for_each(|i| touch(&mut session, 60 + i));
    assert!(now(&session) != painted);
    session.apply(EditCommand::CancelEdit);
    assert!(now(&session) == painted && mask(&session).iter().all(|share| *share == 1.0));
    stroke(&mut session, 40, 12);
    assert!(now(&session) == after && bits(&mask(&session)) == shares);
    assert_eq!(session.painting().recorded().strokes.len(), 0, "a file of strokes knows no layers");
}

#[test]
fn strokes_into_a_layer_on_its_mask_and_below_it_are_recorded_in_files_that_paint_the_same() {
    let mut session = holding("add");
    session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
    stroke(&mut session, 40, 6);
    let skirt = session.painting().layers().active();
    for (brush, mask, from, into) in [
        ("subtract", true, 42, skirt),
        ("smooth", false, 60, skirt),
        ("add", false, 30, None),
        ("smooth", false, 44, None),
        ("add", false, 33, skirt),
    ] {
        session.apply(PaintCommand::Layer(LayerCommand::Select(into)));
        hold(&mut session, brush);
        set(&mut session, |settings| settings.mask = mask);
        stroke(&mut session, from, 5);
    }
    let files = session.painting().recorded_files("hour");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "hour.1-Skirt.strokes.json",
        "hour.2-Skirt.mask.strokes.json",
        "hour.3-Skirt.strokes.json",
        "hour.4.base.strokes.json",
        "hour.5-Skirt.strokes.json",
        "hour.strokes.json",
    ];
    assert_eq!(names, wanted);
    let stored = Arc::clone(session.document().unwrap().stored());
    let mut canvas = Canvas::new(Arc::clone(&stored));
    let mut layers = LayerStack::default();
    layers.add("Skirt");
    canvas.set_layers(layers).unwrap();
    let own = canvas.layers().active();
    for (name, text) in &files {
        let path = std::env::temp_dir().join(format!("skinscope_{}_{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let is_of_base = name.contains(".base.");
        canvas.select_layer(if is_of_base { None } else { own });
        let on = match (is_of_base, name.contains(".mask.")) {
            (true, _) => PaintedOn::Weights,
            (_, true) => PaintedOn::Mask,
            _ => PaintedOn::Layer,
        };
        let script = read(&path, &stored, on).unwrap_or_else(|why| panic!("{name}: {why}"));
        for stroke in &script.strokes {
            let painted = if on == PaintedOn::Mask { canvas.paint_mask(stroke, None) } else { canvas.paint(stroke) };
            painted.unwrap();
        }
        std::fs::remove_file(&path).unwrap();
    }
    assert!(rows(canvas.model()) == now(&session));
    for left in [5, 5, 4, 3, 2, 1] {
        session.apply(EditCommand::Undo);
        assert_eq!(session.painting().recorded_files("hour").len(), left);
    }
    session.apply(EditCommand::Redo);
    assert_eq!((session.painting().recorded_count(), session.painting().recorded().strokes.len()), (1, 0));
}

#[test]
fn strokes_into_a_layer_stay_recorded_where_it_is_merged_and_not_where_it_is_removed() {
    let mut session = holding("add");
    session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
    stroke(&mut session, 40, 6);
    let id = session.painting().layers().active().unwrap();
    let names = |session: &Session| -> Vec<String> {
        session.painting().recorded_files("hour").into_iter().map(|(name, _)| name).collect()
    };
    session.apply(PaintCommand::Layer(LayerCommand::Remove(id)));
    assert_eq!(names(&session), ["hour.strokes.json"]);
    session.apply(EditCommand::Undo);
    session.apply(PaintCommand::Layer(LayerCommand::MergeDown(id)));
    assert!(session.painting().layers().is_empty());
    assert_eq!(names(&session), ["hour.1-Skirt.strokes.json", "hour.strokes.json"]);
}

#[test]
fn a_mask_can_be_painted_before_the_layer_has_weights() {
    let mut session = holding("subtract");
    let base = now(&session);
    session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    set(&mut session, |settings| (settings.mask, settings.strength) = (true, 1.0));
    session.apply(PaintCommand::Flood);
    assert!(mask(&session).iter().all(|share| *share == 0.0) && now(&session) == base);
    session.apply(EditCommand::Undo);
    assert!(mask(&session).iter().all(|share| *share == 1.0));
    session.apply(EditCommand::Redo);
    // What is painted under an empty mask would never be seen.
    set(&mut session, |settings| settings.mask = false);
    hold(&mut session, "add");
    touch(&mut session, 40);
    assert_eq!(text(&session), "The mask of Layer 1 is empty here");
    assert!(now(&session) == base);
    let way = session.painting().note().unwrap().ways[1].1.clone();
    session.apply(way);
    assert!(now(&session) != base);
}

#[test]
fn both_sides_and_all_vertices_of_a_place_get_one_mask() {
    let model = tube(Tube { joints: 6, rings: 20, sides: 12, ..Tube::default() });
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    // Each third vertex comes twice.
    let twice: Vec<u32> = (0..count).chain((0..count).step_by(3)).collect();
    let mut session = still_session(with_vertices(&model, &twice));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    hold(&mut session, "subtract");
    session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    set(&mut session, |settings| {
        (settings.mask, settings.front_only, settings.mirror) = (true, false, Some(MirrorAxis::X));
    });
    touch(&mut session, 50);
    let mask = mask(&session);
    assert!(mask.iter().any(|share| *share < 0.9) && mask.contains(&1.0), "{}", text(&session));
    let same = |a: usize, b: usize| mask[a].to_bits() == mask[b].to_bits();
    assert!((0..count as usize).step_by(3).enumerate().all(|(i, of)| same(of, count as usize + i)));
    let positions = &session.model().unwrap().meshes[0].primitives[0].positions;
    for (vertex, at) in positions.iter().enumerate() {
        let image = *at * glam::Vec3::new(-1.0, 1.0, 1.0);
        let there = positions.iter().position(|other| other.distance(image) < 1e-4);
        assert!(there.is_some_and(|there| same(vertex, there)), "vertex {vertex}");
    }
}

#[test]
fn locked_joints_keep_their_weights_and_a_session_file_keeps_the_mask() {
    let mut session = masking("subtract");
    let painted = now(&session);
    session.apply(ToolCommand::ToggleLock(NodeId(2)));
    session.apply(EditCommand::BeginEdit);
    touch(&mut session, 40);
    assert!(session.painting().is_painting(), "the stroke goes on");
    session.apply(EditCommand::EndEdit);
    assert!(now(&session) == painted);
    touch(&mut session, 40);
    assert!(now(&session) == painted);
    assert_eq!(text(&session), "Locked joints would get other weights by this mask");
    session.apply(ToolCommand::UnlockAll);
    touch(&mut session, 40);
    let masked = now(&session);
    assert!(masked != painted);
    let file = session.unsaved().snapshot().unwrap().file().text().unwrap();
    let file = SessionFile::parse(file.as_bytes()).unwrap();
    let stored = Arc::clone(session.document().unwrap().stored());
    let mut again = Session::default();
    assert_eq!(again.open_with_session(Document::new(stored, Vec::new(), None), &file), Vec::<String>::new());
    assert!(now(&again) == masked && bits(&mask(&again)) == bits(&mask(&session)));
}

#[test]
fn a_mask_is_painted_under_the_effects_of_its_layer() {
    let mut session = masking("subtract");
    let id = session.painting().layers().active().unwrap();
    session.apply(PaintCommand::Layer(LayerCommand::SetOn(id, false)));
    let base = now(&session);
    session.apply(PaintCommand::Layer(LayerCommand::SetOn(id, true)));
    session.apply(PaintCommand::Layer(LayerCommand::AddEffect(Some(id), "smooth".to_owned())));
    let smoothed = now(&session);
    touch(&mut session, 40);
    let touched = now(&session);
    assert!(touched != smoothed && touched != base);
    session.apply(PaintCommand::Flood);
    let (left, shares) = (now(&session), mask(&session));
    let differs: Vec<usize> = (0..left.len()).filter(|at| left[*at] != base[*at]).collect();
    assert!(
        differs.is_empty(),
        "{} of {}: {:?} of {:?}, {:?}",
        differs.len(),
        left.len(),
        &left[differs[0]],
        &base[differs[0]],
        &shares[..8]
    );
    let layers = session.painting().layers();
    assert!(layers.layer(id).is_some_and(|layer| layers.is_masked_out(layer)));
    session.apply(EditCommand::Undo);
    assert!(now(&session) == touched);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == smoothed);
}
