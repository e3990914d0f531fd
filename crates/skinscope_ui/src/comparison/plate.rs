//! The plate of a comparison: what is compared, how it is shown, and how far the sides are apart. It is a panel beside the picture, or a bar
//! below it while it is folded, so that it covers no side; a drag of its title makes it float over the picture.

use egui::accesskit::Role;
use egui::{
    Align, CursorIcon, Frame, Layout, Margin, Rect, Response, RichText, ScrollArea, Sense, Ui, UiBuilder, Vec2,
    WidgetInfo, vec2,
};
use skinscope_deform::{METHODS, NORMAL_MODES, PASSES};
use skinscope_session::{Command, Comparison, ComparisonCommand, ComparisonLayout, Session, SideWeights, ViewCommand};

use crate::theme::{self, BODY, SMALL, colors};
use crate::widgets::{chip, drop_down, figure, icon_button, plate, progress_bar, segments, text_button, tip};
use crate::{Status, icons, legend, runtime};

/// The width of the plate, points.
const WIDTH: f32 = 268.0;
/// The width of the room for picture and plate below which the plate is folded at first, points.
const LEAST_WIDTH: f32 = 860.0;
/// The part of the picture's height that a floating plate takes at most.
const MOST_HEIGHT: f32 = 0.9;
/// The distance of a floating plate from the right end of the picture below which it becomes a panel when it is dropped, points.
const DOCKS: f32 = 24.0;
/// The distance of the plate from the top of the picture where a button lets it float, below the triad; points.
const BELOW: f32 = 150.0;

/// Where the plate is, and how much of it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plate {
    /// Whether it is folded; `None`: by how much room there is.
    folded: Option<bool>,
    /// Where its upper left corner is in the picture while it floats, points from that of the picture.
    floats_at: Option<Vec2>,
    /// Whether the legend over the picture is folded while sides are compared.
    folds_legend: bool,
}

impl Default for Plate {
    fn default() -> Self {
        Self { folded: None, floats_at: None, folds_legend: true }
    }
}

impl Plate {
    /// Whether the legend over the picture is folded while sides are compared.
    pub(crate) fn folds_legend(&mut self) -> &mut bool {
        &mut self.folds_legend
    }

    /// Returns whether it floats over the picture while it is not folded.
    pub(crate) fn floats(self) -> bool {
        self.floats_at.is_some()
    }

    /// Returns whether it is folded in a room of this width. An example has numbers of its own beside the picture.
    fn is_folded(self, session: &Session, width: f32) -> bool {
        self.folded.unwrap_or(session.lesson().is_some() || width < LEAST_WIDTH)
    }
}

/// Returns whether the plate is unfolded and shows the legend, beside the picture or over it, in a room for both of this width.
pub(crate) fn shows_legend(session: &Session, plate: Plate, width: f32) -> bool {
    session.deforming().comparison().is_some() && !plate.is_folded(session, width)
}

/// What the parts of the plate read.
#[derive(Clone, Copy)]
struct Shown<'a> {
    session: &'a Session,
    comparison: &'a Comparison,
    status: &'a Status,
}

/// Shows the plate of a comparison, where there is one, beside the picture or below it, unless it floats. The picture has the room that
/// is left.
pub(crate) fn show_panel(
    ui: &mut Ui,
    session: &Session,
    status: &Status,
    plate: &mut Plate,
    commands: &mut Vec<Command>,
) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let shown = Shown { session, comparison, status };
    let frame = Frame::NONE.fill(colors(ui).panel).inner_margin(Margin::symmetric(12, 8));
    let room = ui.available_rect_before_wrap();
    if plate.is_folded(session, room.width()) {
        let panel = egui::Panel::bottom("folded comparison").resizable(false).frame(frame);
        panel.show(ui, |ui| bar(ui, shown, plate, commands));
    } else if plate.floats_at.is_none() {
        let panel = egui::Panel::right("comparison").resizable(false).frame(frame);
        panel.exact_size(WIDTH.min(0.5 * room.width())).show(ui, |ui| {
            group(ui, ui.max_rect());
            let corner = ui.max_rect().min;
            let dragged = title(ui, plate, commands).drag_delta();
            if dragged != Vec2::ZERO {
                plate.floats_at = Some(corner - room.min + dragged);
            }
            contents(ui, shown, ui.available_height(), commands);
        });
    }
}

