//! What keys do with the brush that paints weights.

/// What a key does with the brush that paints weights. Size and strength follow from where the window knows them, so that the application
/// carries these out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum BrushKey {
    /// Take the brush that was in the hand last, or put down the one that is.
    Take,
    /// Make it a step wider.
    Wider,
    /// Make it a step narrower.
    Narrower,
    /// Let a drag paint a gradient along its line, then one around its place, then strokes again.
    Gradient,
    /// Let its radius follow the pointer until a click.
    DragRadius,
    /// Let its strength follow the pointer until a click.
    DragStrength,
}
