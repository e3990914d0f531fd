//! Options about the graphics device, of the subcommands that draw.

use clap::Args;

use crate::deform::{PaletteBuffer, PaletteRows};
use crate::render::Backend;

/// The device that draws, and how it reads joint matrices.
#[derive(Clone, Debug, Args)]
pub(super) struct DeviceArgs {
    /// Draw with this graphics interface; auto takes the first that there is
    #[arg(long, value_name = "auto|vulkan|gl", value_parser = parse_backend, default_value = "auto")]
    pub backend: Backend,
    /// Let shaders read joint matrices from this kind of buffer; those that do not fit into a uniform buffer are read from a storage buffer
    #[arg(long, value_name = "auto|uniform|storage", value_parser = parse_palette, default_value = "auto")]
    pub palette: PaletteBuffer,
    /// Send so many rows of each joint matrix to the device: the last of four is always 0 0 0 1, so that three are enough
    #[arg(long, value_name = "3|4", value_parser = parse_palette_rows, default_value = "3")]
    pub palette_rows: PaletteRows,
}

/// The memory for textures.
#[derive(Clone, Debug, Args)]
pub(super) struct TextureArgs {
    /// Use this much memory for textures, MiB; textures that need more are drawn smaller [default: 4096 with a graphics card's own memory, else 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    texture_memory: Option<u32>,
}

impl TextureArgs {
    /// Returns how many bytes textures may take; `None` keeps what is usual for such a device.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.texture_memory.map(|mib| u64::from(mib) << 20)
    }
}

pub(super) fn parse_backend(text: &str) -> Result<Backend, String> {
    match text {
        "auto" => Ok(Backend::Auto),
        "vulkan" => Ok(Backend::Vulkan),
        "gl" => Ok(Backend::Gl),
        _ => Err("expected auto, vulkan or gl".into()),
    }
}

fn parse_palette(text: &str) -> Result<PaletteBuffer, String> {
    let known = PaletteBuffer::ALL.into_iter().find(|buffer| buffer.id() == text);
    known.ok_or_else(|| "expected auto, uniform or storage".into())
}

fn parse_palette_rows(text: &str) -> Result<PaletteRows, String> {
    let known = PaletteRows::ALL.into_iter().find(|rows| rows.id() == text);
    known.ok_or_else(|| "expected 3 or 4".into())
}