/// Names the plate for those who cannot see it. The picture does not answer to the pointer there.
fn group(ui: &Ui, rect: Rect) {
    let ground = ui.interact(rect, ui.scope_id().with("ground"), Sense::CLICK | Sense::DRAG);
    ground.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Comparison"));
}

/// Shows the plate over the picture `rect`, where it floats.
pub(crate) fn show_floating(
    ui: &mut Ui,
    rect: Rect,
    session: &Session,
    status: &Status,
    state: &mut Plate,
    commands: &mut Vec<Command>,
) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let Some(at) = state.floats_at.filter(|_| !state.is_folded(session, rect.width())) else { return };
    let shown = Shown { session, comparison, status };
    let id = ui.scope_id().with("height of the floating comparison");
    let height: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(MOST_HEIGHT * rect.height());
    let size = vec2(WIDTH.min(rect.width()), height.min(rect.height()));
    let corner = rect.min + at.clamp(Vec2::ZERO, (rect.size() - size).max(Vec2::ZERO));
    let room = Rect::from_min_size(corner, size);
    let frame = plate(ui);
    let drawn = ui.scope_builder(UiBuilder::new().max_rect(room).layout(Layout::top_down(Align::Min)), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.visuals_mut().extreme_bg_color = colors(ui).raised;
            group(ui, ui.max_rect().expand(10.0));
            let grip = title(ui, state, commands);
            let most = MOST_HEIGHT * rect.height() - 56.0;
            contents(ui, shown, most.max(3.0 * theme::ROW), commands);
            grip
        })
    });
    let (now, grip) = (drawn.inner.response.rect, drawn.inner.inner);
    if (now.height() - height).abs() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, now.height()));
        ui.ctx().request_discard("the floating comparison changed its height");
    }
    if grip.dragged()
        && let Some(at) = &mut state.floats_at
    {
        *at = corner - rect.min + grip.drag_delta();
    }
    if grip.drag_stopped() && rect.right() - now.right() < DOCKS {
        state.floats_at = None;
    }
}

/// Shows the title, which can be dragged, with the buttons that fold the plate and end the comparison. Returns the title as it was dragged.
fn title(ui: &mut Ui, plate: &mut Plate, commands: &mut Vec<Command>) -> Response {
    const HEIGHT: f32 = 28.0;
    let row = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), HEIGHT));
    // It is the same widget beside the picture and over it, so that a drag goes on where it becomes the other.
    let grip = ui.interact(row, egui::Id::unique("title of the comparison"), Sense::DRAG);
    grip.widget_info(|| WidgetInfo::labeled(Role::TitleBar, true, "Title of the comparison"));
    ui.horizontal(|ui| {
        ui.set_min_height(HEIGHT);
        let help = "Fold the comparison";
        if icon_button(ui, icons::TREE_OPEN, help, 16.0, false).on_hover_text(help).clicked() {
            plate.folded = Some(true);
        }
        let text = RichText::new("Compare").font(theme::strong(BODY)).color(colors(ui).text);
        ui.add(egui::Label::new(text).selectable(false).sense(Sense::empty()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            stop(ui, commands);
            let (icon, help) = match plate.floats_at {
                None => (icons::CARET_LEFT, "Let the comparison float over the picture"),
                Some(_) => (icons::CARET_RIGHT, "Put the comparison beside the picture"),
            };
            if icon_button(ui, icon, help, 20.0, false).on_hover_text(help).clicked() {
                plate.floats_at = plate.floats_at.is_none().then_some(vec2(f32::INFINITY, BELOW));
            }
        });
    });
    grip.on_hover_cursor(CursorIcon::Grab)
}

