//! Where a standing figure has its hips, its neck, its legs and its arms, as sections through its triangles tell. Where they say nothing, the
//! proportions of a grown person hold.
//!
//! All numbers are shares of the height of the figure, from the ground: `x` to the side of the plane of symmetry, `y` up.

use std::ops::Range;

use glam::Vec2;

/// How many sections through the height there are.
const SECTIONS: usize = 200;
/// Pieces of a section that are nearer to each other than this are one.
const TOUCH: f32 = 0.004;
/// The legs of a figure part where there is a gap no farther from the middle than this.
const MIDDLE: f32 = 0.04;
/// The height of the crotch and of the narrowest place of the neck of a grown person.
const USUAL: [f32; 2] = [0.475, 0.845];
/// The lowest and the highest place of a crotch, and how high legs have to be at least.
const CROTCH: [f32; 2] = [0.08, 0.65];
const LEAST_LEG: usize = SECTIONS / 25;
/// The highest place of a neck.
const NECK: f32 = 0.93;
/// A neck is narrower than this share of the head above it, and what is below it wider by this factor.
const NARROW: f32 = 0.85;
const WIDE: f32 = 1.5;
/// Widths of a neck whose ratio is larger than this are alike.
const ALIKE: f32 = 0.95;
/// Arms are spread where they reach farther beyond the body than this.
const SPREAD: f32 = 0.1;
/// The elbow and the wrist, as shares of the way from the side of the body to the tips of the fingers.
const ELBOW: f32 = 0.41;
const WRIST: f32 = 0.76;
/// Where else arms are looked at: at the fingers, and near the shoulder.
const FINGERS: f32 = 0.9;
const NEAR: f32 = 0.2;
/// How far from the line through wrist and elbow an arm may be near the shoulder.
const OFF_LINE: f32 = 0.04;
/// How much higher the narrowest place of the neck is than the shoulders.
const ABOVE_SHOULDERS: f32 = 0.045;

/// The sections through the feet, and those through the legs above them.
const FEET: Range<usize> = 0..SECTIONS / 20;
const SHINS: Range<usize> = SECTIONS / 12..SECTIONS / 6;

/// Pieces of a section along a line, from where to where, in order.
type Pieces = Vec<[f32; 2]>;

/// What sections tell of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figure {
    /// How high the legs part.
    pub crotch: Option<f32>,
    /// How high the neck is narrowest.
    pub neck: Option<f32>,
    /// How far from the middle the legs are at hips, knees and ankles.
    pub legs: Option<[f32; 3]>,
    /// Where upper arm, lower arm and hand begin, where arms are spread.
    pub arms: Option<[Vec2; 3]>,
}

impl Figure {
    /// Looks at the triangles of a figure.
    pub fn of(triangles: &[[Vec2; 3]]) -> Self {
        let heights: Vec<f32> = (0..SECTIONS).map(height).collect();
        let sections = cut(triangles, 1, &heights);
        let mut out = Self { crotch: crotch(&sections), ..Self::default() };
        out.neck = neck(&sections, out.crotch.unwrap_or(0.25) + 0.05);
        out.arms = arms(triangles, &sections, &out);
        // Shoulders tell where the neck is, where the head hangs over it.
        let shoulder = out.arms.map(|[upper, ..]| upper.y + ABOVE_SHOULDERS).filter(|neck| *neck < NECK);
        out.neck = out.neck.or(shoulder);
        out.legs = legs(&sections, &out);
        out
    }

    /// Returns the heights of crotch and neck. What is not known follows from what is.
    fn marks(&self) -> [f32; 2] {
        let [low, high] = USUAL;
        match (self.crotch, self.neck) {
            (Some(crotch), Some(neck)) => [crotch, neck.max(crotch + 0.05)],
            (Some(crotch), None) => [crotch, crotch + (1.0 - crotch) * (high - low) / (1.0 - low)],
            (None, Some(neck)) => [neck * low / high, neck],
            (None, None) => USUAL,
        }
    }

    /// Returns how high that is in this figure which is at `usual` in a grown person.
    pub fn height(&self, usual: f32) -> f32 {
        let ([low, high], [crotch, neck]) = (USUAL, self.marks());
        let between = |share: f32, from: f32, to: f32| from + share * (to - from);
        if usual <= low {
            usual * crotch / low
        } else if usual <= high {
            between((usual - low) / (high - low), crotch, neck)
        } else {
            between((usual - high) / (1.0 - high), neck, 1.0)
        }
    }

    /// Returns what the sections told, in words.
    pub fn told(&self) -> Vec<&'static str> {
        let all = [
            ("hips", self.crotch.is_some()),
            ("neck", self.neck.is_some()),
            ("legs", self.legs.is_some()),
            ("arms", self.arms.is_some()),
        ];
        all.into_iter().filter(|(_, is_told)| *is_told).map(|(part, _)| part).collect()
    }
}

