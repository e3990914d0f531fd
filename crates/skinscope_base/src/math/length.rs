//! Lengths as text for people: the only module that chooses a unit for metres.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

/// The units in which lengths are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Units {
    /// Millimetres to kilometres.
    #[default]
    Metric,
    /// Inches, feet and miles.
    Imperial,
}

thread_local! {
    /// The units of the window that this thread shows.
    static CHOSEN: Cell<Units> = const { Cell::new(Units::Metric) };
}

impl Units {
    /// Writes lengths in these units, in all that this thread shows.
    pub fn choose(self) {
        CHOSEN.set(self);
    }

    /// Returns the units that this thread has chosen.
    #[must_use]
    pub fn chosen() -> Self {
        CHOSEN.get()
    }

    /// Returns the unit of numbers that stand in rows and columns and are changed there, whatever they are, in the units that this thread
    /// has chosen: its name and how many metres it has.
    #[must_use]
    pub fn of_columns() -> (&'static str, f64) {
        match CHOSEN.get() {
            Self::Metric => METRIC[1],
            Self::Imperial => IMPERIAL[1],
        }
    }

    /// Returns the units and how many metres each has, the largest first.
    fn list(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Metric => &METRIC,
            Self::Imperial => &IMPERIAL,
        }
    }
}

/// From this many metres on, lengths are shown in words, since the number says nothing about a model any more: a
/// million kilometres, which is about 2.6 times the distance of the moon.
pub const BEYOND_SENSE: f64 = 1e9;

/// Lengths below this (metres) are rounding errors.
const LEAST: f64 = 1e-6;

