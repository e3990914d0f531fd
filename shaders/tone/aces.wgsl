// ACES: the fit of the Academy's reference and output transforms by Stephen Hill, with the exposure of three.js
// (ACESFilmicToneMapping).

const ACES_EXPOSURE: f32 = 1.0 / 0.6;
/// From linear sRGB to the space of the curve, and back to linear sRGB.
const ACES_INPUT: mat3x3f = mat3x3f(
    vec3f(0.59719, 0.07600, 0.02840),
    vec3f(0.35458, 0.90834, 0.13383),
    vec3f(0.04823, 0.01566, 0.83777),
);
const ACES_OUTPUT: mat3x3f = mat3x3f(
    vec3f(1.60475, -0.10208, -0.00327),
    vec3f(-0.53108, 1.10813, -0.07276),
    vec3f(-0.07367, -0.00605, 1.07602),
);
/// The inverses of both.
const ACES_FROM_INPUT: mat3x3f = mat3x3f(
    vec3f(1.764740972, -0.147027852, -0.036336830),
    vec3f(-0.675777678, 1.160251512, -0.162436437),
    vec3f(-0.088963294, -0.013223660, 1.198773267),
);
const ACES_FROM_OUTPUT: mat3x3f = mat3x3f(
    vec3f(0.643038249, 0.059268690, 0.005961901),
    vec3f(0.311186752, 0.931436487, 0.063929016),
    vec3f(0.045775457, 0.009294916, 0.930118384),
);

fn tone(linear: vec3f) -> vec3f {
    let v = ACES_INPUT * (linear * ACES_EXPOSURE);
    let a = v * (v + 0.0245786) - 0.000090537;
    let b = v * (0.983729 * v + 0.4329510) + 0.238081;
    return clamp(ACES_OUTPUT * (a / b), vec3f(0.0), vec3f(1.0));
}

/// The inverse of `tone`, where it has one. What is brighter than the screen comes back as the brightest that it shows.
fn untoned(toned: vec3f) -> vec3f {
    // The curve has an asymptote above 1, so what is solved for is below that.
    let y = clamp(ACES_FROM_OUTPUT * clamp(toned, vec3f(0.0), vec3f(0.998)), vec3f(0.0), vec3f(0.998));
    // v² (1 − 0.983729 y) + v (0.0245786 − 0.432951 y) − (0.000090537 + 0.238081 y) = 0
    let a = 1.0 - 0.983729 * y;
    let b = 0.0245786 - 0.4329510 * y;
    let c = -0.000090537 - 0.238081 * y;
    let v = (-b + sqrt(max(b * b - 4.0 * a * c, vec3f(0.0)))) / (2.0 * a);
    return max(ACES_FROM_INPUT * v / ACES_EXPOSURE, vec3f(0.0));
}
