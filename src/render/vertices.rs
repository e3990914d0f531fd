//! How packed vertices come into a pipeline: attributes, the constants that tell the shader what there is, and the part of
//! the palette that a uniform block can show. Knows layouts, not buffers.

use super::gpu::Gpu;
use super::layouts::mode;
use super::pipelines::{Kind, SurfaceShading};
use super::shown::Shown;
use crate::deform::packed::{InfluenceLayout, PaintLayout, VertexLayout, WeightBits};

/// How the vertices of a draw are stored and moved. Its pipelines compute nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub layout: VertexLayout,
    pub paint: PaintLayout,
    /// Of [`mode`]; rigid too where an instance has no skin for a mesh with influences.
    pub mode: u32,
    pub morphs: bool,
    /// The palette is read through the uniform block.
    pub window: bool,
    /// The picture dims what the selected nodes do not move.
    pub dims: bool,
    /// What the picture shows, where pipelines are made for it.
    pub shown: Option<Shown>,
}

/// As in `palette_uniform.wgsl`.
const WINDOW_VEC4S: u32 = 4096;
/// Bytes that the uniform block shows.
pub(super) const WINDOW_BYTES: u64 = WINDOW_VEC4S as u64 * VEC4;
/// As in `palette_uniform.wgsl`. 16 joints of any number of vectors lie on every alignment that devices ask for (256 bytes at
/// most).
const WINDOW_STEP: u32 = 16;
const VEC4: u64 = size_of::<[f32; 4]>() as u64;

/// Whether palettes are to be read through a uniform block where they fit. A software device reads it faster than storage; on
/// most hardware it is the other way round, as joints differ from vertex to vertex.
pub(super) fn prefers_windows(gpu: &Gpu) -> bool {
    let limits = gpu.device.limits();
    gpu.info.device_type == wgpu::DeviceType::Cpu
        && limits.max_uniform_buffer_binding_size >= WINDOW_BYTES
        // A block behind every palette is not to make it too large.
        && limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) >= 16 * WINDOW_BYTES
        && limits.min_uniform_buffer_offset_alignment <= WINDOW_STEP * VEC4 as u32
        && limits.max_dynamic_uniform_buffers_per_pipeline_layout >= 2
        && limits.max_uniform_buffers_per_shader_stage >= 5
}

/// Where the uniform block begins in the palette to show all of `joints` joints from number `joint` on, bytes; `None` where it
/// cannot show them. `room`: bytes that blocks may show, from the start of the palette.
pub(super) fn window(joint: u32, joints: u32, vec4s_per_joint: usize, room: u64) -> Option<u32> {
    let packed = vec4s_per_joint as u32;
    let shown = (joint % WINDOW_STEP).saturating_add(joints).saturating_mul(packed);
    let start = u64::from(joint / WINDOW_STEP * WINDOW_STEP) * u64::from(packed) * VEC4;
    let fits = shown <= WINDOW_VEC4S && start + WINDOW_BYTES <= room;
    u32::try_from(start).ok().filter(|_| fits)
}

/// Attributes in the order of the shader's locations, and constants.
impl Shape {
    /// What matters to pipelines of a kind.
    pub fn of(self, kind: Kind) -> Self {
        let shown = self.shown;
        match kind {
            Kind::Surface { look: SurfaceShading::Shaded, .. } => {
                Self { shown: shown.map(Shown::of_materials), ..self }
            }
            // Turning it on or off compiles nothing, unless pipelines are made for what is shown anyway.
            Kind::Surface { look: SurfaceShading::Readout, .. } => {
                Self { dims: self.dims || shown.is_none(), shown: shown.map(Shown::of_overlays), ..self }
            }
            Kind::Dots => {
                Self { paint: PaintLayout::default(), dims: true, shown: shown.map(Shown::of_overlays), ..self }
            }
            _ => self.alone(),
        }
    }

    /// What matters to pipelines that depend on nothing that is shown.
    pub fn alone(self) -> Self {
        let shown = self.shown.map(|_| Shown::default());
        Self { paint: PaintLayout::default(), dims: true, shown, ..self }
    }

    /// Bytes from one vertex to the next.
    pub fn stride(&self) -> u64 {
        4 * self.layout.words() as u64
    }

    /// What the deformation reads. Where something is missing, the shader is given whatever stands first.
    pub fn attributes(&self) -> Vec<wgpu::VertexAttribute> {
        use wgpu::VertexFormat as F;
        let layout = self.layout;
        let (joints, weights) = match layout.influences {
            InfluenceLayout::None => (None, None),
            InfluenceLayout::List => (Some(F::Uint32x2), None),
            InfluenceLayout::Four { wide_joints, weights } => {
                let joints = if wide_joints { F::Uint32x2 } else { F::Uint32 };
                let weights = match weights {
                    WeightBits::Eight => F::Uint32,
                    WeightBits::Sixteen => F::Uint32x2,
                    WeightBits::Float => F::Uint32x4,
                };
                (Some(joints), Some(weights))
            }
        };
        let word = |there: bool| there.then_some(F::Uint32);
        let at = |location, format: Option<F>, words| match format {
            Some(format) => attribute(location, format, words),
            None => attribute(location, F::Uint32, 0),
        };
        vec![
            attribute(0, F::Float32x3, 0),
            at(1, word(layout.normals), layout.normal_at()),
            at(2, word(layout.tangents), layout.tangent_at()),
            at(3, joints, layout.joints_at()),
            at(4, weights, layout.weights_at()),
        ]
    }

