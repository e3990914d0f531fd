//! The file in which `bake-weights` tells how far the weights leave each vertex from the method that was baked into them, and which `render`
//! draws.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{CliError, printable};
use crate::edit::left_values;
use crate::inspect::PerVertex;
use crate::model::{MeshId, Model, PrimitiveId};
use crate::solve::LeftOver;

/// Returns the text of the file: what a method leaves in so many poses.
pub(super) fn left_text(model: &Model, (from, poses): (&str, usize), left: &[LeftOver]) -> String {
    // Single precision has about so many digits of a millimetre.
    let millimetres =
        |list: &[f32]| -> Vec<f64> { list.iter().map(|metres| (1e7 * f64::from(*metres)).round() / 1e4).collect() };
    let primitives = left.iter().map(|left| {
        json!({
            "mesh": model.file_mesh(left.primitive.mesh).0,
            "primitive": left.primitive.primitive,
            "rms_mm": millimetres(&left.rms),
            "largest_mm": millimetres(&left.largest),
        })
    });
    let primitives: Vec<Value> = primitives.collect();
    format!("{}\n", json!({ "schema": 1, "from": from, "poses": poses, "primitives": primitives }))
}

/// Reads such a file for a model: how far each vertex is, millimetres, as the root of the mean of the squares and at most.
pub(super) fn read_left(path: &Path, model: &Model) -> Result<[Arc<PerVertex>; 2], CliError> {
    let wrong = |why: String| CliError::Usage(printable(&format!("--left {}: {why}", path.display())));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let root: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let list = root.get("primitives").and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong("it is no file that bake-weights --left has written".to_owned()))?;
    let mut out: Vec<LeftOver> = Vec::new();
    for entry in list {
        let left = left_of(entry, model, &out);
        out.push(left.ok_or_else(|| wrong("it is of another model, which has other vertices".to_owned()))?);
    }
    Ok(left_values(model, &out))
}

/// Reads what is left of a primitive; `None` where the model has none of this number with so many vertices, but for those that are `known`.
fn left_of(entry: &Value, model: &Model, known: &[LeftOver]) -> Option<LeftOver> {
    let number = |key: &str| usize::try_from(entry.get(key)?.as_u64()?).ok();
    let metres = |key: &str| -> Option<Vec<f32>> {
        entry.get(key)?.as_array()?.iter().map(|mm| Some((1e-3 * mm.as_f64()?) as f32)).collect()
    };
    let (mesh, primitive) = (number("mesh")?, number("primitive")?);
    let (rms, largest) = (metres("rms_mm")?, metres("largest_mm")?);
    let is_it = |at: &PrimitiveId| {
        let here = model.meshes[at.mesh.index()].primitives.get(primitive);
        let fits = here.is_some_and(|here| [rms.len(), largest.len()] == [here.stored_vertices; 2]);
        fits && model.file_mesh(at.mesh).index() == mesh && !known.iter().any(|left| left.primitive == *at)
    };
    let mut all = (0..model.meshes.len()).map(|mesh| PrimitiveId::new(MeshId::from_index(mesh), primitive));
    Some(LeftOver { primitive: all.find(is_it)?, rms, largest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::test_shapes::{Tube, tube};

    #[test]
    fn what_is_written_is_read_for_the_same_model_and_no_other() {
        let model = tube(Tube::default());
        let count = model.meshes[0].primitives[0].stored_vertices;
        let rms: Vec<f32> = (0..count).map(|vertex| 1e-4 * vertex as f32).collect();
        let largest = rms.iter().map(|metres| 2.0 * metres).collect();
        let primitive = PrimitiveId::new(MeshId::from_index(0), 0);
        let text = left_text(&model, ("polar", 3), &[LeftOver { primitive, rms, largest }]);
        let root: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&root["from"], &root["poses"], &root["schema"]), (&json!("polar"), &json!(3), &json!(1)));
        let entry = &root["primitives"][0];
        let left = left_of(entry, &model, &[]).unwrap();
        assert!(left.primitive == primitive && (left.rms[10] - 1e-3).abs() < 1e-7 && left.largest.len() == count);
        assert!(left_of(entry, &model, &[left]).is_none(), "it is there once");
        assert!(left_of(entry, &tube(Tube { rings: 11, ..Tube::default() }), &[]).is_none());
        assert!(left_of(&json!({ "mesh": 0 }), &model, &[]).is_none());
    }
}
