//! Deformation methods: the drop-down, and the list beside it with parameters, normals and what comes after the method.

use skinscope::deform::{METHODS, NORMAL_MODES};

use super::*;

fn listed() -> Harness<'static, App> {
    let mut harness = open(3);
    click(&mut harness, "Deformation parameters");
    harness
}

/// The words of the list are those of the tables; what it sets is what the session has then.
#[test]
fn the_list_sets_parameters_normals_and_the_pass() {
    let mut harness = listed();
    assert!(harness.query_by_label("Mix").is_none() && harness.query_by_label("Iterations").is_none());
    for mode in NORMAL_MODES {
        click(&mut harness, mode.label);
        assert_eq!(harness.state().session.view().normals.id, mode.id);
    }
    click(&mut harness, "Delta mush");
    assert_eq!(harness.state().session.view().pass.map(|pass| pass.id), Some("mush"));
    for (label, id, up) in [("Iterations", "mush-iterations", Key::ArrowRight), ("Step", "mush-step", Key::ArrowLeft)] {
        let parameter = harness.state().session.view().pass.unwrap().parameters.iter().find(|p| p.id == id).unwrap();
        let before = harness.state().session.view().parameters.get(parameter);
        harness.get_by_role_and_label(Role::Slider, label).focus();
        harness.run();
        harness.key_press(up);
        harness.run();
        let after = harness.state().session.view().parameters.get(parameter);
        assert_eq!(after > before, up == Key::ArrowRight, "{label}: {before} {after}");
        assert!(after != before && (!parameter.is_whole || after.fract() == 0.0));
    }
    click(&mut harness, "Delta mush");
    assert!(harness.state().session.view().pass.is_none() && harness.query_by_label("Iterations").is_none());
}

#[test]
fn the_mix_is_a_slider_of_the_mixed_method_alone_and_normals_of_linear_blending_are_not_its() {
    let mut harness = open(3);
    click(&mut harness, "Deformation method: Linear blend");
    for method in METHODS.iter().filter(|method| method.id != "linear") {
        harness.get_by_label(method.label);
    }
    click(&mut harness, "Mixed");
    assert_eq!(harness.state().session.view().method.id, "mixed");
    click(&mut harness, "Deformation parameters");
    for mode in NORMAL_MODES {
        assert_eq!(harness.query_by_label(mode.label).is_some(), mode.fits_all, "{}", mode.id);
    }
    harness.get_by_role_and_label(Role::Slider, "Mix").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    let mix = METHODS.iter().flat_map(|method| method.parameters).find(|p| p.id == "mix").unwrap();
    assert!(harness.state().session.view().parameters.get(mix) > 0.5);
}

/// One side of a comparison may have delta mush and normals of its own.
#[test]
fn the_other_side_of_a_comparison_has_a_pass_and_normals_of_its_own() {
    let mut harness = open(3);
    harness.key_press(Key::X);
    harness.run();
    click(&mut harness, "Unfold the comparison");
    let other = |harness: &Harness<'_, App>| harness.state().session.deforming().comparison().unwrap().choice;
    click(&mut harness, "Delta mush");
    assert!(other(&harness).pass.is_some() && harness.state().session.view().pass.is_none());
    let drop_down = format!("Compare with: {}", other(&harness).method.label);
    click(&mut harness, &drop_down);
    click(&mut harness, "Linear blend");
    click(&mut harness, "Normals of the other side: Of the blend");
    click(&mut harness, "Heaviest joint alone");
    assert_eq!((other(&harness).method.id, other(&harness).normals.id), ("linear", "largest-weight"));
    assert_eq!(harness.state().session.view().normals.id, "cofactor");
}

/// A row is too narrow for the name and the equation of some methods; neither is cut.
#[test]
fn the_card_of_a_vertex_has_the_whole_equation() {
    let mut harness = open(3);
    for id in ["centres-of-rotation", "polar"] {
        harness.state_mut().session.apply(ViewCommand::SetMethod(id));
        harness.state_mut().session.prepare();
        harness.run();
        let at = beside_the_bones(harness.state());
        harness.event(Event::PointerMoved(at + vec2(1.0, 0.0)));
        harness.run();
        harness.event(Event::PointerMoved(at));
        harness.run();
        let method = harness.state().session.deforming().shown_method();
        assert_eq!(method.id, id);
        harness.get_by_label(method.text.equation);
    }
}
