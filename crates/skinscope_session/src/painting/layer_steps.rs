//! Layers of weights in the history.

use super::Painter;

/// Lets the session have the layers of the canvas, as a part of the step that has changed weights just before where it is `of_last`.
pub(super) fn note(painter: &mut Painter<'_>, of_last: bool) {
    let Some(canvas) = &painter.painting.easel.canvas else { return };
    if canvas.layers().is_same_as(&painter.painting.layers) {
        return;
    }
    let now = canvas.layers().clone();
    let before = std::mem::replace(&mut painter.painting.layers, now);
    painter.skinning.history.weight_layers_changed(before, of_last);
}
