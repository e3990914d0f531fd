//! The limits that the renderer needs of any adapter, whatever the model. What a model or a picture needs beyond them
//! (sizes of buffers and textures) is checked where it is created.

use skinscope_deform::packed::{InfluenceLayout, PaintLayout, VertexLayout, WeightBits};
use skinscope_frame::SCALE_ROWS;
use skinscope_model::LAYER_TEXTURES;

use super::layouts::{CORE_TEXTURES, GROUP_SIZE, Globals};

/// A limit of the device, and the least value that suffices.
struct Need {
    what: &'static str,
    least: u64,
    has: fn(&wgpu::Limits) -> u64,
}

macro_rules! need {
    ($what:literal, $least:expr, $limit:ident) => {
        Need { what: $what, least: $least as u64, has: |limits| u64::from(limits.$limit) }
    };
}

/// The layout of the largest vertex.
const MOST: VertexLayout = VertexLayout {
    normals: true,
    tangents: true,
    influences: InfluenceLayout::Four { wide_joints: true, weights: WeightBits::Float },
};
const MOST_PAINT: PaintLayout = PaintLayout { uvs: [true; 2], colors: true };
/// How many textures one stage reads of a material.
const SURFACE_TEXTURES: usize = CORE_TEXTURES + LAYER_TEXTURES;
/// The words of a marked vertex, which also stores its index.
const MARK_WORDS: usize = MOST.words() + MOST.influences.words() + 1;

/// What drawing needs.
const DRAWING: &[Need] = &[
    // The palette, slots, influences, and morph targets.
    need!("storage buffers in a shader stage", 4, max_storage_buffers_per_shader_stage),
    // Globals, scale, draw, and material.
    need!("uniform buffers in a shader stage", 4, max_uniform_buffers_per_shader_stage),
    // The textures of the material, the picture of what lies behind glass, the environment, and the depths that shadows
    // read.
    need!("textures in a shader stage", SURFACE_TEXTURES + 3, max_sampled_textures_per_shader_stage),
    need!("samplers in a shader stage", SURFACE_TEXTURES + 2, max_samplers_per_shader_stage),
    // The groups of the frame, the primitive, the material, and its layers.
    need!("bind groups", 4, max_bind_groups),
    need!("bindings in a bind group", 2 * larger(1 + CORE_TEXTURES, LAYER_TEXTURES), max_bindings_per_bind_group),
    need!("dynamic uniform buffers", 1, max_dynamic_uniform_buffers_per_pipeline_layout),
    need!("vertex buffers", 4, max_vertex_buffers),
    need!("vertex attributes", 9, max_vertex_attributes),
    need!("bytes of a stored vertex", 4 * larger(MARK_WORDS, MOST_PAINT.words()), max_vertex_buffer_array_stride),
    // The variables of a surface in the colours of an overlay, and which side is seen.
    need!("variables between shader stages", 9, max_inter_stage_shader_variables),
    need!(
        "bytes of a uniform buffer",
        larger(size_of::<Globals>(), SCALE_ROWS * size_of::<[f32; 4]>()),
        max_uniform_buffer_binding_size
    ),
];

/// What deforming in a compute shader needs in addition to drawing: the vertices, their influences and the result are storage
/// buffers too.
const BAKING: &[Need] = &[
    need!("storage buffers in a compute shader", 7, max_storage_buffers_per_shader_stage),
    need!("threads in a workgroup", GROUP_SIZE, max_compute_invocations_per_workgroup),
    need!("threads in a row of a workgroup", GROUP_SIZE, max_compute_workgroup_size_x),
    need!("workgroups in a row", 1, max_compute_workgroups_per_dimension),
];

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The limits and features that the renderer needs and does not find, one line for people each; empty where nothing is
/// missing.
pub(super) fn missing(limits: &wgpu::Limits, flags: wgpu::DownlevelFlags) -> Vec<String> {
    let mut lacks = short_of(DRAWING, limits);
    if !flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) {
        lacks.push("its vertex shaders read no storage buffers, which the skin's matrices are kept in".into());
    }
    lacks
}

/// The limits that the compute shader of baking needs and does not find, one line for people each.
pub(super) fn missing_for_baking(limits: &wgpu::Limits) -> Vec<String> {
    short_of(BAKING, limits)
}

fn short_of(needs: &[Need], limits: &wgpu::Limits) -> Vec<String> {
    let short = needs.iter().filter(|need| (need.has)(limits) < need.least);
    short.map(|need| format!("{} {} are needed, it allows {}", need.least, need.what, (need.has)(limits))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_adapter_lacks_is_named_with_both_numbers() {
        let all = wgpu::DownlevelFlags::all();
        assert_eq!(missing(&wgpu::Limits::default(), all), [""; 0]);
        assert_eq!(missing(&wgpu::Limits::downlevel_defaults(), all), [""; 0], "OpenGL ES 3.1 will do");
        let webgl = missing(&wgpu::Limits::downlevel_webgl2_defaults(), all);
        assert_eq!(webgl, ["4 storage buffers in a shader stage are needed, it allows 0"]);
        let few = wgpu::Limits { max_bind_groups: 2, max_vertex_attributes: 8, ..wgpu::Limits::default() };
        assert_eq!(
            missing(&few, all),
            ["4 bind groups are needed, it allows 2", "9 vertex attributes are needed, it allows 8"]
        );
        let none = missing(&wgpu::Limits::default(), wgpu::DownlevelFlags::empty());
        assert!(none.len() == 1 && none[0].contains("vertex shaders"), "{none:?}");
    }

    #[test]
    fn baking_needs_more_than_drawing() {
        let drawing = wgpu::Limits::downlevel_defaults();
        assert_eq!(missing_for_baking(&drawing), ["7 storage buffers in a compute shader are needed, it allows 4"]);
        assert_eq!(missing_for_baking(&wgpu::Limits::default()), [""; 0]);
    }
}
