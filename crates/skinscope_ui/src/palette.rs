//! The inspector's account of the buffer that holds joint matrices on the device: its kind, how much of it is used, and
//! how many matrices would fit.

use egui::{Label, RichText, Ui};
use skinscope_base::trace::Part;
use skinscope_deform::{PaletteBuffer, PaletteFit, PaletteLimits, PaletteRows};
use skinscope_session::{Command, Session, ViewCommand};

use super::Status;
use super::frame_costs::{FrameCost, FrameCosts};
use super::summary::bytes;
use super::theme::{self, colors};
use super::widgets::{figure, grouped, section, segments};

/// Shows the choices, and their result within the limits of the device, with the time that frames take where that is measured.
pub(super) fn show(ui: &mut Ui, session: &Session, status: &Status, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let limits: Option<PaletteLimits> = status.palette_limits;
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
    let (method, rows) = (session.deforming().shown_method(), session.view().palette_rows);
    choose_rows(ui, rows, commands);
    ui.add_space(4.0);
    let joints = model.palette_layout().len as usize * session.pose().formation.members;
    let none = PaletteLimits { uniform: 0, storage: 0 };
    let fit = PaletteFit::new(asked, method, joints, limits.unwrap_or(none)).with_rows(rows, method);
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
        times(ui, status.costs.as_deref());
    });
    if rows != rows.of(method) {
        ui.add_space(2.0);
        let text = format!("{} packs no rows of a matrix, so that there is no fourth one.", method.label);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.amber)).wrap());
    }
    // Where the wanted buffer is not used, a sentence says why.
    if limits.is_some() && asked == PaletteBuffer::Uniform && !fit.is_uniform() {
        ui.add_space(2.0);
        let text = format!("Not in a uniform buffer: {}.", fit.why());
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.amber)).wrap());
    }
}

/// Lets the user choose how many rows of a matrix go to the device.
fn choose_rows(ui: &mut Ui, rows: PaletteRows, commands: &mut Vec<Command>) {
    let help = |choice| match choice {
        PaletteRows::Three => "Three rows of each matrix: the fourth is always 0 0 0 1",
        PaletteRows::Four => "All four rows of each matrix, as many engines send them; the picture is the same",
    };
    let shown = PaletteRows::ALL.map(|choice| (choice.label(), rows == choice, help(choice).to_owned()));
    if let Some(chosen) = segments(ui, &shown) {
        commands.push(ViewCommand::SetPaletteRows(PaletteRows::ALL[chosen]).into());
    }
}

/// Says how long the last frames took to bring matrices to the device and to draw with them, while that is measured.
fn times(ui: &mut Ui, costs: Option<&FrameCosts>) {
    let median = |value: &dyn Fn(&FrameCost) -> Option<f32>| {
        costs.and_then(|costs| costs.summary(value)).map(|summary| format!("{:.3} ms", summary.median))
    };
    let Some(uploaded) = median(&|frame| Some(frame.parts_ms[Part::Upload as usize])) else { return };
    figure(ui, "Brought there in", &uploaded)
        .on_hover_text("The median of the last frames, as the panel Statistics measures it while it is open");
    if let Some(drawn) = median(&|frame| frame.device_ms) {
        figure(ui, "Drawn in", &drawn)
            .on_hover_text("The median of the last frames, by the clock of the graphics device");
    }
}
