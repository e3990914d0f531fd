// Halves the size of the picture of what lies behind glass. Each texel is the mean of four bilinear taps, each one
// texel of the larger picture away from the centre along both axes, so that it averages four by four of the larger
// texels. Colours are premultiplied by alpha, so they can be averaged as they are.

@group(0) @binding(0) var larger: texture_2d<f32>;
@group(0) @binding(1) var larger_sampler: sampler;

@fragment
fn fs_halve(in: Screen) -> @location(0) vec4f {
    let texel = 1.0 / vec2f(textureDimensions(larger));
    var sum = vec4f(0.0);
    for (var i = 0; i < 4; i++) {
        let corner = vec2f(f32(i & 1), f32(i >> 1u)) * 2.0 - 1.0;
        sum += textureSampleLevel(larger, larger_sampler, in.uv + corner * texel, 0.0);
    }
    return sum * 0.25;
}
