//! Layers of weights in the history.

use crate::Session;

/// Lets the session have the layers of the canvas, as a part of the step that has changed weights just before where it is `of_last`.
pub(super) fn note(session: &mut Session, of_last: bool) {
    let Some(canvas) = &session.painting.easel.canvas else { return };
    if canvas.layers().is_same_as(&session.painting.layers) {
        return;
    }
    let now = canvas.layers().clone();
    let before = std::mem::replace(&mut session.painting.layers, now);
    session.history.weight_layers_changed(before, of_last);
}
