// AgX by Troy Sobotka, with the polynomial by Benjamin Wrensch, in the space of Rec. 2020 as Blender and three.js have it.

const AGX_INPUT: mat3x3f = mat3x3f(
    vec3f(0.856627153315983, 0.137318972929847, 0.11189821299995),
    vec3f(0.0951212405381588, 0.761241990602591, 0.0767994186031903),
    vec3f(0.0482516061458583, 0.101439036467562, 0.811302368396859),
);
const AGX_OUTPUT: mat3x3f = mat3x3f(
    vec3f(1.1271005818144368, -0.1413297634984383, -0.14132976349843826),
    vec3f(-0.11060664309660323, 1.157823702216272, -0.11060664309660294),
    vec3f(-0.016493938717834573, -0.016493938717834257, 1.2519364065950405),
);
const REC2020_FROM_SRGB: mat3x3f = mat3x3f(
    vec3f(0.6274, 0.0691, 0.0164),
    vec3f(0.3293, 0.9195, 0.0880),
    vec3f(0.0433, 0.0113, 0.8956),
);
const SRGB_FROM_REC2020: mat3x3f = mat3x3f(
    vec3f(1.6605, -0.1246, -0.0182),
    vec3f(-0.5876, 1.1329, -0.1006),
    vec3f(-0.0728, -0.0083, 1.1187),
);
/// The exponents of two between which the curve lies.
const AGX_LEAST: f32 = -12.47393;
const AGX_MOST: f32 = 4.026069;

/// The sigmoid, for 0…1.
fn agx_curve(x: vec3f) -> vec3f {
    let x2 = x * x;
    let x4 = x2 * x2;
    return 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
}

fn tone(linear: vec3f) -> vec3f {
    let seen = AGX_INPUT * (REC2020_FROM_SRGB * linear);
    let exponent = clamp(log2(max(seen, vec3f(1e-10))), vec3f(AGX_LEAST), vec3f(AGX_MOST));
    let curved = AGX_OUTPUT * agx_curve((exponent - AGX_LEAST) / (AGX_MOST - AGX_LEAST));
    return clamp(SRGB_FROM_REC2020 * pow(max(curved, vec3f(0.0)), vec3f(2.2)), vec3f(0.0), vec3f(1.0));
}

/// The inverses of the matrices.
const AGX_FROM_INPUT: mat3x3f = mat3x3f(
    vec3f(1.197441077, -0.196474626, -0.146557417),
    vec3f(-0.144261513, 1.354095131, -0.108284059),
    vec3f(-0.053179564, -0.157620505, 1.254841476),
);
const AGX_FROM_OUTPUT: mat3x3f = mat3x3f(
    vec3f(0.899796956, 0.111420989, 0.111420989),
    vec3f(0.087199619, 0.875575586, 0.087199619),
    vec3f(0.013003425, 0.013003425, 0.801379392),
);

/// The inverse of `tone`, where it has one.
fn untoned(toned: vec3f) -> vec3f {
    let curved = pow(max(REC2020_FROM_SRGB * clamp(toned, vec3f(0.0), vec3f(1.0)), vec3f(0.0)), vec3f(1.0 / 2.2));
    let wanted = AGX_FROM_OUTPUT * curved;
    // The sigmoid has no inverse in closed form: halving sixteen times comes closer than a pixel's step.
    var low = vec3f(0.0);
    var high = vec3f(1.0);
    for (var i = 0; i < 16; i++) {
        let middle = 0.5 * (low + high);
        let is_below = agx_curve(middle) < wanted;
        low = select(low, middle, is_below);
        high = select(middle, high, is_below);
    }
    let seen = exp2(mix(vec3f(AGX_LEAST), vec3f(AGX_MOST), low));
    return max(SRGB_FROM_REC2020 * (AGX_FROM_INPUT * seen), vec3f(0.0));
}
