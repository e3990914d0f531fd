//! The inspector's account of the buffer that holds joint matrices on the device: its kind, how much of it is used, and
//! how many matrices would fit.

use egui::{Label, RichText, Ui};
use skinscope_deform::{PaletteBuffer, PaletteFit, PaletteLimits};
use skinscope_session::{Command, Session, ViewCommand};

use super::summary::bytes;
use super::theme::{self, colors};
use super::widgets::{figure, grouped, section, segments};

/// Shows the choice, and its result within `limits` (those of the device; `None` while there is no device).
pub(super) fn show(ui: &mut Ui, session: &Session, limits: Option<PaletteLimits>, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    section(ui, "Joint matrices on the device", |_| {});
    let asked = session.view().palette_buffer;
    let choices = [
        (PaletteBuffer::Auto, "Automatic", "A storage buffer: it holds any rig"),
        (PaletteBuffer::Uniform, "Uniform", "A uniform buffer, where the matrices fit into one; else a storage buffer"),
        (PaletteBuffer::Storage, "Storage", "A storage buffer"),
    ];
    let shown = choices.map(|(choice, name, help)| (name, asked == choice, help.to_owned()));
    if let Some(chosen) = segments(ui, &shown) {
        commands.push(ViewCommand::SetPaletteBuffer(choices[chosen].0).into());
    }
    ui.add_space(4.0);
    let joints = model.palette_layout().len as usize * session.pose().formation.members;
    let none = PaletteLimits { uniform: 0, storage: 0 };
    let fit = PaletteFit::new(asked, session.deforming().shown_method(), joints, limits.unwrap_or(none));
    let size = |n: u64| bytes(usize::try_from(n).unwrap_or(usize::MAX));
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let each = format!("{} × {} = {}", grouped(joints), bytes(fit.joint_bytes), size(fit.bytes()));
        figure(ui, "Matrices", &each).on_hover_text(
            "One for each joint of each skin and each rigid part, for each member of a crowd, as the method packs them",
        );
        if limits.is_some() {
            let holds = |most: u64, of: u64| match usize::try_from(most) {
                Ok(most) if of > 0 => format!("{} in {}", grouped(most), size(of)),
                _ => "none".to_owned(),
            };
            figure(ui, "Uniform holds", &holds(fit.most_in_uniform(), fit.limits.uniform));
            figure(ui, "Storage holds", &holds(fit.most_in_storage(), fit.limits.storage));
            figure(ui, "Read from", &format!("a {} buffer", fit.used()));
        }
    });
    // Where the wanted buffer is not used, a sentence says why.
    if limits.is_some() && asked == PaletteBuffer::Uniform && !fit.is_uniform() {
        ui.add_space(2.0);
        let text = format!("Not in a uniform buffer: {}.", fit.why());
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.amber)).wrap());
    }
}
