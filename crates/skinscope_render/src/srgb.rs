//! Converts sRGB to linear light (IEC 61966-2-1).

/// Converts a colour from sRGB, 0…1, to linear light; alpha stays as it is.
pub(super) fn linear_alpha([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let [r, g, b] = linear([r, g, b]);
    [r, g, b, a]
}

/// Converts a colour from sRGB, 0…1, to linear light, 0…1.
pub(super) fn linear(srgb: [f32; 3]) -> [f32; 3] {
    srgb.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) })
}
