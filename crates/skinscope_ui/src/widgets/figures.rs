//! The parts of panels that are no controls: headings, figures, bars, histograms and plates over the picture.

use egui::accesskit::Role;
use egui::{
    Align, Align2, Context, CornerRadius, Frame, Id, Layout, Margin, Rect, Response, RichText, Sense, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};
use skinscope_inspect::tables::{BOOK_SHARES, share_percent};

use super::text::{grouped, paint_line, shortened};
use crate::theme::{self, BODY, SMALL, colors};

/// Shows a name on one line, in full on hover.
pub(crate) fn title(ui: &mut Ui, name: &str) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let (galley, cut) = shortened(ui, name, theme::strong(15.0), c.text, rect.width());
    paint_line(ui, galley, rect.left(), rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, name));
    if cut {
        response.on_hover_text(name);
    }
}

/// Shows the head of a section in small capitals, dim; `right` adds the part at its end.
pub(crate) fn section(ui: &mut Ui, title: &str, right: impl FnOnce(&mut Ui)) {
    section_scaled(ui, title, 1.0, right);
}

/// Does the same with letters of another scale.
pub(crate) fn section_scaled(ui: &mut Ui, title: &str, scale: f32, right: impl FnOnce(&mut Ui)) {
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.set_min_height(20.0 * scale);
        let text = RichText::new(title.to_uppercase()).font(theme::strong(SMALL * scale)).color(colors(ui).dim);
        ui.label(text.extra_letter_spacing(0.6));
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
    ui.add_space(2.0);
}

/// Shows a label at the left and a figure at the right end of the row.
pub(crate) fn figure(ui: &mut Ui, label: &str, value: &str) -> Response {
    const LINE: f32 = 22.0;
    let c = colors(ui);
    let (name, name_cut) = shortened(ui, label, theme::regular(BODY), c.dim, ui.available_width());
    let whole = ui.painter().layout_no_wrap(value.to_owned(), theme::regular(BODY), c.text);
    let width = ui.available_width();
    // A figure without its last digits would be another one: it goes below its label where both have no room in one line.
    let is_below = name.size().x + 16.0 + whole.size().x > width;
    let height = if is_below { 2.0 * LINE - 4.0 } else { LINE };
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    // Values that have no room are names, which end in what tells them apart.
    let (galley, cut) = shortened(ui, value, theme::regular(BODY), c.text, width);
    paint_line(ui, name, rect.left(), rect.top() + 0.5 * LINE, c.dim);
    let x = rect.right() - galley.size().x;
    paint_line(ui, galley, x, rect.bottom() - 0.5 * LINE, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{label}: {value}")));
    match (name_cut, cut) {
        (true, _) => response.on_hover_text(format!("{label}: {value}")),
        (false, true) => response.on_hover_text(value),
        (false, false) => response,
    }
}

/// Shows the share of some work that is done, 0…1, as a bar over the whole width.
pub(crate) fn progress_bar(ui: &mut Ui, name: &str, fraction: f32) {
    let c = colors(ui);
    let fraction = fraction.clamp(0.0, 1.0);
    let (rail, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(fraction));
        info
    });
    let done = rail.with_max_x(rail.left() + fraction * rail.width());
    ui.painter().rect_filled(rail, CornerRadius::same(3), c.line);
    ui.painter().rect_filled(done, CornerRadius::same(3), c.accent);
}

/// The labels of [`histogram`] for vertices of which some may have no influence.
pub(crate) const BY_INFLUENCES: [&str; 6] = ["0", "1", "2", "3", "4", "5+"];

