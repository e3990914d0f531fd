//! Small files that ask for much memory are refused, or open within a gibibyte, counted by the allocator.

use skinscope::import::{Import, ImportError, Options, Progress, import_bytes};
use skinscope::session::{Document, Session};

use crate::counting::{self, alone};

/// What a file may take while it is opened.
const MOST: usize = 1 << 30;

/// The share of the largest sizes that files have: all of it, and a tenth.
const WHOLE: usize = 1;
const TENTH: usize = 10;

/// Opens `json` as the window does; what came of it and how much memory that took, above what the text takes.
fn open(json: &str) -> (Result<Vec<String>, ImportError>, usize) {
    counting::restart();
    let before = counting::peak();
    let opened = import_bytes(json.as_bytes(), "bomb", &Options::default(), &Progress::silent());
    let result = opened.map(|Import { model, warnings }| {
        let mut session = Session::default();
        session.open(Document::new(model, Vec::new(), None));
        warnings.iter().map(ToString::to_string).collect()
    });
    (result, counting::peak() - before)
}

fn list(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

/// `member` of the root, beside what every file has.
fn root(members: &str) -> String {
    format!(r#"{{"asset":{{"version":"2.0"}},{members}}}"#)
}

#[track_caller]
fn within(what: &str, json: &str) {
    let (result, bytes) = open(json);
    eprintln!("{what}: {} KiB of JSON, {} MiB, {:?}", json.len() >> 10, bytes >> 20, result.as_ref().err());
    assert!(bytes < MOST, "{what}: {} MiB", bytes >> 20);
}

fn small_objects(share: usize) {
    let _alone = alone();
    let many = 1_000_000 / share;
    for (key, item) in [
        ("nodes", "{}"),
        ("materials", "{}"),
        ("images", "{}"),
        ("textures", r#"{"source":0}"#),
        ("samplers", "{}"),
        ("scenes", r#"{"nodes":[]}"#),
        ("skins", r#"{"joints":[]}"#),
        ("bufferViews", r#"{"buffer":0,"byteLength":0}"#),
        ("accessors", r#"{"componentType":5126,"type":"VEC3","count":1}"#),
        ("animations", r#"{"channels":[],"samplers":[]}"#),
    ] {
        within(key, &root(&format!(r#""{key}":[{}]"#, list(item, many))));
    }
    within(
        "primitives",
        &root(&format!(r#""meshes":[{{"primitives":[{}]}}]"#, list(r#"{"attributes":{}}"#, many / 2))),
    );
    let meshes = format!(r#""meshes":[{}]"#, list(r#"{"primitives":[{"attributes":{}}]}"#, many / 4));
    within("meshes", &root(&meshes));
}

#[test]
fn a_hundred_thousand_small_objects_of_any_kind() {
    small_objects(TENTH);
}

#[test]
#[ignore = "full: files of many megabytes"]
fn a_million_small_objects_of_any_kind() {
    small_objects(WHOLE);
}

fn values(share: usize) {
    let _alone = alone();
    let many = 8_000_000 / share;
    within("children", &root(&format!(r#""nodes":[{{"children":[{}]}}]"#, list("0", many))));
    within("weights", &root(&format!(r#""nodes":[{{"weights":[{}]}}]"#, list("0.5", many))));
    within("extras", &root(&format!(r#""extras":[{}]"#, list("0", many))));
    within("words", &root(&format!(r#""extensionsUsed":[{}]"#, list("\"\"", many))));
    let members: Vec<String> = (0..many / 4).map(|i| format!("\"{i}\":0")).collect();
    let extension = format!(r#""materials":[{{"extensions":{{"A":{{{}}}}}}}]"#, members.join(","));
    within("members of an extension", &root(&extension));
    within(
        "numbers of an extension",
        &root(&format!(r#""materials":[{{"extensions":{{"A":[{}]}}}}]"#, list("0", many))),
    );
    // Scenes without nodes are put right in a copy of the whole document.
    within("a document that is repaired", &root(&format!(r#""scenes":[{{}}],"extras":[{}]"#, list("0", many))));
}

#[test]
fn a_million_values() {
    values(TENTH);
}

#[test]
#[ignore = "full: files of many megabytes"]
fn millions_of_values() {
    values(WHOLE);
}

fn shared_bytes(share: usize) {
    let _alone = alone();
    let view =
        r#""bufferViews":[{"buffer":0,"byteLength":120000}],"buffers":[{"byteLength":120000,"uri":"data:;base64,"#;
    let data = format!("{view}{}\"}}]", "AAAA".repeat(40_000));
    let accessor = r#""accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":10000}]"#;
    let primitives = list(r#"{"attributes":{"POSITION":0,"NORMAL":0}}"#, 100_000 / share);
    within(
        "primitives of one accessor",
        &root(&format!(r#"{data},{accessor},"meshes":[{{"primitives":[{primitives}]}}]"#)),
    );
    let targets = list(r#"{"POSITION":0,"NORMAL":0,"TANGENT":0}"#, 100_000 / share);
    let primitive = format!(r#"{{"attributes":{{"POSITION":0}},"targets":[{targets}]}}"#);
    within(
        "targets of one accessor",
        &root(&format!(r#"{data},{accessor},"meshes":[{{"primitives":[{primitive}]}}]"#)),
    );
    let scenes = list(r#"{"nodes":[0]}"#, 100_000 / share);
    within("scenes of many nodes", &root(&format!(r#""scenes":[{scenes}],"nodes":[{}]"#, list("{}", 100_000 / share))));
}

#[test]
fn bytes_that_are_used_again_and_again() {
    shared_bytes(TENTH);
}

#[test]
#[ignore = "full: files of many megabytes"]
fn bytes_that_are_used_a_hundred_thousand_times() {
    shared_bytes(WHOLE);
}

#[test]
fn zeros_that_have_no_bytes() {
    let _alone = alone();
    let one = |count: u64| {
        root(&format!(
            r#""accessors":[{{"componentType":5126,"type":"VEC3","count":{count}}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":6}}]}}],"nodes":[{{"mesh":0}}]"#
        ))
    };
    within("zeros", &one(5_592_405));
    assert!(matches!(open(&one(5_592_406)).0, Err(ImportError::Limit { limit: 0x0400_0000, .. })));
    assert!(matches!(open(&one(u64::MAX / 2)).0, Err(ImportError::Limit { .. })));
}

#[test]
fn pictures_of_one_colour() {
    use base64::Engine;
    let _alone = alone();
    let picture = image::DynamicImage::new_luma8(8192, 8192);
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let uri = format!("data:image/png;base64,{}", base64::prelude::BASE64_STANDARD.encode(png.into_inner()));
    drop(picture);
    // Two of them are more than a file of that size may become: both are told of, and the model is shown without.
    let json = root(&format!(
        r#""images":[{{"uri":"{uri}"}},{{"uri":"{uri}"}}],"textures":[{{"source":0}},{{"source":1}}],
        "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}},"normalTexture":{{"index":1}}}}]"#
    ));
    within("pictures", &json);
}