/// Returns the height of a section.
fn height(section: usize) -> f32 {
    (section as f32 + 0.5) / SECTIONS as f32
}

/// Cuts triangles at several places along an axis, in rising order; returns the pieces of each section along the other axis.
fn cut(triangles: &[[Vec2; 3]], axis: usize, places: &[f32]) -> Vec<Pieces> {
    let other = 1 - axis;
    let mut out: Vec<Pieces> = vec![Vec::new(); places.len()];
    for corners in triangles {
        let low = corners.iter().map(|corner| corner[axis]).fold(f32::INFINITY, f32::min);
        let high = corners.iter().map(|corner| corner[axis]).fold(f32::NEG_INFINITY, f32::max);
        let first = places.partition_point(|place| *place <= low);
        let met = places[first..].iter().zip(&mut out[first..]);
        for (at, section) in met.take_while(|(at, _)| **at <= high) {
            let crossing = |[a, b]: [usize; 2]| {
                let [p, q] = [corners[a], corners[b]];
                let share = (at - p[axis]) / (q[axis] - p[axis]);
                ((p[axis] < *at) != (q[axis] < *at)).then(|| p[other] + share * (q[other] - p[other]))
            };
            let met = [[0, 1], [1, 2], [2, 0]].into_iter().filter_map(crossing);
            let piece = met.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], at| [a.min(at), b.max(at)]);
            if piece[0] <= piece[1] {
                section.push(piece);
            }
        }
    }
    out.iter_mut().for_each(join);
    out
}

/// Puts pieces in order, and joins those that touch.
fn join(pieces: &mut Pieces) {
    pieces.sort_by(|a, b| a[0].total_cmp(&b[0]));
    pieces.dedup_by(|next, last| {
        let touches = next[0] <= last[1] + TOUCH;
        if touches {
            last[1] = last[1].max(next[1]);
        }
        touches
    });
}

/// Returns the piece of a section that lies in the middle.
fn in_middle(section: &[[f32; 2]]) -> Option<[f32; 2]> {
    section.iter().copied().find(|[from, to]| *from <= 0.01 && *to >= -0.01)
}

/// Returns the pieces on both sides of a gap in the middle: the right one first, whose places are below 0.
fn parted(section: &[[f32; 2]]) -> Option<[[f32; 2]; 2]> {
    let mut both = section.windows(2).map(|both| [both[0], both[1]]);
    let is_gap = |[right, left]: &[[f32; 2]; 2]| {
        (right[1] + left[0]).abs() < 2.0 * MIDDLE && right[1] < 0.5 * MIDDLE && left[0] > -0.5 * MIDDLE
    };
    both.find(is_gap)
}

/// Returns how high the legs part: the upper end of the highest run of gaps in the middle.
fn crotch(sections: &[Pieces]) -> Option<f32> {
    let (mut run, mut found) = (0, None);
    for (number, section) in sections.iter().enumerate().take_while(|(number, _)| height(*number) <= CROTCH[1]) {
        if parted(section).is_some() {
            run += 1;
            continue;
        }
        if run >= LEAST_LEG && height(number) > CROTCH[0] {
            found = Some(number as f32 / SECTIONS as f32);
        }
        run = 0;
    }
    found
}

/// Returns where the neck is: the narrowest place below the head, with shoulders or arms below it. `lowest` is what it is above.
fn neck(sections: &[Pieces], lowest: f32) -> Option<f32> {
    let mut widest = 0.0_f32;
    // The width, and from where to where the neck is hardly wider.
    let mut narrowest: Option<(f32, [f32; 2])> = None;
    for (number, section) in sections.iter().enumerate().rev().take_while(|(number, _)| height(*number) > lowest) {
        let Some(width) = in_middle(section).map(|[from, to]| to - from) else { continue };
        let here = height(number);
        match narrowest {
            None => {
                widest = widest.max(width);
                narrowest = (width <= NARROW * widest).then_some((width, [here; 2]));
            }
            Some((least, _)) if width < ALIKE * least => narrowest = Some((width, [here; 2])),
            Some((least, [first, _])) if width * ALIKE <= least => narrowest = Some((least.min(width), [first, here])),
            Some((least, [first, last])) if width >= WIDE * least => {
                let middle = 0.5 * (first + last);
                if middle < NECK {
                    return Some(middle);
                }
                // That was below a tuft of hair or a plume.
                (widest, narrowest) = (width, None);
            }
            Some(_) => {}
        }
    }
    None
}

/// Returns half the width of the body between hips and chest.
fn half_width(sections: &[Pieces], [from, to]: [f32; 2]) -> Option<f32> {
    let within = sections.iter().enumerate().filter(|(number, _)| (from..to).contains(&height(*number)));
    let mut halves: Vec<f32> =
        within.filter_map(|(_, section)| in_middle(section)).map(|[from, to]| 0.5 * (to - from)).collect();
    halves.sort_by(f32::total_cmp);
    halves.get(halves.len() / 2).copied()
}

