//! Two models in one picture: the list of both at the head of the outliner, and their names at their feet.

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, Frame, Label, Layout, Margin, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use glam::Vec3;
use skinscope_session::{BesideCommand, Command, Projector, Session, Standing};

use super::icons;
use super::theme::{self, BODY, MARGIN, ROW, SMALL, colors};
use super::widgets::{
    NumberField, chip, describe, icon_button, paint_line, press, row_background, shortened, tip, whole_on_hover,
};

/// A model of the picture: its session, where it stands in the space of the active one, and whether it is active.
struct Shown<'a> {
    session: &'a Session,
    standing: Standing,
    is_active: bool,
}

impl Shown<'_> {
    fn name(&self) -> String {
        let name = self.session.document().map_or("", |document| document.model.source.name.as_str());
        if self.session.unsaved().has_unsaved_work() { format!("{name} •") } else { name.to_owned() }
    }

    /// The point on the floor under the model, in the space of the active one.
    fn foot(&self) -> Vec3 {
        let pose = self.session.pose();
        let bounds = pose.opened_bounds;
        let is_skinned = self.session.model().is_some_and(|model| !model.skins.is_empty());
        // The skeleton says where a clip has carried it.
        let joints =
            pose.model.iter().map(|matrix| Vec3::from(matrix.translation)).filter(|at| is_skinned && at.is_finite());
        let (sum, count) = joints.fold((Vec3::ZERO, 0.0), |(sum, count), at| (sum + at, count + 1.0));
        let middle = if count > 0.0 { sum / count } else { bounds.center() };
        self.standing.place(Vec3::new(middle.x, bounds.min.y, middle.z))
    }
}

/// Returns both models, the first one first; nothing where there is only one.
fn both(session: &Session) -> Option<[Shown<'_>; 2]> {
    let (beside, standing) = session.beside().zip(session.beside_standing())?;
    let own = Standing { offset: Vec3::ZERO, scale: 1.0 };
    let active = Shown { session, standing: own, is_active: true };
    let other = Shown { session: beside.other(), standing, is_active: false };
    Some(if beside.arrangement().is_first_active { [active, other] } else { [other, active] })
}

/// Shows the list of both models, with how they stand; nothing where there is only one.
pub(super) fn show_list(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let (Some(models), Some(beside)) = (both(session), session.beside()) else { return };
    Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 8, bottom: 0 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for model in &models {
            model_row(ui, model, commands);
        }
        ui.add_space(4.0);
        let arrangement = beside.arrangement();
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            for (text, on, command) in [
                ("Same place", arrangement.same_place, BesideCommand::ToggleSamePlace),
                ("Same height", arrangement.same_height, BesideCommand::ToggleSameHeight),
                ("Same time", arrangement.same_time, BesideCommand::ToggleSameTime),
            ] {
                let command = Command::from(command);
                let response = chip(ui, text, on).on_hover_text(tip(&command));
                describe(&response, &tip(&command));
                if response.clicked() {
                    commands.push(command);
                }
            }
            if !arrangement.same_place {
                gap(ui, arrangement.gap, commands);
            }
        });
        if let Some(text) = session.beside_sizes() {
            let text = RichText::new(text).font(theme::regular(SMALL)).color(colors(ui).dim);
            ui.add(Label::new(text).wrap());
        }
    });
}

/// Shows the room between the models, in percent of the height of the taller one.
fn gap(ui: &mut Ui, gap: f32, commands: &mut Vec<Command>) {
    ui.label(RichText::new("Gap").font(theme::regular(SMALL)).color(colors(ui).dim));
    let field = NumberField {
        name: "Room between the models",
        help: "The room between the two models, in percent of the height of the taller one",
        value: 100.0 * gap,
        range: 0.0..=400.0,
        is_bounded: true,
        per_point: 1.0,
        decimals: 0,
        is_short: false,
        unit: " %",
        width: 56.0,
        edited: false,
    };
    if let Some(percent) = field.show(ui).value {
        commands.push(BesideCommand::SetGap(percent / 100.0).into());
    }
}

fn model_row(ui: &mut Ui, model: &Shown<'_>, commands: &mut Vec<Command>) {
    let c = colors(ui);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), ROW), Layout::right_to_left(egui::Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if model.is_active {
            ui.add_space(24.0);
        } else {
            let close = Command::from(BesideCommand::Close);
            let named = format!("Close {}", model.name());
            let response = icon_button(ui, icons::CLOSE, &named, 20.0, false).on_hover_text(tip(&close));
            describe(&response, &tip(&close));
            if response.clicked() {
                commands.push(close);
            }
        }
        let name = model.name();
        let (rect, response) = press(ui, vec2(ui.available_width(), ROW), &name, Some(model.is_active));
        row_background(ui.painter(), rect, model.is_active, response.hovered(), model.is_active, c);
        let ink = if model.is_active { c.text } else { c.dim };
        let (galley, cut) = shortened(ui, &name, theme::regular(BODY), ink, rect.width() - 16.0);
        if cut {
            whole_on_hover(ui, rect, &name);
        }
        paint_line(ui, galley, rect.left() + 10.0, rect.center().y, ink);
        let activate = Command::from(BesideCommand::Activate);
        if model.is_active {
            describe(&response, "The model that all panels and commands are about");
            return;
        }
        describe(&response, &tip(&activate));
        if response.on_hover_text(tip(&activate)).clicked() {
            commands.push(activate);
        }
    });
}

/// Writes the names of both models at their feet, as far as they are in the picture `rect`; nothing where there is only one.
pub(super) fn show_names(ui: &Ui, session: &Session, rect: Rect, projector: &Projector) {
    // A comparison shows the active model alone.
    let Some(models) = both(session).filter(|_| session.deforming().comparison().is_none()) else { return };
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let mut taken: Option<Rect> = None;
    for model in &models {
        let Some(at) = projector.project(model.foot()) else { continue };
        let at = pos2(rect.left() + at.x / scale, rect.top() + at.y / scale + 10.0);
        if !rect.contains(at) {
            continue;
        }
        let name = model.name();
        let ink = if model.is_active { c.text } else { c.dim };
        let (galley, _) = shortened(ui, &name, theme::strong(SMALL), ink, 0.4 * rect.width());
        let size = galley.size() + vec2(14.0, 6.0);
        let mut plate = Align2::CENTER_TOP.anchor_size(at, size);
        if let Some(taken) = taken.filter(|taken| taken.intersects(plate.expand(2.0))) {
            plate = plate.translate(vec2(0.0, taken.bottom() + 2.0 - plate.top()));
        }
        // All of it stays in the picture.
        let out = vec2((rect.left() - plate.left()).max(0.0) - (plate.right() - rect.right()).max(0.0), 0.0);
        let plate = plate.translate(out + vec2(0.0, -(plate.bottom() - rect.bottom()).max(0.0)));
        taken = Some(plate);
        ui.painter().rect_filled(plate, CornerRadius::same(theme::RADIUS), c.plate);
        paint_line(ui, galley, plate.left() + 7.0, plate.center().y, ink);
        let id =
            ui.scope_id().with(if model.is_active { "name of the active model" } else { "name of the other model" });
        let response = ui.interact(plate, id, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Model: {name}")));
    }
}
