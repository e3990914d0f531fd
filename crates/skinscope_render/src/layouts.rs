//! Structs that Rust and WGSL share, each declared once here; a test compares names, offsets and sizes with the shaders.

/// A struct shared with WGSL: its name there, its size, and name, offset and size of every field.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its name in WGSL.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// The name, the offset and the size of each field, in bytes.
    pub fields: &'static [(&'static str, usize, usize)],
}

macro_rules! shared {
    ($($(#[$doc:meta])* struct $name:ident { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
            #[repr(C)]
            pub(super) struct $name { $(pub $field: $type,)* }
        )*

        /// The layouts of all these structs.
        pub static LAYOUTS: &[Layout] = &[$(Layout {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$type>()),)*],
        },)*];
    };
}

shared! {
    /// A soft light of the studio, world space.
    struct SoftBox {
        x: [f32; 4],
        y: [f32; 4],
        z: [f32; 4],
        radiance: [f32; 4],
    }

    /// The values that stay the same for a whole picture.
    struct Globals {
        clip_from_world: [[f32; 4]; 4],
        view_x: [f32; 4],
        view_y: [f32; 4],
        view_z: [f32; 4],
        eye: [f32; 4],
        viewport: [f32; 4],
        background_inner: [f32; 4],
        background_outer: [f32; 4],
        grid: [f32; 4],
        grid_color: [f32; 4],
        floor_color: [f32; 4],
        shadow: [f32; 4],
        wire_color: [f32; 4],
        dot_color: [f32; 4],
        mark_color: [f32; 4],
        boxes: [SoftBox; 4],
        selected: u32,
        selected_end: u32,
        morph_base: u32,
        light_count: u32,
        overlay: u32,
        scale_kind: u32,
        influence_limit: u32,
        flags: u32,
        scale_ends: [f32; 2],
        dot_radius: [f32; 2],
        studio: [f32; 4],
        crowd: [u32; 4],
        parameters: [f32; 4],
        environment: [f32; 4],
        lens: [f32; 4],
    }

    /// A level of a face of an environment, as it is drawn; see shaders/prefilter.wgsl.
    struct Step {
        forward: [f32; 4],
        right: [f32; 4],
        down: [f32; 4],
        source: [f32; 4],
    }

    /// A light of the file.
    struct Light {
        position: [f32; 4],
        direction: [f32; 4],
        color: [f32; 4],
        cone: [f32; 4],
    }

    /// The joint that a matrix of the palette belongs to.
    struct Slot {
        color: [f32; 3],
        node: u32,
    }

    /// One influence of a vertex that has more than four.
    struct Influence {
        joint: u32,
        weight: f32,
    }

    /// One primitive of one instance.
    struct Draw {
        joint: u32,
        flags: u32,
        vertex_count: u32,
        morph_count: u32,
        morph_weight: u32,
        morph_stride: u32,
        copies: u32,
        copy_stride: u32,
    }

    /// The transform of a texture's coordinates: two rows, each for (u, v, 1).
    struct UvTransform {
        u: [f32; 4],
        v: [f32; 4],
    }

    /// The numbers of a material.
    struct Material {
        base_color: [f32; 4],
        emissive: [f32; 4],
        metallic: f32,
        roughness: f32,
        occlusion_strength: f32,
        alpha_cutoff: f32,
        unused: [u32; 2],
        second_uv: u32,
        f0: f32,
        specular: [f32; 4],
        sheen: [f32; 4],
        clearcoat: [f32; 4],
        transmission: [f32; 4],
        volume: [f32; 4],
        iridescence: [f32; 4],
        anisotropy: [f32; 4],
        uv: [UvTransform; MATERIAL_TEXTURES],
    }

    /// The directions that the depths of the model are drawn from; see shaders/shadow/views.wgsl.
    struct Shadows {
        counts: [u32; 4],
        sphere: [f32; 4],
        sides: [f32; 4],
        digits: [f32; 4],
        key: [[f32; 4]; 3],
    }

    /// A bone; see shaders/bones.wgsl.
    struct Bone {
        head: [f32; 4],
        tail: [f32; 4],
        color: [f32; 4],
        look: [f32; 4],
    }

    /// A line over everything.
    struct Line {
        start: [f32; 4],
        end: [f32; 4],
        color: [f32; 4],
    }
}

/// The size of a workgroup in `bake.wgsl`.
pub(super) const GROUP_SIZE: u32 = 64;

/// Names a primitive of a model: index of the mesh, and of the primitive in the mesh.
pub(super) type PrimitiveKey = (usize, usize);

/// How many textures a material can name: those of the core, then those of its layers.
pub(super) const MATERIAL_TEXTURES: usize = 17;
/// The number of textures that glTF's core defines; they come first.
pub(super) const CORE_TEXTURES: usize = 5;

/// Bits of `LAYERS` in shaders/layers.wgsl.
pub(super) mod layer {
    pub(crate) const SPECULAR: u32 = 1;
    pub(crate) const GLOSS: u32 = 2;
    pub(crate) const CLEARCOAT: u32 = 4;
    pub(crate) const SHEEN: u32 = 8;
    pub(crate) const TRANSMISSION: u32 = 16;
    /// Decides on the pipeline; no shader reads it.
    pub(crate) const UNLIT: u32 = 32;
    pub const VOLUME: u32 = 64;
    pub(crate) const DISPERSION: u32 = 128;
    pub(crate) const IRIDESCENCE: u32 = 256;
    pub(crate) const ANISOTROPY: u32 = 512;
}

/// The properties of a material, apart from its textures, that a pipeline depends on. Their bits come after those of the
/// textures.
pub(super) mod nature {
    pub(crate) const MASKED: u32 = 1 << 24;
    pub(crate) const BLENDED: u32 = 1 << 25;
    pub(crate) const DOUBLE_SIDED: u32 = 1 << 26;
}

/// Values of `MODE` in shaders/common/deform.wgsl: one matrix, four influences in the vertex, or a list.
pub(super) mod mode {
    pub const RIGID: u32 = 0;
    pub(crate) const FOUR: u32 = 1;
    pub(crate) const LIST: u32 = 2;
}

/// Bits of `Draw::flags`.
pub(super) mod flag {
    pub(crate) const HAS_NORMALS: u32 = 1;
    pub(crate) const HAS_TANGENTS: u32 = 2;
    pub(crate) const HAS_SIDES: u32 = 4;
    pub(crate) const MORPHS_NORMALS: u32 = 8;
    pub(crate) const MORPHS_TANGENTS: u32 = 16;
    pub(crate) const HAS_WEIGHTS: u32 = 32;
}

/// Bits of `Globals::flags`.
pub(super) mod shown {
    pub(crate) const HAS_OVERLAY: u32 = 1;
    pub(crate) const INFLUENCED_ONLY: u32 = 2;
    pub(crate) const SHARED_BLACK: u32 = 4;
}

/// Bits of `SHOWN_LIGHTS` in shaders/common/globals.wgsl.
pub(super) mod light {
    pub(crate) const STUDIO: u32 = 1;
    pub const FILE: u32 = 2;
}

/// Values of `Globals::scale_kind`.
pub(super) mod scale {
    pub(crate) const RAMP: u32 = 0;
    pub const STEPS: u32 = 1;
    pub const JOINTS: u32 = 2;
}
