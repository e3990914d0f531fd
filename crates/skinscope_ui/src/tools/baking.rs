//! Baking a method into weights: the poses that are kept for it, how much of the way to the method the weights go, in all and by joint, and
//! what shows the rest.

use std::sync::Arc;

use egui::{Label, RichText, Ui};
use skinscope_deform::METHODS;
use skinscope_edit::{Baked, Parameter, Settings, bakes_kept_poses};
use skinscope_model::Model;
use skinscope_session::{Command, ComparisonCommand, MethodChoice, Session, SideWeights, ToolCommand, ViewCommand};

use super::binding::{as_layer, changes, folded};
use super::quiet_text;
use crate::theme::{self, colors};
use crate::widgets::{counted, figure, link, section, text_button};

/// The overlays that show what is left: each with the words of its link, and what they say.
const OVERLAYS: [(&str, &str, &str); 2] = [
    (
        "bake-left",
        "Show what is left",
        "Colour the skin by how far the weights leave it from the method over the poses",
    ),
    (
        "bake-left-largest",
        "Show the most that is left",
        "Colour the skin by how far the weights leave it from the method in the worst pose of each vertex",
    ),
];

/// Shows the poses that are kept, where the method is baked over these, and whether the result is a layer.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    parameter: &Parameter,
    now: &mut Settings,
    commands: &mut Vec<Command>,
) {
    if bakes_kept_poses(now) {
        section(ui, parameter.label, |_| {});
        kept(ui, session, now);
    }
    as_layer(ui, session, commands);
}

/// Shows the poses that are kept, a row each, and the button that keeps the one that is shown.
fn kept(ui: &mut Ui, session: &Session, now: &mut Settings) {
    let pose = &session.pose().local;
    let is_kept = now.poses.iter().any(|kept| **kept == *pose);
    ui.add_enabled_ui(!is_kept, |ui| {
        let button = text_button(ui, None, "Keep this pose", false);
        let help = "Let linear blending come near the method in the pose that is shown too";
        if button.on_hover_text(help).on_disabled_hover_text("The pose that is shown is kept already").clicked() {
            now.poses.push(Arc::new(pose.clone()));
        }
    });
    if now.poses.is_empty() {
        quiet_text(ui, "None yet: pose the model, or go to a moment of a clip, and keep the pose.");
    }
    let mut gone = None;
    for at in 0..now.poses.len() {
        ui.horizontal(|ui| {
            let name = format!("Pose {}", at + 1);
            ui.label(RichText::new(&name).font(theme::regular(12.0)).color(colors(ui).dim));
            let help = format!("Forget the kept pose {}", at + 1);
            if link(ui, "Forget", &help).on_hover_text(help.as_str()).clicked() {
                gone = Some(at);
            }
        });
    }
    if let Some(at) = gone {
        now.poses.remove(at);
    }
}

/// Says how much of the way to the method the weights go that are tried or were just applied, in all and for each joint, and offers what shows
/// the rest.
pub(super) fn report(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some((baked, model)) = session.edited_weights().baked().zip(session.model()) else { return };
    section(ui, "Way to the method", |_| {});
    let (before, after) = (baked.gain.before, baked.gain.after);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        figure(ui, "Share of the gain", &share(baked.gain.percent()));
        figure(ui, "Mean distance", &millimetres(before.rms, after.rms));
        figure(ui, "Largest distance", &millimetres(before.largest, after.largest));
        figure(ui, "Poses looked at", &baked.poses.to_string());
    });
    joints(ui, baked, model);
    notes(ui, baked);
    ui.horizontal_wrapped(|ui| {
        for (overlay, name, help) in OVERLAYS {
            let is_shown = session.view().overlay.is_some_and(|shown| shown.id == overlay);
            if !is_shown && link(ui, name, name).on_hover_text(help).clicked() {
                commands.push(ViewCommand::SetOverlay(Some(overlay)).into());
            }
        }
        compare(ui, session, baked, commands);
        if session.edited_weights().just_changed().is_some() {
            changes(ui, session, commands);
        }
    });
}

/// Shows how much of the way the weights go at the vertices of each joint, folded.
fn joints(ui: &mut Ui, baked: &Baked, model: &Model) {
    let id = ui.scope_id().with("gain by joint");
    let name = format!("Share of {}", counted(baked.gain.joints.len(), "joint", "joints"));
    if !folded(ui, id, &name, "How much of the way to the method the vertices of each joint go, counted by its weight")
    {
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for joint in &baked.gain.joints {
            let name = model.skeleton.names.get(joint.key as usize).map_or("", String::as_str);
            figure(ui, name, &share(joint.percent())).on_hover_text(millimetres(joint.before, joint.after));
        }
    });
}

/// Says which places could not be solved as they might have been.
fn notes(ui: &mut Ui, baked: &Baked) {
    let stuck = counted(baked.stuck, "place stays", "places stay");
    let unproven = counted(baked.unproven, "place has", "places have");
    let texts = [
        (baked.stuck, format!("{stuck} as locked joints leave it.")),
        (baked.unproven, format!("{unproven} a good choice of joints that is not proven to be the best.")),
    ];
    for (_, text) in texts.iter().filter(|(count, _)| *count > 0) {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
}

/// Offers a comparison of linear blending by the weights with the method by the weights from before, where the picture can have these.
fn compare(ui: &mut Ui, session: &Session, baked: &Baked, commands: &mut Vec<Command>) {
    let (weights, stored) = (session.edited_weights(), session.document().map(|document| document.stored()));
    // What is tried has not replaced those that it was found from.
    let before = weights.weights_before().or_else(|| weights.edited_model().filter(|_| session.tools().is_trying()));
    let Some(((before, stored), method)) = before.zip(stored).zip(MethodChoice::named(&baked.from)) else { return };
    let is_stored = Arc::ptr_eq(before, stored);
    if !is_stored && weights.weights_before().is_none() {
        return;
    }
    let help = "Show linear blending by these weights beside the method by those from before; X ends it";
    if !link(ui, "Compare with the method", help).on_hover_text(help).clicked() {
        return;
    }
    if !is_stored {
        commands.push(ToolCommand::CompareBefore.into());
    }
    commands.extend([
        Command::from(ViewCommand::SetMethod(METHODS[0].id)),
        ViewCommand::SetPass(None).into(),
        ComparisonCommand::Set(true).into(),
        ComparisonCommand::SetMethod(method.method.id).into(),
        ComparisonCommand::SetPass(method.pass.map(|pass| pass.id)).into(),
        ComparisonCommand::SetWeights(SideWeights::Stored).into(),
    ]);
}

/// Returns a share of the gain in words.
fn share(percent: Option<f64>) -> String {
    percent.map_or_else(|| "nothing to gain".to_owned(), |percent| format!("{percent:.1} %"))
}

/// Returns two distances, before and after, which are given in metres.
fn millimetres(before: f64, after: f64) -> String {
    format!("{:.3} → {:.3} mm", 1e3 * before, 1e3 * after)
}
