//! Texture slots of materials, with `KHR_texture_transform`.

use serde_json::{Map, Value};
use skinscope_model::{TextureId, TextureSlot, UvTransform};

use super::fields::{Fields, Range};
use super::{ImportError, Reader};

/// The extensions of a texture's info, as the file has them.
pub(super) type Extensions<'a> = Option<&'a Map<String, Value>>;

/// Checks that a texture is there, and reads which coordinates it uses. `what` names the texture's location.
pub(super) fn slot(
    reader: &Reader,
    location: &str,
    what: &str,
    (texture, uv_set): (usize, usize),
    extensions: Extensions,
) -> Result<Option<TextureSlot>, ImportError> {
    let have = reader.root.textures.len();
    if texture >= have {
        let expected = format!("a texture below {have}");
        return Err(ImportError::invalid(format!("{location}, {what}"), expected, format!("texture {texture}")));
    }
    let at = format!("{location}, {what}");
    let fields = Fields::of(reader, &at, "KHR_texture_transform", extensions);
    let uv_set = fields.and_then(|f| f.index("texCoord")).unwrap_or(uv_set);
    if uv_set > 1 {
        let message = format!("{what} reads TEXCOORD_{uv_set}; only sets 0 and 1 are known, so it is left out");
        reader.warnings.add(location, message);
        return Ok(None);
    }
    let transform = fields.map(|f| UvTransform {
        offset: f.numbers("offset", [0.0; 2], UV_RANGE).into(),
        rotation: f.number("rotation", 0.0, UV_RANGE),
        scale: f.numbers("scale", [1.0; 2], UV_RANGE).into(),
    });
    Ok(Some(TextureSlot { texture: TextureId::from_index(texture), uv_set, transform }))
}

/// The range of texture coordinates: beyond it a 32-bit float has no fraction left to read a texture by.
const UV_RANGE: Range = Range { least: -1e6, most: 1e6 };
