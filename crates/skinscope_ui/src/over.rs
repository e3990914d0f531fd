//! The texts over a picture that is drawn without a window: the legend, the names of the joints and those of two sides that are
//! compared, as the window shows them, without its controls.

use egui::{Rect, Theme, Ui, UiBuilder, vec2};
use skinscope_session::{ComparisonLayout, Projector, Session};

use super::{comparison, legend, names};

/// The texts that are painted over a picture.
#[derive(Clone, Copy, Debug)]
pub struct Over {
    /// Whether the legend is painted.
    pub legend: bool,
    /// Whether the sides of a comparison are named.
    pub sides: bool,
    /// Projects the joints whose names are written to pixels; `None`: no names are written.
    pub names: Option<Projector>,
}

/// Paints these texts over the whole of `ui`, in the light theme or the dark one.
pub fn show_over(ui: &mut Ui, session: &Session, over: &Over, light: bool) {
    let theme = if light { Theme::Light } else { Theme::Dark };
    ui.ctx().set_theme(theme);
    ui.set_style(ui.ctx().style_of(theme));
    let rect = ui.ctx().content_rect();
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect));
    if let Some(projector) = &over.names {
        let halves = session
            .deforming()
            .comparison()
            .is_some_and(|comparison| comparison.layout == ComparisonLayout::SideBySide);
        let seen: Rect = if halves { rect.with_max_x(rect.center().x) } else { rect };
        names::show(&ui, session, seen, projector);
        if halves {
            names::show(&ui, session, seen.translate(vec2(seen.width(), 0.0)), projector);
        }
    }
    let mut above = rect;
    if over.sides {
        comparison::show_names(&ui, rect, session);
        above = comparison::above_names(rect, session);
    }
    if over.legend {
        legend::show_still(&mut ui, above, session);
    }
}
