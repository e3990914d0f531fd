//! Builds the entries of bind groups and of their layouts.

use super::layouts::Draw;

/// The entry that binds `resource` as `binding` of a group.
pub(super) fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

fn bind(binding: u32, visibility: wgpu::ShaderStages, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

pub(super) fn uniform(
    binding: u32,
    visibility: wgpu::ShaderStages,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayoutEntry {
    let min_binding_size = has_dynamic_offset.then(|| wgpu::BufferSize::new(size_of::<Draw>() as u64)).flatten();
    let ty = wgpu::BufferBindingType::Uniform;
    bind(binding, visibility, wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size })
}

pub(super) fn storage(binding: u32, visibility: wgpu::ShaderStages, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Storage { read_only };
    bind(binding, visibility, wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None })
}

fn sampled(binding: u32, filterable: bool, view_dimension: wgpu::TextureViewDimension) -> wgpu::BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Float { filterable };
    let ty = wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
    bind(binding, wgpu::ShaderStages::FRAGMENT, ty)
}

pub(super) fn texture(binding: u32) -> wgpu::BindGroupLayoutEntry {
    sampled(binding, true, wgpu::TextureViewDimension::D2)
}

/// Layers of depths that a shader reads as numbers.
pub(super) fn depths(binding: u32) -> wgpu::BindGroupLayoutEntry {
    sampled(binding, false, wgpu::TextureViewDimension::D2Array)
}

/// The format of the cube of an environment.
pub(super) const CUBE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

pub(super) fn cube(binding: u32) -> wgpu::BindGroupLayoutEntry {
    sampled(binding, true, wgpu::TextureViewDimension::Cube)
}

pub(super) fn sampler(binding: u32) -> wgpu::BindGroupLayoutEntry {
    bind(binding, wgpu::ShaderStages::FRAGMENT, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering))
}
