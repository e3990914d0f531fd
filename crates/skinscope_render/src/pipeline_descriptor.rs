//! The settings in which the pipelines of the scene differ, for each kind of thing that they draw.

use super::layouts::layer;
use super::pipeline_kind::{Cull, Kind, MaterialFeatures, SurfaceShading, SurfaceWrites};
use super::shader::{self, Program};

/// The settings in which the pipelines of the scene differ.
pub(super) struct PipelineDescriptor {
    pub program: &'static Program,
    pub vertex: &'static str,
    pub fragment: &'static str,
    pub topology: wgpu::PrimitiveTopology,
    pub blend: bool,
    pub write_color: bool,
    pub write_depth: bool,
    pub compare: wgpu::CompareFunction,
    pub cull: Option<wgpu::Face>,
    /// The features of the surface's material, which set overrides of the shader.
    pub parts: Option<MaterialFeatures>,
}

impl PipelineDescriptor {
    /// Draws over what is there.
    const FLAT: Self = Self {
        program: &shader::BACKGROUND,
        vertex: "",
        fragment: "",
        topology: wgpu::PrimitiveTopology::TriangleList,
        blend: true,
        write_color: true,
        write_depth: false,
        // Depth is reversed.
        compare: wgpu::CompareFunction::GreaterEqual,
        cull: None,
        parts: None,
    };
    /// Draws the model. Back faces are discarded in the fragment stage, since which side is the back depends on what
    /// moved the triangle.
    const MESH: Self = Self { program: &shader::SURFACE, ..Self::FLAT };
    /// Draws the vertices of the model.
    const DOTS: Self = Self { program: &shader::DOTS, ..Self::FLAT };

    /// Returns the settings of what a pipeline draws.
    pub fn of(kind: Kind) -> Self {
        use wgpu::PrimitiveTopology as T;
        match kind {
            Kind::Surface { look, topology, leaves, cull, parts } => {
                let is_layered = parts.layers & !layer::UNLIT != 0;
                let (vertex, fragment) = match look {
                    SurfaceShading::Shaded if parts.layers & layer::UNLIT != 0 => ("vs_shaded", "fs_unlit"),
                    SurfaceShading::Shaded if parts.layers & layer::TRANSMISSION != 0 => {
                        ("vs_shaded", "fs_transmissive")
                    }
                    SurfaceShading::Shaded if is_layered => ("vs_shaded", "fs_layered"),
                    SurfaceShading::Shaded => ("vs_shaded", "fs_shaded"),
                    SurfaceShading::Readout => ("vs_readout", "fs_readout"),
                    SurfaceShading::Look(_) => ("vs_shaded", "fs_look"),
                };
                let cull = match cull {
                    Cull::None => None,
                    Cull::Clockwise => Some(wgpu::Face::Back),
                    Cull::CounterClockwise => Some(wgpu::Face::Front),
                };
                Self {
                    program: match look {
                        SurfaceShading::Readout => &shader::READOUT,
                        SurfaceShading::Look(_) => &shader::LOOK,
                        SurfaceShading::Shaded if is_layered => &shader::LAYERED,
                        SurfaceShading::Shaded => &shader::SURFACE,
                    },
                    vertex,
                    fragment,
                    topology,
                    blend: leaves == SurfaceWrites::Color,
                    write_color: leaves != SurfaceWrites::Depth,
                    write_depth: leaves != SurfaceWrites::Color,
                    cull,
                    parts: Some(parts),
                    ..Self::MESH
                }
            }
            Kind::Edges => Self { vertex: "vs_edges", fragment: "fs_edges", topology: T::LineList, ..Self::MESH },
            Kind::Ghost => Self { vertex: "vs_ghost", fragment: "fs_ghost", ..Self::MESH },
            Kind::Dots => Self { vertex: "vs_dots", fragment: "fs_dots", ..Self::DOTS },
            Kind::Marks { hidden: false } => Self { vertex: "vs_marks", fragment: "fs_dots", ..Self::DOTS },
            Kind::Marks { hidden: true } => Self {
                vertex: "vs_marks",
                fragment: "fs_hidden_dots",
                compare: wgpu::CompareFunction::Less,
                ..Self::DOTS
            },
            Kind::Background => Self {
                program: &shader::BACKGROUND,
                vertex: "vs_screen",
                fragment: "fs_background",
                blend: false,
                ..Self::FLAT
            },
            Kind::Surroundings { .. } => Self {
                program: &shader::SURROUNDINGS,
                vertex: "vs_screen",
                fragment: "fs_surroundings",
                blend: false,
                ..Self::FLAT
            },
            Kind::Grid { .. } => Self {
                program: &shader::GRID,
                vertex: "vs_grid",
                fragment: "fs_grid",
                topology: T::TriangleStrip,
                ..Self::FLAT
            },
            Kind::Caster { masked } => Self {
                program: &shader::CASTER,
                vertex: if masked.is_some() { "vs_masked_caster" } else { "vs_caster" },
                fragment: "fs_masked_caster",
                blend: false,
                write_color: false,
                write_depth: true,
                compare: wgpu::CompareFunction::Less,
                parts: masked,
                ..Self::MESH
            },
            Kind::Bones => Self {
                program: &shader::BONES,
                vertex: "vs_bones",
                fragment: "fs_bones",
                topology: T::TriangleStrip,
                write_depth: true,
                ..Self::FLAT
            },
            Kind::Lines => Self {
                program: &shader::LINES,
                vertex: "vs_lines",
                fragment: "fs_lines",
                topology: T::TriangleStrip,
                compare: wgpu::CompareFunction::Always,
                ..Self::FLAT
            },
        }
    }
}
