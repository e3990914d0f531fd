// Copies the finished picture into a window.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var picture_sampler: sampler;

/// The target encodes sRGB itself.
@fragment
fn fs_present_linear(in: Screen) -> @location(0) vec4f {
    return vec4f(textureSample(picture, picture_sampler, in.uv).rgb, 1.0);
}

/// The target takes what it is given.
@fragment
fn fs_present_srgb(in: Screen) -> @location(0) vec4f {
    return vec4f(srgb_from_linear(textureSample(picture, picture_sampler, in.uv).rgb), 1.0);
}