    /// What only the surface reads: out of the rows of its own, and for what is missing out of the vertex itself.
    pub fn paint_attributes(&self) -> (Vec<wgpu::VertexAttribute>, Vec<wgpu::VertexAttribute>) {
        use wgpu::VertexFormat as F;
        let paint = self.paint;
        let all = [
            (paint.uvs[0], attribute(5, F::Float32x2, paint.uv_at(0)), attribute(5, F::Float32x2, 0)),
            (paint.uvs[1], attribute(6, F::Float32x2, paint.uv_at(1)), attribute(6, F::Float32x2, 0)),
            (paint.colors, attribute(7, F::Float32x4, paint.color_at()), attribute(7, F::Float32x3, 0)),
        ];
        let there = all.iter().filter(|(there, ..)| *there).map(|(_, attribute, _)| *attribute);
        let missing = all.iter().filter(|(there, ..)| !there).map(|(_, _, attribute)| *attribute);
        (there.collect(), missing.collect())
    }

    /// Of common/deform.wgsl and common/globals.wgsl.
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let layout = self.layout;
        let (wide, bits) = match layout.influences {
            InfluenceLayout::Four { wide_joints, weights } => (wide_joints, weights),
            InfluenceLayout::None | InfluenceLayout::List => (true, WeightBits::Float),
        };
        let bits = match bits {
            WeightBits::Eight => 8,
            WeightBits::Sixteen => 16,
            WeightBits::Float => 32,
        };
        let mut constants = vec![
            ("MODE", f64::from(self.mode)),
            ("NORMALS", f64::from(u8::from(layout.normals))),
            ("TANGENTS", f64::from(u8::from(layout.tangents))),
            ("WIDE_JOINTS", f64::from(u8::from(wide))),
            ("WEIGHT_BITS", f64::from(bits)),
            ("MORPHS", f64::from(u8::from(self.morphs))),
        ];
        constants.extend(Shown::constants(self.shown));
        constants
    }

    /// Of mesh.wgsl.
    pub fn paint_constants(&self) -> [(&'static str, f64); 3] {
        let sets = u8::from(self.paint.uvs[0]) | u8::from(self.paint.uvs[1]) << 1;
        [
            ("UV_SETS", f64::from(sets)),
            ("COLORS", f64::from(u8::from(self.paint.colors))),
            ("DIMS", f64::from(u8::from(self.dims))),
        ]
    }

    /// Of bake.wgsl.
    pub fn word_constants(&self) -> [(&'static str, f64); 2] {
        let layout = self.layout;
        [
            ("JOINT_WORDS", (layout.weights_at() - layout.joints_at()) as f64),
            ("WEIGHT_WORDS", (layout.words() - layout.weights_at()) as f64),
        ]
    }
}

/// How the influences of a draw are read.
pub(super) fn mode_of(layout: VertexLayout, has_skin: bool) -> u32 {
    match layout.influences {
        InfluenceLayout::Four { .. } if has_skin => mode::FOUR,
        InfluenceLayout::List if has_skin => mode::LIST,
        _ => mode::RIGID,
    }
}

fn attribute(location: u32, format: wgpu::VertexFormat, words: usize) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute { format, offset: 4 * words as u64, shader_location: location }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_4096_vectors_from_a_multiple_of_16_joints() {
        let room = 1 << 20;
        let fits = |joint, joints, packed| window(joint, joints, packed, room).is_some();
        // Three vectors a joint: 1365 joints fit from the start, 15 fewer from the sixteenth joint of a step.
        assert!(fits(0, 1365, 3) && !fits(0, 1366, 3));
        assert!(fits(31, 1350, 3) && !fits(31, 1351, 3));
        assert!(!fits(u32::MAX, 1, 5) && !fits(0, u32::MAX, 5));
        let start = |joint, packed| window(joint, 1, packed, room);
        assert_eq!([start(15, 3), start(16, 3), start(40, 5)], [Some(0), Some(16 * 48), Some(32 * 80)]);
        assert!((16 * 48_u32).is_multiple_of(256) && (16 * 80_u32).is_multiple_of(256));
        // It never ends behind the buffer.
        assert_eq!([window(16, 1, 3, 768 + 65_536), window(16, 1, 3, 768 + 65_535)], [Some(768), None]);
    }
}
