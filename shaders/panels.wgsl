// The panels, as egui lays them out: triangles in colours that are multiplied by their alpha, sRGB, times a texture.

struct Panels {
    /// Points.
    size: vec2f,
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) color: vec4f,
}

@group(0) @binding(0) var<uniform> panels: Panels;
@group(1) @binding(0) var panel_texture: texture_2d<f32>;
@group(1) @binding(1) var panel_sampler: sampler;

@vertex
fn vs_panels(@location(0) at: vec2f, @location(1) uv: vec2f, @location(2) color: vec4f) -> Corner {
    let place = at / panels.size * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return Corner(vec4f(place, 0.0, 1.0), uv, color);
}

/// The target takes what it is given.
@fragment
fn fs_panels(in: Corner) -> @location(0) vec4f {
    return in.color * textureSample(panel_texture, panel_sampler, in.uv);
}

/// The target encodes sRGB itself.
@fragment
fn fs_panels_linear(in: Corner) -> @location(0) vec4f {
    let color = in.color * textureSample(panel_texture, panel_sampler, in.uv);
    return vec4f(linear_from_srgb(color.rgb), color.a);
}
