// Halves a texture: each texel is the mean of those it covers, colours weighted by alpha so that cut-outs get no seam.

@group(0) @binding(0) var larger: texture_2d<f32>;

/// Weighted sum over one covered interval of texels: up to three, for odd sizes.
@fragment
fn fs_mip(in: Screen) -> @location(0) vec4f {
    let size = vec2i(textureDimensions(larger));
    let half_size = max(size / 2, vec2i(1));
    let at = vec2i(in.position.xy);
    let first = at * size / half_size;
    let last = ((at + 1) * size + half_size - 1) / half_size;
    var color = vec3f(0.0);
    var plain = vec3f(0.0);
    var alpha = 0.0;
    var area = 0.0;
    for (var y = first.y; y < last.y; y++) {
        for (var x = first.x; x < last.x; x++) {
            // How much of this texel is covered.
            let begin = max(vec2f(at * size) / vec2f(half_size), vec2f(f32(x), f32(y)));
            let end = min(vec2f((at + 1) * size) / vec2f(half_size), vec2f(f32(x + 1), f32(y + 1)));
            let share = (end.x - begin.x) * (end.y - begin.y);
            let texel = textureLoad(larger, vec2i(x, y), 0);
            color += texel.rgb * texel.a * share;
            plain += texel.rgb * share;
            alpha += texel.a * share;
            area += share;
        }
    }
    let rgb = select(plain / area, color / alpha, alpha > 1e-6);
    return vec4f(rgb, alpha / area);
}
