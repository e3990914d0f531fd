//! What the preferences change of a whole window: theme, size, keys and units.

use egui::{Theme, Ui};
use skinscope_session::Keymap;

use super::{UiState, preferences};

/// Lets theme, size, keys and units be as the user wants them.
pub(super) fn apply(ui: &mut Ui, state: &mut UiState) {
    state.system_light = ui.ctx().system_theme() == Some(Theme::Light);
    let theme = if state.is_light() { Theme::Light } else { Theme::Dark };
    if !state.started || ui.ctx().theme() != theme {
        ui.ctx().set_theme(theme);
    }
    ui.set_style(ui.ctx().style_of(theme));
    // Another size counts from the next pass on.
    let scale = preferences::usable_scale(state.saved.scale) as f32 / 100.0;
    if ui.ctx().zoom_factor() != scale {
        ui.ctx().set_zoom_factor(scale);
    }
    let keymap = if state.saved.maya_keys { Keymap::Maya } else { Keymap::Blender };
    keymap.choose();
    state.saved.units.choose();
}