/// Returns where upper arm, lower arm and hand begin, the mean of both sides; `None` where no arms are spread.
fn arms(triangles: &[[Vec2; 3]], sections: &[Pieces], figure: &Figure) -> Option<[Vec2; 3]> {
    let low = figure.crotch.unwrap_or(0.3);
    let high = figure.neck.map_or(0.95, |neck| neck + 0.05);
    let side = half_width(sections, [low + 0.03, (low + 0.2).min(figure.neck.unwrap_or(1.0) - 0.05)])?;
    let corners = || triangles.iter().flatten().filter(move |at| at.y > low - 0.1 && at.y < high);
    let left = corners().map(|at| at.x).fold(0.0, f32::max);
    let right = corners().map(|at| -at.x).fold(0.0, f32::max);
    let reach = left.min(right);
    let length = reach - side;
    if length < SPREAD {
        return None;
    }
    let tips: Vec<f32> = corners().filter(|at| at.x.abs() > 0.93 * reach).map(|at| at.y).collect();
    let mut near = tips.iter().sum::<f32>() / tips.len().max(1) as f32;
    let shares = [FINGERS, WRIST, ELBOW, NEAR];
    let places = shares.map(|share| side + share * length);
    // In rising order: the right side from the fingers in, then the left one from the shoulder out.
    let both: Vec<f32> = places.iter().map(|at| -at).chain(places.iter().rev().copied()).collect();
    let cuts = cut(triangles, 0, &both);
    let mut found: Vec<(f32, f32)> = Vec::new();
    for number in 0..shares.len() {
        let sides = [cuts.get(number)?, cuts.get(both.len() - 1 - number)?];
        let nearest = |pieces: &Pieces| {
            let above = pieces.iter().filter(|piece| piece[1] > low - 0.1);
            let far = |piece: &&[f32; 2]| (0.5 * (piece[0] + piece[1]) - near).abs();
            above.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
        };
        let pieces: Vec<[f32; 2]> = sides.into_iter().filter_map(nearest).collect();
        if pieces.is_empty() {
            return None;
        }
        let sum = pieces.iter().fold(Vec2::ZERO, |sum, [from, to]| sum + Vec2::new(0.5 * (from + to), to - from));
        let mean = sum / pieces.len() as f32;
        near = mean.x;
        found.push((mean.x, mean.y));
    }
    let found: [(f32, f32); 4] = found.try_into().ok()?;
    let [_, (wrist, _), (elbow, thick), (close, at_body)] = found;
    // Near the body the section may be that of the chest.
    let rise = (elbow - wrist) / (WRIST - ELBOW);
    let is_arm = at_body <= 2.5 * thick && (close - elbow - rise * (ELBOW - NEAR)).abs() <= OFF_LINE;
    let shoulder = match is_arm {
        true => close + (close - elbow) / (ELBOW - NEAR) * NEAR,
        false => elbow + rise * ELBOW,
    };
    let shoulder = shoulder.min(figure.neck.unwrap_or(1.0) - 0.01);
    let at = |share: f32, up: f32| Vec2::new(side + share * length, up);
    Some([at(0.0, shoulder), at(ELBOW, elbow), at(WRIST, wrist)])
}

/// Returns how much farther the feet reach before the legs than behind them; `None` where no section tells. The `x` of the triangles of legs and
/// feet is how far before the figure they are.
pub(super) fn feet_ahead(triangles: &[[Vec2; 3]]) -> Option<f32> {
    let heights: Vec<f32> = (0..SHINS.end).map(height).collect();
    let sections = cut(triangles, 1, &heights);
    // Pieces are in order, and touch no other.
    let ends = |section: &Pieces| Some([section.first()?[0], section.last()?[1]]);
    let feet = sections.get(FEET)?.iter().filter_map(ends);
    let [behind, before] = feet.reduce(|[a, b], [from, to]| [a.min(from), b.max(to)])?;
    let mut middles: Vec<f32> = sections.get(SHINS)?.iter().filter_map(ends).map(|[a, b]| 0.5 * (a + b)).collect();
    middles.sort_by(f32::total_cmp);
    let middle = middles.get(middles.len() / 2)?;
    Some(before + behind - 2.0 * middle)
}

/// Returns how far from the middle the legs are at hips, knees and ankles; `None` where they do not part.
fn legs(sections: &[Pieces], figure: &Figure) -> Option<[f32; 3]> {
    let crotch = figure.crotch?;
    let aside = |up: f32| {
        let section = sections.get((up * SECTIONS as f32) as usize)?;
        let [right, left] = parted(section)?;
        Some(0.25 * (left[0] + left[1] - right[0] - right[1]))
    };
    let knee = aside(figure.height(0.28))?;
    Some([aside(0.93 * crotch).unwrap_or(knee), knee, aside(figure.height(0.06)).unwrap_or(knee)])
}
