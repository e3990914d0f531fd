//! Layers of weights in the extras of a file that is saved.

use crate::edit::LayersInFile;
use crate::model::Model;
use crate::paint::{LayerStack, kept_text};
use crate::session::Session;

/// What becomes of the layers of weights in the extras of the file that is saved.
#[derive(Clone, Debug, Default)]
pub(crate) enum SavedLayers {
    /// They stay as they are, or stay away.
    #[default]
    AsTheyAre,
    /// The file keeps these.
    Kept(LayerStack),
    /// The file keeps none.
    Removed,
}

impl SavedLayers {
    /// Returns what becomes of the layers in the file of a session, whose own are kept there or not; `None` where it has none.
    pub fn of(session: &Session, keeps: Option<bool>) -> Self {
        match keeps {
            Some(true) => Self::Kept(session.painting().layers().clone()),
            // What the user is asked about, and what could not be read, stays where it is.
            None if session.painting().leaves_layers_in_file() => Self::AsTheyAre,
            _ => Self::Removed,
        }
    }

    /// Returns what is written into the file of a model.
    pub fn in_file(&self, model: &Model) -> LayersInFile {
        match self {
            Self::AsTheyAre => LayersInFile::AsTheyAre,
            Self::Kept(layers) => kept_text(model, layers).map_or(LayersInFile::Removed, LayersInFile::Kept),
            Self::Removed => LayersInFile::Removed,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::{env, fs};

    use super::*;
    use crate::app::files::save_job::SaveJob;
    use crate::export::write_skinned_glb;
    use crate::import::{Options, Progress};
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{MeshId, ModelParts, NodeId, WeightChange};
    use crate::paint::Painted;
    use crate::session::{Document, LayerCommand, PaintCommand, PaintDab, PaintSettings, SelectionCommand, Source};
    use crate::writeback::{Recompression, Stamps};

    fn opened(path: &Path) -> Session {
        let mut session = Session::default();
        session.open(read(path));
        session
    }

    fn read(path: &Path) -> Document {
        Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap()
    }

    /// Saves a session's model under another name.
    fn save(session: &Session, path: &Path, target: &Path, keeps: Option<bool>) {
        let model = session.edited_weights().edited_model().unwrap();
        write(model, session.painted_weights().cloned(), path, target, SavedLayers::of(session, keeps));
    }

    fn write(model: &Arc<Model>, painted: Option<Painted>, path: &Path, target: &Path, layers: SavedLayers) {
        let job = SaveJob {
            model: Arc::clone(model),
            painted,
            path: Some(path.to_owned()),
            stamps: Stamps::of(path),
            written: None,
            recompression: Recompression::None,
            keeps_links: false,
            layers,
            work: None,
            options: Options::default(),
        };
        job.write(job.prepare(target).unwrap(), target).unwrap();
    }

    /// The JSON text of a GLB.
    fn json(path: &Path) -> serde_json::Value {
        let bytes = fs::read(path).unwrap();
        let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
        serde_json::from_slice(&bytes[20..20 + length]).unwrap()
    }

    /// The buffer of a GLB.
    fn buffer(path: &Path) -> Vec<u8> {
        let bytes = fs::read(path).unwrap();
        let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
        bytes[20 + length..].to_vec()
    }

    #[test]
    fn a_file_keeps_layers_until_they_are_taken_out_and_nothing_else_of_it_differs() {
        [None, Some("smooth")].into_iter().for_each(keep);
    }

    /// Keeps a layer with an effect, or with none.
    fn keep(effect: Option<&str>) {
        let folder = env::temp_dir().join(format!("skinscope_kept_layers_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [path, plain, kept, again, other] =
            ["tube.glb", "plain.glb", "kept.glb", "again.glb", "other.glb"].map(|name| folder.join(name));
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let mut bytes = Vec::new();
        write_skinned_glb(&model, 0, &model.skeleton.rest, &mut bytes).unwrap();
        fs::write(&path, bytes).unwrap();
        let mut session = opened(&path);
        let joint = session.model().unwrap().skeleton.names.iter().position(|name| name == "joint 1").unwrap();
        session.apply(SelectionCommand::Select(Some(NodeId::from_index(joint))));
        session.apply(PaintCommand::Hold(Some("add".to_owned())));
        session.apply(PaintCommand::Set(PaintSettings { front_only: false, ..session.painting().settings().clone() }));
        session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
        let position = [0.0, 1.0, 0.25];
        session.apply(PaintCommand::Dab(PaintDab { position, pressure: 0.5, flips: false, smooths: false }));
        let id = session.painting().layers().active().unwrap();
        session.apply(PaintCommand::Layer(LayerCommand::SetOpacity(id, 0.3)));
        if let Some(effect) = effect {
            session.apply(PaintCommand::Layer(LayerCommand::AddEffect(Some(id), effect.to_owned())));
        }
        save(&session, &path, &plain, Some(false));
        save(&session, &path, &kept, Some(true));
        let mut with_layers = json(&kept);
        assert!(with_layers["extras"]["skinscope"]["layers"]["weights"].is_object());
        with_layers.as_object_mut().unwrap().remove("extras");
        assert!(with_layers == json(&plain), "nothing else of the text");
        // Another session has them again, and gives the same bytes.
        let found = opened(&kept);
        assert_eq!(found.painting().layers().layer(id).unwrap().name(), "Skirt");
        assert!(found.painting().asked_layers().is_none() && !found.unsaved().has_unsaved_work());
        save(&found, &kept, &again, Some(true));
        assert!(fs::read(&again).unwrap() == fs::read(&kept).unwrap());
        save(&found, &kept, &other, Some(false));
        assert!(fs::read(&other).unwrap() == fs::read(&plain).unwrap());
        let mut found = found;
        found.apply(PaintCommand::Layer(LayerCommand::SetOn(id, false)));
        save(&found, &kept, &other, Some(false));
        // White space between the texts may differ, since the file was written anew in between.
        // The bounds of what was written in between may be said as 0 in place of 0.0.
        let text = |path: &Path| json(path).to_string().replace(".0,", ",").replace(".0]", "]");
        assert!(text(&other) == text(&path), "without the layer the text says what it said before, {effect:?}");
        assert!(buffer(&other) == buffer(&path), "without the layer the bytes are those from before, {effect:?}");
        // Where the layers alone differ, saving writes them.
        let mut renamed = opened(&kept);
        renamed.apply(PaintCommand::Layer(LayerCommand::Rename(id, "Cape".to_owned())));
        let work = renamed.unsaved().unsaved_work();
        assert!(work.layers == 1 && !work.fits_model());
        save(&renamed, &kept, &other, Some(true));
        let renamed = opened(&other);
        assert_eq!(renamed.painting().layers().layer(id).unwrap().name(), "Cape");
        assert!(!renamed.unsaved().has_unsaved_work() && buffer(&other) == buffer(&kept));
        // Another program changes a vertex that the layer knows, and passes over the extras.
        let model = read(&kept);
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        let all = 0..model.stored().meshes[0].primitives[0].stored_vertices as u32;
        all.for_each(|vertex| change.push(vertex, &[2], &[1.0]));
        let changed = Arc::new(model.stored().with_weights(&[change]).unwrap());
        write(&changed, None, &kept, &other, SavedLayers::AsTheyAre);
        let asked = opened(&other);
        assert!(asked.painting().layers().is_empty() && asked.painting().asked_layers().is_some());
        assert!(matches!(SavedLayers::of(&asked, None), SavedLayers::AsTheyAre));
        // Those that this program cannot read are no less theirs.
        let mut parts = ModelParts::clone(model.stored());
        let text = parts.source.kept_layers.as_deref().unwrap().replace("\"schema\":1", "\"schema\":7");
        parts.source.kept_layers = Some(text.into());
        let mut newer = Session::default();
        newer.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        assert!(newer.painting().layers().is_empty());
        assert!(matches!(SavedLayers::of(&newer, None), SavedLayers::AsTheyAre));
        fs::remove_dir_all(&folder).unwrap();
    }
}
