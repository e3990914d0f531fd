//! The picture's own area: mouse to camera and selection, and the plates in its corners.

use egui::accesskit::Role;
use egui::{
    Align, Align2, Layout, Mesh, PointerButton, Pos2, Rect, Response, RichText, Sense, Shape, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use glam::Vec2;

use super::theme::{self, BODY, SMALL, colors};
use super::widgets::{chip, figure, grouped, paint_line, plate, segmented, shortened, tip};
use super::{Status, UiState, ViewportArea, names, status, triad};
use crate::math::Ramp;
use crate::model::NodeId;
use crate::session::{Command, Session, SurfaceMode, Toggle};

/// What the picture's area keeps.
#[derive(Debug, Default)]
pub(super) struct Viewport {
    /// Where the pointer was when what lies under it was last looked up.
    looked_at: Option<Pos2>,
}

/// Between plates and edges, points.
const INSET: f32 = 16.0;
/// Points of scrolling that are one step of the wheel.
const POINTS_PER_STEP: f32 = 40.0;

pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
) -> ViewportArea {
    let rect = ui.available_rect_before_wrap();
    let scale = ui.pixels_per_point();
    let pixels = Vec2::new(rect.width(), rect.height()) * scale;
    let pixels = pixels.round().max(Vec2::ONE);
    if rect.is_positive() && pixels != session.view.viewport {
        commands.push(Command::SetViewport(pixels));
    }
    let response = ui.interact(rect, ui.scope_id().with("viewport"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "3D view"));
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect));
    ui.set_clip_rect(rect);
    if session.document.is_some() {
        mouse(&ui, &response, rect, commands);
        hover(&response, rect, scale, session, state);
        if session.view.names {
            names::show(&ui, session, rect);
        }
        toggles(&mut ui, rect, session, commands);
        triad::show(&mut ui, rect, session, commands);
        legend(&mut ui, rect, session, commands);
        hover_card(&mut ui, rect, session);
    } else if status.loading.is_none() {
        status::empty(&mut ui, rect, commands);
    }
    status::show(&mut ui, rect, status, commands);
    ViewportArea { rect, hovered: response.hovered() }
}

fn to_glam(v: egui::Vec2) -> Vec2 {
    Vec2::new(v.x, v.y)
}

fn mouse(ui: &Ui, response: &Response, rect: Rect, commands: &mut Vec<Command>) {
    let scale = ui.pixels_per_point();
    let delta = to_glam(response.drag_delta());
    if delta != Vec2::ZERO {
        let shift = ui.input(|i| i.modifiers.shift);
        if response.dragged_by(PointerButton::Primary) && !shift {
            // Turning goes by the hand's way, whatever the pixel density.
            commands.push(Command::Orbit(delta));
        } else {
            commands.push(Command::Pan(delta * scale));
        }
    }
    if response.double_clicked() {
        commands.push(Command::FrameSelected);
    } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        commands.push(Command::PickAt(to_glam(at - rect.min) * scale));
    }
    if response.hovered() {
        let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
        let steps = scroll / POINTS_PER_STEP + pinch.ln() / -(0.9_f32.ln());
        if steps != 0.0 && steps.is_finite() {
            commands.push(Command::Zoom(steps));
        }
    }
}

/// Looks up the bone under the pointer, once for each move of it.
fn hover(response: &Response, rect: Rect, scale: f32, session: &Session, state: &mut UiState) {
    let pointer = response.hover_pos().filter(|_| !response.dragged());
    let Some(at) = pointer else {
        state.viewport.looked_at = None;
        return;
    };
    if state.viewport.looked_at.replace(at) == Some(at) {
        state.hovered = session.view.hovered;
    } else {
        state.hovered = session.bone_at(to_glam(at - rect.min) * scale);
    }
}

fn toggles(ui: &mut Ui, rect: Rect, session: &Session, commands: &mut Vec<Command>) {
    let corner = Rect::from_min_size(rect.min + vec2(INSET, 14.0), vec2(rect.width() - 2.0 * INSET - 96.0, 60.0));
    ui.scope_builder(UiBuilder::new().max_rect(corner), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
            let mut all = vec![
                ("Bones", Toggle::Bones),
                ("Axes", Toggle::Axes),
                ("Names", Toggle::Names),
                ("Grid", Toggle::Grid),
                ("Wireframe", Toggle::Wireframe),
                ("Mesh", Toggle::Mesh),
            ];
            if session.view.surface == SurfaceMode::Dominant {
                all.push(("Shared in black", Toggle::SharedBlack));
            }
            for (label, toggle) in all {
                let command = Command::Toggle(toggle);
                let help = match toggle {
                    Toggle::SharedBlack => "Paint triangles black whose vertices several joints move".to_owned(),
                    _ => tip(&command),
                };
                if chip(ui, label, session.view.is_on(toggle)).on_hover_text(help).clicked() {
                    commands.push(command);
                }
            }
        });
    });
}

/// A plate in a lower corner, as high as its contents were last time.
fn corner_plate(ui: &mut Ui, rect: Rect, align: Align2, width: f32, id: &str, contents: impl FnOnce(&mut Ui)) {
    let id = ui.scope_id().with(id);
    let height: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(80.0);
    let size = vec2(width.min(rect.width() - 2.0 * INSET), height);
    let place = align.align_size_within_rect(size, rect.shrink(INSET));
    let frame = plate(ui);
    let shown = ui.scope_builder(UiBuilder::new().max_rect(place).layout(Layout::top_down(Align::Min)), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            contents(ui);
        })
    });
    let now = shown.inner.response.rect.height();
    if (now - height).abs() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, now));
        ui.ctx().request_discard("a plate in the corner changed its height");
    }
}

fn legend(ui: &mut Ui, rect: Rect, session: &Session, commands: &mut Vec<Command>) {
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
            let text = format!("Each colour is one joint.{black}");
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

/// The joint under the pointer with its figures: what a click would select.
fn hover_card(ui: &mut Ui, rect: Rect, session: &Session) {
    let Some(node) = session.view.hovered.filter(|n| Some(*n) != session.view.selected) else { return };
    let (Some(model), Some(document)) = (session.model(), &session.document) else { return };
    let (Some(name), Some(stats)) = (model.skeleton.names.get(node.index()), document.stats.nodes.get(node.index()))
    else {
        return;
    };
    corner_plate(ui, rect, Align2::RIGHT_BOTTOM, 232.0, "hover", |ui| {
        super::inspector::title(ui, name);
        ui.spacing_mut().item_spacing.y = 0.0;
        if let Some(parent) = model.skeleton.parents[node.index()] {
            figure(ui, "Child of", &model.skeleton.names[parent.index()]);
        }
        if stats.vertices > 0 {
            figure(ui, "Vertices moved", &grouped(stats.vertices));
            figure(ui, "Largest weight", &format!("{:.3}", stats.largest));
        }
        key_count(ui, session, node);
    });
}

fn key_count(ui: &mut Ui, session: &Session, node: NodeId) {
    let Some((model, clip)) = session.model().zip(session.playback.clip) else { return };
    let clip = &model.clips[clip.index()];
    let channels = clip.channels.iter().filter(|c| c.node == node);
    let keys = channels.map(|c| clip.times[clip.samplers[c.sampler].times].len()).max().unwrap_or(0);
    if keys > 0 {
        figure(ui, "Keys in this clip", &grouped(keys));
    }
}