const METRIC: [(&str, f64); 4] = [("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)];
const IMPERIAL: [(&str, f64); 3] = [("mi", 1609.344), ("ft", 0.3048), ("in", 0.0254)];

/// Units of a scale below a millimetre.
const FINE_UNITS: [(&str, f64); 2] = [("µm", 1e-6), ("nm", 1e-9)];

/// Writes a length in metres for people to read: three digits in mm, cm, m or km, whichever fits, such as `1.83 m` or
/// `2.5 mm`. A length under a thousandth of a millimetre, beyond [`BEYOND_SENSE`], infinite or not a number is
/// described in words. Negative lengths (coordinates, differences) keep their sign. Where this thread has chosen other [`Units`], it is
/// written in those.
#[must_use]
pub fn length(metres: f64) -> String {
    if metres < 0.0 {
        let positive = length(-metres);
        return if words(-metres).is_some() { format!("minus {positive}") } else { format!("−{positive}") };
    }
    if let Some(words) = words(metres) {
        return words.into();
    }
    let (unit, scale) = unit_of(metres);
    format!("{} {unit}", digits(metres / scale, decimals(metres / scale), true))
}

/// Writes a length in metres as the label of a scale: as [`length`] does, and below a millimetre in µm, nm or, below those, in metres times
/// a power of ten (in other [`Units`] in those). So no two ticks of a scale that are a decade apart read alike, however small the model is.
#[must_use]
pub fn tick_length(metres: f64) -> String {
    let units = CHOSEN.get();
    let usual = if units == Units::Metric { 0.9995e-3 } else { LEAST };
    if metres.is_nan() || metres <= 0.0 || metres >= usual {
        return length(metres);
    }
    let fits = |(_, scale): &&(&str, f64)| units == Units::Metric && metres / scale >= 0.9995;
    match FINE_UNITS.iter().find(fits) {
        Some((unit, scale)) => format!("{} {unit}", digits(metres / scale, decimals(metres / scale), true)),
        None => {
            let (unit, scale) = units.list()[units.list().len() - 1];
            let (unit, scale) = if units == Units::Metric { ("m", 1.0) } else { (unit, scale) };
            format!("{:.0e} {unit}", metres / scale).replace('-', "−")
        }
    }
}

/// Writes lengths along x, y and z in one unit, that of the longest: `0.6 × 1.8 × 0.4 m`. Where one of them has to be
/// described in words, each is written as [`length`] writes it, and only once where all are the same.
#[must_use]
pub fn lengths(metres: [f64; 3]) -> String {
    let most = metres.iter().fold(0.0, |most: f64, m| if m.is_finite() { most.max(m.abs()) } else { f64::INFINITY });
    if words(most).is_some() {
        let [x, y, z] = metres.map(length);
        return if x == y && y == z { format!("{x} each way") } else { format!("{x} × {y} × {z}") };
    }
    let (unit, scale) = unit_of(most);
    let decimals = decimals(most / scale);
    format!("{} {unit}", metres.map(|m| digits(m / scale, decimals, false)).join(" × "))
}

/// Writes a factor for people to read: with three digits after the point, or in words where there would be too many
/// digits before it.
#[must_use]
pub fn factor(times: f64) -> String {
    match times.abs() {
        a if a < 1e6 && (a == 0.0 || a >= 1e-6) => format!("{times:.3}"),
        a if a < 1e-6 => "less than a millionth".into(),
        _ => "more than a million".into(),
    }
}

/// Describes a length in words where no number makes sense; `None` where a number does.
fn words(metres: f64) -> Option<&'static str> {
    match metres {
        m if m.is_nan() => Some("an unknown length"),
        f64::INFINITY => Some("an endless length"),
        m if m >= BEYOND_SENSE => Some("more than a million km"),
        m if m > 0.0 && m < LEAST => Some("under 0.001 mm"),
        _ => None,
    }
}

/// Finds the largest unit of which there is at least one, after rounding to three digits; millimetres where there is
/// none. The unit of 0 is the metre. In other units the same holds for feet and inches.
fn unit_of(metres: f64) -> (&'static str, f64) {
    let units = CHOSEN.get().list();
    let fits = |(_, scale): &&(&str, f64)| metres / scale >= 0.9995;
    let smallest = if metres == 0.0 { units[1] } else { units[units.len() - 1] };
    units.iter().find(fits).copied().unwrap_or(smallest)
}

/// Returns the number of decimals that gives a number three digits; all digits before the point are always written.
fn decimals(number: f64) -> usize {
    match number {
        n if n >= 99.95 => 0,
        n if n >= 9.995 => 1,
        n if n >= 0.9995 || n == 0.0 => 2,
        // An inch has no smaller unit.
        n if n < 0.1 && CHOSEN.get() == Units::Imperial => 5,
        _ => 3,
    }
}

/// Writes a number with so many decimals; `trimmed` leaves out zeros at its end.
fn digits(number: f64, decimals: usize, trimmed: bool) -> String {
    let text = format!("{number:.decimals$}").replace('-', "−");
    if trimmed && decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_the_unit_that_fits() {
        let rows = [
            (0.0, "0 m"),
            (1e-9, "under 0.001 mm"),
            (4.2e-6, "0.004 mm"),
            (0.000_5, "0.5 mm"),
            (0.009_994, "9.99 mm"),
            (0.009_996, "1 cm"),
            (0.035_1, "3.51 cm"),
            (0.5, "50 cm"),
            (0.999_6, "1 m"),
            (1.434, "1.43 m"),
            (12.345, "12.3 m"),
            (100.0, "100 m"),
            (999.4, "999 m"),
            (999.6, "1 km"),
            (1e6, "1000 km"),
            (123_456.0, "123 km"),
            (-0.25, "−25 cm"),
        ];
        for (metres, text) in rows {
            assert_eq!(length(metres), text, "{metres}");
        }
    }

    #[test]
    fn lengths_are_written_in_the_units_that_were_chosen() {
        assert_eq!(Units::of_columns(), ("m", 1.0));
        Units::Imperial.choose();
        assert_eq!(Units::of_columns(), ("ft", 0.3048));
        let rows = [
            (0.0, "0 ft"),
            (0.0254, "1 in"),
            (0.3048, "1 ft"),
            (1.8288, "6 ft"),
            (0.1, "3.94 in"),
            (0.001, "0.03937 in"),
            (3218.688, "2 mi"),
            (-0.0254, "−1 in"),
        ];
        for (metres, text) in rows {
            assert_eq!(length(metres), text, "{metres}");
        }
        assert_eq!(lengths([0.3048, 0.6096, 0.1524]), "1.00 × 2.00 × 0.50 ft");
        Units::Metric.choose();
        assert_eq!(length(0.0254), "2.54 cm");
    }

    #[test]
    fn the_ticks_of_a_scale_never_read_alike() {
        let rows = [
            (0.0, "0 m"),
            (0.05, "5 cm"),
            (0.002, "2 mm"),
            (0.000_999_9, "1 mm"),
            (0.000_5, "500 µm"),
            (2e-6, "2 µm"),
            (9.999e-7, "1 µm"),
            (1.5e-8, "15 nm"),
            (2e-10, "2e−10 m"),
        ];
        for (metres, text) in rows {
            assert_eq!(tick_length(metres), text, "{metres}");
        }
        let decades: Vec<String> = (-14..8).map(|power| tick_length(1.8 * 10_f64.powi(power))).collect();
        assert!(decades.windows(2).all(|pair| pair[0] != pair[1]), "{decades:?}");
    }

    #[test]
    fn what_no_number_can_tell_is_said_in_words() {
        assert_eq!(length(f64::NAN), "an unknown length");
        assert_eq!(length(f64::INFINITY), "an endless length");
        assert_eq!(length(2.857e19), "more than a million km");
        assert_eq!(length(-2.857e19), "minus more than a million km");
        for metres in (-40..40).map(|exponent| 10.0_f64.powi(exponent) * 9.999) {
            assert!(length(metres).chars().count() <= 22 && length(metres).matches(char::is_numeric).count() <= 7);
        }
    }

    #[test]
    fn factors_have_three_decimals_or_are_words() {
        assert_eq!([0.0, 1.0, -2.5, 999.0].map(factor), ["0.000", "1.000", "-2.500", "999.000"]);
        assert_eq!([1e20, f64::INFINITY, f64::NAN].map(factor), ["more than a million"; 3]);
        assert_eq!(factor(1e-12), "less than a millionth");
    }

    #[test]
    fn three_lengths_share_a_unit() {
        assert_eq!(lengths([0.567, 1.812, 0.4]), "0.57 × 1.81 × 0.40 m");
        assert_eq!(lengths([0.02, 0.03, 0.0]), "2.00 × 3.00 × 0.00 cm");
        assert_eq!(lengths([0.0, 0.0, 0.0]), "0.00 × 0.00 × 0.00 m");
        assert_eq!(lengths([1e20, 1e19, 2e25]), "more than a million km each way");
        assert_eq!(lengths([1.0, 1e20, f64::NAN]), "1 m × more than a million km × an unknown length");
    }
}
