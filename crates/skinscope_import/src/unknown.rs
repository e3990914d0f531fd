//! Finds words and numbers that glTF 2.0 does not define, where they say how to read data, for an error message with
//! the value in the file. The types of the parser only record that they are unknown.

use std::collections::BTreeMap;

use gltf::json;
use gltf::json::validation::Checked;

use super::ImportError;
use super::accessor::Unusable;
use super::error::quoted;

/// The location in the JSON, the same location for people, and the values that may stand there.
type Unknown = (String, String, &'static str);

/// Returns an error for the first such word or number, except those of accessors ([`accessors`]).
pub(super) fn check(root: &json::Root, text: &str) -> Result<(), ImportError> {
    let Some((pointer, location, expected)) = first(root) else { return Ok(()) };
    // The text is parsed once more, which costs time only for a file that is refused anyway.
    Err(ImportError::invalid(location, expected, found(text.parse().ok().as_ref(), &pointer)))
}

/// Returns the value at a place of the JSON, in words.
fn found(root: Option<&json::Value>, pointer: &str) -> String {
    match root.and_then(|root| root.pointer(pointer)) {
        Some(json::Value::String(word)) => quoted(word),
        Some(other) => quoted(&other.to_string()).trim_matches('"').to_owned(),
        None => "nothing".to_owned(),
    }
}

fn first(root: &json::Root) -> Option<Unknown> {
    modes(root).or_else(|| interpolations(root)).or_else(|| alpha_modes(root))
}

/// Returns the accessors whose type glTF 2.0 does not know, by their index. They can be in the file as long as nothing shown needs them, as
/// those that an extension brings are.
pub(super) fn accessors(root: &json::Root, text: &str) -> BTreeMap<usize, Unusable> {
    let unknown: Vec<(usize, Unknown)> =
        root.accessors.iter().enumerate().filter_map(|(i, accessor)| Some((i, of_accessor(i, accessor)?))).collect();
    if unknown.is_empty() {
        return BTreeMap::new();
    }
    let value: Option<json::Value> = text.parse().ok();
    let unusable = |(i, (pointer, location, expected)): (usize, Unknown)| {
        (i, Unusable { location, expected: expected.to_owned(), found: found(value.as_ref(), &pointer) })
    };
    unknown.into_iter().map(unusable).collect()
}

fn of_accessor(i: usize, a: &json::Accessor) -> Option<Unknown> {
    const COMPONENT: &str = "a componentType of glTF 2.0 (5120 to 5123, 5125, 5126)";
    let (path, location) = (format!("/accessors/{i}"), format!("accessor {i}"));
    if a.type_ == Checked::Invalid {
        return Some((path + "/type", location, "type SCALAR, VEC2 to VEC4 or MAT2 to MAT4"));
    }
    if matches!(a.component_type, Checked::Invalid) {
        return Some((path + "/componentType", location, COMPONENT));
    }
    let of_sparse = &a.sparse.as_ref()?.indices.component_type;
    let path = path + "/sparse/indices/componentType";
    matches!(of_sparse, Checked::Invalid)
        .then(|| (path, location + ", sparse indices", "componentType 5121, 5123 or 5125"))
}

fn modes(root: &json::Root) -> Option<Unknown> {
    let primitives =
        root.meshes.iter().enumerate().flat_map(|(m, mesh)| mesh.primitives.iter().enumerate().map(move |p| (m, p)));
    primitives.into_iter().find_map(|(m, (p, primitive))| {
        let path = format!("/meshes/{m}/primitives/{p}/mode");
        let location = format!("mesh {m}, primitive {p}");
        (primitive.mode == Checked::Invalid).then_some((path, location, "a mode from 0 (points) to 6 (triangle fan)"))
    })
}

fn interpolations(root: &json::Root) -> Option<Unknown> {
    let samplers =
        root.animations.iter().enumerate().flat_map(|(a, list)| list.samplers.iter().enumerate().map(move |s| (a, s)));
    samplers.into_iter().find_map(|(a, (s, sampler))| {
        let path = format!("/animations/{a}/samplers/{s}/interpolation");
        let location = format!("animation {a}, sampler {s}");
        (sampler.interpolation == Checked::Invalid).then_some((path, location, "LINEAR, STEP or CUBICSPLINE"))
    })
}

fn alpha_modes(root: &json::Root) -> Option<Unknown> {
    root.materials.iter().enumerate().find_map(|(i, material)| {
        let path = format!("/materials/{i}/alphaMode");
        (material.alpha_mode == Checked::Invalid)
            .then(|| (path, format!("material {i}"), "alphaMode OPAQUE, MASK or BLEND"))
    })
}