/// Shows bars of the shares of vertices by their number of influences, each with its label below and its percentage
/// above; lines show what is usual, see [`BOOK_SHARES`].
pub(crate) fn histogram(ui: &mut Ui, name: &str, labels: &[&str], counts: &[usize]) {
    let c = colors(ui);
    let shares = share_percent(counts);
    let book = |label: &str| label.parse::<usize>().ok().and_then(|n| BOOK_SHARES.get(n.checked_sub(1)?).copied());
    let most = shares.iter().copied().chain(BOOK_SHARES).fold(1.0, f64::max);
    let (height, foot, head) = (48.0_f32, 16.0, 15.0);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), head + height + foot), Sense::hover());
    let percent = |p: f64| match p {
        0.0 => "0 %".to_owned(),
        p if p < 1.0 => "<1 %".to_owned(),
        p => format!("{p:.0} %"),
    };
    response.widget_info(|| {
        let parts = labels.iter().zip(&shares).map(|(label, p)| format!("{label}: {}", percent(*p)));
        let text = format!("{name}: {}", parts.collect::<Vec<_>>().join(", "));
        WidgetInfo::labeled(Role::Label, true, text)
    });
    let gap = 6.0;
    let width = (rect.width() - gap * (counts.len() - 1) as f32) / counts.len() as f32;
    let tall = |p: f64| height * (p / most) as f32;
    let base = rect.bottom() - foot;
    for (i, (label, share)) in labels.iter().zip(&shares).enumerate() {
        let left = rect.left() + i as f32 * (width + gap);
        let top = base - tall(*share).max(if *share > 0.0 { 2.0 } else { 1.0 });
        let bar = Rect::from_min_max(pos2(left, top), pos2(left + width, base));
        let (fill, ink) = if *share > 0.0 { (c.accent, c.text) } else { (c.line, c.dim) };
        ui.painter().rect_filled(bar, CornerRadius::same(2), fill);
        let mut above = top - 2.0;
        if let Some(y) = book(label).map(|p| base - tall(p)) {
            let across = Rect::from_x_y_ranges(left - 2.0..=left + width + 2.0, y - 1.0..=y + 1.0);
            ui.painter().rect_filled(across, CornerRadius::same(1), c.text);
            // The figure moves away from a line that would strike it through.
            if y < top + 2.0 && y > top - 17.0 {
                above = y - 3.0;
            }
        }
        let middle = bar.center().x;
        let font = theme::regular(SMALL);
        let at = pos2(middle, above);
        ui.painter().text(at, Align2::CENTER_BOTTOM, percent(*share), font.clone(), ink);
        let below = pos2(middle, rect.bottom());
        ui.painter().text(below, Align2::CENTER_BOTTOM, label, font, c.dim);
    }
    let shown: Vec<String> = labels
        .iter()
        .zip(counts.iter().zip(&shares))
        .map(|(l, (n, p))| {
            let influences = if *l == "1" { "influence" } else { "influences" };
            format!("{l} {influences}: {} ({p:.1} %)", grouped(*n))
        })
        .collect();
    let book = "Lines: 60, 35 and 5 % of the vertices of production characters have one, two and three influences, on \
                average";
    response.on_hover_text(format!("{name}\n{}\n\n{book}", shown.join("\n")));
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        let text = "vertices by influences; lines: 60, 35, 5 % are usual";
        ui.label(RichText::new(text).font(theme::regular(SMALL)).color(c.dim));
    });
}

/// The distance between plates and edges, points.
pub(crate) const INSET: f32 = 16.0;

/// Returns the frame of a translucent plate over the picture.
pub(crate) fn plate(ui: &Ui) -> Frame {
    let c = colors(ui);
    Frame::NONE
        .fill(c.plate)
        .stroke(Stroke::new(1.0, c.line))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(12, 10))
}

/// Returns where plates were shown in the corners of the picture so far in this pass.
pub(crate) fn plates_of_pass(ctx: &Context) -> Vec<Rect> {
    let known: Option<(u64, Vec<Rect>)> = ctx.data(|d| d.get_temp(Id::unique("corner plates")));
    known.filter(|(pass, _)| *pass == ctx.cumulative_pass_nr()).map(|(_, plates)| plates).unwrap_or_default()
}

/// Shows a plate in a corner, as high as its contents were last time.
pub(crate) fn corner_plate(
    ui: &mut Ui,
    rect: Rect,
    align: Align2,
    width: f32,
    id: &str,
    contents: impl FnOnce(&mut Ui),
) {
    let id = ui.scope_id().with(id);
    let height: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(80.0);
    let size = vec2(width.min(rect.width() - 2.0 * INSET), height);
    let mut plate_rect = align.align_size_within_rect(size, rect.shrink(INSET));
    // A plate of the same corner that is there already has what is below it or above it.
    let plates = plates_of_pass(ui.ctx());
    for other in &plates {
        if other.intersects(plate_rect) {
            let away = match align.y() {
                Align::Max => other.top() - INSET - plate_rect.bottom(),
                _ => other.bottom() + INSET - plate_rect.top(),
            };
            plate_rect = plate_rect.translate(vec2(0.0, away));
        }
    }
    let frame = plate(ui);
    let shown = ui.scope_builder(UiBuilder::new().max_rect(plate_rect).layout(Layout::top_down(Align::Min)), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.visuals_mut().extreme_bg_color = colors(ui).raised;
            contents(ui);
        })
    });
    let taken = shown.inner.response.rect;
    let now = taken.height();
    let key = (ui.ctx().cumulative_pass_nr(), plates.into_iter().chain([taken]).collect::<Vec<_>>());
    ui.data_mut(|d| d.insert_temp(Id::unique("corner plates"), key));
    if (now - height).abs() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, now));
        ui.ctx().request_discard("a plate in the corner changed its height");
    }
}
