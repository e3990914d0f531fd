// Copies the finished picture into a window.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var picture_sampler: sampler;

/// For a target that encodes sRGB itself.
@fragment
fn fs_present_linear(in: Screen) -> @location(0) vec4f {
    return vec4f(textureSample(picture, picture_sampler, in.uv).rgb, 1.0);
}

/// For a target that stores the values that it is given.
@fragment
fn fs_present_srgb(in: Screen) -> @location(0) vec4f {
    return vec4f(srgb_from_linear(textureSample(picture, picture_sampler, in.uv).rgb), 1.0);
}

/// The colours of a layer as they are, multiplied by their alpha, pixel on pixel.
@fragment
fn fs_blend(in: Screen) -> @location(0) vec4f {
    return textureLoad(picture, vec2u(in.position.xy), 0);
}
