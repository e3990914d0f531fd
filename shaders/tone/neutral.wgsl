// The Khronos PBR Neutral tone map (https://github.com/KhronosGroup/ToneMapping): it leaves base colours as they are,
// and compresses only highlights.

fn tone(linear: vec3f) -> vec3f {
    const START = 0.76;
    let low = min(linear.r, min(linear.g, linear.b));
    let offset = select(0.04, low - 6.25 * low * low, low < 0.08);
    let color = linear - offset;
    let peak = max(color.r, max(color.g, color.b));
    if peak < START {
        return color;
    }
    let room = 1.0 - START;
    let new_peak = 1.0 - room * room / (peak + room - START);
    let gray = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
    return mix(color * (new_peak / peak), vec3f(new_peak), gray);
}

/// The inverse of `tone`.
fn untoned(toned: vec3f) -> vec3f {
    const START = 0.76;
    var color = clamp(toned, vec3f(0.0), vec3f(1.0));
    // The brightest step below white stands for all that is brighter.
    let new_peak = min(largest(color), 0.998);
    if new_peak >= START {
        let room = 1.0 - START;
        let peak = room * room / (1.0 - new_peak) - room + START;
        let gray = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
        color = max((color - new_peak * gray) / (1.0 - gray), vec3f(0.0)) * (peak / new_peak);
    }
    let low = min(color.r, min(color.g, color.b));
    return color + select(0.04, sqrt(low / 6.25) - low, low < 0.04);
}
