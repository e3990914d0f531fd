//! The scales of curves over time: round steps, values at the left with their unit and seconds below, and their peaks, which arrow keys walk.

use egui::{EventFilter, Key, Modifiers, Rangef, Response, Stroke, Ui};

use super::theme::{self, SMALL, colors};
use super::widgets::{elided, number, paint_line};

/// The height of the times below a chart, points.
pub(super) const TIMES: f32 = 15.0;

/// Returns the next larger of 1, 2, 5 times a power of ten.
pub(super) fn nice(least: f64) -> f64 {
    let power = 10.0_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least).unwrap_or(power)
}

/// Returns how many decimals the multiples of a step need.
pub(super) fn decimals(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize
}

/// Shows the label of a value, which ends at `right`, in a room of this width.
pub(super) fn value_label(ui: &Ui, text: &str, right: f32, y: f32, width: f32) {
    let dim = colors(ui).dim;
    let (text, _) = elided(ui, text, theme::regular(SMALL), dim, width);
    let left = right - text.size().x;
    paint_line(ui, text, left, y, dim);
}

/// Shows seconds below a chart that spans these points and moments, with ticks up to its lower edge at `bottom`.
pub(super) fn time_labels(ui: &Ui, span: Rangef, bottom: f32, [start, end]: [f32; 2]) {
    let c = colors(ui);
    let length = f64::from(end - start);
    if length <= 0.0 || span.span() < 24.0 {
        return;
    }
    let step = nice(length * 64.0 / f64::from(span.span()));
    let digits = decimals(step);
    let first = (f64::from(start) / step - 1e-6).ceil() as i64;
    for i in (0..40).map(|i| first.saturating_add(i)) {
        let secs = i as f64 * step;
        if secs > f64::from(end) + 1e-6 * step {
            break;
        }
        let x = span.min + ((secs - f64::from(start)) / length) as f32 * span.span();
        ui.painter().vline(x, bottom..=bottom + 3.0, Stroke::new(1.0, c.dim));
        let text = format!("{} s", number(secs as f32, digits));
        let (text, _) = elided(ui, &text, theme::regular(SMALL), c.dim, 60.0);
        // The labels at both ends stay within the chart.
        let width = text.size().x;
        let left = (x - 0.5 * width).min(span.max - width).max(span.min);
        paint_line(ui, text, left, bottom + 3.0 + 0.5 * (TIMES - 3.0), c.dim);
    }
}

/// Returns the indices of the local maxima of `values`, of a plateau the first, `with_ends` also those at both ends. What differs by less than
/// a thousandth of the whole range is no rise.
pub(super) fn peaks(values: &[f64], with_ends: bool) -> Vec<usize> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let least = 1e-3 * (high - low);
    if least.is_nan() || least <= 0.0 {
        return Vec::new();
    }
    let mut out = Vec::new();
    // The highest since the last rise, and the lowest since the last fall.
    let (mut top, mut bottom, mut rises) = (0, 0, with_ends);
    for (i, value) in values.iter().enumerate() {
        if rises {
            if *value > values[top] {
                top = i;
            } else if values[top] - value > least {
                out.push(top);
                (rises, bottom) = (false, i);
            }
        } else if *value < values[bottom] {
            bottom = i;
        } else if value - values[bottom] > least {
            (rises, top) = (true, i);
        }
    }
    if rises && with_ends {
        out.push(top);
    }
    out
}

/// Returns by how many peaks the keys go while a chart has the focus: −1 by the left arrow, 1 by the right one. They are used up.
pub(super) fn steps(ui: &Ui, response: &Response) -> i32 {
    if !response.has_focus() {
        return 0;
    }
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    ui.input_mut(|input| {
        let mut pressed = |key| i32::from(input.consume_key(Modifiers::NONE, key));
        pressed(Key::ArrowRight) - pressed(Key::ArrowLeft)
    })
}

/// Returns the next of these moments after `now` (`steps` above zero) or before it.
pub(super) fn walked<T>(moments: &[(f32, T)], now: f32, steps: i32) -> Option<&(f32, T)> {
    const SAME: f32 = 1e-4;
    match steps {
        0 => None,
        s if s > 0 => moments.iter().filter(|m| m.0 > now + SAME).min_by(|a, b| a.0.total_cmp(&b.0)),
        _ => moments.iter().filter(|m| m.0 < now - SAME).max_by(|a, b| a.0.total_cmp(&b.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_where_a_curve_turns() {
        let curve = [0.0, 1.0, 3.0, 3.0, 2.0, 0.5, 0.5, 2.0, 1.0, 4.0];
        assert_eq!(peaks(&curve, false), [2, 7]);
        assert_eq!(peaks(&curve, true), [2, 7, 9]);
        assert_eq!(peaks(&[5.0, 4.0, 3.0], true), [0]);
        assert_eq!(peaks(&[5.0, 4.0, 3.0], false), Vec::<usize>::new());
        // Noise is no peak, and neither is a constant.
        assert_eq!(peaks(&[0.0, 0.000_1, 0.0, 10.0, 0.0], false), [3]);
        assert_eq!(peaks(&[2.0; 5], true), Vec::<usize>::new());
    }

    #[test]
    fn keys_walk_from_peak_to_peak_and_stop_at_the_last() {
        let moments = [(0.5, 'b'), (0.2, 'a'), (0.9, 'c')];
        assert_eq!(walked(&moments, 0.0, 1), Some(&(0.2, 'a')));
        assert_eq!(walked(&moments, 0.2, 1), Some(&(0.5, 'b')));
        assert_eq!(walked(&moments, 0.9, 1), None);
        assert_eq!(walked(&moments, 0.9, -1), Some(&(0.5, 'b')));
        assert_eq!(walked(&moments, 0.5, 0), None);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.03, 0.2, 0.21, 7.0].map(nice), [0.05, 0.2, 0.5, 10.0]);
        assert_eq!([0.05, 0.2, 1.0, 20.0].map(decimals), [2, 1, 0, 0]);
    }
}
