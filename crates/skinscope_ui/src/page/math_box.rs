//! A part of a printed formula that is laid out.

use std::sync::Arc;

use egui::{Color32, Galley, Pos2, Rect, Vec2, vec2};

/// A part of a formula that is laid out. Coordinates are points from the left end of its baseline, y downwards.
#[derive(Clone, Default)]
pub(super) struct MathBox {
    pub(super) width: f32,
    /// The height over the baseline, points.
    pub(super) ascent: f32,
    /// The depth below the baseline, points.
    pub(super) descent: f32,
    pub(super) letters: Vec<(Pos2, Arc<Galley>)>,
    pub(super) lines: Vec<(Vec<Pos2>, Color32)>,
    /// The rectangles of symbols.
    pub(super) symbols: Vec<(Rect, &'static str)>,
}

impl MathBox {
    /// Adds the parts of another box, whose baseline then begins at `at`.
    pub(super) fn put(&mut self, other: Self, at: Vec2) {
        self.width = self.width.max(at.x + other.width);
        self.ascent = self.ascent.max(other.ascent - at.y);
        self.descent = self.descent.max(other.descent + at.y);
        self.letters.extend(other.letters.into_iter().map(|(p, galley)| (p + at, galley)));
        let moved = |(line, color): (Vec<Pos2>, Color32)| (line.into_iter().map(|p| p + at).collect(), color);
        self.lines.extend(other.lines.into_iter().map(moved));
        self.symbols.extend(other.symbols.into_iter().map(|(rect, id)| (rect.translate(at), id)));
    }

    /// Adds another box behind what is there.
    pub(super) fn append(&mut self, other: Self) {
        self.put(other, vec2(self.width, 0.0));
    }

    /// Makes one rectangle of those of each symbol, such as a letter and its index.
    pub(super) fn unite_symbols(&mut self) {
        let mut united: Vec<(Rect, &'static str)> = Vec::new();
        for (rect, id) in self.symbols.drain(..) {
            match united.iter_mut().find(|(_, other)| *other == id) {
                Some((all, _)) => *all = all.union(rect),
                None => united.push((rect, id)),
            }
        }
        self.symbols = united;
    }
}
