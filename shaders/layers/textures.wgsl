// The textures of layers. A stage may read sixteen textures on every device, so the layers share eight bindings: those
// textures that the material has are bound in their order, without gaps.

@group(3) @binding(0) var layer_texture_0: texture_2d<f32>;
@group(3) @binding(1) var layer_sampler_0: sampler;
@group(3) @binding(2) var layer_texture_1: texture_2d<f32>;
@group(3) @binding(3) var layer_sampler_1: sampler;
@group(3) @binding(4) var layer_texture_2: texture_2d<f32>;
@group(3) @binding(5) var layer_sampler_2: sampler;
@group(3) @binding(6) var layer_texture_3: texture_2d<f32>;
@group(3) @binding(7) var layer_sampler_3: sampler;
@group(3) @binding(8) var layer_texture_4: texture_2d<f32>;
@group(3) @binding(9) var layer_sampler_4: sampler;
@group(3) @binding(10) var layer_texture_5: texture_2d<f32>;
@group(3) @binding(11) var layer_sampler_5: sampler;
@group(3) @binding(12) var layer_texture_6: texture_2d<f32>;
@group(3) @binding(13) var layer_sampler_6: sampler;
@group(3) @binding(14) var layer_texture_7: texture_2d<f32>;
@group(3) @binding(15) var layer_sampler_7: sampler;

const SPECULAR: u32 = 5u;
const SPECULAR_COLOR: u32 = 6u;
const CLEARCOAT: u32 = 7u;
const CLEARCOAT_ROUGHNESS: u32 = 8u;
const CLEARCOAT_NORMAL: u32 = 9u;
const SHEEN_COLOR: u32 = 10u;
const SHEEN_ROUGHNESS: u32 = 11u;
const TRANSMISSION: u32 = 12u;
const THICKNESS: u32 = 13u;
const IRIDESCENCE: u32 = 14u;
const IRIDESCENCE_THICKNESS: u32 = 15u;
const ANISOTROPY: u32 = 16u;

/// The binding of a layer's texture: how many textures of layers come before it.
fn slot_of(texture: u32) -> u32 {
    return countOneBits(TEXTURES & ((1u << texture) - (1u << SPECULAR)));
}

/// Reads a texture of a layer that the material has.
fn layer_texel(in: Fragment, texture: u32) -> vec4f {
    let uv = uv_of(in, texture);
    switch slot_of(texture) {
        case 0u: { return textureSample(layer_texture_0, layer_sampler_0, uv); }
        case 1u: { return textureSample(layer_texture_1, layer_sampler_1, uv); }
        case 2u: { return textureSample(layer_texture_2, layer_sampler_2, uv); }
        case 3u: { return textureSample(layer_texture_3, layer_sampler_3, uv); }
        case 4u: { return textureSample(layer_texture_4, layer_sampler_4, uv); }
        case 5u: { return textureSample(layer_texture_5, layer_sampler_5, uv); }
        case 6u: { return textureSample(layer_texture_6, layer_sampler_6, uv); }
        default: { return textureSample(layer_texture_7, layer_sampler_7, uv); }
    }
}
