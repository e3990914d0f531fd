//! What is painted into a picture that is drawn without a window: the legend, the names of the joints and those of two sides that are
//! compared, the words of an example and its page, as the window shows them, without its controls.

use egui::{Rect, Theme, Ui, UiBuilder, vec2};
use skinscope_session::{ComparisonLayout, Projector, Session};

use super::names::{self, NameCount};
use super::{beside, comparison, legend, page};

/// What is painted over a picture or beside it.
#[derive(Clone, Copy, Debug)]
pub struct Over {
    /// Whether the legend is painted.
    pub legend: bool,
    /// Whether the sides of a comparison are named.
    pub sides: bool,
    /// Whether two models that stand side by side are named.
    pub models: bool,
    /// Whether the names of the joints are written.
    pub names: bool,
    /// Whether the letters and words of an example are written.
    pub words: bool,
    /// The part of the whole width, 0…1, that the page of an example has at the right; 0: there is none.
    pub page: f32,
    /// Projects the world to pixels of the picture, whose corner is that of the whole.
    pub projector: Projector,
}

/// Paints all of it over the whole of `ui`, in the light theme or the dark one. Returns how many names of joints there are.
pub fn show_over(ui: &mut Ui, session: &Session, over: &Over, light: bool) -> Option<NameCount> {
    let theme = if light { Theme::Light } else { Theme::Dark };
    ui.ctx().set_theme(theme);
    ui.set_style(ui.ctx().style_of(theme));
    let whole = ui.ctx().content_rect();
    let rect = whole.with_max_x(whole.right() - over.page * whole.width());
    let mut ui = ui.new_child(UiBuilder::new().max_rect(whole));
    let halves =
        session.deforming().comparison().is_some_and(|comparison| comparison.layout == ComparisonLayout::SideBySide);
    let seen: Rect = if halves { rect.with_max_x(rect.center().x) } else { rect };
    let other = halves.then(|| seen.translate(vec2(seen.width(), 0.0)));
    let mut count = None;
    for picture in [Some(seen), other].into_iter().flatten() {
        if over.names {
            let shown = names::show(&ui, session, picture, &over.projector);
            count = count.or(shown);
        }
        if over.words {
            let text = if over.page > 0.0 { page::STILL } else { page::TextSize::USUAL };
            page::show_marks(&ui, session, &over.projector, picture, text);
        }
    }
    if over.models {
        beside::show_names(&ui, session, rect, &over.projector);
    }
    let mut above = rect;
    if over.sides {
        comparison::show_names(&ui, rect, session);
        above = comparison::above_names(rect, session, 1.0);
    }
    if over.legend {
        legend::show_still(&mut ui, above, session);
    }
    if over.page > 0.0 {
        page::show_still(&mut ui, session, whole.with_min_x(rect.right()));
    }
    count
}
