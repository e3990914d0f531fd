//! Every model of the corpus opens without a warning, and its contents are those that `models.csv` lists.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::HashMap;
use std::path::Path;

use skinscope::import::{Import, ImportError, Options, Progress, import_file};
use skinscope::model::{ClipId, Instance, Interpolation, Topology};
use skinscope::session::{PlaybackCommand, Session, Source};

use crate::common;

fn open(path: &Path) -> Result<Import, ImportError> {
    import_file(path, &Options::default(), &Progress::silent())
}

/// Where a model of the corpus is, if there is a corpus.
fn model(name: &str) -> Option<std::path::PathBuf> {
    Some(common::corpus()?.join("models").join(name))
}

/// Rows of a CSV file by column name; fields may stand in double quotes.
fn table(text: &str) -> Vec<HashMap<String, String>> {
    let fields = |line: &str| {
        let (mut out, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => out.push(String::new()),
                c => out.last_mut().unwrap().push(c),
            }
        }
        out
    };
    let mut lines = text.lines();
    let head = fields(lines.next().unwrap());
    lines.map(|l| head.iter().cloned().zip(fields(l)).collect()).collect()
}

#[test]
fn counts_are_those_of_the_table() {
    let Some(corpus) = common::corpus() else { return };
    let rows = table(&std::fs::read_to_string(corpus.join("models.csv")).unwrap());
    assert_eq!(rows.len(), 15);
    for row in rows {
        let name = row["name"].as_str();
        let result = open(&corpus.join("models").join(&row["file"]));
        let Import { model, warnings } = result.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(warnings.is_empty(), "{name}: {}", warnings[0]);
        let primitives = || model.file_meshes().flat_map(|(_, m)| &m.primitives);
        let joints: Vec<String> = model.skins.iter().map(|s| s.joints.len().to_string()).collect();
        let longest = model.clips.iter().map(|c| c.duration_secs()).fold(0.0, f32::max);
        let number = |column: &str| row[column].parse::<usize>().unwrap();
        assert_eq!(primitives().map(|p| p.stored_vertices).sum::<usize>(), number("vertices"), "{name}: vertices");
        assert_eq!(primitives().count(), number("primitives"), "{name}: primitives");
        assert_eq!(joints.join("/"), row["joints"], "{name}: joints");
        assert_eq!(model.skins.len(), number("skins"), "{name}: skins");
        assert_eq!(model.clips.len(), number("clips"), "{name}: clips");
        let want: f32 = row["longest_clip_s"].parse().unwrap();
        assert!((longest - want).abs() <= 0.005, "{name}: longest clip {longest} s, not {want} s");
    }
}

#[test]
fn split_files_are_found_by_their_percent_encoded_names() {
    let Some(path) = model("SplitFiles/Split Files.gltf") else { return };
    let model = open(&path).unwrap().model;
    assert_eq!(model.meshes[0].primitives[0].positions.len(), 320);
    assert!(model.clips.iter().flat_map(|c| &c.samplers).any(|s| s.interpolation == Interpolation::Step));
}

#[test]
fn strips_shared_meshes_and_bare_skins_of_multi_skin() {
    let Some(path) = model("MultiSkin.glb") else { return };
    let model = open(&path).unwrap().model;
    assert!(model.meshes.iter().flat_map(|m| &m.primitives).all(|p| p.topology == Topology::Triangles));
    // One mesh is shown with several skins and also without one.
    let shows = |i: &&Instance, mesh: usize| model.file_mesh(i.mesh).index() == mesh;
    let of = |mesh: usize| model.instances.iter().filter(move |i| shows(i, mesh)).map(|i| i.skin);
    let mixed = (0..model.meshes.len()).any(|m| of(m).any(|s| s.is_none()) && of(m).any(|s| s.is_some()));
    let several = (0..model.meshes.len()).any(|m| of(m).flatten().collect::<std::collections::HashSet<_>>().len() > 1);
    assert!(mixed && several);
    assert!(model.skins.iter().all(|s| s.inverse_bind.len() == s.joints.len()));
}

#[test]
fn images_are_decoded_and_found_by_their_materials() {
    let Some(path) = model("CesiumMan.glb") else { return };
    let model = open(&path).unwrap().model;
    let slot = model.materials[0].base_color_texture.unwrap();
    let image = &model.images[model.textures[slot.texture.index()].image.unwrap().index()];
    let pixels = image.pixels().unwrap();
    assert_eq!((pixels.width(), pixels.height()), (1024, 1024));
    assert!(pixels.levels()[0].chunks_exact(4).all(|p| p[3] == 255));
}

/// What frames a model leaves nothing of it out, in any clip: stray vertices are those of broken files.
#[test]
fn nothing_of_any_model_lies_outside_of_what_is_framed() {
    let Some(corpus) = common::corpus() else { return };
    let rows = table(&std::fs::read_to_string(corpus.join("models.csv")).unwrap());
    for row in rows {
        let name = row["name"].as_str();
        let source = Source::File(corpus.join("models").join(&row["file"]));
        let document = source.load(&Options::default(), &Progress::silent()).unwrap();
        assert_eq!(document.warnings, [""; 0], "{name}");
        let mut session = Session::default();
        session.open(document);
        let clips = session.model().unwrap().clips.len();
        for clip in 0..clips.max(1) {
            session.apply(PlaybackCommand::SetClip(ClipId(clip as u32)));
            for part in 0..5 {
                let model = session.model().unwrap();
                let duration = model.clips.get(clip).map_or(0.0, |c| c.duration_secs());
                session.apply(PlaybackCommand::Seek(duration * part as f32 / 4.0));
                session.update_pose();
                let extent = session.surfaces().extent();
                assert_eq!((extent.mass, extent.strays.len()), (extent.all, 0), "{name}, clip {clip}, {part}");
            }
        }
    }
}
