//! Meshes that the surface should be in a pose, in the window: their vertices are read.

use std::path::Path;

use crate::anim::drawn_at_rest;
use crate::deform::METHODS;
use crate::export::baked_surface;
use crate::import::{ImportError, Options, POINT_ENDINGS, Progress, read_points};
use crate::model::Model;
use crate::session::Source;

/// The ending of meshes that are read as models.
const MODEL_ENDING: &str = "glb";

/// Whether a file may be such a mesh, by its name.
pub(super) fn is_sculpt(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| POINT_ENDINGS.iter().chain([&MODEL_ENDING]).any(|known| *known == ending))
}

/// Reads where the vertices of a mesh are, in the scene of its file, metres. A model is taken as it stands at rest.
pub(super) fn read(path: &Path, options: &Options) -> Result<Vec<[f64; 3]>, String> {
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case(MODEL_ENDING)) {
        return Ok(read_points(path)?.into_iter().map(|point| point.to_array()).collect());
    }
    let unreadable = |error: ImportError| error.to_string();
    let document = Source::File(path.to_owned()).load(options, &Progress::silent()).map_err(unreadable)?;
    let model: &Model = document.stored();
    let draws = drawn_at_rest(model, model.default_scene);
    let parts = baked_surface(model, &draws, &model.skeleton.rest, METHODS[0]);
    let points = parts.iter().flat_map(|part| part.positions.iter().map(move |point| point.as_dvec3() + part.origin));
    Ok(points.map(|point| point.to_array()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_read_of_points_and_of_models() {
        let path = std::env::temp_dir().join(format!("skinscope_sculpt_{}.obj", std::process::id()));
        std::fs::write(&path, "v 0 0 0\nv 1 0.5 0\n").unwrap();
        assert_eq!(read(&path, &Options::default()), Ok(vec![[0.0; 3], [1.0, 0.5, 0.0]]));
        assert!(is_sculpt(&path) && is_sculpt(Path::new("a.PLY")) && !is_sculpt(Path::new("a.pose.json")));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path, &Options::default()).is_err());
        let model = path.with_extension("glb");
        std::fs::write(&model, Source::BuiltIn.built_in_bytes().unwrap()).unwrap();
        assert!(read(&model, &Options::default()).unwrap().len() > 1000);
        std::fs::remove_file(&model).unwrap();
    }
}
