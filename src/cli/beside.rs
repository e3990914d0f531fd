//! A second model in the picture of `render`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::opened::Opened;
use super::pose::PoseArgs;
use super::{CliError, OpenArgs, printable, tell_warnings};
use crate::import::Progress;
use crate::output::{overwritten_by_stdout, say};
use crate::session::{Arrangement, Document, Session, SessionFile, SessionModel, Source};

/// The second model, and how both stand.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct BesideArgs {
    /// Draw this file in the same picture, beside the model: any model, on the same floor, with the same camera and look, and at the time of
    /// --time
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, conflicts_with_all = ["compare", "compare_file"])]
    beside: Option<PathBuf>,
    /// Show this clip of the second model, by exact name or by number from 0 [default: the clip of --clip where it has one of that name]
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true, requires = "beside")]
    beside_clip: Option<String>,
    /// Let both models stand in one place, one over the other, in place of side by side
    #[arg(long, requires = "beside")]
    same_place: bool,
    /// Draw the second model as high as the first one, in place of as large as its file says
    #[arg(long, requires = "beside")]
    same_height: bool,
    /// Leave this much room between the two models, as a share of the height of the taller one, 0 to 4 [default: 0.15]
    #[arg(long, value_name = "SHARE", requires = "beside", conflicts_with = "same_place", value_parser = parse_gap)]
    gap: Option<f32>,
}

impl BesideArgs {
    /// Returns whether a second model is named.
    pub fn is_given(&self) -> bool {
        self.beside.is_some()
    }

    /// Opens the second model beside that of `session`, posed as `pose` says. `spare` refuses files that the output would replace.
    pub fn open(
        &self,
        session: &mut Session,
        pose: &PoseArgs,
        open: &OpenArgs,
        (spare, prints): (Spare<'_>, bool),
    ) -> Result<(), CliError> {
        let Some(path) = &self.beside else { return Ok(()) };
        if session.deforming().comparison().is_some() {
            let why = "--beside cannot be shown while two sides are compared, as the example or the session file does";
            return Err(CliError::Usage(why.into()));
        }
        let document = load(&Source::File(path.clone()), path.display().to_string(), open)?;
        document.files().try_for_each(spare)?;
        if prints {
            overwritten_by_stdout(document.files())?;
        }
        tell_warnings(&document);
        let named = pose.clip_name().filter(|name| document.model.clips.iter().any(|clip| clip.name == *name));
        let clip = self.beside_clip.clone().or(named.map(str::to_owned));
        let other = pose.for_other(clip).session(document)?;
        let usual = Arrangement::default();
        let gap = self.gap.unwrap_or(usual.gap);
        let Self { same_place, same_height, .. } = *self;
        session.put_beside(other, Arrangement { same_place, gap, same_height, ..usual });
        if let Some(sizes) = session.beside_sizes() {
            say(format_args!("{}", printable(&sizes)));
        }
        Ok(())
    }
}

/// Reads a second model with its images, which `check` and `compare` would leave out.
fn load(source: &Source, file: String, open: &OpenArgs) -> Result<Document, CliError> {
    source.load(&open.options(), &Progress::silent()).map_err(|error| CliError::Import { file, error })
}

/// Refuses an input that an output would replace.
type Spare<'a> = &'a dyn Fn(&Path) -> Result<(), CliError>;

/// The second model of a session file, and where it is.
pub(super) type OtherOfSession = (SessionModel, SessionFile);

/// Looks for the second model of the session file that was opened, where it has one.
pub(super) fn of_session(opened: &mut Opened) -> Result<Option<OtherOfSession>, CliError> {
    let Some((path, file)) = &mut opened.session_file else { return Ok(None) };
    let unreadable = |error| CliError::Unreadable { file: path.display().to_string(), error };
    let found = file.find_beside(path).transpose().map_err(unreadable)?;
    Ok(found.map(|model| (model, file.clone())))
}

/// Opens the second model of a session file as the file has it. `spare` refuses files that the output would replace.
pub(super) fn open_of_session(
    session: &mut Session,
    (model, file): OtherOfSession,
    open: &OpenArgs,
    spare: Spare<'_>,
) -> Result<(), CliError> {
    for changed in &model.changed {
        let name = printable(&changed.display().to_string());
        say(format_args!("warning: {name} has changed since the session was saved; what still fits is shown"));
    }
    let name = model.source.name();
    let document = load(&model.source, name, open)?;
    document.files().try_for_each(spare)?;
    tell_warnings(&document);
    for line in session.open_beside_with(document, &file) {
        say(format_args!("warning: {}", printable(&line)));
    }
    session.prepare();
    Ok(())
}

fn parse_gap(text: &str) -> Result<f32, String> {
    let gap = text.parse().ok().filter(|gap| (0.0..=4.0).contains(gap));
    gap.ok_or_else(|| "expected a share of the height, 0 to 4".into())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct OnlyOpen {
        #[command(flatten)]
        open: OpenArgs,
    }

    #[test]
    fn the_second_model_has_its_images() {
        let folder = std::env::temp_dir().join(format!("skinscope_beside_images_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pictures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/textures/grey.png");
        std::fs::copy(pictures, folder.join("grey.png")).unwrap();
        let positions = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        std::fs::write(folder.join("triangle.bin"), bytemuck::cast_slice(&positions)).unwrap();
        let gltf = serde_json::json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "textures": [{ "source": 0 }], "images": [{ "uri": "grey.png" }],
            "buffers": [{ "uri": "triangle.bin", "byteLength": 36 }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
            "accessors": [{
                "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]
            }],
        });
        let path = folder.join("triangle.gltf");
        std::fs::write(&path, gltf.to_string()).unwrap();
        let open = OnlyOpen::parse_from(["skinscope"]).open;
        let document = load(&Source::File(path), "triangle.gltf".into(), &open).unwrap();
        let images = &document.model.images;
        assert!(images.len() == 1 && images[0].pixels().is_some(), "it would be drawn white");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
