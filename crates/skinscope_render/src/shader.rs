//! Shader programs: which WGSL files each of them consists of, how those are joined, and how the result is checked. WGSL
//! allows declarations in any order, so no more than joining is needed to link them.

use skinscope_deform::{Method, PaletteRows};
use skinscope_frame::{LOOKS, OVERLAYS, TONE_MAPS};

/// A WGSL file: its name under `shaders/`, and its text.
type SourceFile = (&'static str, &'static str);

macro_rules! part {
    ($file:literal) => {
        ($file, include_str!(concat!("../../../shaders/", $file)))
    };
}

/// The files of every program that draws the model's surface, and those that only one of them has.
macro_rules! surface_parts {
    ($($part:expr),*) => {
        &[
            GLOBALS,
            COLOR,
            DEFORM,
            part!("mesh.wgsl"),
            part!("light.wgsl"),
            part!("punctual.wgsl"),
            part!("surface.wgsl"),
            $($part),*
        ]
    };
}

const GLOBALS: SourceFile = part!("common/globals.wgsl");
const CLIP: SourceFile = part!("common/clip.wgsl");
const COLOR: SourceFile = part!("common/color.wgsl");
const DEFORM: SourceFile = part!("common/deform.wgsl");
const ROWS: SourceFile = part!("common/rows.wgsl");
const MOTION: SourceFile = part!("common/motion.wgsl");
const PALETTE: SourceFile = part!("common/palette.wgsl");
const PALETTE_STORAGE: SourceFile = part!("common/palette_storage.wgsl");
const PALETTE_UNIFORM: SourceFile = part!("common/palette_uniform.wgsl");
const EARLY_DEPTH: SourceFile = part!("software/early_depth.wgsl");
const LATE_DEPTH: SourceFile = part!("software/late_depth.wgsl");
const ROUND: SourceFile = part!("light/round.wgsl");
const OPEN: SourceFile = part!("light/open.wgsl");
const SHADOWED: SourceFile = part!("light/shadowed.wgsl");
const SHADOW_VIEWS: SourceFile = part!("shadow/views.wgsl");
const SCREEN: SourceFile = part!("common/screen.wgsl");
const OVERLAY: SourceFile = part!("common/overlay.wgsl");
const STUDIO: SourceFile = part!("light/studio.wgsl");
const ENVIRONMENT: SourceFile = part!("light/environment.wgsl");

/// One shader module.
#[derive(Debug)]
pub struct Program {
    /// Its name in labels and messages.
    pub name: &'static str,
    /// The WGSL files that its text is joined from.
    pub parts: &'static [SourceFile],
    /// Whether it is linked with a deformation method.
    pub deforms: bool,
    /// Whether it is linked with all overlays.
    pub overlays: bool,
    /// Whether it is linked with a tone map.
    pub tones: bool,
    /// Whether it is linked with a look.
    pub looks: bool,
    /// Whether it is linked with shadows, or with light that reaches every point.
    pub shades: bool,
    /// Whether it is linked with the light of the surroundings.
    pub lit: bool,
}

/// Draws the model's surface with the layers that extensions add.
pub static LAYERED: Program = surface(
    "layered surface",
    surface_parts!(
        part!("layers.wgsl"),
        part!("layers/textures.wgsl"),
        part!("layers/anisotropy.wgsl"),
        part!("layers/iridescence.wgsl"),
        part!("layers/volume.wgsl")
    ),
);
/// Draws the model's surface and edges.
pub static SURFACE: Program = surface("surface", surface_parts!(ROUND));
/// Draws the depths of the model from the directions that light comes from.
pub(crate) static CASTER: Program = Program {
    shades: false,
    ..surface("caster", surface_parts!(ROUND, OPEN, SHADOW_VIEWS, part!("shadow/caster.wgsl")))
};
/// Draws the model's surface in the colours of an overlay.
pub(crate) static READOUT: Program =
    Program { overlays: true, ..surface("readout", surface_parts!(ROUND, OVERLAY, part!("readout.wgsl"))) };
/// Draws the model's surface in a look other than that of its materials.
pub static LOOK: Program = Program { looks: true, ..surface("look", surface_parts!(ROUND, part!("look.wgsl"))) };
/// Draws vertices as dots.
pub(crate) static DOTS: Program =
    Program { overlays: true, ..plain("dots", &[GLOBALS, COLOR, DEFORM, OVERLAY, part!("dots.wgsl")], true) };