/// Shows the button that ends the comparison.
fn stop(ui: &mut Ui, commands: &mut Vec<Command>) {
    let stop = Command::Comparison(ComparisonCommand::Toggle);
    if icon_button(ui, icons::CLOSE, "Stop comparing", 20.0, false).on_hover_text(tip(&stop)).clicked() {
        commands.push(stop);
    }
}

/// Shows the folded plate: all its figures in a line, or in several where they need more room.
fn bar(ui: &mut Ui, shown: Shown<'_>, plate: &mut Plate, commands: &mut Vec<Command>) {
    let Shown { session, comparison, .. } = shown;
    let c = colors(ui);
    ui.horizontal_wrapped(|ui| {
        group(ui, ui.max_rect());
        ui.spacing_mut().item_spacing = vec2(8.0, 6.0);
        let help = "Unfold the comparison";
        if icon_button(ui, icons::TREE_CLOSED, help, 16.0, false).on_hover_text(help).clicked() {
            plate.folded = Some(false);
        }
        ui.label(RichText::new("Compare").font(theme::strong(BODY)).color(c.text));
        with_method(ui, comparison, 124.0, commands);
        for (label, value) in distances(session) {
            let text = format!("{label}: {value}");
            let value = value.split("  ").next().unwrap_or_default();
            let shown = ui.label(RichText::new(format!("{label} {value}")).font(theme::regular(BODY)).color(c.text));
            shown.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
            shown.on_hover_text(format!("{text}. {DISTANCE_HELP}"));
        }
        to_worst(ui, commands);
        stop(ui, commands);
    });
}

/// Shows the contents of the plate below its title. What is higher than `height` scrolls.
fn contents(ui: &mut Ui, shown: Shown<'_>, height: f32, commands: &mut Vec<Command>) {
    let Shown { session, comparison, status } = shown;
    ui.spacing_mut().item_spacing = vec2(8.0, 6.0);
    let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
    list.auto_shrink([false, true]).show(ui, |ui| {
        // The scroll bar is next to the figures.
        ui.set_max_width(ui.available_width() - 8.0);
        choices(ui, session, comparison, commands);
        file(ui, session, commands);
        figures(ui, session);
        runtime::figures(ui, session);
        ui.horizontal_wrapped(|ui| {
            to_worst(ui, commands);
            if session.playback().clip.is_some() {
                let help = "Go to the moment of the clip at which the two sides are farthest apart";
                let label = if session.compared().is_seeking_worst() { "Stop" } else { "Worst of the clip" };
                if text_button(ui, None, label, false).on_hover_text(help).clicked() {
                    commands.push(ComparisonCommand::ToWorstMoment.into());
                }
            }
        });
        if let Some(fraction) = status.worst.filter(|_| session.compared().is_seeking_worst()) {
            progress_bar(ui, "Looking for the worst moment", fraction);
        }
        // Over the picture it would cover a side.
        ui.add_space(8.0);
        legend::show_within(ui, session, commands);
    });
}

/// Shows the button that goes to the vertex at which the sides are farthest apart.
fn to_worst(ui: &mut Ui, commands: &mut Vec<Command>) {
    let help = "Pin and frame the vertex at which the two sides are farthest apart";
    if text_button(ui, None, "To the worst", false).on_hover_text(help).clicked() {
        commands.push(ComparisonCommand::ToWorst.into());
    }
}

/// Shows the choice of the method of the other side.
fn with_method(ui: &mut Ui, comparison: &Comparison, width: f32, commands: &mut Vec<Command>) {
    let help = "The deformation method of the other side";
    drop_down(ui, "Compare with", comparison.choice.method.label, width, help, |ui| {
        for method in METHODS {
            let on = std::ptr::eq(comparison.choice.method, *method);
            if ui.selectable_label(on, method.label).on_hover_text(method.help).clicked() {
                commands.push(ComparisonCommand::SetMethod(method.id).into());
            }
        }
    });
}

