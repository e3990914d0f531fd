// Filters a picture of the whole sphere for surfaces of each roughness. Every entry draws one level of one face of a cube.

struct Step {
    /// The direction of the middle of the face, and from there to its right and its lower edge. w of `forward`: width and
    /// height of the level that is drawn, texels.
    forward: vec4f,
    right: vec4f,
    down: vec4f,
    /// x: the level that is read; y: the width of the faces of the largest level, texels; z: the GGX roughness that is
    /// filtered for; w unused.
    source: vec4f,
}

@group(0) @binding(0) var<uniform> step_of: Step;
@group(0) @binding(1) var linear_sampler: sampler;
/// The picture in equirectangular projection.
@group(0) @binding(2) var picture: texture_2d<f32>;
/// The same as a cube, with smaller levels.
@group(0) @binding(3) var cube: texture_cube<f32>;

const PI: f32 = 3.14159265;

/// How many directions are read for a texel.
override SAMPLES: u32 = 128u;
/// The width of the faces that irradiance is summed over, texels.
const SUMMED: u32 = 32u;

/// The direction of the middle of the texel that is drawn, moved by `away` texels.
fn of_texel(position: vec4f, away: vec2f) -> vec3f {
    let at = (position.xy + away) / step_of.forward.w * 2.0 - 1.0;
    return normalize(step_of.forward.xyz + at.x * step_of.right.xyz + at.y * step_of.down.xyz);
}

/// The mean of the picture over four parts of a texel.
@fragment
fn fs_cube(in: Screen) -> @location(0) vec4f {
    var sum = vec3f(0.0);
    for (var i = 0u; i < 4u; i++) {
        let d = of_texel(in.position, (vec2f(f32(i & 1u), f32(i >> 1u)) - 0.5) * 0.5);
        let uv = vec2f(atan2(d.x, -d.z) / (2.0 * PI) + 0.5, acos(clamp(d.y, -1.0, 1.0)) / PI);
        sum += textureSampleLevel(picture, linear_sampler, uv, 0.0).rgb;
    }
    return vec4f(0.25 * sum, 1.0);
}

/// The mean of sixteen texels of the larger level, by a filter that reaches half a texel beyond the edges, so that a bright texel
/// leaves no square.
@fragment
fn fs_smaller(in: Screen) -> @location(0) vec4f {
    var sum = vec4f(0.0);
    for (var i = 0u; i < 4u; i++) {
        let away = vec2f(f32(i & 1u), f32(i >> 1u)) - 0.5;
        sum += textureSampleLevel(cube, linear_sampler, of_texel(in.position, away), step_of.source.x);
    }
    return 0.25 * sum;
}

/// Radiance that a surface of GGX roughness reflects which is seen from straight above, relative to what it would reflect of
/// uniform light. Each direction reads the level whose texels are as large as its share of the lobe (Křivánek & Colbert 2008):
/// four of them are mixed, so that shares overlap and no direction shows.
@fragment
fn fs_rough(in: Screen) -> @location(0) vec4f {
    let n = of_texel(in.position, vec2f(0.0));
    let side = normalize(cross(select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(n.y) > 0.7), n));
    let up = cross(n, side);
    let a2 = step_of.source.z * step_of.source.z;
    // Directions are chosen for a wider lobe, so that those in its tails are close too: a sun is seen there.
    let wide2 = min(4.0 * a2, 1.0);
    let texel = 4.0 / (step_of.source.y * step_of.source.y);
    var sum = vec3f(0.0);
    var weight = 0.0;
    for (var i = 0u; i < SAMPLES; i++) {
        let share = (f32(i) + 0.5) / f32(SAMPLES);
        // A spiral whose turns differ by the golden ratio covers the lobe evenly (Vogel 1979).
        let around = 2.0 * PI * fract(f32(i) * 0.618034);
        let cos2 = (1.0 - share) / (1.0 + (wide2 - 1.0) * share);
        let cosine = sqrt(cos2);
        let sine = sqrt(max(1.0 - cos2, 0.0));
        let h = sine * cos(around) * side + sine * sin(around) * up + cosine * n;
        let light = 2.0 * cosine * h - n;
        let n_l = dot(n, light);
        let d = cos2 * (a2 - 1.0) + 1.0;
        let wide_d = cos2 * (wide2 - 1.0) + 1.0;
        // A fourth of the distribution of normals, which is the density of directions of light.
        let density = wide2 / (4.0 * PI * wide_d * wide_d);
        let n_l_share = n_l * a2 / (d * d) / density;
        // The solid angle of a texel is smaller away from the middle of a face, by the cube of the distance on it.
        let nearest = max(abs(light.x), max(abs(light.y), abs(light.z)));
        let solid_angle = texel * nearest * nearest * nearest;
        let level = 0.5 * log2(1.0 / (f32(SAMPLES) * density * solid_angle));
        if n_l > 0.0 {
            sum += textureSampleLevel(cube, linear_sampler, light, max(level, 0.0)).rgb * n_l_share;
            weight += n_l_share;
        }
    }
    return vec4f(sum / weight, 1.0);
}

/// The direction, not of unit length, of a place on a face: −1…1 to the right and down.
fn on_face(face: u32, at: vec2f) -> vec3f {
    switch face {
        case 0u: { return vec3f(1.0, -at.y, -at.x); }
        case 1u: { return vec3f(-1.0, -at.y, at.x); }
        case 2u: { return vec3f(at.x, 1.0, at.y); }
        case 3u: { return vec3f(at.x, -1.0, -at.y); }
        case 4u: { return vec3f(at.x, -at.y, 1.0); }
        default: { return vec3f(-at.x, -at.y, -1.0); }
    }
}

/// Irradiance / π, summed over all texels of a small level.
@fragment
fn fs_irradiance(in: Screen) -> @location(0) vec4f {
    let n = of_texel(in.position, vec2f(0.0));
    var sum = vec3f(0.0);
    var weight = 0.0;
    for (var face = 0u; face < 6u; face++) {
        for (var i = 0u; i < SUMMED * SUMMED; i++) {
            let texel = vec2f(f32(i % SUMMED), f32(i / SUMMED));
            let at = on_face(face, (texel + 0.5) * (2.0 / f32(SUMMED)) - 1.0);
            // The solid angle of a texel is in proportion to this.
            let length2 = dot(at, at);
            let towards = at * inverseSqrt(length2);
            let share = max(dot(n, towards), 0.0) * inverseSqrt(length2) / length2;
            if share > 0.0 {
                sum += textureSampleLevel(cube, linear_sampler, towards, step_of.source.x).rgb * share;
                weight += share;
            }
        }
    }
    return vec4f(sum / weight, 1.0);
}