/// Writes deformed vertices to a buffer.
pub(crate) static BAKE: Program = plain("bake", &[GLOBALS, DEFORM, part!("bake.wgsl")], true);
/// Scales directions to length one in the benchmark.
pub(crate) static ROOTS: Program = plain("roots", &[part!("roots.wgsl")], false);
/// Draws the gradient of the studio.
pub(crate) static BACKGROUND: Program = plain("background", &[GLOBALS, COLOR, SCREEN, part!("background.wgsl")], false);
/// Draws the environment behind everything.
pub(crate) static SURROUNDINGS: Program = Program {
    tones: true,
    ..plain("surroundings", &[GLOBALS, COLOR, SCREEN, ENVIRONMENT, part!("surroundings.wgsl")], false)
};
/// Filters an environment for surfaces of each roughness.
pub(crate) static PREFILTER: Program = plain("prefilter", &[SCREEN, part!("prefilter.wgsl")], false);
/// Draws the ground.
pub static GRID: Program = Program { shades: true, ..plain("grid", &[GLOBALS, COLOR, part!("grid.wgsl")], false) };
/// Draws bones.
pub static BONES: Program = plain("bones", &[GLOBALS, COLOR, CLIP, part!("bones.wgsl")], false);
/// Draws lines over everything.
pub(crate) static LINES: Program = plain("lines", &[GLOBALS, COLOR, CLIP, part!("lines.wgsl")], false);
/// Copies the finished picture into a window.
pub(crate) static PRESENT: Program = plain("present", &[COLOR, SCREEN, part!("present.wgsl")], false);
/// Makes the smaller levels of the picture of what lies behind glass.
pub(crate) static BEHIND: Program = plain("behind", &[SCREEN, part!("behind.wgsl")], false);

const fn plain(name: &'static str, parts: &'static [SourceFile], deforms: bool) -> Program {
    Program { name, parts, deforms, overlays: false, tones: false, looks: false, shades: false, lit: false }
}

/// What draws the model's surface in light.
const fn surface(name: &'static str, parts: &'static [SourceFile]) -> Program {
    Program { tones: true, shades: true, lit: true, ..plain(name, parts, true) }
}

/// All programs; a test links each with every method.
pub static PROGRAMS: &[&Program] = &[
    &SURFACE,
    &CASTER,
    &LAYERED,
    &LOOK,
    &READOUT,
    &DOTS,
    &BAKE,
    &ROOTS,
    &BACKGROUND,
    &SURROUNDINGS,
    &PREFILTER,
    &GRID,
    &BONES,
    &LINES,
    &PRESENT,
    &BEHIND,
];

/// The buffer that a program that deforms reads the palette from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaletteIn {
    /// A storage buffer.
    #[default]
    Storage,
    /// A uniform buffer of this many vectors.
    Uniform(u32),
}

/// The choices that a program that deforms is linked with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linking {
    /// The buffer that the palette is read from.
    pub palette: PaletteIn,
    /// How many rows each matrix of the palette has.
    pub rows: PaletteRows,
    /// Whether depths are tested after shading, for the driver of a software device (shaders/software/late_depth.wgsl).
    pub late_depth: bool,
    /// The index of the tone map in [`TONE_MAPS`]; 0 where the program has no light.
    pub tone_map: u8,
    /// The index of the look among those of [`LOOKS`] that have a shader; 0 where the program has none.
    pub look: u8,
    /// Whether the model casts shadows on itself and on the ground.
    pub shadowed: bool,
    /// Whether surfaces are lit by an environment in place of the studio.
    pub environment: bool,
}

impl Linking {
    /// Keeps what programs depend on that draw no light.
    pub(super) fn of_vertices(self) -> Self {
        Self { tone_map: 0, look: 0, environment: false, shadowed: false, ..self }
    }
}

/// A WGSL error at its own file and line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("shaders/{file}:{line}: {message}")]
pub struct ShaderError {
    /// The path under `shaders/`.
    pub file: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// The message of naga.
    pub message: String,
}