fn choices(ui: &mut Ui, session: &Session, comparison: &Comparison, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("With").font(theme::regular(BODY)).color(colors(ui).dim));
        with_method(ui, comparison, ui.available_width() - 8.0, commands);
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("Normals").font(theme::regular(BODY)).color(colors(ui).dim));
        let now = comparison.choice.normals;
        let help = "The formula for normals of the other side";
        drop_down(ui, "Normals of the other side", now.label, ui.available_width() - 8.0, help, |ui| {
            let is_linear = std::ptr::eq(comparison.choice.method, METHODS[0]);
            for mode in NORMAL_MODES.iter().filter(|mode| mode.fits_all || is_linear) {
                if ui.selectable_label(now.id == mode.id, mode.label).on_hover_text(mode.help).clicked() {
                    commands.push(ComparisonCommand::SetNormals(mode.id).into());
                }
            }
        });
    });
    runtime::weights(ui, session, comparison, commands);
    let shown =
        ComparisonLayout::ALL.map(|layout| (layout.label(), layout == comparison.layout, layout.help().to_owned()));
    if let Some(chosen) = segments(ui, &shown) {
        commands.push(ComparisonCommand::SetLayout(ComparisonLayout::ALL[chosen]).into());
    }
    ui.horizontal_wrapped(|ui| {
        let mut switch = |ui: &mut Ui, label: &str, on: bool, help: &str, command: Command| {
            if chip(ui, label, on).on_hover_text(help).clicked() {
                commands.push(command);
            }
        };
        for pass in PASSES {
            let on = comparison.choice.pass.is_some_and(|now| now.id == pass.id);
            let command = ComparisonCommand::SetPass((!on).then_some(pass.id)).into();
            let help = format!("After the method of the other side. {}", pass.help);
            switch(ui, pass.label, on, &help, command);
        }
        if let Some(name) = session.deforming().compared_file() {
            let stored = comparison.weights == SideWeights::Stored;
            let weights = if stored { SideWeights::Shown } else { SideWeights::Stored };
            let command = ComparisonCommand::SetWeights(weights).into();
            switch(ui, "Other file", stored, &format!("The other side is {name}"), command);
        }
        let command = ComparisonCommand::Swap.into();
        switch(ui, "Swap", comparison.swapped, "The sides change places", command);
        let on = session.view().overlay.is_some_and(|overlay| overlay.id == "distance");
        let help = "Colour the skin by how far the two sides are apart";
        switch(ui, "Distance", on, help, ViewCommand::ToggleOverlay("distance").into());
    });
}

/// Shows which file is compared with the open one, if any, and a link that ends that comparison.
fn file(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(name) = session.deforming().compared_file() else { return };
    figure(ui, "File", name);
    let help = "Compare with the weights that the open file stores again";
    if text_button(ui, None, "Leave this file", false).on_hover_text(help).clicked() {
        commands.push(ComparisonCommand::LeaveFile.into());
    }
}

/// What the figures of [`distances`] are.
const DISTANCE_HELP: &str =
    "How far the two sides are apart in this pose; percentages are of the height of the model at rest";

/// Returns how far apart the sides are in this pose: worst, mean and root of the mean square, in mm and in percent of the height.
fn distances(session: &Session) -> Vec<(&'static str, String)> {
    let Some(compared) = session.surfaces().compared_surfaces() else { return Vec::new() };
    let height = f64::from(session.extents().rest_height());
    let text = |metres: f64| {
        let share = if height > 0.0 { format!("  {} %", figures_of(100.0 * metres / height)) } else { String::new() };
        format!("{} mm{share}", figures_of(1e3 * metres))
    };
    let distance = compared.distance;
    vec![("Worst", text(distance.worst)), ("Mean", text(distance.mean)), ("RMS", text(distance.rms))]
}

/// Shows how far apart the sides are in this pose.
fn figures(ui: &mut Ui, session: &Session) {
    for (label, text) in distances(session) {
        figure(ui, label, &text).on_hover_text(DISTANCE_HELP);
    }
    if session.extents().rest_height() > 0.0 {
        ui.label(RichText::new("% of the model's height").font(theme::regular(SMALL)).color(colors(ui).dim));
    }
}

/// Returns a number with three significant digits.
fn figures_of(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
