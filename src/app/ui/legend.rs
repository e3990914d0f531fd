//! The legend in the lower left corner: what the colours of the surface mean.

use egui::accesskit::Role;
use egui::{Align2, Mesh, Rect, RichText, Sense, Shape, Ui, WidgetInfo, pos2, vec2};

use super::theme::{self, BODY, SMALL, colors};
use super::viewport::corner_plate;
use super::widgets::{paint_line, segmented, shortened};
use crate::math::Ramp;
use crate::session::{Command, Session, SurfaceMode};

pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, commands: &mut Vec<Command>) {
    let name = session.view.selected.zip(session.model()).map(|(n, m)| m.skeleton.names[n.index()].clone());
    match session.view.surface {
        SurfaceMode::Shaded => {}
        SurfaceMode::Weights => corner_plate(ui, rect, Align2::LEFT_BOTTOM, 256.0, "legend", |ui| {
            legend_head(ui, name.as_deref());
            ui.add_space(4.0);
            gradient(ui, session.view.ramp);
            if name.is_none() {
                return;
            }
            ui.add_space(4.0);
            let choice = |label, ramp| (label, session.view.ramp == ramp, Command::SetRamp(ramp));
            segmented(ui, &[choice("Blender", Ramp::Blender), choice("Viridis", Ramp::Viridis)], commands);
        }),
        SurfaceMode::Dominant => corner_plate(ui, rect, Align2::LEFT_BOTTOM, 256.0, "legend", |ui| {
            ui.label(RichText::new("Dominant joint").font(theme::strong(BODY)));
            let black = if session.view.shared_black { " Black: triangles that several joints share." } else { "" };
            let text = format!("Each joint has its colour, as in the outliner.{black}");
            let text = RichText::new(text).font(theme::regular(12.0)).color(colors(ui).text);
            ui.add(egui::Label::new(text).wrap());
        }),
    }
}

fn legend_head(ui: &mut Ui, name: Option<&str>) {
    let c = colors(ui);
    let Some(name) = name else {
        ui.label(RichText::new("Select a joint to see its weights").color(c.text));
        return;
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let before = ui.painter().layout_no_wrap("Weight of ".to_owned(), theme::regular(BODY), c.text);
    let width = before.size().x;
    let (galley, cut) = shortened(ui, name, theme::strong(BODY), c.text, rect.width() - width);
    paint_line(ui, before, rect.left(), rect.center().y, c.text);
    paint_line(ui, galley, rect.left() + width, rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Weight of {name}")));
    if cut {
        response.on_hover_text(name);
    }
}

/// The ramp from 0 to 1 with its figures.
fn gradient(ui: &mut Ui, ramp: Ramp) {
    const STEPS: u32 = 48;
    let c = colors(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0 + 18.0), Sense::hover());
    let bar = rect.with_max_y(rect.top() + 10.0);
    let mut mesh = Mesh::default();
    for i in 0..=STEPS {
        let at = i as f32 / STEPS as f32;
        let [r, g, b] = ramp.color(at).map(|v| (v * 255.0).round() as u8);
        let color = egui::Color32::from_rgb(r, g, b);
        let x = bar.left() + at * bar.width();
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if i > 0 {
            let v = 2 * i;
            mesh.add_triangle(v - 2, v - 1, v);
            mesh.add_triangle(v - 1, v + 1, v);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    let marks = [
        ("0", bar.left(), Align2::LEFT_BOTTOM),
        ("0.5", bar.center().x, Align2::CENTER_BOTTOM),
        ("1", bar.right(), Align2::RIGHT_BOTTOM),
    ];
    for (text, x, align) in marks {
        ui.painter().text(pos2(x, rect.bottom()), align, text, theme::regular(SMALL), c.text);
    }
}
