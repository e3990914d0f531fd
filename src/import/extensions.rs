//! The extensions of glTF that import knows, and what becomes of each.

use gltf::json;

use super::ImportError;
use super::error::{Warnings, quoted};

/// An extension of glTF that import knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// As in `extensionsUsed`.
    pub name: &'static str,
    /// What the model shows of it.
    pub support: Support,
}

/// What becomes of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The model is shown as the extension says.
    Shown,
    /// Holds nothing that a picture could show; passed over without a word.
    Silent,
    /// The model opens and is drawn without it, even where the file requires it; a warning says what is missing.
    DrawnWithout(&'static str),
}

/// Every extension that import knows, by name.
pub const EXTENSIONS: &[Extension] =
    &[shown("EXT_texture_webp"), shown("KHR_mesh_quantization"), shown("KHR_texture_basisu")];

const fn shown(name: &'static str) -> Extension {
    Extension { name, support: Support::Shown }
}

/// A required extension that is not known is an error; what an optional or a harmless one leaves out is a warning.
pub(super) fn check(root: &json::Root, warnings: &Warnings) -> Result<(), ImportError> {
    let known = |name: &str| EXTENSIONS.iter().find(|e| e.name == name).map(|e| e.support);
    let required: Vec<&String> = root.extensions_required.iter().filter(|name| known(name).is_none()).collect();
    if !required.is_empty() {
        let names: Vec<String> = required.iter().take(8).map(|n| quoted(n).trim_matches('"').to_owned()).collect();
        let name = names.join(" and ");
        return Err(ImportError::Extension { name, advice: "export the model without it" });
    }
    for name in &root.extensions_used {
        match known(name) {
            Some(Support::Shown | Support::Silent) => {}
            Some(Support::DrawnWithout(what)) => {
                warnings.add("extensions", format!("{} is not shown: the model is drawn without {what}", quoted(name)));
            }
            None => {
                warnings.add("extensions", format!("{} is not supported; the model is shown without it", quoted(name)));
            }
        }
    }
    Ok(())
}
