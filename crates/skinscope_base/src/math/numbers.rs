//! Functions over many floats at once.

/// Returns the largest absolute value; 0 for no values, infinite or NaN if any value is. It compares the bits as
/// integers (floats without sign are ordered like their bits, NaN last), which the compiler turns into SIMD
/// instructions.
#[must_use]
pub fn largest_magnitude(values: &[f32]) -> f32 {
    f32::from_bits(values.iter().fold(0, |most: u32, v| most.max(v.to_bits() & 0x7FFF_FFFF)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_do_not_count_and_nan_wins() {
        assert_eq!(largest_magnitude(&[]), 0.0);
        assert_eq!(largest_magnitude(&[1.0, -3.5, 2.0, -0.0]), 3.5);
        assert_eq!(largest_magnitude(&[1.0, f32::NEG_INFINITY]), f32::INFINITY);
        assert!(largest_magnitude(&[f32::INFINITY, -f32::NAN, 1.0]).is_nan());
    }
}
