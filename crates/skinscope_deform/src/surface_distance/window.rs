//! A part of a side of a triangle through which straight ways come, and how it is carried across triangles.

/// A part of a side through which straight ways from a source come: on the axis, the source below it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The length of the way to the source.
    pub before: f64,
    /// How much of that may be more than the shortest way.
    pub slack: f64,
    /// The coordinates of the source; `depth` is positive.
    pub source: f64,
    pub depth: f64,
    pub from: f64,
    pub to: f64,
}

/// By how much ways may become longer where windows are merged, as a share of their length.
const MERGED: f64 = 0.002;

/// What is not told from zero, as a share of a side.
pub const THIN: f64 = 1e-9;

impl Window {
    /// The length of the way to a place on the side.
    #[inline]
    pub fn way(&self, x: f64) -> f64 {
        self.before + hypotenuse(x - self.source, self.depth)
    }

    /// Whether the shortest way to a place on the side may be at most this long.
    #[inline]
    pub fn is_within(&self, x: f64, most: f64) -> bool {
        let (most, x) = (most - (self.before - self.slack), x - self.source);
        most >= 0.0 && x * x + self.depth * self.depth <= most * most
    }

    /// Returns one window instead of two on the same side, where the ways through it are nowhere shorter, and hardly longer. The wider one grows
    /// over the thinner one and a gap between them, and its source moves away until no way is shorter.
    #[inline]
    pub fn merged(&self, other: &Self) -> Option<Self> {
        let is_wide = self.to - self.from >= other.to - other.from;
        let (wide, thin) = if is_wide { (self, other) } else { (other, self) };
        let gap = (thin.from - wide.to).max(wide.from - thin.to).max(0.0);
        let most = MERGED * (thin.before + thin.depth.max(thin.from - thin.source).max(thin.source - thin.to));
        // The second is a quick look at the sources, which are seldom the same.
        if gap > most
            || (wide.before + wide.depth - thin.before - thin.depth).abs() > most + (thin.source - wide.source).abs()
        {
            return None;
        }
        // Between the ends a way may be the shorter or longer in the middle, or where it is straight across the side.
        let middle = 0.5 * (thin.from + thin.to);
        let places = [thin.from, thin.to, middle, thin.source, wide.source].map(|x| x.clamp(thin.from, thin.to));
        let (mut longer, mut shorter) = (0.0_f64, 0.0_f64);
        for (i, x) in places.into_iter().enumerate() {
            // A source that is beside the window counts as an end of it.
            if i < 3 || x > thin.from && x < thin.to {
                let by = wide.way(x) - thin.way(x);
                (longer, shorter) = (longer.max(by), shorter.max(-by));
            }
        }
        let raised = shorter + gap;
        let slack = wide.slack.max(thin.slack + longer) + raised;
        let [from, to] = [wide.from.min(thin.from), wide.to.max(thin.to)];
        (slack <= most).then_some(Self { before: wide.before + raised, slack, from, to, ..*wide })
    }

    /// The same window, seen from the other end of its side.
    #[inline]
    pub fn mirrored(self, length: f64) -> Self {
        Self { source: length - self.source, from: length - self.to, to: length - self.from, ..self }
    }

    /// Carries it across a triangle, whose third corner has the coordinates `foot` and `height`, to the side from the origin to that corner, which
    /// has a length. `to` is how far the side is seen, where that is known.
    #[inline]
    pub fn carried(&self, [foot, height]: [f64; 2], [length, inverse]: [f64; 2], to: Option<f64>) -> Self {
        // The ray from the source through a place on this side meets the other one here.
        let meets =
            |x: f64| (self.depth * x / (foot * self.depth - height * (x - self.source))).clamp(0.0, 1.0) * length;
        let (along, up) = (foot * inverse, height * inverse);
        Self {
            before: self.before,
            slack: self.slack,
            source: self.source * along - self.depth * up,
            depth: (self.source * up + self.depth * along).max(THIN * length),
            from: meets(self.from),
            to: to.unwrap_or_else(|| meets(self.to)),
        }
    }
}

#[inline]
pub(super) fn hypotenuse(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
