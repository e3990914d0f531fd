//! Describes packed vertices to a pipeline: attributes, and the constants that tell the shader which data there is.
//! Knows layouts, but no buffers.

use skinscope_deform::packed::{InfluenceLayout, PaintLayout, VertexLayout, WeightBits};

use super::layouts::mode;
use super::pipeline_kind::{Kind, SurfaceShading};
use super::shown::Shown;

/// How the vertices of a draw are stored and moved. Its pipelines compute nothing that it does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub layout: VertexLayout,
    pub paint: PaintLayout,
    /// One of the values of [`mode`]; rigid too where an instance has no skin for a mesh with influences.
    pub mode: u32,
    pub morphs: bool,
    /// True where vertices are read that were deformed before.
    pub predeformed: bool,
    /// True where the picture dims vertices that the selected nodes do not move.
    pub dims: bool,
    /// The choices of the picture, where pipelines are made for them.
    pub shown: Option<Shown>,
}

/// Gives attributes in the order of the shader's locations, and constants.
impl Shape {
    /// Keeps only what pipelines of a kind depend on.
    pub fn of(self, kind: Kind) -> Self {
        let shown = self.shown;
        match kind {
            Kind::Surface { look: SurfaceShading::Shaded | SurfaceShading::Look(_), .. } => {
                Self { shown: shown.map(Shown::of_materials), ..self }
            }
            // Turning dimming on or off compiles nothing, unless pipelines are made for what is shown anyway.
            Kind::Surface { look: SurfaceShading::Readout, .. } => {
                Self { dims: self.dims || shown.is_none(), shown: shown.map(Shown::of_overlays), ..self }
            }
            Kind::Dots => {
                Self { paint: PaintLayout::default(), dims: true, shown: shown.map(Shown::of_overlays), ..self }
            }
            // Where alpha cuts holes, they are read with the colours.
            Kind::Caster { masked: Some(_) } => Self { paint: self.paint, ..self.alone() },
            _ => self.alone(),
        }
    }

    /// Keeps only what pipelines depend on whose output does not depend on the choices of a picture.
    pub fn alone(self) -> Self {
        let shown = self.shown.map(|_| Shown::default());
        Self { paint: PaintLayout::default(), dims: true, shown, ..self }
    }

    /// Bytes from one vertex to the next.
    pub fn stride(&self) -> u64 {
        4 * self.layout.words() as u64
    }

    /// Bytes from the influences of one vertex to those of the next; 0 where there are none.
    pub(crate) fn influence_stride(&self) -> u64 {
        4 * self.layout.influences.words() as u64
    }

    /// The attributes of the vertex itself that the deformation reads, and those of its influences, which have rows of
    /// their own. Data that is missing is read from the start of the vertex, and not used.
    pub fn attributes(&self) -> (Vec<wgpu::VertexAttribute>, Vec<wgpu::VertexAttribute>) {
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
        let mut own = vec![
            attribute(0, F::Float32x3, 0),
            at(1, word(layout.normals), layout.normal_at()),
            at(2, word(layout.tangents), layout.tangent_at()),
        ];
        let influences = [(3, joints, 0), (4, weights, layout.influences.joint_words())];
        own.extend(
            influences.iter().filter(|(_, format, _)| format.is_none()).map(|(location, ..)| at(*location, None, 0)),
        );
        let there = |(location, format, words): (u32, Option<F>, usize)| Some(attribute(location, format?, words));
        (own, influences.into_iter().filter_map(there).collect())
    }

    /// The attributes that only the surface reads: those from its own rows, and those for missing data, which are read
    /// from the start of the vertex.
    pub(crate) fn paint_attributes(&self) -> (Vec<wgpu::VertexAttribute>, Vec<wgpu::VertexAttribute>) {
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

    /// The constants of common/deform.wgsl and common/globals.wgsl.
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
            ("PLACED", f64::from(u8::from(self.predeformed))),
        ];
        constants.extend(Shown::constants(self.shown));
        constants
    }

    /// The constants of mesh.wgsl.
    pub(crate) fn paint_constants(&self) -> [(&'static str, f64); 3] {
        let sets = u8::from(self.paint.uvs[0]) | u8::from(self.paint.uvs[1]) << 1;
        [
            ("UV_SETS", f64::from(sets)),
            ("COLORS", f64::from(u8::from(self.paint.colors))),
            ("DIMS", f64::from(u8::from(self.dims))),
        ]
    }

    /// The constants of bake.wgsl.
    pub(crate) fn word_constants(&self) -> [(&'static str, f64); 2] {
        let layout = self.layout;
        [
            ("JOINT_WORDS", layout.influences.joint_words() as f64),
            ("WEIGHT_WORDS", layout.influences.weight_words() as f64),
        ]
    }
}

/// How the influences of a draw are read: one of the values of [`mode`].
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