/// The whole text of a program, and where each file starts in it.
#[derive(Debug)]
pub struct Linked {
    /// The joined WGSL.
    pub text: String,
    /// First line (from 1) and name of each file, in order.
    files: Vec<(usize, &'static str)>,
}

impl Program {
    /// Joins the parts. `method` and `with` are not used where the program deforms nothing.
    #[must_use]
    pub fn link(&self, method: &'static Method, with: Linking) -> Linked {
        let mut linked = Linked { text: String::new(), files: Vec::new() };
        for part in self.parts {
            linked.push(*part);
        }
        if self.deforms {
            linked.push(PALETTE);
            match with.palette {
                PaletteIn::Storage => linked.push(PALETTE_STORAGE),
                PaletteIn::Uniform(vec4s) => {
                    linked.push(PALETTE_UNIFORM);
                    linked.text.push_str(&format!("\nconst PALETTE_BLOCK: u32 = {vec4s}u;\n"));
                }
            }
            linked.push(if with.late_depth { LATE_DEPTH } else { EARLY_DEPTH });
            linked.push(ROWS);
            linked.push(MOTION);
            linked.push(method.wgsl);
            linked.text.push_str(&format!("\nconst VEC4S_PER_JOINT: u32 = {}u;\n", with.rows.vec4s(method)));
        }
        if self.shades {
            let files = if with.shadowed { &[SHADOW_VIEWS, SHADOWED][..] } else { &[OPEN] };
            files.iter().for_each(|file| linked.push(*file));
        }
        if self.tones {
            TONE_MAPS.get(usize::from(with.tone_map)).into_iter().for_each(|map| linked.push(map.wgsl));
        }
        if self.lit {
            linked.push(if with.environment { ENVIRONMENT } else { STUDIO });
        }
        if self.looks {
            let look = LOOKS.iter().filter_map(|look| look.wgsl).nth(usize::from(with.look));
            look.into_iter().for_each(|file| linked.push(file));
        }
        if self.overlays {
            OVERLAYS.iter().filter_map(|overlay| overlay.wgsl).for_each(|file| linked.push(file));
            linked.text.push_str(&choice_of_overlay());
        }
        linked
    }
}

/// The WGSL function `overlay_number`, which calls the function of the overlay that the uniform names, so that another
/// overlay compiles nothing. (On a software device a constant names it.) An overlay without a function shows what was
/// computed in advance.
fn choice_of_overlay() -> String {
    let mut text = "\nfn overlay_number(source: Source, copy: u32, value: f32) -> f32 {\n".to_owned();
    text.push_str("    switch shown_overlay() {\n");
    for (i, overlay) in OVERLAYS.iter().enumerate().filter(|(_, overlay)| overlay.wgsl.is_some()) {
        let name = overlay.id.replace('-', "_");
        text.push_str(&format!("        case {i}u: {{ return overlay_{name}(source, copy, value); }}\n"));
    }
    text.push_str("        default: { return select(value, NONE, value < 0.0); }\n    }\n}\n");
    text
}

impl Linked {
    fn push(&mut self, (file, text): SourceFile) {
        self.files.push((self.text.lines().count() + 1, file));
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The file, and the line in it (from 1), of a line of the joined text.
    #[must_use]
    pub fn locate(&self, line: usize) -> (&'static str, usize) {
        let at = self.files.iter().rev().find(|(first, _)| *first <= line);
        at.map_or(("", line), |(first, file)| (file, line - first + 1))
    }

    /// Parses and validates the text.
    pub fn check(&self) -> Result<(wgpu::naga::Module, wgpu::naga::valid::ModuleInfo), ShaderError> {
        use wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
        let module = wgpu::naga::front::wgsl::parse_str(&self.text)
            .map_err(|e| self.error(e.location(&self.text).map(|l| l.line_number), e.message().to_owned()))?;
        // Capabilities beyond the core language would have to be requested from the device; none are used.
        let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).map_err(|e| {
            let mut message = e.as_inner().to_string();
            let mut source = std::error::Error::source(e.as_inner());
            while let Some(cause) = source {
                message.push_str(&format!(": {cause}"));
                source = cause.source();
            }
            self.error(e.location(&self.text).map(|l| l.line_number), message)
        })?;
        Ok((module, info))
    }

    fn error(&self, line: Option<u32>, message: String) -> ShaderError {
        let (file, line) = self.locate(line.unwrap_or(0) as usize);
        ShaderError { file: file.to_owned(), line, message }
    }
}
