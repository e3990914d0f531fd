//! Converts weights to the numbers that a file stores: floats, or integers that sum exactly to one.

use skinscope_model::WeightFormat;

/// Writes the stored numbers of one vertex: the bits of a float, or an integer. `formats` has one entry for each set of
/// four weights. Each weight is rounded on its own.
pub fn each(weights: &[f64], formats: &[WeightFormat], out: &mut Vec<u32>) {
    out.clear();
    out.extend(weights.iter().enumerate().map(|(slot, weight)| number(*weight, formats[slot / 4])));
}

fn number(weight: f64, format: WeightFormat) -> u32 {
    match format.one() {
        // NaN becomes 0.
        Some(one) => (weight * f64::from(one)).round().clamp(0.0, f64::from(one)) as u32,
        None => (weight as f32).to_bits(),
    }
}

/// The weight that a stored number stands for.
#[must_use]
pub fn value(number: u32, format: WeightFormat) -> f64 {
    match format.one() {
        Some(one) => f64::from(number) / f64::from(one),
        None => f64::from(f32::from_bits(number)),
    }
}

/// Does the same as [`each`] for weights that are neither negative nor NaN, so that integers sum exactly to one. The
/// largest remainders are rounded up, of equal ones that of the earlier slot, and a weight of 0 stays 0.
pub fn exact(weights: &[f64], formats: &[WeightFormat], out: &mut Vec<u32>) {
    let sum: f64 = weights.iter().sum();
    let mut kinds: Vec<WeightFormat> =
        weights.iter().zip(0..).filter(|(w, _)| **w > 0.0).map(|(_, slot): (_, usize)| formats[slot / 4]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    each(weights, formats, out);
    if sum <= 0.0 || !sum.is_finite() || kinds == [WeightFormat::F32] {
        return;
    }
    // The finest format compensates for what rounding takes from the others.
    let mut left = 1.0;
    let mut unrounded = sum;
    for kind in &kinds {
        let slots: Vec<usize> =
            (0..weights.len()).filter(|slot| formats[slot / 4] == *kind && weights[*slot] > 0.0).collect();
        let own: f64 = slots.iter().map(|slot| weights[*slot]).sum();
        let share = if unrounded > 0.0 { left * own / unrounded } else { 0.0 };
        unrounded -= own;
        let Some(one) = kind.one() else {
            slots.iter().for_each(|slot| out[*slot] = ((weights[*slot] / own * share) as f32).to_bits());
            continue;
        };
        let units = (share * f64::from(one)).round() as u32;
        apportion(&slots, weights, own, units, out);
        left -= f64::from(units) / f64::from(one);
    }
}

/// Distributes `units` among slots by their weights, which sum to `sum`, by the method of the largest remainder.
fn apportion(slots: &[usize], weights: &[f64], sum: f64, units: u32, out: &mut [u32]) {
    let quota = |slot: usize| weights[slot] / sum * f64::from(units);
    let mut given = 0;
    for slot in slots {
        out[*slot] = quota(*slot) as u32;
        given += out[*slot];
    }
    let mut order: Vec<usize> = slots.to_vec();
    // Remainders that differ only in the last bits of a double count as equal.
    let remainder = |slot: usize| (quota(slot).fract() * 1e9).round() as i64;
    order.sort_by_key(|slot| (-remainder(*slot), *slot));
    // A quota that rounding put just above a whole number may have given too much.
    order.iter().cycle().take(units.saturating_sub(given) as usize).for_each(|slot| out[*slot] += 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(weights: &[f64], formats: &[WeightFormat]) -> Vec<u32> {
        let mut out = Vec::new();
        exact(weights, formats, &mut out);
        out
    }

    #[test]
    fn integers_sum_exactly_and_ties_go_to_the_earlier_slot() {
        let u8 = |weights: &[f64]| rounded(weights, &[WeightFormat::U8, WeightFormat::U8]);
        assert_eq!(u8(&[0.5, 0.5, 0.0, 0.0]), [128, 127, 0, 0]);
        assert_eq!(u8(&[0.25; 4]), [64, 64, 64, 63]);
        assert_eq!(u8(&[0.3, 0.1, 0.0, 0.6]), [77, 25, 0, 153]);
        // A sum that is off is corrected; 0 stays 0, also where all others are tiny.
        assert_eq!(u8(&[0.2, 0.0, 0.2, 0.0]), [128, 0, 127, 0]);
        assert_eq!(u8(&[0.0, 1e-9, 0.0, 0.0]), [0, 255, 0, 0]);
        assert_eq!(u8(&[0.0; 4]), [0; 4]);
        assert_eq!(rounded(&[0.3, 0.1, 0.0, 0.6], &[WeightFormat::U16]), [19661, 6553, 0, 39321]);
        for seed in 1..200_u32 {
            let weights: Vec<f64> =
                (0..8).map(|i| f64::from(seed.wrapping_mul(2_654_435_761).rotate_left(i * 5) % 1000)).collect();
            for format in [WeightFormat::U8, WeightFormat::U16] {
                let out = rounded(&weights, &[format; 2]);
                assert_eq!(Some(out.iter().sum()), format.one());
                let sum: f64 = weights.iter().sum();
                for (weight, number) in weights.iter().zip(out) {
                    assert!((value(number, format) - weight / sum).abs() * f64::from(format.one().unwrap()) < 1.0);
                }
            }
        }
    }

    #[test]
    fn sets_of_several_formats_sum_to_one_together() {
        for weights in [[0.3, 0.1, 0.0, 0.2, 0.15, 0.0, 0.05, 0.2], [0.1; 8], [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5]]
        {
            for formats in [
                [WeightFormat::U8, WeightFormat::U16],
                [WeightFormat::F32, WeightFormat::U8],
                [WeightFormat::U16, WeightFormat::F32],
            ] {
                let out = rounded(&weights, &formats);
                let sum: f64 = out.iter().enumerate().map(|(i, n)| value(*n, formats[i / 4])).sum();
                assert!((sum - 1.0).abs() < 1e-7, "{weights:?} {formats:?} {out:?} {sum}");
            }
        }
    }

    #[test]
    fn floats_are_rounded_each_for_itself() {
        let out = rounded(&[0.1, 0.7, 0.0, f64::from(0.3_f32)], &[WeightFormat::F32]);
        assert_eq!(out, [0.1_f32, 0.7, 0.0, 0.3].map(f32::to_bits));
        let mut out = Vec::new();
        each(&[f64::NAN, -0.5, 2.0, 0.2], &[WeightFormat::U8], &mut out);
        assert_eq!(out, [0, 0, 255, 51]);
    }
}
